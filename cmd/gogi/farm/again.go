package farmcmd

import (
	"context"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/farm"
	"gogi/internal/fail"
	"gogi/match"
	"gogi/players/planning"
)

// again submits a test of the farm once more, or the default match, with the changes in the flags. It uploads no
// files, because the farm already has the files of the engines.
func (c *SubmitCommand) again(ctx context.Context, env *cli.Env) error {
	switch {
	case c.Again == "" && len(c.EngineOf) > 0:
		return wrong("--engine-of: it needs --again")
	case c.File != "" || len(c.Binary) > 0 || c.Validate != "" || c.ScaleTo != "":
		return wrong("--again and --repo: the settings and files are those of tests on the farm; " +
			"leave out the file, --binary, --validate and --scale-to")
	}
	plan, err := planning.Builtin()
	if c.Again != "" {
		plan, err = c.planOf(ctx, c.Again)
	}
	if err != nil {
		return err
	}
	for _, text := range c.EngineOf {
		name, of, ok := strings.Cut(text, "=")
		test, engine, slash := strings.Cut(of, "/")
		if !ok || !slash {
			return wrong("--engine-of %s: expected A=TEST/B", text)
		}
		from, err := c.planOf(ctx, test)
		if err != nil {
			return err
		}
		if plan, err = planning.TakeEngine(plan, name, from, engine); err != nil {
			return wrong("--engine-of %s: %w", text, err)
		}
	}
	if plan, err = c.withCommits(ctx, plan); err != nil {
		return err
	}
	if c.Seed == nil {
		next := plan.Seed + 1
		c.Seed = &next
	}
	if plan, err = planning.Repeat(plan, c.Flags); err != nil {
		return fail.Usage(err)
	}
	if c.DryRun {
		return c.dry(env, plan, nil)
	}
	return c.submit(ctx, env, plan, nil)
}

// withCommits returns the plan with the engines of the flags about commits.
func (c *SubmitCommand) withCommits(ctx context.Context, plan *match.Plan) (*match.Plan, error) {
	if c.Commits == (planning.Commits{}) {
		return plan, nil
	}
	var all []farm.Recipe
	if err := c.ask(ctx, "recipe", farm.Recipe{}, &all); err != nil {
		return nil, err
	}
	recipe, err := farm.RecipeNamed(all, c.Recipe)
	if err == nil {
		plan, err = c.Commits.Apply(plan, recipe.Text)
	}
	return plan, fail.Usage(err)
}

// planOf returns the plan of a test on the farm.
func (c *SubmitCommand) planOf(ctx context.Context, test string) (*match.Plan, error) {
	var of farm.PlanOf
	if err := c.ask(ctx, "plan", farm.Order{Run: test}, &of); err != nil {
		return nil, err
	}
	return match.DecodePlan(of.Plan)
}
