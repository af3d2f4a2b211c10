//go:build unix

package disk_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"gogi/internal/disk"
	"gogi/internal/testutil"
)

// TestOpenDoesNotWait: a pipe without a writer is rejected at once.
func TestOpenDoesNotWait(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	testutil.Fails(t, testutil.Err(disk.ReadFile(name, 10)), "", "a pipe is read")
}
