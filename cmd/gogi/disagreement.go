package main

import (
	"context"
	"errors"
	"fmt"

	"gogi/configs"
	"gogi/internal/format"
	"gogi/internal/usage"
	"gogi/internal/verb"
	"gogi/kifu"
	"gogi/match"
	"gogi/players"
	"gogi/results"
	"gogi/survey"
	"gogi/usi"
)

// disagreementCommand measures how often the members of a council disagree: what
// a vote can gain depends on it.
type disagreementCommand struct {
	File    string `arg:"" help:"A match file with a [[council]] and its members, or the name of a ready one."`
	Council string `placeholder:"NAME" help:"Which council, where several are no members of others."`

	Positions   int    `default:"500" placeholder:"N" help:"How many positions (default ${default})."`
	Nodes       uint64 `placeholder:"N" help:"Each member searches so many nodes (default: the limits of the file). Members that end their searches by themselves go on doing so."`
	Seed        uint64 `placeholder:"N" help:"Of the choice of positions (default: the file's seed)."`
	DB          string `name:"db" placeholder:"FILE" help:"Take the positions from the games of this database instead of continuing the file's openings."`
	RunName     string `name:"run" placeholder:"NAME" help:"The run in the database (default: the only one, else the newest)."`
	Concurrency int    `placeholder:"N" help:"Positions at a time, each with members of its own (default: the file's, else half of the CPUs)."`
	JSON        bool   `name:"json" help:"One JSON object."`
}

// Run asks every member about every position and prints how they differ.
func (c *disagreementCommand) Run(ctx context.Context, env *verb.Env) error {
	plan, err := c.plan()
	if err != nil {
		return usage.Wrap(err)
	}
	positions, source, err := c.positions(ctx, plan)
	if err != nil {
		return err
	}
	ctx, interrupted := verb.Catch(ctx, env)
	defer interrupted.Stop()
	guard, err := players.StartGuard(env.GuardChanged)
	if err != nil {
		return err
	}
	d, err := survey.Ask(ctx, &players.Opener{Plan: plan, Guard: guard}, positions, c.Nodes)
	err = errors.Join(err, guard.Close())
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	d.Source = source
	if c.JSON {
		return format.JSON(env.Out, d)
	}
	d.Print(env.Out)
	return nil
}

// positions are taken from a run, or made from the file's openings.
func (c *disagreementCommand) positions(ctx context.Context, plan *match.Plan) (list []usi.Position, source string, err error) {
	if c.DB == "" {
		return survey.FromOpenings(ctx, plan, c.Positions)
	}
	from := verb.Stored{Name: c.RunName, DB: c.DB}
	err = from.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		source = "run " + info.Name
		var games []match.Row
		err := store.Games(ctx, info.ID, func(g match.Row) error {
			games = append(games, g)
			return nil
		})
		if err != nil {
			return err
		}
		list, err = survey.FromGames(games, plan.Seed, c.Positions, source, func(pair, leg int) (kifu.Record, error) {
			return store.Record(ctx, info.ID, pair, leg)
		})
		return err
	})
	return list, source, err
}

// plan resolves the council with the limits that the members get.
func (c *disagreementCommand) plan() (*match.Plan, error) {
	file, dir, err := configs.Find(c.File)
	if err != nil {
		return nil, err
	}
	if c.Positions < 1 || c.Concurrency < 0 {
		return nil, errors.New("--positions and --concurrency: expected numbers from 1")
	}
	if c.RunName != "" && c.DB == "" {
		return nil, errors.New("--run is about a database: expected --db FILE as well")
	}
	if c.Seed != 0 {
		file.Seed = &c.Seed
	}
	here, err := players.Surroundings()
	if err != nil {
		return nil, err
	}
	plan, _, err := file.PlanCouncil(c.Council, dir, here)
	if err != nil {
		return nil, err
	}
	if c.Concurrency > 0 {
		plan.Concurrency = c.Concurrency
	}
	council := plan.Players[0]
	if c.Nodes > 0 {
		return plan, nil
	}
	for i, own := range council.Council.Own {
		if !own && council.Limits.Self {
			return nil, fmt.Errorf("nothing limits the searches of %s: expected --nodes N, or limits in the file", council.Council.Members[i].Name)
		}
	}
	return plan, nil
}
