package usi

import (
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
)

// TestEachSearchHasItsOwnDeadline requires that each search is stopped at its own deadline. The alarm may be set for
// the previous search, or may have fired for it.
func TestEachSearchHasItsOwnDeadline(t *testing.T) {
	const s = time.Second
	for name, test := range map[string]struct{ before, between, deadline time.Duration }{
		"nearer":                   {10 * s, s, 2 * s},
		"farther":                  {s, s / 2, 10 * s},
		"as far":                   {s, s / 2, s},
		"after it has rung":        {s, 3 * s, s},
		"after it has rung, later": {s, 3 * s, 10 * s},
		"as it rings":              {s, s, s},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answer := make(chan event, 1) // like the channel of the inbox
				var stopped []time.Time
				e := hookedEngine(t, func(text string, _ func(string)) {
					if text == "stop\n" {
						stopped = append(stopped, time.Now())
						answer <- event{line: []byte("bestmove 7g7f"), stamp: time.Now()}
					}
				})
				for range 3 {
					answer <- event{line: []byte("bestmove 7g7f"), stamp: time.Now()}
					if _, late, err := e.outcome(t.Context(), &search{wait: answer, start: time.Now()}, test.before); late ||
						err != nil {
						t.Errorf("an answer at once: stopped %t, %v", late, err)
					}
					time.Sleep(test.between) // in synctest's time
					began := time.Now()
					stopped = nil
					_, late, err := e.outcome(t.Context(), &search{wait: answer, start: began}, test.deadline)
					testutil.Check(t, err == nil && late && len(stopped) == 1 && stopped[0].Sub(began) == test.deadline,
						"stopped %t at %v, began %v, %v", late, stopped, began, err)
				}
			})
		})
	}
}
