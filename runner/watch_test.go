package runner

import (
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
	"gogi/match/arbiter"
	"gogi/shogi"
)

// looked is a player that has waited for a CPU for a tenth of the time since its start. Waits after the last look are
// unknown.
type looked struct {
	start time.Time
	at    []time.Duration // time of each look since start
	none  bool            // the player cannot report its waits
}

func (l *looked) Waited() (time.Duration, bool) {
	l.at = append(l.at, time.Since(l.start))
	return time.Since(l.start) / 10, !l.none
}

const margin = 100 * time.Millisecond

// TestMoveWatchLooks tests when the watch looks at a player's waits, and when it marks the move as slowed.
func TestMoveWatchLooks(t *testing.T) {
	const ms = time.Millisecond
	for name, test := range map[string]struct {
		takes   time.Duration
		looks   []time.Duration
		sending time.Duration
		none    bool
		want    arbiter.Delays
		slowed  bool
	}{
		"a quick move":      {24 * ms, []time.Duration{0}, 0, false, arbiter.Delays{}, false},
		"within the margin": {100 * ms, []time.Duration{0, 25 * ms}, 0, false, arbiter.Delays{}, false},
		"beyond it": {125 * ms, []time.Duration{0, 25 * ms, 125 * ms}, 0, false,
			arbiter.Delays{Waited: 12500 * time.Microsecond, Known: true}, false},
		"beyond the time": {1500 * ms, []time.Duration{0, 25 * ms, 1100 * ms, 1500 * ms}, 0, false,
			arbiter.Delays{Waited: 150 * ms, Known: true}, true},
		"three quarters": {775 * ms, []time.Duration{0, 25 * ms, 775 * ms}, 0, false,
			arbiter.Delays{Waited: 77500 * time.Microsecond, Known: true}, false},
		"more": {776 * ms, []time.Duration{0, 25 * ms, 776 * ms}, 0, false,
			arbiter.Delays{Waited: 77600 * time.Microsecond, Known: true}, true},
		"it cannot be known": {1500 * ms, []time.Duration{0, 25 * ms, 1100 * ms, 1500 * ms}, 0, true, arbiter.Delays{},
			false},
		"it took long to send": {125 * ms, []time.Duration{0, 25 * ms, 125 * ms}, 101 * ms, false,
			arbiter.Delays{Waited: 12500 * time.Microsecond, Known: true, Late: 101 * ms}, true},
		"it took a while, quick": {50 * ms, []time.Duration{0, 25 * ms}, 49 * ms, false, arbiter.Delays{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var machine lateMachine
				w := moveWatch{late: machine.watch()}
				w.late.start(t.Context())
				for range 2 { // the watch must treat the second game like the first
					w.sides = [2]reading{}
					l := &looked{start: time.Now(), none: test.none}
					w.begin(shogi.White, l, true, margin, time.Second+margin)
					time.Sleep(test.takes) // in synctest's time
					synctest.Wait()
					if got, slowed := w.end(test.sending); got != test.want || slowed != test.slowed {
						t.Errorf("%+v, slowed %t", got, slowed)
					}
					testutil.Slices(t, l.at, test.looks, "looked")
				}
			})
		})
	}
}

// TestMoveWatchLooksAfterAnotherMove: the looks at a move come at its own times, also if the timer was set for the
// previous move. This timer may be for a first look that did not come, or for a second look far in the future.
func TestMoveWatchLooksAfterAnotherMove(t *testing.T) {
	const ms = time.Millisecond
	for _, before := range []time.Duration{10 * ms, 24 * ms, 25 * ms, 60 * ms} {
		synctest.Test(t, func(t *testing.T) {
			var machine lateMachine
			w := moveWatch{late: machine.watch()}
			w.late.start(t.Context())
			w.begin(shogi.Black, &looked{start: time.Now()}, true, margin, time.Second+margin)
			time.Sleep(before) // in synctest's time
			synctest.Wait()
			w.end(0)
			l := &looked{start: time.Now()}
			w.begin(shogi.White, l, true, margin, time.Second+margin)
			time.Sleep(1500 * ms) // in synctest's time
			synctest.Wait()
			w.end(0)
			testutil.Slices(t, []time.Duration{0, 25 * ms, 1100 * ms, 1500 * ms}, l.at, "after a move of %v: looked", before)
			time.Sleep(time.Minute) // in synctest's time
			synctest.Wait()
			testutil.Equal(t, len(l.at), 4, "looked at %v, the last after the end", l.at)
		})
	}
}

