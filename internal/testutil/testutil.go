// Package testutil waits for events in tests, checks values, and chooses the length of tests.
//
// Use [Eventually] in tests that cannot wait for a channel, a pipe or the time of synctest. Such tests wait
// for a file of another process, for the end of a process, or for a page.
//
// Tests are short in make test. They are long with the flag -long (make test-long, which make nightly also
// runs). With -figures (make figures) they calculate the numbers that the documentation quotes. A test binary
// has these flags only if one of its tests imports this package. The Makefile lists the tests that have a
// long form, and a test of the root package checks the list.
package testutil

import (
	"flag"
	"testing"
)

var (
	asked   = flag.Bool("long", false, "play the tests that are heavy in full")
	figures = flag.Bool("figures", false, "simulate and play as much as the documentation quotes")
)

// Long reports whether long tests must run in full, which is so with -long and with -figures.
func Long() bool { return *asked || *figures }

// Figures reports whether tests must calculate the numbers that the documentation quotes.
func Figures() bool { return *figures }

// OnlyLong skips a test in short runs. why is the reason in the message: another test that make test runs instead,
// or something that the test needs.
func OnlyLong(t testing.TB, why string) {
	t.Helper()
	if !Long() {
		t.Skipf("played with -long: %s", why)
	}
}

// ByLength returns short in a short test run, and full in a long one.
func ByLength[T any](short, full T) T {
	if Long() {
		return full
	}
	return short
}
