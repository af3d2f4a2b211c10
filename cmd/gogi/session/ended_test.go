package session

import (
	"errors"
	"testing"

	"gogi/cmd/gogi/cli"
	"gogi/internal/testutil"
	"gogi/runner/series"
)

// TestEnded tests the exit codes of a match. An order or an interrupt after the last game does not change the exit
// code.
func TestEnded(t *testing.T) {
	t.Parallel()
	why, told := errors.New("no engine"), errors.New("told to stop")
	for name, c := range map[string]struct {
		internal    error
		e           series.Ending
		interrupted bool
		code        int
	}{
		"done":                     {nil, series.Ending{}, false, cli.Done},
		"told to stop at its end":  {nil, series.Ending{Why: told, Ordered: true}, false, cli.Done},
		"interrupted at its end":   {nil, series.Ending{Why: cli.ErrInterrupted}, true, cli.Done},
		"told to stop":             {nil, series.Ending{Why: told, Ordered: true, Left: 2}, false, cli.Interrupted},
		"interrupted":              {nil, series.Ending{Why: cli.ErrInterrupted, Left: 2}, true, cli.Interrupted},
		"failed":                   {nil, series.Ending{Why: why, Left: 2}, false, cli.Unplayed},
		"left":                     {nil, series.Ending{Left: 2}, false, cli.Unplayed},
		"failed at its end":        {nil, series.Ending{Why: why}, false, cli.Failed},
		"told at its end, unheard": {why, series.Ending{Why: told, Ordered: true}, false, cli.Failed},
	} {
		testutil.Equal(t, cli.Code(ended(c.internal, c.e, c.interrupted), cli.Failed), c.code, "%s: exit code", name)
	}
}
