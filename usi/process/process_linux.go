package process

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// launch pins the calling thread and forks the child from it, into its own group.
func (p *Process) launch(cpus []int) error {
	if err := pin(cpus); err != nil {
		return err
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	closeInherited()
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.pid = p.cmd.Process.Pid
	p.tree = tree(p.pid)
	return nil
}

// awaitExit returns when the leader has ended, and leaves it unreaped.
func (p *Process) awaitExit() {
	for {
		err := unix.Waitid(unix.P_PID, p.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
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
