package stats

import (
	"math"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
)

// singles returns a Series of one-game pairs with these scores. The n-th letter of names is the opening of the n-th
// pair.
func singles(t *testing.T, names string, scores ...float64) *Series {
	t.Helper()
	s := &Series{}
	for i, points := range scores {
		outcome := Draw
		switch points {
		case 0:
			outcome = Loss
		case 1:
			outcome = Win
		}
		name := ""
		if names != "" {
			name = names[i : i+1]
		}
		testutil.Must(s.Add(Play{Pair: Pair{{AIsBlack: true, Outcome: outcome, Points: points}}, Opening: name}))(t)
	}
	return s
}

// TestEloGain compares with a calculation by hand. The scores 1, 1, 0, 1 and 1, 0, 0, 1 have the means 3/4 and 1/2.
// Their sums of squares are 3/4 and 1, and their sum of products is 1/2, each divided by n(n-1) = 12. Elo has the slope
// 400/ln 10 over s(1-s), which is 3/16 and 1/4.
func TestEloGain(t *testing.T) {
	a, b := singles(t, "abcd", 1, 1, 0, 1), singles(t, "abcd", 1, 0, 0, 1)
	k := 400 / math.Ln10
	apart, together := k*k*(0.75/12*256/9+1.0/12*16), k*k*0.5/12*64/3
	gain, v, err := eloGain(a, b)
	testutil.Require(t, err == nil && math.Abs(gain-400*math.Log10(3)) <= 1e-9 &&
		math.Abs(v/(apart-2*together)-1) <= 1e-12,
		"%v, %v, %v", gain, v, err)
	// Different openings have no covariance, and neither do openings without a name.
	for _, names := range []string{"efgh", ""} {
		first := a
		if names == "" {
			first = singles(t, names, 1, 1, 0, 1)
		}
		_, v, err := eloGain(first, singles(t, names, 1, 0, 0, 1))
		testutil.Check(t, err == nil && math.Abs(v/apart-1) <= 1e-12, "%q: %v, %v", names, v, err)
	}
	for name, s := range map[string]*Series{"all won": singles(t, "ab", 1, 1), "one opening": singles(t, "a", 0.5),
		"none": {}} {
		if _, _, err := eloGain(a, s); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestUnnamedOpeningsAreNotShared: pairs without the name of an opening are independent of the pairs of another series.
func TestUnnamedOpeningsAreNotShared(t *testing.T) {
	c, err := Compare(singles(t, "", 1, 1, 0, 1), singles(t, "", 1, 0, 0, 1), 0.95)
	testutil.Check(t, err == nil && c.Shared == 0 && c.Method == "independent", "%+v, %v", c, err)
}

// TestScoreFlip: four equal contributions are two standard deviations from 0. For many contributions, the p value
// agrees with the count over all signs.
func TestScoreFlip(t *testing.T) {
	if got := ScoreFlip([]float64{1, 1, 1, 1, 0}); math.Abs(got.P-0.0455002639) > 1e-9 || got.N != 4 {
		t.Errorf("%+v", got)
	}
	if got := ScoreFlip(nil); got.P != 1 {
		t.Errorf("%+v", got)
	}
	z := []float64{0.9, 0.1, -0.4, 0.7, 0.3, 0.8, -0.2, 0.5, 0.6, 0.35, -0.15, 0.45, 0.55, 0.25, -0.65, 0.75}
	seen, far := 0.0, 0
	for _, x := range z {
		seen += x
	}
	for signs := range 1 << len(z) {
		sum := 0.0
		for i, x := range z {
			if signs>>i&1 == 1 {
				x = -x
			}
			sum += x
		}
		if math.Abs(sum) >= seen-1e-9 {
			far++
		}
	}
	if got, want := ScoreFlip(z).P, float64(far)/65536; math.Abs(got-want) > 0.005 {
		t.Errorf("%v, by counting %v", got, want)
	}
}

func TestGamesInterval(t *testing.T) {
	got, err := GamesInterval([]float64{1, 1, 1, 0, 1}, 0.95)
	want, _ := binomial.ClopperPearson(4, 5, 0.95)
	testutil.Check(t, err == nil && math.Abs(got.Lo-want.Lo) <= 1e-6 && math.Abs(got.Hi-want.Hi) <= 1e-6,
		"%+v, %v, want %+v", got, err, want)
	for _, bad := range [][]float64{nil, {1.5}, {math.NaN()}} {
		testutil.Fails(t, testutil.Err(GamesInterval(bad, 0.95)), "", "%v: no error", bad)
	}
}
