package runscmd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/cmd/gogi/cli"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report/stored"
	"gogi/results"
	"gogi/runner/socket"
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return c.Read(ctx, func(store *results.Store) error {
		list, err := stored.Runs(ctx, store, c.Tag, socket.NewNearby(ctx, c.DB).Runs())
		if err != nil {
			return err
		}
		if c.JSON {
			return format.JSON(env.Out, list)
		}
		if c.Tag != "" && len(list.Runs) == 0 {
			return c.noTag(ctx, store)
		}
		printRuns(env, list)
		return nil
	})
}

// noTag returns the error for a tag that no run has. It lists the tags.
func (c *ListCommand) noTag(ctx context.Context, store *results.Store) error {
	tags, err := results.TagsOf(ctx, store)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, list := range tags {
		for _, tag := range list {
			known[tag] = true
		}
	}
	if len(known) == 0 {
		return fmt.Errorf("--tag %s: no run has a tag; gogi runs tag RUN TAG adds one", c.Tag)
	}
	return fmt.Errorf("--tag %s: no run has this tag; the tags are %s", c.Tag,
		strings.Join(slices.Sorted(maps.Keys(known)), ", "))
}

func printRuns(env *cli.Env, list *stored.RunList) {
	tagged := slices.ContainsFunc(list.Runs, func(r stored.Run) bool { return len(r.Tags) > 0 })
	heads := []string{
		i18n.Phrase("run"), i18n.Phrase("players"), i18n.Phrase("pairs"), i18n.Phrase("planned"), i18n.Phrase("state"),
		i18n.Phrase("begun"),
	}
	if tagged {
		heads = append(heads, i18n.Phrase("tags"))
	}
	t := format.Table(i18n.Heads(env.Language, heads...)...)
	for _, r := range list.Runs {
		row := table.Row{r.Name, strings.Join(r.Players, ", "), format.Count(r.Pairs), format.Count(r.Planned),
			r.State.Message().In(env.Language), r.Created}
		if tagged {
			row = append(row, strings.Join(r.Tags, ", "))
		}
		t.AppendRow(row)
	}
	format.Render(env.Out, t)
}
