// Package watch prints the events of a CSA client and stores the records of its games in files. A [Watch]
// receives each csa.Event.
package watch

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gogi/internal/format"
	"gogi/internal/sanitize"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/text"
	"gogi/usi/csa"
)

// Watch prints events and writes game records. It makes the server's text safe for the terminal, for example
// by removing escape sequences.
type Watch struct {
	JSON    bool      // print events as JSON on the standard output
	Verbose bool      // print every line of the dialogue
	Records string    // folder of the records; "": no records
	Out     io.Writer // events, with JSON
	Errs    io.Writer // events as text, line by line
	Err     error     // errors of records that it could not write
}

// See prints one event, and writes the record of the game if the event is the end of a game. The Client calls
// it for one event at a time.
func (w *Watch) See(e csa.Event) {
	if w.JSON {
		w.print(e)
	}
	if text := w.line(e); text != "" {
		fmt.Fprintln(w.Errs, sanitize.Printable(text, 500))
	}
	if e.Type == csa.EventEnd && w.Records != "" {
		if err := w.write(e); err != nil {
			w.Err = errors.Join(w.Err, err)
			fmt.Fprintln(w.Errs, sanitize.Printable(err.Error(), 500))
		}
	}
}

// CsaEvent is the JSON form of an event, which --json prints.
type CsaEvent struct {
	Version int    `json:"v"`    // version of the event's fields
	Time    string `json:"time"` // time of the event
	csa.Event
}

func (w *Watch) print(e csa.Event) {
	line, err := json.Marshal(CsaEvent{1, time.Now().Format(time.RFC3339Nano), e})
	if err != nil {
		w.Err = errors.Join(w.Err, err)
		return
	}
	fmt.Fprintf(w.Out, "%s\n", line)
}

// line returns the text of an event, or "" if the event is not printed.
func (w *Watch) line(e csa.Event) string {
	switch e.Type {
	case csa.EventLogin:
		if w.Verbose {
			return "logged in; waiting for a game"
		}
	case csa.EventStart:
		verb := "begins"
		if e.Resumed {
			verb = "goes on"
		}
		return fmt.Sprintf("game %s %s: %s (Black) against %s (White); we have %s", e.Game, verb, e.Black, e.White, e.Colour)
	case csa.EventMove:
		if w.Verbose {
			return fmt.Sprintf("%4d %s  %s, %s left  %s", e.Ply, e.CSA, milliseconds(e.Elapsed), milliseconds(e.Left), e.Comment)
		}
	case csa.EventEnd:
		return fmt.Sprintf("game %s ends after %d moves: %s %s", e.Game, e.Plies, e.Outcome, e.Cause)
	case csa.EventLost:
		return fmt.Sprintf("connection: %s; trying again in %v", e.Note, e.Wait)
	case csa.EventFault, csa.EventNotice:
		return string(e.Type) + ": " + e.Note
	}
	return ""
}

func milliseconds(ms *int64) string {
	if ms == nil {
		return "?"
	}
	return (time.Duration(*ms) * time.Millisecond).String()
}

// write writes the record of a game to its own file.
func (w *Watch) write(e csa.Event) error {
	data, err := text.AppendCSA3(nil, e.Record)
	if err != nil {
		return fmt.Errorf("the record of %s: %w", e.Game, err)
	}
	if err := os.MkdirAll(w.Records, 0o755); err != nil {
		return fmt.Errorf("the record of %s: %w", e.Game, err)
	}
	name := recordName(e.Record)
	for n := 2; ; n++ {
		file, err := os.OpenFile(filepath.Join(w.Records, name+".csa"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, os.ErrExist) && n < 10_000 {
			name = fmt.Sprintf("%s~%d", recordName(e.Record), n)
			continue
		}
		if err != nil {
			return fmt.Errorf("the record of %s: %w", e.Game, err)
		}
		_, err = file.Write(data)
		if err := errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("the record of %s: %w", e.Game, err)
		}
		return nil
	}
}

// recordName returns the file name for the record of a game. It is made from the name that the server gave the game.
func recordName(r *kifu.Record) string {
	name := strings.Map(func(c rune) rune {
		if c == '-' || c == '_' || c == '+' || c == '.' || c == '@' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' ||
			c >= 'a' && c <= 'z' {
			return c
		}
		return '_'
	}, r.Event)
	name = strings.TrimLeft(name, ".-")
	name = cmp.Or(name, "game-"+r.Started.Format("20060102-150405"))
	return name[:min(len(name), 200)]
}

// Tally returns a summary of the games in one line.
func Tally(t csa.Tally) string {
	text := fmt.Sprintf("%s: %d won, %d lost, %d drawn", format.NumberOf(t.Games, "game"), t.Wins, t.Losses, t.Draws)
	if t.Other > 0 {
		text += fmt.Sprintf(", %d without a result", t.Other)
	}
	if t.Disconnected > 0 {
		text += fmt.Sprintf(", %d broken off", t.Disconnected)
	}
	return text
}
