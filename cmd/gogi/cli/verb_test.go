package cli

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gogi/internal/testutil"
)

// TestReason: after an interrupt, Reason returns a cancellation as an interrupt, wherever the error comes from. It does
// not change an error with another cause or with an exit code.
func TestReason(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	broken := fmt.Errorf("opening: %w", context.Canceled)
	if got := Reason(ctx, broken); got != broken { //nolint:errorlint // it is the same
		t.Errorf("nobody interrupted: %v", got)
	}
	cancel(ErrInterrupted)
	testutil.Equal(t, Code(Reason(ctx, broken), Failed), Interrupted, "code")
	full := errors.New("the disk is full")
	unplayed := &Exit{Code: Unplayed, Err: broken}
	for _, err := range []error{nil, full, unplayed} {
		if got := Reason(ctx, err); got != err { //nolint:errorlint // it is the same
			t.Errorf("%v became %v", err, got)
		}
	}
	other, end := context.WithCancel(t.Context())
	end()
	if got := Reason(other, broken); got != broken { //nolint:errorlint // it is the same
		t.Errorf("cancelled by no interrupt: %v", got)
	}
}
