package main

import (
	"context"
	"errors"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/results"
)

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
