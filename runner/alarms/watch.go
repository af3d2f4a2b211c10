package alarms

import (
	"time"

	"gogi/match"
	"gogi/shogi"
)

// Watch contains all detectors of one session of a run. It is not safe for concurrent use.
type Watch struct {
	speeds   map[string]*speed
	margins  map[string]*margin
	failing  map[string]*failing
	copies   *copies
	memory   *memory
	openings map[int]string // by slot: the opening of the game in play
}

// NewWatch returns the detectors for a session of a plan.
func NewWatch(plan *match.Plan) *Watch {
	w := &Watch{
		speeds: map[string]*speed{}, margins: map[string]*margin{}, failing: map[string]*failing{}, openings: map[int]string{},
		copies: newCopies(), memory: newMemory(),
	}
	for i, p := range plan.Players {
		w.speeds[p.Name] = newSpeed(p.Name, plan.Concurrency)
		w.failing[p.Name] = newFailing(plan, i)
		w.margins[p.Name] = &margin{player: p.Name, margin: smallestMargin(plan, i)}
	}
	return w
}

// smallestMargin returns the smallest time margin of a player, or 0 if its moves are not timed.
func smallestMargin(plan *match.Plan, player int) (least time.Duration) {
	for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
		if l := plan.LimitsOf(player, c); l.Timed() && (least == 0 || l.Margin < least) {
			least = l.Margin
		}
	}
	return least
}

// Event applies the next event of the run. It ignores events of workers, which run on other machines.
func (w *Watch) Event(ev match.Event) []Warning {
	if ev.Worker != "" || ev.Pair == nil || ev.Slot == nil {
		return nil
	}
	switch ev.Type { //nolint:exhaustive // no detector uses the other types
	case match.EventGame:
		w.openings[*ev.Slot] = ev.Opening
	case match.EventEnd:
		return w.ended(ev)
	}
	return nil
}

func (w *Watch) ended(ev match.Event) []Warning {
	list := append(w.lost(ev), w.copies.game(w.openings[*ev.Slot], ev)...)
	if ev.Sides == nil {
		return list
	}
	for _, side := range ev.Sides {
		if m := w.margins[side.Player]; m != nil {
			list = append(list, m.game(time.Duration(side.WorstOverrunMS*float64(time.Millisecond)))...)
		}
		// After a ponder hit the nodes include the ponder search, but the time does not.
		if s := w.speeds[side.Player]; s != nil && side.PonderHits == 0 {
			list = append(list, s.game(*ev.Slot, *ev.Pair, side.Nodes, side.TimeMS)...)
		}
	}
	return list
}

// lost gives a game to the detectors of faults.
func (w *Watch) lost(ev match.Event) (list []Warning) {
	losers := map[string]string{match.BlackWins.String(): ev.White, match.WhiteWins.String(): ev.Black}
	for _, name := range []string{ev.Black, ev.White} {
		f, fault := w.failing[name], match.NotEnded
		if t := match.Termination(ev.Termination); t.IsFault() && losers[ev.Outcome] == name {
			fault = t
		}
		if f != nil {
			list = append(list, f.game(fault, ev.Marked)...)
		}
	}
	return list
}

// Sample adds the memory of a process at the beginning of a game.
func (w *Watch) Sample(s Sample) []Warning { return w.memory.sample(s) }
