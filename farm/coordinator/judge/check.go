package judge

import (
	"fmt"

	"gogi/ensemble/voting"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/match/tune"
)

// checkPair returns an error if a worker cannot have played a pair. In a plan with scaled clocks, the pair must name
// the factor of its clocks (Played.Scale). In any other plan, checkPair deletes the factor, because it has no meaning
// there.
func checkPair(plan *match.Plan, r *match.PairResult) error {
	if plan.Scales() && r.Played.Scale == 0 {
		return fmt.Errorf("pair %d: its factor of the clocks is missing, and the plan scales them", r.Pair.ID)
	}
	return CheckBrought(plan, r)
}

// CheckBrought checks a pair that was played outside the farm, as checkPair does. Such a pair may have been played with
// the unscaled clocks of the plan.
func CheckBrought(plan *match.Plan, r *match.PairResult) error {
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

// playedAsGranted returns an error if the worker's parameter values differ from the granted ones.
func playedAsGranted(p *match.Plan, it *item) error {
	if p.Tune != "" && tune.HashPoints(it.pair.Pair.Options) != it.Lease.Points {
		return fmt.Errorf("pair %d was played with other points than were granted", it.Lease.Pair)
	}
	return nil
}
