package binomial

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
)

func TestCorrectionsAgainstFixture(t *testing.T) {
	var fixture map[string]json.RawMessage
	load(t, "p_adjust_R.json", &fixture)
	read := func(key string) (p []float64) {
		testutil.OK(t, json.Unmarshal(fixture[key], &p), key)
		return p
	}
	p := read("p")
	var w worst
	for key, c := range map[string]Correction{
		"holm": Holm, "hochberg": Hochberg, "hommel": Hommel, "bonferroni": Bonferroni, "BH": BenjaminiHochberg,
		"BY": BenjaminiYekutieli,
	} {
		got, err := c.Adjust(p)
		want := read(key)
		testutil.Require(t, err == nil && len(got) == len(want), "%v %v %v", key, got, err)
		for i := range got {
			w.near(t, key, got[i], want[i], 1e-12, 0)
		}
	}
	w.log(t, "corrections")
}

func TestCorrectionLaws(t *testing.T) {
	all := []Correction{Bonferroni, Holm, Hochberg, Hommel, BenjaminiHochberg, BenjaminiYekutieli}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 12).Draw(t, "p")
		got := map[Correction][]float64{}
		for _, c := range all {
			a, err := c.Adjust(p)
			testutil.Require(t, err == nil && len(a) == len(p), "%v %v %v", c, a, err)
			got[c] = a
			for i := range p {
				testutil.Require(t, a[i] >= p[i]-1e-15 && a[i] <= 1, "%s: %v becomes %v", c, p[i], a[i])
			}
		}
		for i := range p { // R documents Hommel ≤ Hochberg ≤ Holm ≤ Bonferroni
			chain := []float64{got[Hommel][i], got[Hochberg][i], got[Holm][i], got[Bonferroni][i]}
			for j := 1; j < len(chain); j++ {
				if chain[j-1] > chain[j]+1e-12 {
					t.Fatalf("%v: %v", p[i], chain)
				}
			}
		}
	})
	for _, bad := range []float64{-0.1, 1.1, math.NaN()} {
		testutil.Fails(t, testutil.Err(Holm.Adjust([]float64{0.5, bad})), "", "%v", bad)
	}
	testutil.Fails(t, testutil.Err(Correction("none").Adjust([]float64{0.5})), "")
}
