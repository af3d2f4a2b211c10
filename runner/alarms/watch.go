package alarms

import "gogi/match"

// Watch contains all detectors for one session of a run (the time in which one process plays it). It is not
// safe for concurrent use.
type Watch struct {
	speeds  map[string]*speed
	failing map[string]*failing
	memory  *memory
}

// NewWatch returns a Watch with the detectors for one session of a plan.
func NewWatch(plan *match.Plan) *Watch {
	w := &Watch{speeds: map[string]*speed{}, failing: map[string]*failing{},
		memory: &memory{processes: map[memorySeat]*growth{}, warned: map[string]bool{}}}
	for i, p := range plan.Players {
		w.speeds[p.Name] = newSpeed(p.Name, plan.Concurrency)
		w.failing[p.Name] = newFailing(plan, i)
	}
	return w
}

// Event gives the next event of the run to the detectors, and returns their new warnings. It ignores events
// of workers, which run on other machines.
func (w *Watch) Event(ev match.Event) []Warning {
	if ev.Type != match.EventEnd || ev.Worker != "" || ev.Pair == nil || ev.Slot == nil {
		return nil
	}
	list := w.lost(ev)
	if ev.Sides == nil {
		return list
	}
	for _, side := range ev.Sides {
		// After a ponder hit the nodes include the ponder search, but the time does not.
		if s := w.speeds[side.Player]; s != nil && side.PonderHits == 0 {
			list = append(list, s.game(*ev.Slot, *ev.Pair, side.Nodes, side.TimeMS)...)
		}
	}
	return list
}

// lost gives a finished game to the detectors of faults, and returns their warnings.
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

// Sample gives the memory use of a process at the beginning of a game to the detectors, and returns their new
// warnings.
func (w *Watch) Sample(s Sample) []Warning { return w.memory.sample(s) }
