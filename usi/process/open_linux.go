package process

import (
	"io/fs"
	"strconv"

	"golang.org/x/sys/unix"
)

// openStat is a small file of /proc that stays open for repeated reads: stat or schedstat of a thread. A read of an
// open file costs a third of opening, reading and closing it, and nothing on the heap. The descriptor belongs to one
// thread. After the end of the thread a read fails, also if another thread has its number. The zero value is not open.
type openStat struct {
	fd   int // plus 1, so that the zero value is not open
	text [512]byte
}

// open opens the file. The caller must close it.
func (f *openStat) open(name string) error {
	fd, err := rawOpen(name)
	if err != nil {
		return &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f.fd = fd + 1
	return nil
}

func (f *openStat) isOpen() bool { return f.fd > 0 }

// read returns the file's content now, at most 512 bytes. The slice is valid until the next call.
func (f *openStat) read() ([]byte, error) {
	n, err := rawIO(unix.SYS_PREAD64, uintptr(f.fd-1), f.text[:])
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: "/proc", Err: err}
	}
	return f.text[:n], nil
}

// close closes the file, if it is open.
func (f *openStat) close() {
	if f.isOpen() {
		rawClose(f.fd - 1)
		f.fd = 0
	}
}

// taskFile returns the path of a file of a thread.
func taskFile(pid, tid int, file string) string {
	return "/proc/" + strconv.Itoa(pid) + "/task/" + strconv.Itoa(tid) + "/" + file
}
