package games

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/report/stored"
	"gogi/results"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/packed"
	kifutext "gogi/shogi/kifu/text"
)

// TestMatesAsCentipawns: A writes its mates as 16000 less the plies, as sjaakii does. --no-mate leaves them out, and
// without it they count as limited mates. B has the same scores, but no game shows that they are mates. Records of text
// keep every score.
func TestMatesAsCentipawns(t *testing.T) {
	var text bytes.Buffer
	for i := range 4 {
		text.Write(matedBy(t, "A", "B", i))
	}
	store, info := importedRun(t, text.Bytes())
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

	text.Reset()
	f := testutil.Must(kifutext.Find(Formats(packed.Options{}, &packed.Tally{}), "jsonl"))(t)
	testutil.OK(t, testutil.Err((&Export{Format: f}).Run(t.Context(), store, info, "-", &text)))
	testutil.Equal(t, strings.Count(text.String(), "15999"), 4)

	rep := testutil.Must(stored.Report(t.Context(), store, "run"))(t)
	testutil.Check(t, rep.Players[0].Name == "A" && rep.Players[0].MateBase == 16000 && rep.Players[1].MateBase == 0,
		"%+v", rep.Players)
	testutil.Check(t, len(rep.LimitWarnings()) == 1 &&
		strings.Contains(rep.LimitWarnings()[0].String(), "16000 less the plies"), "%v", rep.LimitWarnings())
}

// matedBy returns the record of a game that winner won with Black, as a line of JSON. Its scores are 16000 less the
// plies. The king of Black has one of 24 places, so that games with different numbers differ.
func matedBy(t *testing.T, winner, loser string, number int) []byte {
	t.Helper()
	ranks := []string{"9", "9", "9"}
	file := number % 8
	ranks[number/8] = fmt.Sprintf("%dK", file+1)
	if file < 7 {
		ranks[number/8] += fmt.Sprint(7 - file)
	}
	g := &kifu.Record{
		Black: winner, White: loser, Start: "4k4/9/8p/4P4/9/9/" + strings.Join(ranks, "/") + " b G 1", Result: "checkmate",
		Winner: "black",
	}
	for k, move := range []string{"5d5c", "1c1d", "G*5b"} {
		score := []int{15997, -15998, 15999}[k]
		g.Moves = append(g.Moves, kifu.Move{Move: testutil.Must(shogi.ParseMove(move))(t), Score: score, HasScore: true})
	}
	return lines(t, map[string]*kifu.Record{"1": g})
}

// importedRun imports the games of JSON lines as a run.
func importedRun(t *testing.T, text []byte) (*results.Store, *results.RunInfo) {
	t.Helper()
	store := openStore(t)
	i := Import{Run: "run", Sources: []string{"-"}, In: bytes.NewReader(text), Refused: func(r Refusal) {
		t.Errorf("%+v", r)
	}}
	testutil.OK(t, testutil.Err(i.Into(t.Context(), store)))
	return store, runOf(t, store, "run")
}

// TestReportsAndExportsLearnAlike: a player that wins its first game late in the run has the same base in the report
// and in an export.
func TestReportsAndExportsLearnAlike(t *testing.T) {
	var text bytes.Buffer
	for i := range 20 {
		text.Write(matedBy(t, "A", "B", i))
	}
	for i := range 3 {
		text.Write(matedBy(t, "B", "A", i))
	}
	store, info := importedRun(t, text.Bytes())
	scales := testutil.Must(MateScales(t.Context(), store, info.ID, info.Players))(t)
	rep := testutil.Must(stored.Report(t.Context(), store, "run"))(t)
	for _, p := range rep.Players {
		testutil.Check(t, p.MateBase == 16000 && scales[p.Name].Base() == 16000, "%s: report %d, export %d", p.Name,
			p.MateBase, scales[p.Name].Base())
	}
}
