package votescmd

import (
	"context"

	"gogi/cmd/gogi/cli"
	"gogi/ensemble/votes"
	"gogi/internal/fail"
)

// ReplayCommand repeats the votes of recorded ballots, by other rules or to check the recorded decisions.
type ReplayCommand struct {
	votesSource
	Rule []string `sep:"none" placeholder:"RULE" help:"Voting rule to try on the recorded answers of the members, such as majority or adoption:decay=0.9; may be repeated (default: check the recorded decisions)."`
	Ties string   `placeholder:"CHAIN" help:"Tie-breaks in order, such as weight,score,member (default: as recorded)."`
	JSON bool     `name:"json" help:"Print one JSON object."`
}

// Run prints the decisions of the repeated votes, and how they differ from the recorded decisions.
func (c *ReplayCommand) Run(ctx context.Context, env *cli.Env) error {
	r, err := votes.NewReplay(c.Log, c.Rule, c.Ties)
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return fail.Usage(err)
	}
	c.whole = true
	r.Run, err = c.each(ctx, r.Add)
	if err != nil {
		return err
	}
	r.Finish()
	if err := env.Answer(c.JSON, r, nil); err != nil {
		return err
	}
	return r.Verdict()
}
