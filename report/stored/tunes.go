package stored

import (
	"errors"
	"fmt"

	"gogi/match"
	"gogi/results"
)

// ErrTune is the error for a strength of a tuning run. Its games are played between values that earlier games
// chose.
var ErrTune = errors.New("it is a tune, whose games prove no strength (see gogi tune report)")

// ErrSelfplay is the error for a strength of a self-play run: one player plays both sides.
var ErrSelfplay = errors.New("it is self-play of one player, whose games prove no strength; gogi selfplay FILE --assemble prints what its data are")

// Proves returns ErrTune for a tune, ErrSelfplay for self-play, and nil for any other run.
func Proves(info *results.RunInfo) error {
	plan, err := info.ParsePlan()
	if err != nil {
		return err
	}
	if len(plan.Tune) > 0 {
		return fmt.Errorf("run %q: %w", info.Name, ErrTune)
	}
	if plan.Design == match.DesignSelfplay {
		return fmt.Errorf("run %q: %w", info.Name, ErrSelfplay)
	}
	return nil
}
