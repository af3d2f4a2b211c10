package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner/events"
)

// progressed returns a plan and the events of a run that has two stored pairs. The events are a third pair, a game of a
// pair that is played again, and a game that waits for its other game. A fault and a game in play follow.
func progressed(t *testing.T) (plan *match.Plan, sent []match.Event) {
	t.Helper()
	plan = &match.Plan{Run: "night", Pairs: 50, Concurrency: 9, Design: match.Design{Kind: match.DesignMatch, Swap: true},
		Players: []match.Player{{Name: "new"}, {Name: "base"}}}
	var stored match.Standings
	for pair := range 2 {
		stored.AddRows([]match.Row{
			{Pair: pair, Leg: 0, Black: "new", White: "base", Outcome: match.BlackWins, Termination: match.Checkmate},
			{Pair: pair, Leg: 1, Black: "base", White: "new", Outcome: match.Draw, Termination: match.Repetition},
		})
	}
	at := func(kind match.EventType, pair, leg, slot int, more func(e *match.Event)) match.Event {
		e := match.Event{Type: kind, Pair: &pair, Leg: &leg, Slot: &slot,
			GameHead: match.GameHead{Black: "new", White: "base"}}
		if leg == 1 {
			e.Black, e.White = e.White, e.Black
		}
		if more != nil {
			more(&e)
		}
		return e
	}
	end := func(pair, leg int, outcome string) match.Event {
		return at(match.EventEnd, pair, leg, 0, func(e *match.Event) { e.Outcome = outcome })
	}
	score := -123
	two := 2
	sent = []match.Event{
		match.RunEvent(plan, 2, &stored),
		end(2, 0, "black"), end(2, 1, "black"), {Type: match.EventPair, Pair: &two},
		end(3, 0, "white"), at(match.EventFault, 3, 0, 0, func(e *match.Event) { e.Kind = match.KindUnplayed }),
		end(4, 0, "draw"),
		at(match.EventFault, 5, 0, 1, func(e *match.Event) { e.Engine, e.Kind, e.Note = "base", "not_read", "slow\x1b[2J" }),
		at(match.EventGame, 5, 1, 3, func(e *match.Event) {
			e.Start, e.Plies = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", 0
		}),
		at(match.EventMove, 5, 1, 3, func(e *match.Event) { e.Ply, e.Move, e.Score = 1, "7g7f", &score }),
	}
	for i := range sent {
		e := &sent[i]
		e.V, e.Run, e.Seq, e.Time = match.EventVersion, plan.Run, uint64(i+1), time.Unix(int64(i), 0)
	}
	return plan, sent
}

// TestProgressLines: the expected numbers on the terminal were counted by hand. There are 4 stored games (two wins, two
// draws), a pair of a win and a loss, and one draw without its other game. The loss in the pair that is played again
// does not count.
func TestProgressLines(t *testing.T) {
	t.Parallel()
	plan, sent := progressed(t)
	var out bytes.Buffer
	p := newProgress(&out, plan)
	p.hub = events.NewHub(plan.Run)
	for _, e := range sent {
		p.hub.Publish(e)
		p.event(e)
	}
	now := p.hub.State().State
	want := regexp.MustCompile(`^night 7/100 · new 3–3–1 64\.3% · [0-9.]+/(s|min) · ETA \S+ · faults 2$`)
	if got := p.summary(now); !want.MatchString(got) {
		t.Errorf("summary %q", got)
	}
	testutil.Slices(t, p.slotLines(now), []string{"  slot 3   pair 5.1   base – new   ply 1    cp -123"}, "slots")
	if got := out.String(); strings.Contains(got, "\x1b") ||
		!strings.Contains(got, "fault: base not read in pair 5: slow") {
		t.Errorf("printed %q", got)
	}
	p.close()
	testutil.Check(t, regexp.MustCompile(`night: 4 games in 0s, [0-9.]+ games/(s|min)\n\n$`).MatchString(out.String()),
		"printed %q", out.String())
}

// stuckWriter is a terminal that accepts its first write only after held is closed.
type stuckWriter struct {
	bytes.Buffer
	held chan struct{} // closed to accept the write
}

func (w *stuckWriter) Write(b []byte) (int, error) {
	<-w.held
	return w.Buffer.Write(b)
}

// TestStuckTerminalLosesNoLine: while the terminal accepts no output, gogi writes every event as JSON. The progress
// then continues with the current state.
func TestStuckTerminalLosesNoLine(t *testing.T) {
	t.Parallel()
	plan := &match.Plan{Run: "night", Players: []match.Player{{Name: "new"}, {Name: "base"}}}
	terminal := &stuckWriter{held: make(chan struct{})}
	var lines bytes.Buffer
	stream := make(chan match.Event)
	const faults = 10 * events.DefaultBuffer
	ended := make(chan error, 1)
	written := &eventLines{encoder: json.NewEncoder(&lines)}
	go func() {
		hub := events.NewHub(plan.Run)
		var shown sync.WaitGroup
		shown.Go(func() { newProgress(terminal, plan).follow(hub) })
		hub.Follow(stream, written.write)
		shown.Wait()
		ended <- written.failed()
	}()
	for i := range faults { // each is a line on the terminal
		stream <- match.Event{
			V: match.EventVersion, Run: plan.Run, Seq: uint64(i + 1), Time: time.Unix(int64(i), 0),
			Type: match.EventFault, Engine: "new", Kind: "crash",
		}
	}
	close(stream)
	close(terminal.held)
	testutil.OK(t, <-ended)
	n := strings.Count(lines.String(), "\n")
	testutil.Check(t, n == faults, "%d lines of %d events", n, faults)
	testutil.Contains(t, terminal.String(), "night: 0 games in", "the progress ended")
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("gone") }

// TestBrokenReaderIsTold: if the reader of the JSON disappears, gogi writes no more lines and returns the error. It
// still reads all events.
func TestBrokenReaderIsTold(t *testing.T) {
	t.Parallel()
	l := &eventLines{encoder: json.NewEncoder(brokenWriter{})}
	stream := make(chan match.Event, 3)
	for range 3 {
		stream <- match.Event{Type: match.EventFault}
	}
	close(stream)
	events.NewHub("night").Follow(stream, l.write)
	err := l.failed()
	testutil.Check(t, err != nil && err.Error() == "gone" && len(stream) == 0, "%v, %d events unread", err, len(stream))
}
