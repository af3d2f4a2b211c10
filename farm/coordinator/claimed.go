package coordinator

import (
	"fmt"
	"math"
	"slices"

	"gogi/ensemble/voting"
	"gogi/match"
	"gogi/match/arbiter"
)

// checkPair returns an error if a worker cannot have played a pair. In a plan with scaled clocks, the pair must name the
// factor of its clocks (Played.Scale). In any other plan, checkPair deletes the factor, because it has no meaning there.
func checkPair(plan *match.Plan, r *match.PairResult) error {
	if plan.Scales() && r.Played.Scale == 0 {
		return fmt.Errorf("pair %d: its factor of the clocks is missing, and the plan scales them", r.Pair.ID)
	}
	return checkBrought(plan, r)
}

// checkBrought checks a pair that was played outside the farm, as checkPair does. Such a pair may have been played with
// the unscaled clocks of the plan.
func checkBrought(plan *match.Plan, r *match.PairResult) error {
	if err := arbiter.Verify(plan, r); err != nil {
		return err
	}
	if !plan.Scales() {
		r.Played.Scale = 0
	}
	return votes(r)
}

// votes returns an error if a record of a council's vote cannot be read, because such a record would fail
// every reader of the run's votes.
func votes(r *match.PairResult) error {
	for i := range r.Games {
		moves := r.Games[i].Record.Moves
		for j := range len(moves) + 1 {
			vote := r.Games[i].Record.Final
			if j < len(moves) {
				vote = moves[j].Vote()
			} else if r.Games[i].Termination == match.MateAdjudication {
				continue // the record is the proof of a mate
			}
			if len(vote) == 0 {
				continue
			}
			if _, err := voting.ParseRecord(vote); err != nil {
				return fmt.Errorf("pair %d: leg %d: move %d: %w", r.Pair.ID, i, j+1, err)
			}
		}
	}
	return nil
}

// shownEvent returns the part of a worker's event that gogi displays. It contains only fields that the function
// possibleEvent has checked or that need no check.
func shownEvent(ev *match.Event) match.Event {
	return match.Event{
		Type: ev.Type, At: ev.Time, Pair: ev.Pair, Leg: ev.Leg, Slot: ev.Slot, Black: ev.Black, White: ev.White,
		Limits: ev.Limits, Opening: ev.Opening, Start: ev.Start, Moves: ev.Moves, Plies: ev.Plies, Clocks: ev.Clocks,
		Thought: ev.Thought, Position: ev.Position, OverrunMS: ev.OverrunMS, ClockMS: ev.ClockMS, Board: ev.Board,
	}
}

// cutEvent returns an event which reports that the game of ev has ended without a result.
func cutEvent(ev match.Event) match.Event {
	return match.Event{Type: match.EventCut, Pair: ev.Pair, Leg: ev.Leg, Slot: ev.Slot, Black: ev.Black, White: ev.White}
}

// maxBoards is the maximum number of slots of a worker whose games the coordinator shows. It limits the
// coordinator's memory, because a worker can send a board for each slot.
const maxBoards = 512

// maxPly is a number of plies that no game reaches.
const maxPly = 100_000

// possibleEvent reports whether an event is a valid event about a game of the run in one of the worker's slots.
func possibleEvent(plan *match.Plan, slots int, ev *match.Event) bool {
	if ev.Run != plan.Run || ev.Pair == nil || ev.Leg == nil || ev.Slot == nil {
		return false
	}
	switch ev.Type { // a worker may only report games
	case match.EventSeat, match.EventGame, match.EventMove, match.EventEnd, match.EventCut:
	case match.EventBoard:
		b := ev.Board
		if b == nil || b.Pair != *ev.Pair || b.Leg != *ev.Leg || !bounded(b.Ply, maxPly) || !bounded(b.Plies, maxPly) || !bounded(b.StartPly, maxPly) || !paired(b.Clocks) {
			return false
		}
	default:
		return false
	}
	return bounded(*ev.Pair, plan.Pairs-1) && bounded(*ev.Leg, plan.Pair(*ev.Pair).Legs-1) && bounded(*ev.Slot, min(slots, maxBoards)-1) && plays(plan, ev.Black) && plays(plan, ev.White) &&
		bounded(ev.Ply, maxPly) && bounded(ev.Plies, maxPly) && paired(ev.Clocks)
}

// plays reports whether a name is "" or one of the run's players.
func plays(plan *match.Plan, name string) bool {
	return name == "" || slices.ContainsFunc(plan.Players, func(p match.Player) bool { return p.Name == name })
}

func bounded(n, most int) bool { return n >= 0 && n <= min(most, math.MaxInt32) }

// paired reports whether a list of clocks has both Black's and White's, or no clock at all.
func paired(clocks []*float64) bool { return len(clocks) == 0 || len(clocks) == 2 }
