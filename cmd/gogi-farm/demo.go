package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gogi/cmd/gogi/cli"
	farmcmd "gogi/cmd/gogi/farm"
	"gogi/configs"
	"gogi/farm"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/farm/site"
	"gogi/internal/format"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/players"
	"gogi/report/stored"
	"gogi/report/text"
)

// These constants are the run name, the lease time and the database of gogi farm serve --demo.
const (
	demoName  = "demo"
	demoLease = 3 * time.Second
	demoDB    = "farm-demo.db"
)

// demo runs a farm with one test, and ends when the test is over.
func (c *serveCommand) demo(ctx context.Context, env *cli.Env, config site.Config) (err error) {
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
		return cli.UnlessInterrupted(ctx, err)
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
	plan, _, err = farmcmd.MakePlan(ctx, &configs.Flags{Games: games}, "", guard)
	return plan, err
}

// show runs the farm until the test is over, and prints the report of the test. db is the database of games.
func (c *serveCommand) show(ctx context.Context, env *cli.Env, s *site.Site, plan *match.Plan, db string) error {
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
func (c *serveCommand) follow(ctx context.Context, env *cli.Env, s *site.Site, plan *match.Plan) error {
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
		err = farmcmd.Request(ctx, transport, creds.Name, step.verb, step.in, &farm.TestStatus{})
		if err = errors.Join(err, transport.Close(), s.Bus.Revoke(step.name, "the demonstration has begun")); err != nil {
			return err
		}
	}
	return nil
}

// demoEvery is the interval at which a demo checks its progress.
const demoEvery = 500 * time.Millisecond

// progress prints the progress until the test is over. Then it waits until the workers have disconnected.
func (c *serveCommand) progress(ctx context.Context, env *cli.Env, s *site.Site, plan *match.Plan) error {
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
