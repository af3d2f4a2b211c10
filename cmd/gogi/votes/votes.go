// Package votescmd implements the commands about the votes of councils: show, fit and replay.
// [Command] is the group. The reports come from package ensemble/votes.
package votescmd

import (
	"context"
	"errors"
	"fmt"

	"gogi/cmd/gogi/cli"
	"gogi/ensemble/votes"
	"gogi/internal/fail"
)

// Command groups the commands for the votes of councils.
type Command struct {
	Show   ShowCommand   `cmd:"" default:"withargs" help:"Show how councils voted, in a run or a game (default)"`
	Replay ReplayCommand `cmd:"" help:"Repeat recorded votes, by the same or by other rules"`
	Fit    FitCommand    `cmd:"" help:"Fit each member's score scale to the results of a run"`
}

// ShowCommand prints how councils voted.
type ShowCommand struct {
	votesSource
	JSON bool   `name:"json" help:"Print one JSON object."`
	CSV  string `name:"csv" placeholder:"FILE" help:"With --game: CSV file to which gogi writes each member's weight at each vote."`
}

// Run prints the votes.
func (c *ShowCommand) Run(ctx context.Context, env *cli.Env) error {
	if err := c.check(); err != nil {
		return fail.Usage(err)
	}
	if c.Game != "" {
		return c.oneGame(ctx, env)
	}
	r := &votes.Report{Head: votes.Head{Version: 1, Log: c.Log}}
	run, err := c.each(ctx, func(g *votes.Game) error {
		r.Add(g)
		return nil
	})
	if err != nil {
		return err
	}
	r.Run = run
	r.Finish()
	return env.Answer(c.JSON, r, nil)
}

func (c *ShowCommand) check() error {
	switch {
	case c.Game == "" && c.CSV != "":
		return errors.New("--csv shows one game: add --game PAIR.LEG, such as --game 0.0")
	case c.JSON && c.CSV == "-":
		return errors.New("--json and --csv -: only one of them can go to the standard output")
	}
	return c.votesSource.check()
}

func (c *ShowCommand) oneGame(ctx context.Context, env *cli.Env) error {
	var game *votes.Game
	run, err := c.each(ctx, func(g *votes.Game) error {
		game = g
		return nil
	})
	if err != nil {
		return err
	}
	r := votes.NewGame(game)
	r.Run, r.Log = run, c.Log
	if c.CSV != "" && len(r.Councils) > 1 {
		return fail.Usage(fmt.Errorf("game %s has the councils %s and %s: choose one with --player", game.Name, r.Councils[0].Council, r.Councils[1].Council))
	}
	if err := cli.WriteForm("--csv", c.CSV, env.Out, r.Councils[0].CSV); err != nil {
		return err
	}
	if c.CSV == "-" {
		return nil
	}
	return env.Answer(c.JSON, r, nil)
}
