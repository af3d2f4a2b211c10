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

// StandardError is the standard error of a win rate, as the Laboratory for Fundamental
// Information on Computer Shogi has it, with n − 3/2; its JSON is what "gogi stats lab error
// --json" prints.
type StandardError struct {
	Version int      `json:"version"`
	Rate    *float64 `json:"rate"`
	S       *float64 `json:"s"` // √(q(1-q)/(n - 3/2))
	Elo     *float64 `json:"elo"`
	EloS    *float64 `json:"elo_s"` // s through the slope of Elo
	Why     string   `json:"why,omitempty"`
}

// NewStandardError is that of wins out of decisive games. It fails for impossible counts;
// where there is no error, the fields are missing, with the reason.
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

// Print writes it as a person reads it; without one it is the error that says why.
func (e StandardError) Print(w io.Writer, in i18n.Language) error {
	if e.Why != "" {
		return errors.New(e.Why)
	}
	_, err := fmt.Fprintf(w, "%s%s\n%s%s ± %s\n",
		format.Pad(i18n.Say(in, "win rate"), 11), i18n.Say(in, "%s ± %s   S, with the divisor n − 3/2", cell(e.Rate, "%.6g"), cell(e.S, "%.6g")),
		format.Pad("Elo", 11), cell(e.Elo, "%+.2f"), cell(e.EloS, "%.2f"))
	return err
}
