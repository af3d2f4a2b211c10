package text

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// TestKIFAsOthersWriteIt: tsshogi 2.2.0 wrote these records as KIF and as CSA, with times to the millisecond. From the
// CSA, gogi must write the same text for the start, for each move with its times, and for the end.
func TestKIFAsOthersWriteIt(t *testing.T) {
	for _, name := range []string{"hirate_interrupt", "hirate_long_maxmoves", "kyoochi_illegal", "midpos_enteringwin"} {
		r := fixture(t, "../testdata/"+name+".v30.csa")
		text := string(testutil.Must(os.ReadFile("../testdata/" + name + ".kifu"))(t))
		want := kifParts(strings.ReplaceAll(text, "\r\n", "\n"))
		got := kifParts(string(testutil.Must(AppendKIF(nil, r))(t)))
		testutil.Diff(t, want, got, "%s", name)
		testutil.Check(t, len(got) >= len(r.Moves) && len(r.Moves) >= 10, "%s: %d lines of %d moves", name, len(got),
			len(r.Moves))
	}
}

// kifParts returns the lines of the start, the moves with their times, and the word of the end.
func kifParts(text string) (list []string) {
	for _, pattern := range []string{`手合割.*`, `(先|後)手の持駒.*|[|+].*|  ９.*|..手番`, `手数.*`, ` *\d+ .*\)`, ` *\d+ \S+$`} {
		for _, line := range regexp.MustCompile("(?m)^("+pattern+")").FindAllString(text, -1) {
			list = append(list, strings.TrimRight(line, " "))
		}
	}
	return list
}

// TestKIFComments has comments that were written by hand for the patterns of the readers of ShogiHome and ShogiGUI. The
// score is Black's for both sides, and the score of a mate is 30000.
func TestKIFComments(t *testing.T) {
	move := func(text string) shogi.Move {
		return testutil.Must(shogi.ParseMove(text))(t)
	}
	start := shogi.StartPos()
	r := kifu.Record{
		Black: "A\nB", White: "<b>", Event: "r/1.0", Start: start.SFEN(), Result: "crash", Winner: "black",
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Moves: []kifu.Move{
			{Move: move("7g7f"), Opening: true},
			{Move: move("3c3d"), Time: 1999 * time.Millisecond, HasScore: true, Score: 50, Depth: 7, Nodes: 99,
				PV: []shogi.Move{move("3c3d"), move("8h2b+"), move("1a9i")}},
			{Move: move("8h2b+"), HasScore: true, Score: 1_000_000},
		},
	}
	got := string(testutil.Must(AppendKIF(nil, &r))(t))
	const want = `#KIF version=2.0 encoding=UTF-8
開始日時：2026/01/02 03:04:05
棋戦：r/1.0
手合割：平手
先手：A B
後手：<b>
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:00/00:00:00)
*end of the opening
   2 ３四歩(33)   ( 0:01/00:00:01)
**対局 深さ 7 ノード数 99 評価値 -50 読み筋 △３四歩(33) ▲２二角成(88)
   3 ２二角成(88) ( 0:00/00:00:00)
**対局 評価値 30000
   4 投了
*crash winner=black
まで3手で先手の勝ち
`
	testutil.Equal(t, got, want)
}

// TestKIFEnds: for each end, a reader infers the right winner. The words and their winners come from the description of
// the format.
func TestKIFEnds(t *testing.T) {
	loses, wins, nobody := "the side to move loses", "the side to move wins", "nobody"
	said := map[string]string{
		"投了": loses, "詰み": loses, "切れ負け": loses, "反則負け": loses, "反則勝ち": wins, "入玉勝ち": wins, "千日手": nobody, "持将棋": nobody,
		"中断": nobody,
	}
	start := shogi.StartPos()
	for _, c := range []struct{ result, winner, want string }{
		{"checkmate", "white", "詰み"}, {"resignation", "white", "投了"}, {"time_forfeit", "white", "切れ負け"},
		{"stall", "white", "切れ負け"},
		{"illegal_move", "white", "反則負け"}, {"false_declaration", "white", "反則負け"}, {"perpetual_check", "black", "反則勝ち"},
		{"perpetual_check", "white", "反則負け"}, {"repetition", "draw", "千日手"}, {"max_plies", "draw", "持将棋"},
		{"impasse", "draw", "持将棋"},
		{"declaration", "black", "入玉勝ち"}, {"declaration", "white", "投了"}, {"crash", "white", "投了"},
		{"score_adjudication", "white", "投了"}, {"score_adjudication", "black", "中断"}, {"a word of the future", "draw", "中断"},
	} {
		r := kifu.Record{Start: start.SFEN(), Result: c.result, Winner: c.winner} // Black is to move
		text := string(testutil.Must(AppendKIF(nil, &r))(t))
		testutil.Check(t, strings.Contains(text, "   1 "+c.want+"\n"), "%s for %s: %s, want %s", c.result, c.winner, text,
			c.want)
		winner := map[string]string{loses: "white", wins: "black", nobody: "draw"}[said[c.want]]
		testutil.Check(t, winner == c.winner || c.want == "中断", "%s for %s is read as won by %s", c.result, c.winner, winner)
	}
}

// TestKIFHandicaps: a handicap with a name that readers know is written as this name. Other starts are written as
// boards.
func TestKIFHandicaps(t *testing.T) {
	for _, h := range shogi.Handicaps() {
		text := string(testutil.Must(AppendKIF(nil, &kifu.Record{Black: "b", White: "w", Start: h.SFEN}))(t))
		named := strings.Contains(text, "手合割："+h.Japanese+"\n下手：b\n上手：w\n")
		drawn := strings.Contains(text, "|一\n") && strings.Contains(text, "後手番\n先手：b\n")
		known := !strings.Contains("三枚落ち五枚落ち左五枚落ち左七枚落ち右七枚落ち", h.Japanese)
		testutil.Check(t, named == known && drawn != known, "%s: named %v, drawn %v", h.Japanese, named, drawn)
	}
}

// TestKIFMoved: a move with a known piece has the same text as in its position.
func TestKIFMoved(t *testing.T) {
	for text, want := range map[string]string{"7g7f": "７六歩(77)", "8h2b+": "２二角成(88)", "G*5e": "５五金打"} {
		m := testutil.Must(shogi.ParseMove(text))(t)
		piece := map[string]shogi.PieceType{"7g7f": shogi.Pawn, "8h2b+": shogi.Bishop}[text]
		testutil.Equal(t, kifu.KIFMoved(piece, m), want, "%s", text)
	}
}

// TestUnknownTimes: an unknown time of a move stays unknown in every format. No format writes it as 0 seconds.
func TestUnknownTimes(t *testing.T) {
	t.Parallel()
	even := shogi.StartPos()
	r := &kifu.Record{Black: "A", White: "B", Start: even.SFEN(), Result: kifu.EndResignation, Winner: "white"}
	for _, m := range []string{"7g7f", "3c3d"} {
		r.Moves = append(r.Moves, kifu.Move{Move: testutil.Must(shogi.ParseMove(m))(t), NoTime: true})
	}
	for _, f := range Text() {
		text := testutil.Must(f.Append(nil, r))(t)
		got := testutil.Must(f.Read(NewInput("game"+f.Ext, strings.NewReader(string(text)))).Next())(t)
		testutil.Require(t, len(got.Moves) == 2, "%s: %d moves", f.Name, len(got.Moves))
		for i, m := range got.Moves {
			testutil.Check(t, m.NoTime && !m.Opening && m.Time == 0, "%s: move %d: %+v in\n%s", f.Name, i+1, m, text)
		}
	}
}
