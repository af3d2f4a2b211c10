package file

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// BootID returns the kernel's identifier of the current boot of this machine. It changes with every restart.
func BootID() (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(boot)), err
}

// sharedFileSystems has the names, by number, of the file systems that other machines may also see. This
// includes FUSE, because its real file system is unknown. The numbers are from linux/magic.h; those of
// Lustre, GPFS, BeeGFS and VirtualBox are from their own sources.
var sharedFileSystems = map[int64]string{
	unix.NFS_SUPER_MAGIC: "NFS", unix.SMB_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "CIFS", unix.SMB2_SUPER_MAGIC: "SMB",
	unix.CEPH_SUPER_MAGIC: "Ceph", unix.AFS_SUPER_MAGIC: "AFS", unix.AFS_FS_MAGIC: "AFS", unix.CODA_SUPER_MAGIC: "Coda",
	unix.V9FS_MAGIC: "9P", unix.FUSE_SUPER_MAGIC: "FUSE", unix.OCFS2_SUPER_MAGIC: "OCFS2", 0x01161970: "GFS2",
	0x0BD00BD0: "Lustre", 0x47504653: "GPFS", 0x19830326: "BeeGFS", 0x786f4256: "a VirtualBox share",
}

// Shared returns the name of a file's file system if other machines may see it, else "".
func Shared(file string) (string, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(file), &s); err != nil {
		return "", err
	}
	return sharedFileSystems[int64(uint32(s.Type))], nil
}

// These are the fcntl(2) commands for locks that belong to an open file and not to a process.
const (
	setLock     = unix.F_OFD_SETLK
	setLockWait = unix.F_OFD_SETLKW
	getLock     = unix.F_OFD_GETLK
)

// RenameNew renames a file, and returns an error if the new name exists.
func RenameNew(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // the file system does not support the flag
		err = os.Rename(from, to)
	}
	return err
}
