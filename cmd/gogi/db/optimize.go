package dbcmd

import (
	"context"
	"errors"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/internal/i18n"
	"gogi/results"
)

// OptimizeCommand packs the games of runs that older versions of gogi stored: it stores them also in a
// compact form that reports read faster.
type OptimizeCommand struct {
	DB    string `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of games."`
	JSON  bool   `name:"json" help:"Print one JSON object."`
	Quiet bool   `short:"q" help:"Print no progress."`
}

// Help returns the text below the usage line of --help.
func (*OptimizeCommand) Help() string {
	return `Reports, pages and ratings read a packed run faster. gogi packs a run at its end, up to 64
blocks of 512 pairs, and in gogi db repair. This command packs all runs of the database and
changes nothing else. No run may play into the database at the same time.

An interrupt (exit code 130) keeps what is packed. Run the same command again to resume.`
}

// Run packs the games, and prints which runs it has packed. It also prints them if an error or an interrupt ends
// the work early.
func (c *OptimizeCommand) Run(ctx context.Context, env *cli.Env) error {
	ctx, interrupted := cli.Catch(ctx, env)
	p, err := c.pack(ctx, cli.Percent(env.Err, c.Quiet))
	cut := errors.Is(context.Cause(ctx), cli.ErrInterrupted)
	interrupted.Stop()
	var printed error
	switch {
	case err != nil && p.Sum().Segments == 0: // nothing to print
	case c.JSON:
		printed = p.JSON(env.Out)
	default:
		p.Print(env.Out, env.Language)
	}
	if err != nil && cut {
		return &cli.Exit{Code: cli.Interrupted,
			Err: i18n.Errorf("interrupted: gogi keeps the packed runs; run the same command to resume")}
	}
	return errors.Join(err, printed)
}

// pack packs the games of an existing database.
func (c *OptimizeCommand) pack(ctx context.Context, progress func(done, of int)) (p packed, err error) {
	began := time.Now()
	p.Before = results.Size(c.DB)
	store, err := openThere(ctx, c.DB)
	if err != nil {
		return p, err
	}
	p.Runs, err = results.PackAll(ctx, store, progress)
	err = errors.Join(err, store.Close())
	p.Took, p.After = time.Since(began), results.Size(c.DB)
	return p, err
}
