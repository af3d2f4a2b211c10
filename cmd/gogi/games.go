package main

import (
	"context"
	"fmt"
	"io"
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
