package stored

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/report"
	"gogi/report/ratings"
)

// The leader is b. It is shown to be stronger than a (p 0.01), not than c (p 0.2), and not than d, to which
// nobody was compared; c against a says nothing of the leader.
func TestUnshown(t *testing.T) {
	t.Parallel()
	number := func(v float64) *float64 { return &v }
	rated := &ratings.Report{Comparisons: []ratings.Comparison{
		{Pairing: ratings.Pairing{A: "a", B: "b"}, Elo: number(-80), PHolm: number(0.01)},
		{Pairing: ratings.Pairing{A: "b", B: "c"}, Elo: number(20), PHolm: number(0.2)},
		{Pairing: ratings.Pairing{A: "c", B: "a"}, Elo: number(60), PHolm: number(0.001)},
	}}
	players := []report.Ranked{{Player: "b"}, {Player: "c"}, {Player: "a"}, {Player: "d"}}
	testutil.Slices(t, unshown(players, rated), []string{"c", "d"})
	rated.Comparisons[0].Elo = number(80) // a is rated higher, by games that points do not show
	testutil.Slices(t, unshown(players, rated), []string{"c", "a", "d"})
	got := unshown(players, &ratings.Report{})
	testutil.Check(t, got == nil, "%q of no comparison", got)
}
