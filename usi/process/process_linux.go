package process

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// launch forks the child from the calling thread, on the given CPUs and into its own group. The caller is the starter.
func (p *Process) launch(cpus []int) error {
	unpin, err := pin(cpus)
	if err != nil {
		return err
	}
	defer unpin()
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	closeInherited()
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.pid = p.cmd.Process.Pid
	p.tree = tree(p.pid)
	return nil
}

// starter is the thread that forks all engines. The kernel sends an engine its death signal when the thread that forked
// it ends, not only when this program ends (PR_SET_PDEATHSIG in prctl(2)). So this thread never ends. One thread for
// each engine would do as well, but each thread costs memory, and MaxSchedDelay samples them all.
var starter = sync.OnceValue(func() chan<- func() {
	jobs := make(chan func()) // never closed
	go func() {
		runtime.LockOSThread()
		for job := range jobs {
			job()
		}
	}()
	return jobs
})

// onStarter calls do on the starter thread and returns its error.
func onStarter(do func() error) error {
	result := make(chan error, 1) // receives one error; never closed
	starter() <- func() { result <- do() }
	return <-result
}

// awaitExit returns when the leader has ended, and leaves it unreaped.
func (p *Process) awaitExit() {
	if !p.awaitDescriptor() {
		p.awaitOnThread()
	}
}

// awaitOnThread does the work of awaitExit. It occupies a thread while it waits.
func (p *Process) awaitOnThread() {
	for {
		err := unix.Waitid(unix.P_PID, p.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// awaitDescriptor waits for the leader's end in Go's poller, so the wait needs no thread. It returns false if that is
// impossible: Linux before 5.3 has no pidfd_open(2), a sandbox forbids it, or no descriptor is free.
func (p *Process) awaitDescriptor() bool {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil {
		return false
	}
	if unix.SetNonblock(fd, true) != nil { // os.NewFile adds only such descriptors to the poller
		_ = unix.Close(fd)
		return false
	}
	file := os.NewFile(uintptr(fd), "pidfd")
	defer file.Close() //nolint:errcheck // nothing was written
	raw, err := file.SyscallConn()
	if err != nil {
		return false
	}
	return raw.Read(func(uintptr) bool { return hasEnded(p.pid) }) == nil
}

// hasEnded reports whether a child has ended. It does not wait, and does not reap the child. It returns true if there
// is no such child.
func hasEnded(pid int) bool {
	var info unix.Siginfo
	_, err := uninterrupted(func() (int, error) {
		return 0, unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
	})
	return err != nil || info.Signo != 0
}

// pipeSize returns the capacity of a pipe in bytes.
func pipeSize(pipe *os.File) (size int64) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return 0 // the pipe is closed, so nothing reads it
	}
	_ = raw.Control(func(fd uintptr) { // fails as above
		n, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0)
		if err != nil {
			n = defaultPipeSize
		}
		size = int64(n)
	})
	return size
}

// defaultPipeSize is the capacity of a new pipe on Linux: 16 pages, pipe(7).
const defaultPipeSize = 64 << 10
