package events_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner/events"
)

// lines returns n numbered events of one process.
func lines(n int) []match.Event {
	sent := make([]match.Event, n)
	for i := range sent {
		sent[i] = match.Event{Type: match.EventFault, Kind: "crash", Engine: "A"}
	}
	return told(sent...)
}

// TestSubscribersSeeAllOnce: a subscriber gets the state and then each later event once, at any time of the
// subscription and for any number of subscribers.
func TestSubscribersSeeAllOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sent := played(t).events
		hub := events.NewHub("run")
		var subs []*events.Subscription
		var from []int
		for i, e := range sent {
			if rapid.IntRange(0, 9).Draw(t, "comes") == 9 || i == 0 {
				subs, from = append(subs, hub.Subscribe(len(sent))), append(from, i)
			}
			hub.Publish(e)
		}
		testutil.Require(t, hub.Subscribers() == len(subs), "%d subscribers, want %d", hub.Subscribers(), len(subs))
		hub.Close()
		want := text(t, stateOf(sent).Event())
		if got := text(t, hub.State()); got != want {
			t.Fatal(cmp.Diff(want, got))
		}
		for n, s := range subs {
			state := events.NewState("run")
			var got []match.Event
			for e := range s.Events() {
				got = append(got, *e)
				state.Apply(*e)
			}
			testutil.Require(t, got[0].Type == match.EventState && len(got) == 1+len(sent)-from[n],
				"the first is %s of %d events", got[0].Type, len(got))
			for i, e := range got[1:] {
				testutil.Require(t, e.Worker == sent[from[n]+i].Worker && e.Seq == sent[from[n]+i].Seq, "event %d is %+v", i, e)
			}
			if now := text(t, state.Event()); now != want || state.Ignored() != 0 || s.Err() != nil {
				t.Fatal(cmp.Diff(want, now), state.Ignored(), s.Err())
			}
		}
	})
}

// TestSubscribeExcept: a subscriber gets all events except those of one type, which take no room in its buffer.
func TestSubscribeExcept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []match.Event
		sent := played(t).events
		for _, e := range sent {
			if e.Type != match.EventMove {
				want = append(want, e)
			}
		}
		hub := events.NewHub("run")
		s := hub.SubscribeExcept(match.EventMove, len(want))
		for _, e := range sent {
			hub.Publish(e)
		}
		hub.Close()
		var got []match.Event
		for e := range s.Events() {
			got = append(got, *e)
		}
		if len(got) == 0 || got[0].Type != match.EventState || s.Err() != nil {
			t.Fatalf("begins with %v, %v", got, s.Err())
		}
		d := cmp.Diff(want, got[1:], cmpopts.EquateEmpty())
		testutil.Check(t, d == "", "%v", d)
	})
}

// TestSlowSubscriberIsCut: a slow subscriber never delays the publisher. It keeps the events in its buffer, gets
// the reason for its end, and can subscribe again.
func TestSlowSubscriberIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const room = 5
		hub := events.NewHub("run")
		slow, quick := hub.Subscribe(room), hub.Subscribe(100)
		sent := lines(20)
		for _, e := range sent { // if Publish waited, synctest would report a deadlock
			hub.Publish(e)
		}
		if hub.Subscribers() != 1 || quick.Err() != nil || !errors.Is(slow.Err(), events.ErrSlow) {
			t.Errorf("%d subscribers, %v, %v", hub.Subscribers(), quick.Err(), slow.Err())
		}
		var seqs []uint64
		for e := range slow.Events() {
			seqs = append(seqs, e.Seq)
		}
		testutil.Slices(t, seqs, []uint64{0, 1, 2, 3, 4, 5}, "the slow one")
		again := hub.Subscribe(room)
		if e := <-again.Events(); e.State == nil || e.State.Numbers[""] != 20 || e.State.Faults[0].Times != 20 {
			t.Errorf("it comes again and gets %+v", e)
		}
		again.Close()
		again.Close()
		if _, open := <-again.Events(); open || again.Err() != nil || hub.Subscribers() != 1 {
			t.Errorf("closed: open %v, %v, %d subscribers", open, again.Err(), hub.Subscribers())
		}
		hub.Close()
		hub.Close()
		hub.Publish(lines(21)[20])
		if n := len(quick.Events()); n != 21 || quick.Err() != nil || hub.State().Seq != 20 {
			t.Errorf("%d events left at the end, %v, at %d", n, quick.Err(), hub.State().Seq)
		}
		late := hub.Subscribe(0)
		if e, open := <-late.Events(); !open || e.State == nil || e.State.Numbers[""] != 20 {
			t.Errorf("after the end: %+v", e)
		}
		if _, open := <-late.Events(); open || late.Err() != nil || hub.Subscribers() != 0 {
			t.Error("after the end a subscription stays open")
		}
	})
}

// TestRecorderIsWaitedFor: the recorder gets every event in order, after the subscribers. The hub reads the next
// event only when the recorder is ready.
func TestRecorderIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := events.NewHub("run")
		sub := hub.Subscribe(100)
		stream := make(chan match.Event, 1)
		ready := make(chan struct{})
		var got []uint64
		go hub.Follow(stream, func(e match.Event) {
			<-ready
			got = append(got, e.Seq)
		})
		sent := lines(10)
		stream <- sent[0]
		stream <- sent[1] // the channel has room for one, because the recorder has the first
		synctest.Wait()
		select {
		case stream <- sent[2]:
			t.Error("the stream is read although the recorder is not ready")
		default:
		}
		if len(sub.Events()) != 2 { // the state and the first
			t.Errorf("%d events at the subscriber", len(sub.Events()))
		}
		go func() {
			for _, e := range sent[2:] {
				stream <- e
			}
			close(stream)
		}()
		for range sent {
			ready <- struct{}{}
		}
		synctest.Wait()
		testutil.Slices(t, got, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, "recorded")
	})
}

// TestHubUnderLoad: events of two workers are published while subscribers come, read, stop and go. A subscriber
// that is not cut gets all events. The race detector checks the same calls.
func TestHubUnderLoad(t *testing.T) {
	const each = 500
	hub := events.NewHub("run")
	var publishers, readers sync.WaitGroup
	for _, worker := range []string{"", "w"} {
		publishers.Go(func() {
			for _, e := range lines(each) {
				e.Worker = worker
				hub.Publish(e)
			}
		})
	}
	for n := range 20 {
		readers.Go(func() {
			room := 2 * each
			if n%4 == 0 {
				room = 1
			}
			s := hub.Subscribe(room)
			state := events.NewState("run")
			for e := range s.Events() {
				state.Apply(*e)
				_ = hub.State()
				if n%4 == 1 {
					s.Close()
				}
			}
			now := state.Snapshot()
			switch {
			case state.Ignored() != 0 || now.Lost != 0:
				t.Errorf("ignored %d, lost %d", state.Ignored(), now.Lost)
			case n%4 > 1 && (s.Err() != nil || now.Faults[0].Times != 2*each):
				t.Errorf("%v; %+v", s.Err(), now.Faults)
			}
		})
	}
	publishers.Wait()
	hub.Close()
	readers.Wait()
}

// TestViewers: subscribers and clients that poll the state are viewers.
func TestViewers(t *testing.T) {
	hub := events.NewHub("run")
	sub, first, second := hub.Subscribe(1), hub.Attend(), hub.Attend()
	testutil.Equal(t, hub.Viewers(), 3, "a subscriber and two pollers")
	first()
	sub.Close()
	testutil.Equal(t, hub.Viewers(), 1, "one poller is left")
	second()
	testutil.Equal(t, hub.Viewers(), 0, "all have left")
}
