package tunecmd

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"path/filepath"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/configs"
	"gogi/configs/advice"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/match"
	"gogi/match/tune"
	"gogi/players"
	"gogi/players/planning"
	"gogi/report/tuning"
	"gogi/results"
	"gogi/usi"
	"gogi/usi/process"
)

//go:embed demo.toml
var demo []byte

type setup struct {
	File string `arg:"" optional:"" help:"Tune file (TOML); without it and without --engine gogi tunes the built-in engine, where the best values are known."`

	DB     string   `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of games."`
	Param  []string `sep:"none" placeholder:"GLOB" help:"Parameters to tune, by name or pattern such as 'LMR_*', in addition to those of the file."`
	Method string   `placeholder:"NAME" help:"Method: spsa (default) or fishtest."`
	Faults string   `placeholder:"WORD" more:"" help:"Treatment of engine failures: end the tune if they are too frequent (stop), or count each as a loss (forfeit)."`

	configs.Flags
}

// load reads the tune file. Without a file it returns gogi's demonstration file, or an empty file if the
// flags name an engine. dir is the folder for relative paths.
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

type study struct {
	request  tuning.Request
	base     *match.Plan // the match that the tune plays
	tune     *tune.Plan
	plan     *match.Plan // the plan of its games
	opener   *players.Opener
	declared []usi.Option
	warnings []advice.Warning
	playing
}

// playing has the settings for storing games.
type playing struct{ durable, transcript bool }

func playingOf(durable, transcript *bool) playing {
	return playing{durable != nil && *durable, transcript != nil && *transcript}
}

// prepare makes the study from the tune file and the flags. It performs the handshake with the engine.
func (c *setup) prepare(ctx context.Context, guard *process.Guard) (*study, error) {
	s := &study{}
	file, dir, err := c.match(s)
	if err != nil {
		return nil, fail.Usage(err)
	}
	base, err := planning.NewTuneBase(ctx, file, dir, guard)
	if err != nil {
		return nil, err
	}
	s.base, s.opener, s.declared, s.warnings = base.Plan, base.Opener, base.Declared(), base.Warnings
	return s, s.fits(base.Greetings)
}

// fits returns an error if the machine has too little memory or too few CPUs for the tune. Otherwise it adds
// warnings to the study.
func (s *study) fits(greetings []usi.Greeting) (err error) {
	if s.opener.Bound, err = players.Bind(s.base, greetings); err != nil {
		return err
	}
	more, fatal := players.CapacityFor(s.base, greetings).Problems()
	s.warnings = append(append(s.warnings, s.opener.Bound.Warned()...), more...)
	return fatal
}

// match returns the file with the settings of the tune's games, and the folder to which paths in this file are
// relative.
func (c *setup) match(s *study) (file *configs.File, dir string, err error) {
	if file, dir, err = c.load(); err == nil {
		err = file.Apply(c.Flags)
	}
	if err != nil {
		return nil, "", err
	}
	store := file.Store
	if store == nil {
		store = &configs.Store{}
	}
	s.playing = playingOf(store.Durable, file.Transcript)
	request, err := file.TakeTune()
	if err != nil {
		return nil, "", err
	}
	request.Method, request.Faults = cmp.Or(c.Method, request.Method), cmp.Or(c.Faults, request.Faults)
	s.request = tuning.Request{TuneSettings: request, Dir: dir, Globs: c.Param}
	return file, dir, nil
}

// resolve makes the complete plan of the tune. The store may already have this tune. If the store has a
// finished tune with fewer pairs, resolve makes a new tune that starts at the final values of the finished
// tune. It does not extend the finished tune, because a longer schedule is another experiment.
func (s *study) resolve(ctx context.Context, store *results.Store) error {
	if store != nil {
		if err := s.findRun(ctx, store); err != nil {
			return err
		}
	}
	tuned, warnings, err := s.request.Resolve(s.base, s.declared)
	if err != nil {
		return fail.Usage(err)
	}
	s.tune, s.warnings = tuned, append(s.warnings, warnings...)
	if s.plan, err = tuning.Play(s.base, tuned); err != nil {
		return fail.Usage(err)
	}
	return nil
}

