package tune

import (
	"errors"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

// TestRetired: a stored tune by a method that gogi has no longer has its stored values after each block. Nothing plays
// it or learns from it.
func TestRetired(t *testing.T) {
	t.Parallel()
	s := Defaults("surface", 32)
	s.Inflight = 6
	s.Params = []Param{{Name: "X", Kind: Float, Start: 1, Min: -8, Max: 8, Scale: 1}}
	testutil.OK(t, s.Check())
	_, err := NewPath(s)
	testutil.Check(t, errors.Is(err, ErrRetired), "%v", err)
	_, err = NewTrajectory(s, nil)
	testutil.Check(t, errors.Is(err, ErrRetired), "%v", err)
	stored := []match.TuneState{
		{Blocks: 2, Pairs: 32, Centre: []float64{5}, Factor: 1}, {Blocks: 1, Pairs: 16, Centre: []float64{3}, Factor: 1},
	}
	for at, want := range map[int]float64{0: 1, 1: 3, 2: 5, -1: 5} {
		w := testutil.Must(NewWalk(s, stored, at))(t)
		w.Pair([]match.Row{{}}, [2][]match.Option{})
		last := w.End()
		testutil.Check(t, last.Blocks == 2 && last.Pairs == 32 && last.Theta[0] == 5 && len(w.Track) == 3 &&
			len(w.Differences) == 0, "%+v, %+v", last, w)
		testutil.Equal(t, Answer(&s, &w.Asked)[0], want, "after %d blocks", at)
	}
	stored[0].Centre = nil
	testutil.Fails(t, testutil.Err(NewWalk(s, stored, -1)), "has 0 parameters")
}
