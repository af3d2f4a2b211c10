package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"time"

	"github.com/gdamore/tcell/v3"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/report"
	"gogi/runner/socket"
)

// Run is the run to watch.
type Run struct {
	Name     string
	Socket   string                                        // socket of the process that plays the run
	Evidence func(context.Context) (*report.Report, error) // reads the report of its stored games
	Language i18n.Language                                 // "" is English
}

// These are the intervals of the loop.
const (
	redraw = 100 * time.Millisecond // the minimum time between two drawings
	stale  = time.Second            // the maximum time between two drawings, because the screen shows seconds.
	// The stored games are read again after readEvery, or after readRest times the duration of the last
	// reading if that is longer.
	readEvery  = 2 * time.Second
	readRest   = 20
	answerTime = 10 * time.Second // the maximum time for the answer to a command
)

// ErrGone is the error if the process that plays the run disappears before the run's session has ended, for
// example because it was killed.
var ErrGone = errors.New("the process that played it is gone, and has not said why")

// Watch shows the run until its session ends, and returns the final lines about it. If the user leaves earlier, it
// returns nil. It always restores the terminal. It returns socket.ErrNobody if no process plays the run, and
// ErrNoTerminal without a terminal.
func Watch(ctx context.Context, r Run) ([]string, error) {
	if !onTerminal() {
		return nil, ErrNoTerminal
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := socket.Follow(ctx, r.Socket)
	if err != nil {
		return nil, err
	}
	s, err := open()
	if err != nil {
		return nil, err
	}
	w := newWatcher(ctx, r, s, stream)
	if over, err := w.watch(); err != nil || !over {
		return nil, err
	}
	if w.model.state.Snapshot().Tune == nil {
		w.model.setReport(r.Evidence(ctx))
	}
	return last(r.Name, w.model), nil
}

// watcher is the loop that waits and draws. Only its goroutine uses the model.
type watcher struct {
	Run
	ctx    context.Context //nolint:containedctx // the context of the loop
	screen tcell.Screen
	model  *model
	stream *socket.Stream
	events <-chan match.Event // stream of events. It is nil without a stream.
	back   chan func()        // results of goroutines for the loop. It is never closed.

	drawn, tried time.Time
	fresh        bool // the screen shows the current state of the model
	reading      bool
	read         int // number of stored pairs at the last reading. It is -1 before the first reading.
	nextRead     time.Time
}

func newWatcher(ctx context.Context, r Run, s tcell.Screen, stream *socket.Stream) *watcher {
	return &watcher{
		Run: r, ctx: ctx, screen: s, model: newModel(r.Name, r.Language), stream: stream, events: stream.Events(),
		back: make(chan func()), read: -1,
	}
}

// watch loops until the user leaves or the session ends. over reports whether the session has ended.
func (w *watcher) watch() (over bool, err error) {
	defer w.screen.Fini()
	stops := make(chan os.Signal, 1)
	notifyStops(stops)
	defer signal.Stop(stops)
	ticks := time.NewTicker(redraw)
	defer ticks.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return false, context.Cause(w.ctx)
		case e := <-w.screen.EventQ():
			if leave, err := w.input(e); leave || err != nil {
				return false, err
			}
		case e, ok := <-w.events:
			if !ok && w.stream.Err() == nil {
				return true, nil
			}
			w.apply(e, ok)
		case f := <-w.back:
			f()
			w.fresh = false
		case <-stops:
			if err := w.suspend(); err != nil {
				return false, err
			}
		case now := <-ticks.C:
			if err := w.tick(now); err != nil {
				return false, err
			}
		}
	}
}

// apply applies an event. If ok is false, the stream was cut.
func (w *watcher) apply(e match.Event, ok bool) {
	if w.fresh = false; ok {
		w.model.apply(e, time.Now())
		return
	}
	w.events = nil
	w.model.message = i18n.Say(w.Language, "cut off from the run; connecting again")
}

// tick draws the screen, connects again, and reads the stored games, if it is time for these actions.
func (w *watcher) tick(now time.Time) error {
	if w.events == nil && now.Sub(w.tried) >= stale {
		w.tried = now
		if err := w.connect(); err != nil {
			return err
		}
	}
	w.readStored(now)
	if !w.fresh || now.Sub(w.drawn) >= stale {
		w.draw(now)
	}
	return nil
}

