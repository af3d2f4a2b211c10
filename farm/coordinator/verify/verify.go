// Package verify checks what a worker sends and returns the reason if it is impossible: [Pair]
// for a pair, [Block] for a block of self-play, [Event] for an event of a game.
package verify

import (
	"fmt"

	"gogi/ensemble/voting"
	"gogi/farm"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/runner/selfplay"
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

// Block says why a block's file cannot be what was told of it.
func Block(u *selfplay.Unit, number int, told *farm.Block, data []byte, replay bool) error {
	if int64(len(data)) != told.Size {
		return fmt.Errorf("block %d has %d bytes, %d were told", number, len(data), told.Size)
	}
	digest, err := u.Digest()
	if err != nil {
		return err
	}
	b, err := selfplay.Decode(data, digest, number)
	if err != nil {
		return fmt.Errorf("block %d: %w", number, err)
	}
	n := b.Counts()
	is := *told
	is.Games, is.Discarded, is.Black, is.Draws, is.White, is.Plies, is.Positions = n.Games, n.Discarded, n.Black, n.Draws, n.White, n.Plies, n.Positions
	if is != *told {
		return fmt.Errorf("block %d has %+v, other than was told", number, n)
	}
	if n.Games+n.Discarded != u.Design.Games {
		return fmt.Errorf("block %d has %d games and %d that a fault ended: expected %d together", number, n.Games, n.Discarded, u.Design.Games)
	}
	if !replay {
		return nil
	}
	if err := b.Replay(u.Plan, u.Design); err != nil {
		return fmt.Errorf("block %d cannot have been played: %w", number, err)
	}
	return nil
}
