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

// TestMinus: a negative number gets the typographic minus sign. All other text is unchanged.
func TestMinus(t *testing.T) {
	for text, want := range map[string]string{
		"3.06 of [-2.95, 3.00]":         "3.06 of [−2.95, 3.00]",
		"-12.3 Elo, between -20 and -4": "−12.3 Elo, between −20 and −4",
		"engine-2 at 2026-11-25, +4":    "engine-2 at 2026-11-25, +4",
	} {
		testutil.Equal(t, Minus(text), want)
	}
}

// TestFloat: a number that is rounded to zero has no minus sign.
func TestFloat(t *testing.T) {
	for want, got := range map[string]string{
		"0.0000": Float("%.4f", -1e-9), "+0.00": Float("%+.2f", -0.004), "-0.01": Float("%+.2f", -0.006),
		"-10.0": Float("%.1f", -10),
	} {
		testutil.Equal(t, got, want)
	}
}

// TestPValue: no p value reads as zero, also one that is smaller than all floating-point numbers.
func TestPValue(t *testing.T) {
	for p, want := range map[float64]string{1: "1.000", 0.0512: "0.051", 0.00051: "5.1e-04", 5e-324: "4.9e-324",
		0: "1e-308 or less"} {
		testutil.Equal(t, PValue(p), want)
	}
}
