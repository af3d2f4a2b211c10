package text

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// TestWordsAreThoseOfMatch: this package knows every termination of package match, which is in a higher layer.
func TestWordsAreThoseOfMatch(t *testing.T) {
	for _, termination := range match.Terminations() {
		testutil.Check(t, knownEnd(string(termination)), "%s is not known", termination)
		if back := ofFloodgate(floodgateType(string(termination))); back == "" {
			t.Errorf("%s is %q to floodgate, which is not read", termination, floodgateType(string(termination)))
		}
	}
	testutil.Check(t, !knownEnd("adjourned"), "any word is known")
}

// read returns the games of a text and the errors of the bad games.
func read(t *testing.T, format, text string) (list []*kifu.Record, bad []string) {
	t.Helper()
	f := testutil.Must(Find(Text(), format))(t)
	r := f.Read(NewInput("file", strings.NewReader(text)))
	for {
		record, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return list, bad
		case errors.As(err, new(*BadGame)):
			bad = append(bad, err.Error())
		case err != nil:
			t.Fatal(err)
		default:
			list = append(list, record)
		}
	}
}

func one(t *testing.T, format, text string) *kifu.Record {
	t.Helper()
	list, bad := read(t, format, text)
	testutil.Require(t, len(list) == 1 && len(bad) == 0, "%d games, %v of\n%s", len(list), bad, text)
	return list[0]
}

// floodgate is a game in the form that the floodgate server writes, with its comments.
const floodgate = `V2
N+Alpha
N-Beta:2
'Max_Moves:256
'Least_Time_Per_Move:0
'Increment:10
$EVENT:wdoor+floodgate-300-10F+Alpha+Beta+20240102030405
$START_TIME:2024/01/02 03:04:05
PI
+
'rating:Alpha+0a:Beta+1b
'black_rate:Alpha+0a:3512.5
'white_rate:Beta+1b:3401
'* before the first move
+7776FU,T12
'** 30 -3334FU +2726FU
'* after it
-3334FU
T3
'** -55 -3334FU +8822UM -9999FU #12
%TORYO
'summary:toryo:Alpha lose:Beta:2 win
'$END_TIME:2024/01/02 03:05:06
`

func TestFloodgate(t *testing.T) {
	r := one(t, "csa", floodgate)
	if r.USI() != "startpos moves 7g7f 3c3d" || r.Result != kifu.EndResignation || r.Winner != "white" ||
		r.Black != "Alpha" || r.White != "Beta:2" {
		t.Errorf("%s, %s for %s: %s, %s", r.USI(), r.Result, r.Winner, r.Black, r.White)
	}
	testutil.Check(t, r.Ratings == [2]float64{3512.5, 3401} && r.MaxMoves == 256 &&
		r.Clocks[1].Increment == 10*time.Second,
		"%v, %d, %v", r.Ratings, r.MaxMoves, r.Clocks)
	testutil.Equal(t, r.Ended.Sub(r.Started), 61*time.Second, "it took")
	first, second := r.Moves[0], r.Moves[1]
	// The score is Black's, and follows the move that it belongs to. A comment with one asterisk has no score, before
	// and after the move.
	testutil.Check(t, first.HasScore && first.Score == 30 && second.Score == 55 && first.Time == 12*time.Second &&
		second.Time == 3*time.Second,
		"%+v, %+v", first, second)
	testutil.Check(t, r.Comment == " before the first move" && first.Comment == " after it", "%q, %q", r.Comment,
		first.Comment)
	got := (&kifu.Record{Start: r.Start,
		Moves: []kifu.Move{{Move: first.PV[0]}, {Move: first.PV[1]}, {Move: first.PV[2]}}}).USI()
	testutil.Check(t, got == "startpos moves 7g7f 3c3d 2g2f", "the variation of the first move is %s", got)
	// The variation of the second move begins with the move itself, which is not a reply, and is cut.
	testutil.Check(t, (len(second.PV) == 0 || second.PV[0] == second.Move) && second.Nodes == 12,
		"the variation of the second move is %v, %d nodes", second.PV, second.Nodes)
}

