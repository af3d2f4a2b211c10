package calculator

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/stats/binomial"
)

// Print writes the plans as tables. The plans that the question asks for come first, then cheaper
// alternatives.
func (s *Plans) Print(w io.Writer, in i18n.Language) {
	first := s.Plans[0]
	if first.Unit == "game" {
		fmt.Fprintln(w, i18n.Say(in, "Plans for games without colour swap; draw rate %s (%s)",
			format.PercentShort(first.DrawRate), first.source()))
	} else {
		fmt.Fprintln(w,
			i18n.Say(in, "Plans for colour-swapped pairs; draw rate %s, correlation of the games of a pair %+.2f (%s)",
				format.PercentShort(math.Round(1e4*first.DrawRate)/1e4), first.Correlation, first.source()))
	}
	t := format.Table(i18n.Heads(in, "plan", "true Elo", "games", "median", "90% within", "99% within", "time", "P(pass)",
		"undecided")...)
	t.SetColumnConfigs(format.RightAligned(2, 9))
	for i := range s.Plans {
		if p := &s.Plans[i]; !p.cheaper() {
			t.AppendRow(p.tableRow(in))
		}
	}
	format.Render(w, t)
	s.printRemarks(w, in)
	if slices.ContainsFunc(s.Plans, func(p PlanRow) bool { return p.PlanCourse != nil }) {
		fmt.Fprintln(w, i18n.Say(in, "For a sequential test, games is the expected number."))
	}
	s.printCheaper(w, in)
}

// printRemarks writes what each plan of the table tests. Plans of one kind often share their remark.
func (s *Plans) printRemarks(w io.Writer, in i18n.Language) {
	last := ""
	for i := range s.Plans {
		p := &s.Plans[i]
		line := i18n.Say(in, "%s: %s", p.kind(), p.remark())
		if !p.cheaper() && line != last {
			fmt.Fprintln(w, line)
			last = line
		}
	}
	s.printFar(w, in)
}

// crowded is the ratio of the number for 99% to the median up to which fewer than 97% of the tests may end within
// the former (TestForecastsFarAway): one lost pair then moves the end of many tests.
const crowded = 1.05

// printFar writes how exact the number for 99% is if the true difference is so far outside the hypotheses that nearly
// all tests have about the same length.
func (s *Plans) printFar(w io.Writer, in i18n.Language) {
	for i := range s.Plans {
		p := &s.Plans[i]
		most := p.quantile(0.99)
		if most == 0 || p.MaxGames > 0 && most >= p.MaxGames || float64(most) > crowded*float64(p.quantile(0.5)) {
			continue
		}
		fmt.Fprintln(w, i18n.Say(in, "At %s Elo 91%% or more of the tests end within the number for 99%%.", p.eloCell()))
		return
	}
}

// cheaper reports whether the row is a cheaper alternative to the plans of the question.
func (p *PlanRow) cheaper() bool { return p.Kind == "bounded" || p.Kind == "deterministic" }

// source returns the origin of the conditions.
func (p *PlanRow) source() i18n.Message {
	switch p.Conditions {
	case Typical().Source:
		return i18n.Of("typical")
	case "given":
		return i18n.Of("given")
	}
	return i18n.Verbatim(p.Conditions)
}

func (p *PlanRow) kind() i18n.Message {
	switch p.Kind {
	case "fixed":
		return i18n.Of("fixed")
	case "sequential":
		return i18n.Of("sequential")
	case "detectable":
		return i18n.Of("detectable")
	}
	return i18n.Verbatim(p.Kind)
}

func (p *PlanRow) tableRow(in i18n.Language) table.Row {
	pass, undecided := format.Percent(p.Power), "–"
	switch {
	case p.PlanCourse != nil:
		pass = format.Or(p.Pass, format.Percent)
		undecided = format.Or(p.Unfinished, format.Percent)
	case p.Games == nil: // no such test exists
		pass = "–"
	}
	return table.Row{
		p.kind().In(in), p.eloCell(), p.gamesCell(), p.quantileCell(0.5), p.quantileCell(0.9), p.quantileCell(0.99),
		p.timeCell(), pass, undecided,
	}
}

