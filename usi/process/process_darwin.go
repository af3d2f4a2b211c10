package process

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gogi/usi/affinity"
)

// launch forks the child into its own group. There is no death signal: if the runner is killed, the guard
// kills all groups.
func (p *Process) launch(cpus []int) error {
	if len(cpus) > 0 {
		return fmt.Errorf("CPUs %v: %w", cpus, errNoBinding)
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	closeInherited()
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.pid = p.cmd.Process.Pid
	p.tree = tree(p.pid)
	return nil
}

// onStarter calls do and returns its error. This system needs no certain thread for it.
func onStarter(do func() error) error { return do() }

// awaitExit returns when the leader has ended, and leaves it unreaped. waitid would also return for a suspended child
// (golang/go#19314), so awaitExit waits for an event of kqueue(2), EVFILT_PROC. The kernel returns ESRCH if the
// process has already ended.
func (p *Process) awaitExit() {
	queue, err := unix.Kqueue()
	if err != nil {
		p.pollExit()
		return
	}
	defer unix.Close(queue) //nolint:errcheck // the file was not written
	unix.CloseOnExec(queue)
	event := make([]unix.Kevent_t, 1)
	unix.SetKevent(&event[0], p.pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	event[0].Fflags = unix.NOTE_EXIT
	_, err = unix.Kevent(queue, event, nil, nil)
	for err == nil {
		var n int
		if n, err = unix.Kevent(queue, nil, event, nil); n > 0 {
			return
		}
		if errors.Is(err, unix.EINTR) {
			err = nil
		}
	}
}

// pollExit polls for the end of the leader if no file descriptor is free for events. It reads the state from
// the kernel's process table, sysctl(3) kern.proc.pid.
func (p *Process) pollExit() {
	for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
		info, err := unix.SysctlKinfoProc("kern.proc.pid", p.pid)
		if err != nil || info.Proc.P_stat == zombie {
			return
		}
	}
}

// zombie has the value of SZOMB in sys/proc.h.
const zombie = 5

// pipeSize returns the maximum capacity of a pipe in bytes. XNU's pipes grow from 16 to 64 KiB, sys/pipe.h
// (BIG_PIPE_SIZE).
func pipeSize(*os.File) int64 { return 64 << 10 }

// errNoBinding means that macOS cannot bind a program to CPUs. It only accepts hints (thread_policy_set(3),
// THREAD_AFFINITY_POLICY), and none on Apple's own processors.
var errNoBinding = errors.New("macOS binds no program to CPUs")

// Allowed returns an error, because macOS cannot bind a program to CPUs.
func Allowed() (affinity.Set, error) { return nil, fmt.Errorf("process: %w", errNoBinding) }

// mayRunOn returns nil, because the CPUs are unknown.
func (p *Process) mayRunOn() affinity.Set { return nil }

// killMarked does nothing, because macOS has no /proc.
func killMarked(string) {}

// readProc returns an error, because macOS has no /proc.
func readProc(name string) ([]byte, error) { return os.ReadFile(name) }
