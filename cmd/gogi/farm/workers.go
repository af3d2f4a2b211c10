package farmcmd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/farm"
	"gogi/internal/format"
	"gogi/internal/sanitize"
	"gogi/report/text"
	"gogi/stats"
)

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// WorkersCommand lists the workers.
type WorkersCommand struct {
	owner
	Labels bool `help:"Also print the labels of the machines."`
}

// Run prints the workers.
func (c *WorkersCommand) Run(ctx context.Context, env *cli.Env) error {
	var s farm.Status
	if err := c.ask(ctx, "workers", farm.Order{}, &s); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(env.Out, s.Workers)
	}
	if len(s.Workers) == 0 {
		fmt.Fprintln(env.Out, "no workers")
		return nil
	}
	var rows [][]string
	for i := range s.Workers {
		rows = append(rows, workerRow(&s.Workers[i]))
	}
	t := format.NewColumns([]string{"worker", "owner", "trust", "slots", "held", "load", "pairs", "refused", "state"}, 3,
		4, 5, 6, 7)
	if err := printRows(env.Out, t, rows); err != nil {
		return err
	}
	for _, w := range s.Workers {
		for _, why := range w.Unfit {
			fmt.Fprintf(env.Out, "%s plays nothing of %s\n", sanitize.Printable(w.Name, 40), sanitize.Printable(why, 300))
		}
	}
	if !c.Labels {
		return nil
	}
	for _, w := range s.Workers {
		fmt.Fprintf(env.Out, "%s: %s\n", sanitize.Printable(w.Name, 40), sanitize.Printable(words(w.Labels), 300))
	}
	return nil
}

func workerRow(w *farm.WorkerStatus) []string {
	state := w.Words(func(at time.Time) string { return at.Local().Format(time.DateTime) })
	return []string{
		w.Name, w.Owner, w.Trust, strconv.Itoa(w.Slots), strconv.Itoa(w.Held), fmt.Sprintf("%.1f", w.Load),
		strconv.Itoa(w.Added),
		strconv.Itoa(w.Refused), sanitize.Printable(state, 160),
	}
}

// onWorker has the arguments of a command about one worker.
type onWorker struct {
	owner
	Worker string `arg:"" help:"Name of the worker."`
}

func (c *onWorker) order(ctx context.Context, env *cli.Env, word string, o farm.Order) error {
	o.Worker = c.Worker
	var w farm.WorkerStatus
	if err := c.ask(ctx, word, o, &w); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(env.Out, w)
	}
	row := workerRow(&w)
	fmt.Fprintf(env.Out, "%s: %s, %s\n", w.Name, w.Trust, row[len(row)-1])
	return nil
}

// DrainCommand lets a worker finish its games, and gives it no more pairs.
type DrainCommand struct {
	onWorker
	Off bool `help:"End the drain; the worker gets pairs again."`
}

// Run sends the order to drain the worker, or to end the drain.
func (c *DrainCommand) Run(ctx context.Context, env *cli.Env) error {
	return c.order(ctx, env, "drain", farm.Order{Off: c.Off})
}

// QuarantineCommand puts a worker in quarantine: the farm takes back the pairs that the worker has not
// finished, and gives it no more pairs. Its stored results stay.
type QuarantineCommand struct {
	onWorker
	Why string `placeholder:"TEXT" help:"Reason of the quarantine."`
	Off bool   `help:"End the quarantine."`
}

// Run sends the order to quarantine the worker, or to end the quarantine.
func (c *QuarantineCommand) Run(ctx context.Context, env *cli.Env) error {
	if c.Why == "" && !c.Off {
		return wrong("expected a reason: --why TEXT")
	}
	return c.order(ctx, env, "quarantine", farm.Order{Why: c.Why, Off: c.Off})
}

// TrustCommand sets the trust level of a worker, which decides how many of its pairs other workers play
// again.
type TrustCommand struct {
	onWorker
	Level string `arg:"" enum:"untrusted,verified,owner" help:"Trust in the worker: untrusted (others play 20% of its pairs again), verified (2%), or owner (2%; a machine of your own)."`
}

// Run sends the new trust level of the worker to the farm.
func (c *TrustCommand) Run(ctx context.Context, env *cli.Env) error {
	return c.order(ctx, env, "trust", farm.Order{Level: c.Level})
}

// drawn returns a part of a sentence: how many pairs of other workers also become void. In a tune, their parameter
// values depend on the worker's pairs. It returns "" for 0 pairs.
func drawn(pairs int) string {
	if pairs == 0 {
		return ""
	}
	return fmt.Sprintf(", and %s of others that the tune drew after them,", format.NumberOf(pairs, "pair"))
}

// VoidCommand voids the pairs of a test that one worker played.
type VoidCommand struct {
	owner
	Worker string `arg:"" help:"Name of the worker."`
	Test   string `name:"run" required:"" placeholder:"TEST" help:"Name of the test, or at least 12 digits of its plan hash."`
	Why    string `required:"" placeholder:"TEXT" help:"Reason, which every report quotes."`
	DryRun bool   `help:"Print how many pairs would become void, and change nothing."`
}

// Run sends the order to the farm, and prints how the SPRT verdict of the test changed.
func (c *VoidCommand) Run(ctx context.Context, env *cli.Env) error {
	var p farm.Purged
	if err := c.ask(ctx, "purge", farm.Order{Run: c.Test, Worker: c.Worker, Why: c.Why, Dry: c.DryRun}, &p); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(env.Out, p)
	}
	what := "are void, and will be played again"
	if c.DryRun {
		what = "would be void"
	}
	decided := func(verdict string) string { return text.Decided(stats.Decision(verdict)).In(env.Language) }
	unit := (&farm.TestStatus{Selfplay: p.Selfplay}).Unit()
	fmt.Fprintf(env.Out, "%s of %s%s in %s %s\n", format.NumberOf(len(p.Pairs)-p.Drawn, unit), c.Worker, drawn(p.Drawn),
		c.Test, what)
	if p.Before != "" && !c.DryRun {
		fmt.Fprintf(env.Out, "the SPRT's verdict was %s, and is %s now\n", decided(p.Before), decided(p.After))
	}
	if p.Withdrawn {
		fmt.Fprintln(env.Out, "the reported verdict is withdrawn")
	}
	return nil
}
