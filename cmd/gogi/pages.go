package main

import (
	"context"

	"gogi/cmd/gogi/serving"
	"gogi/control"
	"gogi/internal/verb"
	"gogi/live"
	"gogi/live/socket"
	"gogi/metrics"
	"gogi/results"
	"gogi/web"
)

// webFlags are about who may see pages, and how.
type webFlags struct{ serving.Flags }

// listen takes the address and checks what the flags say.
func (f *webFlags) listen(ctx context.Context, env *verb.Env, addr string, store *results.Store, live web.Live, told *metrics.Set) (*web.Server, error) {
	server, err := f.Listen(ctx, env, addr, web.Config{Store: store, Live: live, Metrics: told.Handler()})
	if err != nil {
		return nil, err
	}
	told.Clients(server.Clients)
	return server, nil
}

// playedHere is the run that this process plays, and those of others.
type playedHere struct {
	*socket.Nearby
	run     string
	hub     *live.Hub
	control func(context.Context, control.Command) error
}

// Runs are this run and the others.
func (p *playedHere) Runs() []string { return append([]string{p.run}, p.Nearby.Runs()...) }

// Hub is this run's own, or another's.
func (p *playedHere) Hub(run string) *live.Hub {
	if run == p.run {
		return p.hub
	}
	return p.Nearby.Hub(run)
}

// Control gives the order to this run, or to another.
func (p *playedHere) Control(ctx context.Context, run string, c control.Command) error {
	if run == p.run {
		return p.control(ctx, c)
	}
	return p.Nearby.Control(ctx, run, c)
}
