package farmcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/farm"
	"gogi/farm/mirror"
	"gogi/farm/replay"
	"gogi/farm/worker/builder"
	"gogi/farm/worker/machine"
	"gogi/internal/format"
	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/match/trust"
	"gogi/players"
	"gogi/report/verify"
	"gogi/results"
)

// AuditCommand checks a test of the farm on this machine. It replays the stored moves by the rules. With the
// field Replay it instead lets the engines play some of the pairs again.
type AuditCommand struct {
	owner
	Test        string       `arg:"" name:"test" help:"Name of the test, or its plan hash."`
	Replay      string       `group:"replay" placeholder:"SHARE" help:"Play a random sample of the pairs again; SHARE is its size, such as 1% or 0.01."`
	Seed        uint64       `group:"replay" placeholder:"N" help:"With --replay: seed of the random selection (default: a new seed each time)."`
	Concurrency cli.Positive `group:"replay" placeholder:"N" help:"With --replay: number of games at a time (default: the number of CPUs)."`
	Cache       string       `group:"replay" type:"path" placeholder:"DIR" help:"With --replay: folder for engines and networks (default: in the user's cache)."`
	Mirrors     []string     `group:"replay" placeholder:"URL" help:"With --replay: mirror from which gogi first tries to download engines and networks. gogi appends the SHA-256 of the file to the URL: URL/SHA256."`

	of farm.PlanOf // the test
}

// Help returns the text below the usage line of --help.
func (*AuditCommand) Help() string {
	return `gogi copies the test into a temporary database and replays every move by the rules, as gogi
db verify does. The coordinator takes no part in the check.

With --replay gogi also fetches the engines by their hashes and plays a share of the pairs
again on this machine. Equal games prove that the worker played them. This needs fixed nodes
or depth, one thread and no pondering. Workers and this command start the engines of such
a test anew for each pair, because many engines keep data between games. Pushed pairs, and
those of workers before protocol 3, were played without that: their differences prove nothing.

Exit codes: 0 nothing differs, 12 something differs, 2 this test cannot be replayed,
4 rejected, 6 the farm cannot be reached, 1 any other failure.`
}

// Run prints the differences between the stored moves and the check.
func (c *AuditCommand) Run(ctx context.Context, env *cli.Env) error {
	if c.Replay != "" {
		return c.replay(ctx, env)
	}
	if c.Seed != 0 || c.Concurrency != 0 || c.Cache != "" || len(c.Mirrors) > 0 {
		return wrong("--seed, --concurrency, --cache and --mirrors belong to --replay; add --replay 1%%")
	}
	return c.verify(ctx, env)
}

// replay plays a share of the pairs again and prints those that differ.
func (c *AuditCommand) replay(ctx context.Context, env *cli.Env) (err error) {
	share, err := shareOf(c.Replay)
	if err != nil {
		return err
	}
	if c.Concurrency > 10_000 {
		return wrong("--concurrency %d: expected a number from 1 to 10000", c.Concurrency)
	}
	ctx, interrupted := cli.Catch(ctx, env)
	defer interrupted.Stop()
	dir, err := os.MkdirTemp("", "gogi-replay-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var found replay.Report
	err = c.with(func(t farm.Transport, name string) (err error) {
		store, err := results.Open(ctx, filepath.Join(dir, "pulled.db"))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		got, plan, err := mirror.Pull(ctx, store, asking(t, name), c.Test)
		if err == nil {
			err = Request(ctx, t, name, "plan", farm.Order{Run: c.Test}, &c.of)
		}
		if err == nil {
			found, err = c.play(ctx, env, t, store, got.Run, plan, share)
		}
		return err
	})
	if err != nil {
		return cli.UnlessInterrupted(ctx, err)
	}
	return c.print(env, found)
}

// shareOf parses a share such as "1%" or "0.01".
func shareOf(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(number, 64)
	if percent {
		share /= 100
	}
	if err != nil || !(share > 0 && share <= 1) {
		return 0, wrong("--replay %s: expected a share such as 1%% or 0.01, at most 100%%", text)
	}
	return share, nil
}

// play plays a random share of the pairs again.
func (c *AuditCommand) play(ctx context.Context, env *cli.Env, t farm.Transport, store *results.Store, run string,
	plan *match.Plan, share float64) (out replay.Report, err error) {
	if why := trust.Inexact(trust.WithOneThread(plan, c.of.OneThread)); why != "" {
		return out, wrong("%s cannot be replayed move for move: %s", c.Test, why)
	}
	info, err := store.FindRun(ctx, run)
	if err != nil {
		return out, err
	}
	stored, err := store.Finished(ctx, info.ID)
	if err != nil {
		return out, err
	}
	guard, err := players.StartGuard(env.GuardChanged)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, guard.Close()) }()
	c.Concurrency = cmp.Or(c.Concurrency, cli.Positive(runtime.NumCPU()))
	config := machine.Config{Mirrors: c.Mirrors, Transport: t, Guard: guard, Slots: int(c.Concurrency),
		Log: Logger(env, true)}
	if config.Sandbox, err = builder.NewSandbox(ctx, "sandbox", guard); err != nil {
		return out, err
	}
	if config.Dir, err = c.dir(); err != nil {
		return out, err
	}
	m, err := machine.Open(config)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	ready, release, err := m.Ready(ctx, plan)
	if err != nil {
		return out, err
	}
	defer release()
	drawn := replay.Sample(slices.Sorted(maps.Keys(stored)), share, c.seed())
	var progress func(int)
	if percent := cli.Percent(env.Err, c.JSON); percent != nil {
		progress = func(n int) { percent(n, len(drawn)) }
	}
	return replay.Play(ctx, replay.Config{
		Plan: ready, Pairs: drawn, Open: m.OpenFor(ready), Concurrency: int(c.Concurrency),
		Stored:   func(ctx context.Context, pair int) (match.PairResult, error) { return store.Pair(ctx, info.ID, pair) },
		Progress: progress,
		Kept:     func(p match.Provenance) bool { return keptData(plan, c.of.Fresh, p) },
	})
}

