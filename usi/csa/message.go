package csa

import (
	"fmt"
	"strconv"
	"strings"

	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// Kind is the meaning of a server's message for a player, such as a move or the end of a game.
type Kind int

// These are the kinds of messages.
const (
	// Other is an unknown line, or a line without meaning for a player, such as chat ("##[CHAT]…").
	Other        Kind = iota
	LoggedIn          // LOGIN:name OK
	LoginRefused      // LOGIN:incorrect
	LoggedOut         // LOGOUT:completed
	Proposed          // a whole Game_Summary
	Started           // START:game
	Rejected          // REJECT:game by name
	Moved             // a move, ours or the opponent's, with its time
	Special           // %TORYO and similar words
	Cause             // reason of the end of the game, such as #RESIGN
	Decided           // #WIN, #LOSE, #DRAW or #CENSORED
	Suspended         // #CHUDAN: the game ended without a result
)

// Message is one message of the server: a line, or all lines of a game's summary.
type Message struct {
	Kind    Kind
	Text    string   // the line; in Started and Rejected only the part after the colon
	Move    string   // in Moved, such as "+7776FU"; in Special the word, such as "%TORYO"
	Units   float64  // the time of the move in units of the summary
	Timed   bool     // the server sent Units
	Summary *Summary // in Proposed; nil if it is unreadable
	Err     error    // in Proposed: the error of an unreadable summary
}

// parseLine parses a line outside of a summary.
func parseLine(line string) Message {
	m := Message{Text: line}
	switch {
	case line == "LOGIN:incorrect":
		m.Kind = LoginRefused
	case strings.HasPrefix(line, "LOGIN:") && strings.HasSuffix(line, " OK"):
		m.Kind = LoggedIn
	case line == "LOGOUT:completed":
		m.Kind = LoggedOut
	case strings.HasPrefix(line, "START:"):
		m.Kind, m.Text = Started, line[len("START:"):]
	case strings.HasPrefix(line, "REJECT:"):
		m.Kind, m.Text = Rejected, line[len("REJECT:"):]
	case line == "", strings.HasPrefix(line, "##"):
	case line[0] == '#':
		m.Kind = parseEnd(line)
	case line[0] == '%' && !strings.HasPrefix(line, "%%"):
		m.readMove(Special, line)
	case (line[0] == '+' || line[0] == '-') && len(line) >= 7:
		m.readMove(Moved, line)
	}
	return m
}

// parseEnd returns the kind of a line that reports the end of a game. An unknown line counts as a Cause.
func parseEnd(line string) Kind {
	switch line {
	case "#WIN", "#LOSE", "#DRAW", "#CENSORED":
		return Decided
	case "#CHUDAN":
		return Suspended
	}
	return Cause
}

// readMove splits a line such as "+7776FU,T12". It ignores anything after the time.
func (m *Message) readMove(kind Kind, line string) {
	word, rest, _ := strings.Cut(line, ",")
	m.Kind, m.Move = kind, word
	for part := range strings.SplitSeq(rest, ",") {
		if strings.HasPrefix(part, "'") {
			return
		}
		if text, ok := strings.CutPrefix(part, "T"); ok {
			if units, err := parseUnits(text); err == nil {
				m.Units, m.Timed = units, true
			}
		}
	}
}

const (
	commentPlies  = 30 // maximum length of a principal variation, to keep the line short
	commentPrefix = "'* "
)

// Comment returns a move's comment in floodgate's format, such as "'* 123 -3334FU +2726FU": the score from
// Black's view and the expected moves after it. p is the position before the move. It returns "" for a reply
// without a score.
func Comment(p *shogi.Position, r usi.Reply) string {
	best := r.Best()
	if !best.HasScore {
		return ""
	}
	var b strings.Builder
	b.WriteString(commentPrefix + strconv.Itoa(kifu.BlackScore(p.Side(), best.Score.Number())))
	next := *p
	for i, m := range best.PV {
		if i > commentPlies || next.CheckLegal(m) != nil || i == 0 && m != r.Move {
			break // a variation of another move would look like a variation of this move
		}
		if i > 0 {
			b.WriteString(" " + kifu.CSAMove(&next, m))
		}
		next.Apply(m)
	}
	return b.String()
}

// ParseMove parses a move in CSA notation, such as "+7776FU", which must be legal in p. The error describes
// the problem.
func ParseMove(p *shogi.Position, text string) (shogi.Move, error) {
	m, err := kifu.ParseCSAMove(p, text)
	if err != nil {
		return shogi.NoMove, fmt.Errorf("csa: move %q: %w", text, err)
	}
	return m, nil
}
