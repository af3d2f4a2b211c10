package farmcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/configs"
	"gogi/farm"
	"gogi/farm/board"
	"gogi/farm/coordinator"
	"gogi/farm/keys"
	"gogi/farm/mirror"
	"gogi/farm/nats"
	"gogi/farm/nats/embedded"
	"gogi/farm/site"
	"gogi/internal/disk"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/match/control"
	"gogi/players"
	"gogi/report/stored"
	"gogi/report/text"
	"gogi/runner/events"
	"gogi/ui/web"
)

// ServeCommand runs the coordinator of a farm.
type ServeCommand struct {
	File    string        `arg:"" optional:"" type:"existingfile" help:"Settings file (TOML)."`
	Listen  string        `placeholder:"HOST:PORT" help:"Listen address (default :7422; with --demo a free local port)."`
	State   string        `type:"path" placeholder:"DIR" help:"Folder of keys, secrets and journal (default farm; with --demo a temporary one)."`
	DB      string        `name:"db" type:"path" placeholder:"FILE" help:"Database of games (default: farm.db in the folder; with --demo farm-demo.db)."`
	NATS    string        `name:"nats" placeholder:"URL" help:"External NATS server instead of the embedded one, or a list with commas; the settings file must name the servers' monitoring pages."`
	Standby bool          `help:"Mirror the coordinator that leads the farm, and lead when it is gone; the settings file must have jetstream.takeover."`
	Lease   time.Duration `placeholder:"DUR" help:"Time without a heartbeat after which a pair is given to another worker (default 20s)."`
	Trace   string        `type:"path" placeholder:"FILE" help:"Log file to which gogi appends requests, leases and results as JSON lines."`
	Demo    bool          `help:"Try a farm with temporary keys and the default match. gogi prints the command for a worker and ends with the report."`
	Games   *int          `placeholder:"N" help:"With --demo: number of games."`
	HTTP    string        `name:"http" group:"pages" placeholder:"HOST:PORT" help:"Address of the farm's pages and of /metrics, such as 127.0.0.1:9422."`
	Quiet   bool          `short:"q" help:"Print no messages except warnings."`

	session.Pages
}

// Help returns the text below the usage line of --help.
func (*ServeCommand) Help() string {
	return `gogi farm key makes keys in the same folder, also while the coordinator runs. Flags override the
file.

Exit codes: 0 ended by a signal, 1 failed (no acknowledged result is lost; start it again),
2 usage, 7 another coordinator leads the farm (start this one with --standby).`
}

// Run runs the coordinator until a signal. With --demo it ends when the demo's match is over.
func (c *ServeCommand) Run(ctx context.Context, env *cli.Env) error {
	ctx, interrupted := cli.Catch(ctx, env)
	defer interrupted.Stop()
	defer runtime.KeepAlive(make([]byte, ballast))
	settings, err := c.settings()
	if err != nil {
		return fail.Usage(err)
	}
	config := site.Config{Settings: settings, Standby: c.Standby, Demo: c.Demo, Start: embedded.Start,
		Log: logger(env, c.Quiet || c.Demo)}
	if c.Trace != "" {
		if err := disk.CheckOutput(c.Trace); err != nil {
			return wrong("--trace: %w", err)
		}
		f, err := os.OpenFile(c.Trace, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("--trace: %w", disk.CannotWrite(c.Trace, err))
		}
		defer f.Close() //nolint:errcheck // a lost trace is not an error
		config.Trace = site.NewTrace(f)
	}
	if c.Demo {
		return c.demo(ctx, env, config)
	}
	return c.serve(ctx, env, config)
}

// ballast is the size in bytes of an array that is never written. It needs no memory, but the garbage collector counts
// it. So the collector runs after at least as many bytes of garbage. A small farm has 15 MB of other memory, and each
// of its pairs makes 150 kB of garbage.
const ballast = 48 << 20

func (c *ServeCommand) settings() (s site.Settings, err error) {
	if c.File != "" {
		if s, err = site.ReadSettings(c.File); err != nil {
			return s, err
		}
	}
	if c.Standby && c.Demo {
		return s, errors.New("--standby: a demo has no standby; leave out --standby or --demo")
	}
	if c.Games != nil && !c.Demo {
		return s, errors.New("--games belongs to --demo; submit a test with gogi farm submit")
	}
	for _, f := range []struct {
		flag string
		key  *string
	}{{c.Listen, &s.Farm.Listen}, {c.HTTP, &s.Metrics.Listen}, {c.State, &s.Farm.State}, {c.DB, &s.Store.DB},
		{c.NATS, &s.JetStream.URL}} {
		if f.flag != "" {
			*f.key = f.flag
		}
	}
	if c.Lease != 0 {
		s.Farm.Lease = c.Lease
	}
	return s, s.Complete()
}

