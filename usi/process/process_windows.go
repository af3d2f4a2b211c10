package process

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree is a job object: the leader and all its descendants. No process can leave a job that does not allow
// this. All processes of a job die when its last handle is closed, even if the owner of the handle was
// killed: JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE (Microsoft, "Job Objects").
type tree windows.Handle

// newTree makes a job with one handle, which no child inherits.
func newTree(flags uint32) (tree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("making a job object: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | flags
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return 0, errors.Join(fmt.Errorf("setting the limits of a job object: %w", err), windows.CloseHandle(job))
	}
	return tree(job), nil
}

// EndTogether makes Windows kill a child, and what the child starts, when this process ends in any way.
func EndTogether(child *os.Process) error {
	job, err := newTree(0)
	if err != nil {
		return err
	}
	gone := child.WithHandle(func(process uintptr) { // the job stays open as long as this process runs
		err = windows.AssignProcessToJobObject(windows.Handle(job), windows.Handle(process))
	})
	return errors.Join(gone, err)
}

// killed is the exit status of processes that gogi kills, as after Ctrl-C: STATUS_CONTROL_C_EXIT.
const killed = uint32(windows.STATUS_CONTROL_C_EXIT)

// kill kills all processes of the job. It cannot fail while we own the job.
func (t tree) kill() { _ = windows.TerminateJobObject(windows.Handle(t), killed) }

// askToEnd returns false, because only the end of stdin can ask an engine to end. Console events reach only
// processes of our console, and engines do not share it.
func (t tree) askToEnd() bool { return false }

// lives reports whether the job has running members.
func (t tree) lives() bool {
	a, err := t.accounting()
	return err == nil && a.ActiveProcesses > 0
}

// forget closes the job, which kills its members.
func (t tree) forget() {
	if t != 0 {
		_ = windows.CloseHandle(windows.Handle(t)) // the handle is valid
	}
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	TotalUserTime, TotalKernelTime           int64 // in 100 ns, including ended members
	ThisPeriodUserTime, ThisPeriodKernelTime int64
	TotalPageFaultCount, TotalProcesses      uint32
	ActiveProcesses, TerminatedProcesses     uint32
}

func (t tree) accounting() (a accounting, err error) {
	err = windows.QueryInformationJobObject(windows.Handle(t), windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&a)), uint32(unsafe.Sizeof(a)), nil)
	return a, err
}

// launch starts the child suspended, so that it has its job and its CPUs before its first instruction. The
// child has its own hidden console. So neither Ctrl-C nor the closing of our window reaches the child, and it
// cannot change our console's code page.
func (p *Process) launch(cpus []int) error {
	job, err := newTree(0)
	if err != nil {
		return err
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP,
	}
	if err := p.cmd.Start(); err != nil {
		job.forget()
		return err
	}
	p.pid, p.tree = p.cmd.Process.Pid, job
	if err := p.settle(cpus); err != nil {
		_ = p.cmd.Process.Kill() // it has not started to run
		_ = p.cmd.Wait()         // the exit status is the one that Kill set
		return err
	}
	return nil
}

// settle puts the suspended child into its job, binds it to its CPUs, and lets it run.
func (p *Process) settle(cpus []int) error {
	var err error
	gone := p.cmd.Process.WithHandle(func(process uintptr) {
		if err = windows.AssignProcessToJobObject(windows.Handle(p.tree), windows.Handle(process)); err == nil {
			err = bind(p.tree, windows.Handle(process), cpus)
		}
	})
	if err = errors.Join(gone, err); err != nil {
		return err
	}
	leader := func(pid uint32) bool { return pid == uint32(p.pid) }
	return eachThread(leader, windows.THREAD_SUSPEND_RESUME, func(thread windows.Handle) error {
		_, err := windows.ResumeThread(thread)
		return err
	})
}

// eachThread opens each thread of the chosen processes and calls do with it.
func eachThread(chosen func(pid uint32) bool, access uint32, do func(windows.Handle) error) error {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("looking for threads: %w", err)
	}
	defer windows.CloseHandle(all) //nolint:errcheck // it is ours
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(all, &entry); err == nil; err = windows.Thread32Next(all, &entry) {
		if !chosen(entry.OwnerProcessID) {
			continue
		}
		thread, err := windows.OpenThread(access, false, entry.ThreadID)
		if err != nil {
			return fmt.Errorf("opening a thread: %w", err)
		}
		if err := errors.Join(do(thread), windows.CloseHandle(thread)); err != nil {
			return err
		}
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return fmt.Errorf("looking for threads: %w", err)
	}
	return nil
}

// onStarter calls do and returns its error. This system needs no certain thread for it.
func onStarter(do func() error) error { return do() }

// awaitExit returns when the leader has ended. Our handle reserves the leader's number until it is reaped.
func (p *Process) awaitExit() {
	_ = p.cmd.Process.WithHandle(func(process uintptr) { // fails if there is no process to wait for
		_, _ = windows.WaitForSingleObject(windows.Handle(process), windows.INFINITE)
	})
}

// nobodyReads reports whether a write failed because the other end is closed.
func nobodyReads(err error) bool {
	return errors.Is(err, windows.ERROR_NO_DATA) || errors.Is(err, windows.ERROR_BROKEN_PIPE) ||
		errors.Is(err, windows.ERROR_PIPE_NOT_CONNECTED)
}

// pipeRoom is the capacity of a pipe in bytes, as on Linux.
const pipeRoom = 64 << 10

// pipeSize returns the capacity of a pipe in bytes.
func pipeSize(*os.File) int64 { return pipeRoom }

