// Package mm has the MM algorithm for the plain Bradley–Terry model (Hunter 2004), which papers show step by step.
// Package stats/rating fits the same model by Newton's method, in fewer steps.
package mm

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/stats/rating/crosstable"
)

// Iterates returns the strengths after each of the first n steps of the MM algorithm (Hunter 2004) for the
// plain Bradley–Terry model. It starts from equal strengths. A draw is half a win. The strengths are in the
// order of the names and sum to 1. If cyclic is true, a step uses each new value at once, otherwise only
// values of the previous step (Jacobi). Iterates returns an error for n < 1, and if the
// games do not determine ratings.
//
// Each step maximises a simpler function that is nowhere above the likelihood, so it raises the likelihood.
// The steps converge to the strengths of rating.Rate.
func Iterates(counts []crosstable.Count, n int, cyclic bool) ([][]float64, error) {
	if n < 1 {
		return nil, fmt.Errorf("%d iterations are none", n)
	}
	t, err := crosstable.New(counts)
	if err != nil {
		return nil, err
	}
	if t, _, err = t.Rated(); err != nil {
		return nil, err
	}
	of := make([][]crosstable.Cell, len(t.Names)) // the cells of each player
	for _, c := range t.Folded() {
		of[c.Black] = append(of[c.Black], c)
		of[c.White] = append(of[c.White], c)
	}
	gamma, iterates := slices.Repeat([]float64{1}, len(of)), make([][]float64, n)
	for k := range iterates {
		old := gamma
		if !cyclic {
			old = slices.Clone(gamma)
		}
		for i, cells := range of {
			gamma[i] = minorised(i, cells, old)
		}
		iterates[k] = shares(gamma)
	}
	return iterates, nil
}

// A Step has the strengths of all players after one step of the algorithm.
type Step struct {
	Step      int                `json:"step"`      // from 1
	Strengths map[string]float64 `json:"strengths"` // they sum to 1
}

// Steps returns the first n steps of [Iterates], of which each calculates all new strengths from the old ones, with the
// names of the players.
func Steps(counts []crosstable.Count, n int) ([]Step, error) {
	iterates, err := Iterates(counts, n, false)
	if err != nil {
		return nil, err
	}
	t, err := crosstable.New(counts)
	if err != nil {
		return nil, err
	}
	names := t.Connection().Groups[0]
	var steps []Step
	for k, strengths := range iterates {
		step := Step{Step: k + 1, Strengths: map[string]float64{}}
		for i, name := range names {
			step.Strengths[name] = strengths[i]
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// Print writes the steps as a table for a terminal. It prints nothing without steps.
func Print(w io.Writer, in i18n.Language, steps []Step) {
	if len(steps) == 0 {
		return
	}
	names := slices.Sorted(maps.Keys(steps[0].Strengths))
	header := i18n.Heads(in, "step")
	for _, n := range names {
		header = append(header, format.Name(n))
	}
	t := format.Table(header...)
	for _, step := range steps {
		row := table.Row{step.Step}
		for _, n := range names {
			row = append(row, strconv.FormatFloat(step.Strengths[n], 'f', 6, 64))
		}
		t.AppendRow(row)
	}
	format.Render(w, t)
}

// minorised returns the next strength of player i: the player's points, divided by the sum of n/(γ_a + γ_b) over the
// player's cells of n games.
func minorised(i int, cells []crosstable.Cell, gamma []float64) float64 {
	points, pull := 0.0, 0.0
	for n := range cells {
		c := &cells[n]
		if int(c.Black) == i {
			points += c.Points()
		} else {
			points += c.Games() - c.Points()
		}
		pull += c.Games() / (gamma[c.Black] + gamma[c.White])
	}
	return points / pull
}

// shares returns the numbers divided by their sum.
func shares(numbers []float64) []float64 {
	sum := 0.0
	for _, v := range numbers {
		sum += v
	}
	list := make([]float64, len(numbers))
	for i, v := range numbers {
		list[i] = v / sum
	}
	return list
}
