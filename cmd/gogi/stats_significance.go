package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/usage"
	"gogi/stats"
)

// statsTestCommand prints exact binomial tests and the wins that they need.
type statsTestCommand struct {
	Wins   *int      `placeholder:"W" help:"Games won."`
	Losses *int      `placeholder:"L" help:"Games lost."`
	Games  *int      `placeholder:"N" help:"Decisive games, to know how many must be won."`
	Alpha  []float64 `default:"0.05,0.01" help:"Levels of significance."`
	JSON   bool      `name:"json" help:"One JSON object."`
}

// statsTest is a row of tests; p_greater and mid_p are one-sided, for the
// hypothesis that the winner of "wins" is stronger.
type statsTest struct {
	N         int      `json:"n"`
	Wins      int      `json:"wins"`
	PGreater  *float64 `json:"p_greater"`
	PTwoSided *float64 `json:"p_two_sided"`
	MidP      *float64 `json:"mid_p"`
	Why       string   `json:"why,omitempty"`
}

// statsCritical is how many wins of n are significant at a level.
type statsCritical struct {
	Alpha        float64  `json:"alpha"`
	N            int      `json:"n"`
	Wins         *int     `json:"wins"` // one-sided
	P            *float64 `json:"p"`    // with so many wins
	NormalWins   *int     `json:"normal_wins"`
	TwoSidedWins *int     `json:"two_sided_wins"`
	TwoSidedP    *float64 `json:"two_sided_p"`
	Why          string   `json:"why,omitempty"`
}

type statsTests struct {
	Version  int             `json:"version"`
	Tests    []statsTest     `json:"tests"`
	Critical []statsCritical `json:"critical"`
}

// Run prints the test, if there are results, and the critical wins.
func (c *statsTestCommand) Run(env *environment) error {
	if err := c.check(); err != nil {
		return usage.Wrap(err)
	}
	out := &statsTests{Version: 1, Tests: []statsTest{}, Critical: []statsCritical{}}
	var n int
	if c.Games != nil {
		n = *c.Games
	} else {
		n = *c.Wins + *c.Losses
		out.Tests = append(out.Tests, newStatsTest(*c.Wins, n))
	}
	for _, alpha := range c.Alpha {
		out.Critical = append(out.Critical, newStatsCritical(n, alpha))
	}
	if c.JSON {
		return format.JSON(env.out, out)
	}
	out.print(env.out)
	return nil
}

func (c *statsTestCommand) check() error {
	byResult := c.Wins != nil && c.Losses != nil && c.Games == nil
	byLength := c.Wins == nil && c.Losses == nil && c.Games != nil
	if !byResult && !byLength {
		return errors.New("expected --wins W and --losses L, or --games N alone")
	}
	var wrong []error
	for _, alpha := range c.Alpha {
		wrong = append(wrong, checkShare("alpha", alpha))
	}
	if byLength {
		wrong = append(wrong, checkCount("games", *c.Games))
	} else {
		wrong = append(wrong, checkCount("wins", *c.Wins), checkCount("losses", *c.Losses))
	}
	return errors.Join(wrong...)
}

func newStatsTest(wins, n int) statsTest {
	greater, err := stats.BinomialTest(wins, n, 0.5, stats.Greater)
	twoSided, err2 := stats.BinomialTest(wins, n, 0.5, stats.TwoSided)
	mid, err3 := stats.MidPTest(wins, n, 0.5, stats.Greater)
	t := statsTest{N: n, Wins: wins, Why: whyNot(err)} // all three fail for the same reason
	t.PGreater, t.PTwoSided, t.MidP = knownFloat(greater.P, err), knownFloat(twoSided.P, err2), knownFloat(mid.P, err3)
	return t
}

func newStatsCritical(n int, alpha float64) statsCritical {
	c := statsCritical{Alpha: alpha, N: n}
	c.Wins, c.P = criticalWinsOf(n, alpha, stats.Greater)
	c.TwoSidedWins, c.TwoSidedP = criticalWinsOf(n, alpha, stats.TwoSided)
	if k, ok := stats.NormalCriticalWins(n, alpha, stats.Greater); ok {
		c.NormalWins = &k
	}
	switch {
	case n == 0:
		c.Why = "no games to judge by"
	case c.Wins == nil:
		c.Why = fmt.Sprintf("even %d wins of %d prove nothing at this level", n, n)
	case c.TwoSidedWins == nil:
		c.Why = fmt.Sprintf("even %d wins of %d prove nothing two-sided at this level", n, n)
	}
	return c
}

// criticalWinsOf is the smallest significant number of wins and its p value, nil
// where no number is significant.
func criticalWinsOf(n int, alpha float64, alt stats.Alternative) (*int, *float64) {
	k, ok := stats.CriticalWins(n, alpha, alt)
	if !ok {
		return nil, nil
	}
	test, err := stats.BinomialTest(k, n, 0.5, alt)
	return &k, knownFloat(test.P, err)
}

func (s *statsTests) print(w io.Writer) {
	for _, t := range s.Tests {
		if t.PGreater == nil {
			fmt.Fprintf(w, "no test: %s\n\n", t.Why)
			continue
		}
		fmt.Fprintf(w, "%d wins of %d decisive games; were both sides equally strong, the chance of\n", t.Wins, t.N)
		fmt.Fprintf(w, "  at least as many wins (one-sided)        %s\n", format.PValue(*t.PGreater))
		fmt.Fprintf(w, "  a result as lopsided either way          %s\n", format.PValue(*t.PTwoSided))
		fmt.Fprintf(w, "  more wins, and half of as many (mid-P)   %s   approximate\n\n", format.PValue(*t.MidP))
	}
	s.printCritical(w)
}

func (s *statsTests) printCritical(w io.Writer) {
	t := format.Table("level", "games", "wins, one-sided", "p", "wins, two-sided", "p", "normal approximation")
	tooFew := []statsCritical{}
	for _, c := range s.Critical {
		t.AppendRow(table.Row{
			format.PercentShort(c.Alpha), format.Count(c.N), cellCount(c.Wins), cell(c.P, "%.5f"), cellCount(c.TwoSidedWins), cell(c.TwoSidedP, "%.5f"), cellCount(c.NormalWins),
		})
		if c.Wins != nil && c.NormalWins != nil && *c.NormalWins < *c.Wins {
			tooFew = append(tooFew, c)
		}
	}
	fmt.Fprintln(w, "Wins that are significant, of decisive games (draws do not count)")
	format.Render(w, t)
	for _, c := range s.Critical {
		if c.Why != "" {
			fmt.Fprintf(w, "%s: %s\n", format.PercentShort(c.Alpha), c.Why)
		}
	}
	for _, c := range tooFew {
		fmt.Fprintf(w, "%s: %d is often quoted; it is the normal approximation without continuity correction (one-sided), and too few\n", format.PercentShort(c.Alpha), *c.NormalWins)
	}
}
