package coordinator_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"gogi/farm"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner/events"
)

// beat sends a heartbeat with the leases of grants, and returns the runs that a client watches.
func (l *line) beat(number uint64, held ...farm.Grant) []string {
	l.t.Helper()
	b := farm.Beat{Session: "s", Number: number}
	for _, g := range held {
		b.Held = append(b.Held, g.Held)
	}
	var told farm.BeatReply
	l.ask(farm.SubjectBeat, b, &told)
	return told.Watched
}

// tells publishes an event of a game, as a worker does.
func (l *line) tells(run string, kind match.EventType, pair, slot int) {
	l.t.Helper()
	leg := 0
	body, err := json.Marshal(match.Event{
		V: match.EventVersion, Seq: 1, Run: "seen", Type: kind, Pair: &pair, Leg: &leg, Slot: &slot, Start: "startpos", Black: "dev", White: "base",
		Outcome: "black", Termination: "resignation", Points: &[2]float64{1, 0}, Sides: &[2]match.Effort{},
	})
	if err == nil {
		err = l.f.broker.Connect(l.name).Send(farm.SubjectEvents+run+"."+l.name, body)
	}
	testutil.OK(l.t, err)
	synctest.Wait()
}

// TestGamesAreWatched: while a client watches a run, the hub shows games that workers report for their own pairs. These
// events do not count as results.
func TestGamesAreWatched(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("seen", 30, 1)
		run := p.Digest()
		hub, ok := f.c.Watch("seen")
		testutil.Require(t, ok, "it cannot be watched")
		boards := func() (of []string) {
			for _, s := range hub.State().State.Slots {
				if s.Board != nil {
					of = append(of, s.Worker)
				}
			}
			return of
		}
		w0, w1 := f.line(t, "w0"), f.line(t, "w1")
		mine, others := w0.want(1), w1.want(1)
		testutil.Require(t, len(mine) == 1 && len(others) == 1, "%v %v", mine, others)
		if got := w0.beat(1, mine...); len(got) > 0 {
			t.Errorf("nobody watches, and events of %v are wanted", got)
		}
		w0.tells(run, match.EventGame, mine[0].Pair, 0)
		if got := boards(); len(got) > 0 {
			t.Errorf("nobody watches, and there are boards of %v", got)
		}

		sub := hub.Subscribe(events.DefaultBuffer)
		defer sub.Close()
		for _, w := range []struct {
			*line
			held []farm.Grant
		}{{w0, mine}, {w1, others}} {
			testutil.Slices(t, w.beat(2, w.held...), []string{run}, "%s is told that is watched", w.name)
		}
		w1.tells(run, match.EventGame, mine[0].Pair, 0) // a pair of another worker
		w1.tells(run, match.EventGame, 29, 0)           // a pair that is not granted
		w1.tells(run, match.EventGame, others[0].Pair, 7)
		w1.tells(run, match.EventGame, 1<<40, 0)
		w1.tells(run, match.EventPair, others[0].Pair, 0)
		w1.tells(run, match.EventDone, others[0].Pair, 0)
		if got := boards(); len(got) > 0 {
			t.Errorf("forged events make boards of %v", got)
		}
		w0.tells(run, match.EventGame, mine[0].Pair, 0)
		w0.tells(run, match.EventGame, mine[0].Pair, 1) // a process that numbers from 1 again
		testutil.Slices(t, boards(), []string{"w0", "w0"}, "boards")
		w0.tells(run, match.EventEnd, mine[0].Pair, 0)
		testutil.Slices(t, boards(), []string{"w0"}, "boards after the end")
		if s := hub.State().State; s.Finished > 0 || s.Ended > 0 || s.Over || s.Lost > 0 || len(s.Unstored) > 0 {
			t.Errorf("what workers tell counts: %+v", s)
		}

		sub.Close()
		f.until("nobody listens any more", func() bool { return len(boards()) == 0 })
		if got := w0.beat(3, mine...); len(got) > 0 {
			t.Errorf("nobody watches any more, and events of %v are wanted", got)
		}
		w0.tells(run, match.EventGame, mine[0].Pair, 0)
		if got := boards(); len(got) > 0 {
			t.Errorf("nobody watches any more, and there are boards of %v", got)
		}
	})
}
