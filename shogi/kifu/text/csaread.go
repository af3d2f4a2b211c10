package text

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// readCSA returns a Reader of CSA files of versions 1 to 3, including floodgate's dialect.
func readCSA(in *Input) Reader { return &csaReader{in: in} }

type csaReader struct {
	in    *Input
	count int // number of games started so far
	moves []kifu.Move
	pv    []shogi.Move
}

// Next reads one game, up to a line "/" or to the start of another game.
func (r *csaReader) Next() (*kifu.Record, error) {
	g := csaGame{pv: r.pv}
	g.record.Moves = r.moves[:0]
	for {
		line, ok := r.in.next()
		if !ok {
			break
		}
		if g.begun && g.after(line) {
			if line[0] != '/' {
				r.in.unread()
			}
			break
		}
		if len(line) == 0 || line[0] == '/' {
			continue
		}
		if !g.begun {
			g.begun = true
			r.count++
		}
		if g.err == nil {
			g.line = r.in.n
			g.err = g.take(line)
		}
	}
	if !g.begun || !g.content && g.err == nil {
		return nil, r.in.end()
	}
	if g.err == nil {
		g.line = r.in.n
		g.err = g.finish()
	}
	if g.err != nil && g.err == g.illegal { //nolint:errorlint // compares identity, not the kind of error
		g.line = g.illegalLine
	}
	r.moves, r.pv = g.record.Moves, g.pv // the reader reuses the arrays; the caller gets copies
	if g.err != nil {
		return nil, &BadGame{File: r.in.Name, Game: r.count, Line: g.line, Err: g.err}
	}
	r.in.warn(r.count, g.endLine, &g.record, g.doubt)
	record := g.record
	record.Moves = append([]kifu.Move(nil), g.record.Moves...)
	return &record, nil
}

// csaGame is a game that is being read.
type csaGame struct {
	record  kifu.Record
	setup   kifu.CSASetup
	p       shogi.Position
	start   shogi.Position
	begun   bool // a line of this game was read
	content bool // a line other than a comment was read
	placed  bool // the start position is set
	ended   string
	endLine int // of ended
	// illegal is the error of the last move. After it, the file may only end the game by an illegal move.
	illegal     error
	illegalLine int
	doubt       error   // what is unknown about the end
	summary     outcome // from floodgate's comment "summary"
	own         string  // gogi's word for the end, from the comment "gogi"
	err         error
	line        int            // the current line, or the line of the error
	pv          []shogi.Move   // an array for the next variation
	ahead       shogi.Position // position along a variation
}

// after reports whether a line belongs to the next game.
func (g *csaGame) after(line []byte) bool {
	if len(line) == 0 {
		return false
	}
	if line[0] == '/' {
		return true
	}
	if line[0] == 'V' || bytes.HasPrefix(line, []byte("'CSA encoding")) {
		return g.content
	}
	return g.placed && line[0] == 'N'
}

func (g *csaGame) take(line []byte) error {
	if line[0] == ' ' || line[0] == '\t' {
		if line = bytes.TrimLeft(line, " \t"); len(line) == 0 {
			return nil
		}
	}
	switch line[0] {
	case '\'':
		return g.comment(line[1:])
	case 'N', '$', 'V':
		g.content = true
		return g.header(string(line))
	}
	g.content = true
	return g.statements(line)
}

// statements reads a line of moves, times and other statements, separated by commas. Most lines have only a
// move or a time.
func (g *csaGame) statements(line []byte) error {
	if len(line) == len("+7776FU") && (line[0] == '+' || line[0] == '-') {
		return g.move(line)
	}
	for len(line) > 0 {
		statement := line
		if i := bytes.IndexByte(line, ','); i >= 0 {
			statement, line = line[:i], line[i+1:]
		} else {
			line = nil
		}
		for len(statement) > 0 && statement[len(statement)-1] == ' ' {
			statement = statement[:len(statement)-1]
		}
		if len(statement) == 0 {
			continue
		}
		if statement[0] == '\'' {
			return nil // the rest of the line is a comment
		}
		if err := g.statement(statement); err != nil {
			return err
		}
	}
	return nil
}

// statement reads one statement: a part of a position, a move, a time or the end.
func (g *csaGame) statement(s []byte) error {
	switch {
	case s[0] == 'T':
		return g.time(s[1:])
	case s[0] == '%':
		return g.end(strings.ToUpper(string(s)))
	case (s[0] == '+' || s[0] == '-') && len(s) > 1:
		return g.move(s)
	case s[0] == 'P' || s[0] == '+' || s[0] == '-':
		return g.position(strings.ToUpper(string(s)))
	case s[0] == 'p' || s[0] == 't': // some hand-written files have these statements
		return g.statement(bytes.ToUpper(s))
	}
	return fmt.Errorf("%q: expected a header, a position, a move such as +7776FU, its time T, an end such as %%TORYO, or a comment", clipped(s))
}

