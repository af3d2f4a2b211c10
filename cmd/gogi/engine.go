package main

import (
	"context"

	"gogi/internal/foreign"
	"gogi/internal/verb"
	"gogi/sparring"
	"gogi/usi"
	"gogi/usi/process"
)

// engineCommand is the built-in engine as a USI engine of its own.
type engineCommand struct {
	Tunable bool `help:"Declare the weights of the evaluation as options, for gogi tune to find."`
}

// Run speaks USI until quit or the end of the input.
func (c *engineCommand) Run(ctx context.Context, env *verb.Env) error {
	engine := sparring.New()
	if c.Tunable {
		engine = sparring.NewTunable()
	}
	return usi.Serve(ctx, env.In, foreign.Raw(env.Out), engine)
}

// guardCommand is the guard process of a run; the runner starts it.
type guardCommand struct{}

// Run kills what is left of the runner's process groups when its pipe ends.
func (c *guardCommand) Run(env *verb.Env) error {
	return process.ServeGuard(env.In)
}
