//go:build unix

package disk_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"gogi/internal/disk"
	"gogi/internal/testutil"
)

// TestCloseLocked: the lock ends although another descriptor of the file is open, as in a child process between fork
// and exec.
func TestCloseLocked(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "lock")
	first, second := testutil.Must(os.Create(name))(t), testutil.Must(os.Create(name))(t)
	defer second.Close()
	testutil.OK(t, disk.LockFile(first))
	child := testutil.Must(syscall.Dup(int(first.Fd())))(t)
	defer syscall.Close(child)
	testutil.OK(t, disk.CloseLocked(first))
	testutil.OK(t, disk.LockFile(second))
}
