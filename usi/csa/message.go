package csa

import "strings"

// Kind says what a Message is about.
type Kind int

// The kinds of message.
const (
	// Other is a line without meaning for a player, such as chat ("##[CHAT]…"),
	// and one that is not understood.
	Other        Kind = iota
	Blank             // an empty line, which keeps the connection alive
	LoggedIn          // LOGIN:name OK
	LoginRefused      // LOGIN:incorrect
	LoggedOut         // LOGOUT:completed
	Proposed          // a whole Game_Summary
	Started           // START:game
	Rejected          // REJECT:game by name
	Moved             // a move, ours or the opponent's, with its time
	Special           // %TORYO and its like
	Cause             // why the game ended, such as #RESIGN
	Decided           // #WIN, #LOSE, #DRAW or #CENSORED
	Suspended         // #CHUDAN: the game ended without a result
)

// Message is one thing that the server said: a line, or a whole summary.
type Message struct {
	Kind    Kind
	Text    string   // the line; of Started and Rejected what follows the colon
	Move    string   // of Moved, such as "+7776FU"; of Special the word, such as "%TORYO"
	Units   float64  // the time of the move in units of the summary
	Timed   bool     // Units was there
	Summary *Summary // of Proposed; nil where it could not be read
	Err     error    // of Proposed: why it could not be read
}

// parseLine sorts a line that stands by itself.
func parseLine(line string) Message {
	m := Message{Text: line}
	switch {
	case line == "":
		m.Kind = Blank
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
	case strings.HasPrefix(line, "##"):
	case line[0] == '#':
		m.Kind = parseEnd(line)
	case line[0] == '%' && !strings.HasPrefix(line, "%%"):
		m.readMove(Special, line)
	case (line[0] == '+' || line[0] == '-') && len(line) >= 7:
		m.readMove(Moved, line)
	}
	return m
}

// parseEnd tells causes from results; a word that is not known is a cause.
func parseEnd(line string) Kind {
	switch line {
	case "#WIN", "#LOSE", "#DRAW", "#CENSORED":
		return Decided
	case "#CHUDAN":
		return Suspended
	}
	return Cause
}

// readMove splits "+7776FU,T12" and what may follow.
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
