package calculator

import (
	"errors"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/stats/binomial"
)

// A TestQuestion asks whether a result is significant, or how many wins are needed for significance. The caller sets
// either Wins and Losses, or Games.
type TestQuestion struct {
	Wins   *int      `placeholder:"W" help:"Number of wins."`
	Losses *int      `placeholder:"L" help:"Number of losses."`
	Games  *int      `placeholder:"N" help:"Number of decisive games, to print how many wins are significant."`
	Alpha  []float64 `default:"0.05,0.01" help:"Significance levels (default ${default})."`
}

// A TestRow is the result of testing one record of wins and losses. p_greater is the one-sided p value of the
// hypothesis that the player with these wins is not stronger.
type TestRow struct {
	N         int      `json:"n"`
	Wins      int      `json:"wins"`
	PGreater  *float64 `json:"p_greater"`   // one-sided p value of a stronger first player
	PTwoSided *float64 `json:"p_two_sided"` // two-sided p value of unequal strength
	Why       string   `json:"why,omitempty"`
}

// A CriticalRow has the smallest number of wins in n games that is significant at one significance level.
type CriticalRow struct {
	Alpha        float64  `json:"alpha"`
	N            int      `json:"n"`
	Wins         *int     `json:"wins"`           // one-sided
	P            *float64 `json:"p"`              // p value of this number of wins
	NormalWins   *int     `json:"normal_wins"`    // Wins by the normal approximation, often too small
	TwoSidedWins *int     `json:"two_sided_wins"` // number of wins at which the two-sided test rejects equal strength
	TwoSidedP    *float64 `json:"two_sided_p"`    // two-sided p value at this number of wins
	Why          string   `json:"why,omitempty"`
}

// A Tests is the answer to a [TestQuestion]: the tests of the result, and the numbers of wins needed for
// significance.
type Tests struct {
	Version  int           `json:"version"`
	Tests    []TestRow     `json:"tests"`
	Critical []CriticalRow `json:"critical"`
}

// Answer tests the result, if the question has one, and calculates the numbers of wins needed for
// significance.
func (q TestQuestion) Answer() (*Tests, error) {
	if err := q.check(); err != nil {
		return nil, fail.Usage(err)
	}
	out := &Tests{Version: Version, Tests: []TestRow{}, Critical: []CriticalRow{}}
	var n int
	if q.Games != nil {
		n = *q.Games
	} else {
		n = *q.Wins + *q.Losses
		out.Tests = append(out.Tests, newTest(*q.Wins, n))
	}
	for _, alpha := range q.Alpha {
		out.Critical = append(out.Critical, newCritical(n, alpha))
	}
	return out, nil
}

func (q TestQuestion) check() error {
	byResult := q.Wins != nil && q.Losses != nil && q.Games == nil
	byLength := q.Wins == nil && q.Losses == nil && q.Games != nil
	if !byResult && !byLength {
		return errors.New("expected --wins W and --losses L, or --games N alone")
	}
	wrong := lists.Map(q.Alpha, func(alpha float64) error { return CheckShare("alpha", alpha) })
	if byLength {
		wrong = append(wrong, CheckCount("games", *q.Games))
	} else {
		wrong = append(wrong, CheckCount("wins", *q.Wins), CheckCount("losses", *q.Losses))
	}
	return errors.Join(wrong...)
}

func newTest(wins, n int) TestRow {
	greater, err := binomial.Exact(wins, n, 0.5, binomial.Greater)
	twoSided, err2 := binomial.Exact(wins, n, 0.5, binomial.TwoSided)
	t := TestRow{N: n, Wins: wins, Why: whyNot(err)} // both fail for the same reason
	t.PGreater, t.PTwoSided = known(greater.P, err), known(twoSided.P, err2)
	return t
}

