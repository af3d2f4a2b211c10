package labcmd

import (
	"context"
	"fmt"
	"io"

	"gogi/cmd/gogi/cli"
	runscmd "gogi/cmd/gogi/runs"
	"gogi/internal/fail"
	"gogi/internal/i18n"
	"gogi/lab/mm"
	"gogi/report/ratings"
)

// RateCommand rates players as gogi rate does, and shows the steps of the MM algorithm.
type RateCommand struct {
	runscmd.RateCommand

	Iterates int `placeholder:"N" help:"Number of steps of the MM algorithm, which fits the model, to show."`
}

// Rated is the result that gogi-lab rate --json prints.
type Rated struct {
	Ratings  *ratings.Report `json:"ratings"`            // as gogi rate --json prints them
	Iterates []mm.Step       `json:"iterates,omitempty"` // the first steps of the MM algorithm
}

// Print writes the ratings with the steps.
func (r *Rated) Print(w io.Writer, in i18n.Language) {
	r.Ratings.More = func(w io.Writer, in i18n.Language) { mm.Print(w, in, r.Iterates) }
	r.Ratings.Print(w, in)
}

// Run prints the ratings.
func (c *RateCommand) Run(ctx context.Context, env *cli.Env) error {
	if c.Iterates < 0 || c.Iterates > 10_000 {
		return fail.Usage(fmt.Errorf("--iterates %d: expected a number from 1 to 10000", c.Iterates))
	}
	r, games, err := c.Rate(ctx)
	if err != nil {
		return err
	}
	rated := &Rated{Ratings: r}
	if c.Iterates > 0 {
		counts, err := games.Counts()
		if err == nil {
			rated.Iterates, err = mm.Steps(counts, c.Iterates)
		}
		if err != nil {
			return fmt.Errorf("--iterates %d: %w", c.Iterates, err)
		}
	}
	return env.Answer(c.JSON, rated, nil)
}
