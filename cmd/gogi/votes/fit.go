package votescmd

import (
	"context"

	"gogi/cmd/gogi/cli"
	"gogi/ensemble/votes"
)

// FitCommand calculates, from the games of a run, how each council member's centipawns convert to win
// probabilities.
type FitCommand struct {
	cli.Stored
	Player string `placeholder:"NAME" help:"Only the members of this council."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

// Run prints the conversions as lines of a match file.
func (c *FitCommand) Run(ctx context.Context, env *cli.Env) error {
	source := votesSource{Stored: c.Stored, Player: c.Player}
	fit := votes.NewFit()
	run, err := source.each(ctx, fit.Add)
	if err != nil {
		return err
	}
	fit.Run = run
	fit.Finish()
	return env.Answer(c.JSON, fit, nil)
}
