package match

import (
	"time"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// Forfeited returns the result of a tune's pair that gogi does not play, because an engine does not start with its
// options for the pair. failed[0] means that A does not start, failed[1] that B does not. The player that starts wins
// both games; if neither starts, both games are draws. note is the reason, and slot the slot that found it.
func Forfeited(plan *Plan, pair Pair, failed [2]bool, note string, slot int) PairResult {
	r := PairResult{Pair: pair}
	for leg := range pair.Legs {
		game := pair.Game(leg)
		v := Verdict{Outcome: Draw, Termination: NotStarted, Note: note}
		if failed[0] != failed[1] {
			loser := shogi.White
			if (game.Players[0] == pair.Players[0]) == failed[0] {
				loser = shogi.Black
			}
			v = LossFor(loser, NotStarted, note)
		}
		r.Games = append(r.Games, forfeited(plan, game, v, slot))
	}
	return r
}

func forfeited(plan *Plan, game Game, v Verdict, slot int) Result {
	now := time.Now()
	record := kifu.Record{
		Black: plan.Players[game.Players[0]].Name, White: plan.Players[game.Players[1]].Name, Event: plan.Run, Started: now,
		Result: v.Termination.String(), Winner: v.Outcome.String(),
	}
	if start, err := game.Opening.Position(); err == nil { // Plan.Check has read it before
		record.Start = start.SFEN()
	}
	for _, m := range game.Opening.Moves {
		record.Moves = append(record.Moves, kifu.Move{Move: m, Opening: true})
	}
	return Result{
		Pair: game.Pair, Leg: game.Leg, Players: game.Players, Verdict: v, Record: record, Slot: slot, Started: now, Ended: now,
	}
}
