package stats

import (
	"errors"
	"fmt"

	"gogi/stats/counts"
)

// Counted applies a draw convention. It fails for a negative count, an unknown
// convention, and where no game is left, as where [counts.DrawsDropped] meets draws
// alone.
func (w WDL) Counted(rule counts.DrawRule) (counts.Counted, error) {
	if err := w.check(); err != nil {
		return counts.Counted{}, err
	}
	c := counts.Counted{Draws: rule}
	switch rule {
	case counts.DrawsDropped:
		c.Points, c.N = float64(w.Wins), w.Wins+w.Losses
	case counts.DrawsHalf:
		c.Points, c.N = float64(w.Wins)+float64(w.Draws)/2, w.Games()
	case counts.DrawsFloored:
		k, n := w.HalfWins()
		c.Points, c.N = float64(k), n
	default:
		return counts.Counted{}, fmt.Errorf("unknown draw rule %q", string(rule))
	}
	switch {
	case w.Games() == 0:
		return counts.Counted{}, errors.New("no games to judge by")
	case c.N == 0:
		return counts.Counted{}, ErrNoDecisive
	}
	return c, nil
}

func (w WDL) check() error {
	if w.Wins < 0 || w.Draws < 0 || w.Losses < 0 {
		return fmt.Errorf("%d wins, %d draws, %d losses are impossible", w.Wins, w.Draws, w.Losses)
	}
	return nil
}
