package regression

import (
	"testing"

	"gogi/internal/format"
	"gogi/internal/testutil"
)

// TestFigures: numbers are as people write them.
func TestFigures(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{
		0: "0", 1: "1.00000", 67004.25: "67004.2", 1234567.8: "1234568", 0.00123456789: "0.00123457", 1e-9: "1e-09", 2e12: "2e+12",
	} {
		testutil.Equal(t, format.Figure(v), want, "figure6(%v)", v)
	}
	got := equation("RP", []Coefficient{{Value: format.Finite(-67004)}, {Name: "match", Value: format.Finite(2193)}, {Name: "bad", Value: format.Finite(-0.5)}})
	testutil.Equal(t, "RP = −67004.0 + 2193.00·match − 0.500000·bad", got)
}
