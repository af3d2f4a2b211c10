package runscmd

import (
	"context"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/cmd/gogi/cli"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report/stored"
	"gogi/results"
)

// RunsCommand groups the commands for the runs of a database.
type RunsCommand struct {
	List   ListCommand   `cmd:"" default:"withargs" help:"List the runs of a database (default)"`
	Rename RenameCommand `cmd:"" help:"Give a run another name"`
	Delete DeleteCommand `cmd:"" help:"Delete a run with its games"`
	Tag    TagCommand    `cmd:"" help:"Add tags to a run, remove or print them"`
}

// ListCommand lists runs.
type ListCommand struct {
	cli.Database
	Tag  string `placeholder:"TAG" help:"List only the runs with this tag."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Run prints the runs, oldest first.
func (c *ListCommand) Run(ctx context.Context, env *cli.Env) error {
	return c.Read(ctx, func(store *results.Store) error {
		list, err := stored.Runs(ctx, store, c.Tag)
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
	tagged := slices.ContainsFunc(list.Runs, func(r stored.Run) bool { return len(r.Tags) > 0 })
	heads := []string{
		i18n.Phrase("run"), i18n.Phrase("players"), i18n.Phrase("pairs"), i18n.Phrase("planned"), i18n.Phrase("state"), i18n.Phrase("begun"),
	}
	if tagged {
		heads = append(heads, i18n.Phrase("tags"))
	}
	t := format.Table(i18n.Heads(env.Language, heads...)...)
	for _, r := range list.Runs {
		row := table.Row{r.Name, strings.Join(r.Players, ", "), format.Count(r.Pairs), format.Count(r.Planned), r.State.Message().In(env.Language), r.Created}
		if tagged {
			row = append(row, strings.Join(r.Tags, ", "))
		}
		t.AppendRow(row)
	}
	format.Render(env.Out, t)
}
