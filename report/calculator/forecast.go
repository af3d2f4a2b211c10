package calculator

import (
	"errors"
	"fmt"
	"io"

	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/stats"
)

// A ForecastQuestion asks for the probability that a player wins a match of a given number of games. The
// answer is based on the results of earlier games.
type ForecastQuestion struct {
	Record     stats.WDL
	Games      []int // numbers of games; each is a match of its own
	Confidence float64
}

// A ForecastRow is the forecast for a match with one number of games.
type ForecastRow struct {
	Games  int       `json:"games"`
	Record stats.WDL `json:"record"` // the games so far
	Win    *float64  `json:"win"`    // predictive probability of more than half of the points.
	Draw   *float64  `json:"draw"`   // probability that the match ends in a draw
	Loss   *float64  `json:"loss"`   // probability that the match is lost
	// lower end of the interval of the probability to win; the true win rate is unknown
	Lo         *float64 `json:"lo"`
	Hi         *float64 `json:"hi"`
	Confidence float64  `json:"confidence"`
	Why        string   `json:"why,omitempty"`
}

// A Forecasts is the answer to a [ForecastQuestion]: one row for each match.
type Forecasts struct {
	Version   int           `json:"version"`
	Forecasts []ForecastRow `json:"forecasts"`
}

// mostForecast is the largest number of games of a match. It is limited because the time for the sums grows
// with the square of the number of games.
const mostForecast = 10_000

// Answer calculates the forecasts.
func (q ForecastQuestion) Answer() (*Forecasts, error) {
	wrong := errors.Join(checkWDL(q.Record), CheckShare("confidence", q.Confidence))
	for _, n := range q.Games {
		if n < 1 || n > mostForecast {
			wrong = errors.Join(wrong, fmt.Errorf("--games %d: expected a match of 1 to %d games", n, mostForecast))
		}
	}
	if wrong != nil {
		return nil, fail.Usage(wrong)
	}
	out := &Forecasts{Version, []ForecastRow{}}
	for _, n := range q.Games {
		f, err := q.Record.Forecast(n, q.Confidence)
		out.Forecasts = append(out.Forecasts, ForecastRow{
			n, q.Record, known(f.Win, err), known(f.Draw, err), known(f.Loss, err),
			known(f.Interval.Lo, err), known(f.Interval.Hi, err), q.Confidence, whyNot(err),
		})
	}
	return out, nil
}

// Print writes the forecasts as a table.
func (s *Forecasts) Print(w io.Writer, in i18n.Language) {
	first := s.Forecasts[0]
	fmt.Fprintln(w, i18n.Say(in, "A match between players of whom one has won %d, drawn %d and lost %d", first.Record.Wins,
		first.Record.Draws, first.Record.Losses))
	t := format.Table(i18n.Heads(in, "games", "wins the match", "from", "to", "draws it", "loses it")...)
	for _, f := range s.Forecasts {
		t.AppendRow([]any{format.Count(f.Games), Cell(f.Win, "%.4f"), Cell(f.Lo, "%.4f"), Cell(f.Hi, "%.4f"),
			Cell(f.Draw, "%.4f"), Cell(f.Loss, "%.4f")})
	}
	format.Render(w, t)
	if first.Why != "" {
		fmt.Fprintln(w, i18n.Say(in, first.Why))
		return
	}
	fmt.Fprintln(w,
		i18n.Say(in,
			"The probabilities are predictive (Jeffreys prior). From and to: the probability to win at the ends of the record's win rate (%s, Clopper–Pearson), at its draw rate.", format.PercentShort(first.Confidence)))
}
