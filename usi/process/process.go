package process

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// DefaultGrace is how long Close waits after closing stdin.
	DefaultGrace = 500 * time.Millisecond
	// DefaultTermGrace is how long Close waits after SIGTERM.
	DefaultTermGrace = 300 * time.Millisecond

	// killWait is how long Close waits after SIGKILL: as long as an engine of
	// 100 GB may take to give its memory back, at 1 GB/s, and some more. In pages
	// of 4 KiB an idle Linux 6 gives back 25 GB/s (measured with 4 GB); of
	// servers with terabytes less than 5 GB/s is told (Aaron Lu, linux-mm, March
	// 2017: several terabytes, more than ten minutes); the rest is for CPUs that
	// other engines keep busy. It costs time only where something is dying.
	killWait = 2 * time.Minute
	// lingerWait bounds the wait for what follows the leader's death: the
	// other members of its group, the last bytes of stderr.
	lingerWait = 100 * time.Millisecond
	// diagnosisWait is how long Exit waits for the exit status of what seems to be
	// ending: on a busy machine the kernel closes the pipes long before it tells
	// of the death.
	diagnosisWait = 3 * time.Second
	// statusWait is how long ExitStatus waits for it, of what may well go on, and
	// Exit for the last words of the dead.
	statusWait = 200 * time.Millisecond
)

// Spec says what to start and how.
type Spec struct {
	Command []string // program and arguments; no shell. A name without a slash is looked up in PATH
	Dir     string   // working directory, also the base of a relative Command[0] with a slash; "": the parent's
	Env     []string // KEY=VALUE, added to the parent's environment and winning over it
	CPUs    []int    // logical CPUs to run on, 0..1023; nil: inherit the parent's

	Grace     time.Duration // from Close's end of stdin to SIGTERM; 0: DefaultGrace
	TermGrace time.Duration // from SIGTERM to SIGKILL; 0: DefaultTermGrace
}

// Process is a started engine: an io.ReadWriteCloser whose Read is the child's
// stdout and whose Write is its stdin. One goroutine may read while another
// writes; every other method may be called from any goroutine at any time.
// Whoever starts a Process must Close it, even if the engine ended by itself.
type Process struct {
	grace, termGrace time.Duration

	cmd    *exec.Cmd // touched by own alone; its ProcessState by all once done is closed
	pid    int       // the leader's
	tree   tree      // all that it has started, too
	cpus   []int     // that it was started on; none: any
	stdin  *os.File  // our write end
	stdout *os.File  // our read end
	stderr *os.File  // our read end, read and closed by drain
	said   tail      // the last of what came from stderr

	deaf    atomic.Bool // the child was seen to have closed its stdin, so it is probably ending
	mute    atomic.Bool // the same of its stdout
	escaped atomic.Bool // the leader has ended: a deadline of stdout is the end of what it can still say

	mu     sync.Mutex // held while pid must stay ours: to signal, to reap, to read /proc; and to set stdout's deadline
	reaped bool
	waits  waits
	stops  stops

	left atomic.Int64 // of Read alone: bytes that it may still take once the leader's output has been ended

	done    chan struct{} // nothing is sent; own closes it when the leader has been reaped
	drained chan struct{} // nothing is sent; drain closes it when stderr has ended

	closing  sync.Once
	closeErr error
}

// Start starts a process in a group of its own, and tells guard of it. guard
// may be nil; then a runner that is killed leaves behind what the engine's
// wrapper started. If the guard has died, Start fails and nothing runs. A program that is
// open for writing is tried for five seconds. Patiently waits for scarce descriptors.
func Start(spec Spec, guard *Guard) (*Process, error) {
	if err := spec.check(); err != nil {
		return nil, fmt.Errorf("process: %w", err)
	}
	return startWhenFree(spec, guard)
}

func startOnce(spec Spec, guard *Guard) (*Process, error) {
	p := &Process{
		grace:     orDefault(spec.Grace, DefaultGrace),
		termGrace: orDefault(spec.TermGrace, DefaultTermGrace),
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

// start makes the pipes and launches own. When it fails, no goroutine,
// descriptor or process is left.
func (p *Process) start(cpus []int, guard *Guard) error {
	ours, theirs, err := makePipes()
	if err != nil {
		return err
	}
	defer closeAll(theirs)
	p.stdin, p.stdout, p.stderr = ours[0], ours[1], ours[2]
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]

	// own sends exactly one value and never closes it. Capacity 1: own must
	// not depend on anybody listening.
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

// own is the goroutine and the thread of the child's whole life.
func (p *Process) own(cpus []int, guard *Guard, started chan<- error) {
	defer close(p.done)
	runtime.LockOSThread()
	if len(cpus) == 0 {
		defer runtime.UnlockOSThread() // else the pinned thread ends with this goroutine
	}
	if err := p.launch(cpus); err != nil {
		started <- err
		return
	}
	err := guard.add(p.pid)
	if err != nil {
		p.Kill()
	}
	started <- err

	p.awaitExit()
	p.Kill() // what the leader leaves behind; its zombie still holds the group's number
	// The guard is told before the number is given up, so that it never holds
	// one that may be reused. The members have their SIGKILL already.
	guard.remove(p.pid)
	p.reap()
}

// reap collects the leader's zombie; from here on its number means nothing.
func (p *Process) reap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	// The error only says that the exit status is not 0; Exit tells it.
	_ = p.cmd.Wait()
	p.reaped = true
	p.endOutput()
}

// endOutput ends the waiting for output, soon after the leader's end, where
// somebody who has left the group (by setsid) still holds its stdout open. What
// is in the pipe can be read at any time, see rest.
func (p *Process) endOutput() {
	p.left.Store(pipeSize(p.stdout))
	p.escaped.Store(true)
	// A pipe that cannot have a deadline ends by itself, or with Close.
	_ = p.stdout.SetReadDeadline(time.Now().Add(escapedWait))
}

// escapedWait is how long a Read still waits after the leader's end.
const escapedWait = 500 * time.Millisecond

// tell gives an order to the whole group, unless it is gone.
func (p *Process) tell(order func(tree)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		order(p.tree)
	}
}

