package farmverbs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"gogi/farm"
	"gogi/farm/copies"
	"gogi/farm/worker"
	"gogi/internal/format"
	"gogi/internal/verb"
	"gogi/results"
)

// FollowCommand keeps a copy of a farm's games on another machine.
type FollowCommand struct {
	Creds   string        `name:"creds" env:"GOGI_FARM_CREDS" placeholder:"FILE" help:"An owner's credentials (default: those of gogi farm login)."`
	DB      string        `name:"db" default:"farm-copy.db" placeholder:"FILE" help:"The database of the copies: every verb reads it."`
	Blocks  string        `type:"path" placeholder:"DIR" help:"The folder of the copies of self-play, one in it for each test (default: beside the database, as FILE-blocks)."`
	Every   time.Duration `default:"5s" placeholder:"DUR" help:"How often the farm is asked what is new."`
	Compare time.Duration `default:"1h" placeholder:"DUR" help:"How often sums of all pairs are compared."`
	Once    bool          `help:"Copy what there is, compare, and end."`
	Quiet   bool          `short:"q" help:"Only warnings."`
}

// Help is what the verb's --help says below its flags' summary.
func (*FollowCommand) Help() string {
	return `Every pair is replayed by the rules before it is copied, and pairs that the farm makes
void are made void here; blocks of self-play are copied as they are, by their SHA-256. Then SHA-256 sums of the pairs, as gogi db dump --stable has them,
are compared with the farm's. The games are those of a backup; keys and secrets are not
among them: gogi farm backup has these.

A signal ends it. Exit codes: 0 ended, or with --once the same; 12 something differs; 4
refused; 6, with --once, the farm is away; 1 else.`
}

// Run copies until it is told to end, or something differs.
func (c *FollowCommand) Run(ctx context.Context, env *verb.Env) error {
	if c.Every < 100*time.Millisecond || c.Compare < c.Every {
		return wrong("--every %v and --compare %v: expected at least 100ms, and comparing no more often than copying", c.Every, c.Compare)
	}
	ctx, interrupted := verb.Catch(ctx, env)
	defer interrupted.Stop()
	o := owner{Creds: c.Creds}
	err := o.with(func(t farm.Transport, name string) (err error) {
		store, err := results.Open(ctx, c.DB, results.Durable)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		f := &copies.Follower{Store: store, Ask: asking(t, name), Log: logger(env, c.Quiet), Blocks: c.blocks(t, name)}
		if c.Once {
			return c.once(ctx, env, f)
		}
		return c.follow(ctx, f)
	})
	if errors.Is(err, copies.ErrDiffers) {
		return &verb.Exit{Code: verb.Differs, Err: err}
	}
	return unlessInterrupted(ctx, err)
}

// blocks copies a test of self-play into a folder of its own, named by the plan's digest.
func (c *FollowCommand) blocks(t farm.Transport, name string) func(ctx context.Context, digest string) (int, error) {
	dir := c.Blocks
	if dir == "" {
		dir = strings.TrimSuffix(c.DB, filepath.Ext(c.DB)) + "-blocks"
	}
	return func(ctx context.Context, digest string) (here int, err error) {
		p := pulling{ask: asksBlocks(ctx, t, name, digest), mirrors: true}
		err = p.all(filepath.Join(dir, digest))
		if p.folder != nil {
			err = errors.Join(err, p.folder.Close())
		}
		return p.out.Blocks, err
	}
}

func (c *FollowCommand) once(ctx context.Context, env *verb.Env, f *copies.Follower) error {
	if err := f.Round(ctx); err != nil {
		return err
	}
	pairs, err := f.Compare(ctx)
	if err == nil {
		fmt.Fprintf(env.Out, "%s in %s %s what the farm has\n", format.NumberOf(pairs, "pair"), c.DB, are(pairs))
	}
	return err
}

// follow goes on where the farm is away: a follower is there for the day when it is.
func (c *FollowCommand) follow(ctx context.Context, f *copies.Follower) error {
	ticks := time.NewTicker(c.Every)
	defer ticks.Stop()
	away := false
	for compared := time.Now(); ; {
		err := f.Round(ctx)
		if err == nil && time.Since(compared) >= c.Compare {
			compared = time.Now()
			var pairs int
			if pairs, err = f.Compare(ctx); err == nil {
				f.Log.Info("the copies are what the farm has", "pairs", pairs)
			}
		}
		if err != nil && !unreachable(err) {
			return err
		}
		if err != nil && !away {
			f.Log.Warn("the farm is away; what was copied stays", "err", err)
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
	exit, ok := errors.AsType[*verb.Exit](err)
	return ok && exit.Code == worker.ExitUnreachable
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
