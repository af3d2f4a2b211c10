package builtin

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

// A mover picks a move of a game in progress.
type mover func(h *shogi.History) shogi.Move

func engineMover(t *testing.T, e *Engine, nodes uint64) mover {
	t.Helper()
	return func(h *shogi.History) shogi.Move {
		r := testutil.Must(e.Think(t.Context(), usi.Request{
			Position: usi.Position{Start: "sfen " + h.Start().SFEN(), Moves: h.Moves()}, Go: usi.Go{Nodes: nodes},
		}))(t)
		return r.Move // NoMove when it resigns or declares
	}
}

func randomMover(r *rand.Rand) mover {
	return func(h *shogi.History) shogi.Move {
		moves := h.Position().LegalMoves(nil)
		return moves[r.IntN(len(moves))]
	}
}

// play plays a game after some random moves. It returns the game and the winner by mate or declaration, if any. An
// illegal move fails the test.
func play(t *testing.T, r *rand.Rand, random int, black, white mover) (h *shogi.History, winner shogi.Colour,
	won bool) {
	t.Helper()
	h = shogi.NewHistory(shogi.StartPos())
	for range random {
		h.Push(randomMover(r)(h))
	}
	for h.MoveCount() < 300 && h.Repetition() == shogi.RepetitionNone {
		p := h.Position()
		if !p.HasLegalMove() {
			return h, p.Side().Opponent(), true
		}
		m := []mover{black, white}[p.Side()](h)
		if p.Declaration(shogi.CSARule27).Win && m == shogi.NoMove {
			return h, p.Side(), true
		}
		testutil.OK(t, p.CheckLegal(m), "%s", p.SFEN())
		h.Push(m)
	}
	return h, 0, false
}

func TestBeatsARandomMover(t *testing.T) {
	e, r := New(), rand.New(rand.NewPCG(3, 4))
	for game := range 20 {
		side := shogi.Colour(game % 2)
		movers := []mover{engineMover(t, e, 200), randomMover(r)}
		_, winner, won := play(t, r, 4, movers[side], movers[1-side])
		testutil.Check(t, won && winner == side, "game %d as %v: won %v by %v", game, side, won, winner)
	}
}

func TestPlaysOnlyLegalMoves(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for game := range testutil.ByLength(8, 30) {
		noise := engine(t, fmt.Sprintf("Seed=%d EvalNoise=200", game))
		play(t, r, 8, engineMover(t, New(), 100), engineMover(t, noise, 100))
	}
}

func TestSeedsPlayDifferentGames(t *testing.T) {
	games := map[string]bool{}
	for seed := range 5 {
		one := engineMover(t, engine(t, fmt.Sprintf("Seed=%d", seed)), 300)
		h, _, _ := play(t, rand.New(rand.NewPCG(1, 1)), 0, one, engineMover(t, New(), 300))
		games[fmt.Sprint(h.Moves())] = true
	}
	testutil.Check(t, len(games) == 5, "5 seeds gave %d different games", len(games))
}

// A dialogue is an engine behind pipes.
type dialogue struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Scanner
	end chan error // one value after Serve has returned
}

func serve(t *testing.T) *dialogue {
	t.Helper()
	commands, in := io.Pipe()
	out, lines := io.Pipe()
	d := &dialogue{t: t, in: in, out: bufio.NewScanner(out), end: make(chan error, 1)}
	go func() {
		err := usi.Serve(t.Context(), commands, lines, New())
		d.end <- errors.Join(err, lines.Close())
	}()
	return d
}

func (d *dialogue) say(lines ...string) {
	d.t.Helper()
	for _, l := range lines {
		testutil.Must(io.WriteString(d.in, l+"\n"))(d.t)
	}
}

// until reads up to a line with the prefix and returns all lines.
func (d *dialogue) until(prefix string) []string {
	d.t.Helper()
	var lines []string
	for d.out.Scan() {
		lines = append(lines, d.out.Text())
		testutil.Check(d.t, !strings.HasPrefix(d.out.Text(), "info string error"), "%v", d.out.Text())
		if strings.HasPrefix(d.out.Text(), prefix) {
			return lines
		}
	}
	d.t.Fatalf("no line %q in %q", prefix, lines)
	return nil
}

func TestServed(t *testing.T) {
	d := serve(t)
	d.say("usi")
	greeting := strings.Join(d.until("usiok"), "\n")
	for _, want := range []string{
		"id name gogi sparring " + Version,
		"id author gogi",
		"option name USI_Hash type spin default 16 min 1 max 4096",
		"option name EnteringKingRule type combo default CSARule27 var NoEnteringKing var CSARule24 var CSARule24H var CSARule27 var CSARule27H var TryRule",
		"option name USI_Ponder type check default false",
	} {
		testutil.Contains(t, greeting, want, "no")
	}
	d.say("setoption name USI_Hash value 1", "setoption name MultiPV value 2", "setoption name Ponder value true",
		"isready")
	d.until("readyok")
	d.say("usinewgame", "position startpos moves 7g7f", "go nodes 1000")
	lines := d.until("bestmove ")
	if last := usi.ParseInfo(lines[len(lines)-2]); last.MultiPV != 2 || last.Nodes != 1000 || len(last.PV) == 0 {
		t.Errorf("before bestmove: %q", lines[len(lines)-2])
	}
	first := usi.ParseBestmove(lines[len(lines)-1])
	if first.Answer != usi.AnswerMove || first.Ponder == shogi.NoMove {
		t.Errorf("%q", lines[len(lines)-1])
	}

	d.say("go infinite")
	d.until("info depth 4 ")
	d.say("stop")
	d.until("bestmove ")

	d.say("go ponder btime 0 wtime 0 byoyomi 100")
	d.until("info depth 3 ")
	d.say("ponderhit")
	d.until("bestmove ")

	d.say("go nodes 1000")
	lines = d.until("bestmove ")
	got := usi.ParseBestmove(lines[len(lines)-1])
	testutil.Check(t, got == first, "the same request gave %v, then %v", first, got)
	d.say("position sfen 4k4/4G4/4P4/9/9/9/9/9/9 w - 1", "go btime 1000 wtime 1000 binc 10 winc 10")
	d.until("bestmove resign")
	d.say("gameover lose", "quit")
	testutil.OK(t, <-d.end)
}
