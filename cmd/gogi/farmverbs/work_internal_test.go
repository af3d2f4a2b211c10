package farmverbs

import (
	"context"
	"io"
	"testing"

	"gogi/farm/worker"
	"gogi/internal/verb"
)

// TestAnInterruptOfAnUpdate is an interrupt: who restarts workers that want another program
// does not restart this one.
func TestAnInterruptOfAnUpdate(t *testing.T) {
	w := &working{WorkCommand: &WorkCommand{Updates: "off"}}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	for _, want := range []int{worker.ExitUpdate, verb.Interrupted} {
		env := &verb.Env{Err: io.Discard}
		if got := env.Fail(w.renew(ctx, &worker.End{Exit: worker.ExitUpdate}), verb.Failed); got != want {
			t.Errorf("exit code %d, want %d", got, want)
		}
		cancel(verb.ErrInterrupted)
	}
}
