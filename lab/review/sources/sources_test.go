package sources

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/lab/review"
	"gogi/shogi"
	"gogi/shogi/kifu"
	kifutext "gogi/shogi/kifu/text"
)

const csa = `V2.2
N+first
N-second
$EVENT:one
'black_rate:first:3500
PI
+
+7776FU
-3334FU
+8822UM
%TORYO
`

// files writes texts into a folder.
func files(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		testutil.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{"a.csa": csa, "b.csa": strings.Replace(csa, "$EVENT:one\n", "", 1),
		"c.csa": "V2.2\nPI\n+\n+7775FU\n"})
	var games []*review.Game
	var refused []string
	err := Files(t.Context(), []string{dir}, nil, func(place, _ string) { refused = append(refused, place) },
		func(g *review.Game, r *kifu.Record) error {
			testutil.Equal(t, len(g.Moves), len(r.Moves), "moves")
			games = append(games, g)
			return nil
		})
	testutil.Require(t, err == nil && len(games) == 2 && len(refused) == 1 && strings.Contains(refused[0], "c.csa"),
		"%d games, refused %v, %v", len(games), refused, err)
	want := review.Game{
		Event: "one", Names: [2]string{"first", "second"}, Ranks: [2]string{"3500", ""}, Start: "startpos",
		Sides: "BWB", Moves: []string{"7g7f", "3c3d", "8h2b+"}, Winner: review.Black,
	}
	want.Identify()
	testutil.Same(t, *games[0], want)
	testutil.Check(t, games[1].ID != games[0].ID && strings.Contains(games[1].Event, "b.csa"), "%+v", games[1])
}

// TestFromRecord: opening moves are given moves, and White moves first in a handicap game. An illegal move and the
// moves after it are dropped.
func TestFromRecord(t *testing.T) {
	t.Parallel()
	h, ok := shogi.FindHandicap("二枚落ち")
	testutil.Require(t, ok, "no handicap")
	var moves []kifu.Move
	for i, text := range []string{"3c3d", "7g7f", "4c4d", "7f7d"} {
		m := testutil.Must(shogi.ParseMove(text))(t)
		moves = append(moves, kifu.Move{Move: m, Opening: i < 1})
	}
	g, err := FromRecord(&kifu.Record{Start: h.SFEN, Moves: moves, Winner: "black"})
	testutil.Check(t, err == nil && g.Sides == "WBW" && g.Given == 1 && g.Winner == review.Black &&
		g.Start == "sfen "+h.SFEN,
		"%+v, %v", g, err)
}

// TestAnnotate: a record stores the value after each move from the mover's view. The CSA format shows it from Black's
// view.
func TestAnnotate(t *testing.T) {
	t.Parallel()
	record := testutil.Must(testutil.ReadAll(reader(t, "csa", csa).Next))(t)
	g := testutil.Must(FromRecord(record[0]))(t)
	v := &review.Reviewed{Game: g, Readings: []*review.Reading{
		{Best: "2g2f", Value: 600}, {Best: "3c3d", Value: -50}, {Best: "2g2f", Value: 70}, {Best: "3a2b", Mate: 1},
	}}
	testutil.OK(t, Annotate(record[0], v, review.Customary()))
	text := testutil.Must(kifutext.AppendCSA(nil, record[0]))(t)
	// White reads −50 after the first move, which is 50 for Black.
	for _, want := range []string{"+7776FU\n'** 50 -3334FU\n", "-3334FU\n'** 70 +2726FU\n", "+8822UM\n'** -"} {
		testutil.Contains(t, string(text), want, "%s lacks", text)
	}
	// The win rate is 73.1% before the move and 52.1% after it.
	testutil.Equal(t, record[0].Moves[0].Comment, "engine: ２六歩(27), −21.0%")
	testutil.Equal(t, record[0].Moves[1].Comment, "", "the engine's own move is commented")
}

func reader(t *testing.T, format, text string) kifutext.Reader {
	t.Helper()
	f := testutil.Must(kifutext.Find(kifutext.Text(), format))(t)
	return f.Read(kifutext.NewInput("test", strings.NewReader(text)))
}
