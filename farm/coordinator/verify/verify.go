// Package verify checks results and events of a worker, and returns the reason if one is impossible: [Pair] for a pair,
// [Event] for an event of a game.
package verify

import (
	"fmt"

	"gogi/ensemble/voting"
	"gogi/match"
	"gogi/match/arbiter"
)

// Pair returns an error if a worker cannot have played a pair. In a plan with scaled clocks, the pair must name the
// factor of its clocks (Played.Scale). In any other plan, Pair deletes the factor, because it has no meaning there.
func Pair(plan *match.Plan, r *match.PairResult) error {
	if plan.Scales() && r.Played.Scale == 0 {
		return fmt.Errorf("pair %d: its factor of the clocks is missing, and the plan scales them", r.Pair.ID)
	}
	return Brought(plan, r)
}

// Brought checks a pair that was played outside the farm, as Pair does. Such a pair may have been played with
// the unscaled clocks of the plan.
func Brought(plan *match.Plan, r *match.PairResult) error {
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
