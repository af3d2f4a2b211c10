package folder

import (
	"testing"
	"time"

	"gogi/internal/testutil"
)

// TestTwoCoordinators: a second process cannot serve a farm, and its error says what to do.
func TestTwoCoordinators(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := testutil.Must(Open(dir, time.Now()))(t)
	first := testutil.Must(state.Lock())(t)
	defer first.Close()
	_, err := state.Lock()
	testutil.Equal(t, err.Error(),
		"farm: "+dir+": another process serves this farm; end that process, or give another folder with --state")
}
