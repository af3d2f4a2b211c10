package disk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/disk"
)

func TestAbsolute(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for path, want := range map[string]string{
		"a/../b": filepath.Join(base, "b"), "": base, filepath.Join(base, "x", "..", "y"): filepath.Join(base, "y"),
	} {
		if got := disk.Absolute(base, path); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}

// TestCheckProgram: who cannot be started is told why, with its path said once.
func TestCheckProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing, program := filepath.Join(dir, "missing"), filepath.Join(dir, "program")
	if err := os.WriteFile(program, nil, 0o700); err != nil { //nolint:gosec // programs are executable
		t.Fatal(err)
	}
	if err := disk.CheckProgram(program); err != nil {
		t.Error(err)
	}
	if err := disk.CheckProgram(dir); err == nil || !strings.Contains(err.Error(), "it is a folder") {
		t.Error(err)
	}
	if err := disk.CheckProgram(missing); err == nil || strings.Count(err.Error(), missing) != 1 {
		t.Error(err)
	}
}
