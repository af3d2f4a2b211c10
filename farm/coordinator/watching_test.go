package coordinator_test

import (
	"encoding/json"
	"reflect"
	"strings"
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
		V: match.EventVersion, Seq: 1, Run: "seen", Type: kind, Pair: &pair, Leg: &leg, Slot: &slot,
		GameHead: match.GameHead{Start: "startpos", Black: "dev", White: "base"},
		Outcome:  "black", Termination: "resignation", Points: &[2]float64{1, 0}, Sides: &[2]match.Effort{},
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

// fill sets each string below v to text, and makes each pointer, slice and map non-empty.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), text)
		fill(v.Index(1), text)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				fill(f, text)
			}
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		if key := reflect.ValueOf(text); key.Type().AssignableTo(v.Type().Key()) {
			value := reflect.New(v.Type().Elem()).Elem()
			fill(value, text)
			v.SetMapIndex(key, value)
		}
	}
}

// TestViewersSeeNoTextOfAWorker: a worker sends events of its own pair in which every text is free, also the names of
// the players if they may be missing. Viewers receive the events without these texts.
func TestViewersSeeNoTextOfAWorker(t *testing.T) {
	const lie = "/home/somebody 192.0.2.7"
	inFarm(t, func(t *testing.T, f *theFarm) {
		run := f.plays("seen", 30, 1).Digest()
		hub, ok := f.c.Watch("seen")
		testutil.Require(t, ok, "it cannot be watched")
		leave := hub.Attend() // as the pages do
		w := f.line(t, "w0")
		held := w.want(1)
		testutil.Slices(t, w.beat(1, held...), []string{run}, "a page is open")
		sub := hub.Subscribe(events.DefaultBuffer)
		leave()
		testutil.Slices(t, w.beat(2, held...), []string{run}, "watched")
		types := []match.EventType{match.EventSeat, match.EventGame, match.EventMove, match.EventBoard, match.EventEnd,
			match.EventCut}
		for _, kind := range types {
			var ev match.Event
			fill(reflect.ValueOf(&ev).Elem(), lie)
			*ev.Pair, *ev.Leg, *ev.Slot, ev.Board.Pair = held[0].Pair, 0, 0, held[0].Pair
			ev.Run, ev.Type, ev.Black, ev.White = "seen", kind, "dev", "base"
			body := testutil.Must(json.Marshal(ev))(t)
			testutil.Require(t, strings.Count(string(body), lie) > 30, "the event has few lies: %s", body)
			testutil.OK(t, f.broker.Connect("w0").Send(farm.SubjectEvents+run+".w0", body))
			synctest.Wait()
		}
		state := testutil.Must(json.Marshal(hub.State()))(t)
		testutil.Check(t, !strings.Contains(string(state), lie), "the state has the text of a worker: %s", state)
		sub.Close()
		seen := map[match.EventType]bool{}
		for ev := range sub.Events() {
			if ev.Worker == "w0" {
				seen[ev.Type] = true
			}
			body := testutil.Must(json.Marshal(ev))(t)
			testutil.Check(t, !strings.Contains(string(body), lie), "a viewer sees the text of a worker: %s", body)
		}
		for _, kind := range types {
			testutil.Check(t, seen[kind] || kind == match.EventEnd, "viewers received no event %s", kind)
		}
	})
}
