// Package verify checks what a worker sends and returns the reason if it is impossible: [Pair]
// for a pair, [Event] for an event of a game.
package verify

import (
	"fmt"

	"gogi/ensemble/voting"
	"gogi/match"
	"gogi/match/arbiter"
)

// Pair says why a worker's pair cannot have been played. What clocks were multiplied by
// must be told where the plan scales them, and counts for nothing elsewhere.
func Pair(plan *match.Plan, r *match.PairResult) error {
	scales := plan.Scales()
	if scales && r.Played.Scale == 0 {
		return fmt.Errorf("pair %d: nothing says what its clocks were multiplied by, and the plan scales them", r.Pair.ID)
	}
	if err := arbiter.Verify(plan, r); err != nil {
		return err
	}
	if err := votes(r); err != nil || scales {
		return err
	}
	r.Played.Scale = 0
	return nil
}

// votes says which record of a council's vote cannot be read: one would make every
// reader of the run's votes fail.
func votes(r *match.PairResult) error {
	for i := range r.Games {
		moves := r.Games[i].Record.Moves
		for j := range len(moves) + 1 {
			vote := r.Games[i].Record.Final
			if j < len(moves) {
				vote = moves[j].Vote()
			} else if r.Games[i].Termination == match.MateAdjudication {
				continue // it is a proof
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

// Brought is Pair for a pair that was played elsewhere, where clocks may have been
// the plan's.
func Brought(plan *match.Plan, r *match.PairResult) error {
	if err := arbiter.Verify(plan, r); err != nil {
		return err
	}
	if !plan.Scales() {
		r.Played.Scale = 0
	}
	return votes(r)
}
