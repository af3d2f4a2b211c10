package farmcmd

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"gogi/cmd/gogi/cli"
	"gogi/farm/worker"
	"gogi/internal/testutil"
)

// TestTheExitCodeOfOnce: with --once, the exit code is 4 if the machine has played no pair and cannot play some tests.
// Otherwise it is 0.
func TestTheExitCodeOfOnce(t *testing.T) {
	refused := map[string]string{"b": "no network", "a": "no engine"}
	for want, c := range map[string]struct {
		once bool
		worker.Status
	}{
		"":   {true, worker.Status{Played: 1, Refused: refused}},
		" ":  {true, worker.Status{}},
		"  ": {false, worker.Status{Refused: refused}},
		"this machine cannot play a: no engine; b: no network": {true, worker.Status{Refused: refused}},
	} {
		err := (&working{WorkCommand: &WorkCommand{Once: c.once}}).idle(c.Status)
		if strings.TrimSpace(want) == "" {
			testutil.OK(t, err)
			continue
		}
		exit, ok := errors.AsType[*cli.Exit](err)
		testutil.Check(t, ok && exit.Code == worker.ExitRefused && exit.Error() == want, "%v", err)
	}
}

// TestAnInterruptOfAnUpdate: an interrupt during an update has the exit code of an interrupt. Otherwise a script that
// restarts workers after an update would restart this one.
func TestAnInterruptOfAnUpdate(t *testing.T) {
	w := &working{WorkCommand: &WorkCommand{Updates: "off"}}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	for _, want := range []int{worker.ExitUpdate, cli.Interrupted} {
		env := &cli.Env{Err: io.Discard}
		testutil.Equal(t, env.Fail(w.renew(ctx, &worker.End{Exit: worker.ExitUpdate}), cli.Failed), want, "exit code")
		cancel(cli.ErrInterrupted)
	}
}
