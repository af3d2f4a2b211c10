package usi_test

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

func TestParseOption(t *testing.T) {
	// These are lines of released engines: fairy-stockfish 11.1, gpsusi 0.7, YaneuraOu 9.
	for line, want := range map[string]usi.Option{
		"option name Threads type spin default 1 min 1 max 512": {Name: "Threads", Type: usi.Spin,
			Default: "1", Min: 1, Max: 512},
		"option name Debug Log File type string default ": {Name: "Debug Log File",
			Type: usi.String, Min: math.MinInt64, Max: math.MaxInt64},
		"option name SyzygyPath type string default <empty>": {Name: "SyzygyPath",
			Type: usi.String, Min: math.MinInt64, Max: math.MaxInt64},
		"option name Clear Hash type button": {Name: "Clear Hash",
			Type: usi.Button, Min: math.MinInt64, Max: math.MaxInt64},
		"option name Analysis Contempt type combo default Both var Both var Off var White": {Name: "Analysis Contempt",
			Type: usi.Combo, Default: "Both", Min: math.MinInt64, Max: math.MaxInt64, Vars: []string{"Both", "Off", "White"}},
		"option name Style type combo default Very Solid var Very Solid var Wild": {Name: "Style", Type: usi.Combo,
			Default: "Very Solid", Min: math.MinInt64, Max: math.MaxInt64, Vars: []string{"Very Solid", "Wild"}},
		"option name NodesLimit type spin default 0 min 0 max 9223372036854775807": {Name: "NodesLimit", Type: usi.Spin,
			Default: "0", Min: 0, Max: math.MaxInt64},
		"option name EvalFile type filename default nn min max.bin": {Name: "EvalFile", Type: usi.Filename,
			Default: "nn min max.bin", Min: math.MinInt64, Max: math.MaxInt64},
		"option name USI_Ponder type check default true": {Name: "USI_Ponder", Type: usi.Check, Default: "true",
			Min: math.MinInt64, Max: math.MaxInt64},
	} {
		got, err := usi.ParseOption(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		testutil.Diff(t, want, got, "%s", line)
	}
	for line, want := range map[string]string{
		"option name X type colour":               `usi: option "X": unknown type "colour" (expected check, spin, combo, button, string or filename)`,
		"option name X":                           `usi: option line "option name X": expected "option name NAME type TYPE"`,
		"option name X type spin min low default": `usi: option "X": min "low" is not a whole number`,
	} {
		if _, err := usi.ParseOption(line); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", line, err, want)
		}
	}
}

func TestOptionsOfRealEnginesParse(t *testing.T) {
	count := 0
	for _, file := range []string{"fairy-stockfish-apt-11.1.txt", "gpsusi-0.7.0.txt", "yaneuraou-material-v9.txt",
		"sjaakii-1.4.1.txt"} {
		text := testutil.Must(os.ReadFile("testdata/" + file))(t)
		for line := range strings.Lines(string(text)) {
			_, option, ok := strings.Cut(strings.TrimRight(line, "\n"), "< option ")
			if !ok {
				continue
			}
			count++
			o, err := usi.ParseOption("option " + option)
			testutil.Check(t, err == nil && o.Name != "", "%s: %q: %v", file, option, err)
		}
	}
	testutil.Check(t, count >= 100, "only %d option lines in the transcripts", count)
}