// TestCSAFiles has files that the CSA standard allows, and files that other programs write.
func TestCSAFiles(t *testing.T) {
	even := "V2.2\nPI\n+\n"
	lance := "V2.2\nPI11KY\n-\n" // a square of the board, not a piece on the right side of Black
	for name, c := range map[string]struct{ text, want, result, winner string }{
		"no version": {"PI\n+\n+7776FU\n%TORYO\n", "startpos moves 7g7f", kifu.EndResignation, "black"},
		"version 1": {"V1\n'a comment\nPI\n+\n+7776FU\n%TORYO\n", "startpos moves 7g7f", kifu.EndResignation,
			"black"},
		"one line": {even + "+7776FU,T1,-3334FU,T2,%TORYO,T3\n", "startpos moves 7g7f 3c3d",
			kifu.EndResignation, "white"},
		"mark and CRLF": {bom + strings.ReplaceAll(even+"+7776FU\n%CHUDAN\n", "\n", "\r\n"),
			"startpos moves 7g7f", "", ""},
		"no end at all":    {even + "+7776FU\n", "startpos moves 7g7f", "", ""},
		"end at the start": {even + "%KACHI\n", "startpos", kifu.EndDeclaration, "black"},
		"impasse":          {even + "%JISHOGI\n", "startpos", kifu.EndImpasse, draw},
		"floodgate's longest": {even + "'Max_Moves:1\n+7776FU\n%JISHOGI\n", "startpos moves 7g7f", kifu.EndMaxPlies,
			draw},
		"illegal action of Black": {even + "+7776FU\n%+ILLEGAL_ACTION\n", "startpos moves 7g7f", kifu.EndIllegalMove,
			"white"},
		"illegal action of White": {even + "+7776FU\n%-ILLEGAL_ACTION\n", "startpos moves 7g7f", kifu.EndIllegalMove,
			"black"},
		"the illegal move itself": {even + "+7776FU\n-3335FU\nT1\n%ILLEGAL_MOVE\n", "startpos moves 7g7f",
			kifu.EndIllegalMove, "black"},
		"out of time":          {even + "+7776FU\n%TIME_UP\n", "startpos moves 7g7f", kifu.EndTimeForfeit, "black"},
		"mate":                 {even + "%TSUMI\n", "startpos", kifu.EndCheckmate, "white"},
		"longest of version 3": {even + "%MAX_MOVES\n", "startpos", kifu.EndMaxPlies, draw},
		"fourth time":          {even + "%SENNICHITE\n", "startpos", kifu.EndRepetition, draw},
		"resigned, says the word": {even + "+7776FU\n%TORYO\n'summary:abnormal:A lose:B win\n", "startpos moves 7g7f",
			kifu.EndCrash, "white"},
		"ours says more": {even + "%TORYO\n'summary:toryo:A lose:B win\n'gogi:checkmate:\n", "startpos",
			kifu.EndCheckmate, "white"},
		"ours of version 3": {even + "'*score_adjudication winner=white\n%CHUDAN\n", "startpos",
			kifu.EndScoreAdjudication, "white"},
		"pieces taken off": {lance + "-5152OU\n%TORYO\n",
			"sfen lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1 moves 5a5b", kifu.EndResignation, "white"},
		"single pieces and the rest": {"P-51OU\nP+59OU53TO\nP+00FU\nP-00AL\n+\n",
			"sfen 4k4/9/4+P4/9/9/9/9/9/4K4 b P2r2b4g4s4n4l16p 1", "", ""},
		"ranks that lost blanks": {strings.NewReplacer(" *  * ", "* *", " * ",
			"*").Replace(kifu.CSAPosition(new(position(t, "lnsgk4/1r5b1/9/4p4/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 2P 1")))),
			"sfen lnsgk4/1r5b1/9/4p4/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 2P 1", "", ""},
		"unknown keys": {"V2.2\n$SOMETHING:1\n" + even[5:] + "+7776FU\n'unknown\n%TORYO\n", "startpos moves 7g7f",
			kifu.EndResignation, "black"},
	} {
		r := one(t, "csa", c.text)
		testutil.Check(t, r.USI() == c.want && r.Result == c.result && r.Winner == c.winner,
			"%s: %s, %q for %q; want %s, %q for %q", name, r.USI(), r.Result, r.Winner, c.want, c.result, c.winner)
	}
}

func position(t *testing.T, sfen string) shogi.Position {
	t.Helper()
	return testutil.Must(shogi.ParseSFEN(sfen))(t)
}

// TestPerpetualCheckOfCSA: CSA has one word for every illegal action. It means perpetual check if the moves are one.
// Here a rook repeatedly checks the king on two ranks.
func TestPerpetualCheckOfCSA(t *testing.T) {
	start := "V2.2\nP-11OU\nP+99OU59HI\n+\n"
	cycle := "+5951HI\n-1112OU\n+5152HI\n-1211OU\n"
	back := "+5251HI\n-1112OU\n+5152HI\n-1211OU\n"
	for text, want := range map[string]string{
		start + cycle + "%+ILLEGAL_ACTION\n":                      kifu.EndIllegalMove,
		start + cycle + back + back + back + "%+ILLEGAL_ACTION\n": kifu.EndPerpetualCheck,
	} {
		if r := one(t, "csa", text); r.Result != want || r.Winner != "white" {
			t.Errorf("%d moves: %s for %s, want %s", len(r.Moves), r.Result, r.Winner, want)
		}
	}
}