func (c *ServeCommand) serve(ctx context.Context, env *cli.Env, config site.Config) error {
	s, err := site.Open(ctx, config)
	if err != nil {
		return unlessInterrupted(ctx, serveExit(err))
	}
	err = c.shown(ctx, env, s, func() error {
		fmt.Fprintf(env.Out, "farm: %s, state in %s, games in %s\n", s.URL(), s.Dir, config.Database())
		return s.Serve(ctx)
	})
	err = errors.Join(unlessInterrupted(ctx, err), s.Close())
	return serveExit(err)
}

// exitLed is the exit code if another process leads the farm.
const exitLed = 7

// serveExit returns err with the exit code of gogi farm serve for it.
func serveExit(err error) error {
	switch {
	case errors.Is(err, site.ErrLed) || errors.Is(err, nats.ErrFenced):
		return &cli.Exit{Code: exitLed, Err: err}
	case errors.Is(err, mirror.ErrDiffers):
		return &cli.Exit{Code: cli.Differs, Err: err}
	}
	return err
}

// shown calls do. While do runs, it serves the pages, if the settings have an address for them.
func (c *ServeCommand) shown(ctx context.Context, env *cli.Env, s *site.Site, do func() error) error {
	addr := s.PagesAt()
	if addr == "" {
		return do()
	}
	var shown atomic.Pointer[web.Server]
	pages := board.New(board.Config{
		Outcome: func(ctx context.Context, t farm.TestStatus) *board.Outcome { return outcome(ctx, s, shown.Load(), t) },
		Farm:    s.Coordinator, Keys: s.Ring, State: s.Kept, Secret: s.Secret, Played: s.Coordinator.Played, Quota: s.Quota,
		Log:     logger(env, c.Quiet),
		Connect: func() board.Connect { return board.Connect{URL: s.URL(), Coordinator: s.Public, CA: s.CA} },
	})
	server, stop, err := c.Pages.Serve(ctx, env, addr, web.Config{
		Store: s.Store, Live: hubs{s.Coordinator}, Metrics: board.Metrics(s.Coordinator.Status), Farm: pages,
	})
	if err != nil {
		return err
	}
	defer stop()
	shown.Store(server)
	fmt.Fprintln(env.Err, "pages:", server.URL()+"farm")
	return do()
}

// outcome returns the result of a test as the list of runs shows it. While the result is being read, it has only the
// rate.
func outcome(ctx context.Context, s *site.Site, pages *web.Server, t farm.TestStatus) *board.Outcome {
	if pages == nil {
		return nil
	}
	name, err := s.Store.NameOf(ctx, t.Name, t.Run)
	if err != nil {
		return nil
	}
	o := &board.Outcome{}
	if g := pages.Glance(ctx, name); g != nil {
		o = &board.Outcome{Games: g.Games, WDL: g.WDL, Elo: g.EloText(), EloKind: g.EloKind, Pairs: g.Penta}
		if g.Leader != "" {
			o.Elo = g.Leader
		}
	}
	if hub, ok := s.Coordinator.Watch(t.Run); ok && t.State == farm.Running {
		if now := hub.State().State; now != nil {
			o.PerMinute, _, _ = now.Rate()
		}
	}
	return o
}

// hubs implements web.Live for the running tests.
type hubs struct{ *coordinator.Coordinator }

// Runs returns the names of the running tests. It implements web.Live.
func (h hubs) Runs() (names []string) {
	for _, t := range h.Status(context.Background()).Tests {
		if t.State == farm.Running {
			names = append(names, t.Name)
		}
	}
	return names
}

// Hub returns the event hub of a running test, which sends the test's events to subscribers. It returns nil
// for other tests. It implements web.Live.
func (h hubs) Hub(run string) *events.Hub {
	if !slices.Contains(h.Runs(), run) {
		return nil
	}
	hub, _ := h.Watch(run)
	return hub
}

// Control returns an error, because a farm's tests cannot be controlled from the pages. It implements
// web.Live.
func (hubs) Control(context.Context, string, control.Command) error {
	return errors.New("a farm's tests are controlled by their owners: gogi farm pause, stop, priority")
}

// unlessInterrupted returns nil if an interrupt caused the error, because an interrupt is the normal end of a farm.
func unlessInterrupted(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), cli.ErrInterrupted) {
		return nil
	}
	return err
}

// These constants are the run name, the lease time and the database of gogi farm serve --demo.
const (
	demoName  = "demo"
	demoLease = 3 * time.Second
	demoDB    = "farm-demo.db"
)

