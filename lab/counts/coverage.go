// Package counts answers questions of papers about counts that a user types: how often an interval covers the truth,
// p values adjusted for several tests, and whether several sources agree. Its questions are as those of
// report/calculator: the method Answer checks the input, and the answer prints as text and as rows of JSON.
package counts

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report/calculator"
	"gogi/stats"
	"gogi/stats/binomial"
)

// A CoverageQuestion is the question: how often does a confidence interval from N decisive games contain the
// true win rate P?
type CoverageQuestion struct {
	N          []int     `name:"n" default:"100" placeholder:"N" help:"Numbers of decisive games (default ${default})."`
	P          []float64 `name:"p" default:"0.5,0.6,0.7,0.8,0.9,0.95,0.99" placeholder:"P" help:"True win rates (default ${default})."`
	Confidence float64   `default:"0.95" help:"Confidence level of the intervals (default ${default})."`
	Method     string    `default:"all" help:"Method of the interval: all, clopper-pearson, blaker, midp, wilson, wilson-cc, jeffreys, wald, lfics or anytime (default ${default})."`
}

// CoverageNames returns the names of the interval methods whose coverage the calculator can compute. These
// methods need only the number of wins among decisive games.
func CoverageNames() []string { return append(calculator.BinomialNames(), calculator.MethodAnytime) }

// A CoverageRow has the coverage of one interval method, for one number of decisive games and one true win
// rate. The coverage is the probability that the interval contains the true rate.
type CoverageRow struct {
	Method     string  `json:"method"`
	N          int     `json:"n"`
	P          float64 `json:"p"`
	Confidence float64 `json:"confidence"` // nominal level
	Coverage   float64 `json:"coverage"`   // actual coverage, an exact sum
}

// A Coverages is the answer to a [CoverageQuestion]. It has a row for each combination of number of games,
// method and true win rate.
type Coverages struct {
	Version   int           `json:"version"`
	Coverages []CoverageRow `json:"coverages"`
}

// mostCovered is the largest number of games of a question. It is limited because Answer calculates an
// interval for each number of wins.
const mostCovered = 2000

func (q CoverageQuestion) check() error {
	err := errors.Join(calculator.CheckShare("confidence", q.Confidence),
		calculator.CheckMethod(q.Method, CoverageNames()))
	if len(q.N) == 0 {
		err = errors.Join(err, errors.New("--n: expected a number of games"))
	}
	for _, n := range q.N {
		if n < 1 || n > mostCovered {
			err = errors.Join(err, fmt.Errorf("--n %d: expected 1 to %d games", n, mostCovered))
		}
	}
	for _, p := range q.P {
		if !(p >= 0 && p <= 1) {
			err = errors.Join(err, fmt.Errorf("--p %g: expected a probability, from 0 to 1", p))
		}
	}
	return fail.Usage(err)
}

// Answer calculates the coverages exactly, by a sum over all numbers of wins. It returns an error if the
// question is not possible.
func (q CoverageQuestion) Answer() (*Coverages, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	out := &Coverages{calculator.Version, []CoverageRow{}}
	for _, n := range q.N {
		for _, m := range q.methods(n) {
			for _, p := range q.P {
				out.Coverages = append(out.Coverages, CoverageRow{m.name, n, p, q.Confidence, m.coverage(p)})
			}
		}
	}
	return out, nil
}

// Print writes a table for each number of games, with a row for each true win rate.
func (s *Coverages) Print(w io.Writer, in i18n.Language) {
	if len(s.Coverages) == 0 {
		fmt.Fprintln(w, i18n.Say(in, "no probabilities: expected --p"))
		return
	}
	for rest := s.Coverages; len(rest) > 0; {
		end := slices.IndexFunc(rest, func(c CoverageRow) bool { return c.N != rest[0].N })
		if end < 0 {
			end = len(rest)
		}
		printCoverages(w, in, rest[:end])
		rest = rest[end:]
	}
}

// printCoverages writes the table for one number of games.
func printCoverages(w io.Writer, in i18n.Language, all []CoverageRow) {
	first := all[0]
	head, truths := i18n.Heads(in, "true p"), 0
	for _, c := range all {
		if head[len(head)-1] != c.Method {
			head = append(head, c.Method)
		}
		if c.Method == first.Method {
			truths++
		}
	}
	rows := make([][]any, truths)
	for i, c := range all { // method by method, each with all true probabilities
		row := i % truths
		if i < truths {
			rows[row] = append(rows[row], fmt.Sprint(c.P))
		}
		rows[row] = append(rows[row], fmt.Sprintf("%.4f", c.Coverage))
	}
	t := format.Table(head...)
	for _, r := range rows {
		t.AppendRow(r)
	}
	fmt.Fprintln(w, i18n.Say(in, "How often the interval of %s, at a promised %s, holds the truth",
		i18n.Number{N: first.N, Noun: "decisive game"}, format.PercentShort(first.Confidence)))
	format.Render(w, t)
}

// An intervalMethod is a method with its intervals for all numbers of wins from 0. The ends of an interval that
// does not exist are NaN.
type intervalMethod struct {
	name      string
	intervals []binomial.Interval
}

func (q CoverageQuestion) methods(n int) []intervalMethod {
	var chosen []intervalMethod
	add := func(name string, interval func(k int) (binomial.Interval, error)) {
		if q.Method != calculator.MethodAll && q.Method != name {
			return
		}
		m := intervalMethod{name, make([]binomial.Interval, n+1)}
		for k := range m.intervals {
			i, err := interval(k)
			if err != nil {
				i.Lo, i.Hi = math.NaN(), math.NaN()
			}
			m.intervals[k] = i
		}
		chosen = append(chosen, m)
	}
	for _, m := range binomial.IntervalMethods() {
		add(calculator.MethodName(m), func(k int) (binomial.Interval, error) { return m.Interval(k, n, q.Confidence) })
	}
	add(calculator.MethodAnytime, func(k int) (binomial.Interval, error) {
		return stats.WDL{Wins: k, Losses: n - k}.DecisiveScores().AnytimeInterval(q.Confidence)
	})
	return chosen
}

// coverage returns the probability that the interval covers p if the true win rate is p. The probability is an
// exact sum over all numbers of wins. A number of wins without an interval counts as not covering p.
func (m intervalMethod) coverage(p float64) float64 {
	n := len(m.intervals) - 1
	if p == 0 || p == 1 { // one number of wins is certain, and the sum below would not count it
		if i := m.intervals[int(p)*n]; i.Lo <= p && p <= i.Hi {
			return 1
		}
		return 0
	}
	wins := distuv.Binomial{N: float64(n), P: p}
	sum := 0.0
	for k, i := range m.intervals {
		if i.Lo-coverageSlack <= p && p <= i.Hi+coverageSlack {
			sum += wins.Prob(float64(k))
		}
	}
	return sum
}

// coverageSlack is the tolerance for the rounding error of an interval's end.
const coverageSlack = 1e-12