// clipped returns at most the first 60 bytes of a text, for an error message.
func clipped(s []byte) string { return string(s[:min(len(s), 60)]) }

func (g *csaGame) position(text string) error {
	if g.placed {
		return fmt.Errorf("%q behind the position: expected moves", clipped([]byte(text)))
	}
	if err := g.setup.Line(text); err != nil {
		return err
	}
	if g.setup.Sided {
		return g.place()
	}
	return nil
}

// place sets the start position. A file without a start position has an even game.
func (g *csaGame) place() (err error) {
	g.placed = true
	g.setup.Setup.Ply = 1
	g.p = shogi.StartPos()
	if g.setup.Begun {
		if g.p, err = g.setup.Setup.Position(); err != nil {
			return fmt.Errorf("the position: %w", err)
		}
	}
	g.start, g.record.Start = g.p, g.p.SFEN()
	return nil
}

func (g *csaGame) move(text []byte) error {
	if !g.placed {
		if err := g.place(); err != nil {
			return err
		}
	}
	switch {
	case g.ended != "":
		return fmt.Errorf("%q behind the end %s", clipped(text), g.ended)
	case g.illegal != nil:
		return g.illegal
	}
	if err := longer(g.record.Moves); err != nil {
		return err
	}
	m, err := kifu.ParseCSAMove(&g.p, string(text))
	if err != nil {
		m, err = kifu.ParseCSAMove(&g.p, strings.ToUpper(string(text)))
	}
	if err != nil {
		g.illegal, g.illegalLine = fmt.Errorf("move %d, %q: %w", len(g.record.Moves)+1, clipped(text), err), g.line
		return nil
	}
	g.record.Moves = append(g.record.Moves, kifu.Move{Move: m, NoTime: true})
	g.p.Apply(m)
	return nil
}

// time sets the time of the last move, or of the answer that ended the game.
func (g *csaGame) time(text []byte) error {
	if len(text) == 0 {
		return nil // programs that do not know the time write this text
	}
	d, err := seconds(string(text))
	if err != nil {
		return err
	}
	switch n := len(g.record.Moves); {
	case g.ended != "" || g.illegal != nil:
		g.record.LastTime, g.record.HasLast = d, true
	case n > 0:
		g.record.Moves[n-1].Time, g.record.Moves[n-1].NoTime = d, false
	default:
		return errors.New("a time before the first move")
	}
	return nil
}

// longestMove is the largest time of a move that is accepted: a year.
const longestMove = 366 * 24 * time.Hour

// seconds parses a time in seconds, such as "12" or "12.345".
func seconds(text string) (time.Duration, error) {
	whole, part, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(whole, 10, 32)
	if err != nil || time.Duration(n)*time.Second > longestMove {
		return 0, fmt.Errorf("time %q: expected seconds, such as 12 or 12.345", clipped([]byte(text)))
	}
	d := time.Duration(n) * time.Second
	if part != "" {
		f, err := strconv.ParseFloat("0."+part, 64)
		if err != nil {
			return 0, fmt.Errorf("time %q: expected seconds, such as 12 or 12.345", clipped([]byte(text)))
		}
		d += time.Duration(math.Round(f*1e6)) * time.Microsecond
	}
	return d, nil
}

func (g *csaGame) end(word string) error {
	if g.ended == word {
		return nil // shogi-server writes %KACHI again with the result
	}
	if g.ended != "" {
		return fmt.Errorf("%q behind the end %s", clipped([]byte(word)), g.ended)
	}
	if g.illegal != nil && !strings.Contains(word, "ILLEGAL") {
		return g.illegal
	}
	if word == "%MATTA" {
		return errors.New("%MATTA takes a move back: expected a game without it")
	}
	if !g.placed {
		if err := g.place(); err != nil {
			return err
		}
	}
	g.ended, g.endLine = word, g.line
	return nil
}

// finish sets how the game ended. It prefers gogi's own comment, then floodgate's summary, then the last
// statement.
func (g *csaGame) finish() error {
	if g.illegal != nil && g.ended == "" {
		return g.illegal
	}
	if !g.placed {
		if g.setup.Begun {
			return errors.New("the position has no side to move: expected + or -")
		}
		return errors.New("there is neither a position nor a move")
	}
	if g.illegal != nil {
		g.record.Note = g.illegal.Error()
	}
	o := g.byWord()
	if says := g.summary.winner; g.ended == "%TORYO" && g.summary.result == kifu.EndResignation && says != "" &&
		says != o.winner {
		return fmt.Errorf("the end %%TORYO makes %s win, and the summary says %s", o.winner, says)
	}
	if g.summary.winner != "" {
		if o.winner = g.summary.winner; g.summary.result != "" {
			o.result = g.summary.result
		}
	}
	if g.own != "" {
		o.result = g.own
	}
	if o.winner == "" {
		o.result = "" // the game was interrupted
	} else {
		g.doubt = nil
	}
	o.set(&g.record)
	settleTimes(&g.record)
	return nil
}