// TestSeveralGames: "/" or the beginning of a game separates games. The error of a bad game has its place, and the
// other games are read.
func TestSeveralGames(t *testing.T) {
	good := "V2.2\nN+A\nPI\n+\n+7776FU\n%TORYO\n"
	for name, text := range map[string]string{"slashes": good + "/\n" + good + "/\n" + good,
		"versions": good + good + good, "slash at the end": good + good + good + "/\n\n"} {
		if list, bad := read(t, "csa", text); len(list) != 3 || len(bad) > 0 {
			t.Errorf("%s: %d games, %v", name, len(list), bad)
		}
	}
	for part, want := range map[string]string{
		"V2.2\nPI\n+\n+7775FU\n%TORYO\n":          "game 2, line 11: move 1, \"+7775FU\"",
		"V2.2\nPI\n+\n+7776FU\n+2726FU\n%TORYO\n": "game 2, line 12: move 2, \"+2726FU\": it is not by the side to move",
		"V2.2\nPI\n+\nwhat\n%TORYO\n":             "game 2, line 11: \"what\": expected a header",
		"V2.2\nPI\n+\n+7776FU\nTx\n":              "line 12: time \"x\": expected seconds",
		"V9\nPI\n+\n":                             "line 8: \"V9\": expected a version",
		"V2.2\nP1-XX\n+\n":                        "line 9: rank 1: \"-XX\" is neither a piece",
		"V2.2\nPI\n":                              "the position has no side to move",
		"V2.2\nPI\n+\n%TORYO\n+7776FU\n":          "behind the end %TORYO",
		"V2.2\nPI\n+\n+7776FU\n%MATTA\n":          "takes a move back",
		"V2.2\nPI\n+\nT3\n":                       "a time before the first move",
		"V2.2\nPI\n+\n+7775FU\n-3334FU\n%TORYO\n": "move 1, \"+7775FU\"",
		"V2.2\n$TIME_LIMIT:soon\nPI\n+\n":         "expected HH:MM+SS",
		"V2.2\nN+A\n":                             "there is neither a position nor a move",
	} {
		list, bad := read(t, "csa", good+"/\n"+part+"/\n"+good)
		testutil.Check(t, len(list) == 2 && len(bad) == 1 && strings.HasPrefix(bad[0], "file: game 2, line ") &&
			strings.Contains(bad[0], want),
			"%q: %d games, %q; want %q", part, len(list), bad, want)
	}
}

