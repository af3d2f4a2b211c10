package runscmd

import (
	"context"
	"fmt"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/results"
	"gogi/runner/socket"
	"gogi/ui/metrics"
	"gogi/ui/web"
)

// ServeCommand shows stored and running runs in a browser.
type ServeCommand struct {
	cli.Database
	HTTP string `name:"http" default:"127.0.0.1:7878" placeholder:"HOST:PORT" help:"Address of the pages; port 0 is any free port (default ${default})."`

	session.Pages
}

// Run serves until it is interrupted.
func (c *ServeCommand) Run(ctx context.Context, env *cli.Env) error {
	ctx, interrupted := cli.Catch(ctx, env)
	defer interrupted.Stop()
	return c.Read(ctx, func(store *results.Store) error {
		nearby, set := socket.NewNearby(ctx, c.DB), metrics.New(c.DB)
		set.AddDatabase(ctx, store, nearby)
		server, err := c.Listen(ctx, env, c.HTTP, web.Config{Store: store, Live: nearby, Metrics: set.Handler()})
		if err != nil {
			return err
		}
		set.Clients(server.Clients)
		fmt.Fprintf(env.Out, "%s: %s\n", c.DB, server.URL())
		return server.Serve(ctx)
	})
}