// eloCell returns the true difference with two decimals. A small one, which they would change by a tenth or more, has
// two significant digits.
func (p *PlanRow) eloCell() string {
	if p.Elo != nil && *p.Elo != 0 && math.Abs(*p.Elo) < 0.05 {
		return Cell(p.Elo, "%+.2g")
	}
	return Cell(p.Elo, "%+.2f")
}

func (p *PlanRow) gamesCell() string {
	return format.Or(p.Games, func(v float64) string { return format.Count(int(math.Round(v))) })
}

func (p *PlanRow) timeCell() string {
	return format.Or(p.Hours, func(v float64) string {
		if v > 10_000 { // a Duration ends after 292 years
			return format.Count(int(math.Round(v))) + "h"
		}
		return format.Duration(time.Duration(v * float64(time.Hour)))
	})
}

// quantile returns the number of games within which a share of the tests ends, or 0 if it is unknown.
func (p *PlanRow) quantile(share float64) int {
	if p.PlanCourse != nil {
		for _, q := range p.Quantiles {
			if q.Share == share {
				return q.Games
			}
		}
	}
	return 0
}

func (p *PlanRow) quantileCell(share float64) string {
	if n := p.quantile(share); n > 0 {
		return format.Count(n)
	}
	return "–"
}

func (p *PlanRow) remark() i18n.Message {
	switch {
	case p.Why != "":
		return i18n.Of(p.Why)
	case p.Length != nil:
		return i18n.Of("%s: %s wins of %s decisive games; from %s games on always enough", sidesWords(p.Alternative),
			format.Count(p.CriticalWins), format.Count(p.Decisive), format.Count(p.SafeGames))
	case p.PairLength != nil:
		return i18n.Of("%s sign flips of %s pairs, the test of the verdict; power %s", sidesWords(p.Alternative),
			format.Count(p.Pairs), p.PairLength.Method)
	case p.PlanCourse != nil:
		return i18n.Of("test of %g against %g, boundary %s", p.Elo0, p.Elo1, p.Boundary)
	}
	return i18n.Of("the smallest difference that so many games find, %s", sidesWords(p.Alternative))
}

func sidesWords(a binomial.Alternative) i18n.Message {
	if a == binomial.TwoSided {
		return i18n.Of("two-sided")
	}
	return i18n.Of("one-sided")
}

// printCheaper writes how many games the plan would save with the bounded boundary and with deterministic players.
func (s *Plans) printCheaper(w io.Writer, in i18n.Language) {
	t := format.Table(i18n.Heads(in, "alternatives", "true Elo", "games", "change", "99% within", "change")...)
	rows := 0
	for i := range s.Plans {
		p := &s.Plans[i]
		if !p.cheaper() || p.Why != "" {
			continue
		}
		than := s.sequentialAt(*p.Elo)
		if than == nil || than.Games == nil {
			continue
		}
		rows++
		now, before := p.quantile(0.99), than.quantile(0.99)
		t.AppendRow(table.Row{
			p.cheaperWords().In(in), p.eloCell(), p.gamesCell(), change(*p.Games, *than.Games), p.quantileCell(0.99),
			change(float64(now), float64(before)),
		})
	}
	if rows > 0 {
		format.Render(w, t)
	}
}

func (s *Plans) sequentialAt(elo float64) *PlanRow {
	for i := range s.Plans {
		if p := &s.Plans[i]; p.Kind == "sequential" && *p.Elo == elo {
			return p
		}
	}
	return nil
}

func (p *PlanRow) cheaperWords() i18n.Message {
	if p.Kind == "bounded" {
		return i18n.Of("bounded boundary")
	}
	return i18n.Of("deterministic players that differ at %s of plies", format.PercentShort(p.Divergence))
}

func change(now, before float64) string {
	return fmt.Sprintf("%+.0f%%", math.Round(100*(now/before-1))+0) // + 0 prevents "-0%"
}

// PerHour returns the number of games per hour. game is the duration of one game, and atATime the number of games
// that are played at the same time.
func PerHour(game time.Duration, atATime int) float64 {
	return float64(atATime) * float64(time.Hour) / float64(game)
}
