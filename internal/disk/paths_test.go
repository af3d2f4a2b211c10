package disk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/disk"
	"gogi/internal/testutil"
)

func TestAbsolute(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for path, want := range map[string]string{
		"a/../b": filepath.Join(base, "b"), "": base, filepath.Join(base, "x", "..", "y"): filepath.Join(base, "y"),
	} {
		testutil.Equal(t, disk.Absolute(base, path), want, "%q", path)
	}
}

// TestCheckProgram: the error for a program that cannot be started has the reason, and its path once.
func TestCheckProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing, program := filepath.Join(dir, "missing"), filepath.Join(dir, "program")
	testutil.OK(t, os.WriteFile(program, nil, 0o700))
	testutil.OK(t, disk.CheckProgram(program))
	testutil.Fails(t, disk.CheckProgram(dir), "it is a folder")
	err := disk.CheckProgram(missing)
	testutil.Check(t, err != nil && strings.Count(err.Error(), missing) == 1, "%v", err)
}
