package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync/atomic"

	"gogi/cmd/gogi/cli"
	farmcmd "gogi/cmd/gogi/farm"
	"gogi/farm"
	"gogi/farm/board"
	"gogi/farm/coordinator"
	"gogi/farm/mirror"
	"gogi/farm/nats"
	"gogi/farm/nats/embedded"
	"gogi/farm/site"
	"gogi/internal/disk"
	"gogi/internal/fail"
	"gogi/match/control"
	"gogi/runner/events"
	"gogi/ui/web"
)

// serveCommand is gogi farm serve as the coordinator's program has it.
type serveCommand struct{ farmcmd.ServeCommand }

// Run runs the coordinator until a signal. With --demo it ends when the demo's match is over.
func (c *serveCommand) Run(ctx context.Context, env *cli.Env) error {
	ctx, interrupted := cli.Catch(ctx, env)
	defer interrupted.Stop()
	defer runtime.KeepAlive(make([]byte, ballast))
	settings, err := c.settings()
	if err != nil {
		return fail.Usage(err)
	}
	config := site.Config{Settings: settings, Standby: c.Standby, Demo: c.Demo, Start: embedded.Start,
		Log: farmcmd.Logger(env, c.Quiet || c.Demo)}
	if c.Trace != "" {
		if err := disk.CheckOutput(c.Trace); err != nil {
			return fail.Usage(fmt.Errorf("--trace: %w", err))
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

func (c *serveCommand) settings() (s site.Settings, err error) {
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

func (c *serveCommand) serve(ctx context.Context, env *cli.Env, config site.Config) error {
	s, err := site.Open(ctx, config)
	if err != nil {
		return cli.UnlessInterrupted(ctx, serveExit(err))
	}
	err = c.shown(ctx, env, s, func() error {
		fmt.Fprintf(env.Out, "farm: %s, state in %s, games in %s\n", s.URL(), s.Dir, config.Database())
		return s.Serve(ctx)
	})
	err = errors.Join(cli.UnlessInterrupted(ctx, err), s.Close())
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
func (c *serveCommand) shown(ctx context.Context, env *cli.Env, s *site.Site, do func() error) error {
	addr := s.PagesAt()
	if addr == "" {
		return do()
	}
	var shown atomic.Pointer[web.Server]
	pages := board.New(board.Config{
		Outcome: func(ctx context.Context, t farm.TestStatus) *board.Outcome { return outcome(ctx, s, shown.Load(), t) },
		Farm:    s.Coordinator, Keys: s.Ring, State: s.Kept, Secret: s.Secret, Played: s.Coordinator.Played, Quota: s.Quota,
		Log:     farmcmd.Logger(env, c.Quiet),
		Connect: func() farm.Connect { return farm.Connect{URL: s.URL(), Coordinator: s.Public, CA: s.CA} },
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
