package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
	"gogi/usi"
)

// mates reports whether the side to move has a mate by checks in at most n plies. It tries all moves.
func mates(p shogi.Position, n int) bool {
	for _, m := range p.LegalMoves(nil) {
		next := p
		next.Apply(m)
		if !next.InCheck() {
			continue
		}
		if replies := next.LegalMoves(nil); len(replies) == 0 || n > 1 &&
			!slices.ContainsFunc(replies, func(r shogi.Move) bool {
				after := next
				after.Apply(r)
				return !mates(after, n-2)
			}) {
			return true
		}
	}
	return false
}

// TestQuestionPositions checks that the positions are what their comments state.
func TestQuestionPositions(t *testing.T) {
	var moves []string
	drops := testutil.Must(shogi.ParseSFEN(onlyDrops))(t)
	for _, m := range drops.LegalMoves(nil) {
		moves = append(moves, m.String())
	}
	slices.Sort(moves)
	testutil.Equal(t, strings.Join(moves, " "), "G*6i G*7i G*8i")
	three := testutil.Must(shogi.ParseSFEN(mateInThree))(t)
	testutil.Check(t, !mates(three, 1) && mates(three, 3), "the mate is not in three")
	lost := testutil.Must(shogi.ParseSFEN(matedPosition))(t)
	testutil.Check(t, lost.InCheck() && len(lost.LegalMoves(nil)) == 0, "no mate")
}

func TestConsequences(t *testing.T) {
	for _, name := range Checks() {
		testutil.Check(t, !consequence(name).IsZero(), "%s has no consequence", name)
	}
}

func TestReadScores(t *testing.T) {
	s := readScores([]string{
		"info depth 1 score cp 0 nodes 1", "info depth 2 score cp 30 lowerbound nodes 9", "info depth 2 score mate 3 nodes 9",
		"bestmove 7g7f",
		"info string Failed to open params.bin.", "info string Failed to open params.bin.", "info string Error! nn.bin",
		"info string loaded",
		"option name Error type button",
	})
	testutil.Equal(t, s.exact, 2)
	testutil.Equal(t, s.zero, 1)
	testutil.Equal(t, s.bounds, 1)
	testutil.Equal(t, strings.Join(s.notes, "|"), "Failed to open params.bin.|Error! nn.bin")
}

// TestJudgeMateScore: in mate 3 an engine that counts its own moves writes 2, and one writes 4. gpsusi and sjaakii
// write centipawns.
func TestJudgeMateScore(t *testing.T) {
	for line, want := range map[string]struct {
		verdict Verdict
		text    string
	}{
		"info score mate 3":     {Pass, "it counts plies"},
		"info score mate 2":     {Warn, "it counts moves"},
		"info score mate 4":     {Warn, "score mate 4 for a mate in 3 plies"},
		"info score cp 1148897": {Warn, "it writes mates as centipawns"},
		"info score cp 15999":   {Warn, "it writes mates as centipawns"},
		"info score cp 900":     {Warn, "undecided: it did not find"},
		"info score mate -3":    {Warn, "undecided: it did not find"},
		"info depth 3":          {Warn, "undecided: no exact score"},
	} {
		v, text := judgeMateScore(usi.ParseInfo(line))
		testutil.Check(t, v == want.verdict && strings.Contains(text.String(), want.text), "%s: %v %s", line, v, text)
	}
}

// TestMateScaleWords: sjaakii 1.4.1 has 15999 and 15997, gpsusi 0.7.0 has 1148897 for both.
func TestMateScaleWords(t *testing.T) {
	for _, test := range []struct{ one, three, want string }{
		{"info score cp 15999", "info score cp 15997", "its mates are 16000 less the plies"},
		{"info score cp 1148897", "info score cp 1148897", "no number less the plies"},
		{"info score mate 1", "info score cp 15997",
			"score mate 1 for a mate in 1 ply: its mates are no number less the plies"},
	} {
		got := mateScaleWords(usi.ParseInfo(test.one), usi.ParseInfo(test.three)).String()
		testutil.Check(t, strings.Contains(got, test.want), "%s, %s: %s", test.one, test.three, got)
	}
}

// TestJudgeClocks: Debian's fairy-stockfish 11.1 took 5,076 ms with little time on White's clock, and 22 ms with much.
func TestJudgeClocks(t *testing.T) {
	for _, test := range []struct {
		little, much int // milliseconds
		want         Verdict
		text         string
	}{
		{5076, 22, Fail, "as White it reads Black's clock"},
		{450, 22, Warn, "as White it seems to read Black's clock"},
		{22, 5076, Pass, "22 ms with 500 ms on White's clock"},
		{100, 120, Warn, "undecided"},
		{900, 800, Warn, "undecided"},
	} {
		v, text := judgeClocks(time.Duration(test.little)*time.Millisecond, time.Duration(test.much)*time.Millisecond)
		testutil.Check(t, v == test.want && strings.Contains(text.String(), test.text), "%+v: %v %s", test, v, text)
	}
}

