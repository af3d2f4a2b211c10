package tuneverbs

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"

	"gogi/cmd/gogi/planning"
	"gogi/configs"
	"gogi/configs/advice"
	"gogi/internal/format"
	"gogi/internal/usage"
	"gogi/internal/verb"
	"gogi/match"
	"gogi/players"
	"gogi/results"
	"gogi/series"
	"gogi/tune"
	"gogi/tuning"
	"gogi/usi"
	"gogi/usi/process"
)

//go:embed demo.toml
var demo []byte

// setup is what is needed to find out what is tuned, and with what.
type setup struct {
	File string `arg:"" optional:"" help:"The tune as TOML; without it and without --engine, a tune of the built-in engine whose answer is known."`

	DB     string   `name:"db" default:"gogi.db" placeholder:"FILE" help:"The database of games."`
	Param  []string `sep:"none" placeholder:"GLOB" help:"Tune the engine's numbers of this name, such as 'LMR_*', beside those of the file."`
	Method string   `placeholder:"NAME" help:"spsa (default), surface or fishtest."`
	Faults string   `placeholder:"WORD" help:"stop: end where points fail too often; forfeit: take failing for losing."`

	Run         string   `placeholder:"NAME" help:"Name of the run (default: the file's)."`
	Engine      []string `sep:"none" placeholder:"A=CMD" help:"The engine, in place of a file's."`
	Option      []string `sep:"none" placeholder:"A.NAME=VALUE" help:"An engine's option."`
	Games       *int     `placeholder:"N" help:"How many games: the schedule is made for them."`
	Seed        *uint64  `placeholder:"N" help:"Seed of everything random."`
	Concurrency string   `placeholder:"N" help:"Games at a time."`
	Openings    string   `placeholder:"FILE" help:"Lines \"startpos moves …\" or \"sfen …\", or a built-in set: builtin (the default), builtin-short, builtin-64."`
	TC          []string `name:"tc" sep:"none" placeholder:"8+0.08" help:"Clock in seconds: main+increment or main/byoyomi."`
	Nodes       []string `sep:"none" placeholder:"N" help:"Nodes a move."`
	Depth       []string `sep:"none" placeholder:"N" help:"Depth of a search."`
	Movetime    []string `sep:"none" placeholder:"DUR" help:"Fixed time a move."`
	Quiet       bool     `short:"q" help:"No progress."`
}

func (c *setup) flags() configs.Flags {
	return configs.Flags{
		Run: c.Run, Engine: c.Engine, Option: c.Option, Games: c.Games, Seed: c.Seed, Concurrency: c.Concurrency, Openings: c.Openings,
		TC: c.TC, Nodes: c.Nodes, Depth: c.Depth, Movetime: c.Movetime,
	}
}

// load reads the file, or takes the one within gogi.
func (c *setup) load() (f *configs.File, dir string, err error) {
	switch {
	case c.File != "":
		f, err = configs.Load(c.File)
		return f, filepath.Dir(c.File), err
	case len(c.Engine) == 0:
		f, err = configs.Parse(demo, "tune-demo.toml")
		return f, "", err
	}
	return &configs.File{}, "", nil
}

// study is a tune that is ready to be played.
type study struct {
	wish     tuning.Wish
	base     *match.Plan // the match that it is made of
	tune     *tune.Plan
	plan     *match.Plan // of its games
	opener   *players.Opener
	declared []usi.Option
	warnings []advice.Warning
}

// prepare resolves the file and the flags, and greets the engine.
func (c *setup) prepare(ctx context.Context, guard *process.Guard) (*study, error) {
	s := &study{}
	file, dir, err := c.match(s)
	if err != nil {
		return nil, usage.Wrap(err)
	}
	if err := planning.KeepOpenings(ctx, c.DB, file); err != nil {
		return nil, err
	}
	base, err := planning.NewTuneBase(ctx, file, dir, guard)
	if err != nil {
		return nil, err
	}
	s.base, s.opener, s.declared, s.warnings = base.Plan, base.Opener, base.Declared(), base.Warnings
	return s, s.fits(base.Greetings)
}

