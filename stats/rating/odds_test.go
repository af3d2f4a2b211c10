package rating

import (
	"math"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/rating/crosstable"
	"gogi/stats/rating/newton"

	"pgregory.net/rapid"
)

// TestOddsAreTheOutcomes requires that products of odds give the log-likelihood and the slopes of the outcome of each
// game. For very different strengths oddsAt rejects the products.
func TestOddsAreTheOutcomes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := testutil.Must(crosstable.New(drawCounts(t)))(t)
		m := Model{Draws: rapid.SampledFrom([]Draws{HalfWin, Davidson}).Draw(t, "draws"),
			FirstMove: rapid.SampledFrom([]FirstMove{NoFirstMove, Multiplicative}).Draw(t, "first")}
		l := newLadder(table, m)
		x, reach := make([]float64, l.dim()), rapid.SampledFrom([]float64{1, 7, 11}).Draw(t, "reach")
		for i := range x {
			x[i] = rapid.Float64Range(-reach, reach).Draw(t, "x")
		}
		first, draw := l.terms(x)
		want := 0.0
		for n := range l.cells {
			c := &l.cells[n]
			want += l.outcome.logLik(c, x[c.Black]-x[c.White]+first, draw)
		}
		o, near := l.oddsAt(x)
		if !near {
			return
		}
		got := o.logLik(l.cells, x, first, draw)
		testutil.Require(t, math.Abs(got-want) <= 1e-11*(1+math.Abs(want)), "log-likelihood %v, want %v", got, want)
		for n := range l.cells {
			c, s := &l.cells[n], &slopes{}
			o.slopes(c, s)
			w := l.outcome.slopes(c, x[c.Black]-x[c.White]+first, draw)
			if m.Draws == HalfWin {
				w.d = s.d
			}
			scale := 1e-11 * (1 + c.Games())
			for _, d := range []float64{s.x - w.x, s.d - w.d, s.xx - w.xx, s.xd - w.xd, s.dd - w.dd} {
				if !(math.Abs(d) <= scale) {
					t.Fatalf("%+v, want %+v", *s, w)
				}
			}
		}
	})
	l := newLadder(testutil.Must(crosstable.New([]crosstable.Count{{Black: "a", White: "b", BlackWins: 1,
		WhiteWins: 1}}))(t), Model{})
	if _, near := l.oddsAt([]float64{800, -800}); near {
		t.Error("products of strengths 1600 units apart")
	}
}

// TestConcaveProfileIsTheProfile requires that ConcaveProfile finds the ends that Profile finds, with at most half of
// the slopes.
func TestConcaveProfileIsTheProfile(t *testing.T) {
	record := []crosstable.Count{
		{Black: "a", White: "b", BlackWins: 5, Draws: 2, WhiteWins: 3},
		{Black: "b", White: "c", BlackWins: 4, Draws: 1, WhiteWins: 5},
		{Black: "c", White: "a", BlackWins: 2, Draws: 1, WhiteWins: 9},
		{Black: "b", White: "a", BlackWins: 6, WhiteWins: 4},
	}
	f := testutil.Must(Rate(record, Model{Draws: Davidson, FirstMove: Multiplicative}))(t)
	for i := range f.at.X {
		weights := make([]float64, len(f.at.X))
		weights[i] = 1
		if i < len(f.Players) {
			weights = f.aboveMean(i)
		}
		for _, z := range []float64{0.5, 1.96, 3.3} {
			long, short := &counting{Problem: f.inner}, &counting{Problem: f.inner}
			lo, hi, err := newton.Profile(long, f.at, weights, z)
			lo2, hi2, err2 := newton.ConcaveProfile(short, f.at, weights, z)
			testutil.Check(t, err == nil && err2 == nil && math.Abs(lo-lo2) <= 1e-9 && math.Abs(hi-hi2) <= 1e-9,
				"coordinate %d, z %v: [%v, %v] %v, want [%v, %v] %v", i, z, lo2, hi2, err2, lo, hi, err)
			testutil.Check(t, 2*short.slopes <= long.slopes,
				"coordinate %d, z %v: %d slopes, the search %d", i, z, short.slopes, long.slopes)
		}
	}
}

// counting counts the calls of Derivatives.
type counting struct {
	newton.Problem
	slopes int
}

func (c *counting) Derivatives(x []float64) ([]float64, func([]float64) []float64) {
	c.slopes++
	return c.Problem.Derivatives(x)
}

// TestTermErrorsAreTheCovariance compares TermErrors, which solves single columns, with the inverse of the whole
// matrix.
func TestTermErrorsAreTheCovariance(t *testing.T) {
	for _, m := range []Model{{Draws: Davidson, FirstMove: Multiplicative}, {Draws: Davidson},
		{FirstMove: Multiplicative, Prior: Prior{SD: 1}}} {
		f := testutil.Must(Rate(league(6, 30), m))(t)
		if m.Draws != "" {
			record := league(6, 30)
			for i := range record {
				record[i].Draws = 3
			}
			f = testutil.Must(Rate(record, m))(t)
		}
		c := testutil.Must(f.Covariance())(t)
		errs := testutil.Must(f.TermErrors())(t)
		for i, name := range c.Names[len(f.Players):] {
			want := math.Sqrt(c.Matrix[len(f.Players)+i][len(f.Players)+i])
			got := errs[name]
			testutil.Check(t, math.Abs(got-want) < 1e-8*want, "%+v: %s %v, want %v", m, name, got, want)
		}
		testutil.Equal(t, len(errs), len(c.Names)-len(f.Players), "%+v: %v", m, errs)
	}
}

// TestPerfectFitIsNoSurprise requires that Goodness never rejects a fit with one parameter for every rate. Its
// residuals are only rounding errors.
func TestPerfectFitIsNoSurprise(t *testing.T) {
	for wins := 1; wins < 20; wins++ {
		f := testutil.Must(Rate([]crosstable.Count{{Black: "a", White: "b", BlackWins: wins, WhiteWins: 20 - wins}},
			Model{}))(t)
		g := testutil.Must(f.Goodness(Replay{Samples: 60, Seed: 1, Exceed: 25}))(t)
		testutil.Check(t, g.Bootstrap >= 1 && g.Worst >= 1, "%d wins of 20: %+v", wins, g)
	}
}