// TestNoteNodes: 10% more or fewer nodes are a warning. The counts are those of Gikou and Fairy-Stockfish.
func TestNoteNodes(t *testing.T) {
	for _, test := range []struct {
		limit, nodes uint64
		want         Verdict
	}{{100, 253, Warn}, {1000, 1001, Pass}, {10_000, 10_492, Pass}, {1000, 1101, Warn}, {1000, 899, Warn},
		{1000, 0, Warn}} {
		f := &Finding{}
		noteNodes(f, test.limit, test.nodes)
		testutil.Equal(t, f.Verdict, test.want, "%+v: %s", test, f.Detail)
	}
}

// TestLegalMovesSum: a count is never negative, and few answers prove nothing.
func TestLegalMovesSum(t *testing.T) {
	for _, test := range []struct {
		m    moveCheck
		want Verdict
		text string
	}{
		{moveCheck{asked: 50}, Pass, "all of 50 answers"},
		{moveCheck{asked: 5}, Warn, "undecided: all of 5 answers (no more in 12 s); at least 20 are needed"},
		{moveCheck{asked: 25, undecided: 6}, Warn, "undecided: all of 19 answers"},
		{moveCheck{asked: 30, resigns: 30}, Fail, "it resigns in every position"},
		{moveCheck{asked: 4, faults: 3, wrong: 3}, Pass, "1 of 4 answers"},
		{moveCheck{asked: 3, faults: 3, wrong: 2}, Pass, "1 of 3 answers"},
		{moveCheck{faults: 3}, Pass, ""},
	} {
		f := &Finding{}
		test.m.f = f
		test.m.sum()
		testutil.Check(t, f.Verdict == test.want && strings.HasPrefix(f.Detail, test.text) ||
			strings.Contains(f.Detail, test.text) && test.want == Fail && f.Verdict == Fail,
			"%+v: %v: %q", test.m, f.Verdict, f.Detail)
		testutil.Check(t, test.m.asked > 0 || f.Detail == "", "%q", f.Detail)
	}
}

// TestCheckQuestions: the fake engine takes 100 nodes for each limit. With one info line for each search it prints only
// scores of 0, and with three it does not. It resigns if it is mated.
func TestCheckQuestions(t *testing.T) {
	t.Parallel()
	x := checkFake(t, Options{waits: patient}, nil, "-mate", "G*5b")
	x.found(t, "node_limits", Warn, "100 nodes for 1,000; 100 nodes for 10,000; 100 nodes for 100")
	x.found(t, "drops", Pass, "G*")
	x.found(t, "evaluation", Warn, "all 2 scores are 0")
	x.found(t, "bounds", Pass, "none in 2 scores")
	x.found(t, "mate_scores", Warn, "undecided: it did not find a mate in 3 plies (score cp 0)")
	x.found(t, "mated", Pass, "bestmove resign")
	x.found(t, "whites_clock", anyVerdict, "White's clock")
	x.found(t, "mate_search", Pass, "checkmate G*5b")
	for _, f := range x.sheet.Checks {
		testutil.Equal(t, f.Consequence != "", f.Verdict > Pass, "%s: %s", f.Check, f.Consequence)
	}
	lines := filepath.Join(t.TempDir(), "lines")
	x = checkFake(t, Options{waits: patient}, func(p *match.Player) { p.Quit = time.Nanosecond }, "-log", lines, "-infos",
		"3", "-script", "malformed@go:13")
	x.found(t, "evaluation", Pass, "6 scores, 2 of them 0")
	x.marked(t, "malformed")
	x.found(t, "quit", Warn, "--quit-timeout ")
	testutil.Contains(t, string(testutil.Must(os.ReadFile(lines))(t)), "go nodes 2000\nquit\n", "no search before quit")

	x = checkFake(t, Options{Quick: true, waits: patient}, nil, "-script", "malformed@go:13")
	x.found(t, "drops", Fail, `cannot parse the reply "bestmove P@5e"`)
	x = checkFake(t, Options{Quick: true, waits: patient}, nil, "-script", "exit@go:1")
	x.found(t, "node_limits", Warn, "go nodes is not supported")
	x.found(t, "drops", Warn, "undecided")
}
