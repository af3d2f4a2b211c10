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

// guardWait limits every wait for a guard: for space in its pipe, and for its end.
const guardWait = 2 * time.Second

// guardPace limits how often gogi replaces a guard process that fails again and again. See Guard.
type guardPace struct {
	steady  time.Duration // a new guard counts as working after this time
	pause   time.Duration // wait before the next start, if a new guard has died or failed to start; doubled each time
	longest time.Duration // maximum of the doubled pause
}

var defaultPace = guardPace{steady: 10 * time.Second, pause: 100 * time.Millisecond, longest: time.Minute}

// Guard controls the guard process, which kills the engines if the runner is killed. A run has one guard
// process, in a session of its own. The runner reports the start and the end of every process group to it.
// When the runner ends in any way, the input of the guard process ends; it then kills every remaining group
// and ends. If a guard process dies or does not read, another one replaces it and receives the list of
// running groups. The methods are safe for concurrent use.
type Guard struct {
	command  []string
	mark     string // set in the environment of every engine and of the guard, see markKey
	onChange func(GuardChange)
	pace     guardPace

	mu     sync.Mutex   // one write at a time, because the pipe has only one deadline
	life   *guardLife   // nil: there is no guard now
	groups map[int]bool // the running groups
	closed bool

	shut chan struct{} // carries no values; Close closes it
	done chan struct{} // carries no values; keep closes it when the last guard has been reaped
	err  error         // how the last guard ended, if Close ended it; read it after done

	closing  sync.Once
	closeErr error
}

// StartGuard starts the guard process. command is a program with its arguments that calls ServeGuard with its
// stdin; gogi uses a hidden command of its own binary. The guard process has the stderr of the runner. A
// goroutine calls onChange, which may be nil, for each change, one call at a time. If no guard process can
// start, it calls onChange only once until one works again.
func StartGuard(command []string, onChange func(GuardChange)) (*Guard, error) {
	return startGuardAt(command, onChange, defaultPace)
}

func startGuardAt(command []string, onChange func(GuardChange), pace guardPace) (*Guard, error) {
	if err := (Spec{Command: command}).check(); err != nil {
		return nil, fmt.Errorf("process: guard: %w", err)
	}
	if onChange == nil {
		onChange = func(GuardChange) {}
	}
	mark := newMark()
	life, err := startLife(command, mark)
	if err != nil {
		return nil, fmt.Errorf("process: %w", err)
	}
	g := &Guard{
		command: command, mark: mark, onChange: onChange, pace: pace, life: life, groups: make(map[int]bool),
		shut: make(chan struct{}), done: make(chan struct{}),
	}
	go g.keep(life)
	return g, nil
}

// guardLife is one guard process.
type guardLife struct {
	cmd  *exec.Cmd
	pipe *os.File      // our write end: the only one, close-on-exec
	done chan struct{} // carries no values; wait closes it when the process has been reaped
	err  error         // how it ended; read it after done
}

// markKey is an environment variable. It marks all processes that a guard's engines have started, in any
// group or session.
const markKey = "GOGI_GUARD"

// newMark returns a mark that no other guard has.
func newMark() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	return markKey + "=" + hex.EncodeToString(random[:])
}

func startLife(command []string, mark string) (*guardLife, error) {
	cmd := Spec{Command: command, Env: []string{mark}}.cmd()
	// The guard has no Pdeathsig, because it must outlive the runner. Its own session protects it from the
	// terminal's signals.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stderr = os.Stderr
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("guard: making a pipe: %w", err)
	}
	defer func() { _ = theirs.Close() }() // the child has its own copy
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

// send writes one line: sign, which is "+" or "-", and the number of a process group. It fails if the process has
// ended or does not read.
func (l *guardLife) send(sign string, pgid int) error {
	if err := l.pipe.SetWriteDeadline(time.Now().Add(guardWait)); err != nil {
		return err
	}
	_, err := l.pipe.WriteString(sign + strconv.Itoa(pgid) + "\n")
	return err
}

// kill kills a guard that does not read. The pipe stays open until the guard is dead, because at the end of
// the pipe the guard would kill the groups that it knows.
func (l *guardLife) kill() {
	_ = l.cmd.Process.Kill() // fails only if the guard has already ended
}

// keep is the goroutine that replaces guards until Close.
func (g *Guard) keep(life *guardLife) {
	defer close(g.done)
	var pause time.Duration // before the next start
	missing := false        // onChange has reported the missing guard
	for life != nil {
		if g.lasts(life) {
			if missing {
				g.onChange(GuardChange{})
			}
			pause, missing = 0, false
		}
		<-life.done
		_ = life.pipe.Close() // nothing can be lost, because no process reads the pipe
		if g.isClosed() {
			g.err = life.err
			return
		}
		life, pause, missing = g.replace(life, pause, missing)
	}
}

// lasts reports whether a guard lives for pace.steady. It waits until then, or until the guard dies or Close is
// called.
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

