package main

import (
	"context"
	"errors"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/configs"
	"gogi/configs/advice"
	"gogi/internal/fail"
	"gogi/match"
	"gogi/players"
	"gogi/players/planning"
	"gogi/report"
	"gogi/report/stored"
	"gogi/report/text"
	"gogi/results"
	"gogi/runner/crash"
	"gogi/usi"
	"gogi/usi/process"
)

// matchCommand plays a match or tournament. Its flags override the keys of the file.
type matchCommand struct {
	File string `arg:"" optional:"" help:"Match file (TOML), or the name of a built-in match file (default, without --engine: 100 games between built-in engines)."`

	DB  string `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of games."`
	New bool   `more:"" help:"Start a new run NAME-2 instead of resuming NAME."`

	DryRun        bool `help:"Start the engines and print the plan; play no game."`
	Deterministic bool `more:"" help:"Check before the match that each engine plays the same moves again with fixed nodes or depth. If an engine does so only in a new process, gogi starts a new process for each game."`

	Session session.Flags `embed:""`

	configs.Flags

	TranscriptDir string `type:"path" placeholder:"DIR" more:"" help:"Folder of the USI dialogues (default: FILE-transcripts next to the database); implies --transcript."`

	session    *session.Session
	transcript bool                  // the match file or the flags request transcripts
	room       func(slots int) error // reports whether the machine has CPUs for this many slots; see session.Match.Room
	durable    bool                  // the match file or the flags request durable storage

	greeted map[string]usi.Greeting // greetings by engine, if the command plays many runs; else nil
}

// Help returns the text below the usage line of --help.
func (*matchCommand) Help() string {
	return `Example: test a patch with an SPRT.

	gogi match --run lmr7 --engine dev=./dev --engine base=./base \
	    --option all.Threads=1 --option all.USI_Hash=64 --tc 8+0.08 \
	    --games 20000 --sprt 0,10

Run the same command again to resume the run.

Exit codes: 0 done or SPRT passed, 10 SPRT failed, 11 SPRT undecided, 3 pairs unplayed, 2 usage, 1 error, 130 interrupted.`
}

// Run plays the missing pairs of the run and prints its report. A finished run with an SPRT has the exit codes
// of gogi gate.
func (c *matchCommand) Run(ctx context.Context, env *cli.Env) error {
	to := session.Target{DB: c.DB, Run: c.Flags.Run, Dry: c.DryRun}
	return c.Session.Run(ctx, env, to, func(ctx context.Context, s *session.Session) error {
		r, err := c.planned(ctx, s)
		if err != nil || r == nil || r.Gate == nil {
			return err
		}
		return cli.GateExit(r.Gate.Verdict)
	})
}

// planned plays the run and returns its report. The report is nil if the flags request no games, as with --dry-run.
func (c *matchCommand) planned(ctx context.Context, s *session.Session) (*report.Report, error) {
	plan, warnings, err := c.plan(s.Guard)
	if err != nil {
		return nil, fail.Usage(err)
	}
	c.session = s
	return c.play(ctx, s.Env, &players.Opener{Plan: plan, Guard: s.Guard, Waiting: s.Env.Warn, Warn: s.Env.Warn}, warnings)
}

// plan returns the plan of the match file and the flags, with warnings. It starts no engine.
func (c *matchCommand) plan(guard *process.Guard) (*match.Plan, []advice.Warning, error) {
	file, dir, err := c.Read(c.File)
	if err != nil {
		return nil, nil, err
	}
	c.transcript = c.TranscriptDir != "" || file.Transcript != nil && *file.Transcript
	c.durable = file.Durable()
	return planning.Plan(file, dir, guard)
}

// play performs the handshakes, opens the store, plays the games and makes the report.
func (c *matchCommand) play(ctx context.Context, env *cli.Env, o *players.Opener,
	warnings []advice.Warning) (*report.Report, error) {
	greetings, more, err := c.prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	warnings = append(warnings, more...)
	if c.DryRun {
		return nil, dryRun(ctx, env, o, greetings, warnings)
	}
	more, err = c.capacity(o, greetings)
	if err != nil {
		return nil, err
	}
	for _, w := range append(warnings, more...) {
		c.session.Note(w.Message())
	}
	if err := c.session.Open(ctx, c.durable); err != nil {
		return nil, err
	}
	return c.playInto(ctx, env, o)
}

