package usi

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/shogi"
)

// TestKeeperAgainstAllLines requires that the inbox stores the same as a reader of all lines, for any sequence of
// lines.
func TestKeeperAgainstAllLines(t *testing.T) {
	words := []string{
		" multipv 1", " multipv 2", " multipv 4", " score cp 7", " score cp -3", " upperbound", " score mate 5", " nodes 10",
		" nodes 77",
		" pv 7g7f 3c3d", " pv resign", " depth 4", " string nodes 5 ",
	}
	rapid.Check(t, func(rt *rapid.T) {
		in := newInbox(nil)
		for search := range rapid.IntRange(1, 3).Draw(rt, "searches") {
			in.search(lineBestmove, nil)
			var lines []string
			for range rapid.IntRange(0, 8).Draw(rt, "lines") {
				line := "info" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 5).Draw(rt, "words"), "")
				lines = append(lines, line)
				in.line([]byte(line), time.Time{})
			}
			if got, want := in.finish(0), allLines(lines); !reflect.DeepEqual(got, want) {
				rt.Fatalf("search %d, %q:\ngot  %+v\nwant %+v", search, lines, got, want)
			}
		}
	})
}

// allLines reads every line and stores what a Reply contains.
func allLines(lines []string) Reply {
	var r Reply
	last, lastBound := map[int]Info{}, false
	for _, line := range lines {
		info := ParseInfo(line)
		if strings.HasPrefix(line, "info string") {
			continue
		}
		if strings.Contains(line, " nodes ") {
			r.Nodes = info.Nodes
		}
		if !strings.Contains(line, " score ") {
			continue
		}
		at := 1
		if _, rest, ok := strings.Cut(line, " multipv "); ok {
			fmt.Sscan(rest, &at)
		}
		last[at] = info
		before, pv, _ := strings.Cut(line, " pv ")
		varies, bound := strings.HasPrefix(pv, "7g7f"), strings.Contains(before, "erbound")
		switch {
		case at != 1 || bound:
		case varies:
			r.Exact, r.Firm = info, Info{}
		default:
			r.Firm = info
		}
		if at == 1 {
			lastBound = bound
		}
	}
	if !lastBound { // Lines has the line
		r.Firm = Info{}
	}
	for at := range 5 {
		if info, ok := last[at]; ok {
			r.Lines = append(r.Lines, info)
		}
	}
	return r
}

// TestScoreOfASearch: a bound does not stand for the search if there is an exact score, with or without a variation.
// The lines are those of fastchess's and cutechess's reports of games that a bound ended.
func TestScoreOfASearch(t *testing.T) {
	for lines, want := range map[string]Score{
		"info score cp 30 pv 7g7f\ninfo score cp -2600 lowerbound pv 1g1f":                              {Value: 30},
		"info score cp 30 pv 7g7f\ninfo score cp 900 upperbound\ninfo score cp 2000 lowerbound pv 2g2f": {Value: 30},
		"info score cp 30 pv 7g7f\ninfo score cp 12\ninfo score mate -10 lowerbound pv 1g1f":            {Value: 12},
		"info score cp 12\ninfo score cp 30 pv 7g7f\ninfo score cp 5 upperbound":                        {Value: 30},
		"info score cp 12\ninfo score cp 5 upperbound\ninfo score cp 7":                                 {Value: 7},
		"info score cp -2600 upperbound pv 1g1f": {Value: -2600,
			Bound: UpperBound},
		"info depth 3": {},
	} {
		in := newInbox(nil)
		in.search(lineBestmove, nil)
		for line := range strings.Lines(lines) {
			in.line([]byte(strings.TrimSuffix(line, "\n")), time.Time{})
		}
		testutil.Equal(t, in.finish(0).Scored().Score, want, "%q", lines)
	}
}

// TestMaxPVReadsTheFirstPlies requires that a limit of the variation does not change the rest of the line.
func TestMaxPVReadsTheFirstPlies(t *testing.T) {
	in := newInbox(nil)
	in.search(lineBestmove, nil)
	for _, line := range []string{"info score cp 3 nodes 9 pv 7g7f 3c3d 2g2f", "info score cp 4 upperbound pv 2g2f 8c8d"} {
		in.line([]byte(line), time.Time{})
	}
	whole := in.finish(0)
	for most := 1; most < 4; most++ {
		want := whole
		want.Lines = []Info{whole.Lines[0]}
		want.Lines[0].PV = whole.Lines[0].PV[:min(most, 2)]
		want.Exact.PV = whole.Exact.PV[:most]
		got := in.finish(most)
		testutil.Check(t, reflect.DeepEqual(got, want) && len(whole.Exact.PV) == 3, "%d: got %+v, want %+v", most, got, want)
	}
	none := whole
	none.Lines = []Info{whole.Lines[0]}
	none.Lines[0].PV, none.Exact.PV = nil, nil
	testutil.Same(t, in.finish(NoPV), none, "none")
}

