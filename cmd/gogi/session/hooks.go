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

// commandLimit is the longest time that a user's command may run.
const commandLimit = time.Minute

// A command is a program of the user with its arguments; the zero value does nothing. It runs without a shell
// and receives its data in environment variables.
type command []string

// run runs the command with additional environment variables, each KEY=VALUE, and writes its output to out. It
// kills the command if ctx ends, or after commandLimit.
func (c command) run(ctx context.Context, out io.Writer, more ...string) error {
	if len(c) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, c[0], c[1:]...)
	cmd.Env = append(os.Environ(), more...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second // a child of the command may still have the output open
	err := cmd.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it did not end within %v", commandLimit)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c[0], err)
	}
	return nil
}

// commandOf splits the value of a flag into a program and its arguments, as a shell does. flag is the name of the
// flag, for errors. commandOf returns an error if the program does not exist.
func commandOf(flag, line string) (command, error) {
	words, err := shellwords.Split(line)
	switch {
	case err != nil:
	case len(words) > 0:
		if _, err = exec.LookPath(words[0]); errors.Is(err, exec.ErrNotFound) {
			err = fmt.Errorf("%s is not in PATH; check the command", words[0])
		}
	case line != "":
		err = fmt.Errorf("%q names no command", line)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return words, nil
}

// runEnd runs the command of --on-end. If the command fails, runEnd only prints a warning.
func (s *Session) runEnd(ctx context.Context, ended error) {
	if len(s.end) == 0 {
		return
	}
	code := cli.Code(ended, cli.Failed)
	variables := []string{"GOGI_DB=" + s.DB, "GOGI_EXIT=" + strconv.Itoa(code), "GOGI_ENDING=" + endings(code),
		"GOGI_RUN=" + s.Target.Run}
	if s.report != nil {
		v := s.report.Verdict()
		variables = append(variables, "GOGI_VERDICT="+v.Kind, "GOGI_CLAIM="+sanitize.Printable(v.Claim.String(), 2000))
	}
	if ended != nil && endings(code) != "done" {
		variables = append(variables, "GOGI_ERROR="+sanitize.Printable(ended.Error(), 2000))
	}
	if err := s.end.run(context.WithoutCancel(ctx), sanitize.Raw(s.Env.Err), variables...); err != nil {
		s.Env.Warn(i18n.Of("%s: %s", "--on-end", i18n.Because(err)))
	}
}

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

// followFaults runs the command of --on-fault until the hub (the source of the run's events) closes. It
// ignores faults that happen while the command runs.
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
				running.Go(func() { s.runFault(ctx, *e); free <- struct{}{} })
			default:
			}
		}
	}
}

func (s *Session) runFault(ctx context.Context, e match.Event) {
	pair := ""
	if e.Pair != nil {
		pair = strconv.Itoa(*e.Pair)
	}
	err := s.fault.run(ctx, sanitize.Raw(s.Env.Err), "GOGI_DB="+s.DB, "GOGI_RUN="+e.Run, "GOGI_ENGINE="+e.Engine,
		"GOGI_KIND="+e.Kind,
		"GOGI_PAIR="+pair, "GOGI_NOTE="+sanitize.Printable(e.Note, 2000), "GOGI_BUNDLE="+e.Bundle)
	if err != nil && ctx.Err() == nil {
		s.Env.Warn(i18n.Of("%s: %s", "--on-fault", i18n.Because(err)))
	}
}