// byWord returns the outcome according to the last statement, without other information. It warns of an unknown
// statement, which ends a game without a result.
func (g *csaGame) byWord() outcome {
	o, ok := meaningOf(g.ended, g.p.Side())
	if !ok && g.ended != "" {
		g.doubt = unknownEnd(g.ended)
	}
	if strings.HasSuffix(g.ended, "ILLEGAL_ACTION") && o.result == kifu.EndIllegalMove {
		o.result = byRepetition(&g.record, g.start, kifu.EndIllegalMove)
	}
	return o.atLimit(&g.record)
}

// header reads a header line: a player's name, a version, or a key with a value.
func (g *csaGame) header(line string) error {
	r := &g.record
	switch {
	case strings.HasPrefix(line, "N+"):
		r.Black = line[2:]
	case strings.HasPrefix(line, "N-"):
		r.White = line[2:]
	case line[0] == 'V':
		if n, err := strconv.ParseFloat(strings.TrimSpace(line[1:]), 64); err != nil || n < 1 || n >= 4 {
			return fmt.Errorf("%q: expected a version from V1 to V3.0", clipped([]byte(line)))
		}
	case line[0] == '$':
		key, value, _ := strings.Cut(line[1:], ":")
		return g.key(key, value)
	default:
		return fmt.Errorf("%q: expected N+ or N- with a name", clipped([]byte(line)))
	}
	return nil
}

// key reads a header of the form $KEY:VALUE. It ignores unknown keys.
func (g *csaGame) key(key, value string) (err error) {
	r := &g.record
	switch key {
	case "EVENT":
		r.Event = value
	case "SITE":
		r.Site = value
	case "OPENING":
		r.Header.Opening = value
	case "START_TIME":
		r.Started = parseMoment(value)
	case "END_TIME":
		r.Ended = parseMoment(value)
	case "MAX_MOVES":
		r.MaxMoves = number(value)
	case "JISHOGI":
		r.Jishogi = number(value)
	case "TIME_LIMIT":
		return g.timeLimit(value)
	case "TIME":
		r.Clocks[0], err = clock(value)
		r.Clocks[1] = r.Clocks[0]
	case "TIME+", "TIMET+":
		r.Clocks[0], err = clock(value)
	case "TIME-", "TIMET-":
		r.Clocks[1], err = clock(value)
	case "NOTE":
		err = g.note(unescaped(value))
	}
	return err
}

