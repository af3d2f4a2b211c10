package runscmd

import (
	"context"
	"fmt"
	"path/filepath"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/internal/fail"
	"gogi/internal/shellwords"
	"gogi/players"
	"gogi/report/review"
	"gogi/results"
	"gogi/runner/socket"
	"gogi/shogi/kifu"
	"gogi/ui/metrics"
	"gogi/ui/web"
	"gogi/usi/process"
)

// ServeCommand shows stored and running runs in a browser.
type ServeCommand struct {
	cli.Database
	HTTP string `name:"http" default:"127.0.0.1:7878" placeholder:"HOST:PORT" help:"Address of the pages; port 0 is any free port (default ${default})."`

	session.Pages

	ReviewEngine string      `group:"pages" placeholder:"CMD" more:"" help:"USI engine that reviews games, as in gogi review. The page of a game then has a button for holders of the token [--token-file]."`
	Review       reviewFlags `embed:"" prefix:"review-" group:"pages"`
}

// Run serves until it is interrupted.
func (c *ServeCommand) Run(ctx context.Context, env *cli.Env) error {
	if c.ReviewEngine == "" {
		ctx, interrupted := cli.Catch(ctx, env)
		defer interrupted.Stop()
		return c.serve(ctx, env, nil)
	}
	if c.TokenFile == "" {
		return fail.Usage(errNoToken)
	}
	marks, err := c.Review.check("--review-")
	if err != nil {
		return fail.Usage(err)
	}
	words, err := shellwords.Split(c.ReviewEngine)
	if err != nil || len(words) == 0 {
		return fail.Usage(fmt.Errorf("--review-engine %q: expected a command", c.ReviewEngine))
	}
	return cli.WithGuard(ctx, env, func(ctx context.Context, guard *process.Guard, _ *cli.Interrupts) error {
		return c.serve(ctx, env, &web.Analyst{
			Engine: filepath.Base(words[0]),
			Review: func(ctx context.Context, record *kifu.Record, done func(positions, of int)) (*review.Review, error) {
				a := &analyst{reviewFlags: c.Review, command: c.ReviewEngine, marks: marks,
					opener: &players.Opener{Guard: guard, Warn: env.Warn}}
				defer a.close()
				return a.review(ctx, record, done)
			},
		})
	})
}

func (c *ServeCommand) serve(ctx context.Context, env *cli.Env, analyst *web.Analyst) error {
	return c.Read(ctx, func(store *results.Store) error {
		nearby, set := socket.NewNearby(ctx, c.DB), metrics.New(c.DB)
		set.AddDatabase(ctx, store, nearby)
		server, err := c.Listen(ctx, env, c.HTTP,
			web.Config{Store: store, Live: nearby, Metrics: set.Handler(), Analyst: analyst})
		if err != nil {
			return err
		}
		set.Clients(server.Clients)
		fmt.Fprintf(env.Out, "%s: %s\n", c.DB, server.URL())
		return server.Serve(ctx)
	})
}
