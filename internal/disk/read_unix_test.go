//go:build unix

package disk_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"gogi/internal/disk"
)

// TestOpenDoesNotWait: a pipe that nobody writes to is refused at once.
func TestOpenDoesNotWait(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := disk.ReadFile(name, 10); err == nil {
		t.Error("a pipe is read")
	}
}
