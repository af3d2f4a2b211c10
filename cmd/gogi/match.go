package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"

	"gogi/alarms"
	"gogi/archive"
	"gogi/cmd/gogi/planning"
	"gogi/cmd/gogi/recordverbs"
	"gogi/configs/advice"
	"gogi/configs/shellwords"
	"gogi/faults"
	"gogi/internal/fastchess"
	"gogi/internal/format"
	"gogi/internal/phrases"
	"gogi/internal/usage"
	"gogi/internal/verb"
	"gogi/live"
	"gogi/live/socket"
	"gogi/match"
	"gogi/metrics"
	"gogi/players"
	"gogi/report"
	"gogi/report/text"
	"gogi/results"
	"gogi/screen"
	"gogi/series"
	"gogi/usi"
	"gogi/usi/process"
)

// matchCommand plays a series. Its flags mirror the file and win over it.
type matchCommand struct {
	File string `arg:"" optional:"" help:"A series as TOML, or the name of a ready one; without it and without --engine, a short series between built-in engines."`

	DB  string `name:"db" default:"gogi.db" placeholder:"FILE" help:"The database of games."`
	New bool   `help:"Begin a new run NAME-2 instead of going on with NAME."`

	DryRun        bool   `help:"Resolve everything, greet the engines, print the plan; play nothing."`
	Deterministic bool   `help:"Check that both engines play alike move for move at fixed nodes or depth, with fresh processes where that is needed."`
	Exit          string `enum:"default,bisect" default:"default" help:"bisect: exit codes for git bisect run (0 not worse, 1 worse, 125 skip, 255 stop)."`

	FromFastchess string `placeholder:"LINE" help:"Print the line of gogi match for one of fastchess, and what has no counterpart; play nothing."`

	BisectCommits *int `placeholder:"N" help:"Of --exit bisect: how many commits are searched, so that the error rates hold for all steps together."`

	JSON  bool `name:"json" help:"Print the events of the run on stdout, one JSON object a line, instead of the report."`
	Quiet bool `short:"q" help:"No progress."`

	HTTP string `name:"http" group:"pages" placeholder:"HOST:PORT" help:"Show the run in a browser while it is played, such as at 127.0.0.1:7878."`
	webFlags

	hookFlags

	RecordDir    string `type:"path" placeholder:"DIR" help:"Keep a file of each game that is played in this folder, as it grows; games that do not count are removed."`
	RecordFormat string `enum:"csa,kif" default:"csa" help:"Of the files of --record-dir: csa or kif."`
	MetricsFile  string `group:"pages" type:"path" placeholder:"FILE" help:"Write the run's metrics there, every 15 seconds and at the end, as node_exporter's textfile collector reads them: /…/gogi.prom."`

	planning.Flags

	TranscriptDir string `type:"path" placeholder:"DIR" help:"Of --transcript: where; a folder for each run (default: FILE-transcripts beside the database)."`

	interrupted *verb.Interrupts
	transcript  bool // the file's key, or the flag
	desk        *alarms.Desk
	step        *bisectStep           // of --exit bisect, else nil
	room        func(slots int) error // says why there cannot be so many
	durability  results.Durability    // what the file and the flags say, once they are read
}

// Run plays what is missing of the run and prints its report. A finished run with a gate has
// the exit codes of gogi gate.
func (c *matchCommand) Run(ctx context.Context, env *verb.Env) error {
	switch {
	case c.FromFastchess != "":
		return translate(env, c.FromFastchess)
	case c.Exit == exitBisect && (c.OnEnd != "" || c.OnFault != ""):
		return usage.Wrap(errors.New("--on-end and --on-fault do not go with --exit bisect: git runs what follows"))
	case c.Exit == exitBisect:
		return c.bisect(ctx, env)
	case c.BisectCommits != nil:
		return usage.Wrap(errors.New("--bisect-commits belongs to --exit bisect"))
	}
	if err := c.parse(); err != nil {
		return usage.Wrap(err)
	}
	if err := c.Check(ctx, c.HTTP); err != nil {
		return err
	}
	if folder := filepath.Dir(c.DB); !c.DryRun {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return fmt.Errorf("--db %s: the folder %s does not exist; make it first", c.DB, folder)
		}
	}
	r, err := c.match(ctx, env)
	if err == nil && r != nil && r.Gate != nil {
		err = gateExit(r.Gate.Verdict)
	}
	if !c.DryRun {
		c.tellEnd(ctx, env, c.DB, c.Flags.Run, r, err)
	}
	return err
}

// translate prints a line of fastchess as one of this program, which plays nothing.
func translate(env *verb.Env, line string) error {
	words, err := shellwords.Split(line)
	if err != nil {
		return usage.Wrap(fmt.Errorf("--from-fastchess: %w", err))
	}
	t := fastchess.Translate(words)
	fmt.Fprintln(env.Out, t)
	for _, note := range t.Notes {
		fmt.Fprintln(env.Err, "note:", note)
	}
	return nil
}

