package process

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// DefaultGrace is the default of Spec.Grace, the time from the end of stdin to SIGTERM. Engines save profiles, books
	// and caches in this time.
	DefaultGrace = 2 * time.Second
	// DefaultTermGrace is the default of Spec.TermGrace, the time from SIGTERM to SIGKILL.
	DefaultTermGrace = 300 * time.Millisecond

	// killWait is how long Close waits after SIGKILL. It is the time in which an engine of 100 GB returns its
	// memory at 1 GB/s, plus a reserve for busy CPUs. With 4 KiB pages an idle Linux 6 frees 25 GB/s
	// (measured with 4 GB). Servers with terabytes free less than 5 GB/s (Aaron Lu, linux-mm, March 2017:
	// several terabytes in more than ten minutes). Close waits only until the process is dead.
	killWait = 2 * time.Minute
	// lingerWait limits the wait for the other members of the group, and for the last bytes of stderr, after
	// the leader's death.
	lingerWait = 100 * time.Millisecond
	// diagnosisWait is how long Exit waits for the exit status of a process that seems to end. On a busy
	// machine the kernel closes the pipes long before it reports the death.
	diagnosisWait = 3 * time.Second
	// statusWait is how long ExitStatus waits for the status of a process that may still run, and how long
	// Exit waits for the end of stderr.
	statusWait = 200 * time.Millisecond
)

// Spec describes a process to start.
type Spec struct {
	Command []string // program and arguments, without a shell; a name without a slash is searched in PATH
	Dir     string   // working directory, also the base of a relative Command[0] with a slash; "": the parent's directory
	Env     []string // KEY=VALUE, added to the parent's environment without this program's secrets; these override it
	CPUs    []int    // logical CPUs to run on, 0..1023; nil: the parent's

	// Files are open files that the process gets as descriptors 3 and so on; nil: none. The caller closes them after
	// Start. Windows does not support them. The process gets no other descriptor, also none that this program
	// inherited.
	Files []*os.File

	Grace     time.Duration // time from the end of stdin to SIGTERM; 0: DefaultGrace
	TermGrace time.Duration // time from SIGTERM to SIGKILL; 0: DefaultTermGrace

	// Cut, if not nil, is called when the process did not end within Grace and Close is about to end it.
	Cut func()
}

// Process is a started engine. It is an io.ReadWriteCloser: Read reads the child's stdout, and Write writes
// to its stdin. One goroutine may read while another writes. All other methods are safe for concurrent use.
// The code that starts a Process must Close it, even if the engine ended by itself.
type Process struct {
	grace, termGrace time.Duration
	cut              func() // may be nil

	cmd    *exec.Cmd // only own uses it; after done all goroutines may use its ProcessState
	pid    int       // process number of the leader
	tree   tree      // the leader and all processes that it started
	cpus   []int     // the CPUs that it was bound to at its start; empty: any
	stdin  *pipeEnd  // our write end
	stdout *pipeEnd  // our read end
	stderr *os.File  // our read end, read and closed by drain
	errors tail      // the end of stderr

	deaf    atomic.Bool // a Write found that the child closed stdin, so the child is probably ending
	mute    atomic.Bool // a Read found that the child closed stdout
	escaped atomic.Bool // the leader has ended, so a read deadline of stdout means the end of output

	mu     sync.Mutex // held while pid must stay valid (to signal, to reap, to read /proc), and to set stdout's deadline
	reaped bool
	waits  waits
	stops  stops

	left atomic.Int64 // for Read only: number of bytes that it may still read after the leader's end

	done    chan struct{} // carries no values; own closes it when the leader has been reaped
	drained chan struct{} // carries no values; drain closes it when stderr has ended

	closing  sync.Once
	closeErr error
}

// Start starts a process in its own group and reports the group to guard. Without a guard (nil), the children
// of a wrapper script survive if gogi is killed. If the guard has died, Start fails and nothing runs. Start
// retries for five seconds while the program file is open for writing. Use Patiently to wait for free file
// descriptors.
func Start(spec Spec, guard *Guard) (*Process, error) {
	if err := spec.check(); err != nil {
		return nil, fmt.Errorf("process: %w", err)
	}
	return startWhenFree(spec, guard)
}