func TestResolve(t *testing.T) {
	declared := []usi.Option{
		{Name: "Hash", Type: usi.Spin, Min: 1, Max: 1024},
		{Name: "USI_Ponder", Type: usi.Check},
		{Name: "Skill Level", Type: usi.Spin, Min: -20, Max: 20},
		{Name: "EnteringKingRule", Type: usi.Combo, Vars: []string{"CSARule24", "CSARule27"}},
		{Name: "Clear Hash", Type: usi.Button},
		{Name: "BookFile", Type: usi.Filename},
	}
	got := testutil.Must(usi.Resolve(declared, []usi.Setting{
		{Name: "usi_hash", Value: "64"},
		{Name: "ponder", Value: "FALSE"},
		{Name: "skill level", Value: "-20"},
		{Name: "enteringkingrule", Value: "csarule27"},
		{Name: "clear hash"},
		{Name: "bookfile"},
	}))(t)
	want := []usi.Setting{
		{"Hash", "64"}, {"USI_Ponder", "false"}, {"Skill Level", "-20"}, {"EnteringKingRule", "CSARule27"},
		{"Clear Hash", ""}, {"BookFile", "<empty>"},
	}
	testutil.Diff(t, want, got)
	for want, setting := range map[string]usi.Setting{
		`option "Skil" is not offered; nearest: Skill Level`:                                                                         {Name: "Skil", Value: "1"},
		`option "Zzzzzzzzzzzz" is not offered; the engine has Hash, USI_Ponder, Skill Level, EnteringKingRule, Clear Hash, BookFile`: {Name: "Zzzzzzzzzzzz"},
		"option Hash: 0 is outside 1 to 1024":                                                                                        {Name: "Hash", Value: "0"},
		`option Hash: "big" is not a whole number`:                                                                                   {Name: "Hash", Value: "big"},
		`option USI_Ponder: "yes" is not true or false`:                                                                              {Name: "USI_Ponder", Value: "yes"},
		`option EnteringKingRule: "TryRule" is not one of CSARule24, CSARule27`:                                                      {Name: "EnteringKingRule", Value: "TryRule"},
		"option BookFile: a value cannot contain a line break":                                                                       {Name: "BookFile", Value: "a\nquit"},
	} {
		_, err := usi.Resolve(declared, []usi.Setting{setting})
		testutil.Check(t, err != nil && err.Error() == want, "%v: error %v, want %s", setting, err, want)
	}
}

// TestSendable: the protocol text of Shogidokoro lets a GUI send USI_Hash and USI_Ponder to an engine that declares
// neither. Other names, and wrong values, stay errors.
func TestSendable(t *testing.T) {
	threads := []usi.Option{{Name: "Threads", Type: usi.Spin, Min: 1, Max: 8}}
	got := testutil.Must(usi.Sendable(threads,
		[]usi.Setting{{"usi_hash", "64"}, {"Threads", "2"}, {"USI_Ponder", "TRUE"}}))(t)
	testutil.Diff(t, []usi.Setting{{"USI_Hash", "64"}, {"Threads", "2"}, {"USI_Ponder", "true"}}, got)
	got = testutil.Must(usi.Sendable([]usi.Option{{Name: "Hash", Type: usi.Spin, Max: 99}},
		[]usi.Setting{{"USI_Hash", "64"}}))(t)
	testutil.Diff(t, []usi.Setting{{"Hash", "64"}}, got)
	for want, wrong := range map[string]usi.Setting{
		`option "USI_MultiPV" is not offered; the engine has Threads`: {"USI_MultiPV", "2"},
		`option USI_Hash: "big" is not a whole number`:                {"USI_Hash", "big"},
		`option USI_Ponder: "on" is not true or false`:                {"USI_Ponder", "on"},
	} {
		_, err := usi.Sendable(threads, []usi.Setting{wrong})
		testutil.Check(t, err != nil && err.Error() == want, "%v: %v, want %s", wrong, err, want)
	}
	testutil.Equal(t, len(threads), 1)
}

