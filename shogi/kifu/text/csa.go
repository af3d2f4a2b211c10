package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"gogi/internal/lists"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// AppendCSA appends a record in floodgate's dialect of CSA version 2.2, which every tested reader understands. Times
// are whole seconds. A move's score is from Black's view, and its variation starts with the reply. The result is
// written in floodgate's words. The dialect cannot store handicap names, node limits or milliseconds. AppendCSA
// returns an error at an illegal move. Sources: http://www2.computer-shogi.org/protocol/record_v22.html, and
// shogi-server's game.rb and game_result.rb for floodgate's additions.
func AppendCSA(dst []byte, r *kifu.Record) ([]byte, error) {
	return csaWriter{text: dst, record: r}.all()
}

// AppendCSA3 appends a record in CSA version 3.0, the standard of the Computer Shogi Association. Times have
// milliseconds, and the comment of a move also has the number of nodes. AppendCSA3 returns an error at an
// illegal move. Source: http://www2.computer-shogi.org/protocol/record_v3.html
func AppendCSA3(dst []byte, r *kifu.Record) ([]byte, error) {
	return csaWriter{text: dst, record: r, v3: true}.all()
}

func (w csaWriter) all() ([]byte, error) {
	dst, r := w.text, w.record
	p, err := shogi.ParseSFEN(r.Start)
	if err != nil {
		return dst, fmt.Errorf("start position: %w", err)
	}
	w.head()
	w.text = append(w.text, kifu.CSAPosition(&p)...)
	if !w.v3 {
		w.ratings()
	}
	w.comment(r.Comment)
	for i := range r.Moves {
		m := &r.Moves[i]
		if err := p.CheckLegal(m.Move); err != nil {
			return dst, fmt.Errorf("move %d: %w", i+1, err)
		}
		w.line(kifu.CSAMove(&p, m.Move))
		if !m.Opening && !m.NoTime {
			w.line("T", w.seconds(m.Time))
		}
		side := p.Side()
		p.Apply(m.Move)
		w.thought(&p, side, m)
		w.comment(m.Comment)
		if endsOpening(r, i) && !w.timeFollows(i) {
			w.line("'*", kifu.OpeningEnd)
		}
	}
	w.end(p.Side())
	return w.text, nil
}

// timeFollows reports whether the next move or the end has a time. The reader takes the moves before it for the
// opening.
func (w *csaWriter) timeFollows(i int) bool {
	if i+1 < len(w.record.Moves) {
		return !w.record.Moves[i+1].NoTime
	}
	return w.record.HasLast
}

type csaWriter struct {
	text   []byte
	record *kifu.Record
	v3     bool // version 3.0 instead of 2.2
}

// seconds formats a time in seconds: whole seconds in version 2.2, with milliseconds in version 3.0.
func (w *csaWriter) seconds(d time.Duration) string {
	if w.v3 {
		return fmt.Sprintf("%d.%03d", d/time.Second, d%time.Second/time.Millisecond)
	}
	return strconv.FormatInt(int64(d/time.Second), 10)
}

func (w *csaWriter) line(parts ...string) {
	for _, s := range parts {
		w.text = append(w.text, s...)
	}
	w.text = append(w.text, '\n')
}

// header writes a header unless its value is empty. It escapes the value so that no reader mistakes it for
// another line: some readers of version 2.2 split every line at its commas.
func (w *csaWriter) header(key, value string) {
	if value = kifu.OneLine(value); value != "" {
		if !w.v3 {
			value = strings.ReplaceAll(value, ",", "，")
		}
		w.line(key, value)
	}
}

func (w *csaWriter) head() {
	r := w.record
	if w.v3 {
		w.line("'CSA encoding=UTF-8\nV3.0")
	} else {
		w.line("V2.2")
	}
	w.header("N+", r.Black)
	w.header("N-", r.White)
	w.header("$EVENT:", r.Event)
	w.header("$SITE:", r.Site)
	w.header("$OPENING:", r.Header.Opening)
	w.header("$START_TIME:", kifu.LocalTime(r.Started))
	w.header("$END_TIME:", kifu.LocalTime(r.Ended))
	if w.v3 {
		w.facts()
	} else {
		w.limits()
	}
}