// match is the whole verb; the report is nil where nothing was to be played.
func (c *matchCommand) match(ctx context.Context, env *verb.Env) (*report.Report, error) {
	ctx, interrupted := verb.Catch(ctx, env)
	defer interrupted.Stop()
	guard, err := players.StartGuard(env.GuardChanged)
	if err != nil {
		return nil, err
	}
	c.interrupted = interrupted
	report, err := c.guarded(ctx, env, guard)
	return report, errors.Join(verb.Reason(ctx, err), guard.Close())
}

func (c *matchCommand) guarded(ctx context.Context, env *verb.Env, guard *process.Guard) (*report.Report, error) {
	plan, warnings, err := c.plan(ctx, guard)
	if err != nil {
		return nil, usage.Wrap(err)
	}
	if c.step != nil {
		if plan, err = c.step.design(plan); err != nil {
			return nil, usage.Wrap(err)
		}
	}
	return c.play(ctx, env, &players.Opener{Plan: plan, Guard: guard, Waiting: env.Warn}, warnings)
}

// plan resolves the file and the flags, before any engine is started.
func (c *matchCommand) plan(ctx context.Context, guard *process.Guard) (*match.Plan, []advice.Warning, error) {
	file, dir, err := c.Read(c.File)
	if err == nil && !c.New {
		err = planning.KeepOpenings(ctx, c.DB, file)
	}
	if err != nil {
		return nil, nil, err
	}
	c.transcript = c.TranscriptDir != "" || file.Transcript != nil && *file.Transcript
	if c.durability = results.Quick; file.Durable() {
		c.durability = results.Durable
	}
	if c.step != nil {
		c.step.seat(file)
	}
	return planning.Plan(file, dir, guard)
}

// play greets the engines, opens the store, plays and reports.
func (c *matchCommand) play(ctx context.Context, env *verb.Env, o *players.Opener, warnings []advice.Warning) (*report.Report, error) {
	started := func() {}
	if !c.Quiet {
		started = env.Starting(o.Names()...)
	}
	greetings, more, err := c.resolve(ctx, o)
	started()
	if err != nil {
		return nil, err
	}
	warnings = append(warnings, more...)
	if o.Bound, err = players.Bind(o.Plan, greetings); err != nil {
		return nil, err
	}
	warnings = append(warnings, o.Bound.Warned()...)
	if c.step != nil {
		c.step.promise(env.Err, o.Plan)
	}
	if c.DryRun {
		return nil, dryRun(ctx, env, o, greetings, warnings)
	}
	more, fatal := players.CapacityFor(o.Plan, greetings).Problems()
	if fatal != nil {
		return nil, fatal
	}
	c.room = func(slots int) error {
		wider := *o.Plan
		wider.Concurrency = slots
		_, fatal := players.CapacityFor(&wider, greetings).Problems()
		return errors.Join(fatal, o.Bound.Room(slots))
	}
	if !c.Quiet {
		for _, w := range append(warnings, more...) {
			env.Warn(w.Said())
		}
	}
	store, err := results.Open(ctx, c.DB, c.durability)
	if err != nil {
		return nil, err
	}
	if kind := store.Shared(); kind != "" && !c.Quiet {
		env.Warn(phrases.Of("%s lies on %s: one machine at a time may play into it, and no other may read it meanwhile", c.DB, kind))
	}
	report, err := c.playInto(ctx, env, o, store)
	return report, errors.Join(err, store.Close())
}