func TestParseInfo(t *testing.T) {
	pv := func(moves ...string) (list []shogi.Move) {
		for _, m := range moves {
			parsed := testutil.Must(shogi.ParseMove(m))(t)
			list = append(list, parsed)
		}
		return list
	}
	for line, want := range map[string]usi.Info{
		"info depth 9 seldepth 10 multipv 2 score cp 105 nodes 20014 nps 259922 tbhits 0 time 77 pv 4g4f 6a5b": {
			Depth: 9, SelDepth: 10, MultiPV: 2, Score: usi.Score{Value: 105}, HasScore: true, Nodes: 20014, NPS: 259922,
			Time: 77 * time.Millisecond, PV: pv("4g4f", "6a5b"),
		},
		"info score cp -39 upperbound nodes 18446744073709551615": {MultiPV: 1,
			Score: usi.Score{Value: -39, Bound: usi.UpperBound}, HasScore: true, Nodes: 1<<53 - 1},
		"info score mate + pv 7g7f resign":  {MultiPV: 1, Score: usi.Score{Mate: 1}, HasScore: true, PV: pv("7g7f")},
		"info score mate -":                 {MultiPV: 1, Score: usi.Score{Mate: -1}, HasScore: true},
		"info score mate -0":                {MultiPV: 1, Score: usi.Score{Mate: -1}, HasScore: true},
		"info depth 0 score mate 0":         {MultiPV: 1, Score: usi.Score{Mate: -1}, HasScore: true},
		"info score mate 5":                 {MultiPV: 1, Score: usi.Score{Mate: 1, Value: 5}, HasScore: true},
		"info depth 3 score mate -4 pv win": {Depth: 3, MultiPV: 1, Score: usi.Score{Mate: -1, Value: 4}, HasScore: true},
		"info depth":                        {MultiPV: 1},
		"info":                              {MultiPV: 1},
		"info string depth 9 pv 7g7f":       {MultiPV: 1, Text: "depth 9 pv 7g7f"},
		"info score cp zzz":                 {MultiPV: 1, HasScore: true},
		"info unknown 5 depth 4":            {MultiPV: 1, Depth: 4},
		"info pv 3a2b B@5e 2b3c":            {MultiPV: 1, PV: pv("3a2b")},
		"info time 1122 nodes 469705 nps x": {MultiPV: 1, Time: 1122 * time.Millisecond, Nodes: 469705},
	} {
		testutil.Diff(t, want, usi.ParseInfo(line), "%s", line)
	}
}

// TestParseInfoCutsNumbersThatNoSearchReports requires that an impossible number is limited. It neither overflows nor
// is dropped.
func TestFailureNote(t *testing.T) {
	for line, want := range map[string]string{
		"info string Failed to open params.bin.":         "Failed to open params.bin.",
		"info string Error! : failed to read nn.bin":     "Error! : failed to read nn.bin",
		"info string loading eval file : eval/nn.bin":    "",
		"info depth 3 score cp 5 string failed":          "",
		"option name FailHigh type check default false":  "",
		"info string could not open \x1b[31mx\x1b[0m":    "could not open x",
		"info string error " + strings.Repeat("x", 1000): "error " + strings.Repeat("x", 94) + "…",
	} {
		got, ok := usi.FailureNote(line)
		testutil.Check(t, got == want && ok == (want != ""), "%.60q: %q, %v", line, got, ok)
	}
}

func TestParseInfoCutsNumbersThatNoSearchReports(t *testing.T) {
	const huge = "99999999999999999999999999999999999999"
	low := usi.ParseInfo("info depth -1 seldepth -7 multipv -3 nodes -40 nps -1 time -5 hashfull -2 score cp -" + huge)
	testutil.Diff(t, usi.Info{MultiPV: 1, HasScore: true, Score: usi.Score{Value: -900_000}}, low)
	for _, n := range []string{huge, "9223372036854775808", "18446744073709551615", "9223372036854775807", "+" + huge} {
		high := usi.ParseInfo(strings.ReplaceAll("info depth N seldepth N multipv N nodes N nps N time N hashfull N score cp N", "N", n))
		want := usi.Info{
			Depth: 1_000_000, SelDepth: 1_000_000, MultiPV: 600, Nodes: 1<<53 - 1, NPS: 1<<53 - 1,
			Time: 1 << 40 * time.Millisecond, HashFull: 1000, HasScore: true, Score: usi.Score{Value: 900_000},
		}
		testutil.Diff(t, want, high, "%s", n)
		testutil.Diff(t, usi.Info{MultiPV: 1}, usi.ParseInfo("info depth "+n+"x nodes "+n+"-"), "%s with a letter", n)
	}
	for text, want := range map[string]usi.Score{
		"mate " + huge: {Mate: 1, Value: 90_000}, "mate -" + huge: {Mate: -1, Value: 90_000},
		"mate 90001": {Mate: 1, Value: 90_000},
	} {
		if got := usi.ParseInfo("info score " + text); got.Score != want || !got.HasScore {
			t.Errorf("%s: %+v, want %+v", text, got.Score, want)
		}
	}
	for _, text := range []string{"-", "+", "", "1_000", "0x10", "１２", "--5"} {
		if got := usi.ParseInfo("info nodes " + text); got.Nodes != 0 {
			t.Errorf("nodes %q is %d", text, got.Nodes)
		}
	}
}

