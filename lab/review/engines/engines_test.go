package engines

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/lab/review"
	"gogi/players/builtin"
	"gogi/shogi"
	"gogi/usi"
)

// builtinEngine returns the built-in engine with 200 nodes a move.
func builtinEngine(t *testing.T) *USI {
	t.Helper()
	e := builtin.New()
	testutil.OK(t, e.Ready(t.Context()))
	return &USI{player: closing{e}, limits: usi.Go{Nodes: 200}}
}

type closing struct{ *builtin.Engine }

func (closing) Close() error { return nil }

// TestUSI: the built-in engine finds a mate in one, and reports no move in a mated position. Begin rejects a game with
// an illegal move.
func TestUSI(t *testing.T) {
	t.Parallel()
	e := builtinEngine(t)
	// The dropped gold mates White's king (頭金).
	g := &review.Game{ID: "1", Start: "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", Sides: "B", Moves: []string{"G*5b"}}
	testutil.OK(t, e.Begin(t.Context(), g))
	if r, err := e.Ask(t.Context(), g, 0); err != nil || r.Best != "G*5b" || r.Mate != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := e.Ask(t.Context(), g, 1); err != nil || r.Best != "none" || r.Mate != -1 {
		t.Errorf("%+v, %v", r, err)
	}
	testutil.Fails(t, e.Begin(t.Context(), &review.Game{Moves: []string{"9z9z"}}), "", "a move that is none was taken")
}

func TestReadingsDoNotDependOnEarlierGames(t *testing.T) {
	t.Parallel()
	read := func(e *USI, moves ...string) review.Reading {
		g := &review.Game{ID: "1", Start: "startpos", Moves: moves}
		testutil.OK(t, e.Begin(t.Context(), g))
		return testutil.Must(e.Ask(t.Context(), g, len(moves)))(t)
	}
	e, moves := builtinEngine(t), []string{"7g7f", "3c3d", "2g2f"}
	read(e, moves[:2]...)
	read(e, "2g2f", "8c8d")
	testutil.Equal(t, read(e, moves...), read(builtinEngine(t), moves...))
}

func TestReading(t *testing.T) {
	t.Parallel()
	p := shogi.StartPos()
	move := testutil.Must(shogi.ParseMove("7g7f"))(t)
	line := func(s usi.Score) []usi.Info { return []usi.Info{{Score: s, HasScore: true}} }
	for name, c := range map[string]struct {
		reply usi.Reply
		want  review.Reading
		fails bool
	}{
		"centipawns": {usi.Reply{Answer: usi.AnswerMove, Move: move, Lines: line(usi.Score{Value: 35})},
			review.Reading{Best: "7g7f", Value: 35}, false},
		"exact before a bound": {usi.Reply{Answer: usi.AnswerMove, Move: move, Exact: line(usi.Score{Value: 5})[0],
			Lines: line(usi.Score{Value: 35, Bound: usi.LowerBound})}, review.Reading{Best: "7g7f", Value: 5}, false},
		"mate": {usi.Reply{Answer: usi.AnswerMove, Move: move, Lines: line(usi.Score{Mate: -1, Value: 4})},
			review.Reading{Best: "7g7f", Mate: -1}, false},
		"resigns": {usi.Reply{Answer: usi.AnswerResign}, review.Reading{Best: "resign", Mate: -1}, false},
		"resigns with a score": {usi.Reply{Answer: usi.AnswerResign, Lines: line(usi.Score{Value: -3000})},
			review.Reading{Best: "resign", Value: -3000}, false},
		"declares": {usi.Reply{Answer: usi.AnswerWin}, review.Reading{Best: "win", Mate: 1}, false},
		"no score": {usi.Reply{Answer: usi.AnswerMove, Move: move}, review.Reading{}, true},
		"no move":  {usi.Reply{Answer: usi.AnswerInvalid, Text: "(none)"}, review.Reading{}, true},
		"an illegal move": {usi.Reply{Answer: usi.AnswerMove, Move: shogi.NewMove(0, 1), Lines: line(usi.Score{})},
			review.Reading{}, true},
		"stopped without score": {usi.Reply{Answer: usi.AnswerMove, Move: move, Stopped: true}, review.Reading{}, true},
	} {
		got, err := reading(&p, &c.reply)
		testutil.Check(t, (err != nil) == c.fails && (err != nil || got == c.want), "%s: %+v, %v", name, got, err)
	}
}
