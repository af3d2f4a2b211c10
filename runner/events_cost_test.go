package runner

import (
	"errors"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// standing returns a game before its first move.
func standing(t testing.TB, events *Events) *game {
	t.Helper()
	limits := match.Limits{Clock: match.TimeControl{Main: time.Minute}}
	plan := &match.Plan{
		Rules:   match.RulesProfiles()[match.DefaultRules],
		Players: []match.Player{{Name: "A", Limits: limits}, {Name: "B", Limits: limits}},
	}
	s := &slot{run: &run{config: Config{Plan: plan, Events: events}}, events: events}
	g := testutil.Must(newGame(s, plan,
		match.Game{Players: [2]int{0, 1}, Opening: match.Opening{ID: "1", Start: "startpos"}}, [2]Player{}))(t)
	return g
}

// TestUnheardEventsCostNothing: events without a stream allocate no memory. A move event allocates none if moves are
// off or if there is no listener.
func TestUnheardEventsCostNothing(t *testing.T) {
	var none *Events
	g := standing(t, none)
	m := kifu.Move{Move: shogi.NewMove(shogi.NewSquare(7, 7), shogi.NewSquare(7, 6)), HasScore: true,
		PV: make([]shogi.Move, 4)}
	why := errors.New("why")
	council := &usi.Reply{Vote: &usi.Vote{Ballots: make([]usi.Ballot, 3)}}
	testutil.Equal(t, testing.AllocsPerRun(100, func() {
		none.seating(g.plan, g.Game, 1)
		none.gameStarted(g)
		none.moved(g, shogi.Black, &m, none.vote(council, g.referee.Position()), true, time.Second)
		none.gameEnded(g)
		none.cut(1, g.Game)
		none.pairDone(1, "")
		none.unplayed(1, 1, why)
		none.fault("A", "close", "", &g.Game, 1)
		none.forfeit("A", "crash", "", "", &g.Game, 1)
	}), 0, "allocations without a stream")
	deaf := NewEvents("run", false)
	if n := testing.AllocsPerRun(100,
		func() { deaf.moved(g, shogi.Black, &m, deaf.vote(council, g.referee.Position()), true, time.Second) }); n != 0 ||
		len(deaf.out) > 0 {
		t.Errorf("%v allocations for a move that is not wanted, %d events", n, len(deaf.out))
	}
	unheard := NewEvents("run", true)
	unheard.Listen(false)
	unheard.gameStarted(g)
	<-unheard.out
	unheard.logOf(g.slot.number).moves = make([]shogi.Move, 0, 1000) // gogi keeps the moves of a game in any case
	if n := testing.AllocsPerRun(100, func() { unheard.moved(g, shogi.Black, &m, nil, true, time.Second) }); n != 0 ||
		len(unheard.out) > 0 {
		t.Errorf("%v allocations for a move that nobody listens to, %d events", n, len(unheard.out))
	}
	heard := NewEvents("run", true)
	heard.moved(g, shogi.Black, &m, nil, true, time.Second)
	testutil.Equal(t, len(heard.out), 1, "a move that is wanted is not sent")
}

// TestStampsNeverGoBack: if the clock is set back, the time stamps stay constant until the clock has caught up.
func TestStampsNeverGoBack(t *testing.T) {
	e := NewEvents("run", true)
	ahead := time.Now().Add(time.Hour)
	e.latest = ahead
	e.Send(match.Event{Type: match.EventDone})
	if ev := <-e.Stream(); !ev.Time.Equal(ahead) {
		t.Errorf("stamped %v, after %v", ev.Time, ahead)
	}
	e.latest = ahead.Add(-2 * time.Hour)
	before := time.Now()
	e.Send(match.Event{Type: match.EventDone})
	if ev := <-e.Stream(); ev.Time.Before(before) {
		t.Errorf("stamped %v, sent after %v", ev.Time, before)
	}
}

// BenchmarkMoveEvent measures the cost of a move for a slot while there is a listener.
func BenchmarkMoveEvent(b *testing.B) {
	events := NewEvents("run", true)
	g := standing(b, events)
	m := kifu.Move{Move: shogi.NewMove(shogi.NewSquare(7, 7), shogi.NewSquare(7, 6)), HasScore: true,
		PV: make([]shogi.Move, 8)}
	for b.Loop() {
		events.moved(g, shogi.Black, &m, nil, true, time.Second)
		<-events.out
		events.logOf(0).moves = events.logOf(0).moves[:0]
	}
}

// BenchmarkUnheardMove measures the cost of a move without listeners.
func BenchmarkUnheardMove(b *testing.B) {
	events := NewEvents("run", true)
	events.Listen(false)
	g := standing(b, events)
	m := kifu.Move{Move: shogi.NewMove(shogi.NewSquare(7, 7), shogi.NewSquare(7, 6)), HasScore: true,
		PV: make([]shogi.Move, 8)}
	for b.Loop() {
		events.moved(g, shogi.Black, &m, nil, true, time.Second)
		events.logOf(0).moves = events.logOf(0).moves[:0]
	}
}
