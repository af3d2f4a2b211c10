//go:build unix

package nats

import "golang.org/x/sys/unix"

// volume returns the size of a folder's volume and the free space that gogi may use, in bytes.
func volume(dir string) (size, free int64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	return int64(s.Blocks) * int64(s.Bsize), int64(s.Bavail) * int64(s.Bsize), nil //nolint:unconvert // the width of Bsize differs between systems
}
