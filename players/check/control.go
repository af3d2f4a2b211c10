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

// A stamp is the response time of a control process that ran at the same time as the engine. It estimates the
// part of the engine's time that the machine caused.
type stamp struct {
	Asked    time.Time
	Took     time.Duration // time to the answer, or the whole wait if no answer came
	Answered bool
	Start    bool // Took includes the start of the process
}

// known reports whether a control process was measured; it is false if the process could not start.
func (s stamp) known() bool { return !s.Asked.IsZero() }

// slowStart is the start time of a control process from which on the machine counts as busy. On an idle
// machine a start takes some hundredths of a second.
const slowStart = time.Second

// busy reports whether the machine was too busy for the control process.
func (s stamp) busy() bool { return s.known() && s.Took >= slowStart }

// In describes the stamp in a language.
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

// A control measures a process that does nothing, while the engine works.
type control interface {
	// starting starts one process after another until the caller calls end, which returns the slowest start.
	starting(ctx context.Context) (end func() stamp)
	// answering waits for the time after, and then sends a command to a process. end returns the time until
	// the answer. If the caller calls end before the time after, answering sends nothing.
	answering(ctx context.Context, after time.Duration) (end func() stamp)
	// close ends the processes.
	close() error
}

// nothing is the control of real examinations: a process of the built-in engine that only answers usi.
type nothing struct {
	opener  *players.Opener
	player  match.Player
	resting *idle // the waiting process, or nil
}

func newNothing(o *players.Opener) (*nothing, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program, to start a control: %w", err)
	}
	return &nothing{opener: o, player: match.Player{Name: "control", Command: []string{self, "engine"}}}, nil
}

type idle struct {
	proc  players.Process
	lines *bufio.Reader
	asked chan struct{} // receives a value when answering asks; for tests
}

func (n *nothing) start() (*idle, error) {
	proc, err := n.opener.Start(n.player, nil, time.Second)
	if err != nil {
		return nil, err
	}
	return &idle{proc, bufio.NewReader(proc), make(chan struct{}, 1)}, nil
}

// ask sends usi and waits for usiok. To interrupt the wait, kill the process.
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

// startOnce measures one start. If ctx ends, it kills the process.
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
	_ = p.end() // the process was killed
	return s
}

// startPause is the pause between two starts of control processes.
const startPause = time.Second

func (n *nothing) starting(ctx context.Context) func() stamp {
	ctx, cancel := context.WithCancel(ctx)
	var worst stamp
	var done sync.WaitGroup
	done.Go(func() {
		for {
			if s := n.startOnce(ctx); s.Took > worst.Took {
				worst = s
			}
			pause(ctx, startPause)
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

// controlWait is the longest wait for the control's answer after the engine's answer.
const controlWait = 2 * time.Second

func (n *nothing) answering(ctx context.Context, after time.Duration) func() stamp {
	if !n.rests() {
		return func() stamp { return stamp{} }
	}
	wait, cancel := context.WithCancel(ctx)
	result := make(chan stamp, 1)
	go func() {
		pause(wait, after)
		if wait.Err() != nil {
			result <- stamp{}
			return
		}
		s := stamp{Asked: time.Now()}
		select {
		case n.resting.asked <- struct{}{}:
		default:
		}
		s.Answered = n.resting.ask()
		s.Took = time.Since(s.Asked)
		result <- s
	}()
	return func() stamp {
		cancel()
		timer := time.AfterFunc(controlWait, n.resting.proc.Kill)
		s := <-result
		if !timer.Stop() || s.known() && !s.Answered {
			_ = n.resting.end() // the process did not answer: the next call starts another one
			n.resting = nil
		}
		return s
	}
}

// rests starts the waiting process if there is none. It reports whether the process has answered.
func (n *nothing) rests() bool {
	if n.resting != nil {
		return true
	}
	p, err := n.start()
	if err != nil {
		return false
	}
	timer := time.AfterFunc(controlWait, p.proc.Kill)
	answered := p.ask()
	timer.Stop()
	if !answered {
		_ = p.end() // the process was killed
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