// TestSearchAllocations requires few allocations for a search with one info line: the lines of the reply, the text of
// both lines, and the variation if it is requested.
func TestSearchAllocations(t *testing.T) {
	e := &Engine{conn: mute{}, limits: Limits{}.withDefaults(), in: newInbox(nil)}
	p := Position{Start: "startpos", Moves: []shogi.Move{shogi.NewDrop(shogi.Pawn, shogi.NewSquare(5, 5))}}
	r := Request{Position: p, Go: Go{Clock: true, BTime: time.Second, UseByoyomi: true, Byoyomi: time.Second},
		Deadline: time.Hour}
	info, answer := []byte("info depth 3 score cp 3 nodes 9 pv 7g7f 3c3d 2g2f"), []byte("bestmove 7g7f")
	e.conn = mute{func() {
		e.in.line(info, time.Time{})
		e.in.line(answer, time.Time{})
	}}
	for maxPV, most := range map[int]float64{0: 4, NoPV: 3} {
		r.MaxPV = maxPV
		if n := testing.AllocsPerRun(100, func() {
			if reply, err := e.Think(t.Context(), r); err != nil || reply.Nodes != 9 {
				t.Fatal(reply, err) // not by testutil, which allocates
			}
		}); n > most {
			t.Errorf("%d plies: %v allocations", maxPV, n)
		}
	}
}

// mute is a connection whose engine answers each write at once.
type mute struct{ answer func() }

func (m mute) Write(b []byte) (int, error) { m.answer(); return len(b), nil }
func (mute) Read([]byte) (int, error)      { return 0, io.EOF }
func (mute) Close() error                  { return nil }

// TestAbandonedWaitIsDropped requires that an answer to an earlier wait does not answer a later one, even if only the
// end of the output follows.
func TestAbandonedWaitIsDropped(t *testing.T) {
	in := newInbox(nil)
	in.search(lineBestmove, nil)
	in.line([]byte("bestmove 7g7f"), time.Time{})
	wait := in.expect(lineReadyok)
	in.line([]byte("\t readyok\r\r"), time.Time{})
	if ev := <-wait; string(ev.line) != "readyok" {
		t.Errorf("got %q", ev.line)
	}
	in.search(lineBestmove, nil)
	in.line([]byte("bestmove 2g2f"), time.Time{})
	in.end(errDone, nil, time.Time{})
	if ev := <-in.expect(lineReadyok); ev.err != errDone || len(ev.line) > 0 { //nolint:errorlint // the very one
		t.Errorf("got %q, %v", ev.line, ev.err)
	}
}

var errDone = fmt.Errorf("done")

// TestPositionLineGrows requires that the lines sent describe the current position, after any earlier lines.
func TestPositionLineGrows(t *testing.T) {
	moves := rapid.SliceOfN(rapid.SampledFrom([]shogi.Move{
		shogi.NewMove(shogi.NewSquare(7, 7), shogi.NewSquare(7, 6)), shogi.NewDrop(shogi.Pawn, shogi.NewSquare(5, 5)),
	}), 0, 4)
	rapid.Check(t, func(rt *rapid.T) {
		var l positionLine
		var p Position
		for range rapid.IntRange(1, 6).Draw(rt, "searches") {
			p.Start = rapid.SampledFrom([]string{"startpos", "sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1"}).Draw(rt, "start")
			if rapid.Bool().Draw(rt, "goes on") {
				p.Moves = append(p.Moves, moves.Draw(rt, "more")...)
			} else {
				p.Moves = moves.Draw(rt, "moves")
			}
			g := Go{Nodes: rapid.Uint64Range(0, 3).Draw(rt, "nodes"), SearchMoves: moves.Draw(rt, "searchmoves")}
			if got, want := string(l.line(p, g)), p.String()+"\n"+g.String()+"\n"; got != want {
				rt.Fatalf("got %q, want %q", got, want)
			}
		}
	})
}

// TestExactLineWithBlanks requires that blanks between "pv" and the first move do not make a line less exact.
func TestExactLineWithBlanks(t *testing.T) {
	for line, want := range map[string]bool{
		"info depth 3 score cp 5 pv 7g7f": true, "info depth 3 score cp 5 pv  \t7g7f": true,
		"info depth 3 score cp 5 pv  ": false, "info depth 3 score cp 5 pv  resign": false,
		"info depth 3 score cp 5 lowerbound pv  7g7f": false,
	} {
		exact, _ := scoreKind([]byte(line))
		testutil.Equal(t, exact, want, "%q", line)
	}
}
