package runscmd

import (
	"context"
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
	cli.Database
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run prints the runs, oldest first.
func (c *RunsCommand) Run(ctx context.Context, env *cli.Env) error {
	return c.Read(ctx, func(store *results.Store) error {
		list, err := stored.Runs(ctx, store)
		if err != nil {
			return err
		}
		if c.JSON {
			return format.JSON(env.Out, list)
		}
		printRuns(env, list)
		return nil
	})
}

func printRuns(env *cli.Env, list *stored.RunList) {
	t := format.Table(i18n.Heads(env.Language, "run", "players", "pairs", "planned", "state", "begun")...)
	for _, r := range list.Runs {
		t.AppendRow(table.Row{r.Name, strings.Join(r.Players, ", "), format.Count(r.Pairs), format.Count(r.Planned), r.State.Message().In(env.Language), r.Created})
	}
	format.Render(env.Out, t)
}
