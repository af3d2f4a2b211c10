package runner

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"

	"gogi/match"
)

// cpus returns the CPU set that this slot gives to one of its two players. side is 0 or 1. nil means all
// CPUs.
func (s *slot) cpus(side int) []int {
	if s.number >= len(s.config.CPUs) {
		return nil
	}
	return s.config.CPUs[s.number][side]
}

// sides returns the number (0 or 1) of the CPU set for each player of a game. A player that is already open
// keeps its CPU set, and its opponent gets the other set. If both players are open on the same set, sides
// closes the second player, unless both sets contain the same CPUs.
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
	case seats[0].index > seats[1].index: // so that a player's CPU set does not depend on its colour
		sides = [2]int{1, 0}
	default:
		sides = [2]int{0, 1}
	}
	return sides
}

// bound has the names of the players that ran outside their CPU sets, so that a run reports each player once. It is
// safe for concurrent use.
type bound struct {
	mu     sync.Mutex
	strays map[string]bool
}

// first records that a player ran outside its CPU set, and reports whether this is the first time.
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

// lookForStrays emits a fault if an engine runs on other CPUs than those to which gogi bound it. It checks each engine
// process once, after its first game. Then no clock runs, and the engine has created its threads.
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

// devices lets players that share a device search one after the other. The zero value is ready for use.
type devices struct {
	mu   sync.Mutex
	free map[string]*semaphore.Weighted // by the name of the device, of weight 1
}

// take waits until no other player uses the device, and returns a function that gives the device back. A second call of
// that function does nothing. take returns at once for the name "". It returns the cause if ctx ends first. Players get
// a device in the order of their calls.
func (d *devices) take(ctx context.Context, name string) (release func(), err error) {
	if name == "" {
		return func() {}, nil
	}
	d.mu.Lock()
	one := d.free[name]
	if one == nil {
		if d.free == nil {
			d.free = map[string]*semaphore.Weighted{}
		}
		one = semaphore.NewWeighted(1)
		d.free[name] = one
	}
	d.mu.Unlock()
	if one.Acquire(ctx, 1) != nil {
		return nil, context.Cause(ctx)
	}
	return sync.OnceFunc(func() { one.Release(1) }), nil
}
