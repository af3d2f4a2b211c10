package check

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/players"
)

// stamp is when a control was asked and when its answer came: how long the machine itself
// took, at the time when the engine under examination was being timed.
type stamp struct {
	Asked    time.Time
	Took     time.Duration // until the answer; if there was none, until nobody waited any more
	Answered bool
	Start    bool // the process was started for it; else it was there, waiting to be asked
}

// known reports whether a control was asked at all: one that cannot be started says nothing.
func (s stamp) known() bool { return !s.Asked.IsZero() }

// crawl is what a process that does nothing never takes to start on a machine that has time
// for it: it takes some hundredths of a second.
const crawl = time.Second

// busy reports whether the machine had no time for a process that does nothing.
func (s stamp) busy() bool { return s.known() && s.Took >= crawl }

// In says what the control did.
func (s stamp) In(in i18n.Language) string {
	took := format.Span(s.Took)
	switch {
	case s.Start && s.Answered:
		return i18n.Say(in, "a process that does nothing took %s to start at the same time", took)
	case s.Start:
		return i18n.Say(in, "a process that does nothing had not started after %s, at the same time", took)
	case s.Answered:
		return i18n.Say(in, "a process that does nothing took %s to answer at that moment", took)
	}
	return i18n.Say(in, "a process that does nothing had not answered after %s, at that moment", took)
}

// control is a process that does nothing, asked while the engine does something.
type control interface {
	// starting starts a process again and again until the returned function is called,
	// which tells the slowest start.
	starting(ctx context.Context) (end func() stamp)
	// answering asks a process that waits, after a time. The returned function tells when
	// its answer came; before that time, nobody is asked.
	answering(ctx context.Context, after time.Duration) (end func() stamp)
	// close ends all of it.
	close() error
}

// nothing is the control of real examinations: the built-in engine, which is asked for
// no more than its name.
type nothing struct {
	opener  *players.Opener
	player  match.Player
	resting *idle // the one that waits to be asked, or nil
}

func newNothing(o *players.Opener) (*nothing, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program, to start a control: %w", err)
	}
	return &nothing{opener: o, player: match.Player{Name: "control", Command: []string{self, "engine"}}}, nil
}

// idle is a control process that runs.
type idle struct {
	proc  players.Process
	lines *bufio.Reader
	asked chan struct{} // has something once it is being asked, for who waits for that
}

func (n *nothing) start() (*idle, error) {
	proc, err := n.opener.Start(n.player, nil, time.Second)
	if err != nil {
		return nil, err
	}
	return &idle{proc, bufio.NewReader(proc), make(chan struct{}, 1)}, nil
}

// ask waits for the answer to usi. Whoever kills the process ends the wait.
func (i *idle) ask() bool {
	if _, err := i.proc.Write([]byte("usi\n")); err != nil {
		return false
	}
	for {
		line, err := i.lines.ReadString('\n')
		if err != nil {
			return false
		}
		if strings.TrimSpace(line) == "usiok" {
			return true
		}
	}
}

func (i *idle) end() error {
	i.proc.Kill()
	return i.proc.Close()
}

// startOnce stamps one start; the process is killed when nobody waits for it any more.
func (n *nothing) startOnce(ctx context.Context) stamp {
	s := stamp{Asked: time.Now(), Start: true}
	p, err := n.start()
	if err != nil {
		return stamp{}
	}
	calm := context.AfterFunc(ctx, p.proc.Kill)
	s.Answered = p.ask()
	s.Took = time.Since(s.Asked)
	calm()
	_ = p.end() // it was killed: how it ended says nothing
	return s
}

// again is how long after a start the next one begins.
const again = time.Second

func (n *nothing) starting(ctx context.Context) func() stamp {
	ctx, cancel := context.WithCancel(ctx)
	var worst stamp
	var done sync.WaitGroup
	done.Go(func() {
		for {
			if s := n.startOnce(ctx); s.Took > worst.Took {
				worst = s
			}
			pause(ctx, again)
			if ctx.Err() != nil {
				return
			}
		}
	})
	return func() stamp {
		cancel()
		done.Wait()
		return worst
	}
}

// patience is how long an answer that was asked for is waited for after the engine's.
const patience = 2 * time.Second

func (n *nothing) answering(ctx context.Context, after time.Duration) func() stamp {
	if !n.rests() {
		return func() stamp { return stamp{} }
	}
	wait, cancel := context.WithCancel(ctx)
	told := make(chan stamp, 1)
	go func() {
		pause(wait, after)
		if wait.Err() != nil {
			told <- stamp{}
			return
		}
		s := stamp{Asked: time.Now()}
		select {
		case n.resting.asked <- struct{}{}:
		default:
		}
		s.Answered = n.resting.ask()
		s.Took = time.Since(s.Asked)
		told <- s
	}()
	return func() stamp {
		cancel()
		timer := time.AfterFunc(patience, n.resting.proc.Kill)
		s := <-told
		if !timer.Stop() || s.known() && !s.Answered {
			_ = n.resting.end() // it did not answer: the next one is another
			n.resting = nil
		}
		return s
	}
}

// rests makes sure that there is a process that waits, and has answered before.
func (n *nothing) rests() bool {
	if n.resting != nil {
		return true
	}
	p, err := n.start()
	if err != nil {
		return false
	}
	timer := time.AfterFunc(patience, p.proc.Kill)
	answered := p.ask()
	timer.Stop()
	if !answered {
		_ = p.end() // it was killed
		return false
	}
	n.resting = p
	return true
}

func (n *nothing) close() error {
	if n.resting == nil {
		return nil
	}
	err := n.resting.end()
	n.resting = nil
	return err
}
