package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gogi/configs"
	"gogi/internal/format"
	"gogi/internal/usage"
	"gogi/match"
)

// checkCommand examines one engine: what it understands, keeps to and survives.
type checkCommand struct {
	Engine []string `arg:"" help:"The engine's command: one argument is split as a shell splits it, more are taken as they are. The word builtin is the built-in engine."`

	Option  []string `sep:"none" placeholder:"NAME=VALUE" help:"An option of the engine; may be repeated."`
	Profile string   `placeholder:"NAME" help:"Option profile: yaneuraou."`
	Dir     string   `placeholder:"DIR" help:"Working directory (default: that of the program)."`

	GreetingTimeout time.Duration `default:"1m" placeholder:"DUR" help:"Longest wait for usiok (default ${default})."`
	ReadyTimeout    time.Duration `default:"10m" placeholder:"DUR" help:"Longest wait for readyok (default ${default})."`

	Quick bool `help:"Leave out what takes long."`
	JSON  bool `name:"json" help:"One JSON object."`
}

// Run prints a verdict for each item; one that fails makes the exit code 1.
func (c *checkCommand) Run(ctx context.Context, env *environment) error {
	plan, err := c.plan()
	if err != nil {
		return usage.Wrap(err)
	}
	guard, err := startGuard()
	if err != nil {
		return err
	}
	ctx, interrupted := catchInterrupts(ctx, env)
	err = c.examine(ctx, env, &subject{player: plan.Players[0], plan: plan, guard: guard})
	interrupted.stop()
	return errors.Join(err, guard.Close())
}

// plan resolves the engine as a series would: playing the built-in engine at a
// byoyomi of one second.
func (c *checkCommand) plan() (*match.Plan, error) {
	engine, err := c.engine()
	if err != nil {
		return nil, err
	}
	here, err := surroundings()
	if err != nil {
		return nil, err
	}
	games, byoyomi := 2, time.Second
	file := &configs.File{
		Run:     "check",
		Games:   &games,
		Limits:  &configs.Limits{Clock: configs.Clock{Byoyomi: &byoyomi}},
		Engines: []configs.Engine{engine, {Name: "opponent", Cmd: "builtin"}},
	}
	plan, _, err := file.Plan(here.WorkDir, here)
	return plan, err
}

// subjectName stands for the engine where a name is needed.
const subjectName = "engine"

func (c *checkCommand) engine() (configs.Engine, error) {
	e := configs.Engine{
		Name: subjectName, Dir: c.Dir, Profile: c.Profile,
		GreetingTimeout: &c.GreetingTimeout, ReadyTimeout: &c.ReadyTimeout,
		Identity: "unknown", // nothing is stored, so no file needs to be hashed
	}
	if len(c.Engine) == 1 {
		e.Cmd = c.Engine[0]
	} else {
		e.Command = c.Engine
	}
	for _, text := range c.Option {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return e, fmt.Errorf("--option %q: expected NAME=VALUE", text)
		}
		e.Options = append(e.Options, match.Option{Name: name, Value: value})
	}
	return e, nil
}

// examine goes through the items and prints what was found.
func (c *checkCommand) examine(ctx context.Context, env *environment, s *subject) error {
	began := time.Now()
	sheet := &checkSheet{Version: 1, Engine: strings.Join(c.Engine, " "), Checks: []*finding{}}
	if !c.JSON {
		sheet.out = env.out
	}
	c.findAll(ctx, s, sheet)
	if err := s.end(); err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return &exitError{exitInterrupted, err}
	}
	if c.JSON {
		if err := format.JSON(env.out, sheet); err != nil {
			return err
		}
	} else {
		sheet.printSummary(time.Since(began))
	}
	if sheet.count(checkFail) > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

// findAll runs the items in order, until one that the others need has failed.
func (c *checkCommand) findAll(ctx context.Context, s *subject, sheet *checkSheet) {
	items := checkItems()
	sheet.begin(items)
	for _, item := range items {
		if c.Quick && item.slow {
			continue
		}
		f := &finding{Check: item.name}
		item.examine(ctx, s, f)
		if ctx.Err() != nil {
			return
		}
		sheet.Name = s.greeting.Name
		sheet.add(f)
		if item.vital && f.Verdict == checkFail {
			sheet.stuck = item.name
			return
		}
	}
}

// checkItem is one thing to find out.
type checkItem struct {
	name    string
	vital   bool // without it there is nothing else to examine
	slow    bool
	examine func(ctx context.Context, s *subject, f *finding)
}

// checkItems lists everything there is, in the order of a game.
func checkItems() []checkItem {
	items := []checkItem{
		{name: "usiok", vital: true, examine: checkGreeting},
		{name: "options", examine: checkOptions},
		{name: "defaults", examine: checkDefaults},
		{name: "readyok", vital: true, examine: checkReady},
	}
	for _, kind := range goKinds() {
		items = append(items, checkItem{name: "go_" + kind.name, slow: kind.slow, examine: func(ctx context.Context, s *subject, f *finding) {
			checkGo(ctx, s, kind, f)
		}})
	}
	return append(items,
		checkItem{name: "stop", examine: checkStop},
		checkItem{name: "ponderhit", examine: checkPonderHit},
		checkItem{name: "ponder_stop", examine: checkPonderStop},
		checkItem{name: "legal_moves", slow: true, examine: checkLegalMoves},
		checkItem{name: "declaration", examine: checkDeclaration},
		checkItem{name: "stderr", examine: checkStderr},
		checkItem{name: "repeatable", slow: true, examine: checkRepeatable},
		checkItem{name: "mate_search", slow: true, examine: checkMate},
		checkItem{name: "quit", slow: true, examine: checkQuit},
		checkItem{name: "end_of_input", slow: true, examine: checkEndOfInput},
	)
}