// fits says what does not fit this machine, or will go slowly.
func (s *study) fits(greetings []usi.Greeting) (err error) {
	if s.opener.Bound, err = players.Bind(s.base, greetings); err != nil {
		return err
	}
	more, fatal := players.CapacityFor(s.base, greetings).Problems()
	s.warnings = append(append(s.warnings, s.opener.Bound.Warned()...), more...)
	return fatal
}

// match is the file of the match that the tune is made of, and what its paths are
// relative to.
func (c *setup) match(s *study) (file *configs.File, dir string, err error) {
	if file, dir, err = c.load(); err == nil {
		err = file.Apply(c.flags())
	}
	if err != nil {
		return nil, "", err
	}
	wish, err := file.TakeTune()
	if err != nil {
		return nil, "", err
	}
	if c.Method != "" {
		wish.Method = c.Method
	}
	if c.Faults != "" {
		wish.Faults = c.Faults
	}
	s.wish = tuning.Wish{TuneWish: wish, Dir: dir, Globs: c.Param}
	return file, dir, nil
}

// resolve makes the tune; store may have it already, begun by another line. Where it has
// a shorter one that is done, this is another tune, which begins at the answer of that: a
// schedule that is stretched is another experiment.
func (s *study) resolve(ctx context.Context, store *results.Store) error {
	if store != nil {
		if err := s.goOn(ctx, store); err != nil {
			return err
		}
	}
	tuned, warnings, err := s.wish.Resolve(s.base, s.declared)
	if err != nil {
		return usage.Wrap(err)
	}
	s.tune, s.warnings = tuned, append(s.warnings, warnings...)
	if s.plan, err = tuning.Play(s.base, tuned); err != nil {
		return usage.Wrap(err)
	}
	return nil
}

// goOn finds out which run this is: the one of the plan's name, or, where those of that
// name were made for fewer pairs, NAME-2 and so on.
func (s *study) goOn(ctx context.Context, store *results.Store) error {
	name := s.base.Run
	for next := 2; ; next++ {
		info, err := store.FindRun(ctx, s.base.Run)
		if err != nil {
			return nil //nolint:nilerr // it is begun now; an error of the database comes again then
		}
		begun, err := tuning.PlanOf(info)
		if err != nil {
			return fmt.Errorf("%w: expected another name of the run (--run)", err)
		}
		s.wish.Begun(&begun.Settings)
		if begun.Settings.Pairs >= s.base.Pairs {
			return nil // a longer one is refused, with what differs
		}
		a, err := tuning.Read(ctx, store, info, tuning.Latest)
		if err != nil {
			return err
		}
		if !a.Done() {
			return usage.Wrap(fmt.Errorf("run %s was begun for %s, of which %d are learnt: expected that number of games, or, once it is done, a larger one",
				info.Name, format.NumberOf(begun.Settings.Pairs, "pair"), a.State.Pairs))
		}
		s.wish.From, s.wish.Starts, s.wish.Inflight, s.wish.Wide = info.Name, a.Point(), 0, nil
		s.base.Run = fmt.Sprintf("%s-%d", name, next)
	}
}

// RunCommand tunes and validates.
type RunCommand struct {
	setup

	DryRun     bool `help:"Resolve everything, greet the engine, print the tune; play nothing."`
	NoProbe    bool `help:"Do not look for options that change nothing before the first game."`
	StopFutile bool `help:"End a tune of which half is played, where nothing can be seen to matter though it is perturbed as far as may be."`
	NoValidate bool `help:"Play no validation: the tune's answer is then no more than a guess."`
	JSON       bool `name:"json" help:"The reports as JSON: an object for the tune, then one for its validation."`
}

