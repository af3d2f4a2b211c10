// Package session plays runs for the commands and shows them: pages, metrics, hooks, JSON events, alarms,
// progress, and the socket of gogi watch and gogi ctl. A command embeds [Flags] and calls Flags.Run with a
// function. This function calls Session.Open, and then Session.Play for each run.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"gogi/cmd/gogi/cli"
	"gogi/configs/identity"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/shellwords"
	"gogi/match"
	"gogi/match/control"
	"gogi/match/gate"
	"gogi/match/tune"
	"gogi/players"
	"gogi/report"
	"gogi/report/stored"
	"gogi/results"
	"gogi/runner/alarms"
	"gogi/runner/crash"
	"gogi/runner/events"
	"gogi/runner/series"
	"gogi/runner/socket"
	"gogi/ui/metrics"
	"gogi/ui/terminal"
	"gogi/ui/web"
	"gogi/usi/process"
)

// A Target is the database and the run of a session.
type Target struct {
	DB  string // the database
	Run string // the run that the flags name, and later the run that was played last; may be ""
	Dry bool   // the command plays nothing and does not run --on-end
}

// A Session plays runs of one database, one after the other.
type Session struct {
	*Flags
	Target

	Env   *cli.Env
	Guard *process.Guard // kills the engines if gogi is killed
	Store *results.Store // nil before Open

	interrupted *cli.Interrupts
	report      *report.Report // report of the last played run; nil: there is none
	lines       eventLines

	mu     sync.Mutex
	live   *nearby      // nil until a run is shown
	set    *metrics.Set // nil: no metrics
	stops  []func()     // end the pages and the file of metrics
	pages  *web.Server  // nil: no pages
	endRan bool         // --on-end has run

	showing sync.WaitGroup // the goroutines of Show
}

// Run calls play with a new session, ends the session, and runs the command of --on-end. An interrupt ends
// the current run.
func (f *Flags) Run(ctx context.Context, env *cli.Env, to Target, play func(context.Context, *Session) error) error {
	defer collectOften()()
	if err := f.check(ctx, to); err != nil {
		return err
	}
	s := &Session{Flags: f, Target: to, Env: env, lines: eventLines{encoder: json.NewEncoder(env.Out)}}
	err := s.guarded(ctx, play)
	if !to.Dry && !s.endRan {
		s.runEnd(ctx, err)
	}
	return err
}

// stay prints the command with which the user can see the pages later. With --http-stay it instead runs the command
// of --on-end, and serves the pages until an interrupt.
func (s *Session) stay(ctx context.Context, ended error) {
	if s.pages == nil {
		return
	}
	in := s.Env.Language
	if !s.HTTPStay || ctx.Err() != nil {
		if !s.Quiet && s.Target.Run != "" {
			fmt.Fprintln(s.Env.Err, i18n.Say(in, "the pages end here; gogi serve --db %s --http %s shows them again, at %s",
				shellwords.Quote(s.DB), s.HTTP, s.pages.RunURL(s.Target.Run)))
		}
		return
	}
	if !s.Dry {
		s.runEnd(ctx, ended)
		s.endRan = true
	}
	s.Playing(nil)
	if !s.Quiet {
		fmt.Fprintln(s.Env.Err, i18n.Say(in, "the pages stay at %s until Ctrl-C", s.pages.RunURL(s.Target.Run)))
	}
	<-ctx.Done()
}

func (s *Session) guarded(ctx context.Context, play func(context.Context, *Session) error) (err error) {
	ctx, s.interrupted = cli.Catch(ctx, s.Env)
	defer s.interrupted.Stop()
	if s.Guard, err = players.StartGuard(s.Env.GuardChanged); err != nil {
		return err
	}
	err = play(ctx, s)
	s.stay(ctx, cli.Reason(ctx, err))
	err = errors.Join(err, s.close())
	return errors.Join(cli.Reason(ctx, err), s.Guard.Close())
}

