package text

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// said has the winner for each word, in the descriptions of the formats: the CSA standards 2.2 and 3.0, the description
// of KIF, and the parser of json-kifu-format for the lines of KI2. m is the side to move, o is the other side.
var said = map[string]string{
	"%TORYO": "o", "%TSUMI": "o", "%TIME_UP": "o", "%ILLEGAL_MOVE": "o", "%+ILLEGAL_ACTION": "white",
	"%-ILLEGAL_ACTION": "black", "%KACHI": "m",
	"%SENNICHITE": draw, "%JISHOGI": draw, "%HIKIWAKE": draw, "%MAX_MOVES": draw, "%CHUDAN": "",
	"投了": "o", "詰み": "o", "切れ負け": "o", "反則負け": "o", "反則勝ち": "m", "入玉勝ち": "m", "千日手": draw, "持将棋": draw, "中断": "",
	"で先手の勝ち": "black", "で後手の勝ち": "white", "で時間切れにより先手の勝ち": "black", "で時間切れにより後手の勝ち": "white",
	"で先手の反則勝ち": "black", "で後手の反則勝ち": "white", "で先手の反則負け": "white", "で後手の反則負け": "black", "で先手の入玉勝ち": "black",
	"で後手の入玉勝ち": "white",
	"で千日手":     draw, "で持将棋": draw, "で中断": "",
}

// cell is a game of the table of ends.
type cell struct {
	record kifu.Record
	side   shogi.Colour // to move
	who    string       // m: the side to move wins, o: the other side wins, draw
}

// cells returns a short game for each termination, each side to move and each winner.
func cells(t *testing.T) (list []cell) {
	t.Helper()
	for _, result := range append(match.Terminations(), "") {
		for plies, line := range []string{"startpos", "startpos moves 7g7f"} {
			for _, winner := range []string{"black", "white", draw} {
				c := cell{record: recordOf(t, line), side: shogi.Colour(plies), who: draw}
				c.record.Black, c.record.White, c.record.Result, c.record.Winner = "A", "B", string(result), winner
				switch winner {
				case c.side.String():
					c.who = "m"
				case c.side.Opponent().String():
					c.who = "o"
				}
				list = append(list, c)
			}
		}
	}
	return list
}

// carries lists the ends for which a format has a word with the winner. In KIF, KI2, CSA 2.2 and JKF the side to move
// can always lose; CSA 3.0 has no word for a loss by an adjudication, a crash and so on.
func carries(format string, result, who string) bool {
	switch result {
	case "illegal_move", "false_declaration", "perpetual_check":
		return who != draw
	case "declaration":
		return who == "m" || who == "o" && format != "csa3"
	case "repetition", "max_plies", "impasse":
		return who == draw || who == "o" && format != "csa3"
	case "resignation", "checkmate", "time_forfeit", "stall":
		return who == "o"
	}
	return who == "o" && format != "csa3"
}

// endWord returns the word for the end in a text that gogi has written, and the text without all comments.
func endWord(t *testing.T, format, text string) (word, bare string) {
	t.Helper()
	if format == "jkf" {
		var j jkfRecord
		testutil.OK(t, json.Unmarshal([]byte(text), &j))
		for i := range j.Moves {
			j.Moves[i].Comments = nil
		}
		return "%" + j.Moves[len(j.Moves)-1].Special, string(testutil.Must(json.Marshal(j))(t))
	}
	for line := range strings.Lines(text) {
		if strings.ContainsAny(line[:1], "'*") {
			continue
		}
		bare += line
		switch line = strings.TrimSpace(line); {
		case format == "ki2" && strings.HasPrefix(line, "まで"):
			word = line[strings.Index(line, "手")+len("手"):]
		case format == "kif" && strings.Contains(" 1 2 ", " "+strings.Fields(line + " x")[0]+" "):
			word = strings.Fields(line)[1]
		case line[0] == '%':
			word = line
		}
	}
	return word, bare
}

