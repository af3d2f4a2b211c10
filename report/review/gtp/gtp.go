// Package gtp implements a client of the Go Text Protocol, version 2, for the 19-line board. [Greet] starts
// the dialogue with an engine and returns an [Engine], which sends one command at a time.
//
// A command is a line "[id] name arguments". The answer begins with "=" (success) or "?" (failure), repeats
// the id, and ends with an empty line. The protocol forbids other output, but some engines print it. The
// package skips text before an answer. Source: GTP version 2, draft 2
// (http://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/).
package gtp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"gogi/internal/sanitize"
	"gogi/report/review/goban"
)

// Connection is the connection to an engine process. Reads come from its standard output, writes go to its
// standard input. A read must end at the read deadline. Close ends the process and waits for its exit.
type Connection interface {
	io.ReadWriteCloser
	SetReadDeadline(t time.Time) error
	SetWriteDeadline(t time.Time) error
}

// maxAnswer is the largest size of an answer, in bytes. Boards and lists of commands have a few thousand
// bytes.
const maxAnswer = 1 << 20

// ErrRefused marks an answer that begins with "?".
var ErrRefused = errors.New("the engine refuses it")

// Engine is a dialogue with one engine. Only one goroutine at a time may call its methods. After an error
// other than ErrRefused the caller can only close the Engine.
type Engine struct {
	name     string
	conn     Connection
	in       *bufio.Reader
	id       int
	timeout  time.Duration
	commands []string
	broken   error
}

// Greet requests an engine's protocol version and list of commands. name is the engine's name in errors, and
// timeout the longest time for one answer. Greet takes ownership of conn and closes it on an error.
func Greet(ctx context.Context, name string, conn Connection, timeout time.Duration) (*Engine, error) {
	e := &Engine{name: name, conn: conn, in: bufio.NewReader(conn), timeout: timeout}
	version, err := e.Command(ctx, "protocol_version")
	if err == nil && version != "2" {
		err = fmt.Errorf("gtp: %s speaks version %.20q of the protocol, expected 2", name, sanitize.Printable(version, 20))
	}
	if err == nil {
		var list string
		list, err = e.Command(ctx, "list_commands")
		e.commands = strings.Fields(list)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return e, nil
}

// Knows reports whether the engine has a command.
func (e *Engine) Knows(command string) bool { return slices.Contains(e.commands, command) }

// Command sends a command and returns the answer without its status and id. For an answer with "?" it returns
// ErrRefused with the engine's text. If ctx ends, Command ends the connection, because GTP cannot stop a
// command.
func (e *Engine) Command(ctx context.Context, words ...string) (string, error) {
	if e.broken != nil {
		return "", e.broken
	}
	line := strings.Join(words, " ")
	if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == '#' || r == 0x7f }) {
		return "", fmt.Errorf("gtp: %q: a command is one line without control characters and #", sanitize.Printable(line, 60))
	}
	e.id++
	answer, err := e.exchange(ctx, strconv.Itoa(e.id)+" "+line+"\n")
	if err != nil {
		if context.Cause(ctx) != nil {
			err = context.Cause(ctx)
		}
		e.broken = fmt.Errorf("gtp: %s: %s: %w%s", e.name, line, err, e.diagnosis())
		return "", e.broken
	}
	if answer.Refused {
		return "", fmt.Errorf("gtp: %s: %s: %w: %s", e.name, line, ErrRefused, sanitize.Printable(answer.Text, 200))
	}
	return answer.Text, nil
}

// diagnosis returns the connection's details about a failed engine, as text for an error.
func (e *Engine) diagnosis() string {
	if d, ok := e.conn.(interface{ Diagnosis() string }); ok {
		return "; " + d.Diagnosis()
	}
	return ""
}

