package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gogi/internal/fail"
)

// Flags has the flags of every command that plays games. They determine how the command shows the games and
// which programs of the user it runs.
type Flags struct {
	JSON  bool `name:"json" help:"Print events as JSON lines on stdout instead of the report."`
	Quiet bool `short:"q" help:"Print no progress."`

	HTTP     string `name:"http" group:"pages" placeholder:"HOST:PORT" help:"Address of the live pages, such as 127.0.0.1:7878."`
	HTTPStay bool   `name:"http-stay" group:"pages" help:"With --http: keep serving the pages after the last game, until Ctrl-C."`
	Pages

	OnEnd   string `name:"on-end" placeholder:"CMD" more:"" help:"Command that gogi runs after the match, without a shell (with one: sh -c '…'), with GOGI_RUN, GOGI_DB, GOGI_EXIT, GOGI_ENDING, GOGI_VERDICT and GOGI_CLAIM in its environment."`
	OnFault string `name:"on-fault" placeholder:"CMD" more:"" help:"Command that gogi runs after an engine failure, with GOGI_RUN, GOGI_DB, GOGI_ENGINE, GOGI_KIND, GOGI_PAIR, GOGI_NOTE and GOGI_BUNDLE in its environment. gogi ignores failures while the command runs."`

	MetricsFile string `group:"pages" type:"path" placeholder:"FILE" more:"" help:"File that gogi writes every 15 seconds with its metrics, for node_exporter's textfile collector, such as /var/lib/node_exporter/gogi.prom."`

	end, fault command
}

func (f *Flags) check(ctx context.Context, to Target) error {
	var ofEnd, ofFault error
	f.end, ofEnd = commandOf("--on-end", f.OnEnd)
	f.fault, ofFault = commandOf("--on-fault", f.OnFault)
	if err := errors.Join(ofEnd, ofFault); err != nil {
		return fail.Usage(err)
	}
	if f.HTTPStay && f.HTTP == "" {
		return fail.Usage(errors.New("--http-stay needs an address: give --http HOST:PORT"))
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
