package counts

import (
	"errors"
	"fmt"
	"io"

	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report/calculator"
	"gogi/stats"
	"gogi/stats/binomial"
)

// An AdjustQuestion asks for p values adjusted for multiple tests.
type AdjustQuestion struct {
	P      []float64 `name:"p" required:"" placeholder:"P" help:"p values to adjust."`
	Method string    `enum:"holm,bonferroni,hochberg,hommel,bh,by" default:"holm" help:"Method of adjustment: holm, bonferroni, hochberg, hommel, bh (Benjamini and Hochberg) or by (Benjamini and Yekutieli) (default ${default})."`
	Alpha  float64   `default:"0.05" help:"Significance level (default ${default})."`
}

// An AdjustedRow is one p value with its adjusted value.
type AdjustedRow struct {
	Method      string  `json:"method"`
	P           float64 `json:"p"`
	Adjusted    float64 `json:"adjusted"` // adjusted p value
	Alpha       float64 `json:"alpha"`
	Significant bool    `json:"significant"` // Adjusted is significant at Alpha
}

// An Adjustments is the answer to an [AdjustQuestion]: a row for each p value, in the given order.
type Adjustments struct {
	Version  int           `json:"version"`
	Adjusted []AdjustedRow `json:"adjusted"`
}

// Answer adjusts the p values.
func (q AdjustQuestion) Answer() (*Adjustments, error) {
	adjusted, err := binomial.Correction(q.Method).Adjust(q.P)
	if err != nil {
		err = fmt.Errorf("--p: %w", err)
	}
	if err := errors.Join(err, calculator.CheckShare("alpha", q.Alpha)); err != nil {
		return nil, fail.Usage(err)
	}
	out := &Adjustments{calculator.Version, []AdjustedRow{}}
	for i, p := range q.P {
		significant := binomial.Test{P: adjusted[i]}.Significant(q.Alpha)
		out.Adjusted = append(out.Adjusted, AdjustedRow{q.Method, p, adjusted[i], q.Alpha, significant})
	}
	return out, nil
}

// Print writes the p values as a table.
func (s *Adjustments) Print(w io.Writer, in i18n.Language) {
	if len(s.Adjusted) == 0 {
		fmt.Fprintln(w, i18n.Say(in, "no p values"))
		return
	}
	t := format.Table(append([]any{"p"}, i18n.Heads(in, "adjusted", "significant")...)...)
	for _, a := range s.Adjusted {
		word := i18n.Say(in, "no")
		if a.Significant {
			word = i18n.Say(in, "yes")
		}
		t.AppendRow([]any{format.PValue(a.P), format.PValue(a.Adjusted), word})
	}
	format.Render(w, t)
	first := s.Adjusted[0]
	fmt.Fprintln(w, i18n.Say(in, "Adjusted for %s by %s, held against %s.",
		i18n.Number{N: len(s.Adjusted), Noun: "p value"}, first.Method, format.PercentShort(first.Alpha)))
}

// A HomogeneityQuestion asks whether the results from several sources, such as machines, agree with each
// other.
type HomogeneityQuestion struct {
	Counts []string `sep:"none" required:"" placeholder:"W,D,L" help:"Results of one source, such as a machine; give the flag once for each source."`
	Alpha  float64  `default:"0.05" help:"Probability that any source is reported by chance (default ${default})."`
}

// A HomogeneityRow is the result of the test that all sources have the same rates of wins, draws and losses.
type HomogeneityRow struct {
	ChiSquare *float64 `json:"chi_square"` // chi-square statistic
	Freedom   *int     `json:"freedom"`    // degrees of freedom
	P         *float64 `json:"p"`
	Limit     *float64 `json:"limit"`  // limit of significant residuals
	Sparse    int      `json:"sparse"` // number of counts with an expectation below 5; if there are many, P is inexact
	Why       string   `json:"why,omitempty"`
}

// A SourceRow has the results of one source. Its residuals measure how far they differ from the results of
// all sources.
type SourceRow struct {
	Counts    stats.WDL `json:"counts"`              // counts of the source's results
	Residuals []float64 `json:"residuals,omitempty"` // standardised residuals of losses, draws and wins
	StandsOut bool      `json:"stands_out"`          // the source differs from the others
}

// A Homogeneities is the answer to a [HomogeneityQuestion]: the test, and a row for each source.
type Homogeneities struct {
	Version int              `json:"version"`
	Tests   []HomogeneityRow `json:"tests"`
	Sources []SourceRow      `json:"sources"`
}

// Answer tests whether all sources have the same rates of wins, draws and losses.
func (q HomogeneityQuestion) Answer() (*Homogeneities, error) {
	out, wrong := &Homogeneities{Version: calculator.Version, Sources: []SourceRow{}},
		calculator.CheckShare("alpha", q.Alpha)
	var sources []stats.Outcomes
	for _, list := range q.Counts {
		w, err := calculator.ParseWDL("counts", list)
		wrong = errors.Join(wrong, err)
		sources = append(sources, w)
		out.Sources = append(out.Sources, SourceRow{Counts: w})
	}
	if wrong != nil {
		return nil, fail.Usage(wrong)
	}
	h, err := stats.SameEverywhere(sources, q.Alpha)
	if err != nil {
		out.Tests = []HomogeneityRow{{Why: err.Error()}}
		return out, nil
	}
	out.Tests = []HomogeneityRow{{format.Finite(h.ChiSquare), &h.Freedom, format.Finite(h.P), format.Finite(h.Limit),
		h.Sparse, ""}}
	for i := range out.Sources {
		out.Sources[i].Residuals = h.Residuals[i]
	}
	for _, i := range h.Outliers {
		out.Sources[i].StandsOut = true
	}
	return out, nil
}

// Print writes the test and a table of the sources.
func (s *Homogeneities) Print(w io.Writer, in i18n.Language) {
	test := s.Tests[0]
	if test.Why != "" {
		fmt.Fprintln(w, i18n.Say(in, "no test: %s", i18n.Of(test.Why)))
		return
	}
	fmt.Fprintln(w, i18n.Say(in, "Were all sources alike: χ² = %s, %d degrees of freedom, p = %s",
		calculator.Cell(test.ChiSquare, "%.3f"), *test.Freedom, format.PValue(*test.P)))
	t := format.Table(append(i18n.Heads(in, "source", "wins", "draws", "losses", "residual of wins", "draws", "losses"),
		"")...)
	for i, source := range s.Sources {
		word := ""
		if source.StandsOut {
			word = i18n.Say(in, "stands out")
		}
		r := source.Residuals
		c := source.Counts
		t.AppendRow([]any{i + 1, c.Wins, c.Draws, c.Losses, fmt.Sprintf("%+.2f", r[2]), fmt.Sprintf("%+.2f", r[1]),
			fmt.Sprintf("%+.2f", r[0]), word})
	}
	format.Render(w, t)
	fmt.Fprintln(w, i18n.Say(in, "Residuals beyond ±%s stand out.", calculator.Cell(test.Limit, "%.2f")))
	if test.Sparse > 0 {
		fmt.Fprintln(w, i18n.Say(in, "%s with fewer than 5 games expected: p is rough.",
			i18n.Number{N: test.Sparse, Noun: "cell"}))
	}
}
