package usi_test

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/usi"
)

// TestShownScore: centipawns beyond any evaluation are a mate of unknown length. 1148897 is gpsusi's mate, which Number
// limits to 900000. 15999 may be an evaluation, although it is sjaakii's mate.
func TestShownScore(t *testing.T) {
	for value, want := range map[int]string{
		1148897: "mate +", -1148897: "mate -", 32000: "mate +", -32000: "mate -", 31999: "cp 31999", -31999: "cp -31999",
		15999: "cp 15999", 0: "cp 0",
	} {
		testutil.Equal(t, usi.ShownScore(usi.Score{Value: value}.Number()).String(), want)
	}
	testutil.Equal(t, usi.ShownScore(usi.Score{Mate: -1, Value: 4}.Number()).String(), "mate -4")
}
