package votescmd

import (
	"context"

	"gogi/cmd/gogi/cli"
	"gogi/ensemble/votes"
)

// FitCommand fits the score scales of council members to the results of a run.
type FitCommand struct {
	cli.Stored
	Player string `placeholder:"NAME" help:"Only the members of this council."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

// Run prints the scales as lines of a match file.
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
