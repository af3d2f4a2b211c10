package runner

import (
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kernelTimer is a timerfd of Linux in Go's poller. In an idle program it costs a third of a timer of package time.
// Such a timer also wakes the runtime's monitor thread, and a second thread that looks for more work.
type kernelTimer struct {
	file    *os.File
	conn    syscall.RawConn
	expired func(fd uintptr) bool // the method hasExpired; a method value allocates

	mu     sync.Mutex // guards fd against the end of the file
	fd     uintptr
	closed bool
}

// newTimer returns a kernelTimer, or a timer of Go if the system gives no descriptor.
func newTimer() timer {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return newGoTimer()
	}
	t := &kernelTimer{file: os.NewFile(uintptr(fd), "timerfd"), fd: uintptr(fd)}
	if t.file.SetReadDeadline(time.Time{}) != nil { // Go's poller did not take it, so wait could not wait
		t.close()
		return newGoTimer()
	}
	t.conn, _ = t.file.SyscallConn() // fails only for a nil file
	t.expired = t.hasExpired
	return t
}

func (t *kernelTimer) set(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
	// It fails only for a bad argument. Go's scheduler does not see this call, and need not: the call does not wait.
	_, _, _ = syscall.RawSyscall6(unix.SYS_TIMERFD_SETTIME, t.fd, 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
}

func (t *kernelTimer) wait() bool { return t.conn.Read(t.expired) == nil }

// hasExpired reports whether the timer has expired since the last call. It does not wait.
func (t *kernelTimer) hasExpired(fd uintptr) bool {
	var count uint64
	_, _, errno := syscall.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&count)), unsafe.Sizeof(count))
	return errno == 0
}

func (t *kernelTimer) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	_ = t.file.Close() // nothing was written
}
