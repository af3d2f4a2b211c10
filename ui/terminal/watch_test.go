package terminal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/vt"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/control"
	"gogi/report"
	"gogi/runner/events"
	"gogi/runner/socket"
	"gogi/shogi"
)

// tty is a terminal in memory. It counts how often watch takes it over and gives it back.
type tty struct {
	vt.MockTerm
	taken int // number of take-overs, less the number of returns
}

func (t *tty) Start() error {
	t.taken++
	return t.MockTerm.Start()
}

func (t *tty) Stop() error {
	t.taken--
	return t.MockTerm.Stop()
}

// text returns the content of the terminal.
func (t *tty) text() string {
	var b strings.Builder
	for y := range vt.Row(24) {
		for x := range vt.Col(80) {
			b.WriteString(t.GetCell(vt.Coord{X: x, Y: y}).C)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// playing is a run in play that records the commands it receives.
type playing struct {
	hub    *events.Hub
	path   string
	orders chan control.Command
	refuse error
}

func play(t *testing.T, path string) *playing {
	t.Helper()
	p := &playing{hub: events.NewHub("run"), path: path, orders: make(chan control.Command, 10)}
	server := testutil.Must(socket.Listen(path, func(_ context.Context, c control.Command) error {
		p.orders <- c
		return p.refuse
	}))(t)
	ended := make(chan struct{})
	go func() {
		server.Serve(p.hub)
		close(ended)
	}()
	t.Cleanup(func() {
		p.hub.Close()
		<-ended
	})
	p.hub.Publish(stamp(match.Event{Type: match.EventRun, Players: []string{"A", "B"}, Slots: 2, Pairs: 9, Games: 18}, 1))
	return p
}

// watched is a watcher on a terminal in memory, with the result of its loop.
type watched struct {
	*watcher
	tty   *tty
	ended chan any // the error, "over", nil if the user left, or the value of a panic
}

func watching(t *testing.T, p *playing, evidence func(context.Context) (*report.Report, error)) *watched {
	t.Helper()
	stream := testutil.Must(socket.Follow(t.Context(), p.path))(t)
	terminal := &tty{MockTerm: vt.NewMockTerm(vt.MockOptSize{X: 80, Y: 24})}
	s := testutil.Must(tcell.NewTerminfoScreenFromTty(terminal, tcell.OptNegotiation(false),
		tcell.OptTerm("xterm-256color")))(t)
	testutil.OK(t, s.Init())
	w := &watched{newWatcher(t.Context(), Run{Name: "run", Socket: p.path, Evidence: evidence}, s, stream), terminal,
		make(chan any, 1)}
	go func() {
		defer func() {
			if r := recover(); r != nil {
				w.ended <- r
			}
		}()
		switch over, err := w.watch(); {
		case err != nil:
			w.ended <- err
		case over:
			w.ended <- "over"
		default:
			w.ended <- nil
		}
	}()
	return w
}

// shows waits until the terminal shows a text.
func (w *watched) shows(t *testing.T, want string) {
	t.Helper()
	ticks := time.NewTicker(10 * time.Millisecond)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			if strings.Contains(w.tty.text(), want) {
				return
			}
		case <-t.Context().Done():
			t.Fatalf("never showed %q:\n%s", want, w.tty.text())
		case got := <-w.ended:
			t.Fatalf("ended (%v) before it showed %q:\n%s", got, want, w.tty.text())
		}
	}
}

// ends waits for the end and requires that the terminal was given back.
func (w *watched) ends(t *testing.T) any {
	t.Helper()
	got := <-w.ended
	testutil.Check(t, w.tty.taken == 0, "the terminal was taken over %d times more than given back", w.tty.taken)
	return got
}

func nothing(context.Context) (*report.Report, error) { return nil, errors.New("no games here") }

// stamp sets the version, run, number and time of an event.
func stamp(e match.Event, seq uint64) match.Event {
	e.V, e.Run, e.Seq, e.Time = match.EventVersion, "run", seq, time.Date(2026, 11, 1, 12, 0, int(seq), 0, time.UTC)
	return e
}

func begun(seq uint64, slot int, black string) match.Event {
	pair, leg := slot, 0
	start := shogi.StartPos()
	return stamp(match.Event{Type: match.EventGame, Pair: &pair, Leg: &leg, Slot: &slot,
		GameHead: match.GameHead{Black: black, White: "B", Start: start.SFEN()}}, seq)
}

// TestWatchARun tests boards, hostile names, commands with their answers, and the end.
func TestWatchARun(t *testing.T) {
	p := play(t, filepath.Join(t.TempDir(), "run.sock"))
	w := watching(t, p, nothing)
	w.shows(t, "0 of 9 pairs · 2 slots")
	w.shows(t, "The stored games cannot be read: no games here")
	p.hub.Publish(begun(2, 0, "\x1b[31mred\x1b]0;title\x07 \x9b2J"))
	w.shows(t, "v香")
	w.shows(t, "Black red ")
	testutil.Equal(t, w.tty.GetTitle(), "", "the terminal's title")
	for _, c := range []struct {
		key   rune
		wants control.Command
		says  string
	}{
		{'p', control.Command{Do: control.Pause}, "pause: done"},
		{'r', control.Command{Do: control.Resume}, "resume: done"},
		{'d', control.Command{Do: control.Drain}, "drain: done"},
		{'+', control.Command{Do: control.Concurrency, N: 3}, "concurrency 3: done"},
		{'-', control.Command{Do: control.Concurrency, N: 1}, "concurrency 1: done"},
	} {
		w.tty.SendRaw([]byte(string(c.key)))
		got := <-p.orders
		testutil.Require(t, got == c.wants, "%c orders %+v", c.key, got)
		w.shows(t, c.says)
	}
	w.tty.SendRaw([]byte("s"))
	w.shows(t, "s stops, any other key does not")
	w.tty.SendRaw([]byte("q"))
	w.shows(t, "not stopped")
	p.hub.Publish(stamp(match.Event{Type: match.EventDone}, 3))
	p.hub.Close()
	testutil.Equal(t, w.ends(t), "over", "ended")
	if len(p.orders) > 0 {
		t.Errorf("it was told %v without an answer to the question", <-p.orders)
	}
}

// TestRefused requires that the terminal shows why the run rejects a command.
func TestRefused(t *testing.T) {
	p := play(t, filepath.Join(t.TempDir(), "run.sock"))
	p.refuse = errors.New("it is draining")
	w := watching(t, p, nothing)
	w.shows(t, "2 slots")
	w.tty.SendRaw([]byte("ss"))
	if got := <-p.orders; got.Do != control.Stop {
		t.Fatalf("s twice orders %+v", got)
	}
	w.shows(t, "stop: the run refuses: it is draining")
	w.tty.SendRaw([]byte("q"))
	if got := w.ends(t); got != nil {
		t.Errorf("q ends with %v", got)
	}
}

// TestPanicsGiveTheTerminalBack requires that a panic in the loop or in another goroutine gives the terminal back.
func TestPanicsGiveTheTerminalBack(t *testing.T) {
	p := play(t, filepath.Join(t.TempDir(), "run.sock"))
	w := watching(t, p, func(context.Context) (*report.Report, error) { panic("evidence is broken") })
	got, _ := w.ends(t).(string)
	testutil.Check(t, strings.Contains(got, "evidence is broken") && strings.Contains(got, "watch_test.go"),
		"ended with %q", got)
	w = watching(t, p, nothing)
	w.shows(t, "2 slots")
	w.back <- func() { panic("the model is broken") }
	testutil.Equal(t, w.ends(t), "the model is broken", "ended")
}

// TestCut requires that watch continues with the current state of the run after a cut stream. A run whose process
// disappeared differs from a run that has ended.
func TestCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.sock")
	first := play(t, path+"1")
	first.path = path
	testutil.OK(t, os.Rename(path+"1", path))
	w := watching(t, first, nothing)
	w.shows(t, "2 slots")
	second := play(t, path+"2")
	if err := os.Rename(path+"2", path); err != nil { // replaces the socket
		t.Fatal(err)
	}
	second.hub.Publish(begun(2, 0, "later"))
	first.hub.Close() // without a done event
	w.shows(t, "connected again")
	w.shows(t, "Black later")
	second.hub.Close()
	got, _ := w.ends(t).(error)
	testutil.Check(t, errors.Is(got, ErrGone), "ended with %v", got)
}

