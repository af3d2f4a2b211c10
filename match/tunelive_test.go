package match

import "testing"

// However long a tune is, its track is drawn through at most MaxTrack points, the latest
// among them, as evenly as doubling allows.
func TestTuneTrack(t *testing.T) {
	var track TuneTrack
	for n := 1; n <= 5000; n++ {
		track.Add(n, TunePoint{Pairs: n})
		if len(track.Points) > MaxTrack || track.Points[n].Pairs != n {
			t.Fatalf("after %d: %d points", n, len(track.Points))
		}
	}
	for at := range track.Points {
		if at%track.Every != 0 && at != 5000 {
			t.Errorf("block %d is kept, every %d are", at, track.Every)
		}
	}
	if len(track.Points) < MaxTrack/2 {
		t.Errorf("only %d points", len(track.Points))
	}
	before := track.Clone()
	track.Add(5001, TunePoint{})
	if _, shared := before.Points[5001]; shared {
		t.Error("a clone changes with what it is of")
	}
}