// TestNoEndChangesTheWinner: for each termination, side to move and winner, the word in each format has the same winner
// by the description of the format, or it has no winner where carries says that the format has no word. gogi reads
// the result and the winner again, and from the word alone the same winner.
func TestNoEndChangesTheWinner(t *testing.T) {
	for _, c := range cells(t) {
		for _, format := range []string{"csa", "csa3", "kif", "ki2", "jkf", "jsonl"} {
			f := testutil.Must(Find(Text(), format))(t)
			r := c.record
			text := string(testutil.Must(f.Append(nil, &r))(t))
			what := fmt.Sprintf("%s: %q, %s to move, winner %s", format, r.Result, c.side, r.Winner)
			back := one(t, format, text)
			result := r.Result
			if result == "" && format != "jsonl" {
				result = kifu.EndUnknownReason
			}
			testutil.Check(t, back.Winner == r.Winner && back.Result == result, "%s is read as %q, winner %q, in\n%s", what,
				back.Result, back.Winner, text)
			if format == "jsonl" {
				continue
			}
			word, bare := endWord(t, format, text)
			winner, known := said[word]
			winner = map[string]string{"m": c.side.String(), "o": c.side.Opponent().String()}[winner] +
				strings.Trim(winner, "mo")
			want := r.Winner
			if !carries(format, r.Result, c.who) {
				want = ""
			}
			testutil.Check(t, known && winner == want, "%s is %q, winner %q, want %q", what, word, winner, want)
			testutil.Equal(t, one(t, format, bare).Winner, want, "%s without comments:\n%s", what, bare)
		}
	}
}

// TestEndsInOtherWords has ends that other programs write. 不戦敗 and 不戦勝 are the words of KIF for games that were not
// played. An unknown word ends the game without a result, with a warning.
func TestEndsInOtherWords(t *testing.T) {
	moves := "   1 ７六歩(77)\n   2 ３四歩(33)\n"
	jkf := `{"header":{},"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},{"special":"%s"}]}`
	for _, c := range []struct{ format, text, result, winner, warning string }{
		{"kif", moves + "   3 不戦敗\n", kifu.EndUnknownReason, "white", ""},
		{"kif", moves + "   3 不戦勝\n", kifu.EndUnknownReason, "black", ""},
		{"kif", "   1 不戦敗\n", kifu.EndUnknownReason, "white", ""},
		{"ki2", "▲７六歩\nまで1手で後手の不戦敗\n", kifu.EndUnknownReason, "black", ""},
		{"ki2", "▲７六歩\nまで1手で先手の不戦勝\n", kifu.EndUnknownReason, "black", ""},
		{"kif", moves + "   3 対局終了\n", "", "",
			`file: game 1, line 3: the end "対局終了" is unknown: the game counts as interrupted`},
		{"kif", moves + "   3 49手詰   ( 0:01/00:00:01)\n", "", "", `line 3: the end "49手詰" is unknown`},
		{"kif", moves + "   3 対局終了\nまで2手で後手の勝ち\n", kifu.EndUnknownReason, "white", ""},
		{"kif", moves + "   3 対局終了\nまで2手で対局終了\n", "", "", `the end "対局終了" is unknown`},
		{"csa", "PI\n+\n+7776FU\n%SOMETHING\n", "", "", `file: game 1, line 4: the end "%SOMETHING" is unknown`},
		{"csa", "PI\n+\n+7776FU\n%SOMETHING\n'summary:toryo:A win:B lose\n", kifu.EndResignation, "black", ""},
		{"jkf", fmt.Sprintf(jkf, "SOMETHING"), "", "", `the end "%SOMETHING" is unknown`},
		{"jkf", fmt.Sprintf(jkf, "CHUDAN"), "", "", ""},
		{"csa", "PI\n+\n+7776FU\n%FUZUMI\n", "", "", ""},
		// After an illegal move, which is White's here, Black is to move, and wins by the illegal move.
		{"kif", "   1 ７六歩(77)\n   2 ３五歩(33)\n   3 反則勝ち\n", kifu.EndIllegalMove, "black", ""},
		{"usi", "startpos moves 7g7f win\n", kifu.EndDeclaration, "white", ""},
		{"usi", "startpos moves 7g7f resign\n", kifu.EndResignation, "black", ""},
		{"usi", "startpos moves 7g7f win # 0 +30 -12\n", kifu.EndDeclaration, "white", ""},
		// shogi-server writes the word of a declaration twice.
		{"csa", "PI\n+\n+7776FU\nT1\n%KACHI\nT10\n%KACHI\n'summary:kachi:A lose:B win\n", kifu.EndDeclaration, "white", ""},
		{"csa", "PI\n+\n+7776FU\nT1\n%KACHI\nT10\n%KACHI\n'summary:illegal kachi:A win:B lose\n", kifu.EndFalseDeclaration,
			"black", ""},
	} {
		f := testutil.Must(Find(Text(), c.format))(t)
		in := NewInput("file", strings.NewReader(c.text))
		warning := ""
		in.Warn = func(why *BadGame) { warning += why.Error() }
		list := testutil.Must(testutil.ReadAll(f.Read(in).Next))(t)
		testutil.Require(t, len(list) == 1, "%d games of\n%s", len(list), c.text)
		r := list[0]
		testutil.Check(t, r.Result == c.result && r.Winner == c.winner, "%q, winner %q, want %q, winner %q:\n%s", r.Result,
			r.Winner, c.result, c.winner, c.text)
		testutil.Check(t, strings.Contains(warning, c.warning) && (warning == "") == (c.warning == ""),
			"the warning %q, want %q:\n%s", warning, c.warning, c.text)
		testutil.Check(t, warning == "" || strings.HasPrefix(r.Note, "the end "), "the note is %q", r.Note)
	}
	for format, text := range map[string]string{
		"kif": moves + "   3 対局終了\n   4 ２六歩(27)\n", "csa": "PI\n+\n+7776FU\n%KACHI\n%TORYO\n",
		"usi": "startpos moves 7g7f win 3c3d\n",
		"ki2": "   1 ７六歩(77)\n   2 ?四歩(33)\nまで2手で後手の勝ち\n", // a damaged move is no unknown end: the file counts it
	} {
		list, bad := read(t, format, text)
		testutil.Check(t, len(list) == 0 && len(bad) == 1, "%d games, %q of\n%s", len(list), bad, text)
	}
}

