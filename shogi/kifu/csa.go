package kifu

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gogi/shogi"
)

// CSA returns the record in the standard format of the Computer Shogi Association, version 3.0, in UTF-8.
// Times have milliseconds. Each move with a score has a comment of that version, "'** score variation nodes":
// the score is from Black's point of view, and the variation begins with the reply. CSA returns an error that
// names an illegal move of the record. Source: http://www2.computer-shogi.org/protocol/record_v3.html
func (r *Record) CSA() (string, error) {
	position, err := shogi.ParseSFEN(r.Start)
	if err != nil {
		return "", fmt.Errorf("kifu: start position: %w", err)
	}
	var b strings.Builder
	b.WriteString("'CSA encoding=UTF-8\nV3.0\n")
	header(&b, "N+", r.Black)
	header(&b, "N-", r.White)
	header(&b, "$EVENT:", r.Event)
	header(&b, "$SITE:", r.Site)
	r.writeCSATimes(&b)
	b.WriteString(CSAPosition(&position))
	writeCSAComment(&b, r.Comment)
	for i := range r.Moves {
		m := &r.Moves[i]
		if err := position.CheckLegal(m.Move); err != nil {
			return "", fmt.Errorf("kifu: move %d (%s): %w", i+1, m.Move, err)
		}
		writeCSAMove(&b, &position, m)
		writeCSAComment(&b, m.Comment)
	}
	r.writeCSAEnd(&b, position.Side())
	return b.String(), nil
}

func header(b *strings.Builder, key, value string) {
	if value != "" {
		b.WriteString(key + OneLine(value) + "\n")
	}
}

// OneLine replaces characters that some readers take for a line break by spaces. A line break in a value
// would begin another header, move or end.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}

// CSAPosition returns a position in the CSA format: P1 to P9, the hands that are not empty, and the side to
// move. Each line has its line end.
func CSAPosition(p *shogi.Position) string {
	var b strings.Builder
	for rank := 1; rank <= 9; rank++ {
		fmt.Fprintf(&b, "P%d", rank)
		for file := 9; file >= 1; file-- {
			b.WriteString(csaSquare(p.PieceAt(shogi.NewSquare(file, rank))))
		}
		b.WriteByte('\n')
	}
	for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
		writeCSAHand(&b, p, c)
	}
	b.WriteString(csaSign(p.Side()) + "\n")
	return b.String()
}

func csaSquare(p shogi.Piece) string {
	if p == shogi.NoPiece {
		return " * "
	}
	return csaSign(p.Colour()) + CSAPiece(p.Type())
}

func writeCSAHand(b *strings.Builder, p *shogi.Position, c shogi.Colour) {
	var hand strings.Builder
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		for range p.Hand(c, t) {
			hand.WriteString("00" + CSAPiece(t))
		}
	}
	if hand.Len() > 0 {
		b.WriteString("P" + csaSign(c) + hand.String() + "\n")
	}
}

func csaSign(c shogi.Colour) string {
	if c == shogi.Black {
		return "+"
	}
	return "-"
}

// CSAPiece returns the two letters of a piece type in the CSA format, such as "FU" for a pawn, or "" for
// NoPieceType.
func CSAPiece(t shogi.PieceType) string {
	return [...]string{"", "FU", "KY", "KE", "GI", "KA", "HI", "KI", "OU", "TO", "NY", "NK", "NG", "UM", "RY", ""}[t&15]
}

// CSAMove returns a move in the CSA format, such as "+7776FU": the side, the origin square ("00" for a drop),
// the target square, and the piece after the move. The move must be legal in p.
func CSAMove(p *shogi.Position, m shogi.Move) string {
	from, piece := "00", m.Dropped()
	if !m.IsDrop() {
		from, piece = csaPlace(m.From()), p.PieceAt(m.From()).Type()
	}
	if m.Promotes() {
		piece = piece.Promoted()
	}
	return csaSign(p.Side()) + from + csaPlace(m.To()) + CSAPiece(piece)
}

// writeCSAMove writes the move, its time and its score, and then makes the move in p.
func writeCSAMove(b *strings.Builder, p *shogi.Position, m *Move) {
	b.WriteString(CSAMove(p, m.Move) + "\n")
	if !m.Opening && !m.NoTime {
		b.WriteString("T" + csaTime(m.Time) + "\n")
	}
	score := BlackScore(p.Side(), m.Score)
	p.Apply(m.Move)
	if !m.HasScore {
		return
	}
	line := fmt.Appendf(nil, "'** %d", score)
	b.Write(fmt.Appendf(AppendCSALine(line, *p, m.Reply()), " #%d\n", m.Nodes))
}

// Reply returns the principal variation from the opponent's reply on, as CSA comments have it. It returns nil
// if the variation does not begin with the move itself.
func (m *Move) Reply() []shogi.Move {
	if len(m.PV) > 1 && m.PV[0] == m.Move {
		return m.PV[1:]
	}
	return nil
}

