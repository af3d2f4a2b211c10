// Package alarms detects slow problems during a run: an engine is slower in one slot than in the others, the memory
// use of an engine grows, or a player loses all games by one fault. A [Watch] is a state machine that contains the
// detectors. It takes events and samples, and returns each [Warning] once. A [Monitor] follows a run, feeds a Watch,
// and sends the warnings as events. docs/faults.md has the thresholds and their reasons.
package alarms

import (
	"math"
	"slices"
)

// These are the kinds of warning, see Warning.Kind.
const (
	SpeedSlot = "speed_slot" // an engine is slower in one slot than in the others
	Memory    = "memory"     // an engine process grows from game to game
	Failing   = "failing"    // a player loses all games by one fault of its own
	Slowed    = "slowed"     // a player loses all games on time because the machine delays its moves
	Records   = "records"    // gogi could not write a crash dump or a transcript
	Notes     = "notes"      // an engine reports a failure before its first search
)

// Warning describes one problem of a run. gogi sends each warning once in a session (the time in which one
// process plays the run).
type Warning struct {
	Kind   string
	Engine string // "" if the problem belongs to no engine
	Slot   *int   // nil if the problem belongs to no slot
	Note   string // the observation and the proposed action
}

// Level is the largest probability that one detector sends a false warning about one player in a whole
// session. It holds for any number of tests.
const Level = 0.005

// share returns the fraction of Level that the n-th test may use, counted from 1. The fractions of all tests add up to
// 1.
func share(n int) float64 { return 1 / (float64(n) * float64(n+1)) }

// lower returns the p value of the hypothesis that x and y have one distribution, against smaller values in x. It is
// the test of Mann and Whitney in the normal approximation, corrected for ties and continuity. The exact test of
// lab/linear takes a thousand times as long. A simulation in the tests checks the level of the approximation.
func lower(x, y []float64) float64 {
	all := slices.Sorted(slices.Values(slices.Concat(x, y)))
	var sum, ties float64
	for _, v := range x {
		sum += rank(all, v)
	}
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j] == all[i] {
			j++
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	m, n := float64(len(x)), float64(len(y))
	total := m + n
	variance := m * n / 12 * (total + 1 - ties/(total*(total-1)))
	if variance <= 0 {
		return 1 // all values are equal
	}
	z := (sum - m*(total+1)/2 + 0.5) / math.Sqrt(variance)
	return math.Erfc(-z/math.Sqrt2) / 2
}

// rank returns the rank of v among the sorted values, from 1. Equal values have their mean rank.
func rank(sorted []float64, v float64) float64 {
	first, _ := slices.BinarySearch(sorted, v)
	after, _ := slices.BinarySearch(sorted, math.Nextafter(v, math.Inf(1)))
	return float64(first+after+1) / 2
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
