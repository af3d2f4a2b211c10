package binomial

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
)

func TestSampleSizeAgainstFixture(t *testing.T) {
	var fixture struct {
		Cases []struct {
			Elo      float64
			P        float64
			Alpha    float64 `json:"alpha_one_sided"`
			Power    float64
			First    int     `json:"smallest_n_exact"`
			There    float64 `json:"exact_power_there"`
			Critical int     `json:"critical_wins"`
			Safe     int     `json:"smallest_n_safe_from_there_on"`
		}
	}
	load(t, "sample_size_exact.json", &fixture)
	testutil.Require(t, len(fixture.Cases) == 21, "rows are missing")
	var w worst
	for _, c := range fixture.Cases {
		d := Design{Alpha: c.Alpha, Power: c.Power, Alternative: Greater}
		l, err := d.Length(c.Elo)
		if err != nil || l.Decisive != c.First || l.CriticalWins != c.Critical || l.Safe != c.Safe || l.Games != l.Decisive ||
			l.SafeGames != l.Safe {
			t.Errorf("%+v: %+v, %v", c, l, err)
		}
		w.near(t, "power", l.Power, c.There, 1e-9, 0)
		elo, err := d.Detectable(c.First)
		testutil.Check(t, err == nil && elo <= c.Elo && elo >= 0.94*c.Elo,
			"%d games show %v Elo, %v; want %v", c.First, elo, err, c.Elo)
	}
	w.log(t, "sample size")
}

func TestLengthHasThePower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Design{
			Alpha:       rapid.SampledFrom([]float64{0.01, 0.05, 0.1}).Draw(t, "alpha"),
			Power:       rapid.Float64Range(0.3, 0.97).Draw(t, "power"),
			DrawRate:    rapid.Float64Range(0, 0.5).Draw(t, "draw rate"),
			Alternative: rapid.SampledFrom([]Alternative{Greater, TwoSided}).Draw(t, "alternative"),
		}
		elo := rapid.Float64Range(20, 150).Draw(t, "elo")
		l := testutil.Must(d.Length(elo))(t)
		p, _ := d.decisiveRate(elo)
		power := func(n int) float64 {
			k, ok := CriticalWins(n, d.Alpha, d.Alternative)
			if !ok {
				return 0
			}
			return NewBinomial(n, p).AtLeast(k)
		}
		testutil.Require(t, agree(l.Power, power(l.Decisive), 1e-9) && l.Power >= d.Power, "%+v", l)
		for n := range l.Decisive {
			testutil.Require(t, power(n) < d.Power, "%d games do for %+v", n, l)
		}
		testutil.Require(t, l.Safe <= 1 || power(l.Safe-1) < d.Power || l.Safe == l.Decisive,
			"%+v is not the first safe number", l)
		for n := l.Safe; n < 2*l.Safe+200; n++ {
			testutil.Require(t, power(n) >= d.Power, "%d games have the power %v, %+v", n, power(n), l)
		}
		less := d
		less.Alternative = Less
		if d.Alternative == Greater {
			m, err := less.Length(-elo)
			testutil.Require(t, err == nil && m == l, "%+v, mirrored %+v, %v", l, m, err)
		}
	})
}

// TestLengthFarFromNormal has an alpha for which the normal approximation is useless: 2^-997 is the first power of ½
// below 1e-300. It also tests invalid designs.
func TestLengthFarFromNormal(t *testing.T) {
	l, err := Design{Alpha: 1e-300, Power: 0.01, Alternative: Greater}.Length(2000)
	testutil.Check(t, err == nil && l.Decisive == 997 && l.CriticalWins == 997, "%+v, %v", l, err)
	for _, bad := range []Design{
		{0, 0.8, 0, Greater},
		{0.05, 1, 0, Greater},
		{0.05, 0.8, 1, Greater},
		{0.05, 0.8, 0, "both"},
		{0.05, 0.05, 0, Greater},
		{0.05, 0.8, 0, Less},
		{0.05, 0.8, 0.99, Greater},
	} {
		testutil.Fails(t, testutil.Err(bad.Length(50)), "", "%+v", bad)
	}
	for _, elo := range []float64{0, -10, 0.01, math.NaN(), math.Inf(1)} {
		testutil.Fails(t, testutil.Err((Design{0.05, 0.8, 0, Greater}).Length(elo)), "", "%v", elo)
	}
	testutil.Fails(t, testutil.Err((Design{0.05, 0.8, 0, Greater}).Detectable(4)), "", "four games")
}

// TestMostDraws: at a score of 75%, and at one of 25%, half of the games can be drawn. Then one player wins the others.
func TestMostDraws(t *testing.T) {
	elo := 400 * math.Log10(3)
	for _, e := range []float64{elo, -elo} {
		testutil.Check(t, math.Abs(MostDraws(e)-0.5) < 1e-12, "%v: %v", e, MostDraws(e))
		for draws, fits := range map[float64]bool{0.49: true, 0.51: false} {
			_, err := Design{Alpha: 0.05, Power: 0.8, DrawRate: draws, Alternative: TwoSided}.Length(e)
			testutil.Check(t, (err == nil) == fits, "%v with %v draws: %v", e, draws, err)
		}
	}
	testutil.Check(t, MostDraws(0) == 1, "%v", MostDraws(0))
}
