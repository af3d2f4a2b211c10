package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
)

// farmRows returns a pair that a worker played, with A's points in each game.
func farmRows(id int, worker string, points [2]float64) []match.Row {
	var rows []match.Row
	for leg, p := range points {
		r := match.Row{
			Pair: id, Leg: leg, Black: "A", White: "B", PairA: "A", PairB: "B", Worker: worker, Termination: match.Resignation,
			Outcome: match.Draw, Points: [2]float64{p, 1 - p}, OpeningHash: uint64(id), MovesHash: uint64(2*id + leg), Plies: 10,
			Sides: [2]match.Side{{Nodes: 1000, Time: time.Second}, {Nodes: 2000, Time: time.Second}},
		}
		if p != 0.5 {
			r.Outcome = match.BlackWins
			if p == 0 {
				r.Outcome = match.WhiteWins
			}
		}
		if leg == 1 {
			r.Black, r.White, r.Points = r.White, r.Black, [2]float64{r.Points[1], r.Points[0]}
			r.Sides[0], r.Sides[1] = r.Sides[1], r.Sides[0]
			if p != 0.5 {
				r.Outcome = match.BlackWins + match.WhiteWins - r.Outcome
			}
		}
		rows = append(rows, r)
	}
	return rows
}

func farmReport(t *testing.T, pairs ...[]match.Row) *Report {
	t.Helper()
	g := testutil.Must(New(Run{Name: "r", Pairs: 10 + len(pairs), Players: []Player{{Name: "A"}, {Name: "B"}}}))(t)
	for _, rows := range pairs {
		testutil.OK(t, g.Add(rows))
	}
	return g.Report()
}

// TestWorkers compares the scores, intervals and counts of three workers with values that are calculated by hand. x has
// pairs with 1, 0.5 and 0.75 points a game, and the other workers have 0.5, 0.25 and 0.
func TestWorkers(t *testing.T) {
	t.Parallel()
	late := farmRows(3, "y", [2]float64{0, 0.5})
	late[0].Termination, late[1].Marked = match.TimeForfeit, true
	crash := farmRows(4, "", [2]float64{0, 0})
	crash[0].Termination, crash[1].Termination = match.Crash, match.Crash
	rep := farmReport(t, farmRows(0, "x", [2]float64{1, 1}), farmRows(1, "x", [2]float64{0, 1}),
		farmRows(2, "y", [2]float64{1, 0}), late, crash, farmRows(7, "x", [2]float64{1, 0.5}))
	testutil.Require(t, len(rep.Workers) == 3, "%+v", rep.Workers)
	x, y, here := rep.Workers[0], rep.Workers[1], rep.Workers[2]
	testutil.Check(t, x.Name == "x" && x.Pairs == 3 && x.Share == 0.5 && *x.Score == 0.75 &&
		x.TimeLosses+x.Crashes+x.Slowed == 0,
		"%+v", x)
	// both have the variance 1/16 (divisor n-1), so the error is √(2/48) = 0.204124
	if math.Abs(*x.Difference-0.5) > 1e-12 || math.Abs(*x.Lo-(0.5-1.959964*0.204124)) > 1e-5 ||
		math.Abs(*x.Hi-(0.5+1.959964*0.204124)) > 1e-5 {
		t.Errorf("%v [%v, %v]", *x.Difference, *x.Lo, *x.Hi)
	}
	testutil.Check(t, y.Name == "y" && y.Pairs == 2 && y.TimeLosses == 1 && y.Crashes == 0 && y.Slowed == 1 &&
		*y.Score == 0.375,
		"%+v", y)
	testutil.Check(t, here.Name == "" && here.Crashes == 2 && here.Pairs == 1 && here.Difference == nil &&
		here.Log10E == nil && here.StandsOut == "",
		"%+v", here)
	if rep := farmReport(t, farmRows(0, "", [2]float64{1, 1})); rep.Workers != nil {
		t.Errorf("no farm: %+v", rep.Workers)
	}
}

// TestWorkerStandsOut: a worker that loses more than the others is listed first. Pairs after a gap in the plan do not
// count.
func TestWorkerStandsOut(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var pairs [][]match.Row
	for id := range 640 {
		worker := fmt.Sprintf("w%d", r.IntN(6))
		points := [2]float64{float64(r.IntN(3)) / 2, float64(r.IntN(3)) / 2}
		if worker == "w3" && r.IntN(2) == 0 {
			points = [2]float64{}
		}
		pairs = append(pairs, farmRows(id, worker, points))
	}
	rep := farmReport(t, pairs...)
	first := rep.Workers[0]
	testutil.Check(t, first.Name == "w3" && first.StandsOut == "results" && *first.Log10E >= 2 && *first.Hi <= 0, "%+v",
		first)
	for _, w := range rep.Workers[1:] {
		testutil.Check(t, w.StandsOut == "" && w.Log10E != nil && *w.Log10E <= 1, "%+v stands out", w)
	}
	gap := farmReport(t, slices.Delete(pairs, 3, 4)...)
	for _, w := range gap.Workers {
		testutil.Check(t, w.Log10E == nil && w.StandsOut == "", "behind a gap: %+v", w)
	}
}
