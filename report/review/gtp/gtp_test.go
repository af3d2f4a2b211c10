package gtp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/report/review/goban"
)

// engine answers commands by a table; what is not in it is refused. Command ids are repeated.
func engine(t *testing.T, answers map[string]string) (Connection, <-chan []string) {
	t.Helper()
	ours, theirs := net.Pipe()
	asked := make(chan []string, 1)
	go func() {
		var list []string
		defer func() {
			asked <- list
			_ = theirs.Close()
		}()
		for lines := bufio.NewScanner(theirs); lines.Scan(); {
			id, command, _ := strings.Cut(lines.Text(), " ")
			list = append(list, command)
			text, ok := answers[command]
			switch {
			case text == "!":
				return
			case text == "silence":
			case ok:
				_, _ = io.WriteString(theirs, strings.ReplaceAll(text, "ID", id))
			case command == "quit":
				fmt.Fprintf(theirs, "=%s\n\n", id)
				return
			default:
				fmt.Fprintf(theirs, "?%s unknown command\n\n", id)
			}
		}
	}()
	return ours, asked
}

func table(more map[string]string) map[string]string {
	t := map[string]string{
		"protocol_version": "banner\r\n=ID 2\r\n\r\n",
		"list_commands":    "=ID play\nreg_genmove\n\testimate_score \n\n",
		"boardsize 19":     "=ID\n\n", "clear_board": "=ID \n\n", "komi 6.5": "=ID\n\n",
	}
	for k, v := range more {
		t[k] = v
	}
	return t
}

func TestDialogue(t *testing.T) {
	t.Parallel()
	conn, asked := engine(t, table(map[string]string{
		"play B Q16": "=ID\n\n", "reg_genmove W": "=ID d4\n\n", "reg_genmove B": "=ID Resign\n\n",
		"estimate_score": "\x07=ID W+3.5 (upper bound: 4.0, lower: 3.0)\n\n",
	}))
	e := testutil.Must(Greet(t.Context(), "fake", conn, time.Minute))(t)
	if !e.Knows("estimate_score") || e.Knows("genmove") {
		t.Errorf("commands %q", e.commands)
	}
	black, _ := goban.ParsePoint("Q16")
	if err := errors.Join(e.Clear(t.Context(), 6.5), e.Play(t.Context(), goban.Move{Colour: goban.Black, Point: black})); err != nil {
		t.Error(err)
	}
	if p, resigns, err := e.Best(t.Context(), goban.White); p.String() != "D4" || resigns || err != nil {
		t.Error(p, resigns, err)
	}
	if p, resigns, err := e.Best(t.Context(), goban.Black); p != goban.Pass || !resigns || err != nil {
		t.Error(p, resigns, err)
	}
	if score, err := e.Score(t.Context()); score != -3.5 || err != nil {
		t.Error(score, err)
	}
	if err := e.Play(t.Context(), goban.Move{Colour: goban.White, Point: black}); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "unknown command") {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if list := <-asked; list[len(list)-1] != "quit" {
		t.Errorf("asked %q", list)
	}
}

// An engine without reg_genmove is asked by genmove, and the move is taken back.
func TestBestByUndo(t *testing.T) {
	t.Parallel()
	conn, asked := engine(t, map[string]string{"protocol_version": "=ID 2\n\n", "list_commands": "=ID genmove\nundo\n\n", "genmove B": "=ID PASS\n\n", "undo": "=ID\n\n"})
	e := testutil.Must(Greet(t.Context(), "fake", conn, time.Minute))(t)
	if p, resigns, err := e.Best(t.Context(), goban.Black); p != goban.Pass || resigns || err != nil {
		t.Error(p, resigns, err)
	}
	_ = e.Close()
	testutil.Equal(t, strings.Join(<-asked, ","), "protocol_version,list_commands,genmove B,undo,quit")
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers map[string]string
		want    string
	}{
		"version":  {map[string]string{"protocol_version": "=ID 1\n\n"}, `speaks version "1"`},
		"refuses":  {map[string]string{"protocol_version": "?ID no\x1b[2J\n\n"}, "the engine refuses it: no"},
		"ends":     {map[string]string{"protocol_version": "!"}, "unexpected EOF"},
		"half":     {map[string]string{"protocol_version": "=ID 2\n", "list_commands": "!"}, "i/o timeout"},
		"other id": {map[string]string{"protocol_version": "=7 2\n\n"}, "it answered command 7, expected an answer to 1"},
		"long":     {map[string]string{"protocol_version": "=ID " + strings.Repeat("x", 10000) + "\n\n"}, "an answer without end"},
	} {
		conn, _ := engine(t, c.answers)
		timeout := time.Minute
		if name == "half" {
			timeout = 20 * time.Millisecond // it never answers: only how long we wait depends on it
		}
		if _, err := Greet(t.Context(), "fake", conn, timeout); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The end of the context wakes a read that waits, and the dialogue stays ended.
func TestCancelled(t *testing.T) {
	t.Parallel()
	conn, _ := engine(t, table(map[string]string{"boardsize 19": "silence"}))
	e := testutil.Must(Greet(t.Context(), "fake", conn, time.Hour))(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	cancel(stop)
	if err := e.Clear(ctx, 0); !errors.Is(err, stop) {
		t.Error(err)
	}
	if _, err := e.Command(t.Context(), "list_commands"); !errors.Is(err, stop) {
		t.Error("it went on: ", err)
	}
	_ = e.Close()
}

func TestParseScore(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"B+3.9 (upper bound: -3.9, lower: -3.9)": 3.9, "W+12": -12, "0": 0, "B+0.5": 0.5} {
		if got, err := ParseScore(text); got != want || err != nil {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "B", "B+", "B+R", "C+3", "B+-3", "B+1e9", "B+NaN", "B+Inf", "W3"} {
		if got, err := ParseScore(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// FuzzReadAnswer: whatever an engine prints, an answer is text of one command without empty
// lines, and reading ends.
func FuzzReadAnswer(f *testing.F) {
	for _, seed := range []string{"=1 B+3.9\n\n", "? unknown\r\n\r\n", "noise\n=\n\n=2\ta\nb\n\n", "=999999999999 x\n\n", "=1"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bufio.NewReader(bytes.NewReader(data))
		for answers := 0; ; answers++ {
			a, err := ReadAnswer(r)
			if err != nil {
				if answers > len(data) {
					t.Fatal("more answers than bytes")
				}
				return
			}
			if a.ID < 0 || strings.Contains(a.Text, "\n\n") || strings.ContainsAny(a.Text, "\r\t\x00") {
				t.Fatalf("%+v", a)
			}
			// What was read reads the same again, unless its letters have more bytes now than a line may have.
			if a.Text == "" || len(a.Text) > 2000 {
				continue
			}
			again, err := ReadAnswer(bufio.NewReader(strings.NewReader("= " + a.Text + "\n\n")))
			if err != nil || again.Text != a.Text {
				t.Fatalf("%q reads as %q, %v", a.Text, again.Text, err)
			}
		}
	})
}
