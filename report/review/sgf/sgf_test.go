package sgf

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/report/review/goban"

	"pgregory.net/rapid"
)

// one reads the one game of a text.
func one(t *testing.T, text string) *Game {
	t.Helper()
	games, bad := Parse([]byte(text))
	if len(games) != 1 || len(bad) != 0 {
		t.Fatalf("%q: %d games, %v", text, len(games), bad)
	}
	return games[0]
}

func moves(g *Game) string {
	var list []string
	for i := range g.Moves {
		list = append(list, g.Moves[i].String())
	}
	return strings.Join(list, " ")
}

// The first text is FF[4]'s own way of everything that is used; the coordinates are read by
// hand: pd is the 16th column of the 4th line from above, which GTP calls Q16.
func TestParse(t *testing.T) {
	t.Parallel()
	g := one(t, `mail header (x) ( ;GM[1]FF[4]SZ[19]KM[0.5]HA[2]AB[pd][dp]PB[A \] \\ B]PW[先番]BR[3d]WR[1 dan]RE[W+R]RU[Japanese]
C[one\
two
three]EV[club
evening];W[dd]C[good: \]]V[-3.5](;B[pp](;W[];B[tt])(;W[qq]))(;B[cc]))`)
	testutil.Equal(t, moves(g), "W D16 B Q4 W pass B pass")
	want := Game{
		Black: `A ] \ B`, White: "先番", BlackRank: "3d", WhiteRank: "1 dan", Result: "W+R", Rules: "Japanese", Event: "club evening",
		Komi: 0.5, Handicap: 2, First: goban.White, Comment: "onetwo\nthree", Branches: 2,
		Setup: []goban.Move{{Colour: goban.Black, Point: 60}, {Colour: goban.Black, Point: 300}}, Moves: g.Moves,
	}
	want.Setup[0].Point, _ = goban.ParsePoint("D4")
	want.Setup[1].Point, _ = goban.ParsePoint("Q16")
	testutil.Same(t, *g, want)
	if m := g.Moves[0]; m.Comment != "good: ]" || m.Value != -3.5 || !m.HasValue || g.Moves[1].HasValue {
		t.Errorf("%+v", g.Moves)
	}
	if w, known := g.Winner(); w != goban.White || !known {
		t.Error(w, known)
	}
}

// The second byte of 表 in Shift_JIS is that of a backslash.
func TestShiftJIS(t *testing.T) {
	t.Parallel()
	if g := one(t, "(;PB[\x95\x5c];B[aa])"); g.Black != "表" || len(g.Moves) != 1 {
		t.Errorf("%q, %s", g.Black, moves(g))
	}
}

func TestSetup(t *testing.T) {
	t.Parallel()
	g := one(t, "(;SZ[19]AB[aa:cb][sa];AE[ba]AW[ss]PL[W])")
	var stones []string
	for _, m := range g.Setup {
		stones = append(stones, m.String())
	}
	if got := strings.Join(stones, " "); got != "W T1 B A18 B B18 B C18 B A19 B C19 B T19" || g.First != goban.White {
		t.Error(got, g.First)
	}
	if g := one(t, "(;AB[dd][pp]HA[2])"); g.First != goban.White {
		t.Error("after a handicap White moves first")
	}
	if g := one(t, "(;CoPyright[x]GaMe[1])"); g.First != goban.Black {
		t.Error("FF[3]'s long names: Black moves first")
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"(;SZ[9])":                          "game 1, line 1: SZ[9]: expected the board of 19 lines",
		"(;GM[2])":                          "expected 1, the game of Go",
		"(;B[aa]\n;W[aa])":                  "line 2: move 2, W A19: there is a stone already",
		"(;B[zz])":                          `point "zz": expected two letters from a to s`,
		"(;B[aa];AB[bb])":                   "stones are set up after the first move",
		"(;B[aa]W[bb])":                     "a second move in one node",
		"(;B[aa":                            "the text ends within a game",
		"(;B[aa]":                           "the text ends within a game",
		"(;KM[x])":                          "KM[x]: expected a number such as 6.5",
		"(;HA[-1])":                         "HA[-1]: expected a number of stones",
		"(;AB[cc:aa])":                      "the upper left and the lower right corner",
		"(;B 5)":                            `found '5', expected [ and a value`,
		"(;5)":                              `found '5', expected a property`,
		"(;PL[x])":                          "expected B or W",
		"(;AW[ba][ab]AB[aa];B[ss];B[sr])":   "", // a stone without liberties may be set up
		"(;AW[ba][ab];B[aa])":               "it would leave its own stones without a liberty",
		"(;C[a];B[aa];KM[not of the root])": "",
	} {
		_, bad := Parse([]byte(text))
		switch {
		case want == "" && len(bad) > 0:
			t.Errorf("%s: %v", text, bad[0])
		case want != "" && (len(bad) != 1 || !strings.Contains(bad[0].Error(), want)):
			t.Errorf("%s: %v, expected %s", text, bad, want)
		}
	}
}

