package stats

import (
	"math"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
)

// singles is a series of one-game pairs with these scores, each from the opening of its place.
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

// By hand: scores 1, 1, 0, 1 and 1, 0, 0, 1 have means 3/4 and 1/2, squares about them of 3/4 and 1, a product of
// 1/2, over n(n-1) = 12; Elo has the slopes 400/ln 10 over s(1-s), 3/16 and 1/4.
func TestEloGain(t *testing.T) {
	a, b := singles(t, "abcd", 1, 1, 0, 1), singles(t, "abcd", 1, 0, 0, 1)
	k := 400 / math.Ln10
	apart, together := k*k*(0.75/12*256/9+1.0/12*16), k*k*0.5/12*64/3
	gain, v, err := eloGain(a, b)
	testutil.Require(t, err == nil && math.Abs(gain-400*math.Log10(3)) <= 1e-9 && math.Abs(v/(apart-2*together)-1) <= 1e-12,
		"%v, %v, %v", gain, v, err)
	// Openings of their own share nothing; neither do those without a name.
	for _, names := range []string{"efgh", ""} {
		first := a
		if names == "" {
			first = singles(t, names, 1, 1, 0, 1)
		}
		_, v, err := eloGain(first, singles(t, names, 1, 0, 0, 1))
		testutil.Check(t, err == nil && math.Abs(v/apart-1) <= 1e-12, "%q: %v, %v", names, v, err)
	}
	for name, s := range map[string]*Series{"all won": singles(t, "ab", 1, 1), "one opening": singles(t, "a", 0.5), "none": {}} {
		if _, _, err := eloGain(a, s); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Pairs without an opening's name have nothing in common with those of another series.
func TestUnnamedOpeningsAreNotShared(t *testing.T) {
	c, err := Compare(singles(t, "", 1, 1, 0, 1), singles(t, "", 1, 0, 0, 1), 0.95)
	testutil.Check(t, err == nil && c.Shared == 0 && c.Method == "independent", "%+v, %v", c, err)
}

// Four contributions alike are two standard deviations off; signs of many agree with counting.
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
