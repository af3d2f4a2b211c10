package disk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/disk"
	"gogi/internal/testutil"
)

// endless is a reader without an end that counts the bytes that it returns.
type endless struct{ given int }

func (e *endless) Read(p []byte) (int, error) {
	e.given += len(p)
	return len(p), nil
}

// TestReadLimits: a limit holds while reading, and a file of exactly that size is read.
func TestReadLimits(t *testing.T) {
	bomb := &endless{}
	if _, err := disk.ReadAll(bomb, 1000); err == nil || !strings.Contains(err.Error(), "more than 1000 bytes") ||
		bomb.given > 1001 {
		t.Errorf("%v after %d bytes", err, bomb.given)
	}
	name := filepath.Join(t.TempDir(), "f")
	testutil.OK(t, os.WriteFile(name, []byte("12345"), 0o600))
	if data, err := disk.ReadFile(name, 5); err != nil || string(data) != "12345" {
		t.Errorf("%q, %v", data, err)
	}
	testutil.Fails(t, testutil.Err(disk.ReadFile(name, 4)), name)
}

// TestOpenRefuses: Open rejects a device and a folder.
func TestOpenRefuses(t *testing.T) {
	for name, want := range map[string]string{os.DevNull: "a device or a pipe", t.TempDir(): "a folder",
		filepath.Join(t.TempDir(), "none"): "no such file"} {
		f, err := disk.Open(name)
		testutil.Check(t, err != nil && (strings.Contains(err.Error(), want) || want == "no such file"), "%s: %v, %v", name,
			f, err)
	}
}

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