func startOnce(spec Spec, guard *Guard) (*Process, error) {
	p := &Process{
		grace:     cmp.Or(spec.Grace, DefaultGrace),
		termGrace: cmp.Or(spec.TermGrace, DefaultTermGrace),
		cut:       spec.Cut,
		cmd:       spec.with(guard.marks()).cmd(),
		cpus:      spec.CPUs,
		done:      make(chan struct{}),
		drained:   make(chan struct{}),
	}
	if err := p.start(spec.CPUs, guard); err != nil {
		return nil, fmt.Errorf("process: starting %s: %w", spec.Command[0], explain(p.cmd, err))
	}
	go p.drain()
	return p, nil
}

// start makes the pipes and starts own. If it fails, no goroutine, descriptor or process remains.
func (p *Process) start(cpus []int, guard *Guard) error {
	ours, theirs, err := makePipes()
	if err != nil {
		return err
	}
	defer closeAll(theirs)
	p.stdin, p.stdout, p.stderr = newPipeEnd(ours[0]), newPipeEnd(ours[1]), ours[2]
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]

	// own sends exactly one value and never closes the channel. The capacity is 1, so that own never waits
	// for a receiver.
	started := make(chan error, 1)
	go p.own(cpus, guard, started)
	if err := <-started; err != nil {
		<-p.done
		closeAll(ours)
		p.tree.forget()
		return err
	}
	return nil
}

// own starts the child process and sends the result to started. Then it waits for the end of the process and reaps
// it. It runs in its own goroutine.
func (p *Process) own(cpus []int, guard *Guard, started chan<- error) {
	defer close(p.done)
	if err := onStarter(func() error { return p.launch(cpus) }); err != nil {
		started <- err
		return
	}
	err := guard.add(p.pid)
	if err != nil {
		p.Kill()
	}
	started <- err

	p.awaitExit()
	p.Kill() // kills the rest of the group; the zombie of the leader still reserves the group's number
	// The guard must remove the number before the system can reuse it. All members have already received
	// SIGKILL.
	guard.remove(p.pid)
	p.reap()
}

// reap removes the leader's zombie; afterwards the number of the leader is invalid.
func (p *Process) reap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	// The error only means that the exit status is not 0; Exit reports the status.
	_ = p.cmd.Wait()
	p.reaped = true
	p.stops.close()
	p.endOutput()
}

// endOutput sets a deadline for output soon after the leader's end, because a process that left the group (by
// setsid) may still have stdout open. The content of the pipe stays readable, see rest.
func (p *Process) endOutput() {
	p.left.Store(pipeSize(p.stdout.File))
	p.escaped.Store(true)
	// A pipe without deadlines ends by itself, or with Close.
	_ = p.stdout.SetReadDeadline(time.Now().Add(escapedWait))
}

// escapedWait is how long a Read still waits for output after the leader's end.
const escapedWait = 500 * time.Millisecond

// withTree calls do with the process group, unless the leader has been reaped.
func (p *Process) withTree(do func(tree)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		do(p.tree)
	}
}

// PID returns the number of the started process (the leader), which is also the number of its process group.
// When the channel Done is closed, another process may have this number.
func (p *Process) PID() int { return p.pid }

// Done returns a channel that is closed when the started process (the leader) has ended, its group was killed
// and the leader was reaped. Output that it wrote before can still be read.
func (p *Process) Done() <-chan struct{} { return p.done }

// Read reads the child's stdout. If the started process has ended, or all processes of its group have closed
// stdout, Read returns the remaining output and then io.EOF. Other errors wrap os.ErrDeadlineExceeded, or
// os.ErrClosed after Close.
func (p *Process) Read(b []byte) (int, error) {
	n, err := p.stdout.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) && p.escaped.Load() {
		n, err = p.rest(b)
	}
	if errors.Is(err, io.EOF) {
		p.mute.Store(true)
		return n, io.EOF
	}
	return n, p.wrap("reading its stdout", err)
}

// rest reads the dead leader's output from the pipe without waiting. It is needed because an os.File returns
// nothing after a deadline, even if there is data. At the leader's end the pipe held at most its capacity. So
// a process that still writes cannot prevent the end of output.
func (p *Process) rest(b []byte) (n int, err error) {
	b = b[:min(int64(len(b)), p.left.Load())]
	if len(b) == 0 {
		return 0, io.EOF
	}
	if n, err = readNow(p.stdout.File, b); err != nil {
		return 0, err
	}
	p.left.Add(-int64(n))
	return n, nil
}

