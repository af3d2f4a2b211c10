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
		return fail.Usage(fmt.Errorf("game %s has the councils %s and %s: choose one with --player", game.Name,
			r.Councils[0].Council, r.Councils[1].Council))
	}
	if err := cli.WriteForm("--csv", c.CSV, env.Out, r.Councils[0].CSV); err != nil {
		return err
	}
	if c.CSV == "-" {
		return nil
	}
	return env.Answer(c.JSON, r, nil)
}

// FitCommand calculates, from the games of a run, how each council member's centipawns convert to win
// probabilities.
type FitCommand struct {
	cli.Stored
	Player string `placeholder:"NAME" help:"Only the members of this council."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

// Run prints the conversions as lines of a match file.
func (c *FitCommand) Run(ctx context.Context, env *cli.Env) error {
	source := votesSource{Stored: c.Stored, Player: c.Player}
	fit := votes.NewFit()
	run, err := source.each(ctx, fit.Add)
	if err != nil {
		return err
	}
	fit.Run = run
	fit.Finish()
	return env.Answer(c.JSON, fit, nil)
}

// ReplayCommand repeats the votes of recorded ballots, by other rules or to check the recorded decisions.
type ReplayCommand struct {
	votesSource
	Rule []string `sep:"none" placeholder:"RULE" help:"Voting rule to try on the recorded answers of the members, such as majority or adoption:decay=0.9; may be repeated (default: check the recorded decisions)."`
	Ties string   `placeholder:"CHAIN" help:"Tie-breaks in order, such as weight,score,member (default: as recorded)."`
	JSON bool     `name:"json" help:"Print one JSON object."`
}

// Run prints the decisions of the repeated votes, and how they differ from the recorded decisions.
func (c *ReplayCommand) Run(ctx context.Context, env *cli.Env) error {
	r, err := votes.NewReplay(c.Log, c.Rule, c.Ties)
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return fail.Usage(err)
	}
	c.whole = true
	r.Run, err = c.each(ctx, r.Add)
	if err != nil {
		return err
	}
	r.Finish()
	if err := env.Answer(c.JSON, r, nil); err != nil {
		return err
	}
	return r.Verdict()
}
