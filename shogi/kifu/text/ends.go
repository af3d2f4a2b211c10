package text

import (
	"fmt"
	"slices"
	"strings"

	"gogi/internal/lists"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

const draw = "draw"

// words are the words of the formats for one end of a game. In csa and csa3, ± is the sign of the loser.
type words struct {
	csa  string // CSA 2.2
	csa3 string // CSA 3.0
	jkf  string // JKF, whose words are those of CSA 2.2 with the percent sign
	kif  string // KIF; KI2 makes a line of the same word
}

// These words are for ends that have no exact word. interrupted is for ends whose winner no format can express:
// only gogi's own comment and floodgate's summary have it. beaten means that the side to move has lost; CSA 3.0 has no
// such general word. foul means that the other side broke a rule.
var (
	interrupted = words{"%CHUDAN", "%CHUDAN", "%CHUDAN", "中断"}
	beaten      = words{"%TORYO", "%CHUDAN", "%TORYO", "投了"}
	timeUp      = words{"%TIME_UP", "%TIME_UP", "%TIME_UP", "切れ負け"}
	illegal     = words{"%ILLEGAL_MOVE", "%ILLEGAL_MOVE", "%ILLEGAL_MOVE", "反則負け"}
	foul        = words{"%±ILLEGAL_ACTION", "%±ILLEGAL_ACTION", "%±ILLEGAL_ACTION", "反則勝ち"}
)

// termination is the row of a termination in the table of ends.
type termination struct {
	result  string
	summary string // in floodgate's comment
	loses   words  // the side to move loses
	wins    words  // the side to move wins
	draws   words
}

// endings is the table of all terminations, with the words of each format for each winner. All writers and readers use
// it. A word of several rows is read as the first of them; interrupted is read as no result.
// Sources: the CSA standards, the KIF description (docs/formats.md has the addresses), and the schema of JKF.
var endings = []termination{
	{kifu.EndResignation, "toryo", words{"%TORYO", "%TORYO", "%TORYO", "投了"}, interrupted, interrupted},
	{kifu.EndCheckmate, "toryo", words{"%TORYO", "%TSUMI", "%TSUMI", "詰み"}, interrupted, interrupted},
	{kifu.EndTimeForfeit, "time up", timeUp, interrupted, interrupted},
	{kifu.EndStall, "time up", timeUp, interrupted, interrupted},
	// beaten: by the try rule, whose winner has just moved
	{kifu.EndDeclaration, "kachi", beaten, words{"%KACHI", "%KACHI", "%KACHI", "入玉勝ち"}, interrupted},
	{kifu.EndIllegalMove, "illegal move", illegal, foul, interrupted},
	{kifu.EndFalseDeclaration, "illegal kachi", illegal, foul, interrupted},
	{kifu.EndPerpetualCheck, "oute_sennichite", words{foul.csa, foul.csa3, foul.jkf, "反則負け"}, foul, interrupted},
	{kifu.EndRepetition, "sennichite", beaten, interrupted, words{"%SENNICHITE", "%SENNICHITE", "%SENNICHITE", "千日手"}},
	// in CSA 3.0 %JISHOGI is a draw by agreement
	{kifu.EndImpasse, "jishogi", beaten, interrupted, words{"%JISHOGI", "%HIKIWAKE", "%JISHOGI", "持将棋"}},
	{kifu.EndMaxPlies, "max_moves", beaten, interrupted, words{"%JISHOGI", "%MAX_MOVES", "%JISHOGI", "持将棋"}},
	{kifu.EndScoreAdjudication, "score adjudication", beaten, interrupted, interrupted},
	{kifu.EndMateAdjudication, "mate adjudication", beaten, interrupted, interrupted},
	{kifu.EndCrash, "abnormal", beaten, interrupted, interrupted},
	{kifu.EndNotStarted, "abnormal", beaten, interrupted, interrupted},
	{kifu.EndUnknownReason, "unknown", beaten, interrupted, interrupted},
}

// reading is the meaning of a word for the end of a game. The zero value is an interrupted game without a result.
type reading struct {
	result string
	who    who
}

// who is the winner of a game as seen from the position after its last move.
type who uint8

const (
	nobody who = iota // the game was interrupted
	loses             // the side to move loses
	wins              // the side to move wins
	draws
)

// readings has the meaning of each word in the table of ends, and of words that gogi reads but does not write. A game
// that was lost or won by default (不戦敗, 不戦勝) has a winner, but package match has no word for the reason.
var readings = withTable(map[string]reading{
	"%CHUDAN": {}, "%FUZUMI": {}, "%ERROR": {},
	"中断": {}, "不詰": {}, "封じ手": {}, "最大手数": {kifu.EndMaxPlies, draws}, "不戦敗": {kifu.EndUnknownReason, loses},
	"不戦勝": {kifu.EndUnknownReason, wins},
	"詰":   {kifu.EndCheckmate, loses}, "時間切れ": {kifu.EndTimeForfeit, loses}, "反則": {kifu.EndIllegalMove, loses},
	"反則手": {kifu.EndIllegalMove, loses},
	"宣言":  {kifu.EndDeclaration, wins}, "勝ち宣言": {kifu.EndDeclaration, wins}, "入玉宣言": {kifu.EndDeclaration, wins},
	"宣言勝ち": {kifu.EndDeclaration, wins},
	"引き分け": {kifu.EndImpasse, draws}, "引分け": {kifu.EndImpasse, draws},
})

// withTable adds the words of the table of ends to a table of other words.
func withTable(list map[string]reading) map[string]reading {
	for _, e := range endings {
		for i, w := range []words{e.loses, e.wins, e.draws} {
			for _, word := range []string{w.csa, w.csa3, w.jkf, w.kif} {
				if _, known := list[word]; !known && !strings.Contains(word, "±") { // meaningOf parses the sign
					list[word] = reading{e.result, loses + who(i)}
				}
			}
		}
	}
	return list
}

// knownEnd reports whether word is one of gogi's words for the end of a game, as in package match.
func knownEnd(word string) bool {
	return slices.ContainsFunc(endings, func(e termination) bool { return e.result == word })
}

// endOf returns the row of a result in the table of ends. A record may have a winner and no result, or a result of a
// newer gogi; endOf returns the row of unknown for it.
func endOf(result string) termination {
	e, ok := lists.Find(endings, func(e termination) bool { return e.result == result })
	if !ok {
		e = endings[len(endings)-1]
	}
	return e
}

// resultOf returns the Result of a record for gogi's own comments. It returns unknown for a record that has only a
// winner.
func resultOf(r *kifu.Record) string {
	if r.Result == "" && r.Winner != "" {
		return kifu.EndUnknownReason
	}
	return r.Result
}

// wordsOf returns the words for the end of a record; side is the side to move. A record of a server's game at the limit
// of moves may have no winner; it gets the word for a draw, which shows the reason.
func wordsOf(r *kifu.Record, side shogi.Colour) (w words) {
	e := endOf(r.Result)
	switch r.Winner {
	case side.String():
		w = e.wins
	case side.Opponent().String():
		w = e.loses
	default:
		w = e.draws
	}
	sign := "+"
	if r.Winner == "black" {
		sign = "-"
	}
	for _, word := range []*string{&w.csa, &w.csa3, &w.jkf} {
		*word = strings.Replace(*word, "±", sign, 1)
	}
	return w
}

// outcome is the result and the winner of a game, as the file describes them.
type outcome struct{ result, winner string }

// lost returns the outcome that the side to move loses; won returns the outcome that it wins.
func lost(result string, side shogi.Colour) outcome { return outcome{result, side.Opponent().String()} }
func won(result string, side shogi.Colour) outcome  { return outcome{result, side.String()} }

// meaningOf returns the outcome that a word for the end of a game states; side is the side to move. ok is false for an
// unknown word. The sign of %±ILLEGAL_ACTION is the side that broke a rule, and loses.
func meaningOf(word string, side shogi.Colour) (o outcome, ok bool) {
	switch word {
	case "%+ILLEGAL_ACTION":
		return lost(kifu.EndIllegalMove, shogi.Black), true
	case "%-ILLEGAL_ACTION":
		return lost(kifu.EndIllegalMove, shogi.White), true
	}
	w, ok := readings[word]
	switch w.who {
	case loses:
		return lost(w.result, side), true
	case wins:
		return won(w.result, side), true
	case draws:
		return outcome{w.result, draw}, true
	case nobody:
	}
	return outcome{}, ok
}

// atLimit returns the outcome with the reason maxPlies for a draw by impasse that has reached the longest game. CSA
// 2.2, JKF and KIF have one word for both.
func (o outcome) atLimit(r *kifu.Record) outcome {
	if n := r.MaxMoves; o.result == kifu.EndImpasse && n > 0 && len(r.Moves) >= n {
		o.result = kifu.EndMaxPlies
	}
	return o
}

// noted parses gogi's own comment with the result: "WORD winner=WHO", optionally followed by " note=TEXT". ok
// is false for any other comment.
func noted(text string) (o outcome, note string, ok bool) {
	word, rest, found := strings.Cut(strings.TrimSpace(text), " winner=")
	if !found || !knownEnd(word) {
		return o, "", false
	}
	who, note, _ := strings.Cut(rest, " note=")
	if who != "black" && who != "white" && who != draw {
		return o, "", false
	}
	return outcome{word, who}, unescaped(note), true
}

func (o outcome) set(r *kifu.Record) { r.Result, r.Winner = o.result, o.winner }

// byRepetition returns the word for perpetual check if the moves end with one, else it returns other. Some formats
// have only one word for perpetual check and for other illegal acts.
func byRepetition(r *kifu.Record, start shogi.Position, other string) string {
	h := shogi.NewHistory(start)
	for i := range r.Moves {
		h.Push(r.Moves[i].Move)
	}
	if k := h.Repetition(); k == shogi.RepetitionBlackLoses || k == shogi.RepetitionWhiteLoses {
		return kifu.EndPerpetualCheck
	}
	return other
}

// unescaped reverses the escapes in comments and notes.
func unescaped(text string) string { return unescaper.Replace(text) }

var unescaper = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\c`, ",")

// maxComment is the largest length of a comment in bytes. gogi rejects a game with a longer comment.
const maxComment = 64 << 10

// addLine adds a line to a comment. It returns an error if the comment becomes too long.
func addLine(comment *string, line string) error {
	if len(*comment)+len(line) > maxComment {
		return fmt.Errorf("a comment has more than %d bytes", maxComment)
	}
	if *comment != "" {
		*comment += "\n"
	}
	*comment += line
	return nil
}

// longer returns an error if the game already has the largest number of moves that gogi reads.
func longer(moves []kifu.Move) error {
	if len(moves) >= kifu.MaxPlies {
		return fmt.Errorf("the game has more than %d plies", kifu.MaxPlies)
	}
	return nil
}

// setOpening marks the moves so far as moves of the opening.
func setOpening(r *kifu.Record) {
	for i := range r.Moves {
		r.Moves[i].Opening, r.Moves[i].NoTime = true, false
	}
}

// settleTimes marks the first moves without a time as moves of the opening, which takes no time. It does this
// only if the record has times at all. The time of all other moves without a time stays unknown.
func settleTimes(r *kifu.Record) {
	timed := r.HasLast
	for i := range r.Moves {
		timed = timed || !r.Moves[i].NoTime
	}
	for i := range r.Moves {
		m := &r.Moves[i]
		if !timed || !m.NoTime {
			return
		}
		m.NoTime, m.Opening = false, true
	}
}
