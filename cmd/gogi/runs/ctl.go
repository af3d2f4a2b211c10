package runscmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/match/control"
	"gogi/runner/socket"
)

// CtlCommand sends an order to a run that another process plays.
type CtlCommand struct {
	Run1   string `arg:"" name:"run" help:"Name of the run."`
	Verb   string `arg:"" help:"pause (finish the current pairs, start no more), resume, drain (finish the current pairs, then end), stop (discard the current pairs and end), concurrency N (set the games at a time), target N (set the games in total)."`
	Number string `arg:"" optional:"" help:"New value of concurrency (games at a time) or target (games in total)."`
	DB     string `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of the run."`
}

// Run sends the order and prints its effect.
func (c *CtlCommand) Run(ctx context.Context, env *cli.Env) error {
	order, err := control.Parse(c.Verb, c.Number)
	if err != nil {
		return fail.Usage(err)
	}
	err = socket.Order(ctx, socket.Path(c.DB, c.Run1), order)
	switch {
	case errors.Is(err, socket.ErrNobody):
		return fmt.Errorf("run %q of %s: %w%s", c.Run1, c.DB, err, runningRuns(c.DB))
	case err != nil:
		return err
	}
	fmt.Fprintf(env.Out, "%s: %s\n", c.Run1, effect(order))
	return nil
}

// runningRuns returns the names of the runs of a database that other processes play, as a text for errors.
func runningRuns(db string) string {
	runs, err := socket.Runs(db)
	if err != nil || len(runs) == 0 {
		return ""
	}
	return " (running: " + strings.Join(runs, ", ") + ")"
}

// effect describes the effect of an order.
func effect(c control.Command) string {
	switch c.Do {
	case control.Pause:
		return "the pairs in play are finished, and no other begins before gogi ctl … resume"
	case control.Resume:
		return "resumed"
	case control.Drain:
		return "the pairs in play are the last; gogi match resumes the run"
	case control.Stop:
		return "ends now; gogi match plays the pairs in play again"
	case control.Concurrency:
		return fmt.Sprintf("%d games at a time; fewer than before as the pairs in play end", c.N)
	case control.Target:
		return fmt.Sprintf("%d games in all", c.N)
	}
	return string(c.Do)
}