// Open opens the database. With durable, each stored pair survives a power failure.
func (s *Session) Open(ctx context.Context, durable bool) (err error) {
	how := results.Quick
	if durable {
		how = results.Durable
	}
	// Errors of the question are also errors of Open, which has the better text.
	if games, err := results.GamesToUpgrade(ctx, s.DB); err == nil && games > 0 {
		s.Note(i18n.Of("%s was written by an earlier gogi: gogi verifies its games (%d) before it changes the file; this takes longer for a large file", s.DB, games))
	}
	if s.Store, err = results.Open(ctx, s.DB, how); err != nil {
		return err
	}
	if kind := s.Store.Shared(); kind != "" {
		s.Note(i18n.Of("%s is on %s: only one machine at a time may use it", s.DB, kind))
	}
	return s.Store.Spare(ctx)
}

func (s *Session) close() error {
	s.showing.Wait()
	for _, stop := range slices.Backward(s.stops) {
		stop()
	}
	if s.Store == nil {
		return nil
	}
	return s.Store.Close()
}

// Note prints a warning unless the session is quiet.
func (s *Session) Note(what i18n.Message) {
	if !s.Quiet {
		s.Env.Warn(what)
	}
}

// Starting prints the names of the engines that are starting if their start takes long; see cli.Env.Starting.
// A quiet session prints nothing.
func (s *Session) Starting(names ...string) (started func()) {
	if s.Quiet {
		return func() {}
	}
	return s.Env.Starting(names...)
}

// Playing sets the action of the first interrupt, see cli.Interrupts.Playing.
func (s *Session) Playing(drain func() i18n.Message) { s.interrupted.Playing(drain) }

// Show shows a run of a farm worker, which the worker plays itself, until the run's hub closes. The hub must
// close before the session ends. Show can show many runs at the same time, so it prints the progress as plain
// lines. It stores the plan, but no games. If a reader of the events is too slow, it does not get all events.
func (s *Session) Show(ctx context.Context, plan *match.Plan, hub *events.Hub,
	control func(context.Context, control.Command) error, send func(match.Event)) error {
	run, err := s.Store.Begin(ctx, plan)
	if err != nil {
		return err
	}
	if err := run.Close(); err != nil {
		return err
	}
	s.mu.Lock()
	measured, err := s.measured(ctx, plan.Run)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	measured.Play(hubOnly{hub})
	list, err := s.show(ctx, plan, hub, control, measured)
	if err != nil {
		return err
	}
	monitor := alarms.NewMonitor(plan)
	list = append(list, func(hub *events.Hub) { monitor.Follow(context.WithoutCancel(ctx), hub, send) })
	if !s.Quiet {
		shown := newProgress(s.Env.Err, plan)
		shown.terminal, shown.every, shown.language = nil, plainEvery, s.Env.Language
		list = append(list, shown.follow)
	}
	if s.JSON {
		list = append(list, s.lines.follow)
	}
	for _, follow := range list {
		s.showing.Go(func() { follow(hub) })
	}
	return nil
}

// hubOnly is the metrics.Session of a run that a worker plays: it has a hub and no SPRT.
type hubOnly struct{ hub *events.Hub }

func (h hubOnly) Hub() *events.Hub { return h.hub }
func (hubOnly) Gate() *gate.Gate   { return nil }
func (hubOnly) Dropped() uint64    { return 0 }

// A Match is a run that a session plays.
type Match struct {
	Opener *players.Opener // has a complete plan; Play sets its Records
	// returns an error if the machine cannot run this number of slots; nil: Opener.Bound.Room
	Room        func(slots int) error
	Transcripts string // folder of the dialogues with engines; "": none
	Rename      string // advice for starting another run, if the stored run has another plan
	// Tune returns the settings of the tune. It is nil if the plan is not a tune.
	Tune func(*results.Run) series.Tuning
	// Begin, if not nil, is called before the first game, with the number of stored pairs.
	Begin func(ctx context.Context, run *results.Run, pairs int) error
	// Look returns the result of the stored games as lines for the progress. If Look is nil, the progress
	// shows the score.
	Look func() []string
	// Part means that the run is a part of the command's work. Then the progress prints no lines at the end of the run.
	Part bool
}