// TestEndsAreDocumented: docs/formats.md has the table of ends.
func TestEndsAreDocumented(t *testing.T) {
	page := string(testutil.Must(os.ReadFile("../../../docs/formats.md"))(t))
	for _, e := range endings {
		line := "| " + strings.ReplaceAll(e.result, "_", " ") + " |"
		for _, w := range []words{e.loses, e.wins, e.draws} {
			line += documented(w)
		}
		line += " " + e.summary + " |\n"
		testutil.Check(t, strings.Contains(page, line), "docs/formats.md does not have the row %s", line)
	}
}

// documented returns the cell of a page for words: those of csa, csa3, jkf and kif, or those of csa and kif if the
// first three are equal.
func documented(w words) (cell string) {
	if w == interrupted {
		return " |"
	}
	list := []string{w.csa, w.csa3, w.jkf, w.kif}
	if w.csa3 == w.csa && w.jkf == w.csa {
		list = []string{w.csa, w.kif}
	}
	return " `" + strings.Join(list, "` `") + "` |"
}

// TestOpeningWithoutTimes: each format keeps the end of the opening, also if no move has a time, as in a record from
// KI2, and if the game ended in the opening.
func TestOpeningWithoutTimes(t *testing.T) {
	for _, format := range []string{"csa", "csa3", "kif", "ki2", "jkf", "jsonl"} {
		for opening := range 4 {
			r := recordOf(t, "startpos moves 7g7f 3c3d 2g2f")
			for i := range r.Moves {
				r.Moves[i].Opening, r.Moves[i].NoTime = i < opening, i >= opening
			}
			f := testutil.Must(Find(Text(), format))(t)
			text := testutil.Must(f.Append(nil, &r))(t)
			list := testutil.Must(testutil.ReadAll(f.Read(NewInput("file", strings.NewReader(string(text)))).Next))(t)
			testutil.Require(t, len(list) == 1, "%s: %d games", format, len(list))
			for i, m := range list[0].Moves {
				testutil.Check(t, m.Opening == (i < opening) && m.NoTime == (i >= opening),
					"%s, an opening of %d moves: move %d is %+v in\n%s", format, opening, i, m, text)
			}
		}
	}
}
