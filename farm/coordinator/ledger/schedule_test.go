package ledger_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gogi/farm/coordinator/ledger"
)

// endless grants whatever is asked for, and counts it.
type endless map[string]int

func (e endless) grant(run string, n int) int {
	e[run] += n
	return n
}

// TestSharesAreKept is I8: over 1,000 grants each run's slot-seconds are within 2% of all
// of its share, from any moment on, whatever the workers' sizes and the engines that
// they have open.
func TestSharesAreKept(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		var s ledger.Schedule
		tests := []ledger.Test{{Run: "a", Owner: "x"}, {Run: "b", Owner: "y"}, {Run: "c", Owner: "z"}, {Run: "d", Owner: "x"}}[:2+round%3]
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
				for _, share := range s.Pick(*w, 1+r.IntN(2*slots[i]), got.grant) {
					all += share.Pairs
					w.Open = append(w.Open, share.Run)
				}
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

// TestPriorityComesFirst, and what the first cannot use goes on.
func TestPriorityComesFirst(t *testing.T) {
	t.Parallel()
	var s ledger.Schedule
	s.Set(ledger.Test{Run: "low", Share: 100, Cost: 1, Priority: -1})
	s.Set(ledger.Test{Run: "high", Share: 1, Cost: 1, Priority: 3})
	left := 5
	shares := s.Pick(ledger.Worker{Open: []string{"low"}}, 8, func(run string, n int) int {
		if run == "high" {
			n = min(n, left)
			left -= n
		}
		return n
	})
	if want := []ledger.Share{{Run: "high", Pairs: 5}, {Run: "low", Pairs: 3}}; !reflect.DeepEqual(shares, want) {
		t.Errorf("%+v, expected %+v", shares, want)
	}
}

// TestAWorkerGetsWhatItCanPlay, and a run that only some can play gets its share there.
func TestAWorkerGetsWhatItCanPlay(t *testing.T) {
	t.Parallel()
	var s ledger.Schedule
	s.Set(ledger.Test{Run: "any", Share: 1, Cost: 1})
	s.Set(ledger.Test{Run: "gpu", Share: 1, Cost: 1})
	got := endless{}
	for range 50 {
		s.Pick(ledger.Worker{Can: func(run string) bool { return run == "any" }}, 1, got.grant)
		s.Pick(ledger.Worker{}, 1, got.grant)
	}
	if got["any"] != 50 || got["gpu"] != 50 {
		t.Errorf("%v: expected half each", got)
	}
	if shares := s.Pick(ledger.Worker{Can: func(string) bool { return false }}, 4, got.grant); shares != nil {
		t.Errorf("%v for a worker that can play nothing", shares)
	}
}

// TestWhoCouldNotUseItsShare catches up a little and does not take all for hours; one
// that is new takes no more than its share.
func TestWhoCouldNotUseItsShare(t *testing.T) {
	t.Parallel()
	var s ledger.Schedule
	s.Set(ledger.Test{Run: "a", Share: 1, Cost: 2})
	s.Set(ledger.Test{Run: "b", Share: 1, Cost: 2})
	dry := func(run string, n int) int {
		if run == "b" {
			return 0
		}
		return n
	}
	for range 1000 {
		s.Pick(ledger.Worker{}, 1, dry)
	}
	s.Set(ledger.Test{Run: "c", Share: 1, Cost: 2})
	got := endless{}
	for range 300 {
		s.Pick(ledger.Worker{}, 1, got.grant)
	}
	if got["b"]-got["a"] < 15 || got["b"]-got["a"] > 25 || math.Abs(float64(got["c"]-got["a"])) > 2 {
		t.Errorf("%v: expected b about 20 ahead of the others", got)
	}
}

// TestEnginesStayOpen: two runs, two workers; neither changes its engines more often than
// the shares need.
func TestEnginesStayOpen(t *testing.T) {
	t.Parallel()
	var s ledger.Schedule
	s.Set(ledger.Test{Run: "a", Share: 1, Cost: 30})
	s.Set(ledger.Test{Run: "b", Share: 1, Cost: 30})
	changes, grants := 0, 0
	open := [][]string{{"a"}, {"b"}}
	for i := range 400 {
		for _, share := range s.Pick(ledger.Worker{Open: open[i%2]}, 4, endless{}.grant) {
			grants += share.Pairs
			if !slices.Contains(open[i%2], share.Run) {
				changes++
			}
			open[i%2] = []string{share.Run}
		}
	}
	if grants != 1600 || changes > 2 {
		t.Errorf("%d changes of engines in %d grants", changes, grants)
	}
}

// TestAnOwnerLeavesRoom: with others waiting he holds two fifths, alone all; what his
// runs have had beyond his quota, they get only when nobody else wants it.
func TestAnOwnerLeavesRoom(t *testing.T) {
	t.Parallel()
	s := ledger.Schedule{OwnerMax: 0.4, Slots: 100}
	for i := range 9 {
		s.Set(ledger.Test{Run: fmt.Sprint("x", i), Owner: "x", Share: 1, Cost: 1})
	}
	s.Set(ledger.Test{Run: "y", Owner: "y", Share: 1, Cost: 1})
	got := endless{}
	s.Pick(ledger.Worker{}, 100, got.grant)
	if got["y"] != 40 { // by share it would be 10; of what neither may have alone, x's nine runs get theirs
		t.Errorf("y holds %d, x the rest: expected 40", got["y"])
	}
	lonely := ledger.Schedule{OwnerMax: 0.4, Slots: 100}
	lonely.Set(ledger.Test{Run: "x", Owner: "x", Share: 1, Cost: 1, Spent: true})
	if got := lonely.Pick(ledger.Worker{}, 100, endless{}.grant); !reflect.DeepEqual(got, []ledger.Share{{Run: "x", Pairs: 100}}) {
		t.Errorf("alone: %v", got)
	}
	lonely.Set(ledger.Test{Run: "y", Owner: "y", Share: 1, Cost: 1})
	lonely.Held("x", 0)
	if got := lonely.Pick(ledger.Worker{Open: []string{"x"}}, 10, endless{}.grant); !reflect.DeepEqual(got, []ledger.Share{{Run: "y", Pairs: 10}}) {
		t.Errorf("beyond his quota: %v", got)
	}
	lonely.Remove("y")
	if got := lonely.Pick(ledger.Worker{}, 10, endless{}.grant); !reflect.DeepEqual(got, []ledger.Share{{Run: "x", Pairs: 10}}) {
		t.Errorf("alone again: %v", got)
	}
	full := ledger.Schedule{OwnerMax: 0.4, Slots: 100}
	for _, run := range []string{"x", "y"} {
		full.Set(ledger.Test{Run: run, Owner: run, Share: 1, Cost: 1, Spent: run == "x"})
		full.Held(run, 90) // more than an owner's part
	}
	if got := full.Pick(ledger.Worker{Open: []string{"x"}}, 10, endless{}.grant); !reflect.DeepEqual(got, []ledger.Share{{Run: "y", Pairs: 10}}) {
		t.Errorf("beyond his quota, where everybody holds too much: %v", got)
	}
}
