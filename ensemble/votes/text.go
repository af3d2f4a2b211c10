package votes

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/ensemble/voting"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
)

// Print writes the report as text for a person.
func (r *Report) Print(w io.Writer, in i18n.Language) {
	for _, c := range r.Councils {
		c.print(w, in)
	}
}

func (c *Council) print(w io.Writer, in i18n.Language) {
	printHeading(w, i18n.Say(in, "%s · rule %s · %s · %s · %s", format.Name(c.Council), c.Rule,
		i18n.Number{N: len(c.Members), Noun: "member"}, games(c.Games), decisions(c.Decisions)))
	c.printReasons(w, in)
	c.printSplits(w, in)
	c.printRemarks(w, in)
	c.printMembers(w, in)
	c.printAgreement(w, in)
	c.printEarly(w, in)
	c.printShadows(w, in)
}

func games(n int) i18n.Number { return i18n.Number{N: n, Noun: "game"} }

func decisions(n int) i18n.Number { return i18n.Number{N: n, Noun: "decision"} }

func printHeading(w io.Writer, title string) {
	fmt.Fprintf(w, "%s\n%s\n\n", title, strings.Repeat("═", text.StringWidthWithoutEscSequences(title)))
}

func (c *Council) printReasons(w io.Writer, in i18n.Language) {
	t := format.Table(i18n.Heads(in, "decided by", "decisions", "share")...)
	for _, x := range c.By {
		t.AppendRow(table.Row{i18n.Say(in, x.By.Words()), format.Count(x.Count), format.Percent(x.Share)})
	}
	format.Render(w, t)
}

// shownSplits is the largest number of kinds of splits in a table.
const shownSplits = 15

func (c *Council) printSplits(w io.Writer, in i18n.Language) {
	if c.Voted == 0 {
		return
	}
	header := i18n.Heads(in, "votes", "decisions", "of its decisions")
	if c.Plies != nil {
		header = append(header, i18n.Say(in, "of all plies"))
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
		row(i18n.Number{N: kinds, Noun: "other split"}.In(in), rest)
	}
	format.Render(w, t)
}

func percentOr(v *float64) string {
	if v == nil {
		return "–"
	}
	return format.Percent(*v)
}

// printRemarks writes single numbers, one on each line.
func (c *Council) printRemarks(w io.Writer, in i18n.Language) {
	line := func(label, what i18n.Message) {
		fmt.Fprintf(w, "%s %s\n", format.Pad(label.In(in), 18), what.In(in))
	}
	if c.Voted > 0 {
		line(i18n.Of("unanimous"), c.Unanimous.said())
		line(i18n.Of("equal at the top"), c.TopTies.said())
		line(i18n.Of("not the majority"), i18n.Of("%s: simple majority plays another move", c.Differs.said()))
		line(i18n.Of("spread of votes"),
			i18n.Of("%s (0 when all agree, %.2f when all differ)", bits(c.Entropy.Mean), math.Log2(float64(len(c.Members)))))
	}
	line(i18n.Of("leader"), c.Leaders.said())
	if len(c.Members) > 1 {
		line(i18n.Of("outweighing all"), c.Dictators.said(c.Games))
	}
	if c.Early > 0 {
		line(i18n.Of("decided early"), i18n.Of("%s", decisions(c.Early)))
	}
	if c.Examined != nil {
		line(i18n.Of("examined"), c.Examined.said(c.Voted))
	}
	if c.Pondered != nil {
		line(i18n.Of("other replies"), c.Pondered.said())
	}
	if c.TakenBack > 0 {
		line(i18n.Of("taken back"), i18n.Of("%s, not counted", decisions(c.TakenBack)))
	}
	if c.Plies == nil {
		line(i18n.Message{}, i18n.Of("shares of all plies are unknown: %s", i18n.Of(c.Why)))
	} else {
		line(i18n.Of("plies"), i18n.Of("%s in the games, both sides, without the openings", format.Count(*c.Plies)))
	}
	fmt.Fprintln(w)
}

