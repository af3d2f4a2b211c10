package main

import (
	"errors"
	"fmt"
	"io"
	"math"

	"gogi/internal/format"
	"gogi/internal/usage"
	"gogi/stats"
)

// statsEloCommand converts a score or an Elo difference.
type statsEloCommand struct {
	Score *float64 `xor:"from" required:"" placeholder:"S" help:"The expected score, from 0 to 1."`
	Elo   *eloFlag `xor:"from" required:"" placeholder:"E" help:"The Elo difference."`
	Draws float64  `placeholder:"RATE" help:"The share of games that are drawn: normalised Elo depends on it."`
	JSON  bool     `name:"json" help:"One JSON object."`
}

// statsElo is a row of "gogi stats elo --json".
type statsElo struct {
	Score         float64  `json:"score"`
	Elo           *float64 `json:"elo"`
	DrawRate      float64  `json:"draw_rate"`
	Sigma         *float64 `json:"sigma"` // standard deviation of a game's score
	NormalizedElo *float64 `json:"normalized_elo"`
	Why           string   `json:"why,omitempty"`
}

type statsElos struct {
	Version int        `json:"version"`
	Elos    []statsElo `json:"elos"`
}

// Run prints the three numbers.
func (c *statsEloCommand) Run(env *environment) error {
	row := statsElo{DrawRate: c.Draws}
	if err := c.fill(&row); err != nil {
		return usage.Wrap(err)
	}
	row.normalize()
	if c.JSON {
		return format.JSON(env.out, &statsElos{1, []statsElo{row}})
	}
	row.print(env.out)
	return nil
}

func (c *statsEloCommand) fill(row *statsElo) error {
	if err := checkDrawRate(c.Draws); err != nil {
		return err
	}
	if c.Elo != nil {
		elo := float64(*c.Elo)
		row.Score, row.Elo = stats.Expected(elo), &elo
		return nil
	}
	if !(*c.Score >= 0 && *c.Score <= 1) {
		return fmt.Errorf("--score %g: expected a share of the points, from 0 to 1", *c.Score)
	}
	row.Score, row.Elo = *c.Score, format.Finite(stats.Elo(*c.Score))
	if row.Elo == nil {
		row.Why = "a side that scored nothing, or everything, has no finite rating"
	}
	return nil
}

// normalize adds what depends on how much a game's score varies.
func (r *statsElo) normalize() {
	sigma, err := gameSigma(r.Score, r.DrawRate)
	if err == nil && sigma == 0 {
		err = errors.New("no normalised Elo where every game scores the same")
	}
	r.Sigma, r.NormalizedElo = knownFloat(sigma, err), knownFloat(stats.NormalizedElo(r.Score, sigma), err)
	if r.Why == "" {
		r.Why = whyNot(err)
	}
}

// gameSigma is the standard deviation of a game's score where so many are drawn.
func gameSigma(score, draws float64) (float64, error) {
	if draws/2 > min(score, 1-score) {
		return 0, fmt.Errorf("no normalised Elo: a draw rate of %g leaves no room for a score of %.4g", draws, score)
	}
	return math.Sqrt(max(0, score*(1-score)-draws/4)), nil
}

func (r *statsElo) print(w io.Writer) {
	fmt.Fprintf(w, "score            %.6g\n", r.Score)
	fmt.Fprintf(w, "Elo              %s\n", cell(r.Elo, "%+.2f"))
	fmt.Fprintf(w, "normalised Elo   %s   at a draw rate of %g\n", cell(r.NormalizedElo, "%+.2f"), r.DrawRate)
	if r.Why != "" {
		fmt.Fprintln(w, r.Why)
	}
}
