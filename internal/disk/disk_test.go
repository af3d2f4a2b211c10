//go:build unix

package disk_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"gogi/internal/disk"
)

func TestModes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	for mode, want := range map[os.FileMode]struct{ others, program bool }{
		0o600: {false, false}, 0o640: {true, false}, 0o604: {true, false}, 0o700: {false, true}, 0o755: {true, true}, 0o610: {true, true},
	} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if disk.OthersMayRead(info) != want.others || disk.IsProgram(info) != want.program {
			t.Errorf("mode %o: others %v, program %v", mode, disk.OthersMayRead(info), disk.IsProgram(info))
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
	if !disk.IsFull(err) || !disk.IsFull(fmt.Errorf("writing: %w", syscall.EDQUOT)) || disk.IsFull(syscall.EIO) {
		t.Errorf("IsFull of %v, EDQUOT, EIO", err)
	}
}

func TestSync(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := disk.SyncFile(file); !os.IsNotExist(err) {
		t.Errorf("of a file that is not there: %v", err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := disk.SyncFile(file); err != nil {
		t.Error(err)
	}
	if err := disk.SyncDir(dir); err != nil {
		t.Error(err)
	}
}

func TestLockFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	open := func() *os.File {
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	first, second := open(), open()
	if err := disk.LockFile(first); err != nil {
		t.Fatal(err)
	}
	if err := disk.LockFile(second); !errors.Is(err, disk.ErrLocked) {
		t.Errorf("of a file that is locked: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := disk.LockFile(second); err != nil {
		t.Errorf("of one that was closed: %v", err)
	}
}