// Play plays the missing pairs of a run. The report is nil for a tune and for self-play, and after some
// errors.
func (s *Session) Play(ctx context.Context, m Match) (*report.Report, error) {
	if err := s.asStored(ctx, m.Opener); err != nil {
		return nil, err
	}
	plan := m.Opener.Plan
	s.Target.Run = plan.Run
	run, err := s.Store.Begin(ctx, plan)
	if err != nil {
		return nil, withPaths(err, s.DB, plan, m.Rename)
	}
	var gathered *stored.Gathering
	if m.Tune == nil && plan.Design.Kind != match.DesignSelfplay {
		if gathered, err = stored.Gather(ctx, s.Store, plan.Run); err != nil {
			return nil, errors.Join(err, run.Close())
		}
	}
	if m.Opener.Warn == nil {
		m.Opener.Warn = s.Env.Warn
	}
	m.Opener.Records = crash.Begin(s.DB, plan.Run, m.Transcripts)
	played := s.play(ctx, &m, run, gathered)
	if err := m.Opener.Records.Close(); err != nil { // the results are already stored
		s.Env.Warn(i18n.Because(err))
	}
	if err := run.Close(); err != nil || gathered == nil {
		return nil, errors.Join(played, err)
	}
	r, err := gathered.Finish(context.WithoutCancel(ctx), s.Store)
	if err != nil {
		return nil, errors.Join(played, err)
	}
	r.Bundles = crash.InGames(crash.Dir(s.DB, plan.Run))
	s.report = r
	return r, played
}

// asStored removes the files of scripts that the stored run does not have from the opener's plan, and warns, if the
// plans are then equal. Such a file has appeared since the first start, or an earlier gogi did not read scripts.
func (s *Session) asStored(ctx context.Context, o *players.Opener) error {
	if !identity.MayAppear(o.Plan) {
		return nil
	}
	info, err := s.Store.FindRun(ctx, o.Plan.Run)
	if _, none := errors.AsType[*results.NoRun](err); none {
		return nil
	}
	if err != nil || info.Digest == o.Plan.Digest() {
		return err
	}
	older, paths := identity.WithoutNew(o.Plan, info.Plan)
	if older == nil || older.Digest() != info.Digest {
		return nil
	}
	o.Plan = older
	s.Note(i18n.Of("run %s was stored without %s, a file that an engine's script names: gogi does not notice if it changes; another run covers it", older.Run, strings.Join(paths, ", ")))
	return nil
}

// listAdvice follows the advice for starting another run if a file of a script differs.
const listAdvice = "; an engine's key identity = [\"FILE\", …] lists the files that gogi compares, instead of those that its script names"

// withPaths adds the paths of the engines' files to a *results.DifferentPlan error, and rename as advice. It
// returns other errors unchanged.
func withPaths(err error, db string, plan *match.Plan, rename string) error {
	different, ok := errors.AsType[*results.DifferentPlan](err)
	if !ok {
		return err
	}
	for i := range different.Differences {
		d := &different.Differences[i]
		if n := len(d.Path); n > 2 && d.Path[n-2] == "identity" && identity.IsScriptRole(d.Path[n-1]) &&
			!strings.Contains(rename, listAdvice) {
			rename += listAdvice
		}
		for _, p := range plan.Engines() {
			for _, f := range p.Identity.Files {
				if n := len(d.Path); n > 3 && slices.Equal(d.Path[n-3:], []string{p.Name, "identity", f.Role}) {
					d.Note = f.Path
				}
			}
		}
	}
	// The text of err does not have the notes.
	return fmt.Errorf("%s: %w\nwhat it has stays as it is; %s", db, different, rename)
}