// inPipe returns the number of bytes that can be read from a pipe now.
func inPipe(pipe *os.File) (n uint32, err error) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return 0, err
	}
	closed := raw.Control(func(h uintptr) { n, err = peek(windows.Handle(h)) })
	return n, errors.Join(closed, err)
}

func peek(pipe windows.Handle) (available uint32, err error) {
	ok, _, err := peekNamedPipe.Call(uintptr(pipe), 0, 0, 0, uintptr(unsafe.Pointer(&available)), 0)
	if ok == 0 {
		return 0, err
	}
	return available, nil
}

// readNow reads the bytes that are in a pipe now. It does not wait; if the pipe is empty, it returns io.EOF. A deadline
// in the past would prevent this read too, so readNow first removes the deadline.
func readNow(pipe *os.File, b []byte) (int, error) {
	there, err := inPipe(pipe)
	if errors.Is(err, windows.ERROR_BROKEN_PIPE) || err == nil && there == 0 {
		return 0, io.EOF
	}
	if err != nil {
		return 0, err
	}
	if err := pipe.SetReadDeadline(time.Time{}); err != nil {
		return 0, err
	}
	n, err := pipe.Read(b[:min(len(b), int(there))])
	return n, errors.Join(err, pipe.SetReadDeadline(time.Now()))
}

// makePipes makes pipes for the child's stdin, stdout and stderr. It returns both ends of each, in this
// order. The pipes of os.Pipe have no deadlines, so these are named pipes with random names. The child's end
// is the server's end. Our end is the only possible client, opened for overlapped access.
func makePipes() (ours, theirs [3]*os.File, err error) {
	for i := range ours {
		if ours[i], theirs[i], err = makePipe(i == 0); err != nil {
			closeAll(ours)
			closeAll(theirs)
			return ours, theirs, fmt.Errorf("making a pipe: %w", err)
		}
	}
	return ours, theirs, nil
}

// makePipe makes a pipe. This program writes to it if write is true, else it reads from it.
func makePipe(write bool) (ours, theirs *os.File, err error) {
	name := `\\.\pipe\gogi-` + rand.Text()
	text, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, nil, err
	}
	direction, mode := uint32(windows.PIPE_ACCESS_OUTBOUND), os.O_RDONLY
	if write {
		direction, mode = windows.PIPE_ACCESS_INBOUND, os.O_WRONLY
	}
	child, err := windows.CreateNamedPipe(text, direction|windows.FILE_FLAG_FIRST_PIPE_INSTANCE,
		windows.PIPE_TYPE_BYTE|windows.PIPE_WAIT|windows.PIPE_REJECT_REMOTE_CLIENTS, 1, pipeRoom, pipeRoom, 0, nil)
	if err != nil {
		return nil, nil, err
	}
	theirs = os.NewFile(uintptr(child), name)
	if ours, err = os.OpenFile(name, mode|windows.FILE_FLAG_OVERLAPPED, 0); err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return ours, theirs, nil
}

// mayEnter returns nil, because Windows checks the access to a working directory when it starts the program.
func mayEnter(string) error { return nil }

// explainFile returns the reason why the system did not execute file; err is the system's error.
func explainFile(file string, err error) error {
	info, serr := os.Stat(file)
	switch {
	case serr != nil:
		return cause(serr)
	case info.IsDir():
		return syscall.EISDIR
	case errors.Is(err, windows.ERROR_BAD_EXE_FORMAT), errors.Is(err, windows.ERROR_EXE_MACHINE_TYPE_MISMATCH):
		return fmt.Errorf("not a program for this machine: %w", err)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, windows.ERROR_FILE_NOT_FOUND):
		return fmt.Errorf("the file exists, but has none of the endings of programs (.exe, .bat, .cmd): %w", err)
	}
	return err
}

// Guard represents the job object that contains this program and all its children. If this program ends,
// Windows kills the children in the job, even those that do not have a job of their own yet.
type Guard struct{}

// ours makes the job of this program once. When this program ends or is killed, the only handle of the job closes. A
// child that must survive can leave the job (CREATE_BREAKAWAY_FROM_JOB). Engines cannot, because their own jobs do not
// allow it.
var ours = sync.OnceValue(func() error {
	job, err := newTree(windows.JOB_OBJECT_LIMIT_BREAKAWAY_OK)
	if err != nil {
		return err
	}
	return windows.AssignProcessToJobObject(windows.Handle(job), windows.CurrentProcess())
})

// StartGuard creates the job object for this program, so that no child outlives it. It ignores both
// arguments, because Windows needs no guard process.
func StartGuard([]string, func(GuardChange)) (*Guard, error) {
	if err := ours(); err != nil {
		return nil, fmt.Errorf("process: guard: %w", err)
	}
	return &Guard{}, nil
}

// Close does nothing, because the job object ends with this program.
func (g *Guard) Close() error { return nil }

func (g *Guard) add(int) error { return nil }

func (g *Guard) remove(int) {}

// ServeGuard returns an error, because Windows needs no guard process.
func ServeGuard(io.Reader) error {
	return errors.New("process: guard: on Windows a job object is the guard, and no process")
}

// marks returns nil, because a job object contains all descendants of an engine.
func (g *Guard) marks() []string { return nil }

// isBusy reports whether another program has the file open, such as a virus scanner.
func isBusy(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }

func isScarce(err error) bool { return errors.Is(err, windows.ERROR_TOO_MANY_OPEN_FILES) }

// readProc returns an error, because Windows has no /proc.
func readProc(name string) ([]byte, error) { return os.ReadFile(name) }
