package nats

import "golang.org/x/sys/windows"

// volume returns the size of a folder's volume and the free space that gogi may use, in bytes.
func volume(dir string) (size, free int64, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	var ours, total, all uint64
	if err := windows.GetDiskFreeSpaceEx(name, &ours, &total, &all); err != nil {
		return 0, 0, err
	}
	return int64(total), int64(ours), nil
}
