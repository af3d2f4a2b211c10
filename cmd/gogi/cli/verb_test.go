package cli

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gogi/internal/testutil"
)

// An error after an interrupt counts as an interrupt, wherever it comes from. An error with another cause, or with an
// exit code, is unchanged.
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
