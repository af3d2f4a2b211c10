package plackettluce

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/stats/binomial"
	"gogi/stats/rating"
	"gogi/stats/rating/crosstable"
	"gogi/stats/rating/newton"
)

func TestSharesAndOrders(t *testing.T) {
	var games [][]Placing
	for range 10 {
		games = append(games, rankPoints([]string{"a", "b", "c", "d", "e"}))
	}
	shares := testutil.Must(Shares(games, 100, 0.95, 1))(t)
	for i, want := range []float64{5, 4, 3, 2, 1} {
		if s := shares[i]; math.Abs(s.Share-want/15) > 1e-12 || s.Interval.Lo > s.Share+1e-12 || s.Games != 10 ||
			s.Points != 10*want {
			t.Errorf("%+v", s)
		}
	}
	// Orders of two players are a Bradley–Terry model.
	orders := [][]string{{"x", "y"}, {"x", "y"}, {"y", "x"}, {"y", "z"}, {"z", "y"}, {"z", "x"}, {"x", "z"}, {"x", "z"}}
	p := testutil.Must(PlackettLuce(orders))(t)
	var record []crosstable.Count
	for _, o := range orders {
		record = append(record, crosstable.Count{Black: o[0], White: o[1], BlackWins: 1})
	}
	f := testutil.Must(rating.Rate(record, rating.Model{}))(t)
	for i := range f.Players {
		testutil.Check(t, f.Players[i].Name == p.Players[i].Name && math.Abs(f.Players[i].Elo-p.Players[i].Elo) <= 1e-9,
			"%+v, want %+v", p.Players[i], f.Players[i])
	}
	testutil.Check(t, math.Abs(f.LogLik-p.LogLik) <= 1e-12, "%v %v", p.LogLik, f.LogLik)
	// The player "first" is always before the others, so its strength has no estimate.
	p = testutil.Must(PlackettLuce([][]string{{"a", "b", "c"}, {"b", "c", "a"}, {"c", "a", "b"}, {"first", "a", "b"}}))(t)
	testutil.Check(t, len(p.SetAside) == 1 && p.SetAside[0].Player == "first" && len(p.Players) == 3, "%+v", p)
}

func TestPlackettLuceIsStationary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b", "c", "d"}
		orders := [][]string{{"a", "b", "c", "d"}, {"d", "c", "b", "a"}}
		for range rapid.IntRange(0, 8).Draw(t, "orders") {
			orders = append(orders, rapid.Permutation(names).Draw(t, "order")[:rapid.IntRange(2, 4).Draw(t, "length")])
		}
		f := testutil.Must(PlackettLuce(orders))(t)
		logs := map[string]float64{}
		for _, p := range f.Players {
			logs[p.Name] = p.Elo / binomial.EloPerNat
		}
		at := orderLogLik(orders, logs)
		testutil.Check(t, math.Abs(at-f.LogLik) <= 1e-9, "log-likelihood %v, want %v", f.LogLik, at)
		for _, n := range names {
			for _, d := range []float64{-1e-3, 1e-3} {
				logs[n] += d
				testutil.Check(t, orderLogLik(orders, logs) <= f.LogLik, "moving %s by %v raises the likelihood", n, d)
				logs[n] -= d
			}
		}
	})
}

func orderLogLik(orders [][]string, logs map[string]float64) float64 {
	sum := 0.0
	for _, o := range orders {
		for i := range o {
			left := lists.Sum(o[i:], func(n string) float64 { return math.Exp(logs[n]) })
			sum += logs[o[i]] - math.Log(left)
		}
	}
	return sum
}

func TestImpossibleOrders(t *testing.T) {
	testutil.Fails(t, testutil.Err(PlackettLuce([][]string{{"a", "a"}})), "", "twice in one order: no error")
	testutil.Fails(t, testutil.Err(Shares([][]Placing{{{"a", 0}, {"b", 0}}}, 10, 0.9, 1)), "", "no points: no error")
	for _, points := range []float64{-1, math.NaN(), math.Inf(1)} {
		testutil.Fails(t, testutil.Err(Shares([][]Placing{{{"a", points}, {"b", 3}}}, 10, 0.9, 1)), "", "%v points: no error",
			points)
	}
}

// TestSamplesOfSharesAreBounded requires an error for too many samples, before the first one. They would need days or
// all memory.
func TestSamplesOfSharesAreBounded(t *testing.T) {
	game := [][]Placing{{{Player: "a", Points: 1}, {Player: "b"}}}
	for _, samples := range []int{1, newton.MaxSamples + 1, 1_000_000_000} {
		want := fmt.Sprintf("%d bootstrap samples are too many: expected at most 100000", samples)
		if samples == 1 {
			want = "1 bootstrap samples have no percentiles"
		}
		_, err := Shares(game, samples, 0.95, 1)
		testutil.Check(t, err != nil && err.Error() == want, "Shares of %d: %v", samples, err)
	}
}
