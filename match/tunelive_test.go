package match

import (
	"encoding/json"
	"testing"

	"gogi/internal/testutil"
)

// However long a tune is, its track is drawn through at most MaxTrack points, the latest
// among them, as evenly as doubling allows.
func TestTuneTrack(t *testing.T) {
	var track TuneTrack
	for n := 1; n <= 5000; n++ {
		track.Add(n, TunePoint{Pairs: n})
		testutil.Require(t, len(track.Points) <= MaxTrack && track.Points[n].Pairs == n, "after %d: %d points", n, len(track.Points))
	}
	for at := range track.Points {
		testutil.Check(t, at%track.Every == 0 || at == 5000, "block %d is kept, every %d are", at, track.Every)
	}
	testutil.Check(t, len(track.Points) >= MaxTrack/2, "only %d points", len(track.Points))
	before := track.Clone()
	track.Add(5001, TunePoint{})
	_, shared := before.Points[5001]
	testutil.Check(t, !shared, "a clone changes with what it is of")
}

// The script of the pages reads these names.
func TestTunePointJSON(t *testing.T) {
	lost := 2.5
	text, err := json.Marshal(TunePoint{Pairs: 1, Theta: []float64{3}, Spread: 0.5, LostElo: &lost, Equal: 4})
	testutil.Require(t, err == nil, "%v", err)
	const want = `{"pairs":1,"theta":[3],"spread":0.5,"lost_elo":2.5,"equal":4}`
	testutil.Check(t, string(text) == want, "%s, expected %s", text, want)
}