// TestKIFFiles has files that KIF and KI2 allow, and files that other programs write.
func TestKIFFiles(t *testing.T) {
	head := "手数----指手---------消費時間--\n"
	first := "   1 ７六歩(77)   ( 0:16/00:00:16)\n"
	const drawn = "後手の持駒：なし\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n|v香v桂v銀v金v玉v金v銀v桂v香|一\n| ・v飛 ・ ・ ・ ・ ・v角 ・|二\n|v歩v歩v歩v歩v歩v歩v歩v歩v歩|三\n" +
		"| ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n| ・ ・ 歩 ・ ・ ・ ・ ・ ・|六\n| 歩 歩 ・ 歩 歩 歩 歩 歩 歩|七\n| ・ 角 ・ ・ ・ ・ ・ 飛 ・|八\n| 香 桂 銀 金 玉 金 銀 桂 香|九\n" +
		"+---------------------------+\n先手の持駒：なし\n"
	const boardAfter = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 1 moves 3c3d"
	for name, c := range map[string]struct {
		text, want, result, winner string
		branches                   int
	}{
		"mark": {bom + "手合割：平手\n" + head + first + "   2 投了\n", "startpos moves 7g7f",
			kifu.EndResignation, "black", 0},
		"the same square, wide": {head + first + "   2 ３四歩(33)\n   3 ２二角成(88)\n   4 同　銀(31)\n",
			"startpos moves 7g7f 3c3d 8h2b+ 3a2b", "", "", 0},
		"the same square, narrow": {head + first + "   2 ３四歩(33)\n   3 ２二角成(88)\n   4 同銀(31)   ( 0:01/00:00:01)\n",
			"startpos moves 7g7f 3c3d 8h2b+ 3a2b", "", "", 0},
		"the same square, a blank": {head + first + "   2 ３四歩(33)\n   3 ２二角成(88)\n   4 同 銀(31)   ( 0:01/00:00:01)\n",
			"startpos moves 7g7f 3c3d 8h2b+ 3a2b", "", "", 0},
		"other digits": {head + "1 76歩(77)\n2 投了\n", "startpos moves 7g7f", kifu.EndResignation, "black",
			0},
		"branches": {head + first +
			"   2 ３四歩(33)   ( 0:01/00:00:01)+\n   3 中断\n\n変化：2手\n   2 ８四歩(83)   ( 0:01/00:00:01)\n*on it\n   3 投了\n\n変化：1手\n   1 ２六歩(27)\n", "startpos moves 7g7f 3c3d", "", "", 2},
		"bookmark and comments": {"# made by somebody\n" + head + "*at the start\n" + first +
			"&a mark\n*on it\n   2 千日手\nまで1手で千日手\n", "startpos moves 7g7f", kifu.EndRepetition, draw, 0},
		"handicap": {"手合割：二枚落ち　　\n下手：a\n上手：b\n" + head + "   1 ６二銀(71)\n   2 反則負け\n",
			"sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1 moves 7a6b", kifu.EndIllegalMove, "white", 0},
		"declared": {head + "   1 入玉勝ち\n", "startpos", kifu.EndDeclaration, "black", 0},
		"the other broke a rule": {head + first + "   2 反則勝ち\n", "startpos moves 7g7f", kifu.EndIllegalMove, "white",
			0},
		"out of time": {head + first + "   2 切れ負け     ( 5:00/00:05:00)\n", "startpos moves 7g7f",
			kifu.EndTimeForfeit, "black", 0},
		"an illegal one": {head + first + "   2 ３五歩(33)\n   3 反則負け\n", "startpos moves 7g7f",
			kifu.EndIllegalMove, "black", 0},
		"an illegal one, in other words": {head + first + "   2 ３五歩(33)\n   3 反則手\n", "startpos moves 7g7f",
			kifu.EndIllegalMove, "black", 0},
		"who is to move broke a rule": {head + first + "   2 反則手\n", "startpos moves 7g7f", kifu.EndIllegalMove, "black",
			0},
		"declared, in one word": {head + "   1 宣言\n", "startpos", kifu.EndDeclaration, "black", 0},
		"longest": {"最大手数：1\n" + head + first + "   2 持将棋\n", "startpos moves 7g7f", kifu.EndMaxPlies,
			draw, 0},
		"KI2": {"手合割：平手\n\n▲７六歩  △３四歩 ▲２二角成　△同　銀\nまで4手で後手の勝ち\n",
			"startpos moves 7g7f 3c3d 8h2b+ 3a2b", kifu.EndResignation, "white", 0},
		"KI2, other signs": {"☗７六歩\n☖３四歩\nまで2手で時間切れにより先手の勝ち\n", "startpos moves 7g7f 3c3d", kifu.EndTimeForfeit,
			"black", 0},
		"KI2, a drop":               {"▲７六歩△３四歩▲２二角成△同銀▲５五角打\n", "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*5e", "", "", 0},
		"KI2, a drop that is clear": {"▲７六歩△３四歩▲２二角成△同銀▲５五角\n", "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*5e", "", "", 0},
		"KI2, the end in the line": {"▲７六歩△３四歩まで2手で先手の勝ち\n", "startpos moves 7g7f 3c3d", kifu.EndUnknownReason, "black",
			0},
		"KI2, the loser waits": {"▲７六歩△３四歩\nまで2手で先手の勝ち\n", "startpos moves 7g7f 3c3d", kifu.EndUnknownReason,
			"black", 0},
		"KI2, a declaration": {"▲７六歩△３四歩\nまで2手で入玉宣言により先手の勝ち\n", "startpos moves 7g7f 3c3d", kifu.EndDeclaration,
			"black", 0},
		"words of other programs": {head + first + "   2 時間切れ\n", "startpos moves 7g7f", kifu.EndTimeForfeit, "black",
			0},
		"end of DOS": {head + first + "   2 投了\r\n\x1a", "startpos moves 7g7f", kifu.EndResignation,
			"black", 0},
		"marks of branches, no blanks": {head +
			"   1 ７六歩(77)+\n   2 ３四歩(33)\n   3 ２二角成(88)+\n   4 同　銀(31)+\n   5 ５五角打+\n   6 投了\n",
			"startpos moves 7g7f 3c3d 8h2b+ 3a2b B*5e", kifu.EndResignation, "black", 0},
		"a drop as Denryu-sen writes it": {head + first +
			"   2 ３四歩(33)\n   3 ２二角成(88)\n   4 同　銀(31)\n   5 ４五角打(00)   ( 0:07/00:00:09)\n",
			"startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e", "", "", 0},
		"a board and its last move": {drawn + "手数＝1  ▲７六歩(77)  まで\n後手番\n" + head + "   1 ３四歩(33)\n   2 投了\n", boardAfter,
			kifu.EndResignation, "white", 0},
		"a board, numbers go on": {drawn + "後手番\n手数＝1  ▲７六歩(77)  まで\n" + head + "   2 ３四歩(33)\n   3 投了\n", boardAfter,
			kifu.EndResignation, "white", 0},
		"a board before any move": {drawn + "手数＝0 まで\n後手番\n" + head + "   1 ３四歩(33)\n", boardAfter, "", "", 0},
		"KI2, golds":              {"▲５八金右△５二金左▲６八金上\n", "startpos moves 4i5h 4a5b 6i6h", "", "", 0},
	} {
		r := one(t, "kif", c.text)
		testutil.Check(t, r.USI() == c.want && r.Result == c.result && r.Winner == c.winner && r.Branches == c.branches,
			"%s: %s, %q for %q, %d branches; want %s, %q for %q, %d", name, r.USI(), r.Result, r.Winner, r.Branches, c.want,
			c.result, c.winner, c.branches)
	}
}

