package games

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/report/stored"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/packed"
	kifutext "gogi/shogi/kifu/text"
)

// TestMatesAsCentipawns: A writes its mates as 16000 less the plies, as sjaakii does. --no-mate leaves them out, and without it they
// count as limited mates. B has the same scores, but no game shows that they are mates. Records of text keep every score.
func TestMatesAsCentipawns(t *testing.T) {
	games := map[string]*kifu.Record{}
	for i := range 4 { // the king of Black differs, so that no game repeats another
		g := &kifu.Record{
			Black: "A", White: "B", Start: fmt.Sprintf("4k4/9/8p/4P4/9/9/9/9/%dK%d b G 1", i+1, 7-i), Result: "checkmate", Winner: "black",
		}
		for k, move := range []string{"5d5c", "1c1d", "G*5b"} {
			score := []int{15997, -15998, 15999}[k]
			g.Moves = append(g.Moves, kifu.Move{Move: testutil.Must(shogi.ParseMove(move))(t), Score: score, HasScore: true})
		}
		games[fmt.Sprint(i)] = g
	}
	store := openStore(t)
	i := Import{Run: "run", Sources: []string{"-"}, In: bytes.NewReader(lines(t, games)), Refused: func(r Refusal) { t.Errorf("%+v", r) }}
	testutil.OK(t, testutil.Err(i.Into(t.Context(), store)))
	info := runOf(t, store, "run")
	psv := func(o packed.Options) packed.Tally {
		var tally packed.Tally
		f := testutil.Must(kifutext.Find(Formats(o, &tally), "psv"))(t)
		var out bytes.Buffer
		testutil.OK(t, testutil.Err((&Export{Format: f, Training: true}).Run(t.Context(), store, info, "-", &out)))
		return tally
	}
	without, with := psv(packed.Options{NoMate: true}), psv(packed.Options{})
	testutil.Check(t, without.Mates == 8 && without.Positions == 4, "without mates: %+v", without)
	testutil.Check(t, with.Mates == 0 && with.Positions == 12 && with.Clamped == 8, "with mates: %+v", with)

	var text bytes.Buffer
	f := testutil.Must(kifutext.Find(Formats(packed.Options{}, &packed.Tally{}), "jsonl"))(t)
	testutil.OK(t, testutil.Err((&Export{Format: f}).Run(t.Context(), store, info, "-", &text)))
	testutil.Equal(t, strings.Count(text.String(), "15999"), 4)

	rep := testutil.Must(stored.Report(t.Context(), store, "run"))(t)
	testutil.Check(t, rep.Players[0].Name == "A" && rep.Players[0].MateBase == 16000 && rep.Players[1].MateBase == 0, "%+v", rep.Players)
	testutil.Check(t, len(rep.LimitWarnings()) == 1 && strings.Contains(rep.LimitWarnings()[0].String(), "16000 less the plies"), "%v", rep.LimitWarnings())
}
