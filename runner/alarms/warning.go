// Package alarms detects slow problems while a run plays: an engine whose speed differs between
// slots or changes over time, growing memory, repeated games, moves that use up the margin, an
// engine that loses all games by one fault. A [Watch] is the detectors: a state machine that
// takes events and samples and returns each [Warning] once. A [Monitor] follows a run, feeds a
// Watch, and emits the warnings as events. docs/faults.md has the thresholds and their reasons.
package alarms

import (
	"math"
	"slices"

	"gogi/stats/binomial"
)

// The kinds of warning.
const (
	SpeedSlot = "speed_slot" // an engine is slower in one slot than in the others
	SpeedTime = "speed_time" // an engine's speed has changed since the session began
	Memory    = "memory"     // an engine process grows from game to game
	Copies    = "copies"     // games repeat
	Margin    = "margin"     // moves come near the end of the margin
	Failing   = "failing"    // a player's games are all lost by one fault of its own
	Slowed    = "slowed"     // a player's games are all lost on time while the machine slows them
	Records   = "records"    // a bundle or a transcript could not be written
)

// Warning is one thing that goes wrong, told once.
type Warning struct {
	Kind   string
	Engine string // "": nobody's
	Slot   *int   // nil: no slot's
	Note   string // what was seen, and what to do
}

// Level is the probability, at most, with which one detector warns of one player
// in a whole session although nothing is wrong, however often it looks.
const Level = 0.005

// share is the part of Level that the n-th look may use, n from 1: they sum to 1.
func share(n int) float64 { return 1 / (float64(n) * float64(n+1)) }

// tooMany reports whether k events in n tries are more than a rate p explains,
// at the k-th part of Level. Asked at every event, this warns falsely with a
// probability of Level at most: the n-th try at which the k-th event comes is
// early enough with the probability of k events in so many tries, and that for
// each k alone.
func tooMany(k, n int, p float64) bool {
	return binomial.NewBinomial(n, p).AtLeast(k) <= Level*share(k)
}

// lower is the probability of x being as much below y, or more, where both come from
// one distribution: Mann and Whitney's test in the normal approximation, with the
// corrections for ties and continuity. (stats/regress counts small samples exactly,
// which takes a thousand times as long; how well this keeps its level is simulated.)
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
		return 1 // all are the same
	}
	z := (sum - m*(total+1)/2 + 0.5) / math.Sqrt(variance)
	return math.Erfc(-z/math.Sqrt2) / 2
}

// rank is the mean rank of a value among sorted ones, from 1.
func rank(sorted []float64, v float64) float64 {
	first, _ := slices.BinarySearch(sorted, v)
	after, _ := slices.BinarySearch(sorted, math.Nextafter(v, math.Inf(1)))
	return float64(first+after+1) / 2
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