// Help is what the verb's --help says below its flags' summary.
func (*RunCommand) Help() string {
	return `Values of engine options that play better are looked for by games of the engine against
itself at two points (docs/tune.md). The games of a tune prove nothing: what it found is
then played against the start, in a match whose test was written down before the first
game. The same line again goes on with both.

A tune that is done goes on where --games is larger: as run NAME-2, with a schedule of its
own, from what it has answered.

Exit codes: 0 the validation passed (or the tune is done, with --no-validate), 10 it
failed, 11 it is inconclusive, 3 unplayed, 1 an error, 2 usage, 130 interrupted.`
}

// Run plays what is missing of the tune, then of its validation.
func (c *RunCommand) Run(ctx context.Context, env *verb.Env) error {
	return c.guarded(ctx, env, func(ctx context.Context, p *player) error {
		p.json, p.validates, p.stopFutile = c.JSON, !c.NoValidate, c.StopFutile
		if c.DryRun {
			return p.dryRun(ctx, c.DB)
		}
		return p.withStore(ctx, c.DB, func(store *results.Store) error {
			if err := p.study.resolve(ctx, store); err != nil {
				return err
			}
			account, err := p.tune(ctx, store, !c.NoProbe)
			if err != nil {
				return err
			}
			if err := c.print(ctx, env, store, account); err != nil || c.NoValidate {
				return err
			}
			return p.validate(ctx, store, account, false)
		})
	})
}

func (c *RunCommand) print(ctx context.Context, env *verb.Env, store *results.Store, a *tuning.Account) error {
	if c.JSON {
		return format.JSON(env.Out, tuning.Tell(a))
	}
	tuning.Print(env.Out, env.Tongue, a, told(ctx, store, a))
	return nil
}

// guarded runs something with what plays: engines die with this program.
func (c *setup) guarded(ctx context.Context, env *verb.Env, do func(context.Context, *player) error) error {
	return c.guardedBy(ctx, env, c.prepare, do)
}

// guardedBy is guarded for a study that is made otherwise.
func (c *setup) guardedBy(ctx context.Context, env *verb.Env, prepare func(context.Context, *process.Guard) (*study, error), do func(context.Context, *player) error) error {
	ctx, interrupted := verb.Catch(ctx, env)
	defer interrupted.Stop()
	guard, err := players.StartGuard(env.GuardChanged)
	if err != nil {
		return err
	}
	started := func() {}
	if !c.Quiet {
		started = env.Starting()
	}
	s, err := prepare(ctx, guard)
	started()
	if err == nil {
		err = do(ctx, &player{study: s, env: env, db: c.DB, quiet: c.Quiet, interrupted: interrupted})
	}
	return errors.Join(verb.Reason(ctx, err), guard.Close())
}

// ended turns the end of a session into an error with an exit code.
func ended(e series.Ending, interrupted bool) error {
	left := format.NumberOf(e.Left, "pair")
	switch {
	case e.Left > 0 && (e.Ordered || interrupted):
		return &verb.Exit{Code: verb.Interrupted, Err: fmt.Errorf("ended with %s unplayed; the same command goes on", left)}
	case e.Left > 0 && e.Why != nil:
		if _, faulty := errors.AsType[*tune.Faulty](e.Why); faulty {
			return &verb.Exit{Code: verb.Failed, Err: e.Why}
		}
		if _, futile := errors.AsType[*tune.Futile](e.Why); futile {
			return &verb.Exit{Code: verb.Unplayed, Err: fmt.Errorf("%w; unplayed: %s; the same command without --stop-futile goes on", e.Why, left)}
		}
		return &verb.Exit{Code: verb.Unplayed, Err: fmt.Errorf("%w; unplayed: %s; the same command goes on", e.Why, left)}
	case e.Left > 0:
		return &verb.Exit{Code: verb.Unplayed, Err: fmt.Errorf("unplayed: %s", left)}
	}
	return e.Why
}
