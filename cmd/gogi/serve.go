package main

import (
	"context"
	"errors"
	"fmt"

	"gogi/internal/verb"
	"gogi/live/socket"
	"gogi/metrics"
	"gogi/results"
)

// serveCommand shows what is stored, and what is being played into it.
type serveCommand struct {
	DB   string `name:"db" default:"gogi.db" placeholder:"FILE" help:"The database of games."`
	HTTP string `name:"http" default:"127.0.0.1:7878" placeholder:"HOST:PORT" help:"Where to serve; port 0 is any free one."`

	webFlags
}

// Run serves until it is interrupted.
func (c *serveCommand) Run(ctx context.Context, env *verb.Env) error {
	ctx, interrupted := verb.Catch(ctx, env)
	defer interrupted.Stop()
	store, err := results.OpenExisting(ctx, c.DB)
	if err != nil {
		return err
	}
	nearby, told := socket.NewNearby(ctx, c.DB), metrics.New(c.DB)
	told.Around(ctx, store, nearby)
	server, err := c.listen(ctx, env, c.HTTP, store, nearby, told)
	if err == nil {
		fmt.Fprintf(env.Out, "%s: %s\n", c.DB, server.URL())
		err = server.Serve(ctx)
	}
	return errors.Join(err, store.Close())
}
