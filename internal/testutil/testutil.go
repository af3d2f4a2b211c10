// Package testutil waits for events in tests and chooses the length of tests.
//
// Tests that cannot wait for a channel, a pipe or the time of synctest wait with [Eventually]: for a file
// of another process, a process that has ended, or a page.
//
// Tests are short in make test, long with the flag -long (make test-long, which make nightly runs), and
// as long as the documentation quotes with -figures (make figures). A test binary has the flags if one of
// its tests imports this package. The Makefile lists the tests that have a long form, and a test of the
// root package checks the list.
package testutil

import (
	"flag"
	"testing"
)

var (
	asked   = flag.Bool("long", false, "play the tests that are heavy in full")
	figures = flag.Bool("figures", false, "simulate and play as much as the documentation quotes")
)

// Long reports whether tests are to be played in full.
func Long() bool { return *asked || *figures }

// Figures reports whether tests are to make the figures of the documentation.
func Figures() bool { return *figures }

// OnlyLong skips a test in short runs. why names the test in make test that proves the same, or the
// test's requirement.
func OnlyLong(t testing.TB, why string) {
	t.Helper()
	if !Long() {
		t.Skipf("played with -long: %s", why)
	}
}

// ByLength returns short in a short run, else full.
func ByLength[T any](short, full T) T {
	if Long() {
		return full
	}
	return short
}
