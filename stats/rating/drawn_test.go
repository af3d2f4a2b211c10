package rating

import (
	"fmt"
	"math"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/rating/crosstable"
)

// One pair of equals has its draw parameter in closed form, of whatever share of the games was drawn: Davidson's ν
// is draws over the root of wins times losses.
func TestNearlyAllDrawn(t *testing.T) {
	for _, draws := range []float64{1, 99, 1e4, 1e7, 1e10} {
		record := []crosstable.Count{{Black: "a", White: "b", BlackWins: 1, Draws: int(draws), WhiteWins: 1}}
		t.Run(fmt.Sprint(draws), func(t *testing.T) {
			f := must[*Fit](t)(Rate(record, Model{Draws: Davidson}))
			testutil.Check(t, math.Abs(f.Draw/draws-1) <= 1e-6 && math.Abs(f.Players[0].Elo) <= 1e-6,
				"%v, want %v; %+v", f.Draw, draws, f.Players)
		})
	}
}
