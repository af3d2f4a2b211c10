// Package runscmd implements the commands about runs. report, games and runs print stored runs; gate, compare
// and rate calculate decisions and ratings; watch, serve and ctl show and control running runs. Package
// report calculates the figures.
package runscmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/shellwords"
	"gogi/match/openings"
	"gogi/report/effects"
	"gogi/report/stored"
	"gogi/report/text"
	"gogi/results"
	"gogi/runner/crash"
)

// ReportCommand prints a report.
type ReportCommand struct {
	cli.Stored
	JSON     bool     `name:"json" xor:"form" help:"Print one JSON object."`
	HTML     string   `name:"html" xor:"form" placeholder:"FILE" help:"HTML file for the report with charts; - is standard output."`
	Openings bool     `help:"Print the first player's score by opening and by family of openings, and Black's results, instead of the report."`
	Sort     string   `enum:",surprise,score,games" default:"" placeholder:"ORDER" help:"With --openings: order of the rows: surprise (the largest deviation first), score (the lowest first) or games (default surprise)."`
	Also     []string `sep:"none" placeholder:"RUN" help:"With --openings: add the games of another run; may be repeated."`
	Top      *int     `placeholder:"N" help:"With --openings: number of openings to print (default 20)."`
	USI      string   `name:"usi" placeholder:"FILE" help:"With --openings: file for the printed openings, which gogi match --openings plays; - is standard output."`

	Verbose bool `short:"v" xor:"form" help:"Print all tables, tests and remarks."`
}

// Run prints the report of a run, finished or not.
func (c *ReportCommand) Run(ctx context.Context, env *cli.Env) error {
	switch {
	case c.Openings && c.HTML != "":
		return fail.Usage(errors.New("--openings: it has a text and a JSON form; leave out --html"))
	}
	for _, one := range []struct {
		flag  string
		given bool
	}{{"--also", len(c.Also) > 0}, {"--sort", c.Sort != ""}, {"--top", c.Top != nil}, {"--usi", c.USI != ""}} {
		if one.given && !c.Openings {
			return fail.Usage(fmt.Errorf("%s: it belongs to --openings; add --openings", one.flag))
		}
	}
	return c.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		switch {
		case c.Openings:
			return c.openings(ctx, env, store, info)
		case c.HTML != "":
			return cli.WriteForm("--html", c.HTML, env.Out, func() (string, error) {
				return pageOf(ctx, store, info, env.Language)
			})
		}
		r, err := stored.Report(ctx, store, info.Name)
		if err != nil {
			return err
		}
		r.Bundles = crash.InGames(crash.Dir(c.DB, info.Name))
		if c.JSON {
			return format.JSON(env.Out, r)
		}
		if c.Verbose {
			text.Print(env.Out, r, env.Language)
		} else {
			text.Summary(env.Out, r, env.Language, c.DB)
		}
		return nil
	})
}

func (c *ReportCommand) openings(ctx context.Context, env *cli.Env, store *results.Store, info *results.RunInfo) error {
	infos := []*results.RunInfo{info}
	for _, name := range c.Also {
		more, err := cli.FindRun(ctx, store, name)
		if err != nil {
			return err
		}
		infos = append(infos, more)
	}
	w, err := stored.Worth(ctx, store, infos)
	if err != nil {
		return err
	}
	boards, err := c.boards(ctx, store, info)
	if err != nil {
		return err
	}
	order, top := cmp.Or(c.Sort, effects.BySurprise), shownOpenings
	if c.Top != nil {
		top = max(1, *c.Top)
	}
	boards.Openings.Sort(order)
	if err := cli.WriteForm("--usi", c.USI, env.Out,
		func() (string, error) { return boards.Openings.Lines(top), nil }); err != nil || c.USI == "-" {
		return err
	}
	if c.JSON {
		for _, list := range []*effects.BoardList{&boards.Families, &boards.Openings} {
			list.Sort(order)
			if err := list.Bound(0, list.Looked); err != nil {
				return err
			}
		}
		return format.JSON(env.Out, OpeningsReport{*w, boards})
	}
	if boards.Games > 0 {
		if err := boards.Print(env.Out, env.Language, order, top); err != nil {
			return err
		}
		fmt.Fprintln(env.Out)
	}
	w.Print(env.Out, top)
	fmt.Fprintln(env.Out)
	run := shellwords.Quote(info.Name)
	if boards.Games > 0 {
		fmt.Fprintln(env.Out, i18n.Say(env.Language,
			"The moves of a game: gogi games %s GAME. Openings for a new run: gogi report %s --openings --usi FILE, then gogi match --openings FILE.", run, run))
	}
	return nil
}

// shownOpenings is the default of --top.
const shownOpenings = 20

// OpeningsReport is the JSON object of gogi report --openings.
type OpeningsReport struct {
	openings.OpeningStats
	Players *effects.Boards `json:"players"` // the first player's score; without rows for a tune and for self-play
}

// boards returns the score of the first player for each opening. It has no rows for a run without two players, and for
// a tune or self-play.
func (c *ReportCommand) boards(ctx context.Context, store *results.Store, info *results.RunInfo) (*effects.Boards,
	error) {
	if stored.Proves(info) != nil || len(info.Players) < 2 {
		return &effects.Boards{Head: effects.Head{Version: 1, Run: info.Name}}, nil
	}
	end, err := stored.ReadEnd(ctx, store, info)
	if err != nil {
		return nil, err
	}
	return stored.Boards(ctx, store, info, end)
}

// pageOf returns a run's HTML page in a language. The page also shows from which openings, colours and ponder hits
// the Elo difference comes.
func pageOf(ctx context.Context, store *results.Store, info *results.RunInfo, in i18n.Language) (string, error) {
	shown, err := stored.Shown(ctx, store, info)
	if err != nil {
		return "", err
	}
	where, err := stored.Effects(ctx, store, info, stored.EndOf(shown.Report))
	if err != nil {
		return "", err
	}
	section, err := where.HTML(in)
	if err != nil {
		return "", err
	}
	shown.More = append(shown.More, section)
	var html strings.Builder
	err = shown.Write(&html, in)
	return html.String(), err
}