// TestFollow requires that the board changes to the slot with the latest event, but not too often. It does not change
// after the user chose a slot.
func TestFollow(t *testing.T) {
	m, now := newModel("run", ""), time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	m.apply(stamp(match.Event{Type: match.EventRun, Slots: 3}, 1), now)
	seq := uint64(1)
	happens := func(slot int, after time.Duration) int {
		seq++
		now = now.Add(after)
		m.apply(begun(seq, slot, "A"), now)
		return m.view(now).Chosen.Slot
	}
	for i, c := range []struct {
		slot  int
		after time.Duration
		want  int
	}{{1, 0, 1}, {2, dwell - 1, 1}, {2, 1, 2}, {0, dwell, 0}} {
		testutil.Equal(t, happens(c.slot, c.after), c.want, "step %d shows slot", i)
	}
	m.press('1')
	testutil.Equal(t, happens(2, time.Hour), 1, "the slot that is shown")
	m.press(keyOn)
	if v := m.view(now); v.Chosen.Slot != 2 || v.Follows {
		t.Errorf("the next slot is %+v", v.Chosen)
	}
	if m.press(keyOn); m.view(now).Chosen.Slot != 2 {
		t.Error("there is a slot after the last")
	}
	m.press(keyBack)
	m.press(keyBack)
	if m.press(keyBack); m.view(now).Chosen.Slot != 0 {
		t.Error("there is a slot before the first")
	}
	m.press('7')
	if v := m.view(now); v.Message != "there is no slot 7" || v.Chosen.Slot != 0 {
		t.Errorf("%q, slot %d", v.Message, v.Chosen.Slot)
	}
	m.press('f')
	if got := happens(2, dwell); got != 2 || m.view(now.Add(3*time.Second)).Waited != 3*time.Second {
		t.Errorf("slot %d is shown after f, waited %v", got, m.view(now.Add(3*time.Second)).Waited)
	}
}

// TestOneOrderAtATime requires that watch sends no other command until the run has answered.
func TestOneOrderAtATime(t *testing.T) {
	m := newModel("run", "")
	m.apply(stamp(match.Event{Type: match.EventRun, Slots: 1}, 1), time.Unix(0, 0))
	if c := m.press('-'); c != nil || !strings.Contains(m.message, "at least 1") {
		t.Errorf("no slot is left: %+v, %q", c, m.message)
	}
	if c := m.press('p'); c == nil || c.Do != control.Pause {
		t.Fatalf("p orders %+v", c)
	}
	if c := m.press('d'); c != nil || m.message != "the run has not answered pause yet" {
		t.Errorf("%+v, %q", c, m.message)
	}
	m.answered(socket.ErrNobody)
	if c := m.press('d'); c == nil || c.Do != control.Drain {
		t.Errorf("d orders %+v", c)
	}
}
