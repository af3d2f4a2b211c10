package tune

import (
	"testing"

	"gogi/internal/testutil"
)

// TestAProbeAtABorder: a probe plays the value itself against a perturbed one, also at an end of the range, where a
// duel moves the middle. So it measures the loss of a perturbation from the current value.
func TestAProbeAtABorder(t *testing.T) {
	t.Parallel()
	s := Settings{Params: []Param{{Name: "F", Kind: Float, Min: 0, Max: 10}}}
	for _, test := range []struct {
		kind                  DuelKind
		at, flip, plus, minus float64
	}{
		{KindProbe, 0, 1, 4, 0}, // the middle is 2
		{KindProbe, 0, -1, 0, 0},
		{KindProbe, 10, 1, 10, 10}, // the middle is 8
		{KindProbe, 10, -1, 6, 10},
		{KindProbe, 5, 1, 7, 5},
		{KindDuel, 0, 1, 4, 0},
		{KindDuel, 10, 1, 10, 6},
		{KindDuel, 5, 1, 7, 3},
	} {
		d := s.newDuel(0)
		d.Kind, d.C[0], d.Flips[0] = test.kind, 2, test.flip
		s.perturb(&d, 0, test.at, 0.5)
		testutil.Check(t, d.Plus[0] == test.plus && d.Minus[0] == test.minus, "%+v: %v against %v", test, d.Plus[0],
			d.Minus[0])
	}
}
