//go:build unix

package disk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"gogi/internal/disk"
	"gogi/internal/testutil"
)

func TestModes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	for mode, want := range map[os.FileMode]struct{ others, program bool }{
		0o600: {false, false}, 0o640: {true, false}, 0o604: {true, false}, 0o700: {false, true}, 0o755: {true, true},
		0o610: {true, true},
	} {
		testutil.OK(t, os.WriteFile(file, []byte("secret\n"), 0o600))
		testutil.OK(t, os.Chmod(file, mode))
		info := testutil.Must(os.Stat(file))(t)
		if disk.OthersMayRead(info) != want.others || disk.IsProgram(info) != want.program {
			t.Errorf("mode %o: others %v, program %v", mode, disk.OthersMayRead(info), disk.IsProgram(info))
		}
		if secret, err := disk.ReadSecret(file); (err != nil) != want.others || err == nil && secret != "secret" {
			t.Errorf("mode %o: secret %q, %v", mode, secret, err)
		}
	}
}

func TestIsFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0) // full(4): every write fails with ENOSPC
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	_, err = full.WriteString("x")
	testutil.Check(t, disk.IsFull(err) && disk.IsFull(fmt.Errorf("writing: %w", syscall.EDQUOT)) &&
		!disk.IsFull(syscall.EIO),
		"IsFull of %v, EDQUOT, EIO", err)
}

func TestSync(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	err := disk.SyncFile(file)
	testutil.Check(t, os.IsNotExist(err), "of a file that is not there: %v", err)
	testutil.OK(t, os.WriteFile(file, nil, 0o600))
	testutil.OK(t, disk.SyncFile(file))
	testutil.OK(t, disk.SyncDir(dir))
}

func TestLockFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	open := func() *os.File {
		f := testutil.Must(os.Create(name))(t)
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	first, second := open(), open()
	testutil.OK(t, disk.LockFile(first))
	testutil.Is(t, disk.LockFile(second), disk.ErrLocked, "of a file that is locked")
	testutil.OK(t, first.Close())
	testutil.OK(t, disk.LockFile(second), "of one that was closed")
}

// TestWriteFile: the file is replaced with its mode, and no other file is left, also after an error.
func TestWriteFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for text, mode := range map[string]os.FileMode{"one": 0o600, "two": 0o644} {
		testutil.OK(t, disk.WriteFile(path, []byte(text), mode))
		info := testutil.Must(os.Stat(path))(t)
		if got := testutil.Must(os.ReadFile(path))(t); string(got) != text || info.Mode().Perm() != mode {
			t.Errorf("%q of mode %o, want %q of %o", got, info.Mode().Perm(), text, mode)
		}
	}
	testutil.Fails(t, disk.WriteFile(dir, nil, 0o600), "", "a file with the name of a folder")
	testutil.Equal(t, len(testutil.Must(os.ReadDir(dir))(t)), 1, "files")
	testutil.Equal(t, len(testutil.Must(filepath.Glob(filepath.Join(filepath.Dir(dir), ".new-*")))(t)), 0,
		"incomplete files")
}
