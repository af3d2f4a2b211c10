package events_test

import (
	"testing"
	"testing/synctest"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner/events"
)

// teller sends the events of a game to a stream when a listener comes.
type teller struct {
	stream chan match.Event
	asked  []bool
	tells  match.Event
}

func (t *teller) Listen(on bool) uint64 {
	t.asked = append(t.asked, on)
	if !on {
		return 0
	}
	t.stream <- t.tells
	return t.tells.Seq
}

func (t *teller) wasAsked(tt *testing.T, want ...bool) {
	tt.Helper()
	testutil.Slices(tt, t.asked, want, "asked")
}

// TestMovesAreAskedForWhileThereAreListeners: the hub asks for moves while there is a listener. A new listener
// gets the moves that were not sent in the state.
func TestMovesAreAskedForWhileThereAreListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := told(
			match.Event{Type: match.EventRun, Slots: 1},
			onBoard(match.EventGame, func(e *match.Event) { e.Start = "startpos" }),
			onBoard(match.EventBoard, func(e *match.Event) {
				e.Board = &match.Board{
					GameHead: match.GameHead{Start: "startpos", Moves: "7g7f 3c3d", Black: "A"}, Ply: 2,
					Position: "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3",
				}
			}),
			onBoard(match.EventMove, func(e *match.Event) { e.Ply, e.Move = 3, "2g2f" }),
		)
		hub, stream := events.NewHub("run"), make(chan match.Event)
		tells := &teller{stream: stream, tells: sent[2]}
		hub.ControlMoves(tells)
		tells.wasAsked(t, false)
		go hub.Follow(stream, nil)
		stream <- sent[0]
		stream <- sent[1]
		counting := hub.SubscribeExcept(match.EventMove, 10)
		tells.wasAsked(t, false)

		first := hub.Subscribe(10)
		tells.wasAsked(t, false, true)
		b := (<-first.Events()).State.Slots[0].Board
		testutil.Require(t, b != nil && b.Ply == 2 && b.Black == "A", "the board that a listener begins with: %+v", b)
		second := hub.Subscribe(10)
		stream <- sent[3]
		if e := <-first.Events(); e.Type != match.EventMove {
			t.Errorf("after the state: %s", e.Type)
		}
		if s := hub.State().State; s.Slots[0].Board.Ply != 3 || s.Slots[0].Board.Moves != "7g7f 3c3d 2g2f" || s.Missed != 0 {
			t.Errorf("after a move: %+v, %d missed", s.Slots[0].Board, s.Missed)
		}
		first.Close()
		first.Close()
		tells.wasAsked(t, false, true)
		second.Close()
		tells.wasAsked(t, false, true, false)
		counting.Close()
		close(stream)
		<-hub.Closed()
		hub.Subscribe(1)
		tells.wasAsked(t, false, true, false, false) // a closed hub asks for nothing
	})
}

// TestAListenerBeforeTheTeller: if a listener subscribes before ControlMoves, the hub stops the moves only when it
// leaves.
func TestAListenerBeforeTheTeller(t *testing.T) {
	hub, tells := events.NewHub("run"), new(teller)
	s := hub.Subscribe(1)
	hub.ControlMoves(tells)
	tells.wasAsked(t)
	s.Close()
	tells.wasAsked(t, false)
}

// TestListeningToAHubThatCloses: a hub that closes ends the waits of its listeners.
func TestListeningToAHubThatCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := events.NewHub("run")
		stream := make(chan match.Event, 1) // no goroutine reads it
		hub.ControlMoves(&teller{stream: stream, tells: match.Event{Seq: 1}})
		done := make(chan struct{})
		go func() {
			hub.Subscribe(1)
			close(done)
		}()
		synctest.Wait()
		hub.Close()
		<-done
	})
}