func newCritical(n int, alpha float64) CriticalRow {
	c := CriticalRow{Alpha: alpha, N: n}
	c.Wins, c.P = criticalWinsOf(n, alpha, binomial.Greater)
	c.TwoSidedWins, c.TwoSidedP = criticalWinsOf(n, alpha, binomial.TwoSided)
	if k, ok := binomial.NormalCriticalWins(n, alpha, binomial.Greater); ok {
		c.NormalWins = &k
	}
	c.Why = c.why().String()
	return c
}

// why returns the reason for missing numbers, or the zero Message if none is missing.
func (c *CriticalRow) why() i18n.Message {
	switch {
	case c.N == 0:
		return i18n.Of("no games to judge by")
	case c.Wins == nil:
		return i18n.Of("even %s in %s would not be significant at this level", i18n.Number{N: c.N, Noun: "win"},
			i18n.Number{N: c.N, Noun: "game"})
	case c.TwoSidedWins == nil:
		return i18n.Of("even %s in %s would not be significant two-sided at this level", i18n.Number{N: c.N, Noun: "win"},
			i18n.Number{N: c.N, Noun: "game"})
	}
	return i18n.Message{}
}

// criticalWinsOf returns the smallest significant number of wins in n games and its p value. It returns nil
// for both if no number is significant.
func criticalWinsOf(n int, alpha float64, alt binomial.Alternative) (*int, *float64) {
	k, ok := binomial.CriticalWins(n, alpha, alt)
	if !ok {
		return nil, nil
	}
	test, err := binomial.Exact(k, n, 0.5, alt)
	return &k, known(test.P, err)
}

// Print writes the tests as sentences and a table.
func (s *Tests) Print(w io.Writer, in i18n.Language) {
	for _, t := range s.Tests {
		if t.PGreater == nil {
			fmt.Fprintf(w, "%s\n\n", i18n.Say(in, "no test: %s", i18n.Of(t.Why)))
			continue
		}
		line := func(what i18n.Message, p string) { fmt.Fprintf(w, "  %s%s\n", format.Pad(what.In(in), 41), p) }
		fmt.Fprintln(w, i18n.Say(in, "%s of %d decisive games; were both sides equally strong, the chance of",
			i18n.Number{N: t.Wins, Noun: "win"}, t.N))
		line(i18n.Of("at least as many wins (one-sided)"), format.PValue(*t.PGreater))
		line(i18n.Of("a result as lopsided either way"), format.PValue(*t.PTwoSided))
		fmt.Fprintln(w)
	}
	s.printCritical(w, in)
}

func (s *Tests) printCritical(w io.Writer, in i18n.Language) {
	t := format.Table(i18n.Heads(in, "level", "games", "wins, one-sided", "p", "wins, two-sided", "p",
		"normal approximation")...)
	tooFew := []CriticalRow{}
	for _, c := range s.Critical {
		t.AppendRow(table.Row{
			format.PercentShort(c.Alpha), format.Count(c.N), format.Or(c.Wins, format.Count), Cell(c.P, "%.5f"),
			format.Or(c.TwoSidedWins, format.Count), Cell(c.TwoSidedP, "%.5f"), format.Or(c.NormalWins, format.Count),
		})
		if c.Wins != nil && c.NormalWins != nil && *c.NormalWins < *c.Wins {
			tooFew = append(tooFew, c)
		}
	}
	fmt.Fprintln(w, i18n.Say(in, "Wins that are significant, of decisive games (draws do not count)"))
	format.Render(w, t)
	for _, c := range s.Critical {
		if c.Why != "" {
			fmt.Fprintln(w, i18n.Say(in, "%s: %s", format.PercentShort(c.Alpha), c.why()))
		}
	}
	for _, c := range tooFew {
		fmt.Fprintln(w,
			i18n.Say(in,
				"%s: %d is often quoted; it is the normal approximation without continuity correction (one-sided), and too few",
				format.PercentShort(c.Alpha), *c.NormalWins))
	}
}
