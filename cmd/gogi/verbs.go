package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/internal/foreign"
	"gogi/internal/format"
	"gogi/internal/usage"
	"gogi/match"
	"gogi/results"
	"gogi/shogi"
)

// stored is what all verbs that read a database need.
type stored struct {
	Name string `arg:"" optional:"" name:"run" help:"The run (default: the only one, else the newest)."`
	DB   string `name:"db" default:"gogi.db" placeholder:"FILE" help:"The database of games."`
}

// with opens the database for reading and finds the run.
func (s *stored) with(ctx context.Context, f func(*results.Store, *results.RunInfo) error) error {
	store, err := results.OpenExisting(ctx, s.DB)
	if err != nil {
		return err
	}
	info, err := findRun(ctx, store, s.Name)
	if err == nil {
		err = f(store, info)
	}
	return errors.Join(err, store.Close())
}

func findRun(ctx context.Context, store *results.Store, name string) (*results.RunInfo, error) {
	if name == "" {
		return store.DefaultRun(ctx, "")
	}
	return store.FindRun(ctx, name)
}

// runsCommand lists runs.
type runsCommand struct {
	DB   string `name:"db" default:"gogi.db" placeholder:"FILE" help:"The database of games."`
	JSON bool   `name:"json" help:"One JSON object."`
}

type runRow struct {
	Name    string   `json:"name"`
	Digest  string   `json:"digest"`
	Players []string `json:"players"`
	Pairs   int      `json:"pairs"`
	Planned int      `json:"planned_pairs"`
	Created string   `json:"created"`
}

// Run prints the runs, oldest first.
func (c *runsCommand) Run(ctx context.Context, env *environment) error {
	store, err := results.OpenExisting(ctx, c.DB)
	if err != nil {
		return err
	}
	runs, err := store.Runs(ctx)
	if err := errors.Join(err, store.Close()); err != nil {
		return err
	}
	rows := []runRow{}
	for _, r := range runs {
		row := runRow{Name: r.Name, Digest: r.Digest, Pairs: r.Finished, Planned: r.Pairs, Players: r.Players, Created: r.Created.Format("2006-01-02 15:04:05")}
		rows = append(rows, row)
	}
	if c.JSON {
		return format.JSON(env.out, map[string]any{"version": 1, "runs": rows})
	}
	t := format.Table("run", "players", "pairs", "planned", "begun")
	for _, r := range rows {
		t.AppendRow(table.Row{r.Name, strings.Join(r.Players, ", "), format.Count(r.Pairs), format.Count(r.Planned), r.Created})
	}
	format.Render(env.out, t)
	return nil
}

// gamesCommand lists games or prints one.
type gamesCommand struct {
	stored
	Game   string `placeholder:"PAIR.LEG" help:"Print one game, such as 12.0."`
	Format string `enum:"usi,csa" default:"usi" help:"Of the printed game: usi or csa."`
	JSON   bool   `name:"json" help:"One JSON object."`
}

type gameRow struct {
	Pair        int     `json:"pair"`
	Leg         int     `json:"leg"`
	Black       string  `json:"black"`
	White       string  `json:"white"`
	Outcome     string  `json:"outcome"`
	Termination string  `json:"termination"`
	Note        string  `json:"note"`
	Plies       int     `json:"plies"`
	Opening     string  `json:"opening"`
	BlackMS     float64 `json:"black_ms"`
	WhiteMS     float64 `json:"white_ms"`
	Marked      bool    `json:"marked"`
}

// Run prints the list, or the one game that was asked for.
func (c *gamesCommand) Run(ctx context.Context, env *environment) error {
	return c.with(ctx, func(store *results.Store, info *results.RunInfo) error {
		if c.Game != "" {
			return c.printGame(ctx, env.out, store, info)
		}
		return c.list(ctx, env.out, store, info)
	})
}

func (c *gamesCommand) printGame(ctx context.Context, w io.Writer, store *results.Store, info *results.RunInfo) error {
	pair, leg, err := parseGameName(c.Game)
	if err != nil {
		return usage.Wrap(err)
	}
	record, err := store.Record(ctx, info.ID, pair, leg)
	if err != nil {
		return err
	}
	if c.Format == "usi" {
		fmt.Fprintln(w, record.USI())
		return nil
	}
	csa, err := record.CSA()
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, csa)
	return err
}

func parseGameName(name string) (pair, leg int, err error) {
	first, second, hasLeg := strings.Cut(name, ".")
	pair, err = strconv.Atoi(first)
	if err == nil && hasLeg {
		leg, err = strconv.Atoi(second)
	}
	if err != nil || pair < 0 || leg < 0 {
		return 0, 0, fmt.Errorf("--game %q: expected PAIR.LEG, such as 12.0", name)
	}
	return pair, leg, nil
}

func (c *gamesCommand) list(ctx context.Context, w io.Writer, store *results.Store, info *results.RunInfo) error {
	rows := []gameRow{}
	err := store.Games(ctx, info.ID, func(r match.Row) error {
		rows = append(rows, gameRow{
			Pair: r.Pair, Leg: r.Leg, Black: r.Black, White: r.White, Outcome: r.Outcome.String(),
			Termination: r.Termination.String(), Note: r.Note, Plies: r.Plies, Opening: r.OpeningID,
			BlackMS: sideMillis(r.Sides[shogi.Black]), WhiteMS: sideMillis(r.Sides[shogi.White]), Marked: r.Marked,
		})
		return nil
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return format.JSON(w, map[string]any{"version": 1, "games": rows})
	}
	t := format.Table("game", "plies", "opening", "Black", "White", "won by", "by", "note")
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 2, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 3, Align: text.AlignRight, AlignHeader: text.AlignRight},
	})
	for _, r := range rows {
		t.AppendRow(table.Row{
			fmt.Sprintf("%d.%d", r.Pair, r.Leg), r.Plies, r.Opening, r.Black, r.White, winnerName(r),
			strings.ReplaceAll(r.Termination, "_", " "), foreign.Printable(r.Note, 60),
		})
	}
	format.Render(w, t)
	return nil
}

func sideMillis(s match.Side) float64 { return float64(s.Time.Microseconds()) / 1000 }

func winnerName(r gameRow) string {
	switch r.Outcome {
	case match.BlackWins.String():
		return r.Black
	case match.WhiteWins.String():
		return r.White
	}
	return "draw"
}

// dbCommand groups the verbs about the database.
type dbCommand struct {
	Dump dumpCommand `cmd:"" help:"Print everything that is stored of a run, one JSON object a line."`
}

// dumpCommand prints a run in a fixed order.
type dumpCommand struct {
	stored
	Stable bool `help:"Leave out times, slots and attempts: what two equal runs of deterministic engines have in common."`
}

// Run prints the dump.
func (c *dumpCommand) Run(ctx context.Context, env *environment) error {
	return c.with(ctx, func(store *results.Store, info *results.RunInfo) error {
		return store.Dump(ctx, env.out, info.Name, c.Stable)
	})
}
