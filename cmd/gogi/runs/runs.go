package runscmd

import (
	"context"
	"errors"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/cmd/gogi/cli"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report/stored"
	"gogi/results"
)

// RunsCommand lists runs.
type RunsCommand struct {
	DB   string `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of games."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Run prints the runs, oldest first.
func (c *RunsCommand) Run(ctx context.Context, env *cli.Env) error {
	store, err := results.OpenExisting(ctx, c.DB)
	if err != nil {
		return err
	}
	list, err := stored.Runs(ctx, store)
	if err := errors.Join(err, store.Close()); err != nil {
		return err
	}
	if c.JSON {
		return format.JSON(env.Out, list)
	}
	t := format.Table(i18n.Heads(env.Language, "run", "players", "pairs", "planned", "state", "begun")...)
	for _, r := range list.Runs {
		t.AppendRow(table.Row{r.Name, strings.Join(r.Players, ", "), format.Count(r.Pairs), format.Count(r.Planned), r.State.Said().In(env.Language), r.Created})
	}
	format.Render(env.Out, t)
	return nil
}
