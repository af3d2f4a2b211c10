package csa

import "strings"

// Kind is the kind of a Message.
type Kind int

// The kinds of message.
const (
	// Other is a line without meaning for a player, such as chat ("##[CHAT]…"), or an unknown line.
	Other        Kind = iota
	LoggedIn          // LOGIN:name OK
	LoginRefused      // LOGIN:incorrect
	LoggedOut         // LOGOUT:completed
	Proposed          // a whole Game_Summary
	Started           // START:game
	Rejected          // REJECT:game by name
	Moved             // a move, ours or the opponent's, with its time
	Special           // %TORYO and similar words
	Cause             // why the game ended, such as #RESIGN
	Decided           // #WIN, #LOSE, #DRAW or #CENSORED
	Suspended         // #CHUDAN: the game ended without a result
)

// Message is one message of the server: a line, or a whole summary.
type Message struct {
	Kind    Kind
	Text    string   // the line; of Started and Rejected the part after the colon
	Move    string   // in Moved, such as "+7776FU"; in Special the word, such as "%TORYO"
	Units   float64  // the time of the move in units of the summary
	Timed   bool     // the server sent Units
	Summary *Summary // in Proposed; nil if it is unreadable
	Err     error    // in Proposed: why it is unreadable
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

// parseEnd distinguishes causes from results; an unknown word is a cause.
func parseEnd(line string) Kind {
	switch line {
	case "#WIN", "#LOSE", "#DRAW", "#CENSORED":
		return Decided
	case "#CHUDAN":
		return Suspended
	}
	return Cause
}

// readMove splits "+7776FU,T12" and skips anything after it.
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
