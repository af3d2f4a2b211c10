// Package long is how long tests are: short in make test, where a short form of what is
// heavy can still fail; long, with -long, in make test-long, which make nightly runs; and as
// long as what the documentation quotes, with -figures, in make figures, which takes hours.
//
// A test binary has the flags if one of its tests imports this package. Which tests have a
// long form is listed in the Makefile, and held in step by a test of the root.
package long

import (
	"flag"
	"testing"
)

var (
	asked   = flag.Bool("long", false, "play the tests that are heavy in full")
	figures = flag.Bool("figures", false, "simulate and play as much as the documentation quotes")
)

// Asked reports whether tests are to be played in full.
func Asked() bool { return *asked || *figures }

// Figures reports whether tests are to make the figures of the documentation.
func Figures() bool { return *figures }

// Only skips a test that is not played in short. why says what in make test proves the same,
// or what it wants.
func Only(t testing.TB, why string) {
	t.Helper()
	if !Asked() {
		t.Skipf("played with -long: %s", why)
	}
}

// Of is the first where a test is to be short, else the second.
func Of[T any](short, full T) T {
	if Asked() {
		return full
	}
	return short
}
