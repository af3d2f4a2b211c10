//go:build unix

package process

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// guardWait bounds every wait for a guard: for a line to fit into its pipe,
// and for its end.
const guardWait = 2 * time.Second

// guardPace is how guards are replaced.
type guardPace struct {
	steady time.Duration // who lives so long works
	pause  time.Duration // before the next, where a new one has died or could not be started; doubled each time
	rarest time.Duration // the longest pause
}

var defaultPace = guardPace{steady: 10 * time.Second, pause: 100 * time.Millisecond, rarest: time.Minute}

// Guard is the runner's end of the guard process: one a run, in a session of
// its own. It is told the number of every group at its start and end. When the
// runner is gone, however it died, the guard reads the end of its pipe, kills
// every group that still lives, and ends. A guard that dies, or does not take what
// it is told, is replaced by another, which learns the groups that live. All methods
// may be called from any goroutine.
type Guard struct {
	command []string
	mark    string // in the environment of every engine and of the guard, see markKey
	tell    func(GuardChange)
	pace    guardPace

	mu     sync.Mutex   // one line at a time, as the deadline belongs to the pipe
	life   *guardLife   // nil: there is none
	groups map[int]bool // that live
	closed bool

	shut chan struct{} // nothing is sent; Close closes it
	done chan struct{} // nothing is sent; keep closes it when the last guard has been reaped
	err  error         // how the last one ended, where Close ended it; to be read after done

	closing  sync.Once
	closeErr error
}

// StartGuard starts the guard process. command is a program, with its
// arguments, that calls ServeGuard with its stdin: this binary's hidden verb.
// Its stderr is the runner's. tell, which may be nil, is called for each change, one
// at a time, from another goroutine; of a time without a guard it hears once.
func StartGuard(command []string, tell func(GuardChange)) (*Guard, error) {
	return startGuardAt(command, tell, defaultPace)
}

func startGuardAt(command []string, tell func(GuardChange), pace guardPace) (*Guard, error) {
	if err := (Spec{Command: command}).check(); err != nil {
		return nil, fmt.Errorf("process: guard: %w", err)
	}
	if tell == nil {
		tell = func(GuardChange) {}
	}
	mark := newMark()
	life, err := startLife(command, mark)
	if err != nil {
		return nil, fmt.Errorf("process: %w", err)
	}
	g := &Guard{
		command: command, mark: mark, tell: tell, pace: pace, life: life, groups: make(map[int]bool),
		shut: make(chan struct{}), done: make(chan struct{}),
	}
	go g.keep(life)
	return g, nil
}

// guardLife is one guard process.
type guardLife struct {
	cmd  *exec.Cmd
	pipe *os.File      // our write end: the only one, close-on-exec
	done chan struct{} // nothing is sent; wait closes it when the process has been reaped
	err  error         // how it ended; to be read after done
}

// markKey is the variable by which processes are known that an engine of a guard has
// started, whatever group or session they are in.
const markKey = "GOGI_GUARD"

// newMark is a mark that no other guard has.
func newMark() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	return markKey + "=" + hex.EncodeToString(random[:])
}

func startLife(command []string, mark string) (*guardLife, error) {
	cmd := Spec{Command: command, Env: []string{mark}}.cmd()
	// No Pdeathsig: its very purpose is to outlive us. The session of its own
	// keeps the terminal's signals away.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stderr = os.Stderr
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("guard: making a pipe: %w", err)
	}
	defer func() { _ = theirs.Close() }() // the child has its own
	cmd.Stdin = theirs
	if err := cmd.Start(); err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("starting the guard %s: %w", command[0], explain(cmd, err))
	}
	l := &guardLife{cmd: cmd, pipe: ours, done: make(chan struct{})}
	go l.wait()
	return l, nil
}

func (l *guardLife) wait() {
	defer close(l.done)
	l.err = l.cmd.Wait()
}

