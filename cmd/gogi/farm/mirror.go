package farmcmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/farm"
	"gogi/farm/mirror"
	"gogi/farm/worker"
	"gogi/internal/format"
	"gogi/results"
)

// MirrorCommand copies games from a farm into a database on this machine. With --push it copies them from the
// database to the farm.
type MirrorCommand struct {
	owner
	Tests   []string      `arg:"" optional:"" name:"test" help:"Names of tests, or SHA-256 of their plans (default: all approved tests)."`
	DB      string        `name:"db" default:"farm-copy.db" placeholder:"FILE" help:"Database of the copies (default ${default})."`
	Every   time.Duration `default:"5s" placeholder:"DUR" help:"Interval between requests for new pairs (default ${default})."`
	Compare time.Duration `default:"1h" placeholder:"DUR" help:"Interval between comparisons of the checksums of all pairs (default ${default})."`
	Once    bool          `xor:"way" help:"Copy and compare the pairs that the farm has now, then end."`
	Push    bool          `xor:"way" help:"Send the pairs of each run named TEST from the database to the farm's test with the same plan, then end."`
	Quiet   bool          `short:"q" help:"Print no messages except warnings."`
}

// Help returns the text below the usage line of --help.
func (*MirrorCommand) Help() string {
	return `gogi replays every pair by the rules before it stores it. It voids pairs that the farm voids. Then
it compares SHA-256 sums of the pairs (as in gogi db dump --stable) with those of the farm.
gogi farm backup makes a backup with keys and secrets.

With --push the farm verifies each pair. With --once or --push, --json prints one object for
each test.

A signal ends the mirror. Exit codes: 0 ended, or equal with --once; 12 something differs;
4 rejected; 6 the farm cannot be reached (--once, --push); 1 any other failure.`
}

// Run copies until a signal ends it, or until a copy differs from the farm. With --once or --push it copies
// the present pairs and ends.
func (c *MirrorCommand) Run(ctx context.Context, env *cli.Env) error {
	switch {
	case c.Every < 100*time.Millisecond || c.Compare < c.Every:
		return wrong("--every %v and --compare %v: expected at least 100ms, and comparing no more often than copying",
			c.Every, c.Compare)
	case c.JSON && !c.Once && !c.Push:
		return wrong("--json: it needs --once or --push")
	case c.Push && len(c.Tests) == 0:
		return wrong("--push: name the runs to send")
	}
	ctx, interrupted := cli.Catch(ctx, env)
	defer interrupted.Stop()
	if c.Push {
		for _, run := range c.Tests {
			if err := c.push(ctx, env, &cli.Stored{Name: run, Database: cli.Database{DB: c.DB}}); err != nil {
				return cli.UnlessInterrupted(ctx, err)
			}
		}
		return nil
	}
	durability := results.Durable
	if c.Once { // closing the database waits for the disk
		durability = results.Quick
	}
	err := c.with(func(t farm.Transport, name string) (err error) {
		store, err := results.Open(ctx, c.DB, durability)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		f := &mirror.Replica{Store: store, Ask: asking(t, name), Log: Logger(env, c.Quiet || c.JSON), Tests: c.Tests}
		if c.Once {
			return c.once(ctx, env, f)
		}
		return c.replicate(ctx, f)
	})
	if errors.Is(err, mirror.ErrDiffers) {
		return &cli.Exit{Code: cli.Differs, Err: err}
	}
	return cli.UnlessInterrupted(ctx, err)
}

// asking returns a mirror.Ask that sends requests over a connection. name is the name of the connection's key.
func asking(t farm.Transport, name string) mirror.Ask {
	return func(ctx context.Context, word string, in, out any) error { return Request(ctx, t, name, word, in, out) }
}

// once copies, compares, and prints the result for each test.
func (c *MirrorCommand) once(ctx context.Context, env *cli.Env, f *mirror.Replica) error {
	moved, err := f.Round(ctx)
	for i := range moved {
		if err := c.print(env, &moved[i]); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	pairs, err := f.Compare(ctx)
	if err == nil && !c.JSON {
		fmt.Fprintf(env.Out, "%s in %s %s what the farm has\n", format.NumberOf(pairs, "pair"), c.DB, are(pairs))
	}
	return err
}

func (c *MirrorCommand) print(env *cli.Env, got *mirror.Moved) error {
	if c.JSON {
		return printJSON(env.Out, got)
	}
	fmt.Fprintf(env.Out, "%s: %s into %s, which has %d of %d now\n", got.Run, format.NumberOf(got.Added, "pair"), c.DB,
		got.Stored, got.Pairs)
	if got.Voided > 0 {
		fmt.Fprintf(env.Out, "%s that the farm made void %s void here, too\n", format.NumberOf(got.Voided, "pair"),
			are(got.Voided))
	}
	if next := validation(got, c.DB); next != "" {
		fmt.Fprintln(env.Out, next)
	}
	return nil
}

// replicate copies until ctx ends. It continues while it cannot reach the farm, because the copy is most
// useful if the farm is lost.
func (c *MirrorCommand) replicate(ctx context.Context, f *mirror.Replica) error {
	ticks := time.NewTicker(c.Every)
	defer ticks.Stop()
	away := false
	for compared := time.Now(); ; {
		_, err := f.Round(ctx)
		if err == nil && time.Since(compared) >= c.Compare {
			compared = time.Now()
			var pairs int
			if pairs, err = f.Compare(ctx); err == nil {
				f.Log.Info("the copies are equal to the farm's tests", "pairs", pairs)
			}
		}
		if err != nil && !unreachable(err) {
			return err
		}
		if err != nil && !away {
			f.Log.Warn("the farm is away; the copies stay", "err", err)
		}
		away = err != nil
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
	}
}

func unreachable(err error) bool {
	exit, ok := errors.AsType[*cli.Exit](err)
	return ok && exit.Code == worker.ExitUnreachable
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// push sends the pairs of a run that the farm does not have. The farm verifies every pair.
func (o *owner) push(ctx context.Context, env *cli.Env, run *cli.Stored) error {
	var out mirror.Moved
	err := run.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		return o.with(func(t farm.Transport, name string) (err error) {
			out, err = mirror.Push(ctx, store, info, asking(t, name))
			return err
		})
	})
	if err != nil {
		return err
	}
	if o.JSON {
		return printJSON(env.Out, out)
	}
	fmt.Fprintf(env.Out, "%s: %s of %d here were new to the farm\n", out.Run, format.NumberOf(out.Added, "pair"),
		out.Stored)
	return nil
}
