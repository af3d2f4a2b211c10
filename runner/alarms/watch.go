package alarms

import (
	"time"

	"gogi/match"
	"gogi/shogi"
)

// Watch has all detectors of one session of a run. It is not safe for concurrent use.
type Watch struct {
	speeds   map[string]*speed
	margins  map[string]*margin
	failing  map[string]*failing
	copies   *copies
	memory   *memory
	openings map[int]string // of the game in play, by slot
}

// NewWatch watches a session of a plan.
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

// smallestMargin is a player's where its moves are timed, else 0.
func smallestMargin(plan *match.Plan, player int) (least time.Duration) {
	for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
		if l := plan.LimitsOf(player, c); l.Timed() && (least == 0 || l.Margin < least) {
			least = l.Margin
		}
	}
	return least
}

// Event takes the next event of the run; those of workers say nothing of this machine
// and are passed over.
func (w *Watch) Event(ev match.Event) []Warning {
	if ev.Worker != "" || ev.Pair == nil || ev.Slot == nil {
		return nil
	}
	switch ev.Type { //nolint:exhaustive // the others say nothing that is watched
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
		// The nodes of a search that had begun on the opponent's time are not of the
		// time that is told.
		if s := w.speeds[side.Player]; s != nil && side.PonderHits == 0 {
			list = append(list, s.game(*ev.Slot, *ev.Pair, side.Nodes, side.TimeMS)...)
		}
	}
	return list
}

// lost tells the players of a game whether they lost it by a fault.
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

// Sample takes what a process held when a game began.
func (w *Watch) Sample(s Sample) []Warning { return w.memory.sample(s) }
