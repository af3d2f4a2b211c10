package runscmd

import (
	"context"
	"errors"
	"fmt"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/results"
	"gogi/runner/socket"
	"gogi/ui/metrics"
	"gogi/ui/web"
)

// ServeCommand shows what is stored, and what is being played into it.
type ServeCommand struct {
	DB   string `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of games."`
	HTTP string `name:"http" default:"127.0.0.1:7878" placeholder:"HOST:PORT" help:"Address of the pages; port 0 is any free port (default ${default})."`

	session.Pages
}

// Run serves until it is interrupted.
func (c *ServeCommand) Run(ctx context.Context, env *cli.Env) error {
	ctx, interrupted := cli.Catch(ctx, env)
	defer interrupted.Stop()
	store, err := results.OpenExisting(ctx, c.DB)
	if err != nil {
		return err
	}
	nearby, told := socket.NewNearby(ctx, c.DB), metrics.New(c.DB)
	told.Around(ctx, store, nearby)
	server, err := c.Listen(ctx, env, c.HTTP, web.Config{Store: store, Live: nearby, Metrics: told.Handler()})
	if err == nil {
		told.Clients(server.Clients)
		fmt.Fprintf(env.Out, "%s: %s\n", c.DB, server.URL())
		err = server.Serve(ctx)
	}
	return errors.Join(err, store.Close())
}
