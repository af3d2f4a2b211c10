package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gogi/internal/fail"
)

// Flags are the session flags: how a verb that plays games shows them while they are played.
// Each such verb embeds them.
type Flags struct {
	JSON  bool `name:"json" help:"Print the events of the run on stdout, one JSON object a line, instead of the report."`
	Quiet bool `short:"q" help:"No progress."`

	HTTP string `name:"http" group:"pages" placeholder:"HOST:PORT" help:"Show the run in a browser while it is played, such as at 127.0.0.1:7878."`
	Pages

	OnEnd   string `name:"on-end" placeholder:"CMD" help:"Run a command when the match has ended, however it did: GOGI_RUN, GOGI_DB, GOGI_EXIT, GOGI_ENDING, GOGI_VERDICT and GOGI_CLAIM are in its environment."`
	OnFault string `name:"on-fault" placeholder:"CMD" help:"Run a command at a fault of an engine, unless it is still running from the one before: GOGI_RUN, GOGI_DB, GOGI_ENGINE, GOGI_KIND, GOGI_PAIR, GOGI_NOTE and GOGI_BUNDLE are in its environment."`

	RecordDir    string `type:"path" placeholder:"DIR" help:"Keep a file of each game that is played in this folder, as it grows; games that do not count are removed."`
	RecordFormat string `enum:"csa,kif" default:"csa" help:"Of the files of --record-dir: csa or kif."`
	MetricsFile  string `group:"pages" type:"path" placeholder:"FILE" help:"Write the run's metrics there, every 15 seconds and at the end, as node_exporter's textfile collector reads them: /…/gogi.prom."`

	end, fault command
}

// check reports what is wrong with the flags before anything is played.
func (f *Flags) check(ctx context.Context, to Target) error {
	var ofEnd, ofFault error
	f.end, ofEnd = commandOf("--on-end", f.OnEnd)
	f.fault, ofFault = commandOf("--on-fault", f.OnFault)
	if err := errors.Join(ofEnd, ofFault); err != nil {
		return fail.Usage(err)
	}
	if err := f.Check(ctx, f.HTTP); err != nil {
		return err
	}
	if folder := filepath.Dir(to.DB); !to.Dry {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return fmt.Errorf("--db %s: the folder %s does not exist; make it first", to.DB, folder)
		}
	}
	return nil
}
