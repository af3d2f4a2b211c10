package review

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
	kifutext "gogi/shogi/kifu/text"
	"gogi/usi"
)

// usualMarks are the thresholds by default.
var usualMarks = Marks{5, 10, 20}

// scripted is an engine with a score and a best line for each number of moves.
type scripted struct {
	t      *testing.T
	scores map[int]usi.Score
	best   map[int]string
	asked  []string // positions
}

func (e *scripted) NewGame(context.Context, usi.Game) error { return nil }

func (e *scripted) Think(_ context.Context, r usi.Request) (usi.Reply, error) {
	ply := len(r.Position.Moves)
	e.asked = append(e.asked, r.Position.Start)
	line := usi.Info{MultiPV: 1, HasScore: true, Score: e.scores[ply]}
	for _, text := range strings.Fields(e.best[ply]) {
		line.PV = append(line.PV, testutil.Must(shogi.ParseMove(text))(e.t))
	}
	second := line
	second.MultiPV, second.PV = 2, nil
	second.Score.Value -= 100
	return usi.Reply{Answer: usi.AnswerMove, Move: shogi.NoMove, Lines: []usi.Info{line, second}, Exact: line}, nil
}

func record(t *testing.T, start string, moves ...string) *kifu.Record {
	t.Helper()
	r := &kifu.Record{Start: start, Black: "dev", White: "base", Winner: "white", Result: "TORYO"}
	for _, text := range moves {
		r.Moves = append(r.Moves, kifu.Move{Move: testutil.Must(shogi.ParseMove(text))(t)})
	}
	return r
}

// centipawns returns exact scores for the side to move after 0, 1, 2, … moves.
func centipawns(list ...int) map[int]usi.Score {
	scores := map[int]usi.Score{}
	for i, cp := range list {
		scores[i] = usi.Score{Value: cp}
	}
	return scores
}

// TestWin: the values of the logistic function with width 600, from its definition, as Ponanza's constant is used
// elsewhere.
func TestWin(t *testing.T) {
	for cp, want := range map[int]float64{0: 50, 600: 73.105858, -600: 26.894142, 1200: 88.079708, -3000: 0.669285} {
		got := DefaultScale.Win(Value{CP: cp})
		testutil.Check(t, got > want-1e-5 && got < want+1e-5, "%d: %v, want %v", cp, got, want)
	}
	testutil.Equal(t, DefaultScale.Win(Value{Mate: 3}), 100)
	testutil.Equal(t, DefaultScale.Win(Value{Mate: -1}), 0)
}

// TestAnalyse: a loss is a fall of the mover's own win probability, the marks follow the thresholds, and the engine's
// own move loses nothing. The opening is not reviewed.
func TestAnalyse(t *testing.T) {
	// After 2 moves the value is 0 for Black; Black's 3rd move gives White +600 (73%): a blunder of 23 points. White's 4th
	// move gives back 300 (62%): a mistake of 11 points. Black's 5th move is the engine's own, although the value falls.
	e := &scripted{t: t, scores: centipawns(0, 0, 0, 600, -300, 900),
		best: map[int]string{2: "2g2f 8c8d", 3: "8c8d 2g2f", 4: "6i7h"}}
	game := record(t, "startpos", "7g7f", "3c3d", "9g9f", "9c9d", "6i7h")
	r := testutil.Must(Analyse(t.Context(), e, game,
		Settings{Lines: 2, Marks: usualMarks, Scale: DefaultScale, First: 2}))(t)
	testutil.Equal(t, len(r.Moves), 3, "reviewed moves")
	for i, want := range []struct {
		side string
		loss float64
		mark Mark
	}{{"black", 23.1, Blunder}, {"white", 10.9, Mistake}, {"black", 0, NoMark}} {
		m := r.Moves[i]
		testutil.Check(t, m.Side == want.side && m.Mark == want.mark && m.Loss > want.loss-0.1 && m.Loss < want.loss+0.1,
			"move %d: %+v", m.Ply, m)
	}
	testutil.Equal(t, len(r.Moves[0].Lines), 2, "lines")
	testutil.Equal(t, r.Moves[0].Lines[0].PV[0].String(), "2g2f", "first move of the best line")
	turn, one := r.Turn("black")
	testutil.Check(t, one && turn.Ply == 3, "the game turned at %+v, %v", turn, one)
	_, one = r.Turn("white")
	testutil.Check(t, !one, "White never fell below 50%%")
	testutil.Equal(t, e.asked[0], "startpos", "start")
}

