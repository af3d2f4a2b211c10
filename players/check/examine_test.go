package check

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

// TestCheckPositions checks that each position matches its comment.
func TestCheckPositions(t *testing.T) {
	middle, err := middlegame().History()
	testutil.Check(t, err == nil && middle.MoveCount() == 26 && !middle.Position().InCheck(), "middlegame: %v", err)
	legal := map[int]string{ // all legal moves of some positions
		1: "5i4i 5i6h 5i6i", 3: "5i4h 5i4i 5i5h 5i6h 5i6i", 4: "2g1f 2g1h", 5: "1c2a+ 2b2a+ 8b8a+",
	}
	illegal := map[int]string{0: "P*1b", 2: "5h4g", 4: "P*1f"}
	for i, p := range trickyPositions() {
		position, err := shogi.ParseSFEN(p.sfen)
		if err != nil {
			t.Errorf("%s: %v", p.why, err)
			continue
		}
		var moves []string
		for _, m := range position.LegalMoves(nil) {
			if i != 5 || position.PieceAt(m.From()).Type() != shogi.King {
				moves = append(moves, m.String())
			}
		}
		slices.Sort(moves)
		if got := strings.Join(moves, " "); len(moves) == 0 || legal[i] != "" && got != legal[i] {
			t.Errorf("%s: legal are %s, want %s", p.why, got, legal[i])
		}
		testutil.Check(t, !slices.Contains(moves, illegal[i]), "%s: %s is legal", p.why, illegal[i])
		testutil.Check(t, i != len(trickyPositions())-1 || len(moves) == 593, "%s: %d legal moves", p.why, len(moves))
	}
}

func TestCheckDeclarations(t *testing.T) {
	for sfen, want := range map[string]bool{declarable: true, undeclarable: false} {
		p := testutil.Must(shogi.ParseSFEN(sfen))(t)
		if d := p.Declaration(shogi.CSARule27); d.Win != want {
			t.Errorf("%s: %v", sfen, d.Why())
		}
	}
}

func TestJudgeMate(t *testing.T) {
	for answer, want := range map[string]Verdict{
		"checkmate G*5b":            Pass,
		"bestmove G*5b ponder 1a1b": Warn, // the answer to go mate is checkmate
		"bestmove G*4b":             Warn,
		"bestmove 5c5b+":            Warn,
		"bestmove 1a1b":             Warn,
		"checkmate nomate":          Warn,
		"checkmate notimplemented":  Warn,
		"checkmate":                 Warn,
	} {
		testutil.Equal(t, judgeMate(answer), want, "%s", answer)
	}
}

func TestDifferences(t *testing.T) {
	a := usi.Reply{Text: "7g7f", Nodes: 10_000, Lines: []usi.Info{{Score: usi.Score{Value: 30}}}}
	b := usi.Reply{Text: "2g2f", Nodes: 10_001, Lines: []usi.Info{{Score: usi.Score{Mate: 1, Value: 3}}}}
	got := differences(a, a)
	testutil.Check(t, len(got) == 0, "the same: %v", got)
	testutil.Equal(t, differences(a, b).In(i18n.English),
		"move 7g7f and 2g2f, score cp 30 and mate 3, nodes 10,000 and 10,001")
}

// TestFindingNotes: the note with the worst verdict comes first, and its verdict is that of the finding.
func TestFindingNotes(t *testing.T) {
	f := &Finding{Check: "stop"}
	f.add(Pass, "fine")
	f.add(Warn, "bad\x1b[31m %s", "word")
	f.add(Fail, "worse")
	f.add(Pass, "fine, too")
	want := "worse; bad word; fine; fine, too"
	testutil.Check(t, f.Detail == want && f.Verdict == Fail, "%v: %q, want %q", f.Verdict, f.Detail, want)
}

// TestCharge: a fresh process that is not ready in time is no fault of the item. A crash or another silence is a fault
// of the engine.
func TestCharge(t *testing.T) {
	silent := &usi.Fault{Kind: usi.FaultStart, Awaiting: "readyok", Note: "silent"}
	crashed := &usi.Fault{Kind: usi.FaultCrash, Awaiting: "readyok", Note: "exit status 3"}
	for _, test := range []struct {
		err  error
		want Verdict
		text string
	}{
		{&notStarted{silent}, Warn, "not tried: a fresh process was not ready in time (no readyok); is the machine busy?"},
		{&notStarted{&unanswered{"usiok", time.Second}}, Warn,
			"not tried: a fresh process was not ready in time (no usiok); is the machine busy?"},
		{silent, Fail, "fails on go nodes 5, waiting for readyok: silent"},
		{&notStarted{crashed}, Fail, "aborts on go nodes 5, waiting for readyok: exit status 3"},
		{&usi.Fault{Kind: usi.FaultHang, Searching: true}, Fail,
			"hangs on go nodes 5: no bestmove, not even 0.0 ms after stop"},
		{&unanswered{"checkmate", time.Second}, Fail, "go nodes 5: no checkmate within 1 s"},
	} {
		f := &Finding{}
		charged := (&subject{}).charge(f, Fail, test.err, i18n.Verbatim("go nodes 5"))
		testutil.Check(t, f.Verdict == test.want && f.Detail == test.text && charged == (test.want == Fail),
			"%v: %v: %q, want %q", test.err, f.Verdict, f.Detail, test.text)
	}
}

// TestLate: a delay of 1 ms is not late. The note of a late move reports a busy machine.
func TestLate(t *testing.T) {
	for _, test := range []struct {
		over, waited int // milliseconds
		noted        bool
		says         string
	}{
		{-1, 0, false, ""}, {1, 0, false, ""},
		{2, 0, true, "2.0 ms too late (a series tolerates 100 ms)"},
		{20, 9, true, "20 ms too late (a series tolerates 100 ms)"},
		{20, 10, true, "; the machine is busy: it waited 10 ms for a CPU"},
	} {
		s := &subject{waited: time.Duration(test.waited) * time.Millisecond}
		f := &Finding{}
		noted := s.late(f, usi.Reply{Elapsed: time.Second + time.Duration(test.over)*time.Millisecond}, time.Second)
		testutil.Check(t, noted == test.noted && (f.Verdict == Warn) == noted && strings.HasSuffix(f.Detail, test.says),
			"%+v: %v, %v: %q", test, noted, f.Verdict, f.Detail)
	}
}

// TestAdvice: the advice --restart game appears only if fresh processes give the same reply.
func TestAdvice(t *testing.T) {
	reply := func(nodes uint64) usi.Reply { return usi.Reply{Text: "7g7f", Nodes: nodes} }
	for _, test := range []struct {
		again, fresh uint64
		want         bool
	}{{1, 1, false}, {2, 1, true}, {2, 3, false}, {1, 3, false}} {
		f := &Finding{}
		(&subject{}).compare(f, goKind{}, reply(1), reply(test.again), reply(test.fresh))
		testutil.Equal(t, strings.Contains(f.Detail, "--restart game"), test.want, "%+v: %q", test, f.Detail)
	}
}