// Write writes to the child's stdin. The error wraps syscall.EPIPE if no process reads stdin any more, and
// os.ErrClosed after Close. It wraps os.ErrDeadlineExceeded if the pipe had no space for everything before
// the deadline; then n bytes were written.
func (p *Process) Write(b []byte) (n int, err error) {
	n, err = p.stdin.Write(b)
	if nobodyReads(err) {
		err = syscall.EPIPE
		p.deaf.Store(true)
	}
	return n, p.wrap("writing its stdin", err)
}

// SetReadDeadline sets the time at which a Read gives up, also a Read that already waits. The zero time means
// no limit. The call has no effect after the started process has ended.
func (p *Process) SetReadDeadline(t time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return nil
	}
	return p.wrap("setting its read deadline", p.stdout.SetReadDeadline(t))
}

// SetWriteDeadline sets the time at which a Write gives up that waits for space in the pipe, also a Write that already
// waits. The zero time means no limit.
func (p *Process) SetWriteDeadline(t time.Time) error {
	return p.wrap("setting its write deadline", p.stdin.SetWriteDeadline(t))
}

// Kill kills the whole process group at once. Use it for an engine that does not answer. Kill does not wait
// for the end. The caller must still call Close, which then returns soon.
func (p *Process) Kill() { p.withTree(tree.kill) }

// Close ends the process and its group and waits for their end. It closes stdin, waits Spec.Grace, sends
// SIGTERM to the group, waits Spec.TermGrace, and sends SIGKILL. (The caller may first send the line "quit".)
//
// Close returns as soon as the engine has ended. It takes at most about Grace + TermGrace plus the time that
// the kernel needs to kill the process: milliseconds, or perhaps a minute for a hundred gigabytes of memory.
// Close is safe for concurrent use; every call waits for the end and returns the same result. The exit status
// of the engine is not an error, see Exit. Close returns an error only if the process still exists two
// minutes after SIGKILL. The guard then still knows the process, and a goroutine of this package reaps it
// when it ends.
//
// Close drops output that was not read. A caller that needs the output must read until io.EOF at the same
// time.
func (p *Process) Close() error {
	p.closing.Do(func() { p.closeErr = p.end() })
	return p.closeErr
}

func (p *Process) end() error {
	// Our side has no buffer, so closing cannot lose anything.
	_ = p.stdin.Close()
	err := p.endLeader()
	p.awaitGroup()
	p.awaitStderr()
	_ = p.stdout.Close()
	p.tree.forget()
	return err
}

// endLeader waits for the end of the leader. It sends SIGTERM after grace, and SIGKILL after termGrace.
func (p *Process) endLeader() error {
	if within(p.grace, p.done) {
		return nil
	}
	if p.cut != nil {
		p.cut()
	}
	asked := false
	p.withTree(func(t tree) { asked = t.askToEnd() })
	if asked && within(p.termGrace, p.done) {
		return nil
	}
	p.Kill()
	if within(killWait, p.done) {
		return nil
	}
	return fmt.Errorf("process %d: still there %v after SIGKILL", p.pid, killWait)
}

// awaitGroup waits until the killed group is empty. No event reports this, so it polls. The wait is short,
// because a zombie counts as a member, and stays if init does not reap it.
func (p *Process) awaitGroup() {
	limit := time.NewTimer(lingerWait)
	defer limit.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for p.tree.lives() {
		select {
		case <-tick.C:
		case <-limit.C:
			return
		}
	}
}

// wrap adds the number of the process and the failed operation doing to err. It removes the pipe's name, which is
// "|0" in package os. It returns nil for nil.
func (p *Process) wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("process %d: %s: %w", p.pid, doing, err)
}

// within reports whether done is closed within d.
func within(d time.Duration, done <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// LookPath returns the path of a program that a shell would start for the word name: the word itself if it has a slash,
// or a file in the folders of the variable PATH. It starts nothing. It returns an error if there is no such program.
func LookPath(name string) (string, error) { return exec.LookPath(name) }
