package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/internal/shellwords"
	"gogi/match"
	"gogi/runner/events"
)

// patience is how long a command may take.
const patience = time.Minute

// command is a user's own command; the zero value is none. It runs without a shell, and
// what it is told is in its environment.
type command []string

// newCommand returns the command that runs words; with no words it does nothing. It returns
// an error if the program does not exist.
func newCommand(words []string) (command, error) {
	if len(words) > 0 {
		if _, err := exec.LookPath(words[0]); err != nil {
			return nil, err
		}
	}
	return words, nil
}

// run runs it with more in its environment, each KEY=VALUE; what it prints goes to out.
// It is killed when ctx ends, or after a minute.
func (c command) run(ctx context.Context, out io.Writer, more ...string) error {
	if len(c) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c[0], c[1:]...) //nolint:gosec // it is the user's own
	cmd.Env = append(os.Environ(), more...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second // for those that left a child with their output
	err := cmd.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it did not end within %v", patience)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c[0], err)
	}
	return nil
}

// commandOf splits a flag's command line as a shell splits words.
func commandOf(flag, line string) (command, error) {
	words, err := shellwords.Split(line)
	if err == nil && line != "" && len(words) == 0 {
		err = fmt.Errorf("%q names no command", line)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	c, err := newCommand(words)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return c, nil
}

// tellEnd runs the command of the end. What goes wrong with it is a warning.
func (s *Session) tellEnd(ctx context.Context, ended error) {
	if len(s.end) == 0 {
		return
	}
	code := cli.Code(ended, cli.Failed)
	told := []string{"GOGI_DB=" + s.DB, "GOGI_EXIT=" + strconv.Itoa(code), "GOGI_ENDING=" + endings(code), "GOGI_RUN=" + s.Target.Run}
	if s.report != nil {
		v := s.report.Verdict()
		told = append(told, "GOGI_VERDICT="+v.Kind, "GOGI_CLAIM="+sanitize.Printable(v.Claim.String(), 2000))
	}
	if ended != nil && endings(code) != "done" {
		told = append(told, "GOGI_ERROR="+sanitize.Printable(ended.Error(), 2000))
	}
	if err := s.end.run(context.WithoutCancel(ctx), sanitize.Raw(s.Env.Err), told...); err != nil {
		s.Env.Warn(i18n.Of("%s: %s", "--on-end", i18n.Because(err)))
	}
}

// endings are words for how a session ended.
func endings(code int) string {
	switch code {
	case cli.Done, cli.GateFailed, cli.GateOpen:
		return "done"
	case cli.Interrupted:
		return "interrupted"
	case cli.Unplayed:
		return "unplayed"
	}
	return "failed"
}

// followFaults runs the command of faults until the hub closes. Faults that come while
// it runs are left out: a phone rings once for a bad minute.
func (s *Session) followFaults(ctx context.Context) func(*events.Hub) {
	return func(hub *events.Hub) {
		var running sync.WaitGroup
		defer running.Wait()
		free := make(chan struct{}, 1)
		free <- struct{}{}
		sub := hub.SubscribeExcept(match.EventMove, events.DefaultBuffer)
		for e := range sub.Events() {
			if e.Type != match.EventFault {
				continue
			}
			select {
			case <-free:
				running.Go(func() { s.tellFault(ctx, e); free <- struct{}{} })
			default:
			}
		}
	}
}

func (s *Session) tellFault(ctx context.Context, e match.Event) {
	pair := ""
	if e.Pair != nil {
		pair = strconv.Itoa(*e.Pair)
	}
	err := s.fault.run(ctx, sanitize.Raw(s.Env.Err), "GOGI_DB="+s.DB, "GOGI_RUN="+e.Run, "GOGI_ENGINE="+e.Engine, "GOGI_KIND="+e.Kind,
		"GOGI_PAIR="+pair, "GOGI_NOTE="+sanitize.Printable(e.Note, 2000), "GOGI_BUNDLE="+e.Bundle)
	if err != nil && ctx.Err() == nil {
		s.Env.Warn(i18n.Of("%s: %s", "--on-fault", i18n.Because(err)))
	}
}
