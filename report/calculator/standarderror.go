package calculator

import (
	"errors"
	"fmt"
	"io"

	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/stats/binomial"
)

// A StandardError is the standard error of a win rate as the Laboratory for Fundamental Information on
// Computer Shogi calculates it, with the divisor n − 3/2. "gogi stats lab error --json" prints its JSON.
type StandardError struct {
	Version int      `json:"version"`
	Rate    *float64 `json:"rate"`
	S       *float64 `json:"s"` // √(q(1-q)/(n - 3/2))
	Elo     *float64 `json:"elo"`
	EloS    *float64 `json:"elo_s"` // S in Elo, to first order
	Why     string   `json:"why,omitempty"`
}

// NewStandardError returns the standard error of wins out of decisive games. It returns an error for
// impossible counts. If the standard error is undefined, all figures are nil, and Why has the reason.
func NewStandardError(wins, games int) (StandardError, error) {
	if err := errors.Join(CheckCount("wins", wins), CheckCount("games", games)); err != nil {
		return StandardError{}, fail.Usage(err)
	}
	s, err := binomial.StandardError(wins, games)
	if err != nil {
		return StandardError{Version: 1, Why: err.Error()}, nil
	}
	q := float64(wins) / float64(games)
	return StandardError{
		Version: 1, Rate: &q, S: format.Finite(s), Elo: format.Finite(binomial.Elo(q)),
		EloS: format.Finite(binomial.EloPerNat * s / (q * (1 - q))),
	}, nil
}

// Print writes the standard error for a terminal. It returns an error with the reason if the standard error
// is undefined.
func (e StandardError) Print(w io.Writer, in i18n.Language) error {
	if e.Why != "" {
		return errors.New(e.Why)
	}
	_, err := fmt.Fprintf(w, "%s%s\n%s%s ± %s\n",
		format.Pad(i18n.Say(in, "win rate"), 11), i18n.Say(in, "%s ± %s   S, with the divisor n − 3/2", cell(e.Rate, "%.6g"), cell(e.S, "%.6g")),
		format.Pad("Elo", 11), cell(e.Elo, "%+.2f"), cell(e.EloS, "%.2f"))
	return err
}
