package process

import (
	"bufio"
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

// guardWait bounds every wait for the guard: for a line to fit into its pipe,
// and for its end.
const guardWait = 2 * time.Second

// Guard is the runner's end of the guard process: one a run, in a session of
// its own. It is told the number of every group at its start and end. When the
// runner is gone, however it died, the guard reads the end of its pipe, kills
// every group that still lives, and ends. All methods may be called from any
// goroutine.
type Guard struct {
	cmd  *exec.Cmd
	pipe *os.File // our write end: the only one, close-on-exec

	mu sync.Mutex // one line at a time, as the deadline belongs to the pipe

	done chan struct{} // nothing is sent; wait closes it when the guard has been reaped
	err  error         // how it ended; to be read after done

	closing  sync.Once
	closeErr error
}

// StartGuard starts the guard process. command is a program, with its
// arguments, that calls ServeGuard with its stdin: this binary's hidden verb.
// Its stderr is the runner's.
func StartGuard(command []string) (*Guard, error) {
	spec := Spec{Command: command}
	if err := spec.check(); err != nil {
		return nil, fmt.Errorf("process: guard: %w", err)
	}
	cmd := spec.cmd()
	// No Pdeathsig: its very purpose is to outlive us. The session of its own
	// keeps the terminal's signals away.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stderr = os.Stderr
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("process: guard: making a pipe: %w", err)
	}
	defer func() { _ = theirs.Close() }() // the child has its own
	cmd.Stdin = theirs
	if err := cmd.Start(); err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("process: starting the guard %s: %w", command[0], explain(cmd, err))
	}
	g := &Guard{cmd: cmd, pipe: ours, done: make(chan struct{})}
	go g.wait()
	return g, nil
}

func (g *Guard) wait() {
	defer close(g.done)
	g.err = g.cmd.Wait()
}

// Close ends the guard and waits for it, at most two seconds. Close the
// processes first: the guard kills those that still run. The error tells that
// the guard had died, or failed, or had to be killed. Every call returns the
// same.
func (g *Guard) Close() error {
	g.closing.Do(func() { g.closeErr = g.end() })
	return g.closeErr
}

func (g *Guard) end() error {
	_ = g.pipe.Close() // the end of file is what it waits for
	limit := time.NewTimer(guardWait)
	defer limit.Stop()
	select {
	case <-g.done:
	case <-limit.C:
		_ = g.cmd.Process.Kill() // fails only if it ends this very moment
		<-g.done
		return fmt.Errorf("process: the guard did not end within %v", guardWait)
	}
	if g.err != nil {
		return fmt.Errorf("process: the guard failed: %w", g.err)
	}
	return nil
}

// add tells the guard of a living group.
func (g *Guard) add(pgid int) error {
	if g == nil {
		return nil
	}
	select {
	case <-g.done:
		return fmt.Errorf("the guard has died: %v", g.cmd.ProcessState)
	default:
	}
	if err := g.tell("+", pgid); err != nil {
		return fmt.Errorf("telling the guard: %w", cause(err))
	}
	return nil
}

// remove tells the guard that the group has been killed. It cannot fail in a
// way that matters: a guard that is dead holds no numbers, and the next add
// says so.
func (g *Guard) remove(pgid int) {
	if g != nil {
		_ = g.tell("-", pgid)
	}
}

func (g *Guard) tell(sign string, pgid int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.pipe.SetWriteDeadline(time.Now().Add(guardWait)); err != nil {
		return err
	}
	_, err := g.pipe.WriteString(sign + strconv.Itoa(pgid) + "\n")
	return err
}

// ServeGuard is the guard's whole life: it reads "+pgid" and "-pgid" lines and,
// when r ends, kills with SIGKILL every group that was added and not removed.
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
	if err != nil {
		return fmt.Errorf("process: guard: %w", err)
	}
	return nil
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