// say writes one line. It fails where the process is gone or does not read.
func (l *guardLife) say(sign string, pgid int) error {
	if err := l.pipe.SetWriteDeadline(time.Now().Add(guardWait)); err != nil {
		return err
	}
	_, err := l.pipe.WriteString(sign + strconv.Itoa(pgid) + "\n")
	return err
}

// kill ends a process that is of no use. Its pipe stays open until it is dead: at the
// pipe's end it would kill what it has been told of.
func (l *guardLife) kill() {
	_ = l.cmd.Process.Kill() // fails only if it has ended already
}

// keep is the goroutine that replaces guards until Close.
func (g *Guard) keep(life *guardLife) {
	defer close(g.done)
	var pause time.Duration // before another is started
	missing := false        // it was told that there is none
	for life != nil {
		if g.lasts(life) {
			if missing {
				g.tell(GuardChange{})
			}
			pause, missing = 0, false
		}
		<-life.done
		_ = life.pipe.Close() // nothing can be lost: nobody reads it
		if g.isClosed() {
			g.err = life.err
			return
		}
		life, pause, missing = g.replace(life, pause, missing)
	}
}

// lasts reports whether a guard lives long enough to be called one that works.
func (g *Guard) lasts(life *guardLife) bool {
	t := time.NewTimer(g.pace.steady)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-life.done:
	case <-g.shut:
	}
	return false
}

// replace starts another guard in the place of a dead one: at once, or after a pause
// where that one was new as well. It tries until Close, and returns nil then.
func (g *Guard) replace(dead *guardLife, pause time.Duration, missing bool) (*guardLife, time.Duration, bool) {
	died := dead.cmd.ProcessState.String()
	var why error
	if pause > 0 {
		why = errors.New("it was new itself")
	}
	for {
		if why != nil && !missing {
			missing = true
			g.tell(GuardChange{Died: died, Err: why})
		}
		if !g.rest(pause) {
			return nil, 0, missing
		}
		pause = max(g.pace.pause, min(2*pause, g.pace.rarest))
		var life *guardLife
		if life, why = g.install(); why == nil {
			if !missing {
				g.tell(GuardChange{Died: died})
			}
			return life, pause, missing
		}
	}
}

// rest waits; false: Close was called.
func (g *Guard) rest(pause time.Duration) bool {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-g.shut:
		return false
	case <-t.C:
		return !g.isClosed()
	}
}

// install starts a guard and tells it of the groups that live.
func (g *Guard) install() (*guardLife, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	life, err := startLife(g.command, g.mark)
	if err != nil {
		return nil, err
	}
	for pgid := range g.groups {
		if err := life.say("+", pgid); err != nil {
			life.kill()
			<-life.done
			_ = life.pipe.Close()
			return nil, fmt.Errorf("telling the guard: %w", cause(err))
		}
	}
	g.life = life
	if g.closed { // Close found none, or a dead one
		_ = life.pipe.Close()
	}
	return life, nil
}

func (g *Guard) isClosed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// Close ends the guard and waits for it, for two seconds; one that takes longer, as on
// a machine that is busy, is killed. Close the processes first: the guard kills those
// that still run. The error tells that the guard failed, or had to be killed; a time
// without any has been told, and one that is killed when nothing is left to be guarded
// has failed at nothing, whoever killed it. Every call returns the same.
func (g *Guard) Close() error {
	g.closing.Do(func() { g.closeErr = g.end() })
	return g.closeErr
}

func (g *Guard) end() error {
	g.mu.Lock()
	g.closed = true
	life := g.life
	g.mu.Unlock()
	close(g.shut)
	if life != nil {
		_ = life.pipe.Close() // the end of file is what it waits for
	}
	inTime := g.waited()
	g.mu.Lock()
	defer g.mu.Unlock()
	if !inTime && len(g.groups) > 0 {
		return fmt.Errorf("process: the guard did not end within %v, and %d groups of processes may live", guardWait, len(g.groups))
	}
	if g.err != nil && !(len(g.groups) == 0 && diedBySignal(g.err)) {
		return fmt.Errorf("process: the guard failed: %w", g.err)
	}
	return nil
}

