package recordscmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/configs"
	"gogi/configs/identity"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/shellwords"
	"gogi/match"
	"gogi/players"
	"gogi/players/planning"
	"gogi/results"
	"gogi/runner/crash"
	"gogi/runner/selfplay"
)

// SelfplayCommand groups the commands for training data from self-play.
type SelfplayCommand struct {
	Play SelfplayPlayCommand `cmd:"" default:"withargs" help:"Generate training data by self-play, or resume (default)"`
	Init SelfplayInitCommand `cmd:"" help:"Write a commented self-play file"`
}

// SelfplayInitCommand writes a self-play file.
type SelfplayInitCommand struct {
	File string `arg:"" optional:"" default:"selfplay.toml" help:"File to write (default ${default})."`
}

// Run writes the file. It does not change an existing file.
func (c *SelfplayInitCommand) Run(env *cli.Env) error {
	return env.WriteNew(c.File, configs.SelfplayTemplate(), "gogi selfplay "+shellwords.Quote(c.File)+" --dry-run")
}

// SelfplayPlayCommand generates training data.
type SelfplayPlayCommand struct {
	File string `arg:"" help:"Self-play file; gogi selfplay init writes one."`

	cli.Database
	DryRun      bool         `help:"Start the engines once and print the plan; play no game."`
	Assemble    bool         `help:"Play no game; only make the training data, from the stored blocks before the first missing block. With --json, print the manifest of the data."`
	Concurrency cli.Positive `placeholder:"N" help:"Number of blocks (groups of games) at a time (default: the number in the file, else one for each CPU); the data do not depend on this number."`

	Session session.Flags `embed:""`
}

// Run plays the missing blocks, and then makes the data. After an interrupt it finishes the current blocks
// and makes no data. A second interrupt ends it at once.
func (c *SelfplayPlayCommand) Run(ctx context.Context, env *cli.Env) error {
	to := session.Target{DB: c.DB, Dry: c.DryRun || c.Assemble}
	return c.Session.Run(ctx, env, to, func(ctx context.Context, s *session.Session) error {
		file, dir, err := configs.Find(c.File)
		if err != nil {
			return fail.Usage(err)
		}
		ready, err := planning.ResolveSelfplay(file, dir, s.Guard)
		if err != nil {
			return err
		}
		old := selfplay.IsOld(ready.Folder)
		switch {
		case old && c.Assemble:
			return c.assembleOld(ctx, env, ready)
		case old:
			return fail.Usage(fmt.Errorf("selfplay.to: %s has blocks of an earlier gogi, which stored no games in a database; use --assemble to make data from them, or name another folder to play", ready.Folder))
		case c.Assemble:
			return c.assemble(ctx, env, ready)
		}
		if c.Concurrency > 0 {
			ready.Plan.Concurrency = int(c.Concurrency)
		}
		return c.play(ctx, s, ready, file.Durable())
	})
}

// renameSelfplay is the advice if the stored run with the same name has another plan.
const renameSelfplay = "the key run sets another name"

func (c *SelfplayPlayCommand) play(ctx context.Context, s *session.Session, ready *planning.Selfplay,
	durable bool) error {
	started := s.Starting(ready.Opener.Names()...)
	err := ready.Complete(ctx)
	started()
	if err != nil {
		return err
	}
	if ready.Opener.Bound, err = players.Bind(ready.Plan, ready.Greetings); err != nil {
		return err
	}
	more, fatal := players.CapacityFor(ready.Plan, ready.Greetings).Problems()
	for _, w := range append(append(ready.Warnings, ready.Opener.Bound.Warned()...), more...) {
		s.Note(w.Message())
	}
	if c.DryRun {
		return errors.Join(c.dryRun(ctx, s.Env, ready), fatal)
	}
	if fatal != nil {
		return fatal
	}
	if err := s.Open(ctx, durable); err != nil {
		return err
	}
	m := session.Match{Opener: ready.Opener, Rename: renameSelfplay}
	if ready.Transcript {
		m.Transcripts = crash.TranscriptDir("", c.DB, ready.Plan.Run)
	}
	if _, err := s.Play(ctx, m); err != nil {
		return err
	}
	made, err := c.stored(ctx, s.Store, ready)
	if err == nil && !c.Session.JSON {
		printMade(s.Env, made, ready.Folder)
	}
	return err
}

func (c *SelfplayPlayCommand) assemble(ctx context.Context, env *cli.Env, ready *planning.Selfplay) error {
	var made *selfplay.Manifest
	err := c.Read(ctx, func(store *results.Store) (err error) {
		made, err = c.stored(ctx, store, ready)
		return err
	})
	return c.print(env, made, ready.Folder, err)
}