func (s *Session) play(ctx context.Context, m *Match, run *results.Run, gathered *stored.Gathering) error {
	plan := m.Opener.Plan
	monitor := alarms.NewMonitor(plan)
	monitor.Noted = func(player, note string) {
		if err := run.AddNote(ctx, results.EngineNote{Player: player, Text: note}); err != nil && ctx.Err() == nil {
			s.Env.Warn(i18n.Because(err))
		}
	}
	monitor.Attend(m.Opener.Records)
	measured, err := s.measured(ctx, plan.Run)
	if err != nil {
		return err
	}
	measured.Attend(m.Opener.Records)
	made, err := m.series(ctx, measured.Store(run), func(ctx context.Context, see func([]match.Row) error) error {
		return s.Store.Pairs(ctx, run.ID(), results.Filter{}, func(rows []match.Row) error {
			measured.Resume(rows)
			if gathered != nil {
				if err := gathered.Add(rows); err != nil {
					return err
				}
			}
			return see(rows)
		})
	}, run)
	if err != nil {
		return err
	}
	if made.Over() && !s.Quiet {
		fmt.Fprintln(s.Env.Err, i18n.Of("%s is complete, so gogi plays no game", format.Name(plan.Run)).In(s.Env.Language))
	}
	if made.Over() && !s.JSON {
		return socket.Clear(socket.Path(s.DB, plan.Run)) // the process that played the last pair may have been killed
	}
	if m.Begin != nil {
		if err := m.Begin(ctx, run, made.Stored()); err != nil {
			return err
		}
	}
	measured.Play(made)
	defer LimitThreads(plan.Concurrency, s.HTTP != "")()
	var own process.Self
	defer own.Close()
	config := series.Config{
		Open: m.Opener.Open, Waits: own.MaxSchedDelay, CPUs: m.Opener.Bound.Sets(), Fits: m.Room, Moves: true,
		Monitors: []func(context.Context, *events.Hub, func(match.Event)){monitor.Follow},
		Started:  measured.Started,
	}
	if s.JSON {
		config.Record = s.lines.write
	}
	if config.Fits == nil {
		config.Fits = m.Opener.Bound.Room
	}
	if m.Look == nil && gathered != nil {
		m.Look = s.glance(ctx, plan.Run)
	}
	if config.Watch, err = s.show(ctx, plan, made.Hub(), made.Control, measured); err != nil {
		return err
	}
	if !s.Quiet {
		config.Watch = append(config.Watch, s.progress(plan, m))
	}
	s.interrupted.Playing(func() i18n.Message { made.Drain(); return inPlay(made.Hub().State().State, plan) })
	ending, err := made.Play(ctx, config)
	s.interrupted.Playing(nil)
	return ended(errors.Join(err, s.lines.failed()), ending, s.interrupted.Happened())
}

func (m *Match) series(ctx context.Context, store series.TuneStore, stored series.Stored,
	run *results.Run) (*series.Series, error) {
	if m.Tune != nil {
		return series.NewTune(ctx, m.Opener.Plan, store, stored, m.Tune(run))
	}
	return series.New(ctx, m.Opener.Plan, store, stored)
}

// measured returns the metrics of a run. It returns nil if neither the pages nor a metrics file need them.
func (s *Session) measured(ctx context.Context, run string) (*metrics.Run, error) {
	if s.HTTP == "" && s.MetricsFile == "" {
		return nil, nil // a nil metrics.Run counts nothing
	}
	info, err := s.Store.FindRun(ctx, run)
	if err != nil {
		return nil, err
	}
	if s.set == nil {
		s.set = metrics.New(s.DB)
	}
	return s.set.Run(metrics.AboutStored(info)), nil
}

// show returns the functions that follow a run's hub (the source of its events): progress, events, hooks and pages.
// control sends orders to the run. The first call starts the pages.
func (s *Session) show(ctx context.Context, plan *match.Plan, hub *events.Hub,
	control func(context.Context, control.Command) error, measured *metrics.Run) ([]func(*events.Hub), error) {
	list := []func(*events.Hub){measured.Follow}
	if len(s.fault) > 0 {
		list = append(list, s.followFaults(ctx))
	}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	if server, err := socket.Listen(socket.Path(s.DB, plan.Run), control); err == nil {
		list = append(list, server.Serve)
	} else {
		s.Note(i18n.Of("gogi ctl and gogi watch cannot reach this run: %s", i18n.Because(err)))
	}
	return append(list, s.live.add(plan.Run, played{hub, control})), nil
}

func (s *Session) begin(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	s.stops = append(s.stops, cancel)
	s.live = &nearby{Nearby: socket.NewNearby(ctx, s.DB), playing: map[string]played{}}
	if s.MetricsFile != "" {
		stop, err := s.set.KeepFile(s.MetricsFile)
		if err != nil {
			return err
		}
		s.stops = append(s.stops, func() {
			if err := stop(); err != nil {
				s.Env.Warn(i18n.Because(err))
			}
		})
	}
	if s.HTTP == "" {
		return nil
	}
	server, stop, err := s.Serve(ctx, s.Env, s.HTTP, web.Config{Store: s.Store, Live: s.live, Metrics: s.set.Handler()})
	if err != nil {
		return err
	}
	s.stops, s.pages = append(s.stops, stop), server
	s.set.Clients(server.Clients)
	if !s.Quiet {
		fmt.Fprintln(s.Env.Err, "pages:", server.URL())
	}
	return nil
}

