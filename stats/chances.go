package stats

import (
	"errors"

	"gogi/stats/counts"
)

// MatchForecast is what a record of games says about a match to come.
type MatchForecast struct {
	counts.Chances                 // at the rates of the record
	Interval       counts.Interval `json:"interval"` // of Win
}

// Forecast is A's chances in a match of n games at the rates of this record. The
// interval of Win is the image of the [counts.ClopperPearson] interval of the win rate
// of decisive games, at the draw rate of the record, which it takes as known. It
// fails without a decisive game, for n < 1 and a level outside (0, 1).
func (w WDL) Forecast(n int, level float64) (MatchForecast, error) {
	if err := w.check(); err != nil {
		return MatchForecast{}, err
	}
	k, decisive := w.Decisive()
	if decisive == 0 {
		return MatchForecast{}, ErrNoDecisive
	}
	i, err := counts.ClopperPearson(k, decisive, level)
	if err != nil {
		return MatchForecast{}, err
	}
	draw := float64(w.Draws) / float64(w.Games())
	at := func(rate float64) counts.Chances {
		c, failed := counts.MatchChances(n, rate*(1-draw), draw)
		err = errors.Join(err, failed)
		return c
	}
	f := MatchForecast{Chances: at(float64(k) / float64(decisive))}
	i.Lo, i.Hi = at(i.Lo).Win, at(i.Hi).Win
	f.Interval = i
	return f, err
}