func (c *SelfplayPlayCommand) stored(ctx context.Context, store *results.Store,
	ready *planning.Selfplay) (*selfplay.Manifest, error) {
	info, err := cli.FindRun(ctx, store, ready.Plan.Run)
	if err != nil {
		return nil, err
	}
	plan, err := info.ParsePlan()
	if err != nil {
		return nil, err
	}
	from, err := selfplay.Stored(plan, ready.Plan.Openings,
		func(ctx context.Context, number int) (match.PairResult, error) {
			pair, err := store.Pair(ctx, info.ID, number)
			if errors.Is(err, results.ErrNoGame) {
				err = fs.ErrNotExist
			}
			return pair, err
		})
	if err != nil {
		return nil, fail.Usage(fmt.Errorf("run %s: %w", info.Name, err))
	}
	return selfplay.Make(ctx, ready.Folder, from, ready.Plan.Pairs, ready.Data)
}

// assembleOld makes the training data of a folder that an earlier version of gogi wrote.
func (c *SelfplayPlayCommand) assembleOld(ctx context.Context, env *cli.Env, ready *planning.Selfplay) error {
	from, err := selfplay.Old(ready.Folder)
	if err != nil {
		return err
	}
	made, err := selfplay.Make(ctx, ready.Folder, from, ready.Plan.Pairs, ready.Data)
	return c.print(env, made, ready.Folder, err)
}

func (c *SelfplayPlayCommand) print(env *cli.Env, made *selfplay.Manifest, folder string, err error) error {
	switch {
	case err != nil:
		return err
	case c.Session.JSON:
		return format.JSON(env.Out, made)
	}
	printMade(env, made, folder)
	return nil
}

func printMade(env *cli.Env, m *selfplay.Manifest, folder string) {
	m.Statistics.Print(env.Out)
	fmt.Fprintf(env.Out, "data        %s in %s/shards, of %s\n", format.NumberOf(len(m.Shards), "file"), folder,
		format.NumberOf(len(m.Blocks), "block"))
	fmt.Fprintf(env.Out, "dataset     %s\n", m.Dataset)
}

func (c *SelfplayPlayCommand) dryRun(ctx context.Context, env *cli.Env, s *planning.Selfplay) error {
	p, d, w := s.Plan.Players[0], s.Plan.Design.Selfplay, env.Out
	fmt.Fprintf(w, "run         %s in %s, digest %s\n", s.Plan.Run, c.DB, s.Plan.Digest()[:16])
	fmt.Fprintf(w, "player      %s (%s), %s\n", p.Name, p.Identity, p.Limits)
	if d.NodeJitter > 0 {
		fmt.Fprintf(w, "            nodes vary by up to %s\n", format.PercentShort(d.NodeJitter))
	}
	fmt.Fprintf(w, "games       %s: %s of %d, %d at a time\n", format.Count(s.Plan.Games()),
		format.NumberOf(s.Plan.Pairs, "block"), d.Games, s.Plan.Concurrency)
	fmt.Fprintf(w, "beginnings  %s, then %d to %d random plies%s\n", format.NumberOf(len(s.Plan.Openings), "opening"),
		d.RandomMin, d.RandomMax, within(d.Window))
	if d.TemperaturePlies > 0 {
		fmt.Fprintf(w, "            then %d plies among the best %d, temperature %g\n", d.TemperaturePlies, d.Lines,
			d.Temperature)
	}
	if d.NoisePlies > 0 && d.Noise > 0 {
		fmt.Fprintf(w, "            in the first %d plies any move with a chance of %g\n", d.NoisePlies, d.Noise)
	}
	if s.Plan.Adjudication != (match.Adjudication{}) {
		fmt.Fprintf(w, "ends        by the rules %s, or by scores; %s played out\n", s.Plan.Rules.Name,
			format.PercentShort(d.Audit))
	}
	fmt.Fprintf(w, "data        %s in %s\n", s.Data.Format.Name, s.Folder)
	return c.there(ctx, env, s.Plan)
}

// there prints how many blocks of the run are already stored. It prints nothing if the run is not in the database.
// It returns an error if the stored run has another plan.
func (c *SelfplayPlayCommand) there(ctx context.Context, env *cli.Env, plan *match.Plan) error {
	if _, err := os.Stat(c.DB); err != nil {
		return nil // the database does not exist yet
	}
	return c.Read(ctx, func(store *results.Store) error {
		info, err := store.FindRun(ctx, plan.Run)
		if _, none := errors.AsType[*results.NoRun](err); none {
			return nil
		}
		if err == nil {
			if older, _ := identity.WithoutNew(plan, info.Plan); older != nil && older.Digest() == info.Digest {
				plan = older // as the session resumes it
			}
		}
		if err == nil && info.Digest != plan.Digest() {
			different := &results.DifferentPlan{Run: plan.Run, Differences: match.Differences(info.Plan, plan.Canonical())}
			err = fail.Usage(fmt.Errorf("%s: %w\nwhat it has stays as it is; %s", c.DB, different, renameSelfplay))
		}
		if err != nil {
			return err
		}
		stored, err := store.Finished(ctx, info.ID)
		fmt.Fprintf(env.Out, "stored      %s\n", format.NumberOf(len(stored), "block"))
		return err
	})
}

func within(window int) string {
	if window == 0 {
		return ""
	}
	return fmt.Sprintf(", within ±%d", window)
}