// waited waits for the end of the last guard, and kills one that takes too long: that may
// be one that was begun when Close was called. It reports whether it ended in time.
func (g *Guard) waited() bool {
	limit := time.NewTimer(guardWait)
	defer limit.Stop()
	select {
	case <-g.done:
		return true
	case <-limit.C:
	}
	select {
	case <-g.done: // it had ended, and this program was stopped
		return true
	default:
	}
	g.mu.Lock()
	life := g.life
	g.mu.Unlock()
	if life != nil {
		life.kill()
	}
	<-g.done
	return false
}

func diedBySignal(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && exit.ExitCode() < 0
}

// add tells the guard of a living group, now or when there is a guard again. It fails
// after Close alone.
func (g *Guard) add(pgid int) error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return errors.New("the guard is closed")
	}
	g.groups[pgid] = true
	g.say("+", pgid)
	return nil
}

// remove tells the guard that the group has been killed.
func (g *Guard) remove(pgid int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.groups, pgid)
	g.say("-", pgid)
}

// say tells the living guard, under mu. One that cannot be told is killed, so that
// another learns everything anew.
func (g *Guard) say(sign string, pgid int) {
	if g.life == nil || g.closed {
		return
	}
	if err := g.life.say(sign, pgid); err != nil {
		g.life.kill()
		g.life = nil
	}
}

// ServeGuard is the guard's whole life: it reads "+pgid" and "-pgid" lines and,
// when r ends, kills with SIGKILL every group that was added and not removed, and on Linux
// every process that has this guard's mark in its environment: engines have it, and what
// they have started, also in another session.
// It makes the whole program ignore SIGINT, SIGTERM and SIGHUP, because it must
// outlive a runner that they end. A line that it does not understand, or a
// failing r, is the error; the groups are killed nevertheless.
func ServeGuard(r io.Reader) error {
	signal.Ignore(unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
	groups := make(map[int]bool)
	err := readGroups(bufio.NewReader(r), groups)
	for pgid := range groups {
		kerr := unix.Kill(-pgid, unix.SIGKILL)
		if kerr != nil && !errors.Is(kerr, unix.ESRCH) { // ESRCH: all gone already
			err = errors.Join(err, fmt.Errorf("killing group %d: %w", pgid, kerr))
		}
	}
	if mark := os.Getenv(markKey); mark != "" {
		killMarked(markKey + "=" + mark)
	}
	if err != nil {
		return fmt.Errorf("process: guard: %w", err)
	}
	return nil
}

// marks are what an engine's environment gets.
func (g *Guard) marks() []string {
	if g == nil || g.mark == "" {
		return nil
	}
	return []string{g.mark}
}

// readGroups keeps groups up to date until r ends. It returns the first line it
// did not understand, but only after the last.
func readGroups(r *bufio.Reader, groups map[int]bool) error {
	var bad error
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			return bad // a line cut short by the end has a wrong number: not used
		}
		if err != nil {
			return errors.Join(bad, err)
		}
		if err := apply(line, groups); err != nil && bad == nil {
			bad = err
		}
	}
}

// apply adds or removes one group. Numbers below 2 are refused: kill(-1) would
// kill everything, kill(-0) the guard's own group.
func apply(line string, groups map[int]bool) error {
	number, add := strings.CutPrefix(line, "+")
	number, remove := strings.CutPrefix(number, "-")
	pgid, err := strconv.ParseUint(strings.TrimSuffix(number, "\n"), 10, 31)
	if err != nil || pgid < 2 || add == remove {
		return fmt.Errorf("line %q: want +pgid or -pgid", line)
	}
	if add {
		groups[int(pgid)] = true
	} else {
		delete(groups, int(pgid))
	}
	return nil
}
