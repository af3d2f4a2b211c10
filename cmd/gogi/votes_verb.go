package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"gogi/ensemble"
	"gogi/internal/format"
	"gogi/internal/usage"
)

// votesCommand groups the verbs about the votes of councils.
type votesCommand struct {
	Show   votesShowCommand   `cmd:"" default:"withargs" help:"How a run's councils voted, or the votes of one game; what gogi votes does when no verb follows."`
	Replay votesReplayCommand `cmd:"" help:"Take all recorded votes again: by the recorded rule, as a check, or by others."`
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
	r := &votesReport{Version: 1, Log: c.Log}
	run, err := c.each(ctx, func(g *votedGame) error {
		r.add(g)
		return nil
	})
	if err != nil {
		return err
	}
	r.Run = run
	r.finish()
	if c.JSON {
		return format.JSON(env.out, r)
	}
	r.print(env.out)
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
	var game *votedGame
	run, err := c.each(ctx, func(g *votedGame) error {
		game = g
		return nil
	})
	if err != nil {
		return err
	}
	r := newGameVotes(game)
	r.Run, r.Log = run, c.Log
	if (c.SVG != "" || c.CSV != "") && len(r.Councils) > 1 {
		return usage.Wrap(fmt.Errorf("game %s has the councils %s and %s: choose one with --player", game.name, r.Councils[0].Council, r.Councils[1].Council))
	}
	if err := writeForm("--svg", c.SVG, out, r.Councils[0].svg); err != nil {
		return err
	}
	if err := writeForm("--csv", c.CSV, out, r.Councils[0].csv); err != nil {
		return err
	}
	switch {
	case c.SVG == "-" || c.CSV == "-":
		return nil
	case c.JSON:
		return format.JSON(out, r)
	}
	r.print(out)
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

// votedGame is one game with the votes of its councils.
type votedGame struct {
	name  string // as --game wants it
	plies int    // that were played, without the opening's; -1: unknown
	votes []councilVotes
}

// councilVotes are the votes of one council in one game.
type councilVotes struct {
	council string
	records []*ensemble.Record // as they came, those that were taken back, too
	places  []string           // where each stands, for errors
}

// played are the votes that the game went on from: where it was taken back, the
// number of the decision repeats, and what was decided from there on is void.
func (v *councilVotes) played() []*ensemble.Record {
	var kept []*ensemble.Record
	for _, r := range v.records {
		if r.Own >= 1 && r.Own <= len(kept) {
			kept = kept[:r.Own-1]
		}
		kept = append(kept, r)
	}
	return kept
}