func TestScoreNumberIsOrderedAndInvertible(t *testing.T) {
	ascending := []usi.Score{
		{Mate: -1, Value: 1}, {Mate: -1, Value: 30}, {Value: -30000}, {Value: 0}, {Value: 31111}, {Mate: 1, Value: 25},
		{Mate: 1, Value: 2},
	}
	for i, s := range ascending {
		if i > 0 && ascending[i-1].Number() >= s.Number() {
			t.Errorf("%v is not above %v", s, ascending[i-1])
		}
		testutil.Equal(t, usi.ScoreFromNumber(s.Number()), s, "came back")
	}
}

func TestParseBestmove(t *testing.T) {
	m := func(s string) shogi.Move { parsed, _ := shogi.ParseMove(s); return parsed }
	for line, want := range map[string]usi.Bestmove{
		"bestmove 7g7f ponder 3c3d":     {Answer: usi.AnswerMove, Move: m("7g7f"), Ponder: m("3c3d"), Text: "7g7f"},
		"bestmove 8h2b+ ponder B@4e":    {Answer: usi.AnswerMove, Move: m("8h2b+"), Text: "8h2b+"},
		"bestmove P*3d ponder (none)":   {Answer: usi.AnswerMove, Move: m("P*3d"), Text: "P*3d"},
		"bestmove resign":               {Answer: usi.AnswerResign, Text: "resign"},
		"bestmove win":                  {Answer: usi.AnswerWin, Text: "win"},
		"bestmove (none)":               {Text: "(none)"},
		"bestmove":                      {},
		"bestmove p*3d":                 {Text: "p*3d"},
		"bestmove 7g7f  ponder  resign": {Answer: usi.AnswerMove, Move: m("7g7f"), Text: "7g7f"},
	} {
		testutil.Diff(t, want, usi.ParseBestmove(line), "%s", line)
	}
}

func TestGoString(t *testing.T) {
	second := time.Second
	for want, g := range map[string]usi.Go{
		"go btime 0 wtime 0 byoyomi 1000": {Clock: true, UseByoyomi: true, Byoyomi: second},
		"go btime 8000 wtime 7500 binc 80 winc 0": {Clock: true, BTime: 8 * second, WTime: 7500 * time.Millisecond,
			UseInc: true, BInc: 80 * time.Millisecond},
		"go nodes 20000":  {Nodes: 20000},
		"go infinite":     {Infinite: true},
		"go movetime 300": {MoveTime: 300 * time.Millisecond},
		"go ponder btime 1000 wtime 1000 byoyomi 0": {Ponder: true, Clock: true, BTime: second, WTime: second,
			UseByoyomi: true},
		"go ponder":        {Ponder: true, Early: true, Clock: true, BTime: second},
		"go mate 1000":     {Mate: true, MateTime: second},
		"go mate infinite": {Mate: true},
		"go depth 6 nodes 5 searchmoves 7g7f": {Depth: 6, Nodes: 5,
			SearchMoves: []shogi.Move{usi.ParseBestmove("bestmove 7g7f").Move}},
		"go btime 60000 wtime 60000 byoyomi 0": {Clock: true, BTime: 60 * second, WTime: 60 * second, UseByoyomi: true},
	} {
		testutil.Equal(t, g.String(), want)
		back, err := usi.ParseGo(want)
		testutil.Check(t, err == nil && back.String() == want, "%q came back as %q (%v)", want, back, err)
	}
	for line, want := range map[string]usi.Go{
		"go mate":      {Mate: true},
		"go mate 0":    {Mate: true, MateTime: time.Millisecond}, // 0 would be infinite
		"go mate 5000": {Mate: true, MateTime: 5 * second},
	} {
		if got, err := usi.ParseGo(line); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %+v, %v", line, got, err)
		}
	}
	for line, want := range map[string]string{
		"go mate x":     `usi: "go mate x": mate "x" is not a whole number of milliseconds`,
		"go x wtime y":  `usi: "go x wtime y": unknown word "x"`,
		"go nodez 5":    `usi: "go nodez 5": unknown word "nodez"`,
		"go nodes many": `usi: "go nodes many": nodes "many" is not a whole number`,
	} {
		if _, err := usi.ParseGo(line); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", line, err, want)
		}
	}
}

