package runner

import (
	"testing"
	"time"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// plays makes a move in a game without a run. Only the game's own referee checks the move.
func (g *game) plays(t *testing.T, text string, m kifu.Move) {
	t.Helper()
	move := testutil.Must(shogi.ParseMove(text))(t)
	c := g.referee.Side()
	m.Move = move
	g.referee.Play(move)
	g.result.Record.Moves = append(g.result.Record.Moves, m)
	g.slot.events.moved(g, c, &m, nil, false, 0)
}

// sent returns the events since the last call.
func (e *Events) sent() (list []match.Event) {
	for len(e.out) > 0 {
		list = append(list, <-e.out)
	}
	return list
}

func wantTypes(t *testing.T, list []match.Event, want ...match.EventType) {
	t.Helper()
	got := lists.Map(list, func(ev match.Event) match.EventType { return ev.Type })
	testutil.Slices(t, got, want, "events")
}

// TestMovesAreSentToListeners: move events are sent only while there is a listener. A new listener gets the
// moves of the game so far once, and then each move.
func TestMovesAreSentToListeners(t *testing.T) {
	e := NewEvents("run", true)
	g := standing(t, e)
	e.gameStarted(g)
	g.plays(t, "7g7f", kifu.Move{})
	wantTypes(t, e.sent(), match.EventGame, match.EventMove)

	e.Listen(false)
	g.plays(t, "3c3d", kifu.Move{Depth: 7, Time: 2 * time.Second, HasScore: true, Score: -30,
		PV: []shogi.Move{shogi.NewMove(shogi.NewSquare(3, 3), shogi.NewSquare(3, 4))}})
	g.plays(t, "2g2f", kifu.Move{Nodes: 99})
	wantTypes(t, e.sent())

	last := e.Listen(true)
	told := e.sent()
	wantTypes(t, told, match.EventBoard)
	testutil.Check(t, told[0].Seq == last && *told[0].Slot == g.slot.number && *told[0].Pair == g.Pair &&
		*told[0].Leg == g.Leg,
		"the last event is told to be %d, and is %+v", last, told[0])
	b := told[0].Board
	if b.Moves != "7g7f 3c3d 2g2f" || b.Ply != 3 || b.Position != g.referee.Position().SFEN() || b.Black != "A" ||
		b.White != "B" || len(b.Limits) != 2 {
		t.Errorf("the board: %+v", b)
	}
	if black, white := b.Thoughts[0], b.Thoughts[1]; black == nil || white == nil || black.Ply != 3 || black.Nodes != 99 ||
		black.Score != nil ||
		white.Ply != 2 || white.Move != "3c3d" || white.PV != "3c3d" || white.Depth != 7 || *white.Score != -30 ||
		*white.TimeMS != 2000 {
		t.Errorf("what was thought: %+v, %+v", black, white)
	}
	testutil.Check(t, len(b.Clocks) == 2 && b.Clocks[0] != nil && *b.Clocks[0] == 60000 && *b.Clocks[1] == 60000,
		"the clocks: %v", b.Clocks)

	testutil.Check(t, e.Listen(true) == last && len(e.out) == 0, "it is told twice")
	g.plays(t, "8c8d", kifu.Move{})
	told = e.sent()
	wantTypes(t, told, match.EventMove)
	testutil.Equal(t, told[0].Ply, 4, "ply")
}

// TestTheEndHasTheMoves: the event of a game's end has the moves that were not sent. No event follows for a
// game that was given up.
func TestTheEndHasTheMoves(t *testing.T) {
	e := NewEvents("run", true)
	e.Listen(false)
	g := standing(t, e)
	e.gameStarted(g)
	g.plays(t, "7g7f", kifu.Move{})
	e.gameEnded(g)
	told := e.sent()
	wantTypes(t, told, match.EventGame, match.EventBoard, match.EventEnd)
	testutil.Check(t, told[1].Board.Ply == 1, "the last board has %d plies", told[1].Board.Ply)
	g = standing(t, e)
	e.gameStarted(g)
	g.plays(t, "7g7f", kifu.Move{})
	e.cut(g.slot.number, g.Game)
	wantTypes(t, e.sent(), match.EventGame, match.EventCut)
	if e.Listen(true); len(e.out) != 0 {
		t.Error("a game is told of that was given up")
	}
}

// TestAMoveThatMeetsAListener: if a listener comes in the middle of a game, it gets the board before the next
// move.
func TestAMoveThatMeetsAListener(t *testing.T) {
	e := NewEvents("run", true)
	e.Listen(false)
	g := standing(t, e)
	e.gameStarted(g)
	g.plays(t, "7g7f", kifu.Move{})
	e.listening.Store(true) // as Listen does first
	g.plays(t, "3c3d", kifu.Move{})
	told := e.sent()
	wantTypes(t, told, match.EventGame, match.EventBoard, match.EventMove)
	if told[1].Board.Ply != 1 || told[2].Ply != 2 {
		t.Errorf("a board of %d plies, then ply %d", told[1].Board.Ply, told[2].Ply)
	}
}
