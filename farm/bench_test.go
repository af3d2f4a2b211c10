package farm_test

import (
	"testing"

	"gogi/farm"
	"gogi/internal/testutil"
)

// TestBenchIn: the bench of a commit message is the last number behind the word bench. Words that only contain it,
// versions and numbers that no build can have do not count.
func TestBenchIn(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]uint64{
		"LMR by history\n\nBench: 5061979\n": 5061979, "bench 1234567": 1234567, "x\nBENCH = 1,203,981\r\n": 1203981,
		"Bench:42.":                   42,
		"Bench: 1\nRevert.\nBench: 2": 2, "Bench: 1\nBench: 2": 2, "bench 1 bench 2": 2, "no functional change": 0,
		"benchmark: 12": 0, "workbench 12": 0, "bench: 0": 0, "bench: 12a": 0, "": 0,
		"bench: 99999999999999999999999": 0,
	} {
		testutil.Equal(t, farm.BenchIn(message), want, "%q", message)
	}
}

// TestBenchCheck: only another number in the commit message is a warning.
func TestBenchCheck(t *testing.T) {
	t.Parallel()
	b := farm.BenchCheck{Engine: "dev", Commit: "0123456789abcdef", Nodes: 12, Worker: "w1"}
	testutil.Check(t, !b.Differs() && b.String() == "dev: 12 nodes; its commit message has no bench (read by w1)", "%v", b)
	b.Message, b.Owner = 12, "ann"
	testutil.Check(t, !b.Differs() &&
		b.String() == "dev: 12 nodes, as in its commit message (read by w1 of ann, not trusted)", "%v", b)
	b.Message, b.Trusted = 13, true
	testutil.Check(t, b.Differs() &&
		b.String() ==
			"warning: the commit message of dev has bench 13, and its builds have 12 (read by w1 of ann); check that 0123456789 is the commit that you mean", "%v", b)
}