// prepare performs the handshakes, completes the opener's plan and binds its CPUs.
func (c *matchCommand) prepare(ctx context.Context, o *players.Opener) ([]usi.Greeting, []advice.Warning, error) {
	started := c.session.Starting(o.Names()...)
	greetings, warnings, err := c.resolve(ctx, o)
	started()
	if err != nil {
		return nil, nil, err
	}
	if o.Bound, err = players.Bind(o.Plan, greetings); err != nil {
		return nil, nil, err
	}
	return greetings, append(warnings, o.Bound.Warned()...), nil
}

// capacity sets c.room. It returns an error if the machine cannot run the plan's slots.
func (c *matchCommand) capacity(o *players.Opener, greetings []usi.Greeting) ([]advice.Warning, error) {
	warnings, fatal := players.CapacityFor(o.Plan, greetings).Problems()
	c.room = func(slots int) error {
		wider := *o.Plan
		wider.Concurrency = slots
		_, fatal := players.CapacityFor(&wider, greetings).Problems()
		return errors.Join(fatal, o.Bound.Room(slots))
	}
	return warnings, fatal
}

// resolve starts each engine once, checks the engine's options and adds the engine's identity to the opener's
// plan. After resolve, the plan is complete.
func (c *matchCommand) resolve(ctx context.Context, o *players.Opener) ([]usi.Greeting, []advice.Warning, error) {
	greetings, err := c.greet(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	warnings, err := planning.Complete(o, greetings)
	if err != nil {
		return nil, nil, fail.Usage(err)
	}
	if !c.Deterministic {
		return greetings, warnings, nil
	}
	plan, notes, err := o.Deterministic(ctx, greetings)
	if err != nil {
		return nil, nil, err
	}
	o.Plan = plan
	return greetings, append(warnings, notes...), nil
}

// greet performs a USI handshake with each engine and returns the greetings. If an engine fails, greet writes
// a crash dump.
func (c *matchCommand) greet(ctx context.Context, o *players.Opener) ([]usi.Greeting, error) {
	if c.DryRun {
		return o.GreetAll(ctx)
	}
	if list := c.known(o.Plan); list != nil {
		return list, nil
	}
	o.Records = crash.Begin(c.DB, o.Plan.Run, "")
	greetings, err := o.GreetAll(ctx)
	err = errors.Join(err, o.Records.Close())
	o.Records = nil
	for i, e := range o.Plan.Engines() {
		if err == nil && c.greeted != nil {
			c.greeted[e.Name] = greetings[i]
		}
	}
	return greetings, err
}

// known returns the greetings of the plan's engines, or nil if one of them has not been greeted.
func (c *matchCommand) known(plan *match.Plan) (list []usi.Greeting) {
	for _, e := range plan.Engines() {
		greeting, ok := c.greeted[e.Name]
		if !ok {
			return nil
		}
		list = append(list, greeting)
	}
	return list
}

func (c *matchCommand) playInto(ctx context.Context, env *cli.Env, o *players.Opener) (*report.Report, error) {
	if err := c.nameRun(ctx, o); err != nil {
		return nil, err
	}
	m := session.Match{Opener: o, Room: c.room, Rename: "--new starts another run, --run gives it a name",
		Begin: func(_ context.Context, _ *results.Run, pairs int) error {
			return c.expect(ctx, env, o, pairs)
		}}
	if c.transcript {
		m.Transcripts = crash.TranscriptDir(c.TranscriptDir, c.DB, o.Plan.Run)
	}
	r, played := c.session.Play(ctx, m)
	if r == nil {
		return nil, played
	}
	if c.Deterministic {
		info, err := c.session.Store.FindRun(ctx, r.Run)
		if err == nil {
			r.Divergence, err = stored.Divergence(ctx, c.session.Store, info.ID, r.A, r.B)
		}
		if err != nil {
			return nil, errors.Join(played, err)
		}
	}
	if !c.Session.JSON {
		text.Summary(env.Out, r, env.Language, c.DB)
	}
	return r, played
}

func (c *matchCommand) expect(ctx context.Context, env *cli.Env, o *players.Opener, pairs int) error {
	if o.Plan.Gate.IsZero() || pairs > 0 || c.Session.Quiet {
		return nil
	}
	length, _, err := o.GameLength(ctx)
	if err != nil {
		return err
	}
	return expectationLine(env.Err, env.Language, o.Plan, length)
}

func (c *matchCommand) nameRun(ctx context.Context, o *players.Opener) (err error) {
	if !c.New {
		return nil
	}
	renamed := *o.Plan
	o.Plan = &renamed
	renamed.Run, err = c.session.Store.FreeName(ctx, renamed.Run)
	return err
}
