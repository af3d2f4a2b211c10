package enginecmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/sanitize"
	"gogi/internal/shellwords"
	"gogi/match"
	"gogi/players"
	"gogi/runner/crash"
	"gogi/runner/crash/replay"
	"gogi/usi/process"
)

// replayFlags has the flags of gogi check --replay, which repeats the search that crashed an engine.
type replayFlags struct {
	Bundle   string `name:"replay" group:"replay" type:"path" placeholder:"DUMP" help:"Repeat the failure of this crash dump. gogi report prints the path of a crash dump."`
	With     string `name:"engine" group:"replay" placeholder:"CMD" help:"With --replay: engine command instead of the recorded one."`
	Times    int    `group:"replay" default:"1" placeholder:"N" help:"With --replay: number of replays (default ${default})."`
	Fast     bool   `group:"replay" help:"With --replay: skip the recorded pauses between moves."`
	LastGame bool   `group:"replay" help:"With --replay: replay only the last game."`
	Exit     string `group:"replay" enum:"default,bisect" default:"default" placeholder:"HOW" help:"With --replay: exit codes: default, or bisect for git bisect run (0: the failure did not happen, 1: it happened, 125: undecided, 255: gogi failed)."`
}

// These are the exit codes of a replay. Code 0 means that the failure did not happen.
const (
	exitHappened = 10
	exitUnclear  = 11
)

func (c *CheckCommand) replayBundle(ctx context.Context, env *cli.Env) error {
	bundle, err := crash.Open(c.Bundle)
	if err != nil {
		return fail.Usage(err)
	}
	player, err := c.recorded(bundle)
	if err != nil {
		return fail.Usage(err)
	}
	if c.Times < 1 {
		return fail.Usage(fmt.Errorf("--times %d: expected 1 or more", c.Times))
	}
	return cli.WithGuard(ctx, env, func(ctx context.Context, guard *process.Guard, _ *cli.Interrupts) error {
		tally, err := c.replay(ctx, env, bundle, player, guard)
		if err != nil {
			return err
		}
		return c.verdict(env, tally)
	})
}

func (c *CheckCommand) recorded(b *crash.Bundle) (match.Player, error) {
	p := match.Player{Name: b.Player, Command: b.Command, Dir: b.Dir, Env: b.Env}
	if c.With != "" {
		words, err := shellwords.Split(c.With)
		if err != nil {
			return p, fmt.Errorf("--engine: %w", err)
		}
		p.Command, p.Dir = words, ""
	}
	if len(p.Command) == 0 {
		return p, errors.New("the bundle has no command: give one with --engine")
	}
	return p, nil
}

// A ReplayResult is the JSON object of gogi check --replay.
type ReplayResult struct {
	Version int             `json:"version"` // 1
	Bundle  string          `json:"bundle"`  // file of the crash dump
	Player  string          `json:"player"`  // name of the player that failed
	Kind    string          `json:"kind"`    // kind of the failure, such as crash or time_forfeit
	Outcome replay.Outcome  `json:"outcome"` // outcome of all replays together
	Tally   replay.Tally    `json:"tally"`   // counts of the outcomes
	Replays []replay.Result `json:"replays"` // in the order of the replays
}

func (c *CheckCommand) replay(ctx context.Context, env *cli.Env, b *crash.Bundle, p match.Player,
	guard *process.Guard) (replay.Tally, error) {
	opener := &players.Opener{Guard: guard}
	start := func() (replay.Process, error) { return opener.Start(p, nil, 0) }
	results := []replay.Result{}
	if !c.JSON {
		fmt.Fprintf(env.Out, "%s: %s: %s\n", sanitize.Printable(b.Player, 80), sanitize.Printable(b.Kind, 40),
			sanitize.Printable(b.Note, 300))
	}
	tally, err := replay.Many(ctx, b, start, replay.Options{Fast: c.Fast, LastGame: c.LastGame}, c.Times,
		func(r replay.Result) {
			results = append(results, r)
			if !c.JSON {
				fmt.Fprintf(env.Out, "%*d  %-8s  %s\n", len(strconv.Itoa(c.Times)), len(results), r.Outcome, r.Note)
			}
		})
	switch {
	case ctx.Err() != nil:
		return tally, &cli.Exit{Code: cli.Interrupted, Err: err}
	case err != nil:
		return tally, err
	case c.JSON:
		return tally, format.JSON(env.Out, ReplayResult{1, c.Bundle, b.Player, b.Kind, tally.Outcome(), tally, results})
	}
	fmt.Fprintln(env.Out, tally)
	return tally, nil
}

func (c *CheckCommand) verdict(env *cli.Env, t replay.Tally) error {
	bisecting := c.Exit == cli.ExitBisect
	switch outcome := t.Outcome(); {
	case bisecting && outcome == replay.Happened:
		return env.Judge("bad", cli.BisectBad, t.String())
	case bisecting && outcome == replay.Absent:
		return env.Judge("good", cli.BisectGood, t.String())
	case bisecting:
		return env.Judge("skip", cli.BisectSkip, t.String())
	case outcome == replay.Happened:
		return &cli.Exit{Code: exitHappened}
	case outcome == replay.Unclear:
		return &cli.Exit{Code: exitUnclear}
	}
	return nil
}
