package votes

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"gogi/ensemble/voting"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/internal/foreign"
	"gogi/internal/format"
)

// Print writes the report as a person reads it.
func (r *Report) Print(w io.Writer) {
	for _, c := range r.Councils {
		c.print(w)
	}
}

func (c *Council) print(w io.Writer) {
	printHeading(w, fmt.Sprintf("%s · rule %s · %s · %s · %s", format.Name(c.Council), c.Rule,
		format.NumberOf(len(c.Members), "member"), format.NumberOf(c.Games, "game"), format.NumberOf(c.Decisions, "decision")))
	c.printReasons(w)
	c.printSplits(w)
	c.printRemarks(w)
	c.printMembers(w)
	c.printAgreement(w)
	c.printShadows(w)
}

func printHeading(w io.Writer, title string) {
	fmt.Fprintf(w, "%s\n%s\n\n", title, strings.Repeat("═", text.StringWidthWithoutEscSequences(title)))
}

func (c *Council) printReasons(w io.Writer) {
	t := format.Table("decided by", "decisions", "share")
	for _, x := range c.By {
		t.AppendRow(table.Row{x.By.Words(), format.Count(x.Count), format.Percent(x.Share)})
	}
	format.Render(w, t)
}

// shownSplits is how many kinds of splits a table shows.
const shownSplits = 15

func (c *Council) printSplits(w io.Writer) {
	if c.Voted == 0 {
		return
	}
	header := []any{"votes", "decisions", "of its decisions"}
	if c.Plies != nil {
		header = append(header, "of all plies")
	}
	t := format.Table(header...)
	row := func(name string, s splitShare) {
		row := table.Row{name, format.Count(s.Count), percentOr(s.OfDecisions)}
		t.AppendRow(append(row, percentOr(s.OfPlies))[:len(header)])
	}
	rest, kinds := splitShare{}, 0
	for i, x := range c.Splits {
		if i < shownSplits {
			row(x.Split, x.splitShare)
			continue
		}
		rest.Count += x.Count
		kinds++
	}
	if kinds > 0 {
		c.share(&rest)
		row(format.NumberOf(kinds, "other split"), rest)
	}
	format.Render(w, t)
}

func percentOr(v *float64) string {
	if v == nil {
		return "–"
	}
	return format.Percent(*v)
}

// printRemarks are single numbers, a line each.
func (c *Council) printRemarks(w io.Writer) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-18s %s\n", label, fmt.Sprintf(format, args...))
	}
	if c.Voted > 0 {
		line("unanimous", "%s", c.Unanimous.text())
		line("equal at the top", "%s%s", c.TopTies.text(), c.TopTies.levels())
		line("not the majority", "%s: simple majority plays another move", c.Differs.text())
		line("spread of votes", "%s (0 when all agree, %.2f when all differ)", bits(c.Entropy.Mean), math.Log2(float64(len(c.Members))))
	}
	line("leader", "%s", c.Leaders.text())
	if len(c.Members) > 1 {
		line("outweighing all", "%s", c.Dictators.text(c.Games))
	}
	if c.Early > 0 {
		line("decided early", "%s", format.NumberOf(c.Early, "decision"))
	}
	if c.TakenBack > 0 {
		line("taken back", "%s, not counted", format.NumberOf(c.TakenBack, "decision"))
	}
	if c.Plies == nil {
		line("", "shares of all plies are unknown: %s", c.Why)
	} else {
		line("plies", "%s in the games, both sides, without the openings", format.Count(*c.Plies))
	}
	fmt.Fprintln(w)
}

func (s splitShare) text() string {
	words := fmt.Sprintf("%s, %s of its decisions", format.NumberOf(s.Count, "decision"), percentOr(s.OfDecisions))
	if s.OfPlies != nil {
		words += fmt.Sprintf(", %s of all plies", format.Percent(*s.OfPlies))
	}
	return words
}

// levels says what broke the ties.
func (t topTies) levels() string {
	var parts []string
	for _, x := range t.Levels {
		parts = append(parts, fmt.Sprintf("%s %s", tieWords(x.Tie), format.Count(x.Count)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; settled by " + strings.Join(parts, ", ")
}

func bits(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f bits", *v)
}

func (l leaderReport) text() string {
	if l.MeanTenure == nil {
		return "none: " + l.Why
	}
	return fmt.Sprintf("stays for %.1f decisions on average, %d at most; %.1f different ones a game, one throughout in %d of %s",
		*l.MeanTenure, *l.LongestTenure, *l.PerGame, l.OneThroughout, format.NumberOf(l.Games, "game"))
}

func (d dictatorReport) text(games int) string {
	if d.Earliest == nil {
		return "never: " + d.Why
	}
	return fmt.Sprintf("one member weighed more than all others together in %d of %s, from its decision %d on at the earliest, %d in the median",
		d.Games, format.NumberOf(games, "game"), *d.Earliest, *d.MedianOnset)
}

func (c *Council) printMembers(w io.Writer) {
	t := format.Table("", "member", "votes", "followed", "share", "led", "nodes a vote", "other ballots")
	t.SetColumnConfigs(append(format.RightAligned(3, 7), table.ColumnConfig{Number: 1, Align: text.AlignRight}))
	for i := range c.Members {
		m := &c.Members[i]
		nodes := "–"
		if m.Votes > 0 {
			nodes = format.Count(int(m.Nodes / uint64(m.Votes))) //nolint:gosec // positive
		}
		t.AppendRow(table.Row{i + 1, format.Name(m.Name), format.Count(m.Votes), format.Count(m.Adopted), percentOr(m.Share), format.Count(m.Led), nodes, m.others()})
	}
	format.Render(w, t)
}

// others are the ballots that were no vote.
func (m *memberReport) others() string {
	var parts []string
	for _, x := range m.Ballots {
		if x.Kind != voting.KindMove {
			parts = append(parts, fmt.Sprintf("%s %s", foreign.Printable(x.Kind.Words(), 20), format.Count(x.Count)))
		}
	}
	return strings.Join(parts, ", ")
}

// printAgreement is the matrix of how often two members voted alike.
func (c *Council) printAgreement(w io.Writer) {
	if len(c.Members) < 2 || c.Voted == 0 {
		return
	}
	header := []any{"same vote", "as 1"}
	for i := 2; i < len(c.Members); i++ {
		header = append(header, strconv.Itoa(i))
	}
	t := format.Table(header...)
	for i := 1; i < len(c.Members); i++ {
		row := table.Row{fmt.Sprintf("%d %s", i+1, format.Name(c.Members[i].Name))}
		for j := range i {
			row = append(row, percentOr(format.Finite(float64(c.agree[i][j])/float64(c.both[i][j]))))
		}
		t.AppendRow(row)
	}
	format.Render(w, t)
}

func (c *Council) printShadows(w io.Writer) {
	if len(c.Shadows) == 0 {
		return
	}
	t := format.Table("rule asked beside", "decisions", "another move", "share")
	for _, s := range c.Shadows {
		t.AppendRow(table.Row{s.Rule, format.Count(s.Decisions), format.Count(s.Differs), format.Percent(s.Share)})
	}
	format.Render(w, t)
}
