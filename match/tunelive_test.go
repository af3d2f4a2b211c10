package match

import (
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