// TestHandWrittenCSA has small letters, and a time that the writer did not know.
func TestHandWrittenCSA(t *testing.T) {
	t.Parallel()
	r := one(t, "csa", "V2.2\npi\n+\n+7776fu\nt12\n-3334FU\nT\n+8822um,t3\n%toryo\n")
	testutil.Check(t, r.USI() == "startpos moves 7g7f 3c3d 8h2b+" && r.Result == kifu.EndResignation &&
		r.Winner == "black",
		"%s, %s for %s", r.USI(), r.Result, r.Winner)
	m := r.Moves
	testutil.Check(t, m[0].Time == 12*time.Second && m[1].NoTime && m[2].Time == 3*time.Second && !m[2].NoTime, "%+v", m)
	r = one(t, "csa", "P1 *  *  *  * -ou *  *  *  *\nP2 *  *  *  *  *  *  *  *  *\nP3 *  *  *  * +fu *  *  *  *\n"+
		strings.Repeat("P0 *  *  *  *  *  *  *  *  *\n", 0)+"P+59ou00ki\n+\n+0052ki\n%tsumi\n")
	if r.Result != kifu.EndCheckmate || r.Winner != "black" || r.USI() != "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves G*5b" {
		t.Errorf("%s, %s for %s", r.USI(), r.Result, r.Winner)
	}
}

// TestJKFList: a list of games is read to its end, each game like a line with one object.
func TestJKFList(t *testing.T) {
	t.Parallel()
	const game = `{"header":{},"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},{"special":"TORYO"}]}`
	for text, want := range map[string][2]int{ // number of games, number of bad games
		"[" + game + "]":                            {1, 0},
		" \n[\n" + game + ",\n" + game + "\n]\n":    {2, 0},
		"[" + game + `,{"moves":"x"},` + game + "]": {2, 1},
		"[" + game + "]\n[" + game + "]":            {1, 1},
		"[]":                                        {0, 0},
		"[" + game + ",":                            {1, 1},
		bom + "[" + game + "]":                      {1, 0},
	} {
		if name, ok := Detect([]byte(text)); name != "jkf" || !ok {
			t.Errorf("%s is %q", text, name)
		}
		list, bad := read(t, "jkf", text)
		testutil.Check(t, len(list) == want[0] && len(bad) == want[1], "%s: %d games, %v", text, len(list), bad)
		for _, r := range list {
			testutil.Check(t, r.USI() == "startpos moves 7g7f" && r.Winner == "black", "%s: %s for %s", text, r.USI(), r.Winner)
		}
	}
	if name, ok := Detect([]byte("[Event \"a game of chess\"]\n")); ok {
		t.Errorf("PGN is %s", name)
	}
}

// TestEncodings has one game in every encoding and line end that record files use.
func TestEncodings(t *testing.T) {
	t.Parallel()
	text := "V2.2\nN+先手 太郎\nN-後手\nPI\n+\n  +7776FU \nT3\n%TORYO\n"
	in := func(e encoding.Encoding) string {
		return testutil.Must(e.NewEncoder().String(text))(t)
	}
	for name, text := range map[string]string{
		"UTF-8": text, "with a mark": bom + text, "Shift_JIS": in(japanese.ShiftJIS), "EUC-JP": in(japanese.EUCJP),
		"ISO-2022-JP":           in(japanese.ISO2022JP),
		"UTF-16":                in(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)),
		"UTF-16, the other way": in(unicode.UTF16(unicode.BigEndian, unicode.UseBOM)),
		"Windows":               strings.ReplaceAll(text, "\n", "\r\n") + "\x1a",
		"Macintosh":             strings.ReplaceAll(text, "\n", "\r"),
		"Macintosh, Shift_JIS":  strings.ReplaceAll(in(japanese.ShiftJIS), "\n", "\r"),
	} {
		if r := one(t, "csa", text); r.Black != "先手 太郎" || r.White != "後手" || r.USI() != "startpos moves 7g7f" ||
			r.Moves[0].Time != 3*time.Second {
			t.Errorf("%s: %q, %q, %s", name, r.Black, r.White, r.USI())
		}
	}
}

// TestNoBoardIsEmpty: a board with a broken first line is an error. It is neither the start position nor left out.
func TestNoBoardIsEmpty(t *testing.T) {
	t.Parallel()
	rows := "+---------------------------+\x00|v玉 ・ ・ ・ ・ ・ ・ ・ ・|一\n" + strings.Repeat("| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n", 8) +
		"+---------------------------+\n"
	list, bad := read(t, "ki2", "#KI2 version=2.0 encoding=UTF-8\n後手の持駒：なし\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n"+rows+"先手の持駒：なし\n後手番\n")
	testutil.Check(t, len(list) == 0 && len(bad) == 1, "%d games, %q", len(list), bad)
}

// TestNoGameIsEndless: a comment or game that is too long is rejected before it uses much memory.
func TestNoGameIsEndless(t *testing.T) {
	t.Parallel()
	for want, text := range map[string]string{
		"a comment has more than": "V2.2\nPI\n+\n" + strings.Repeat("'*to and fro\n", 10000),
		"more than 32768 plies": "V2.2\nPI\n+\n" + strings.Repeat("+2838HI\n-8272HI\n+3828HI\n-7282HI\n", 8192) +
			"+2838HI\n",
	} {
		list, bad := read(t, "csa", text)
		testutil.Check(t, len(list) == 0 && len(bad) == 1 && strings.Contains(bad[0], want), "%s: %d games, %q", want,
			len(list), bad)
	}
}

