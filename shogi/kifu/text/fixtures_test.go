package text

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/shogi/kifu"
)

// fixture reads the only game of a file.
func fixture(t *testing.T, path string) *kifu.Record {
	t.Helper()
	f, ok := OfFile(Text(), path)
	testutil.Require(t, ok, "%s: no format", path)
	text := testutil.Must(os.ReadFile(path))(t)
	list, err := testutil.ReadAll(f.Read(NewInput(path, bytes.NewReader(text))).Next)
	testutil.Require(t, err == nil && len(list) == 1, "%d games, %v", len(list), err)
	if name, ok := Detect(text); !ok || name != f.Name && f.Name != "ki2" {
		t.Errorf("%s is taken for %q", path, name)
	}
	return list[0]
}

// TestFixtures: tsshogi wrote the same records in every format. All formats give the same start, moves, whole seconds,
// names, event, end and comments.
func TestFixtures(t *testing.T) {
	for name, end := range map[string][2]string{
		"hirate_interrupt": {"", ""}, "hirate_long_maxmoves": {kifu.EndMaxPlies, draw},
		"kyoochi_illegal": {kifu.EndIllegalMove, "black"}, "midpos_enteringwin": {kifu.EndDeclaration, "black"},
	} {
		paths, err := filepath.Glob("../testdata/" + name + ".*")
		testutil.Require(t, err == nil && len(paths) == 7, "%v %v", paths, err)
		want := fixture(t, "../testdata/"+name+".v30.csa")
		testutil.Check(t, want.Result == end[0] && want.Winner == end[1], "%s ended by %q for %q", name, want.Result,
			want.Winner)
		for _, path := range paths {
			t.Run(filepath.Base(path), func(t *testing.T) { compareFixture(t, want, fixture(t, path), filepath.Ext(path)) })
		}
	}
}

func compareFixture(t *testing.T, want, got *kifu.Record, ext string) {
	t.Helper()
	testutil.Require(t, got.USI() == want.USI() && len(got.Moves) >= 10, "%s\nwant %s", got.USI(), want.USI())
	if ext == ".usi" {
		return
	}
	// KIF, KI2 and JKF use the same word for an impasse and for a game that reached the limit of plies.
	if result := got.Result; result != want.Result && (want.Result != kifu.EndMaxPlies || result != kifu.EndImpasse) ||
		got.Winner != want.Winner {
		t.Errorf("ended by %q for %q, want %q for %q", got.Result, got.Winner, want.Result, want.Winner)
	}
	testutil.Check(t, got.Black == want.Black && got.White == want.White && got.Event == want.Event && want.Black != "",
		"%q, %q, %q; want %q, %q, %q", got.Black, got.White, got.Event, want.Black, want.White, want.Event)
	for i := range got.Moves {
		g, w := got.Moves[i], want.Moves[i]
		testutil.Equal(t, g.Comment, w.Comment, "move %d: comment", i+1)
		testutil.Check(t, ext == ".ki2u" || !g.NoTime && g.Time.Truncate(time.Second) == w.Time.Truncate(time.Second),
			"move %d: %v, want %v", i+1, g.Time, w.Time)
	}
	testutil.Check(t, ext == ".ki2u" || got.HasLast &&
		got.LastTime.Truncate(time.Second) == want.LastTime.Truncate(time.Second),
		"the end took %v (%v), want %v", got.LastTime, got.HasLast, want.LastTime)
}

// TestShogiServer reads records that the real shogi-server (85e1237, Ruby 3.1) wrote for each way in which its games
// end. Scripted clients played the games. The winners are those of the lines #WIN and #LOSE that the clients got. A
// disconnection is abnormal; a sign of an interruption is an illegal move for this server, and a loss on time has no
// word but the summary.
func TestShogiServer(t *testing.T) {
	games := map[string]struct {
		result, winner string
		plies          int
	}{
		"toryo": {kifu.EndResignation, "white", 2}, "fischer": {kifu.EndResignation, "white", 2},
		"kachi": {kifu.EndDeclaration, "black", 92}, "illegal_kachi": {kifu.EndFalseDeclaration, "white", 2},
		"illegal_move": {kifu.EndIllegalMove, "white", 2}, "chudan": {kifu.EndIllegalMove, "white", 2},
		"time_up": {kifu.EndTimeForfeit, "black", 1}, "abnormal": {kifu.EndCrash, "white", 2},
		"sennichite": {kifu.EndRepetition, draw, 13}, "max_moves": {kifu.EndMaxPlies, draw, 6},
	}
	paths, err := filepath.Glob("../testdata/shogi-server/*.csa")
	testutil.Require(t, err == nil && len(paths) == len(games), "%v %v", paths, err)
	for name, want := range games {
		r := fixture(t, "../testdata/shogi-server/"+name+".csa")
		testutil.Check(t, r.Result == want.result && r.Winner == want.winner && len(r.Moves) == want.plies,
			"%s: %s, winner %s, %d moves; want %+v", name, r.Result, r.Winner, len(r.Moves), want)
	}
}