// TestAnalyseEnds: a mated side is asked nothing, a handicap keeps its start, and an illegal last move is left out.
func TestAnalyseEnds(t *testing.T) {
	mate := "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"
	e := &scripted{t: t, scores: map[int]usi.Score{0: {Mate: 1, Value: 1}}, best: map[int]string{0: "G*5b"}}
	r := testutil.Must(Analyse(t.Context(), e, record(t, mate, "G*5b"),
		Settings{Lines: 1, Marks: usualMarks, Scale: DefaultScale}))(t)
	testutil.Same(t, e.asked, []string{"sfen " + mate}, "positions")
	testutil.Check(t, r.Moves[0].After == 100 && r.Moves[0].Mark == NoMark, "%+v", r.Moves[0])
	e = &scripted{t: t, scores: centipawns(0, 0)}
	r = testutil.Must(Analyse(t.Context(), e, record(t, "startpos", "7g7f", "7g7f"),
		Settings{Lines: 1, Marks: usualMarks, Scale: DefaultScale}))(t)
	testutil.Equal(t, len(r.Moves), 1, "moves")
	_, err := Analyse(t.Context(), e, record(t, "startpos", "7g7f", "7g7f", "3c3d"), Settings{Lines: 1})
	testutil.Fails(t, err, "move 2, 7g7f, is illegal")
}

// TestAnnotateFromBlacksView: the values of variations are from Black's view, also at a move of White. KIF has only one
// view in a comment, and ShogiHome's "評価値" is Black's.
func TestAnnotateFromBlacksView(t *testing.T) {
	e := &scripted{t: t, scores: centipawns(-300, 300, 600), best: map[int]string{1: "8c8d"}}
	start := shogi.StartPos()
	game := record(t, start.SFEN(), "7g7f", "3c3d")
	r := testutil.Must(Analyse(t.Context(), e, game, Settings{Lines: 1, Marks: usualMarks, Scale: DefaultScale}))(t)
	testutil.OK(t, r.Annotate(game))
	text := string(testutil.Must(kifutext.AppendKIF(nil, game))(t))
	for _, want := range []string{"評価値 600", "*候補1 -300 ☖８四歩(83)\n"} {
		testutil.Contains(t, text, want)
	}
}

// TestAnnotate: a KIF file has the mark, the loss and the variations as comments, and the evaluations of the review.
// The file reads back, and the review fits no other game.
func TestAnnotate(t *testing.T) {
	e := &scripted{t: t, scores: centipawns(0, 600, -600, 600), best: map[int]string{0: "2g2f 8c8d 2f2e", 2: "2g2f"}}
	start := shogi.StartPos()
	game := record(t, start.SFEN(), "9g9f", "3c3d", "7g7f")
	r := testutil.Must(Analyse(t.Context(), e, game, Settings{Lines: 2, Marks: usualMarks, Scale: DefaultScale}))(t)
	testutil.OK(t, r.Annotate(game))
	text := string(testutil.Must(kifutext.AppendKIF(nil, game))(t))
	for _, want := range []string{"*?? 大悪手 −23% (50% → 27%)\n", "*候補1 +0 ☗２六歩(27) ☖８四歩(83) ☗２五歩(26)\n", "評価値 -600"} {
		testutil.Contains(t, text, want)
	}
	testutil.Equal(t, strings.Count(text, "大悪手"), 1, "marked moves")
	path := filepath.Join(t.TempDir(), "x", "0.json")
	testutil.OK(t, r.Save(path))
	again := testutil.Must(Load(path))(t)
	testutil.Diff(t, r, again)
	testutil.Fails(t, again.Fits(record(t, "startpos", "9g9f", "8c8d", "7g7f")),
		"the review is of another game: it has 3c3d as move 2")
	none, err := Load(path + "x")
	testutil.Check(t, none == nil && err == nil, "%v, %v", none, err)
}

// TestMarks: thresholds that do not rise are an error.
func TestMarks(t *testing.T) {
	for _, bad := range []Marks{{}, {5, 5, 20}, {0, 5, 10}, {5, 10, 101}} {
		testutil.Fails(t, bad.Check(), "expected three rising losses", "%v", bad)
	}
	testutil.Equal(t, usualMarks.Of(4.99), NoMark)
	testutil.Equal(t, usualMarks.Of(5), Inaccuracy)
	testutil.Equal(t, usualMarks.Of(10), Mistake)
	testutil.Equal(t, usualMarks.Of(20), Blunder)
}