// progress returns a function that shows a run on the terminal until the hub, the source of the run's events,
// closes. m.Look may be nil.
func (s *Session) progress(plan *match.Plan, m *Match) func(*events.Hub) {
	shown := newProgress(s.Env.Err, plan)
	shown.language, shown.look, shown.part = s.Env.Language, m.Look, m.Part
	above := shown.above
	s.Env.Above.Store(&above)
	return shown.follow
}

// glance returns a function that reads the run from the database and returns its score as lines for the progress.
func (s *Session) glance(ctx context.Context, run string) func() []string {
	return func() []string {
		so, err := stored.Report(ctx, s.Store, run)
		if err != nil || so.Games == 0 {
			return nil // the report at the end shows the error
		}
		return i18n.Each(s.Env.Language, terminal.Glance(so))
	}
}

// inPlay returns a text with the number of games that the running pairs still have to finish, including the current
// games.
func inPlay(now *match.Snapshot, plan *match.Plan) i18n.Message {
	games := 0
	for _, slot := range now.Slots {
		if slot.Phase != match.SlotIdle {
			games += plan.Legs()
			if slot.Board != nil {
				games -= slot.Board.Leg
			}
		}
	}
	return i18n.Of("the pairs in play (%s)", i18n.Number{N: games, Noun: "game"})
}

// LimitThreads limits the number of threads that run Go code at the same time, and returns the function that removes
// the limit. A slot mostly waits for its engines. Without a limit, each line of an engine wakes a second thread, which
// finds no work: with 16 CPUs and 2 slots a move costs up to 1.5 times the CPU time. Pages get two threads more,
// because a report must not delay the moves. Only a lower limit of the user (GOMAXPROCS) changes this.
func LimitThreads(slots int, pages bool) (restore func()) {
	most := 2 + slots/16
	if pages {
		most += 2
	}
	now := runtime.GOMAXPROCS(0)
	if now <= most {
		return func() {}
	}
	runtime.GOMAXPROCS(most)
	return func() { runtime.GOMAXPROCS(now) }
}

// collectOften makes the garbage collector run twice as often as by default, and returns the function that ends this.
// The engines need the memory, and a match leaves so little garbage that this costs 2% of gogi's CPU time. It changes
// nothing if the user has set GOGC.
func collectOften() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(50)
	return func() { debug.SetGCPercent(before) }
}

// ended returns the error with the exit code of the command, after a run ended with e. internal is an error in
// writing the output, or nil.
func ended(internal error, e series.Ending, interrupted bool) error {
	switch {
	case internal != nil:
		return errors.Join(internal, e.Why)
	case e.Left == 0 && (e.Ordered || interrupted): // the order came after the last pair
		return nil
	case e.Ordered && e.Left > 0:
		return &cli.Exit{Code: cli.Interrupted,
			Err: i18n.Errorf("ended by an order with %s unplayed; run the same command to resume",
				i18n.Number{N: e.Left, Noun: "pair"})}
	case interrupted && e.Left > 0:
		return &cli.Exit{Code: cli.Interrupted,
			Err: i18n.Errorf("interrupted with %s unplayed; run the same command to resume",
				i18n.Number{N: e.Left, Noun: "pair"})}
	case e.Why != nil && e.Left > 0:
		return unplayed(e.Why, format.NumberOf(e.Left, "pair"))
	case e.Left > 0:
		return &cli.Exit{Code: cli.Unplayed, Err: i18n.Errorf("unplayed: %s", i18n.Number{N: e.Left, Noun: "pair"})}
	}
	return e.Why
}

func unplayed(why error, left string) error {
	if _, faulty := errors.AsType[*tune.Faulty](why); faulty {
		return &cli.Exit{Code: cli.Failed, Err: why}
	}
	again := "run the same command"
	if _, futile := errors.AsType[*tune.Futile](why); futile {
		again += " without --stop-futile"
	}
	return &cli.Exit{Code: cli.Unplayed, Err: fmt.Errorf("%w; unplayed: %s; %s to resume", why, left, again)}
}