func (s splitShare) said() i18n.Message {
	words := i18n.Of("%s, %s of its decisions", decisions(s.Count), percentOr(s.OfDecisions))
	if s.OfPlies != nil {
		words = i18n.Of("%s, %s of all plies", words, format.Percent(*s.OfPlies))
	}
	return words
}

// said returns a text with the number of ties and the tie-breaks that settled them.
func (t topTies) said() i18n.Message {
	var parts i18n.Row
	for _, x := range t.Levels {
		parts = append(parts, i18n.Of("%s %s", tieWords(x.Tie), format.Count(x.Count)))
	}
	if len(parts) == 0 {
		return t.splitShare.said()
	}
	return i18n.Of("%s; settled by %s", t.splitShare.said(), parts)
}

func bits(v *float64) i18n.Message {
	if v == nil {
		return i18n.Verbatim("–")
	}
	return i18n.Of("%.2f bits", *v)
}

func (l leaderReport) said() i18n.Message {
	if l.MeanTenure == nil {
		return i18n.Of("none: %s", i18n.Of(l.Why))
	}
	return i18n.Of("stays for %.1f decisions on average, %d at most; %.1f different ones a game, one throughout in %d of %s",
		*l.MeanTenure, *l.LongestTenure, *l.PerGame, l.OneThroughout, games(l.Games))
}

func (d dictatorReport) said(all int) i18n.Message {
	if d.Earliest == nil {
		return i18n.Of("never: %s", i18n.Of(d.Why))
	}
	return i18n.Of("one member weighed more than all others together in %d of %s, from its decision %d on at the earliest, %d in the median",
		d.Games, games(all), *d.Earliest, *d.MedianOnset)
}

func (c *Council) printMembers(w io.Writer, in i18n.Language) {
	t := format.Table(append([]any{""},
		i18n.Heads(in, "member", "votes", "followed", "share", "led", "nodes a vote", "other ballots")...)...)
	t.SetColumnConfigs(append(format.RightAligned(3, 7), table.ColumnConfig{Number: 1, Align: text.AlignRight}))
	for i := range c.Members {
		m := &c.Members[i]
		nodes := "–"
		if m.Votes > 0 {
			nodes = format.Count(int(m.Nodes / uint64(m.Votes)))
		}
		t.AppendRow(table.Row{i + 1, format.Name(m.Name), format.Count(m.Votes), format.Count(m.Adopted), percentOr(m.Share),
			format.Count(m.Led), nodes, m.others().In(in)})
	}
	format.Render(w, t)
}

// others returns the kinds and numbers of ballots that were not votes.
func (m *memberReport) others() i18n.Row {
	var parts i18n.Row
	for _, x := range m.Ballots {
		if x.Kind != voting.KindMove {
			parts = append(parts, i18n.Of("%s %s", kindSaid(x.Kind), format.Count(x.Count)))
		}
	}
	return parts
}

// kindSaid returns the text for a ballot's kind. It makes an unknown kind printable, because the kind comes from a
// file.
func kindSaid(kind voting.Kind) i18n.Message {
	if slices.Contains(voting.Kinds(), kind) {
		return i18n.Of(kind.Words())
	}
	return i18n.Verbatim(sanitize.Printable(kind.Words(), 20))
}

// printAgreement writes a matrix of how often two members voted for the same move.
func (c *Council) printAgreement(w io.Writer, in i18n.Language) {
	if len(c.Members) < 2 || c.Voted == 0 {
		return
	}
	header := i18n.Heads(in, "same vote", "as 1")
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

func (c *Council) printShadows(w io.Writer, in i18n.Language) {
	if len(c.Shadows) == 0 {
		return
	}
	t := format.Table(i18n.Heads(in, "shadow rule", "decisions", "another move", "share")...)
	for _, s := range c.Shadows {
		t.AppendRow(table.Row{s.Rule, format.Count(s.Decisions), format.Count(s.Differs), format.Percent(s.Share)})
	}
	format.Render(w, t)
}
