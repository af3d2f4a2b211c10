package players

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// talker returns an engine that answers every request with 3c3d, and ponders until it is stopped. heard returns the
// lines that the engine got since the last call.
func talker(t *testing.T) (e *usi.Engine, heard func() []string) {
	t.Helper()
	ours, theirs := net.Pipe()
	var mu sync.Mutex
	var said []string
	var engine sync.WaitGroup
	engine.Go(func() {
		for lines := bufio.NewScanner(theirs); lines.Scan(); {
			line := lines.Text()
			mu.Lock()
			said = append(said, line)
			mu.Unlock()
			switch {
			case line == "usi":
				fmt.Fprint(theirs, "usiok\n")
			case line == "isready":
				fmt.Fprint(theirs, "readyok\n")
			case line == "stop", strings.HasPrefix(line, "go ") && !strings.Contains(line, "ponder"):
				fmt.Fprint(theirs, "bestmove 3c3d\n")
			}
		}
	})
	e = testutil.Must(usi.Greet(t.Context(), ours, usi.Config{Name: "A"}))(t)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		_ = theirs.Close()
		engine.Wait()
	})
	return e, func() []string {
		mu.Lock()
		defer mu.Unlock()
		list := said
		said = nil
		return list
	}
}

// TestReader: gogi does not send the engine a move that its book answers, and stops its pondering. The same game draws
// the same moves.
func TestReader(t *testing.T) {
	t.Parallel()
	e, heard := talker(t)
	var lots []uint64
	r := &reader{Engine: e, name: "A", draw: func(p *shogi.Position, random *rand.Rand) shogi.Move {
		if p.Ply() != 1 && p.Ply() != 3 {
			return shogi.NoMove
		}
		lots = append(lots, random.Uint64())
		return p.LegalMoves(nil)[0]
	}}
	for _, seed := range []uint64{7, 7, 8} {
		testutil.OK(t, r.NewGame(t.Context(), usi.Game{Seed: seed}))
		q := usi.Request{Position: usi.Position{Start: "startpos"}, Go: usi.Go{Nodes: 100}}
		first, err := r.Think(t.Context(), q)
		testutil.Require(t, err == nil && first.Answer == usi.AnswerMove && first.Text == first.Move.String() &&
			first.Vote.By == "book",
			"%+v, %v", first, err)
		m := (kifu.Move{Detail: first.Detail})
		testutil.Check(t, m.Vote() == nil && strings.Contains(string(m.Detail), `"by":"book"`), "%s", m.Detail)
		q.Position.Moves = append(q.Position.Moves, first.Move)
		second, err := r.Think(t.Context(), q)
		testutil.Require(t, err == nil && second.Text == "3c3d" && second.Vote == nil && second.Detail == nil, "%+v, %v",
			second, err)
		if got := heard(); !slices.Equal(got[len(got)-3:],
			[]string{"usinewgame", "position startpos moves " + first.Text, "go nodes 100"}) {
			t.Errorf("%q", got)
		}
		pondered := q
		pondered.Position.Moves = append(slices.Clone(q.Position.Moves), second.Move)
		testutil.OK(t, r.Ponder(t.Context(), pondered))
		third, err := r.Think(t.Context(), pondered) // the game is in the book again
		if got := heard(); err != nil || third.Vote == nil || third.Hit || got[len(got)-1] != "stop" {
			t.Errorf("%+v, %v: %q", third, err, got)
		}
	}
	testutil.Equal(t, r.Counters().PonderMiss, 3, "misses")
	testutil.Check(t, slices.Equal(lots[:2], lots[2:4]) && lots[0] != lots[4] && lots[0] != lots[1], "the lots are %v",
		lots)
	r.seat = true // a member of a council, which keeps its own records
	if reply, err := r.Think(t.Context(), usi.Request{Position: usi.Position{Start: "startpos"}}); err != nil ||
		reply.Vote != nil || reply.Detail != nil {
		t.Errorf("%+v, %v", reply, err)
	}
	q := usi.Request{Position: usi.Position{Start: "startpos", Moves: []shogi.Move{noMove(t)}}}
	testutil.Fails(t, testutil.Err(r.Think(t.Context(), q)), "engine A: its book: ")
}

// noMove returns a move that is illegal at the start.
func noMove(t *testing.T) shogi.Move {
	t.Helper()
	return testutil.Must(shogi.ParseMove("5e5d"))(t)
}