// AppendCSALine appends moves from a position, each with a blank before it. It stops before the first illegal
// move.
func AppendCSALine(dst []byte, p shogi.Position, moves []shogi.Move) []byte {
	for _, m := range moves {
		if p.CheckLegal(m) != nil {
			break
		}
		dst = append(append(dst, ' '), CSAMove(&p, m)...)
		p.Apply(m)
	}
	return dst
}

// writeCSAComment writes a person's comment as comment lines.
func writeCSAComment(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString("'*" + Remark(EscapedComment(line)) + "\n")
	}
}

// BlackScore returns a score from Black's point of view. It limits the score to ±CSAMate.
func BlackScore(mover shogi.Colour, score int) int {
	if mover == shogi.White {
		score = -score
	}
	return max(-CSAMate, min(CSAMate, score))
}

// CSAMate is the score of a mate in comments of records.
const CSAMate = 30000

func csaPlace(s shogi.Square) string {
	return string([]byte{'0' + byte(s.File()), '0' + byte(s.Rank())})
} //nolint:gosec // two digits

// writeCSATimes writes the date, the times, the time control and the descriptions of the players.
func (r *Record) writeCSATimes(b *strings.Builder) {
	header(b, "$OPENING:", r.Opening)
	header(b, "$START_TIME:", LocalTime(r.Started))
	header(b, "$END_TIME:", LocalTime(r.Ended))
	for c, clock := range r.Clocks {
		if !clock.IsZero() {
			header(b, "$TIME"+csaSign(shogi.Colour(c))+":", csaTime(clock.Main)+"+"+csaTime(clock.Byoyomi)+"+"+csaTime(clock.Increment)) //nolint:gosec // 0 or 1
		}
	}
	if r.MaxMoves > 0 {
		header(b, "$MAX_MOVES:", strconv.Itoa(r.MaxMoves))
	}
	if r.Jishogi > 0 {
		header(b, "$JISHOGI:", strconv.Itoa(r.Jishogi))
	}
	header(b, "$NOTE:", r.csaNote())
}

// csaNote returns the descriptions of the players and the cause of the end, one in each line, with the
// escapes of the format.
func (r *Record) csaNote() string {
	var lines []string
	for c, about := range r.About {
		if about != "" {
			lines = append(lines, shogi.Colour(c).String()+": "+escaped(about)) //nolint:gosec // 0 or 1
		}
	}
	if r.Note != "" {
		lines = append(lines, "end: "+escaped(r.Note))
	}
	return escaped(strings.Join(lines, "\n"))
}

// EscapedComment returns a text in one line and without commas, because some readers split even CSA comments
// at commas. It writes \n for a line break, \c for a comma and \\ for a backslash.
func EscapedComment(text string) string {
	return OneLine(strings.ReplaceAll(escaped(text), ",", `\c`))
}

// Remark changes a comment line that a reader would take for a program's comment, because the line begins
// with a second "*". It returns other lines unchanged.
func Remark(line string) string {
	if strings.HasPrefix(line, "*") {
		return " " + line
	}
	return line
}

// escaped returns a text in one line, with the escapes of the format's notes.
func escaped(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), "\n", `\n`)
}

// LocalTime returns a time in the local zone of this machine, because CSA and KIF have no time zones. It
// returns "" for the zero time.
func LocalTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format(Moment)
}

// Moment is the time.Format layout of a date with time in CSA and KIF.
const Moment = "2006/01/02 15:04:05"

func csaTime(d time.Duration) string {
	return fmt.Sprintf("%d.%03d", d/time.Second, d%time.Second/time.Millisecond)
}

// writeCSAEnd writes the special move. If CSA has no exact word for the end, a comment describes it, as the
// format demands for %ILLEGAL_MOVE.
func (r *Record) writeCSAEnd(b *strings.Builder, side shogi.Colour) {
	word, exact := r.csaEnd(side)
	if !exact && r.Result != "" {
		b.WriteString("'*" + OneLine(r.Result+" winner="+r.Winner) + "\n")
	}
	b.WriteString(word + "\n")
	if r.HasLast {
		b.WriteString("T" + csaTime(r.LastTime) + "\n")
	}
}

// csaEnd returns the special move for the result; side is the side to move.
func (r *Record) csaEnd(side shogi.Colour) (word string, exact bool) {
	switch r.Result {
	case "stall":
		return "%TIME_UP", false
	case "illegal_move", "false_declaration":
		return "%ILLEGAL_MOVE", false
	case "perpetual_check":
		if r.Winner == shogi.White.String() {
			return "%+ILLEGAL_ACTION", false
		}
		return "%-ILLEGAL_ACTION", false
	case "declaration":
		if r.Winner == side.String() { // the winner by the try rule has just moved
			return "%KACHI", true
		}
	}
	words := map[string]string{
		"checkmate": "%TSUMI", "resignation": "%TORYO", "time_forfeit": "%TIME_UP", "repetition": "%SENNICHITE",
		"max_plies": "%MAX_MOVES", "impasse": "%HIKIWAKE", // by a declaration; %JISHOGI is an agreed one
	}
	if word, exact = words[r.Result]; !exact {
		word = "%CHUDAN"
	}
	return word, exact
}
