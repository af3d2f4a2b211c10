package runner

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gogi/match"
)

// looked is a player that has waited a tenth of the time since its start, as far as
// it has been asked: what it waited after the last look is gone with its threads.
type looked struct {
	start time.Time
	at    []time.Duration // of the looks
	none  bool            // it cannot be asked
}

func (l *looked) Waited() (time.Duration, bool) {
	l.at = append(l.at, time.Since(l.start))
	return time.Since(l.start) / 10, !l.none
}

const margin = 100 * time.Millisecond

// When it is looked, and what of it counts.
func TestMoveWatchLooks(t *testing.T) {
	const ms = time.Millisecond
	for name, test := range map[string]struct {
		takes   time.Duration
		looks   []time.Duration
		sending time.Duration
		none    bool
		want    match.Delays
		slowed  bool
	}{
		"a quick move":           {24 * ms, nil, 0, false, match.Delays{}, false},
		"within the margin":      {100 * ms, []time.Duration{25 * ms}, 0, false, match.Delays{}, false},
		"beyond it":              {125 * ms, []time.Duration{25 * ms, 125 * ms}, 0, false, match.Delays{Waited: 10 * ms, Known: true}, false},
		"beyond the time":        {1500 * ms, []time.Duration{25 * ms, 1100 * ms, 1500 * ms}, 0, false, match.Delays{Waited: 147500 * time.Microsecond, Known: true}, true},
		"three quarters":         {775 * ms, []time.Duration{25 * ms, 775 * ms}, 0, false, match.Delays{Waited: 75 * ms, Known: true}, false},
		"more":                   {776 * ms, []time.Duration{25 * ms, 776 * ms}, 0, false, match.Delays{Waited: 75100 * time.Microsecond, Known: true}, true},
		"it cannot be known":     {1500 * ms, []time.Duration{25 * ms, 1100 * ms, 1500 * ms}, 0, true, match.Delays{}, false},
		"it took long to send":   {125 * ms, []time.Duration{25 * ms, 125 * ms}, 101 * ms, false, match.Delays{Waited: 10 * ms, Known: true, Late: 101 * ms}, true},
		"it took a while, quick": {50 * ms, []time.Duration{25 * ms}, 49 * ms, false, match.Delays{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var machine lateMachine
				w := moveWatch{late: machine.watch()}
				w.late.start(t.Context())
				for range 2 { // the second move is watched like the first
					l := &looked{start: time.Now(), none: test.none}
					w.begin(l, margin, time.Second+margin)
					time.Sleep(test.takes) //nolint:forbidigo // in synctest's time
					synctest.Wait()
					if got, slowed := w.end(test.sending); got != test.want || slowed != test.slowed {
						t.Errorf("%+v, slowed %t", got, slowed)
					}
					if !slices.Equal(l.at, test.looks) {
						t.Errorf("looked at %v, want %v", l.at, test.looks)
					}
				}
			})
		})
	}
}

// A look that is late, or does not come at all, says that this program was late.
func TestALateLookCounts(t *testing.T) {
	const late = 300 * time.Millisecond
	for name, comes := range map[string]bool{"late": true, "never": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var machine lateMachine
				w := moveWatch{late: machine.watch()}
				w.late.start(t.Context())
				l := &looked{start: time.Now()}
				w.begin(l, margin, time.Second)
				w.timer.Stop()
				time.Sleep(margin/4 + late) //nolint:forbidigo // in synctest's time
				if comes {
					w.look()
				}
				if d, slowed := w.end(0); d.Late != late || !slowed || d.Known != comes {
					t.Errorf("%+v, slowed %t", d, slowed)
				}
				looks := len(l.at)
				if w.look(); len(l.at) != looks {
					t.Error("a look after the end")
				}
			})
		})
	}
}
