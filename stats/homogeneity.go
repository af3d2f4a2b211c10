package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gogi/internal/lists"
	"gogi/stats/binomial"

	"gonum.org/v1/gonum/mathext"
)

// A Homogeneity is the result of Pearson's chi-square test that several sources, such as machines or slots,
// have the same distribution of outcomes.
type Homogeneity struct {
	ChiSquare float64 `json:"chi_square"`
	Freedom   int     `json:"freedom"` // degrees of freedom
	P         float64 `json:"p"`
	// standardised, by source and outcome. They are 0 for outcomes that never occurred.
	Residuals [][]float64 `json:"residuals"`
	Limit     float64     `json:"limit"`    // a residual beyond this limit is significant (Bonferroni's correction)
	Outliers  []int       `json:"outliers"` // sources with a residual beyond the limit
	// number of outcomes of a source with fewer than 5 expected games; many make P inexact
	Sparse int `json:"sparse"`
}

// SameEverywhere tests whether all sources, such as machines, have the same distribution of outcomes. To find
// the sources that differ, it tests all residuals at levels that sum to alpha. It returns an error for fewer
// than two sources with games and for fewer than two outcomes. It also returns an error for impossible
// counts, for a mixture of [WDL] and [Pentanomial], and for an alpha outside (0, 1).
func SameEverywhere(sources []Outcomes, alpha float64) (Homogeneity, error) {
	t, err := newTable(sources)
	if err = errors.Join(err, binomial.CheckOpen("alpha", alpha)); err != nil {
		return Homogeneity{}, err
	}
	rows, columns := occupied(t.rows), occupied(t.columns)
	if rows < 2 || columns < 2 {
		return Homogeneity{}, ErrOneSource
	}
	h := Homogeneity{Freedom: (rows - 1) * (columns - 1), Limit: binomial.ZAbove(alpha / float64(2*rows*columns))}
	for i := range t.counts {
		residuals := t.residuals(i, &h)
		h.Residuals = append(h.Residuals, residuals)
		if slices.ContainsFunc(residuals, func(r float64) bool { return math.Abs(r) > h.Limit }) {
			h.Outliers = append(h.Outliers, i)
		}
	}
	h.P = mathext.GammaIncRegComp(float64(h.Freedom)/2, h.ChiSquare/2)
	return h, nil
}

// A table holds counts by source and outcome, with their sums.
type table struct {
	counts        [][]int
	rows, columns []int
	total         float64
}

func newTable(sources []Outcomes) (table, error) {
	var t table
	for i, o := range sources {
		if err := o.check(); err != nil {
			return table{}, fmt.Errorf("source %d: %w", i, err)
		}
		cells := o.cells()
		if t.columns == nil {
			t.columns = make([]int, len(cells))
		}
		if len(cells) != len(t.columns) {
			return table{}, ErrMixed
		}
		sum := 0
		for j, c := range cells {
			t.columns[j] += c
			sum += c
		}
		t.counts = append(t.counts, cells)
		t.rows = append(t.rows, sum)
		t.total += float64(sum)
	}
	return t, nil
}

func occupied(sums []int) int {
	return lists.Count(sums, func(s int) bool { return s > 0 })
}

// residuals returns the residuals of a source, and adds the source's part of the chi-square statistic to h.
func (t table) residuals(i int, h *Homogeneity) []float64 {
	all := make([]float64, len(t.columns))
	row := float64(t.rows[i]) / t.total
	for j, c := range t.counts[i] {
		column := float64(t.columns[j]) / t.total
		expected := row * column * t.total
		if expected == 0 {
			continue
		}
		if expected < 5 {
			h.Sparse++
		}
		d := float64(c) - expected
		h.ChiSquare += d * d / expected
		all[j] = d / math.Sqrt(expected*(1-row)*(1-column))
	}
	return all
}