// demo runs a farm with one test, and ends when the test is over.
func (c *ServeCommand) demo(ctx context.Context, env *cli.Env, config site.Config) (err error) {
	if c.State == "" {
		if config.Farm.State, err = os.MkdirTemp("", "gogi-farm-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(config.Farm.State)) }()
	}
	if c.Listen == "" {
		config.Farm.Listen = "127.0.0.1:0"
	}
	if c.DB == "" {
		config.Store.DB = demoDB
	}
	if c.Lease == 0 {
		config.Farm.Lease = demoLease
	}
	plan, err := demoPlan(ctx, env, c.Games)
	if err != nil {
		return err
	}
	s, err := site.Open(ctx, config)
	if err != nil {
		return unlessInterrupted(ctx, err)
	}
	return errors.Join(c.show(ctx, env, s, plan, config.Database()), s.Close())
}

// demoPlan returns the plan of gogi match without arguments.
func demoPlan(ctx context.Context, env *cli.Env, games *int) (plan *match.Plan, err error) {
	guard, err := players.StartGuard(env.GuardChanged)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, guard.Close()) }()
	plan, _, err = makePlan(ctx, &configs.Flags{Games: games}, "", guard)
	return plan, err
}

// show runs the farm until the test is over, and prints the report of the test. db is the database of games.
func (c *ServeCommand) show(ctx context.Context, env *cli.Env, s *site.Site, plan *match.Plan, db string) error {
	serving, end := context.WithCancel(ctx)
	defer end()
	served := make(chan error, 1) // one value; never closed
	go func() { served <- s.Serve(serving) }()
	shown := c.follow(serving, env, s, plan)
	end()
	if err := errors.Join(shown, <-served); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return cli.ErrInterrupted
	}
	rep, err := stored.Report(ctx, s.Store, plan.Run)
	if err != nil {
		return err
	}
	text.Summary(env.Out, rep, env.Language, db)
	return nil
}

// follow submits the plan, prints the command for a worker, and waits until every pair is played.
func (c *ServeCommand) follow(ctx context.Context, env *cli.Env, s *site.Site, plan *match.Plan) error {
	if err := submitDemo(ctx, s, plan); err != nil {
		return err
	}
	work, err := s.Issue(demoName, demoName, []keys.Right{keys.Work}, time.Time{}, s.Bus.URL(), s.CA)
	if err != nil {
		return err
	}
	file := filepath.Join(s.Dir, demoName+".creds")
	if err := work.Write(file); err != nil {
		return err
	}
	fmt.Fprintf(env.Err,
		"A farm for %s (%s) waits for a worker. In another terminal:\n\n  gogi farm work --once --creds %s\n\n",
		plan.Run, format.NumberOf(plan.Games(), "game"), file)
	return c.shown(ctx, env, s, func() error { return c.progress(ctx, env, s, plan) })
}

// submitDemo submits the plan with one key and approves it with the key of another owner. Then it revokes both keys.
func submitDemo(ctx context.Context, s *site.Site, plan *match.Plan) error {
	body, err := match.EncodePlan(plan)
	if err != nil {
		return err
	}
	for _, step := range []struct {
		name, verb string
		right      keys.Right
		in         any
	}{
		{"demo-submit", "submit", keys.Submit, farm.Submission{Plan: body}},
		{"demo-approve", "approve", keys.Approve, farm.Order{Run: plan.Run}},
	} {
		creds, err := s.Issue(step.name, step.name, []keys.Right{step.right}, time.Time{}, s.Bus.URL(), s.CA)
		if err != nil {
			return err
		}
		transport, err := nats.Dial(creds)
		if err != nil {
			return err
		}
		err = request(ctx, transport, creds.Name, step.verb, step.in, &farm.TestStatus{})
		if err = errors.Join(err, transport.Close(), s.Bus.Revoke(step.name, "the demonstration has begun")); err != nil {
			return err
		}
	}
	return nil
}

// demoEvery is the interval at which a demo checks its progress.
const demoEvery = 500 * time.Millisecond

// progress prints the progress until the test is over. Then it waits until the workers have disconnected.
func (c *ServeCommand) progress(ctx context.Context, env *cli.Env, s *site.Site, plan *match.Plan) error {
	ticks := time.NewTicker(demoEvery)
	defer ticks.Stop()
	last, over := "", time.Time{}
	for over.IsZero() || time.Since(over) < s.Lease() {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
		status := s.Coordinator.Status(ctx)
		t, here := testOf(status, plan.Run), 0
		for _, w := range status.Workers {
			if w.Here {
				here++
			}
		}
		line := fmt.Sprintf("%s: %d of %d pairs, %s", plan.Run, t.Stored, t.Pairs, format.NumberOf(here, "worker"))
		if line != last && !c.Quiet {
			fmt.Fprintln(env.Err, line)
			last = line
		}
		switch {
		case t.State == farm.Failed || t.State == farm.Paused:
			return fmt.Errorf("%s is %s: %s", plan.Run, t.State, t.Why)
		case t.State == farm.Over && over.IsZero():
			over = time.Now()
		}
		if !over.IsZero() && here == 0 {
			return nil
		}
	}
	return nil
}

func testOf(s farm.Status, name string) farm.TestStatus {
	found, _ := lists.Find(s.Tests, func(t farm.TestStatus) bool { return t.Name == name })
	return found
}