func TestPosition(t *testing.T) {
	for _, line := range []string{
		"position startpos moves 7g7f 3c3d",
		"position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
		"position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves G*5b",
	} {
		p, err := usi.ParsePosition(line)
		testutil.Check(t, err == nil && p.String() == line, "%q came back as %q (%v)", line, p, err)
		testutil.OK(t, testutil.Err(p.History()), "%q", line)
	}
	p := testutil.Must(usi.ParsePosition("startpos moves 7g7e"))(t)
	if _, err := p.History(); err == nil || !strings.HasPrefix(err.Error(), "move 1 (7g7e): ") {
		t.Errorf("an illegal move gave %v", err)
	}
}

func FuzzGrammar(f *testing.F) {
	for _, line := range []string{
		"info depth 9 score cp 1 pv 7g7f", "option name A type spin default 1", "bestmove 7g7f ponder 3c3d",
		"go btime 1 wtime 2 byoyomi 3",
		"position startpos moves 7g7f", "\x1b[31m\xff", "option name Style type combo default A var A",
		"checkmate 7g7f", "checkmate nomate", "checkmate timeout", "checkmate none", "checkmate notimplemented", "checkmate",
		"checkmate 7g7f x",
		"info depth -1 seldepth 99999999999999999999 nodes 18446744073709551615 nps +1 time -1 hashfull 2000 score mate -99999999 multipv 0",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		i := usi.ParseInfo(line)
		if i.Depth < 0 || i.SelDepth < 0 || i.MultiPV < 1 || i.MultiPV > 600 || i.Nodes >= 1<<53 || i.NPS >= 1<<53 ||
			i.Time < 0 || i.HashFull < 0 || i.HashFull > 1000 {
			t.Errorf("%q is %+v", line, i)
		}
		n := i.Score.Number()
		testutil.Check(t, n >= -usi.MateScore && n <= usi.MateScore, "%q has the score %d", line, n)
		if again := usi.ParseInfo(i.String()); i.Text == "" &&
			(again.Depth != i.Depth || again.Nodes != i.Nodes || again.Time != i.Time || again.Score != i.Score && i.HasScore ||
				len(again.PV) != len(i.PV)) {
			t.Errorf("%q printed as %q", line, i)
		}
		usi.ParseBestmove(line)
		c := usi.ParseCheckmate(line)
		testutil.Check(t, c.Answer == usi.MateInvalid || usi.ParseCheckmate(c.String()).Answer == c.Answer,
			"%q printed as %q", line, c)
		if o, err := usi.ParseOption(line); err == nil {
			if _, err := usi.ParseOption(o.Line()); err != nil {
				t.Errorf("%q printed as %q: %v", line, o.Line(), err)
			}
		}
		if g, err := usi.ParseGo(line); err == nil {
			testutil.OK(t, testutil.Err(usi.ParseGo(g.String())), "%q printed as %q", line, g)
		}
		if p, err := usi.ParsePosition(line); err == nil {
			_, _ = p.History()
		}
	})
}