// PID is the leader's process number, which is also its group's. After Done it
// may belong to somebody else.
func (p *Process) PID() int { return p.pid }

// Done is closed when the leader has ended and been reaped. Its group has been
// killed then, and what it wrote before can still be read.
func (p *Process) Done() <-chan struct{} { return p.done }

// Read reads the child's stdout. It returns io.EOF, after everything that was
// written, however late it is read, when the leader has ended or the whole group
// has closed its stdout; and an error that wraps os.ErrDeadlineExceeded or
// os.ErrClosed (after Close).
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

// rest reads what a dead leader left in the pipe, without waiting: behind a
// deadline an os.File gives nothing, not even what is there. At the leader's end
// that was one pipe full at most; so somebody who lives on, and goes on writing,
// cannot keep the end away.
func (p *Process) rest(b []byte) (n int, err error) {
	b = b[:min(int64(len(b)), p.left.Load())]
	if len(b) == 0 {
		return 0, io.EOF
	}
	if n, err = readNow(p.stdout, b); err != nil {
		return 0, err
	}
	p.left.Add(-int64(n))
	return n, nil
}

// Write writes to the child's stdin. The error wraps syscall.EPIPE when nobody
// reads it any more, os.ErrDeadlineExceeded when the deadline passed before
// everything fitted into the pipe (n bytes did), and os.ErrClosed after Close.
func (p *Process) Write(b []byte) (n int, err error) {
	n, err = p.stdin.Write(b)
	if nobodyReads(err) {
		err = syscall.EPIPE
		p.deaf.Store(true)
	}
	return n, p.wrap("writing its stdin", err)
}

// SetReadDeadline sets when a Read, also one that is waiting, gives up. The
// zero time means never. After the leader's end there is nothing to wait for,
// and it changes nothing.
func (p *Process) SetReadDeadline(t time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return nil
	}
	return p.wrap("setting its read deadline", p.stdout.SetReadDeadline(t))
}

// SetWriteDeadline sets when a Write, also one that is waiting, gives up. The
// zero time means never.
func (p *Process) SetWriteDeadline(t time.Time) error {
	return p.wrap("setting its write deadline", p.stdin.SetWriteDeadline(t))
}

// Kill kills the whole group at once, for an engine that hangs. It does not
// wait; Close must still be called, and returns soon.
func (p *Process) Kill() { p.tell(tree.kill) }

// Close ends the process and its group, and waits until they are gone: it
// closes stdin, waits Grace, sends SIGTERM to the group, waits TermGrace, sends
// SIGKILL. (The line "quit" is the caller's to send before.) It takes at most
// about Grace + TermGrace plus what the kernel needs to kill (milliseconds; with
// a hundred gigabytes of memory to give back perhaps a minute), and is done as
// soon as the engine is. Every call, from any goroutine, waits for the end and
// returns the same. How the engine ended is no error, see Exit; the one error is
// a process that outlives SIGKILL by two minutes, stuck in the kernel: the guard
// keeps its number, and it is reaped when it does end. Output not read yet is
// lost: who wants it reads to io.EOF meanwhile.
func (p *Process) Close() error {
	p.closing.Do(func() { p.closeErr = p.end() })
	return p.closeErr
}

func (p *Process) end() error {
	// Nothing is buffered on our side, so closing cannot lose anything.
	_ = p.stdin.Close()
	err := p.endLeader()
	p.awaitGroup()
	p.awaitStderr()
	_ = p.stdout.Close()
	p.tree.forget()
	return err
}

// endLeader escalates until the leader has been reaped.
func (p *Process) endLeader() error {
	if p.ends(p.grace) {
		return nil
	}
	asked := false
	p.tell(func(t tree) { asked = t.askToEnd() })
	if asked && p.ends(p.termGrace) {
		return nil
	}
	p.Kill()
	if p.ends(killWait) {
		return nil
	}
	return fmt.Errorf("process %d: still there %v after SIGKILL", p.pid, killWait)
}

// ends reports whether the leader ends within d.
func (p *Process) ends(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.done:
		return true
	case <-t.C:
		return false
	}
}

// awaitGroup waits until the killed group has no members left. No event tells
// of it, so it asks. The wait is short because a zombie counts as a member, and
// stays one where init does not reap.
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

// wrap names the process in place of the pipe, which os calls "|0".
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

func orDefault(d, def time.Duration) time.Duration {
	if d == 0 {
		return def
	}
	return d
}
