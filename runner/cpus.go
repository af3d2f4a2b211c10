package runner

import (
	"slices"
	"sync"

	"gogi/match"
)

// cpus are what a player on one side of this slot runs on; nil: any.
func (s *slot) cpus(side int) []int {
	if s.number >= len(s.config.CPUs) {
		return nil
	}
	return s.config.CPUs[s.number][side]
}

// sides are the sets of CPUs on which the two players of a game run: an open one
// stays where it is, and its opponent gets the other set. Where both sit on the same
// one, each left there by another opponent, the second starts anew. It is no matter
// where both sets are the same.
func (s *slot) sides(seats [2]seat) (sides [2]int) {
	open := [2]int{s.indexOf(seats[0]), s.indexOf(seats[1])}
	switch {
	case open[0] >= 0:
		sides[0] = s.open[open[0]].side
		sides[1] = 1 - sides[0]
		if open[1] >= 0 && s.open[open[1]].side == sides[0] {
			if slices.Equal(s.cpus(0), s.cpus(1)) {
				sides[1] = sides[0]
			} else {
				s.discard(seats[1])
			}
		}
	case open[1] >= 0:
		sides[0] = 1 - s.open[open[1]].side
		sides[1] = 1 - sides[0]
	case seats[0].index > seats[1].index: // so that a player's side does not go with its colour
		sides = [2]int{1, 0}
	default:
		sides = [2]int{0, 1}
	}
	return sides
}

// bound is which players have been told to stray from their CPUs, so that it is said
// once a run. It may be used from any goroutine.
type bound struct {
	mu     sync.Mutex
	strays map[string]bool
}

// first reports whether a player is seen to stray for the first time.
func (b *bound) first(player string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.strays[player] {
		return false
	}
	if b.strays == nil {
		b.strays = map[string]bool{}
	}
	b.strays[player] = true
	return true
}

// lookForStrays tells, after the first game of each player that was bound, whether it
// keeps to its CPUs: no clock runs now, and engines have made their threads.
func (s *slot) lookForStrays(plan *match.Plan, g match.Game) {
	for _, index := range g.Players {
		i := s.indexOf(seat{plan, index})
		if i < 0 || s.open[i].looked || len(s.cpus(s.open[i].side)) == 0 {
			continue
		}
		o := &s.open[i]
		o.looked = true
		p, ok := o.player.(Strayer)
		if !ok {
			continue
		}
		if note := p.AffinityChanged(); note != "" && s.bound.first(o.name()) {
			s.events.fault(o.name(), "affinity", note, &g, s.number)
		}
	}
}
