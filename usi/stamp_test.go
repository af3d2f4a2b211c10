package usi

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
)

// hooked is a connection that calls a function for each write, before it returns.
type hooked struct {
	io.Reader
	written func(text string)
}

func (h *hooked) Write(b []byte) (int, error) { h.written(string(b)); return len(b), nil }
func (h *hooked) Close() error                { return errors.Join(h.Reader.(io.Closer).Close()) }

// hookedEngine returns an engine whose output comes from the function written.
func hookedEngine(t *testing.T, written func(text string, say func(string))) *Engine {
	t.Helper()
	out, theirs := io.Pipe()
	e := &Engine{limits: Limits{}.withDefaults(), in: newInbox(nil)}
	e.conn = &hooked{out, func(text string) {
		written(text, func(line string) { _, _ = io.WriteString(theirs, line+"\n") })
	}}
	e.reader.Go(func() { e.in.read(out) })
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// TestElapsedCountsFromBeforeTheWrite has an engine that may finish its search before gogi returns from the write of
// go. Its time counts from before the write, and the reply has the duration of the write.
func TestElapsedCountsFromBeforeTheWrite(t *testing.T) {
	const answer, held = 100 * time.Millisecond, 30 * time.Millisecond
	for name, test := range map[string]struct{ ponder bool }{"go": {false}, "ponderhit": {true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := hookedEngine(t, func(text string, say func(string)) {
					if strings.Contains(text, "go nodes") || strings.HasPrefix(text, "ponderhit") {
						time.AfterFunc(answer, func() { say("bestmove 7g7f") })
						time.Sleep(held) // in synctest's time: the write takes longer
					}
				})
				r := Request{Position: Position{Start: "startpos"}, Go: Go{Nodes: 1}}
				if test.ponder {
					testutil.OK(t, e.Ponder(t.Context(), r))
				}
				reply, err := e.Think(t.Context(), r)
				testutil.Check(t, err == nil && reply.Elapsed == answer && reply.Sending == held && reply.Hit == test.ponder,
					"%v: took %v, of that %v to send, hit %t", err, reply.Elapsed, reply.Sending, reply.Hit)
			})
		})
	}
}

// TestAnAnswerThatWasReadBeforeTheStopIsNone requires that the time at which the answer was read decides whether the
// search was stopped. The deadline's timer may fire before the reader continues.
func TestAnAnswerThatWasReadBeforeTheStopIsNone(t *testing.T) {
	for name, test := range map[string]struct {
		stamp   time.Duration // of the answer, from the write of stop
		stopped bool
	}{"before": {-time.Millisecond, false}, "after": {time.Millisecond, true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answer := make(chan event, 1) // like the channel of the inbox
				e := hookedEngine(t, func(text string, _ func(string)) {
					if text == "stop\n" {
						answer <- event{line: []byte("bestmove 7g7f"), stamp: time.Now().Add(test.stamp)}
					}
				})
				ev, stopped, err := e.outcome(t.Context(), &search{wait: answer, start: time.Now()}, time.Second)
				testutil.Check(t, err == nil && stopped == test.stopped && string(ev.line) == "bestmove 7g7f",
					"%q, %v, stopped %t", ev.line, err, stopped)
			})
		})
	}
}
