package ledger_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gogi/farm/coordinator/ledger"
	"gogi/internal/testutil"
)

// endless grants everything and counts it by run.
type endless map[string]int

func (e endless) grant(run string, n int) int {
	e[run] += n
	return n
}

func scheduled(tests ...ledger.Test) *ledger.Schedule {
	s := &ledger.Schedule{OwnerMax: 0.4, Slots: 100}
	for _, t := range tests {
		s.Set(t)
	}
	return s
}

// picks checks the pairs that a worker gets if every test has endless pairs.
func picks(t *testing.T, s *ledger.Schedule, w ledger.Worker, n int, want endless) {
	t.Helper()
	got := endless{}
	if s.Pick(w, n, got.grant); !maps.Equal(got, want) {
		t.Errorf("granted %v, expected %v", got, want)
	}
}

// TestSharesAreKept requires I8: over 1,000 grants the slot-seconds of each run are within 2% of its share. This holds
// from any moment on, for workers of any size and with any open engines.
func TestSharesAreKept(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		var s ledger.Schedule
		tests := []ledger.Test{{Run: "a", Owner: "x"}, {Run: "b", Owner: "y"}, {Run: "c", Owner: "z"},
			{Run: "d", Owner: "x"}}[:2+round%3]
		sum := 0.0
		for i := range tests {
			tests[i].Share, tests[i].Cost = float64(1+r.IntN(6)), 10+50*r.Float64()
			sum += tests[i].Share
			s.Set(tests[i])
		}
		workers := make([]ledger.Worker, 1+r.IntN(50))
		slots := make([]int, len(workers))
		for i := range workers {
			slots[i] = 1 + r.IntN(64)
		}
		play := func(grants int) endless {
			got := endless{}
			for all := 0; all < grants; {
				i := r.IntN(len(workers))
				w := &workers[i]
				var opened []string
				s.Pick(*w, 1+r.IntN(2*slots[i]), func(run string, n int) int {
					if !slices.Contains(opened, run) {
						opened = append(opened, run)
					}
					all += n
					return got.grant(run, n)
				})
				w.Open = append(w.Open, opened...)
				w.Open = w.Open[max(0, len(w.Open)-2):]
			}
			return got
		}
		play(r.IntN(300))
		got := play(1000)
		seconds, all := map[string]float64{}, 0.0
		for _, test := range tests {
			seconds[test.Run] = float64(got[test.Run]) * test.Cost
			all += seconds[test.Run]
		}
		for _, test := range tests {
			if have, want := seconds[test.Run]/all, test.Share/sum; math.Abs(have-want) > 0.02 {
				t.Errorf("round %d: run %s has %.3f of the slot-seconds, its share is %.3f", round, test.Run, have, want)
			}
		}
	}
}

// TestPriorityComesFirst: the test with the lower priority gets the slots that the other test cannot use.
func TestPriorityComesFirst(t *testing.T) {
	t.Parallel()
	s := scheduled(ledger.Test{Run: "low", Share: 100, Cost: 1, Priority: -1},
		ledger.Test{Run: "high", Share: 1, Cost: 1, Priority: 3})
	s.OwnerMax = 0
	got, left := endless{}, 5
	s.Pick(ledger.Worker{Open: []string{"low"}}, 8, func(run string, n int) int {
		if run == "high" {
			n = min(n, left)
			left -= n
		}
		return got.grant(run, n)
	})
	want := (endless{"high": 5, "low": 3})
	testutil.Check(t, maps.Equal(got, want), "%v, expected %v", got, want)
}

// TestAWorkerGetsWhatItCanPlay: a run that only some workers can play gets its share there.
func TestAWorkerGetsWhatItCanPlay(t *testing.T) {
	t.Parallel()
	s := scheduled(ledger.Test{Run: "any", Share: 1, Cost: 1}, ledger.Test{Run: "gpu", Share: 1, Cost: 1})
	s.OwnerMax = 0
	got := endless{}
	for range 50 {
		s.Pick(ledger.Worker{Can: func(run string) bool { return run == "any" }}, 1, got.grant)
		s.Pick(ledger.Worker{}, 1, got.grant)
	}
	testutil.Check(t, got["any"] == 50 && got["gpu"] == 50, "%v: expected half each", got)
	picks(t, s, ledger.Worker{Can: func(string) bool { return false }}, 4, endless{})
}

// TestAnIdleTestCatchesUp: a test that could not use its share catches up a little, and a new one gets no more
// than its share.
func TestAnIdleTestCatchesUp(t *testing.T) {
	t.Parallel()
	var s ledger.Schedule
	s.Set(ledger.Test{Run: "a", Share: 1, Cost: 2})
	s.Set(ledger.Test{Run: "b", Share: 1, Cost: 2})
	for range 1000 {
		s.Pick(ledger.Worker{}, 1, func(run string, n int) int {
			if run == "b" {
				return 0
			}
			return n
		})
	}
	s.Set(ledger.Test{Run: "c", Share: 1, Cost: 2})
	got := endless{}
	for range 300 {
		s.Pick(ledger.Worker{}, 1, got.grant)
	}
	testutil.Check(t, got["b"]-got["a"] >= 15 && got["b"]-got["a"] <= 25 && math.Abs(float64(got["c"]-got["a"])) <= 2,
		"%v: expected b about 20 ahead of the others", got)
}

// TestEnginesStayOpen: two workers of two runs change engines no more often than the shares need.
func TestEnginesStayOpen(t *testing.T) {
	t.Parallel()
	var s ledger.Schedule
	s.Set(ledger.Test{Run: "a", Share: 1, Cost: 30})
	s.Set(ledger.Test{Run: "b", Share: 1, Cost: 30})
	changes, got := 0, endless{}
	open := []string{"a", "b"}
	for i := range 400 {
		s.Pick(ledger.Worker{Open: open[i%2 : i%2+1]}, 4, func(run string, n int) int {
			if run != open[i%2] {
				changes++
			}
			open[i%2] = run
			return got.grant(run, n)
		})
	}
	testutil.Check(t, got["a"]+got["b"] == 1600 && changes <= 2, "%d changes of engines in %v", changes, got)
}

// TestOwnerMax: while other owners wait, an owner first gets at most two fifths of the slots. A test beyond its owner's
// quota gets only the slots that no other test wants.
func TestOwnerMax(t *testing.T) {
	t.Parallel()
	y := ledger.Test{Run: "y", Owner: "y", Share: 1, Cost: 1}
	var nine []ledger.Test
	for i := range 9 {
		nine = append(nine, ledger.Test{Run: fmt.Sprint("x", i), Owner: "x", Share: 1, Cost: 1})
	}
	got := endless{}
	scheduled(append(nine, y)...).Pick(ledger.Worker{}, 100, got.grant)
	if got["y"] != 40 { // by share it is 10; the remaining slots go to the nine runs of x
		t.Errorf("y holds %d, x the rest: expected 40", got["y"])
	}
	spent := ledger.Test{Run: "x", Owner: "x", Share: 1, Cost: 1, Spent: true}
	s := scheduled(spent)
	picks(t, s, ledger.Worker{}, 100, endless{"x": 100})
	s.Set(y)
	s.Held("x", 0)
	picks(t, s, ledger.Worker{Open: []string{"x"}}, 10, endless{"y": 10})
	s.Remove("y")
	picks(t, s, ledger.Worker{}, 10, endless{"x": 10})
	full := scheduled(spent, y)
	full.Held("x", 90) // more than OwnerMax allows
	full.Held("y", 90)
	picks(t, full, ledger.Worker{Open: []string{"x"}}, 10, endless{"y": 10})
}
