package farmcmd

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/internal/format"
	"gogi/results/farmstate"
)

// LogCommand prints the log of all actions on a farm.
type LogCommand struct {
	owner
	By   string `placeholder:"KEY" help:"Print only actions of this key; the name farm means actions of the farm itself."`
	On   string `placeholder:"KIND" enum:"test,worker,key,farm," default:"" help:"Print only actions on this kind of thing: test, worker, key or farm."`
	Name string `placeholder:"NAME" help:"Print only actions on the test, worker or key with this name."`
	Last int    `default:"50" placeholder:"N" help:"Number of actions, at most 200 (default ${default})."`
}

// Run prints the actions, the latest last.
func (c *LogCommand) Run(ctx context.Context, env *cli.Env) error {
	var list []farmstate.Action
	if err := c.ask(ctx, "actions", farmstate.Filter{By: c.By, On: c.On, Name: c.Name, Most: c.Last}, &list); err != nil {
		return err
	}
	slices.Reverse(list)
	var rows [][]string
	for _, a := range list {
		rows = append(rows, []string{a.At.Local().Format(time.DateTime), a.By, a.On, a.Name, a.What})
	}
	return c.printList(env, list, rows, "no such action", "time", "by", "on", "name", "action")
}

// printList prints a list as JSON with --json, and otherwise as a table of these rows. If there are no rows, it
// prints the argument none instead of a table.
func (o *owner) printList(env *cli.Env, list any, rows [][]string, none string, header ...string) error {
	switch {
	case o.JSON:
		return printJSON(env.Out, list)
	case len(rows) == 0:
		fmt.Fprintln(env.Out, none)
		return nil
	}
	return printRows(env.Out, format.NewColumns(header), rows)
}
