package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"gogi/control"
	"gogi/internal/disk"
	"gogi/internal/usage"
	"gogi/internal/verb"
	"gogi/live"
	"gogi/live/socket"
	"gogi/metrics"
	"gogi/results"
	"gogi/web"
)

// webFlags are about who may see pages, and how.
type webFlags struct {
	TokenFile  string   `group:"pages" env:"GOGI_TOKEN_FILE" placeholder:"FILE" help:"A file that holds a token of at least 32 characters and that only you may read. Its holder may control runs; an address that others reach needs one for everything."`
	TLSCert    string   `group:"pages" name:"tls-cert" placeholder:"FILE" help:"A certificate, for https."`
	TLSKey     string   `group:"pages" name:"tls-key" placeholder:"FILE" help:"Its key."`
	PublicHost []string `group:"pages" sep:"none" placeholder:"NAME" help:"A name that browsers reach the pages by, beside the address."`
	Pprof      bool     `group:"pages" help:"Serve profiles of this program at /debug/pprof/."`
}

// listen takes the address and checks what the flags say.
func (f *webFlags) listen(ctx context.Context, env *verb.Env, addr string, store *results.Store, live web.Live, told *metrics.Set) (*web.Server, error) {
	token, err := readToken(f.TokenFile)
	if err != nil {
		return nil, usage.Wrap(err)
	}
	server, err := web.Listen(ctx, web.Config{
		Addr: addr, Token: token, CertFile: f.TLSCert, KeyFile: f.TLSKey, PublicHosts: f.PublicHost, Pprof: f.Pprof,
		Store: store, Live: live, Metrics: told.Handler(), Log: slog.New(slog.NewTextHandler(env.Err, nil)),
	})
	if err != nil {
		return nil, usage.Wrap(err)
	}
	told.Clients(server.Clients)
	return server, nil
}

// readToken reads a token that only its owner may read; no file is no token.
func readToken(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	if disk.OthersMayRead(info) {
		return "", fmt.Errorf("--token-file %s: others may read it (mode %v): chmod 600 %s", file, info.Mode().Perm(), file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
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
