package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/archive"
	"gogi/internal/foreign"
	"gogi/internal/format"
	"gogi/internal/usage"
	"gogi/internal/verb"
	"gogi/results"
)

// gamesCommand lists games or prints one.
type gamesCommand struct {
	verb.Stored
	Game   string `placeholder:"PAIR.LEG" help:"Print one game, such as 12.0."`
	Format string `enum:"usi,csa" default:"usi" help:"Of the printed game: usi or csa."`
	JSON   bool   `name:"json" help:"One JSON object."`
}

// Run prints the list, or the one game that was asked for.
func (c *gamesCommand) Run(ctx context.Context, env *verb.Env) error {
	return c.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		if c.Game != "" {
			return c.printGame(ctx, env.Out, store, info)
		}
		return c.list(ctx, env.Out, store, info)
	})
}

func (c *gamesCommand) printGame(ctx context.Context, w io.Writer, store *results.Store, info *results.RunInfo) error {
	pair, leg, err := verb.GameName(c.Game)
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
	list, err := archive.Games(ctx, store, info)
	if err != nil {
		return err
	}
	if c.JSON {
		return format.JSON(w, list)
	}
	t := format.Table("game", "plies", "opening", "Black", "White", "won by", "by", "note")
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 2, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 3, Align: text.AlignRight, AlignHeader: text.AlignRight},
	})
	for _, r := range list.Games {
		t.AppendRow(table.Row{
			fmt.Sprintf("%d.%d", r.Pair, r.Leg), r.Plies, r.Opening, r.Black, r.White, r.Winner(),
			strings.ReplaceAll(r.Termination, "_", " "), foreign.Printable(r.Note, 60),
		})
	}
	format.Render(w, t)
	return nil
}
