package alarms

import (
	"fmt"
	"math"
)

// A difference of speed by a tenth or more causes a warning. Half the speed costs an engine about 50 to 70 Elo, so a
// tenth costs about 9, a difference that many matches test for. Smaller changes are common between the cores of one
// machine.
const tenth = 1.1

const (
	slotFirst = 8       // pairs in a slot before its first test; each doubling tests again
	slotKept  = 1 << 14 // the maximum number of pairs of a player that are compared between slots
)

// speed detects slots in which one player has fewer nodes per second. It compares means over pairs, because two games
// from one opening have similar speeds.
type speed struct {
	player string
	slots  int
	pairs  map[int]*pairSpeed // by slot: the pair in play

	bySlot map[int][]float64 // logarithms of nodes per second
	tests  map[int]int       // number of tests so far, by slot
	kept   int               // number of values in bySlot
	slow   map[int]bool      // slots with a warning
}

type pairSpeed struct {
	pair  int
	sum   float64 // of logarithms
	games int
}

func newSpeed(player string, slots int) *speed {
	return &speed{
		player: player, slots: max(1, slots), pairs: map[int]*pairSpeed{},
		bySlot: map[int][]float64{}, tests: map[int]int{}, slow: map[int]bool{},
	}
}

// shortest is the minimum thinking time of a game for this detector. Times are in microseconds, but engines stop by a
// clock with larger steps.
const shortest = 20 // ms

// game adds a game of the player: its number of nodes and its thinking time in milliseconds. At the first game of the
// next pair it also tests the slot, and returns a warning if the slot is slow.
func (s *speed) game(slot, pair int, nodes uint64, ms float64) []Warning {
	if nodes == 0 || ms < shortest {
		return nil
	}
	x := math.Log(float64(nodes) / ms * 1000)
	p := s.pairs[slot]
	if p != nil && p.pair == pair {
		p.sum, p.games = p.sum+x, p.games+1
		return nil
	}
	s.pairs[slot] = &pairSpeed{pair, x, 1}
	if p == nil {
		return nil
	}
	mean := p.sum / float64(p.games)
	return s.between(slot, mean)
}

// between adds a pair to a slot and tests whether the slot is slower than all others together. x is the mean
// logarithm of the nodes per second. It returns a warning if the slot is slower.
func (s *speed) between(slot int, x float64) []Warning {
	if s.kept == slotKept {
		return nil
	}
	s.kept++
	own := append(s.bySlot[slot], x)
	s.bySlot[slot] = own
	if s.slow[slot] || len(own) != slotFirst<<s.tests[slot] {
		return nil
	}
	s.tests[slot]++
	var others []float64
	for other, list := range s.bySlot {
		if other != slot && !s.slow[other] {
			others = append(others, list...)
		}
	}
	if len(others) < slotFirst {
		return nil
	}
	here, there := median(own), median(others)
	if there-here < math.Log(tenth) ||
		lower(own, others) > Level*share(s.tests[slot])/float64(max(s.slots, len(s.bySlot))) {
		return nil
	}
	s.slow[slot] = true
	number := slot
	return []Warning{{SpeedSlot, s.player, &number, fmt.Sprintf(
		"%s nodes a second in slot %d, %s in the others (medians of %d and %d pairs): look at what else runs on its CPUs, at how they are shared, and at their clock",
		perSecond(here), slot, perSecond(there), len(own), len(others))}}
}

func perSecond(log float64) string {
	v := math.Exp(log)
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.2fM", v/1e6)
	case v >= 1e4:
		return fmt.Sprintf("%.0fk", v/1e3)
	}
	return fmt.Sprintf("%.0f", v)
}
