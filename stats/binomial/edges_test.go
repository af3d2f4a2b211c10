package binomial

import (
	"math"
	"testing"

	"gogi/internal/testutil"
)

// A p value that is alpha but for its last digit is alpha: 1/32 of five games, all won.
func TestSignificantToARounding(t *testing.T) {
	for p, want := range map[float64]bool{1. / 32: true, math.Nextafter(1./32, 1): true, 1./32 + 1e-9: false} {
		testutil.Equal(t, (Test{P: p}).Significant(1./32), want, "%v", p)
	}
}

// Where nearly everything is significant, no game need be won, and none less.
func TestNormalCriticalWinsOfFewGames(t *testing.T) {
	if k, ok := NormalCriticalWins(1, 0.999, Greater); k != 0 || !ok { // ½ - 3.09/2
		t.Errorf("%d, %v", k, ok)
	}
}