// exchange writes a command and reads the answer with its id.
func (e *Engine) exchange(ctx context.Context, command string) (Answer, error) {
	deadline := time.Now().Add(e.timeout)
	if err := errors.Join(e.conn.SetWriteDeadline(deadline), e.conn.SetReadDeadline(deadline)); err != nil {
		return Answer{}, err
	}
	// A deadline in the past ends a read that is waiting.
	stop := context.AfterFunc(ctx, func() { _ = e.conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := io.WriteString(e.conn, command); err != nil {
		return Answer{}, err
	}
	answer, err := ReadAnswer(e.in)
	if err == nil && answer.ID != e.id {
		err = fmt.Errorf("it answered command %d, expected an answer to %d", answer.ID, e.id)
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return answer, err
}

// Answer is an engine's answer to a command.
type Answer struct {
	ID      int    // id of the command; 0 if the answer has no id
	Refused bool   // the answer began with "?"
	Text    string // lines of the answer without leading and trailing blanks, joined by "\n"
}

// ReadAnswer reads the next answer. It returns io.EOF if no answer follows and io.ErrUnexpectedEOF in an
// incomplete answer. It skips lines before the answer.
func ReadAnswer(r *bufio.Reader) (a Answer, err error) {
	var lines []string
	for read := 0; ; {
		line, err := r.ReadSlice('\n')
		if read += len(line); read > maxAnswer || errors.Is(err, bufio.ErrBufferFull) {
			return a, errors.New("an answer without end: expected lines of some hundred characters")
		}
		text := printed(line)
		switch {
		case err != nil && errors.Is(err, io.EOF) && len(lines) > 0:
			return a, io.ErrUnexpectedEOF
		case err != nil:
			return a, err
		case len(lines) == 0 && text != "" && (text[0] == '=' || text[0] == '?'):
			a.Refused = text[0] == '?'
			a.ID, text = idOf(text[1:])
			lines = append(lines, strings.TrimSpace(text))
		case len(lines) == 0: // the line is not part of an answer
		case text == "":
			a.Text = strings.TrimSpace(strings.Join(lines, "\n"))
			return a, nil
		default:
			lines = append(lines, text)
		}
	}
}

// printed returns a line without the characters that the protocol ignores.
func printed(line []byte) string {
	text := strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < ' ' || r == 0x7f:
			return -1
		}
		return r
	}, sanitize.Decode(line))
	return strings.TrimRight(text, " ")
}

// idOf splits an answer's text into the id at its start and the rest. id is 0 if the answer has no id.
func idOf(text string) (id int, rest string) {
	digits := 0
	for digits < len(text) && digits < 9 && text[digits] >= '0' && text[digits] <= '9' {
		digits++
	}
	id, err := strconv.Atoi(text[:digits])
	if err != nil {
		return 0, text
	}
	return id, text[digits:]
}

// Close sends quit and closes the connection, which ends the engine.
func (e *Engine) Close() error {
	if e.broken == nil {
		e.id++
		if e.conn.SetWriteDeadline(time.Now().Add(time.Second)) == nil {
			_, _ = io.WriteString(e.conn, strconv.Itoa(e.id)+" quit\n") // Close kills an engine that does not read it
		}
		e.broken = errors.New("gtp: " + e.name + " is closed")
	}
	return e.conn.Close()
}

// Clear clears the board and sets the komi.
func (e *Engine) Clear(ctx context.Context, komi float64) error {
	for _, words := range [][]string{
		{"boardsize", strconv.Itoa(goban.Size)},
		{"clear_board"},
		{"komi", strconv.FormatFloat(komi, 'f', -1, 64)},
	} {
		if _, err := e.Command(ctx, words...); err != nil {
			return err
		}
	}
	return nil
}

// Play sends a move of a game.
func (e *Engine) Play(ctx context.Context, m goban.Move) error {
	_, err := e.Command(ctx, "play", m.Colour.String(), m.Point.String())
	return err
}

// Best returns the engine's best move for a side. It does not make the move on the engine's board. resigns is
// true if the engine would resign; the point is then Pass.
func (e *Engine) Best(ctx context.Context, side goban.Colour) (p goban.Point, resigns bool, err error) {
	if e.Knows("reg_genmove") {
		text, err := e.Command(ctx, "reg_genmove", side.String())
		return vertex(text, err)
	}
	text, err := e.Command(ctx, "genmove", side.String())
	p, resigns, err = vertex(text, err)
	if err == nil && !resigns {
		_, err = e.Command(ctx, "undo")
	}
	return p, resigns, err
}

func vertex(text string, err error) (goban.Point, bool, error) {
	if err != nil || strings.EqualFold(text, "resign") {
		return goban.Pass, err == nil, err
	}
	p, err := goban.ParsePoint(text)
	if err != nil {
		return goban.Pass, false, fmt.Errorf("gtp: %w", err)
	}
	return p, false, nil
}

// Score returns the number of points by which Black leads. It is negative if White leads. Score uses the
// command "estimate_score" of GNU Go, with answers such as "B+3.9 (upper bound: …)".
func (e *Engine) Score(ctx context.Context) (float64, error) {
	text, err := e.Command(ctx, "estimate_score")
	if err != nil {
		return 0, err
	}
	return ParseScore(text)
}

// ParseScore reads the first word of a score, such as B+3.5, W+12 or 0. It returns the number of points by
// which Black leads, negative if White leads.
func ParseScore(text string) (float64, error) {
	word, _, _ := strings.Cut(text, " ")
	if word == "0" {
		return 0, nil
	}
	if len(word) > 2 && word[1] == '+' && (word[0] == 'B' || word[0] == 'W') && word[2] >= '0' && word[2] <= '9' {
		points, err := strconv.ParseFloat(word[2:], 64)
		if word[0] == 'W' {
			points = -points
		}
		if err == nil && points > -1000 && points < 1000 {
			return points, nil
		}
	}
	return 0, fmt.Errorf("gtp: score %q: expected one such as B+3.5", sanitize.Printable(text, 40))
}
