package stored

import (
	"errors"
	"fmt"

	"gogi/results"
)

// ErrTune is of a run that is a tune, where a strength is asked for: its games are played
// between values that were chosen by earlier ones of them.
var ErrTune = errors.New("it is a tune, whose games prove no strength (see gogi tune report)")

// Proves is ErrTune for a tune, nil for any other run.
func Proves(info *results.RunInfo) error {
	plan, err := info.ParsePlan()
	if err != nil {
		return err
	}
	if len(plan.Tune) > 0 {
		return fmt.Errorf("run %q: %w", info.Name, ErrTune)
	}
	return nil
}