func (w *watcher) draw(now time.Time) {
	width, height := w.screen.Size()
	draw(w.screen, Lines(w.model.view(now), width, height))
	w.drawn, w.fresh = now, true
}

// connect connects again after a cut. The run cuts a reader that is too slow.
func (w *watcher) connect() error {
	stream, err := socket.Follow(w.ctx, w.Socket)
	switch {
	case errors.Is(err, socket.ErrNobody):
		return ErrGone
	case err != nil:
		w.model.message = err.Error()
		return nil
	}
	w.stream, w.events = stream, stream.Events()
	w.model.reset()
	w.model.message = i18n.Say(w.Language, "connected again")
	return nil
}

// readStored reads the stored games if their number has changed since the last reading.
func (w *watcher) readStored(now time.Time) {
	known := w.model.state.Snapshot()
	finished := known.Finished
	if known.Tune != nil || len(known.Players) == 1 { // these games prove no strength
		return
	}
	if w.reading || finished == w.read || now.Before(w.nextRead) {
		return
	}
	w.reading, w.read = true, finished
	w.background(func() func() {
		r, err := w.Evidence(w.ctx)
		took := time.Since(now)
		return func() {
			w.reading, w.nextRead = false, time.Now().Add(max(readEvery, readRest*took))
			w.model.setReport(r, err)
			if err != nil {
				w.read = -1
			}
		}
	})
}

// background runs work in a goroutine. In the loop it then calls the function that work returned. If work panics,
// background panics in the loop, so that the terminal is restored before the program ends.
func (w *watcher) background(work func() func()) {
	go func() {
		var outcome func()
		defer func() {
			if r := recover(); r != nil {
				trace := debug.Stack()
				outcome = func() { panic(fmt.Sprintf("%v\n\n%s", r, trace)) }
			}
			select {
			case w.back <- outcome:
			case <-w.ctx.Done():
			}
		}()
		outcome = work()
	}()
}

// input handles an event of the terminal.
func (w *watcher) input(e tcell.Event) (leave bool, err error) {
	w.fresh = false
	switch e := e.(type) {
	case *tcell.EventResize:
		w.screen.Sync()
	case *tcell.EventError:
		return true, fmt.Errorf("reading the terminal: %w", e)
	case *tcell.EventKey:
		return w.key(e)
	}
	return false, nil
}

func (w *watcher) key(e *tcell.EventKey) (leave bool, err error) {
	pressed := rune(0)
	switch e.Key() { //nolint:exhaustive // the other keys have no effect
	case tcell.KeyCtrlC:
		return true, nil
	case tcell.KeyCtrlZ:
		return false, w.suspend()
	case tcell.KeyCtrlL:
		w.screen.Sync()
	case tcell.KeyUp, tcell.KeyLeft:
		pressed = keyBack
	case tcell.KeyDown, tcell.KeyRight, tcell.KeyTab:
		pressed = keyOn
	case tcell.KeyRune:
		pressed = []rune(e.Str() + "\x00")[0]
	}
	if pressed == 'q' && !w.model.asks {
		return true, nil
	}
	order := w.model.press(pressed)
	if order == nil {
		return false, nil
	}
	w.background(func() func() {
		ctx, cancel := context.WithTimeoutCause(w.ctx, answerTime, errors.New("it does not answer"))
		defer cancel()
		err := socket.Order(ctx, w.Socket, *order)
		return func() { w.model.answered(err) }
	})
	return false, nil
}

// last returns the lines about an ended session.
func last(run string, m *model) []string {
	now := m.state.Snapshot()
	lines := []string{m.say("%s: the session has ended; %s of %s are stored.",
		clean(run), format.Count(now.Finished), i18n.Number{N: now.Pairs, Noun: "pair"})}
	if now.Tune != nil {
		for _, text := range m.view(now.Latest).aboutTune() {
			lines = append(lines, clean(text))
		}
		return lines
	}
	if m.unread != "" {
		return append(lines, m.say("The stored games cannot be read: %s", clean(m.unread)))
	}
	for _, text := range i18n.Each(m.in, Shown(m.report)) {
		lines = append(lines, clean(text))
	}
	return lines
}
