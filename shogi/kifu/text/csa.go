package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// AppendCSA adds a record in the dialect of floodgate, version 2.2, which every tested reader
// understands. It has whole seconds, the score from Black's view with the principal variation from the
// reply on, and the result in floodgate's words. It has no place for the two sides of a handicap, a limit
// of nodes or thousandths of a second. It returns an error at an illegal move. Sources:
// http://www2.computer-shogi.org/protocol/record_v22.html, and shogi-server's game.rb and game_result.rb
// for floodgate's additions.
func AppendCSA(dst []byte, r *kifu.Record) ([]byte, error) {
	p, err := shogi.ParseSFEN(r.Start)
	if err != nil {
		return dst, fmt.Errorf("start position: %w", err)
	}
	w := csaWriter{text: dst, record: r}
	w.head()
	w.text = append(w.text, kifu.CSAPosition(&p)...)
	w.ratings()
	w.comment(r.Comment)
	for i := range r.Moves {
		m := &r.Moves[i]
		if err := p.CheckLegal(m.Move); err != nil {
			return dst, fmt.Errorf("move %d: %w", i+1, err)
		}
		w.line(kifu.CSAMove(&p, m.Move))
		if !m.Opening && !m.NoTime {
			w.line("T", strconv.FormatInt(int64(m.Time/time.Second), 10))
		}
		side := p.Side()
		p.Apply(m.Move)
		w.thought(&p, side, m)
		w.comment(m.Comment)
	}
	w.end(p.Side())
	return w.text, nil
}

type csaWriter struct {
	text   []byte
	record *kifu.Record
}

func (w *csaWriter) line(parts ...string) {
	for _, s := range parts {
		w.text = append(w.text, s...)
	}
	w.text = append(w.text, '\n')
}

// header writes a value, if there is one, in a form that cannot be mistaken for another line or
// statement: some readers cut any line at its commas.
func (w *csaWriter) header(key, value string) {
	if value != "" {
		w.line(key, strings.ReplaceAll(kifu.OneLine(value), ",", "，"))
	}
}

func (w *csaWriter) head() {
	r := w.record
	w.line("V2.2")
	w.header("N+", r.Black)
	w.header("N-", r.White)
	w.header("$EVENT:", r.Event)
	w.header("$SITE:", r.Site)
	w.header("$OPENING:", r.Header.Opening)
	w.header("$START_TIME:", kifu.LocalTime(r.Started))
	w.header("$END_TIME:", kifu.LocalTime(r.Ended))
	w.limits()
}

// limits writes a common clock of both sides, if it is whole minutes and seconds.
func (w *csaWriter) limits() {
	if n := w.record.MaxMoves; n > 0 {
		w.line("'Max_Moves:", strconv.Itoa(n))
	}
	c := w.record.Clocks[0]
	if c.IsZero() || c != w.record.Clocks[1] || c.Main%time.Minute != 0 || c.Byoyomi%time.Second != 0 || c.Increment%time.Second != 0 {
		return
	}
	minutes := int(c.Main / time.Minute)
	if minutes >= 100*60 || c.Byoyomi >= 100*time.Second {
		return
	}
	if c.Increment > 0 {
		w.line("'Increment:", strconv.Itoa(int(c.Increment/time.Second)))
	}
	w.line("$TIME_LIMIT:", fmt.Sprintf("%02d:%02d+%02d", minutes/60, minutes%60, int(c.Byoyomi/time.Second)))
}

// ratings are in the words that training scripts look for.
func (w *csaWriter) ratings() {
	for c, name := range w.record.Names() {
		if rating := w.record.Ratings[c]; rating != 0 && !math.IsNaN(rating) && !math.IsInf(rating, 0) {
			w.line("'", shogi.Colour(c).String(), "_rate:", escaped(name), ":", strconv.FormatFloat(rating, 'f', -1, 64)) //nolint:gosec // 0 or 1
		}
	}
}

// comment writes lines that programs pass over.
func (w *csaWriter) comment(text string) {
	for _, line := range commentLines(text) {
		w.line("'*", kifu.Remark(escaped(line)))
	}
}

