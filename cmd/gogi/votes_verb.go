package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"gogi/internal/format"
	"gogi/internal/usage"
	"gogi/votes"
)

// votesCommand groups the verbs about the votes of councils.
type votesCommand struct {
	Show   votesShowCommand   `cmd:"" default:"withargs" help:"How a run's councils voted, or the votes of one game; what gogi votes does when no verb follows."`
	Replay votesReplayCommand `cmd:"" help:"Take all recorded votes again: by the recorded rule, as a check, or by others."`
	Fit    votesFitCommand    `cmd:"" help:"Fit each member's scale, how its centipawns become chances, to the results of a run's games."`
}

// votesSource is where votes are read from, and which of them.
type votesSource struct {
	stored
	Log    string `placeholder:"FILE" help:"Read a log of votes (one JSON record a line) instead of a database."`
	Game   string `placeholder:"PAIR.LEG" help:"One game only, such as 12.0; in a log the games are numbered from 0."`
	Player string `placeholder:"NAME" help:"The votes of this council only."`
}

// votesShowCommand tells how councils voted.
type votesShowCommand struct {
	votesSource
	JSON bool   `name:"json" help:"One JSON object."`
	SVG  string `name:"svg" placeholder:"FILE" help:"With --game: draw every member's weight over the game; - is the standard output."`
	CSV  string `name:"csv" placeholder:"FILE" help:"With --game: the same as a table for other programs."`
}

// Run prints the votes.
func (c *votesShowCommand) Run(ctx context.Context, env *environment) error {
	if err := c.check(); err != nil {
		return usage.Wrap(err)
	}
	if c.Game != "" {
		return c.oneGame(ctx, env.out)
	}
	r := &votes.Report{Version: 1, Log: c.Log}
	run, err := c.each(ctx, func(g *votes.Game) error {
		r.Add(g)
		return nil
	})
	if err != nil {
		return err
	}
	r.Run = run
	r.Finish()
	if c.JSON {
		return format.JSON(env.out, r)
	}
	r.Print(env.out)
	return nil
}

func (c *votesShowCommand) check() error {
	switch {
	case c.Game == "" && (c.SVG != "" || c.CSV != ""):
		return errors.New("--svg and --csv show one game: add --game PAIR.LEG, such as --game 0.0")
	case c.SVG == "-" && c.CSV == "-":
		return errors.New("--svg - and --csv -: only one of them can go to the standard output")
	case c.JSON && (c.SVG == "-" || c.CSV == "-"):
		return errors.New("--json and a figure or table on the standard output: give the latter a file")
	}
	return c.votesSource.check()
}

func (s *votesSource) check() error {
	if s.Log != "" && s.Name != "" {
		return fmt.Errorf("a run (%s) and --log %s: expected one of them", s.Name, s.Log)
	}
	if s.Game == "" {
		return nil
	}
	_, _, err := parseGameName(s.Game)
	return err
}

// oneGame shows the votes of one game in all the forms that were asked for.
func (c *votesShowCommand) oneGame(ctx context.Context, out io.Writer) error {
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
	if (c.SVG != "" || c.CSV != "") && len(r.Councils) > 1 {
		return usage.Wrap(fmt.Errorf("game %s has the councils %s and %s: choose one with --player", game.Name, r.Councils[0].Council, r.Councils[1].Council))
	}
	if err := writeForm("--svg", c.SVG, out, r.Councils[0].SVG); err != nil {
		return err
	}
	if err := writeForm("--csv", c.CSV, out, r.Councils[0].CSV); err != nil {
		return err
	}
	switch {
	case c.SVG == "-" || c.CSV == "-":
		return nil
	case c.JSON:
		return format.JSON(out, r)
	}
	r.Print(out)
	return nil
}

// writeForm writes what text makes into a file, "-" being out; no file is no wish.
func writeForm(flag, file string, out io.Writer, text func() (string, error)) error {
	if file == "" {
		return nil
	}
	s, err := text()
	if err != nil {
		return err
	}
	if file == "-" {
		_, err = io.WriteString(out, s)
		return err
	}
	if err := os.WriteFile(file, []byte(s), 0o644); err != nil { //nolint:gosec // a file to be published
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}