// findRun sets the name of the run. It is the NAME of the plan, or NAME-2 and so on if the stored runs with
// these names have fewer pairs.
func (s *study) findRun(ctx context.Context, store *results.Store) error {
	name := s.base.Run
	for next := 2; ; next++ {
		info, err := store.FindRun(ctx, s.base.Run)
		if err != nil {
			return nil // this is a new run; Begin reports an error of the database
		}
		begun, err := tuning.PlanOf(info)
		if err != nil {
			return fmt.Errorf("%w: expected another name of the run (--run)", err)
		}
		s.request.Begun(&begun.Settings)
		if begun.Settings.Pairs >= s.base.Pairs {
			return nil // Begin rejects a stored run with more pairs
		}
		a, err := tuning.Read(ctx, store, info, tuning.Latest)
		if err != nil {
			return err
		}
		if !a.Done() {
			return fail.Usage(fmt.Errorf("run %s was begun for %s, of which %d are learnt: expected that number of games, or, once it is done, a larger one",
				info.Name, format.NumberOf(begun.Settings.Pairs, "pair"), a.State.Pairs))
		}
		s.request.From, s.request.Starts, s.request.Inflight, s.request.Wide = info.Name, a.Point(), 0, nil
		s.base.Run = fmt.Sprintf("%s-%d", name, next)
	}
}

// RunCommand plays a tune, and then the matches that test the tune's final values.
type RunCommand struct {
	setup

	Session session.Flags `embed:""`

	DryRun     bool `help:"Start the engine and print the tune; play no game."`
	NoProbe    bool `more:"" help:"Skip the check for parameters without effect."`
	StopFutile bool `more:"" help:"End the tune after half of its games or later, if no parameter has a measurable effect on the results even with the largest perturbations."`
	NoValidate bool `help:"Skip the validation match; the final values are then unproven."`
}

// Help returns the text below the usage line of --help.
func (*RunCommand) Help() string {
	return `gogi tune plays games of the engine against itself with different option values, and moves the
values towards those that win. These games are no proof. So gogi then plays a validation
match of the final values against the start values. The SPRT of that match is fixed before
the first game of the tune.

Run the same command again to resume. If a tune is done, a larger --games starts run NAME-2
from its final values.

Exit codes: 0 the validation passed (or the tune is done, with --no-validate), 10 it
failed, 11 undecided, 3 pairs unplayed, 2 usage, 1 error, 130 interrupted.`
}

// Run plays the missing pairs of the tune, and then the missing pairs of the matches that test its final
// values.
func (c *RunCommand) Run(ctx context.Context, env *cli.Env) error {
	return c.guarded(ctx, env, &c.Session, c.DryRun, c.prepare, func(ctx context.Context, p *player) error {
		p.validates, p.stopFutile = !c.NoValidate, c.StopFutile
		if c.DryRun {
			return p.dryRun(ctx)
		}
		if err := p.Open(ctx, p.study.durable); err != nil {
			return err
		}
		if err := p.study.resolve(ctx, p.Store); err != nil {
			return err
		}
		account, err := p.tune(ctx, !c.NoProbe)
		if err != nil {
			return err
		}
		if !p.JSON {
			tuning.Print(env.Out, env.Language, account, validations(ctx, p.Store, account))
		}
		if c.NoValidate {
			return nil
		}
		return p.validate(ctx, account, false)
	})
}

// guarded starts a guard process and calls prepare. Then it calls the function do with a session that plays the
// prepared study. dry means that this function plays no game.
func (c *setup) guarded(ctx context.Context, env *cli.Env, flags *session.Flags, dry bool,
	prepare func(context.Context, *process.Guard) (*study, error), do func(context.Context, *player) error) error {
	return flags.Run(ctx, env, session.Target{DB: c.DB, Run: c.Run, Dry: dry},
		func(ctx context.Context, s *session.Session) error {
			started := s.Starting()
			study, err := prepare(ctx, s.Guard)
			started()
			if err != nil {
				return err
			}
			return do(ctx, &player{Session: s, study: study})
		})
}