// facts writes the headers that only version 3.0 has: the time control, the rules and a note. The note has
// one line for each player's description and one for the reason of the end.
func (w *csaWriter) facts() {
	r, note := w.record, ""
	for c, clock := range r.Clocks {
		if !clock.IsZero() {
			w.line("$TIME", "+-"[c:c+1], ":", w.seconds(clock.Main), "+", w.seconds(clock.Byoyomi), "+",
				w.seconds(clock.Increment))
		}
	}
	if r.MaxMoves > 0 {
		w.line("$MAX_MOVES:", strconv.Itoa(r.MaxMoves))
	}
	if r.Jishogi > 0 {
		w.line("$JISHOGI:", strconv.Itoa(r.Jishogi))
	}
	for i, text := range []string{r.About[0], r.About[1], r.Note} {
		if text != "" {
			note += []string{"black: ", "white: ", "end: "}[i] + kifu.Escaped(text) + "\n"
		}
	}
	w.header("$NOTE:", kifu.Escaped(strings.TrimSuffix(note, "\n")))
}

// limits writes the clock of both sides, if both have the same clock in whole minutes and seconds.
func (w *csaWriter) limits() {
	if n := w.record.MaxMoves; n > 0 {
		w.line("'Max_Moves:", strconv.Itoa(n))
	}
	c := w.record.Clocks[0]
	if c.IsZero() || c != w.record.Clocks[1] || c.Main%time.Minute != 0 || c.Byoyomi%time.Second != 0 ||
		c.Increment%time.Second != 0 {
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

// ratings writes the players' ratings in the lines that training scripts look for.
func (w *csaWriter) ratings() {
	for c, name := range w.record.Names() {
		if rating := w.record.Ratings[c]; rating != 0 && !math.IsNaN(rating) && !math.IsInf(rating, 0) {
			w.line("'", shogi.Colour(c).String(), "_rate:", kifu.EscapedComment(name), ":",
				strconv.FormatFloat(rating, 'f', -1, 64))
		}
	}
}

// comment writes comment lines. Programs ignore them.
func (w *csaWriter) comment(text string) {
	for _, line := range commentLines(text) {
		w.line("'*", kifu.Remark(kifu.EscapedComment(line)))
	}
}

// thought writes the score and the principal variation of a move; p is the position after the move.
func (w *csaWriter) thought(p *shogi.Position, mover shogi.Colour, m *kifu.Move) {
	if !m.HasScore {
		return
	}
	w.text = append(w.text, "'** "...)
	w.text = strconv.AppendInt(w.text, int64(kifu.BlackScore(mover, m.Score)), 10)
	w.text = kifu.AppendCSALine(w.text, *p, m.Reply())
	if w.v3 {
		w.text = fmt.Appendf(w.text, " #%d", m.Nodes)
	}
	w.text = append(w.text, '\n')
}

// end writes the last statement, its time, the winner and the reason. If the statement of version 3.0 does not tell
// the result and the winner, end first writes them in a comment.
func (w *csaWriter) end(side shogi.Colour) {
	r := w.record
	said, result := wordsOf(r, side), resultOf(r)
	word := said.csa
	if w.v3 {
		word = said.csa3
		o, _ := meaningOf(word, side)
		if r.Winner == "" {
			o.winner = ""
		}
		if result != "" && o != (outcome{result, r.Winner}) {
			w.line("'*", kifu.OneLine(result+" winner="+r.Winner))
		}
	}
	w.line(word)
	if r.HasLast {
		w.line("T", w.seconds(r.LastTime))
	}
	if result == "" || w.v3 {
		return
	}
	marks := map[string][2]string{"black": {"win", "lose"}, "white": {"lose", "win"}, draw: {draw, draw}}
	if mark, ok := marks[r.Winner]; ok {
		w.line("'summary:", floodgateType(result), ":", kifu.EscapedComment(r.Black), " ", mark[0], ":",
			kifu.EscapedComment(r.White), " ", mark[1])
	}
	w.line("'gogi:", kifu.EscapedComment(result), ":", kifu.EscapedComment(r.Note))
}

// floodgateType returns floodgate's word for a result, or gogi's own word if floodgate has none.
func floodgateType(result string) string {
	if !knownEnd(result) {
		return kifu.EscapedComment(result)
	}
	return endOf(result).summary
}

// ofFloodgate returns gogi's word for a result in floodgate's word. It returns "" for an unknown word.
func ofFloodgate(word string) string {
	switch word {
	case "try":
		return kifu.EndDeclaration
	case "uchifuzume", "oute_kaihimore":
		return kifu.EndIllegalMove
	}
	e, _ := lists.Find(endings, func(e termination) bool { return e.summary == word })
	return e.result
}
