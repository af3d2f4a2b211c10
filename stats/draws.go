package stats

import (
	"errors"
	"fmt"

	"gogi/stats/binomial"
)

// Counted returns the points and the number of games under a draw rule. It returns an error for a negative
// count and for an unknown rule. It also returns an error if no game counts, such as if all games were drawn
// under [binomial.DrawsDropped].
func (w WDL) Counted(rule binomial.DrawRule) (binomial.Counted, error) {
	if err := w.check(); err != nil {
		return binomial.Counted{}, err
	}
	c := binomial.Counted{Draws: rule}
	switch rule {
	case binomial.DrawsDropped:
		c.Points, c.N = float64(w.Wins), w.Wins+w.Losses
	case binomial.DrawsHalf:
		c.Points, c.N = float64(w.Wins)+float64(w.Draws)/2, w.Games()
	case binomial.DrawsFloored:
		c.Points, c.N = float64(w.Wins+w.Draws/2), w.Games()
	default:
		return binomial.Counted{}, fmt.Errorf("unknown draw rule %q", string(rule))
	}
	switch {
	case w.Games() == 0:
		return binomial.Counted{}, errors.New("no games to judge by")
	case c.N == 0:
		return binomial.Counted{}, ErrNoDecisive
	}
	return c, nil
}

func (w WDL) check() error {
	if w.Wins < 0 || w.Draws < 0 || w.Losses < 0 {
		return fmt.Errorf("%d wins, %d draws, %d losses are impossible", w.Wins, w.Draws, w.Losses)
	}
	return nil
}