// note reads a note of version 3, which has one line for each player and one for the end. It stores any other
// text as a comment.
func (g *csaGame) note(text string) error {
	for line := range strings.SplitSeq(text, "\n") {
		if about, ok := strings.CutPrefix(line, "black: "); ok {
			g.record.About[0] = unescaped(about)
		} else if about, ok := strings.CutPrefix(line, "white: "); ok {
			g.record.About[1] = unescaped(about)
		} else if reason, ok := strings.CutPrefix(line, "end: "); ok {
			g.record.Note = unescaped(reason)
		} else if line != "" {
			if err := addLine(&g.record.Comment, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// parseMoment parses a local time or a date. It returns the zero time for other text.
func parseMoment(text string) time.Time {
	text = strings.TrimSpace(strings.ReplaceAll(text, "-", "/"))
	for _, layout := range []string{kifu.Moment, "2006/1/2 15:04:05", "2006/1/2 15:04", "2006/1/2"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t
		}
	}
	return time.Time{}
}

// number parses a nonnegative number. It returns 0 for other text.
func number(text string) int {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

// timeLimit reads the clock of both sides in the form HH:MM+SS.
func (g *csaGame) timeLimit(value string) error {
	var hours, minutes, byoyomi uint16
	if n, _ := fmt.Sscanf(strings.TrimSpace(value), "%d:%d+%d", &hours, &minutes, &byoyomi); n < 2 {
		return fmt.Errorf("$TIME_LIMIT:%s: expected HH:MM+SS", clipped([]byte(value)))
	}
	for c := range g.record.Clocks {
		k := &g.record.Clocks[c]
		k.Main = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
		k.Byoyomi = time.Duration(byoyomi) * time.Second
	}
	return nil
}

// clock parses "main+byoyomi+increment" in seconds, the form of version 3.
func clock(value string) (c kifu.Clock, err error) {
	parts := strings.Split(strings.TrimSpace(value), "+")
	if len(parts) > 3 {
		return c, fmt.Errorf("time %q: expected main+byoyomi+increment", clipped([]byte(value)))
	}
	for i, to := range []*time.Duration{&c.Main, &c.Byoyomi, &c.Increment}[:len(parts)] {
		if *to, err = seconds(parts[i]); err != nil {
			return c, err
		}
	}
	return c, nil
}

// comment reads a comment line. text is the line without the apostrophe at its start.
func (g *csaGame) comment(text []byte) error {
	switch {
	case bytes.HasPrefix(text, []byte("** ")), string(text) == "**":
		return g.thought(bytes.TrimPrefix(text[2:], []byte(" ")))
	case bytes.HasPrefix(text, []byte("*")):
		return g.remark(string(text[1:]))
	default:
		key, value, _ := strings.Cut(string(text), ":")
		g.keyComment(key, value)
	}
	return nil
}

// remark reads a comment of a program or a person. It reads the result from gogi's own comment, and stores
// any other text as a comment.
func (g *csaGame) remark(text string) error {
	if o, note, ok := noted(text); ok {
		g.own, g.summary.winner = o.result, o.winner
		if note != "" {
			g.record.Note = note
		}
		return nil
	}
	if text == kifu.OpeningEnd && len(g.record.Moves) > 0 {
		setOpening(&g.record)
		return nil
	}
	to := &g.record.Comment
	if n := len(g.record.Moves); n > 0 {
		to = &g.record.Moves[n-1].Comment
	}
	return addLine(to, unescaped(text))
}

// keyComment reads a comment of floodgate or gogi in the form KEY:VALUE.
func (g *csaGame) keyComment(key, value string) {
	r := &g.record
	switch key {
	case "Max_Moves":
		r.MaxMoves = number(value)
	case "Increment":
		for c := range r.Clocks {
			r.Clocks[c].Increment = time.Duration(number(value)) * time.Second
		}
	case "black_rate":
		r.Ratings[0] = rate(value)
	case "white_rate":
		r.Ratings[1] = rate(value)
	case "$END_TIME":
		r.Ended = parseMoment(value)
	case "summary":
		g.summarised(value)
	case "gogi":
		word, note, _ := strings.Cut(value, ":")
		if knownEnd(word) {
			g.own, r.Note = word, unescaped(note)
		}
	}
}

// rate returns the number after the last colon of a text such as "NAME:3512.0", or 0 if there is none.
func rate(value string) float64 {
	x, err := strconv.ParseFloat(strings.TrimSpace(value[strings.LastIndexByte(value, ':')+1:]), 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	return x
}

// summarised reads floodgate's summary, such as "toryo:A win:B lose". A player's name may contain a colon.
func (g *csaGame) summarised(text string) {
	word, _, _ := strings.Cut(text, ":")
	g.summary.result = ofFloodgate(word)
	switch text[strings.LastIndexByte(text, ' ')+1:] {
	case "lose":
		g.summary.winner = "black"
	case "win":
		g.summary.winner = "white"
	case draw:
		g.summary.winner = draw
	}
}

// thought reads the score from Black's view, the variation that starts with the reply, and the number of
// nodes. It ignores a comment before the first move.
func (g *csaGame) thought(text []byte) error {
	n := len(g.record.Moves)
	word, rest, _ := bytes.Cut(text, []byte(" "))
	score, err := strconv.ParseInt(string(word), 10, 32)
	if err != nil || g.illegal != nil || n == 0 {
		if err != nil {
			return g.remark(string(text))
		}
		return nil
	}
	m := &g.record.Moves[n-1]
	m.HasScore, m.Score = true, int(score)
	if g.p.Side() == shogi.Black { // the last move was White's
		m.Score = -m.Score
	}
	if len(rest) > 0 {
		g.variation(m, rest)
	}
	return nil
}

// variation reads the moves of a variation up to the first illegal one, and the number of nodes.
func (g *csaGame) variation(m *kifu.Move, text []byte) {
	text, nodes, _ := bytes.Cut(text, []byte("#"))
	word, _, _ := bytes.Cut(nodes, []byte(" "))
	m.Nodes, _ = strconv.ParseUint(string(word), 10, 64)
	p, pv := &g.ahead, append(g.pv[:0], m.Move)
	*p = g.p
	for len(text) > 0 {
		word, text, _ = bytes.Cut(text, []byte(" "))
		if len(word) == 0 {
			continue
		}
		reply, err := kifu.ParseCSAMove(p, string(word))
		if err != nil {
			break
		}
		pv = append(pv, reply)
		p.Apply(reply)
	}
	if g.pv = pv; len(pv) > 1 {
		m.PV = slices.Clone(pv)
	}
}