// thought writes the score and the variation; p is the position after the move.
func (w *csaWriter) thought(p *shogi.Position, mover shogi.Colour, m *kifu.Move) {
	if !m.HasScore {
		return
	}
	w.text = append(w.text, "'** "...)
	w.text = strconv.AppendInt(w.text, int64(blackScore(mover, m.Score)), 10)
	w.text = kifu.AppendCSALine(w.text, *p, m.Reply())
	w.text = append(w.text, '\n')
}

// blackScore returns a score from Black's view within CSA's range for mates.
func blackScore(mover shogi.Colour, score int) int {
	if mover == shogi.White {
		score = -score
	}
	return max(-kifu.CSAMate, min(kifu.CSAMate, score))
}

// end writes the last statement, its time, the winner and the reason.
func (w *csaWriter) end(side shogi.Colour) {
	r := w.record
	w.line(csaWord(r, side))
	if r.HasLast {
		w.line("T", strconv.FormatInt(int64(r.LastTime/time.Second), 10))
	}
	if r.Result == "" {
		return
	}
	marks := map[string][2]string{"black": {"win", "lose"}, "white": {"lose", "win"}, draw: {draw, draw}}
	if mark, ok := marks[r.Winner]; ok {
		w.line("'summary:", floodgateType(r.Result), ":", escaped(r.Black), " ", mark[0], ":", escaped(r.White), " ", mark[1])
	}
	w.line("'gogi:", escaped(r.Result), ":", escaped(r.Note))
}

// csaWord is the last statement of a game; side is the side to move. The words of version
// 2.2 that most readers know stand for those that only some do.
func csaWord(r *kifu.Record, side shogi.Colour) string {
	switch r.Result {
	case resignation, checkmate, crash:
		return "%TORYO"
	case timeForfeit, stall:
		return "%TIME_UP"
	case illegalMove, falseDeclaration:
		return "%ILLEGAL_MOVE"
	case perpetualCheck:
		if r.Winner == shogi.White.String() {
			return "%+ILLEGAL_ACTION"
		}
		return "%-ILLEGAL_ACTION"
	case repetition:
		return "%SENNICHITE"
	case maxPlies, impasse:
		return "%JISHOGI"
	case declaration:
		if r.Winner == side.String() {
			return "%KACHI"
		}
	}
	// The try rule, whose winner has just moved, and adjudications against the side to move.
	if loserMoves(r, side) {
		return "%TORYO"
	}
	return "%CHUDAN"
}

// floodgateType is the word of floodgate's summaries for how a game ended, and ours where it has none.
func floodgateType(result string) string {
	switch result {
	case resignation, checkmate:
		return "toryo"
	case timeForfeit, stall:
		return "time up"
	case declaration:
		return "kachi"
	case falseDeclaration:
		return "illegal kachi"
	case illegalMove:
		return "illegal move"
	case perpetualCheck:
		return "oute_sennichite"
	case repetition:
		return "sennichite"
	case maxPlies:
		return "max_moves"
	case impasse:
		return "jishogi"
	case scoreAdjudication:
		return "score adjudication"
	case mateAdjudication:
		return "mate adjudication"
	case crash, notStarted:
		return "abnormal"
	case unknown:
		return "unknown"
	}
	return escaped(result)
}

// ofFloodgate is the inverse of floodgateType, "" for a word that it does not know. Its
// reasons for an illegal move are one to us.
func ofFloodgate(word string) string {
	switch word {
	case "toryo":
		return resignation
	case "time up":
		return timeForfeit
	case "kachi", "try":
		return declaration
	case "illegal kachi":
		return falseDeclaration
	case "illegal move", "uchifuzume", "oute_kaihimore":
		return illegalMove
	case "oute_sennichite":
		return perpetualCheck
	case "sennichite":
		return repetition
	case "max_moves":
		return maxPlies
	case "jishogi":
		return impasse
	case "score adjudication":
		return scoreAdjudication
	case "mate adjudication":
		return mateAdjudication
	case "abnormal":
		return crash
	case "unknown":
		return unknown
	}
	return ""
}
