package calculator

import (
	"errors"
	"fmt"
	"io"
	"math"

	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/stats"
	"gogi/stats/binomial"
)

// An EloQuestion asks to convert a score or an Elo difference to the other scales of strength.
type EloQuestion struct {
	Score *float64 `xor:"from" required:"" placeholder:"S" help:"Expected score to convert, from 0 to 1; give --score or --elo."`
	Elo   *float64 `xor:"from" required:"" type:"elo" placeholder:"E" help:"Elo difference to convert; give --score or --elo."`
	Draws float64  `placeholder:"RATE" help:"Draw rate, from 0 to 1, for normalised Elo."`
}

// An EloRow is one difference on three scales.
type EloRow struct {
	Score         float64  `json:"score"`
	Elo           *float64 `json:"elo"`
	DrawRate      float64  `json:"draw_rate"`
	Sigma         *float64 `json:"sigma"` // standard deviation of a game's score
	NormalizedElo *float64 `json:"normalized_elo"`
	Why           string   `json:"why,omitempty"`
}

// An Elos is the answer to an [EloQuestion]: differences on all scales.
type Elos struct {
	Version int      `json:"version"`
	Elos    []EloRow `json:"elos"`
}

// Answer converts the difference.
func (q EloQuestion) Answer() (*Elos, error) {
	row := EloRow{DrawRate: q.Draws}
	if err := q.fill(&row); err != nil {
		return nil, fail.Usage(err)
	}
	row.normalize()
	return &Elos{version, []EloRow{row}}, nil
}

func (q EloQuestion) fill(row *EloRow) error {
	if err := checkDrawRate(q.Draws); err != nil {
		return err
	}
	if q.Elo != nil {
		elo := *q.Elo
		row.Score, row.Elo = binomial.Expected(elo), &elo
		return nil
	}
	if !(*q.Score >= 0 && *q.Score <= 1) {
		return fmt.Errorf("--score %g: expected a share of the points, from 0 to 1", *q.Score)
	}
	row.Score, row.Elo = *q.Score, format.Finite(binomial.Elo(*q.Score))
	if row.Elo == nil {
		row.Why = "a side that scored nothing, or everything, has no finite rating"
	}
	return nil
}

// normalize sets the fields that depend on the variance of a game's score.
func (r *EloRow) normalize() {
	sigma, err := gameSigma(r.Score, r.DrawRate)
	if err == nil && sigma == 0 {
		err = errors.New("no normalised Elo where every game scores the same")
	}
	r.Sigma, r.NormalizedElo = known(sigma, err), known(stats.NormalizedElo(r.Score, sigma), err)
	if r.Why == "" {
		r.Why = whyNot(err)
	}
}

// gameSigma returns the standard deviation of a game's score for an expected score and a draw rate.
func gameSigma(score, draws float64) (float64, error) {
	if draws/2 > min(score, 1-score) {
		return 0, fmt.Errorf("no normalised Elo: a draw rate of %g leaves no room for a score of %.4g", draws, score)
	}
	return math.Sqrt(max(0, score*(1-score)-draws/4)), nil
}

// Print writes one line for each Elo difference.
func (s *Elos) Print(w io.Writer, in i18n.Language) {
	for i := range s.Elos {
		s.Elos[i].print(w, in)
	}
}

func (r *EloRow) print(w io.Writer, in i18n.Language) {
	const width = 17 // width of the labels
	fmt.Fprintf(w, "%s%.6g\n", format.Pad(i18n.Say(in, "score"), width), r.Score)
	fmt.Fprintf(w, "%s%s\n", format.Pad("Elo", width), cell(r.Elo, "%+.2f"))
	fmt.Fprintf(w, "%s%s\n", format.Pad(i18n.Say(in, "normalised Elo"), width), i18n.Say(in, "%s   at a draw rate of %g", cell(r.NormalizedElo, "%+.2f"), r.DrawRate))
	if r.Why != "" {
		fmt.Fprintln(w, i18n.Say(in, r.Why))
	}
}
