package site

import (
	"testing"
	"time"

	"gogi/internal/testutil"
)

// TestTwoCoordinators: a second process cannot serve a farm, and its error says what to do.
func TestTwoCoordinators(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := testutil.Must(OpenState(dir, time.Now()))(t)
	first := testutil.Must(state.lock())(t)
	defer first.Close()
	_, err := state.lock()
	testutil.Equal(t, err.Error(),
		"farm: "+dir+": another process serves this farm; end that process, or give another folder with --state")
}