func TestKIFErrors(t *testing.T) {
	good := "手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)\n   2 投了\n"
	for text, want := range map[string]string{
		"   1 ７五歩(77)\n   2 投了\n":        "line 8: move 1, \"７五歩(77)\"",
		"   2 ７六歩(77)\n":                 "line 8: move 2 where move 1 is expected",
		"   1 ７六金(77)\n   2 投了\n":        "there is a pawn: expected a gold",
		"   1 同　歩(77)\n   2 投了\n":        "同 without a move before",
		"▲５八金\n":                         "2 legal moves could be meant",
		"△７六歩\n":                         "it is not by the side to move",
		"▲７五歩\n▲７六歩\n":                   "no legal move is written so",
		"手合割：十一枚落ち\n   1 ７六歩(77)\n":      "expected 平手, a handicap",
		"| ・ ・ ・ ・ ・ ・ ・ ・|一\n   1 中断\n": "rank 1 has 8 squares: expected 9",
		"what is this\n":                 "expected a header with a colon",
	} {
		list, bad := read(t, "kif", good+"\n手合割：平手\n手数--\n"+strings.TrimPrefix(text, "")+"\n"+good)
		if strings.HasPrefix(text, "手合割") || strings.HasPrefix(text, "|") { // headers come before the moves
			list, bad = read(t, "kif", good+"\n#KIF\n"+text+"\n"+good)
		}
		testutil.Check(t, len(list) == 2 && len(bad) == 1 && strings.HasPrefix(bad[0], "file: game 2, ") &&
			strings.Contains(bad[0], want),
			"%q: %d games, %q; want %q", text, len(list), bad, want)
	}
}

// TestKI2Words has the positions and answers of the federation's page on how to write moves
// (https://www.shogi.or.jp/faq/kihuhyouki.html).
func TestKI2Words(t *testing.T) {
	for _, c := range []struct{ sfen, moves string }{
		{"9/1+R7/9/9/9/9/9/9/9 b - 1", "8b8a=８一龍"},
		{"9/9/9/5G3/9/9/9/9/k8 b - 1", "4d5d=５四金"},
		{"9/2G6/G8/9/9/9/9/9/9 b - 1", "9c8b=８二金上 7b8b=８二金寄"},
		{"9/9/9/9/9/9/9/9/2G1G4 b - 1", "7i6h=６八金左 5i6h=６八金右"},
		{"9/9/9/9/9/9/9/9/3GG4 b - 1", "6i6h=６八金直 5i6h=６八金右"},
		{"9/9/9/9/9/9/9/9/1S1S5 b - 1", "8i7h=７八銀左 6i7h=７八銀右"},
		{"9/9/9/9/9/5S3/9/3S1S3/9 b - 1", "6h5g=５七銀左 4h5g=５七銀右上 4f5g=５七銀引"},
		{"9/9/9/9/9/3S1S3/9/3S1S3/9 b - 1", "6h5g=５七銀左上 4h5g=５七銀右上 6f5g=５七銀左引 4f5g=５七銀右引"},
		{"9/9/9/9/9/9/9/9/2SS5 b - 1", "7i7h=７八銀直 6i7h=７八銀右"},
	} {
		p := position(t, c.sfen)
		for pair := range strings.FieldsSeq(c.moves) {
			usi, want, _ := strings.Cut(pair, "=")
			m := testutil.Must(shogi.ParseMove(usi))(t)
			testutil.Equal(t, ki2Move(&p, m, shogi.NoSquare), want, "%s in %s", usi, c.sfen)
		}
	}
}

// TestEveryMoveThereAndBack: in positions with many equal pieces, each legal move has a different text in KI2, and this
// text is read as the move.
func TestEveryMoveThereAndBack(t *testing.T) {
	for _, sfen := range append(starts(),
		"4k4/9/3GGG3/9/4G4/9/9/9/4K4 b 2R2B4S4N4L18P 1", "4k4/9/2SSS4/9/2S6/9/9/9/4K4 b - 1",
		"9/2+B2+B3/9/9/9/2+R2+R3/9/9/9 b - 1", "9/9/9/9/9/2+b2+b3/9/2+r2+r3/9 w - 1", "4k4/9/2N1N4/9/9/2n1n4/9/9/4K4 w 2l 1",
		"4k4/9/2+P+P+P4/2+P1+P4/2+P+P+P4/9/9/9/4K4 b - 1",
	) {
		p := position(t, sfen)
		seen := map[string]shogi.Move{}
		for _, m := range p.LegalMoves(nil) {
			text := ki2Move(&p, m, shogi.NoSquare)
			other, twice := seen[text]
			testutil.Check(t, !twice, "%s: %s is %s and %s", sfen, text, other, m)
			seen[text] = m
			back, err := parseKIFMove(&p, text, shogi.NoSquare)
			testutil.Check(t, err == nil && back == m, "%s: %s is %s, read as %s, %v", sfen, m, text, back, err)
		}
	}
}