// A game that is refused stops none of the others, and variations do not refuse a game.
func TestCollection(t *testing.T) {
	t.Parallel()
	games, bad := Parse([]byte("\ufeff(;B[aa])\n(;B[aa];W[aa](;B[bb])(;B[cc]))\n\n(;W[cc](;B[dd])(;B[cc];B[dd]))"))
	if len(games) != 2 || len(bad) != 1 || bad[0].Game != 2 || bad[0].Line != 2 || !errors.Is(bad[0].Err, goban.ErrOccupied) {
		t.Fatalf("%d games, %v", len(games), bad)
	}
	if games[1].Branches != 1 || moves(games[1]) != "W C17 B D16" {
		t.Errorf("%+v", games[1])
	}
}

func TestWinner(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]goban.Colour{"B+R": goban.Black, "W+0.5": goban.White, "0": goban.Empty, "Draw": goban.Empty} {
		if w, known := (&Game{Result: result}).Winner(); w != want || !known {
			t.Errorf("%s: %v, %v", result, w, known)
		}
	}
	for _, result := range []string{"", "?", "Void", "R"} {
		if _, known := (&Game{Result: result}).Winner(); known {
			t.Errorf("%q says who has won", result)
		}
	}
}

// TestRoundTripLaw: every game reads as it was written.
func TestRoundTripLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := randomGame(t)
		games, bad := Parse(Append(nil, g))
		if len(bad) > 0 || len(games) != 1 || !reflect.DeepEqual(games[0], g) {
			t.Fatalf("%s\nreads as %+v, %v; expected %+v", Append(nil, g), games, bad, g)
		}
	})
}

func randomGame(t *rapid.T) *Game {
	text := rapid.StringMatching(`([ -~あ\]\\:;()]*[!-~あ\]\\])?`)
	word := rapid.Custom(func(t *rapid.T) string { return strings.TrimSpace(text.Draw(t, "text")) })
	g := &Game{
		Black: word.Draw(t, "black"), White: word.Draw(t, "white"), BlackRank: word.Draw(t, "rank"), WhiteRank: word.Draw(t, "rank"),
		Event: word.Draw(t, "event"), Date: word.Draw(t, "date"), Rules: word.Draw(t, "rules"), Result: word.Draw(t, "result"),
		Komi: float64(rapid.IntRange(-20, 20).Draw(t, "komi")) / 2, Handicap: rapid.IntRange(0, 9).Draw(t, "handicap"),
		Comment: text.Draw(t, "comment"),
	}
	var board goban.Board
	setup := rapid.SliceOfNDistinct(rapid.IntRange(0, 360), 0, 9, rapid.ID[int]).Draw(t, "setup")
	for p := range goban.Point(goban.Size * goban.Size) {
		for _, s := range setup {
			m := goban.Move{Colour: goban.Colour(1 + s%2), Point: p}
			if goban.Point(s) == p && board.Put(m) == nil {
				g.Setup = append(g.Setup, m)
			}
		}
	}
	side := rapid.SampledFrom([]goban.Colour{goban.Black, goban.White}).Draw(t, "first")
	g.First = side
	for range rapid.IntRange(0, 30).Draw(t, "plies") {
		m := Move{Move: goban.Move{Colour: side, Point: goban.Point(rapid.IntRange(-1, 360).Draw(t, "point"))}}
		if rapid.Bool().Draw(t, "said") {
			m.Comment, m.HasValue, m.Value = text.Draw(t, "comment"), true, float64(rapid.IntRange(-999, 999).Draw(t, "value"))/8
		}
		if _, err := board.Play(m.Move); err == nil {
			g.Moves, side = append(g.Moves, m), side.Other()
		}
	}
	return g
}

// FuzzParse: whatever a text is, reading ends, what is read is legal, and reads the same when it is written.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"(;GM[1]FF[4]SZ[19]KM[6.5]HA[2]AB[pd][dp];W[dd]C[x\\]y];B[pp](;W[])(;W[qq]))", "(;B[tt];W[])(;W[aa]V[-1.5])", "(;AB[aa:ss])", "((;))", "(;C[\\\r\n])",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		games, bad := Parse(data)
		for _, b := range bad {
			if b.Line < 1 || b.Game < 1 || b.Err == nil {
				t.Fatalf("%+v", b)
			}
		}
		for _, g := range games {
			written := Append(nil, g)
			again, bad := Parse(written)
			if len(bad) > 0 || len(again) != 1 || moves(again[0]) != moves(g) || again[0].First != g.First || !reflect.DeepEqual(again[0].Setup, g.Setup) {
				t.Fatalf("%q\nwritten as %s\nreads as %+v, %v", data, written, again, bad)
			}
			if twice := Append(nil, again[0]); string(twice) != string(written) {
				t.Fatalf("%s\nthen %s", written, twice)
			}
		}
	})
}
