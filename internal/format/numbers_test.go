package format

import (
	"testing"

	"gogi/internal/testutil"
)

// TestPercentShort: every hundredth is a whole number of percent, for any binary fraction.
func TestPercentShort(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0%", 0.07: "7%", 0.29: "29%", 0.55: "55%", 0.57: "57%", 0.95: "95%", 1: "100%", 0.999: "99.9%", 0.0005: "0.05%",
	} {
		testutil.Equal(t, PercentShort(share), want, "%v", share)
	}
}