// keptData reports whether the engines of a pair may have kept data of earlier pairs: the pair is of an earlier worker
// or of gogi match. fresh is that of farm.PlanOf.
func keptData(plan *match.Plan, fresh farm.Epoch, p match.Provenance) bool {
	return trust.FreshPairs(plan) && (fresh == 0 || farm.Epoch(p.Epoch) < fresh)
}

func (c *AuditCommand) seed() uint64 {
	if c.Seed != 0 {
		return c.Seed
	}
	return rand.Uint64()
}

// dir returns the folder for engines and networks. It is in the user's cache, like a worker's folder, but
// with another name.
func (c *AuditCommand) dir() (string, error) {
	if c.Cache != "" {
		return filepath.Abs(c.Cache)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", wrong("--cache: %w", err)
	}
	return filepath.Join(cache, "gogi", "farm", "replay"), nil
}

func (c *AuditCommand) print(env *cli.Env, found replay.Report) error {
	if c.JSON {
		if err := printJSON(env.Out, found); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(env.Out, "%s: %s played again, %d the same move for move\n", found.Run,
			format.NumberOf(found.Played, "pair"), found.Played-len(found.Different))
		for _, d := range found.Different {
			fmt.Fprintf(env.Out, "  pair %d of %s, game %d, from ply %d on: %s", d.Pair, sanitize.Printable(d.Worker, 40),
				d.Leg+1, d.Ply, d.What)
			if d.Kept {
				fmt.Fprint(env.Out, "; this proves nothing, because its engines may have kept data of earlier pairs")
			}
			fmt.Fprintln(env.Out)
		}
	}
	if found.Proves() {
		return &cli.Exit{Code: cli.Differs}
	}
	return nil
}

// verify copies a test into a temporary database and replays its moves by the rules.
func (c *AuditCommand) verify(ctx context.Context, env *cli.Env) (err error) {
	dir, err := os.MkdirTemp("", "gogi-verify-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db := filepath.Join(dir, "pulled.db")
	var got mirror.Moved
	err = c.with(func(t farm.Transport, name string) (err error) {
		store, err := results.Open(ctx, db)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		got, _, err = mirror.Pull(ctx, store, asking(t, name), c.Test)
		return err
	})
	if err != nil {
		return err
	}
	return (&cli.Stored{Name: got.Run, Database: cli.Database{DB: db}}).With(ctx,
		func(store *results.Store, info *results.RunInfo) error {
			found, err := verify.Run(ctx, store, info, cli.Percent(env.Err, c.JSON))
			if err != nil {
				return err
			}
			if err = verify.Write(env.Out, env.Language, c.JSON, found); err == nil && !found.Same() {
				err = &cli.Exit{Code: cli.Differs,
					Err: fmt.Errorf("run %s differs from the farm's verdicts and results", found.Run)}
			}
			return err
		})
}
