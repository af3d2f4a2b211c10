package dbverbs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"gogi/internal/phrases"
	"gogi/internal/usage"
	"gogi/internal/verb"
	"gogi/results"
	"gogi/upkeep"
)

// PackCommand packs the games of an old database, which makes its first report quick.
type PackCommand struct {
	File  string `arg:"" optional:"" placeholder:"FILE" help:"The database of games (default: that of --db)."`
	DB    string `name:"db" default:"gogi.db" placeholder:"FILE" help:"The database of games."`
	JSON  bool   `name:"json" help:"One JSON object."`
	Quiet bool   `short:"q" help:"No progress."`
}

// defaultDB is the default of --db.
const defaultDB = "gogi.db"

// Help is what the verb's --help says below its flags' summary.
func (*PackCommand) Help() string {
	return `A run that an older gogi has played is packed for whoever reads it whole: reports, pages,
ratings. Its end does so by itself, 64 blocks of 512 pairs at most, and so does gogi db
repair; this does it for all runs of the file at once. Nothing else is changed. Nobody may
play into the file meanwhile.

An interrupt keeps what is packed, with exit code 130; the same command goes on.`
}

// Run prints what was packed, also where that was not all.
func (c *PackCommand) Run(ctx context.Context, env *verb.Env) error {
	switch {
	case c.File == "":
		c.File = c.DB
	case c.DB != "" && c.DB != defaultDB && c.DB != c.File:
		return usage.Wrap(errors.New("expected one database: FILE or --db FILE"))
	}
	ctx, interrupted := verb.Catch(ctx, env)
	p, err := c.pack(ctx, verb.Percent(env.Err, c.Quiet))
	cut := errors.Is(context.Cause(ctx), verb.ErrInterrupted)
	interrupted.Stop()
	var told error
	switch {
	case err != nil && p.Sum().Segments == 0: // there is nothing to tell
	case c.JSON:
		told = p.JSON(env.Out)
	default:
		p.Print(env.Out, env.Tongue)
	}
	if err != nil && cut {
		return &verb.Exit{Code: verb.Interrupted, Err: phrases.Errorf("interrupted: what is packed stays, and the same command goes on")}
	}
	return errors.Join(err, told)
}

// pack packs the file, which must be there.
func (c *PackCommand) pack(ctx context.Context, progress func(done, of int)) (p upkeep.Packed, err error) {
	began := time.Now()
	there, err := results.OpenExisting(ctx, c.File)
	if err != nil {
		return p, err
	}
	if err := there.Close(); err != nil {
		return p, err
	}
	if p.Before, err = size(c.File); err != nil {
		return p, err
	}
	store, err := results.Open(ctx, c.File)
	if err != nil {
		return p, err
	}
	p.Runs, err = store.PackAll(ctx, progress)
	if err = errors.Join(err, store.Close()); err != nil && p.Runs == nil {
		return p, err
	}
	p.Took = time.Since(began)
	after, failed := size(c.File)
	p.After = after
	return p, errors.Join(err, failed)
}

// size is how many bytes a database has, with its log.
func size(file string) (bytes int64, err error) {
	for _, name := range []string{file, file + "-wal"} {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) && name != file {
			continue
		}
		if err != nil {
			return 0, err
		}
		bytes += info.Size()
	}
	return bytes, nil
}
