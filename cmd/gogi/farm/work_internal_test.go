package farmcmd

import (
	"context"
	"io"
	"testing"

	"gogi/cmd/gogi/cli"
	"gogi/farm/worker"
	"gogi/internal/testutil"
)

// TestAnInterruptOfAnUpdate is an interrupt: who restarts workers that want another program
// does not restart this one.
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