// resolve starts each engine once, to check its options and complete its
// identity; the opener's plan is complete after it.
func (c *matchCommand) resolve(ctx context.Context, o *players.Opener) ([]usi.Greeting, []advice.Warning, error) {
	greetings, err := c.greet(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	warnings, err := planning.Complete(o, greetings)
	if err != nil {
		return nil, nil, usage.Wrap(err)
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

// greet starts each engine once; of one that fails a bundle is kept.
func (c *matchCommand) greet(ctx context.Context, o *players.Opener) ([]usi.Greeting, error) {
	if c.DryRun {
		return o.GreetAll(ctx)
	}
	o.Records = faults.Begin(c.DB, o.Plan.Run, "")
	greetings, err := o.GreetAll(ctx)
	err = errors.Join(err, o.Records.Close())
	o.Records = nil
	return greetings, err
}

// playInto plays what is missing of the run in the store, and reports.
func (c *matchCommand) playInto(ctx context.Context, env *verb.Env, o *players.Opener, store *results.Store) (*report.Report, error) {
	if err := c.nameRun(ctx, o, store); err != nil {
		return nil, err
	}
	run, err := store.Begin(ctx, o.Plan)
	if err != nil {
		return nil, withPaths(err, c.DB, o.Plan)
	}
	begun, err := archive.Gather(ctx, store, o.Plan.Run)
	if err != nil {
		return nil, errors.Join(err, run.Close())
	}
	c.record(o)
	played := c.playPairs(ctx, env, o, store, run, begun)
	if err := o.Records.Close(); err != nil { // which changes no result
		env.Warn(phrases.Because(err))
	}
	if err := run.Close(); err != nil {
		return nil, errors.Join(played, err)
	}
	report, err := begun.Finish(context.WithoutCancel(ctx), store)
	if err == nil && c.Deterministic {
		report.Divergence, err = archive.Divergence(ctx, store, run.ID(), report.A, report.B)
	}
	if err != nil {
		return nil, errors.Join(played, err)
	}
	report.Bundles = faults.List(faults.Dir(c.DB, o.Plan.Run))
	if !c.JSON {
		text.Print(env.Out, report, env.Tongue)
	}
	return report, played
}

// record keeps what engines say in the run, under the name that it is stored by, and
// hears what is wrong with them.
func (c *matchCommand) record(o *players.Opener) {
	dir := ""
	if c.transcript {
		dir = faults.TranscriptDir(c.TranscriptDir, c.DB, o.Plan.Run)
	}
	o.Records = faults.Begin(c.DB, o.Plan.Run, dir)
	c.desk = alarms.NewDesk(o.Plan)
	c.desk.Attend(o.Records)
}

// withPaths adds to the differences of a refused plan which files they are in.
func withPaths(err error, db string, plan *match.Plan) error {
	different, ok := errors.AsType[*results.DifferentPlan](err)
	if !ok {
		return err
	}
	for i := range different.Differences {
		d := &different.Differences[i]
		for _, p := range plan.Engines() {
			for _, f := range p.Identity.Files {
				if n := len(d.Path); n > 3 && slices.Equal(d.Path[n-3:], []string{p.Name, "identity", f.Role}) {
					d.Note = f.Path
				}
			}
		}
	}
	// What wraps it has its text already, without the notes.
	return fmt.Errorf("%s: %w\nwhat it has stays as it is; --new begins another run beside it, --run gives it a name", db, different)
}

// nameRun gives the run the name that it is stored under.
func (c *matchCommand) nameRun(ctx context.Context, o *players.Opener, store *results.Store) error {
	name := o.Plan.Run
	switch {
	case c.step != nil:
		name += "-" + o.Plan.Digest()[:12] // every commit's engine is another run
	case c.New:
		free, err := store.FreeName(ctx, name)
		if err != nil {
			return err
		}
		name = free
	}
	renamed := *o.Plan
	renamed.Run = name
	o.Plan = &renamed
	return nil
}

// playPairs plays the pairs that are not stored.
func (c *matchCommand) playPairs(ctx context.Context, env *verb.Env, o *players.Opener, store *results.Store, run *results.Run, begun *archive.Gathering) error {
	var measured *metrics.Run // nil: nobody is told
	if c.HTTP != "" || c.MetricsFile != "" {
		info, err := store.FindRun(ctx, o.Plan.Run)
		if err != nil {
			return err
		}
		measured = metrics.New(c.DB).Run(metrics.AboutStored(info))
		measured.Attend(o.Records)
	}
	s, err := series.New(ctx, o.Plan, measured.Store(run), func(ctx context.Context, see func([]match.Row) error) error {
		return store.Pairs(ctx, run.ID(), results.Filter{}, func(rows []match.Row) error {
			measured.Resume(rows)
			return errors.Join(begun.Add(rows), see(rows))
		})
	})
	if err != nil {
		return err
	}
	if s.Over() && !c.JSON {
		return socket.Clear(socket.Path(c.DB, o.Plan.Run)) // the session that played the last pair may have been killed
	}
	if !o.Plan.Gate.IsZero() && s.Stored() == 0 && !c.Quiet {
		length, err := o.GameLength(ctx)
		if err != nil {
			return err
		}
		if err := expectation(env.Err, env.Tongue, o.Plan, length); err != nil {
			return err
		}
	}
	collectLess()
	config := series.Config{
		Open: o.Open, Waits: new(process.Self).WorstWait, CPUs: o.Bound.Sets(), Room: c.room, Moves: true,
		Beside:  []func(context.Context, *live.Hub, func(match.Event)){c.desk.Follow},
		Started: measured.Started, Watch: []func(*live.Hub){measured.Follow},
	}
	if len(c.fault) > 0 {
		config.Watch = append(config.Watch, c.followFaults(ctx, env, c.DB))
	}
	if c.RecordDir != "" {
		files, err := recordverbs.NewLive(c.RecordDir, c.RecordFormat, env)
		if err != nil {
			return err
		}
		config.Watch = append(config.Watch, files.Follow)
	}
	measured.Play(s)
	if c.MetricsFile != "" {
		stop, err := measured.Set().KeepFile(c.MetricsFile)
		if err != nil {
			return err
		}
		defer func() {
			if err := stop(); err != nil { // which changes no result
				env.Warn(phrases.Because(err))
			}
		}()
	}
	lines := &eventLines{encoder: json.NewEncoder(env.Out)}
	if c.JSON {
		config.Record = lines.write
	}
	if server, err := socket.Listen(socket.Path(c.DB, o.Plan.Run), s.Control); err == nil {
		config.Watch = append(config.Watch, server.Serve)
	} else if !c.Quiet {
		env.Warn(phrases.Of("gogi ctl and those who watch cannot reach this run: %s", phrases.Because(err)))
	}
	if c.HTTP != "" {
		stop, err := c.serve(ctx, env, store, o.Plan.Run, s, measured.Set())
		if err != nil {
			return err
		}
		defer stop()
	}
	if !c.Quiet {
		shown := newProgress(env.Err, o.Plan)
		shown.tongue = env.Tongue
		shown.look = func() []string {
			so, err := archive.Report(ctx, store, o.Plan.Run)
			if err != nil || so.Games == 0 {
				return nil // the report at the end says what is wrong
			}
			return phrases.Each(env.Tongue, screen.Glance(so))
		}
		say := shown.say
		env.Say.Store(&say)
		config.Watch = append(config.Watch, shown.follow)
	}
	c.interrupted.Playing(func() phrases.Said { s.Drain(); return inPlay(s.Hub().State().State, o.Plan) })
	ending, err := s.Play(ctx, config)
	c.interrupted.Playing(nil)
	return ended(errors.Join(err, lines.failed()), ending, c.interrupted.Happened())
}

// inPlay says how many games the pairs in play still have, those in play included.
func inPlay(now *match.Snapshot, plan *match.Plan) phrases.Said {
	games := 0
	for _, slot := range now.Slots {
		if slot.Phase != match.SlotIdle {
			games++
			if plan.Design.Swap && (slot.Board == nil || slot.Board.Leg == 0) {
				games++
			}
		}
	}
	return phrases.Of("the pairs in play (%s)", phrases.Number{N: games, Noun: "game"})
}

// serve shows the run in a browser until stop is called.
func (c *matchCommand) serve(ctx context.Context, env *verb.Env, store *results.Store, run string, s *series.Series, told *metrics.Set) (stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	here := &playedHere{Nearby: socket.NewNearby(ctx, c.DB), run: run, hub: s.Hub(), control: s.Control}
	server, err := c.listen(ctx, env, c.HTTP, store, here, told)
	if err != nil {
		cancel()
		return nil, err
	}
	if !c.Quiet {
		fmt.Fprintln(env.Err, "pages:", server.URL())
	}
	ended := make(chan struct{}) // closed when the server has ended
	go func() {
		defer close(ended)
		if err := server.Serve(ctx); err != nil {
			env.Warn(phrases.Of("the pages are gone: %s", phrases.Because(err)))
		}
	}()
	return func() { cancel(); <-ended }, nil
}

// collectLess lets a series collect garbage a quarter as often as the runtime would,
// which is a tenth of its CPU time, unless GOGC says something or much is in use:
// four times 64 MB is what may be held for it.
func collectLess() {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	if os.Getenv("GOGC") == "" && now.HeapAlloc < 64<<20 {
		debug.SetGCPercent(400)
	}
}

// ended turns the end of a session into the verb's error and exit code; internal is
// what went wrong in telling of it.
func ended(internal error, e series.Ending, interrupted bool) error {
	switch {
	case internal != nil:
		return errors.Join(internal, e.Why)
	case e.Left == 0 && (e.Ordered || interrupted): // it came when everything was played
		return nil
	case e.Ordered && e.Left > 0:
		return &verb.Exit{Code: verb.Interrupted, Err: phrases.Errorf("told to end with %s unplayed; the same command goes on", phrases.Number{N: e.Left, Noun: "pair"})}
	case interrupted && e.Left > 0:
		return &verb.Exit{Code: verb.Interrupted, Err: phrases.Errorf("interrupted with %s unplayed; the same command goes on", phrases.Number{N: e.Left, Noun: "pair"})}
	case e.Why != nil && e.Left > 0:
		return &verb.Exit{Code: verb.Unplayed, Err: fmt.Errorf("%w; unplayed: %s; the same command goes on", e.Why, format.NumberOf(e.Left, "pair"))}
	case e.Left > 0:
		return &verb.Exit{Code: verb.Unplayed, Err: phrases.Errorf("unplayed: %s", phrases.Number{N: e.Left, Noun: "pair"})}
	}
	return e.Why
}