// TestLooksBetweenTicks: a look that is due before the next tick of the observer comes at its own time, for two moves
// at once.
func TestLooksBetweenTicks(t *testing.T) {
	const ms = time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		var machine lateMachine
		late := machine.watch()
		late.start(t.Context())
		began := time.Now()
		first, second := &looked{start: began}, &looked{start: began}
		watches := [2]moveWatch{{late: late}, {late: late}}
		watches[0].begin(shogi.Black, first, true, 12*ms, 6*ms)
		watches[1].begin(shogi.Black, second, true, 4*ms, 9*ms)
		time.Sleep(15 * ms) // in synctest's time
		synctest.Wait()
		testutil.Slices(t, first.at, []time.Duration{0, 3 * ms, 6 * ms}, "the first move")
		testutil.Slices(t, second.at, []time.Duration{0, 1 * ms, 9 * ms}, "the second move")
		for i := range watches {
			watches[i].end(0)
			watches[i].close()
		}
		testutil.Equal(t, len(late.watches), 0, "watches after their end")
	})
}

// TestALateLookCounts: if a look is late or does not come at all, this program was late.
func TestALateLookCounts(t *testing.T) {
	const late = 300 * time.Millisecond
	for name, comes := range map[string]bool{"late": true, "never": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var machine lateMachine
				w := moveWatch{late: machine.watch()}
				w.late.start(t.Context())
				l := &looked{start: time.Now()}
				w.begin(shogi.White, l, true, margin, time.Second)
				w.late.unfollow(&w)
				time.Sleep(margin/4 + late) // in synctest's time
				if comes {
					w.wake(false)
				}
				d, slowed := w.end(0)
				testutil.Check(t, d.Late == late && slowed && d.Known == comes, "%+v, slowed %t", d, slowed)
				looks := len(l.at)
				if w.wake(true); len(l.at) != looks {
					t.Error("a look after the end")
				}
			})
		})
	}
}

// TestWhatWasWaitedBeforeTheFirstLook: waits between the last look at an earlier move and the first look at this move
// may belong to this move. They count for it, but for at most the time from its beginning to this look.
func TestWhatWasWaitedBeforeTheFirstLook(t *testing.T) {
	const ms = time.Millisecond
	// The player waits for a tenth of the time. After the look at 25 ms it waits 10 ms; before, it waits 2.5 ms of this
	// move and during the time between.
	for between, want := range map[time.Duration]time.Duration{0: 12500 * time.Microsecond,
		50 * ms: 17500 * time.Microsecond, time.Second: 35 * ms} {
		synctest.Test(t, func(t *testing.T) {
			var machine lateMachine
			w := moveWatch{late: machine.watch()}
			w.late.start(t.Context())
			l := &looked{start: time.Now()}
			w.begin(shogi.Black, l, true, margin, time.Second)
			time.Sleep(125 * ms) // in synctest's time
			synctest.Wait()
			w.end(0)
			time.Sleep(between) // in synctest's time: the watch does not look at quick moves
			w.begin(shogi.Black, l, true, margin, time.Second)
			time.Sleep(125 * ms) // in synctest's time
			synctest.Wait()
			d, _ := w.end(0)
			testutil.Check(t, d.Waited == want, "%v in between: %v, want %v", between, d.Waited, want)
		})
	}
}
