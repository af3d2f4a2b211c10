package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"gogi/configs/shellwords"
	"gogi/internal/foreign"
	"gogi/internal/hook"
	"gogi/internal/phrases"
	"gogi/internal/verb"
	"gogi/live"
	"gogi/match"
	"gogi/report"
)

// hookFlags are the user's own commands of a match.
type hookFlags struct {
	OnEnd   string `name:"on-end" placeholder:"CMD" help:"Run a command when the match has ended, however it did: GOGI_RUN, GOGI_DB, GOGI_EXIT, GOGI_ENDING, GOGI_VERDICT and GOGI_CLAIM are in its environment."`
	OnFault string `name:"on-fault" placeholder:"CMD" help:"Run a command at a fault of an engine, unless it is still running from the one before: GOGI_RUN, GOGI_DB, GOGI_ENGINE, GOGI_KIND, GOGI_PAIR, GOGI_NOTE and GOGI_BUNDLE are in its environment."`

	end, fault hook.Command
}

// parse says what is wrong with them before anything is played.
func (h *hookFlags) parse() error {
	var ofEnd, ofFault error
	h.end, ofEnd = commandOf("--on-end", h.OnEnd)
	h.fault, ofFault = commandOf("--on-fault", h.OnFault)
	return errors.Join(ofEnd, ofFault)
}

// commandOf splits a flag's command line as a shell splits words.
func commandOf(flag, line string) (hook.Command, error) {
	words, err := shellwords.Split(line)
	if err == nil && line != "" && len(words) == 0 {
		err = fmt.Errorf("%q names no command", line)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	command, err := hook.New(words)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return command, nil
}

// tellEnd runs the command of the end. What goes wrong with it is a warning.
func (h *hookFlags) tellEnd(ctx context.Context, env *verb.Env, db, run string, r *report.Report, ended error) {
	if len(h.end) == 0 {
		return
	}
	code := verb.Code(ended, verb.Failed)
	told := []string{"GOGI_DB=" + db, "GOGI_EXIT=" + strconv.Itoa(code), "GOGI_ENDING=" + endings(code)}
	if r != nil {
		v := r.Verdict()
		run = r.Run
		told = append(told, "GOGI_VERDICT="+v.Kind, "GOGI_CLAIM="+foreign.Printable(v.Claim.String(), 2000))
	}
	if ended != nil && endings(code) != "done" {
		told = append(told, "GOGI_ERROR="+foreign.Printable(ended.Error(), 2000))
	}
	if err := h.end.Run(context.WithoutCancel(ctx), foreign.Raw(env.Err), append(told, "GOGI_RUN="+run)...); err != nil {
		env.Warn(phrases.Of("%s: %s", "--on-end", phrases.Because(err)))
	}
}

// endings are words for how a match ended.
func endings(code int) string {
	switch code {
	case verb.Done, exitGateFailed, exitGateInconclusive:
		return "done"
	case verb.Interrupted:
		return "interrupted"
	case verb.Unplayed:
		return "unplayed"
	}
	return "failed"
}

// followFaults runs the command of faults until the hub closes. Faults that come while
// it runs are left out: a phone rings once for a bad minute.
func (h *hookFlags) followFaults(ctx context.Context, env *verb.Env, db string) func(*live.Hub) {
	return func(hub *live.Hub) {
		var running sync.WaitGroup
		defer running.Wait()
		free := make(chan struct{}, 1)
		free <- struct{}{}
		s := hub.SubscribeBut(match.EventMove, live.DefaultRoom)
		for e := range s.Events() {
			if e.Type != match.EventFault {
				continue
			}
			select {
			case <-free:
				running.Go(func() { h.tellFault(ctx, env, db, e); free <- struct{}{} })
			default:
			}
		}
	}
}

func (h *hookFlags) tellFault(ctx context.Context, env *verb.Env, db string, e match.Event) {
	pair := ""
	if e.Pair != nil {
		pair = strconv.Itoa(*e.Pair)
	}
	err := h.fault.Run(ctx, foreign.Raw(env.Err), "GOGI_DB="+db, "GOGI_RUN="+e.Run, "GOGI_ENGINE="+e.Engine, "GOGI_KIND="+e.Kind,
		"GOGI_PAIR="+pair, "GOGI_NOTE="+foreign.Printable(e.Note, 2000), "GOGI_BUNDLE="+e.Bundle)
	if err != nil && ctx.Err() == nil {
		env.Warn(phrases.Of("%s: %s", "--on-fault", phrases.Because(err)))
	}
}
