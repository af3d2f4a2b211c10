package runscmd

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"strings"
	"syscall"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/report"
	"gogi/report/stored"
	"gogi/results"
	"gogi/runner/socket"
	"gogi/ui/terminal"
)

// WatchCommand shows a run that another process plays.
type WatchCommand struct {
	Name string `arg:"" optional:"" name:"run" help:"Name of the run (default: the only running one)."`
	DB   string `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of the run."`
}

// Run shows the run until it ends, then prints its result.
func (c *WatchCommand) Run(ctx context.Context, env *cli.Env) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	run, err := c.played(ctx)
	if err != nil {
		return err
	}
	lines, err := terminal.Watch(ctx, terminal.Run{
		Name: run, Socket: socket.Path(c.DB, run), Language: env.Language,
		Evidence: func(ctx context.Context) (r *report.Report, err error) {
			err = (&cli.Stored{Name: run, Database: cli.Database{DB: c.DB}}).With(ctx,
				func(store *results.Store, info *results.RunInfo) error {
					r, err = stored.Report(ctx, store, info.Name)
					return err
				})
			return r, err
		},
	})
	switch {
	case errors.Is(err, terminal.ErrNoTerminal):
		return fail.Usage(err)
	case errors.Is(err, socket.ErrNobody):
		return fmt.Errorf("run %q of %s: %w (what is stored: gogi report, gogi serve)", run, c.DB, err)
	case ctx.Err() != nil:
		return cli.ErrInterrupted
	case err != nil:
		return fmt.Errorf("run %q of %s: %w (gogi report prints the stored part)", run, c.DB, err)
	}
	for _, line := range lines {
		fmt.Fprintln(env.Out, line)
	}
	return nil
}

// played returns the name of the run to watch: the run that the user named, or the only running run.
func (c *WatchCommand) played(ctx context.Context) (string, error) {
	if c.Name != "" {
		return c.Name, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	switch runs := socket.NewNearby(ctx, c.DB).Runs(); len(runs) {
	case 0:
		return "", fmt.Errorf("no run of %s is being played on this machine (what is stored: gogi report, gogi serve)", c.DB)
	case 1:
		return runs[0], nil
	default:
		return "", fail.Usage(fmt.Errorf("%d runs of %s are being played: name one of %s", len(runs), c.DB,
			strings.Join(runs, ", ")))
	}
}