// replace starts another guard after one died: at once, or after pause if the dead guard was new. It tries until
// Close, and then returns nil. It also returns the pause before the next replacement. missing, as parameter and as
// result, means that onChange has reported a time without a guard.
func (g *Guard) replace(dead *guardLife, pause time.Duration, missing bool) (*guardLife, time.Duration, bool) {
	died := dead.cmd.ProcessState.String()
	var why error
	if pause > 0 {
		why = errors.New("it was new itself")
	}
	for {
		if why != nil && !missing {
			missing = true
			g.onChange(GuardChange{Died: died, Err: why})
		}
		if !g.rest(pause) {
			return nil, 0, missing
		}
		pause = max(g.pace.pause, min(2*pause, g.pace.longest))
		var life *guardLife
		if life, why = g.install(); why == nil {
			if !missing {
				g.onChange(GuardChange{Died: died})
			}
			return life, pause, missing
		}
	}
}

// rest waits for the duration of pause. It returns false if Close was called.
func (g *Guard) rest(pause time.Duration) bool { return !within(pause, g.shut) && !g.isClosed() }

// install starts a guard and sends it the running groups.
func (g *Guard) install() (*guardLife, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	life, err := startLife(g.command, g.mark)
	if err != nil {
		return nil, err
	}
	for pgid := range g.groups {
		if err := life.send("+", pgid); err != nil {
			life.kill()
			<-life.done
			_ = life.pipe.Close()
			return nil, fmt.Errorf("telling the guard: %w", cause(err))
		}
	}
	g.life = life
	if g.closed { // Close found no guard, or a dead one
		_ = life.pipe.Close()
	}
	return life, nil
}

func (g *Guard) isClosed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// Close ends the guard process, waits up to two seconds for its end, and then kills it. Close the engines
// first, because the guard process kills those that still run. Close returns an error if the guard process
// failed or had to be killed. Two cases are not errors: a time without a guard process, because onChange has
// reported it, and a guard process that died when no engine ran. Every call returns the same result.
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
		_ = life.pipe.Close() // the guard waits for this end of file
	}
	inTime := g.waited()
	g.mu.Lock()
	defer g.mu.Unlock()
	if !inTime && len(g.groups) > 0 {
		return fmt.Errorf("process: the guard did not end within %v, and %d groups of processes may live", guardWait,
			len(g.groups))
	}
	if g.err != nil && !(len(g.groups) == 0 && diedBySignal(g.err)) {
		return fmt.Errorf("process: the guard failed: %w", g.err)
	}
	return nil
}

// waited waits for the end of the last guard, which may have started only when Close was called. It kills the guard
// after guardWait. waited reports whether the guard ended in time.
func (g *Guard) waited() bool {
	if within(guardWait, g.done) || isClosed(g.done) { // the second is true if this program itself was stopped
		return true
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

// add sends a running group to the guard, at once or when there is a guard again. It fails only after Close.
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
	g.send("+", pgid)
	return nil
}

// remove reports to the guard that the group has been killed.
func (g *Guard) remove(pgid int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.groups, pgid)
	g.send("-", pgid)
}

// send writes a line to the guard, see guardLife.send. The caller holds mu. If the write fails, send kills the guard,
// so that its replacement receives all groups.
func (g *Guard) send(sign string, pgid int) {
	if g.life == nil || g.closed {
		return
	}
	if err := g.life.send(sign, pgid); err != nil {
		g.life.kill()
		g.life = nil
	}
}

// ServeGuard is the program of the guard process. It reads lines "+PGID" and "-PGID", which add and remove a
// process group, until r ends. Then it kills with SIGKILL every group that was added and not removed. On
// Linux it also kills every process that has this guard's mark in its environment: the engines and the
// processes that they started, even in another session. From its call on, the whole program ignores SIGINT,
// SIGTERM and SIGHUP, because the guard must outlive a runner that these signals end. ServeGuard returns an
// error for an unknown line or an error of r, and still kills the groups.
func ServeGuard(r io.Reader) error {
	signal.Ignore(unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
	groups := make(map[int]bool)
	err := readGroups(bufio.NewReader(r), groups)
	for pgid := range groups {
		kerr := unix.Kill(-pgid, unix.SIGKILL)
		if kerr != nil && !errors.Is(kerr, unix.ESRCH) { // ESRCH: all members have ended
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

// marks returns a list with the guard's mark, as a variable for the environment of an engine.
func (g *Guard) marks() []string {
	if g == nil || g.mark == "" {
		return nil
	}
	return []string{g.mark}
}

// readGroups updates groups until r ends. It returns an error for the first unknown line, but reads all
// lines.
func readGroups(r *bufio.Reader, groups map[int]bool) error {
	var bad error
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			return bad // an incomplete last line may have a wrong number, so it is not used
		}
		if err != nil {
			return errors.Join(bad, err)
		}
		if err := apply(line, groups); err != nil && bad == nil {
			bad = err
		}
	}
}

// apply adds or removes one group. It rejects numbers below 2, because kill(-1) would kill everything, and
// kill(-0) the guard's own group.
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
