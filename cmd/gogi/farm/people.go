package farmcmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"gogi/cmd/gogi/cli"
	"gogi/farm"
	"gogi/internal/format"
	"gogi/results"
)

// PeopleCommand prints the games and the CPU hours of people's machines, as the page People does.
type PeopleCommand struct {
	owner
	Person string `arg:"" optional:"" help:"Print the months and the machines of this person (default: all people)."`
}

// Run prints all people, those with the most CPU time first, or the months and machines of one person.
func (c *PeopleCommand) Run(ctx context.Context, env *cli.Env) error {
	var list []results.Played
	if err := c.ask(ctx, "people", farm.KeyOrder{Name: c.Person}, &list); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(env.Out, list)
	}
	if c.Person == "" {
		all := results.SumPlayed(list, func(p *results.Played) { p.Month = "" })
		slices.SortStableFunc(all, func(a, b results.Played) int { return cmp.Compare(b.Time, a.Time) })
		return c.print(env, "person", all, func(p *results.Played) string { return p.Owner })
	}
	months := results.SumPlayed(list, func(p *results.Played) { p.Worker = "" })
	if err := c.print(env, "month", months, func(p *results.Played) string { return p.Month }); err != nil ||
		len(list) == 0 {
		return err
	}
	fmt.Fprintln(env.Out)
	machines := results.SumPlayed(list, func(p *results.Played) { p.Month = "" })
	return c.print(env, "machine", machines, func(p *results.Played) string { return p.Worker })
}

func (c *PeopleCommand) print(env *cli.Env, head string, list []results.Played,
	name func(*results.Played) string) error {
	var rows [][]string
	for i := range list {
		rows = append(rows, []string{name(&list[i]), strconv.Itoa(list[i].Games), format.Hours(list[i].Time)})
	}
	return c.printList(env, list, rows, "no game is stored", head, "games", "CPU hours")
}
