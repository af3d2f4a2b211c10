package calculator

import (
	"cmp"
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

// An EloQuestion asks for the conversion of a score, an Elo difference or pentanomial counts to all scales:
// score, Elo and normalised Elo.
type EloQuestion struct {
	Score       *float64 `xor:"from" required:"" placeholder:"S" help:"Expected score to convert, from 0 to 1; give --score, --elo or --pentanomial."`
	Elo         *float64 `xor:"from" required:"" type:"elo" placeholder:"E" help:"Elo difference to convert."`
	Pentanomial string   `xor:"from,spread" required:"" placeholder:"LL,LD,MID,WD,WW" help:"Numbers of pairs by result; gogi then prints nElo as fastchess does."`
	Draws       *float64 `xor:"spread" placeholder:"RATE" help:"Draw rate, from 0 to 1, for normalised Elo (default 0). Not with --pentanomial."`
}

// An EloRow is one difference in strength on three scales: score, Elo and normalised Elo. If the difference
// comes from pentanomial counts, Pairs is set, and DrawRate is 0.
type EloRow struct {
	Score         float64  `json:"score"`
	Elo           *float64 `json:"elo"`
	DrawRate      float64  `json:"draw_rate"`
	Pairs         int      `json:"pairs,omitempty"`
	Sigma         *float64 `json:"sigma"`          // standard deviation of a game's score
	NormalizedElo *float64 `json:"normalized_elo"` // normalised Elo, by docs/statistics.md
	Why           string   `json:"why,omitempty"`
}

// An Elos is the answer to an [EloQuestion]: the differences on all scales.
type Elos struct {
	Version int      `json:"version"`
	Elos    []EloRow `json:"elos"`
}

// Answer converts the score, the Elo difference or the counts of the question to all scales.
func (q EloQuestion) Answer() (*Elos, error) {
	var row EloRow
	var sigma float64
	var err error
	if q.Pentanomial != "" {
		sigma, err = q.fillFromPairs(&row)
	} else {
		err = q.fill(&row)
	}
	if err != nil {
		return nil, fail.Usage(err)
	}
	if q.Pentanomial == "" {
		sigma, err = gameSigma(row.Score, row.DrawRate)
	}
	row.normalize(sigma, err)
	return &Elos{Version, []EloRow{row}}, nil
}

func (q EloQuestion) fill(row *EloRow) error {
	if q.Draws != nil {
		row.DrawRate = *q.Draws
	}
	if err := checkDrawRate(row.DrawRate); err != nil {
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
	row.setScore(*q.Score)
	return nil
}

// fillFromPairs sets the row's score and number of pairs from the question's pentanomial counts. Like fastchess, it
// returns √2 times the standard deviation of a pair's mean score as the standard deviation of a game's score.
func (q EloQuestion) fillFromPairs(row *EloRow) (sigma float64, err error) {
	p, err := parsePentanomial(q.Pentanomial)
	if err != nil {
		return 0, err
	}
	mean, squares, n := 0.0, 0.0, float64(p.Pairs())
	if n == 0 {
		return 0, errors.New("--pentanomial: there is no pair")
	}
	for i, count := range []int{p.LL, p.LD, p.WL + p.DD, p.WD, p.WW} {
		x := float64(i) / 4
		mean += x * float64(count) / n
		squares += x * x * float64(count) / n
	}
	row.Pairs = p.Pairs()
	row.setScore(mean)
	return math.Sqrt(2 * max(0, squares-mean*mean)), nil
}

func (r *EloRow) setScore(score float64) {
	r.Score, r.Elo = score, format.Finite(binomial.Elo(score))
	if r.Elo == nil {
		r.Why = "a side that scored nothing, or everything, has no finite rating"
	}
}

// normalize sets the fields that depend on sigma, the standard deviation of a game's score. err is the reason if sigma
// is unknown.
func (r *EloRow) normalize(sigma float64, err error) {
	if err == nil && sigma == 0 {
		err = errors.New("no normalised Elo where every game scores the same")
	}
	r.Sigma, r.NormalizedElo = known(sigma, err), known(stats.NormalizedElo(r.Score, sigma), err)
	r.Why = cmp.Or(r.Why, whyNot(err))
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
	fmt.Fprintf(w, "%s%s\n", format.Pad("Elo", width), Cell(r.Elo, "%+.2f"))
	of := i18n.Of("at a draw rate of %g", r.DrawRate)
	if r.Pairs > 0 {
		of = i18n.Of("from %s pairs, the nElo of fastchess", format.Count(r.Pairs))
	}
	fmt.Fprintf(w, "%s%s   %s\n", format.Pad(i18n.Say(in, "normalised Elo"), width), Cell(r.NormalizedElo, "%+.2f"),
		of.In(in))
	if r.Why != "" {
		fmt.Fprintln(w, i18n.Say(in, r.Why))
	}
}
