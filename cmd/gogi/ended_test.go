package main

import (
	"errors"
	"testing"

	"gogi/internal/verb"
	"gogi/series"
)

// TestEnded: how a match exits. An order or an interrupt that comes when everything was
// played has cut nothing.
func TestEnded(t *testing.T) {
	t.Parallel()
	why, told := errors.New("no engine"), errors.New("told to stop")
	for name, c := range map[string]struct {
		internal    error
		e           series.Ending
		interrupted bool
		code        int
	}{
		"done":                     {nil, series.Ending{}, false, verb.Done},
		"told to stop at its end":  {nil, series.Ending{Why: told, Ordered: true}, false, verb.Done},
		"interrupted at its end":   {nil, series.Ending{Why: verb.ErrInterrupted}, true, verb.Done},
		"told to stop":             {nil, series.Ending{Why: told, Ordered: true, Left: 2}, false, verb.Interrupted},
		"interrupted":              {nil, series.Ending{Why: verb.ErrInterrupted, Left: 2}, true, verb.Interrupted},
		"failed":                   {nil, series.Ending{Why: why, Left: 2}, false, verb.Unplayed},
		"left":                     {nil, series.Ending{Left: 2}, false, verb.Unplayed},
		"failed at its end":        {nil, series.Ending{Why: why}, false, verb.Failed},
		"told at its end, unheard": {why, series.Ending{Why: told, Ordered: true}, false, verb.Failed},
	} {
		if code := verb.Code(ended(c.internal, c.e, c.interrupted), verb.Failed); code != c.code {
			t.Errorf("%s: exit code %d, want %d", name, code, c.code)
		}
	}
}