// TestCSALayout compares a whole file with the description in docs/formats.md.
func TestCSALayout(t *testing.T) {
	move := func(usi string) shogi.Move {
		return testutil.Must(shogi.ParseMove(usi))(t)
	}
	even := shogi.StartPos()
	r := &kifu.Record{
		Black: "A, B", White: "C", Event: "run/12.1", Start: even.SFEN(), Result: kifu.EndIllegalMove, Winner: "black",
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local),
		Moves: []kifu.Move{
			{Move: move("7g7f"), Opening: true},
			{Move: move("3c3d"), Time: 1999 * time.Millisecond, HasScore: true, Score: 50,
				PV: []shogi.Move{move("3c3d"), move("8h2b+"), move("1a9i")}},
			{Move: move("8h2b+"), Time: time.Second, HasScore: true, Score: 999_999},
		},
	}
	r.Ended = r.Started.Add(time.Minute)
	r.Clocks = [2]kifu.Clock{{Main: 65 * time.Minute, Byoyomi: 10 * time.Second},
		{Main: 65 * time.Minute, Byoyomi: 10 * time.Second}}
	r.MaxMoves, r.Note, r.LastTime, r.HasLast = 320, "it said \"x\", twice", 2900*time.Millisecond, true
	r.Ratings[0] = 3500
	want := `V2.2
N+A， B
N-C
$EVENT:run/12.1
$START_TIME:2026/01/02 03:04:05
$END_TIME:2026/01/02 03:05:05
'Max_Moves:320
$TIME_LIMIT:01:05+10
` + kifu.CSAPosition(&even) + `'black_rate:A\c B:3500
+7776FU
-3334FU
T1
'** -50 +8822UM
+8822UM
T1
'** 30000
%ILLEGAL_MOVE
T2
'summary:illegal move:A\c B win:C lose
'gogi:illegal_move:it said "x"\c twice
`
	got, err := AppendCSA(nil, r)
	testutil.Check(t, err == nil && string(got) == want, "%v, got\n%s\nwant\n%s", err, got, want)
}

// TestCSAEnds compares the words and their winners with the table in docs/formats.md. Black is to move.
func TestCSAEnds(t *testing.T) {
	even := shogi.StartPos()
	for _, c := range []struct{ result, winner, word, summary string }{
		{kifu.EndResignation, "white", "%TORYO", "toryo:A lose:B win"},
		{kifu.EndCheckmate, "white", "%TORYO", "toryo:A lose:B win"},
		{kifu.EndCrash, "white", "%TORYO", "abnormal:A lose:B win"},
		{kifu.EndTimeForfeit, "white", "%TIME_UP", "time up:A lose:B win"},
		{kifu.EndStall, "white", "%TIME_UP", "time up:A lose:B win"},
		{kifu.EndIllegalMove, "white", "%ILLEGAL_MOVE", "illegal move:A lose:B win"},
		{kifu.EndFalseDeclaration, "white", "%ILLEGAL_MOVE", "illegal kachi:A lose:B win"},
		{kifu.EndPerpetualCheck, "white", "%+ILLEGAL_ACTION", "oute_sennichite:A lose:B win"},
		{kifu.EndPerpetualCheck, "black", "%-ILLEGAL_ACTION", "oute_sennichite:A win:B lose"},
		{kifu.EndRepetition, draw, "%SENNICHITE", "sennichite:A draw:B draw"},
		{kifu.EndMaxPlies, draw, "%JISHOGI", "max_moves:A draw:B draw"},
		{kifu.EndImpasse, draw, "%JISHOGI", "jishogi:A draw:B draw"},
		{kifu.EndDeclaration, "black", "%KACHI", "kachi:A win:B lose"},
		{kifu.EndDeclaration, "white", "%TORYO", "kachi:A lose:B win"}, // the try rule: Black is to move, but White has won
		{kifu.EndScoreAdjudication, "white", "%TORYO", "score adjudication:A lose:B win"},
		{kifu.EndScoreAdjudication, "black", "%CHUDAN", "score adjudication:A win:B lose"},
		{kifu.EndScoreAdjudication, draw, "%CHUDAN", "score adjudication:A draw:B draw"},
	} {
		text, err := AppendCSA(nil, &kifu.Record{Black: "A", White: "B", Start: even.SFEN(), Result: c.result,
			Winner: c.winner})
		want := "+\n" + c.word + "\n'summary:" + c.summary + "\n'gogi:" + c.result + ":\n"
		testutil.Check(t, err == nil && strings.HasSuffix(string(text), want),
			"%s for %s: %v, %s, want %s", c.result, c.winner, err, text, want)
	}
}

// TestNoCommentHasAComma: the reader of another program cuts comments at a comma.
func TestNoCommentHasAComma(t *testing.T) {
	even := shogi.StartPos()
	r := &kifu.Record{Black: "a,b", White: "c,d", Start: even.SFEN(), Result: kifu.EndCrash, Winner: "white"}
	r.Note, r.Comment, r.Ratings = "x, y", "p, q", [2]float64{1, 2}
	text := testutil.Must(AppendCSA(nil, r))(t)
	v3 := testutil.Must(AppendCSA3(nil, r))(t)
	for line := range strings.Lines(string(text) + string(v3)) {
		testutil.Check(t, line[0] != '\'' || !strings.Contains(line, ","), "%q", line)
	}
}

// TestWhatCannotBeWritten: an illegal move and an invalid start are errors.
func TestWhatCannotBeWritten(t *testing.T) {
	even := shogi.StartPos()
	bad := shogi.NewMove(shogi.NewSquare(7, 7), shogi.NewSquare(7, 5))
	for _, f := range Text() {
		for want, r := range map[string]*kifu.Record{"7g7e": {Start: even.SFEN(), Moves: []kifu.Move{{Move: bad}}},
			"start": {Start: "9/9 b - 1"}} {
			if f.Name == "kif" && want == "7g7e" {
				continue // KIF writes the illegal move as a comment, because it keeps games that ended so
			}
			if text, err := f.Append([]byte("before"), r); err == nil || !strings.Contains(err.Error(), want) ||
				string(text) != "before" {
				t.Errorf("%s: %q, %v", f.Name, text, err)
			}
		}
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "hello": "", "\n\n'CSA encoding=UTF-8\n": "csa", bom + "V2.2\n": "csa", "PI\n+\n": "csa",
		"# KIF\n手合割：平手":                                   "kif",
		"\x8e\xe8\x8d\x87\x8a\x84\x81F\x95\xbd\x8e\xe8\n": "kif", "▲７六歩": "kif", `{"header":{}}`: "jkf",
		`{"gogi_record":1}`:   "jsonl",
		"position startpos\n": "usi", "startpos moves 7g7f": "usi", "sfen 4k4": "usi",
	} {
		got, ok := Detect([]byte(text))
		testutil.Check(t, got == want && ok == (want != ""), "%q is %q, want %q", text, got, want)
	}
}

func TestOfFile(t *testing.T) {
	for name, want := range map[string]string{"a.csa": "csa", "A.CSA": "csa", "a.kif": "kif", "a.kifu": "kif",
		"a.ki2u": "ki2", "x/a.jkf": "jkf", "a.json": "jkf", "a.jsonl": "jsonl", "a.usi": "usi", "a.sfen": "sfen"} {
		if f, ok := OfFile(Text(), name); !ok || f.Name != want {
			t.Errorf("%s is %q, want %q", name, f.Name, want)
		}
	}
	if f, ok := OfFile(Text(), "a.txt"); ok {
		t.Errorf("a.txt is %q", f.Name)
	}
	testutil.Fails(t, testutil.Err(Find(Text(), "pgn")), "csa, csa3, kif")
}

// TestLongLine: a line without an end is rejected at the limit of its length.
func TestLongLine(t *testing.T) {
	r := readCSA(NewInput("file", io.LimitReader(endless{}, 1<<30)))
	_, err := r.Next()
	testutil.Fails(t, err, "more than")
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// FuzzRead reads any text in every format.
func FuzzRead(f *testing.F) {
	f.Add(floodgate)
	for _, name := range []string{"kyoochi_illegal.kifu", "midpos_enteringwin.ki2u", "kyoochi_illegal.jkf",
		"midpos_enteringwin.v22.csa", "kyoochi_illegal.usi"} {
		text := testutil.Must(os.ReadFile("../testdata/" + name))(f)
		f.Add(string(text))
	}
	even := shogi.StartPos()
	for _, format := range Text() {
		text, err := format.Append(nil,
			&kifu.Record{Start: even.SFEN(), Moves: []kifu.Move{{Move: even.LegalMoves(nil)[0]}}, Result: kifu.EndCrash,
				Winner: "black"})
		testutil.OK(f, err)
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range Text() {
			readOut(t, format, []byte(text))
		}
	})
}

// TestContradiction: the side to move resigns. If the summary has another winner, the game is a *BadGame. If the
// winners agree, the game is valid.
func TestContradiction(t *testing.T) {
	const game = "V2.2\nN+A\nN-B\nPI\n+\n+7776FU\n%TORYO\n'summary:toryo:"
	if r, err := readCSA(NewInput("x.csa", strings.NewReader(game+"A win:B lose\n"))).Next(); err != nil ||
		r.Winner != "black" {
		t.Errorf("%+v, %v", r, err)
	}
	var bad *BadGame
	if r, err := readCSA(NewInput("x.csa", strings.NewReader(game+"A lose:B win\n"))).Next(); !errors.As(err, &bad) {
		t.Errorf("white resigns and wins: %+v, %v", r, err)
	}
}
