package terminal

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/match/control"
	"gogi/report"
	"gogi/runner/events"
	"gogi/runner/socket"
)

// dwell is how long a board is shown before that of another slot is, while the board
// follows what happens.
const dwell = 4 * time.Second

// keptFaults is how many faults are kept to be shown.
const keptFaults = 20

// The keys that are no characters.
const (
	keyBack rune = -1 - iota // to the slot before
	keyOn                    // to the slot after
)

// model is what is shown and what keys have changed. It waits for nothing, and asks no
// clock.
type model struct {
	run    string
	in     i18n.Language
	state  *events.State
	report *report.Report
	unread string

	chosen  Seat
	follows bool
	changed time.Time          // when the board became another slot's
	told    map[Seat]time.Time // the last move of each slot

	faults  []string
	message string
	asks    bool             // whether to stop
	ordered *control.Command // the run has not answered it
}

func newModel(run string) *model {
	return &model{run: run, state: events.NewState(run), follows: true, told: map[Seat]time.Time{}}
}

func modelIn(run string, in i18n.Language) *model {
	m := newModel(run)
	m.in = in
	return m
}

// say is a phrase in the model's language.
func (m *model) say(phrase string, args ...any) string { return i18n.Say(m.in, phrase, args...) }

// again begins from nothing, for a new stream of events.
func (m *model) again() {
	m.state, m.told = events.NewState(m.run), map[Seat]time.Time{}
}

// apply takes an event that came at a time.
func (m *model) apply(e match.Event, now time.Time) {
	m.state.Apply(e)
	if e.Type == match.EventFault {
		m.faults = append(m.faults, m.faultText(e))
		m.faults = m.faults[max(0, len(m.faults)-keptFaults):]
	}
	if e.Slot == nil {
		return
	}
	at := Seat{e.Worker, *e.Slot}
	switch e.Type { //nolint:exhaustive // the others change no board
	case match.EventGame, match.EventMove:
		m.told[at] = now
	case match.EventSeat, match.EventCut:
		delete(m.told, at)
	}
	if m.follows && at != m.chosen && now.Sub(m.changed) >= dwell {
		m.chosen, m.changed = at, now
	}
}

// faultText is a fault in a line.
func (m *model) faultText(e match.Event) string {
	text := m.say(format.Words(e.Kind))
	if e.Engine != "" {
		text = e.Engine + " " + text
	}
	if e.Pair != nil {
		text = m.say("%s in pair %d", text, *e.Pair)
	}
	return text + ": " + e.Note
}

// learned takes what the stored games show, or why they cannot be read.
func (m *model) learned(r *report.Report, err error) {
	if err != nil {
		m.unread = err.Error()
		return
	}
	m.report, m.unread = r, ""
}

// press takes a key, and returns the order that it means, nil for none.
func (m *model) press(key rune) *control.Command {
	if m.asks {
		m.asks, m.message = false, m.say("not stopped")
		if key == 's' || key == 'y' {
			return m.order(control.Command{Do: control.Stop})
		}
		return nil
	}
	m.message = ""
	switch {
	case key == keyBack || key == keyOn:
		m.step(key)
	case key >= '0' && key <= '9':
		m.choose(int(key - '0'))
	case key == 'f':
		m.follows = !m.follows
	default:
		return m.command(key)
	}
	return nil
}

// command is the order that a key means; stopping is asked about first.
func (m *model) command(key rune) *control.Command {
	wanted := m.state.Snapshot().Wanted
	switch key {
	case 'p':
		return m.order(control.Command{Do: control.Pause})
	case 'r':
		return m.order(control.Command{Do: control.Resume})
	case 'd':
		return m.order(control.Command{Do: control.Drain})
	case '+', '=':
		return m.order(control.Command{Do: control.Concurrency, N: wanted + 1})
	case '-':
		return m.order(control.Command{Do: control.Concurrency, N: wanted - 1})
	case 's':
		m.asks, m.message = true, m.say("Stop gives up the games in play. s stops, any other key does not.")
	}
	return nil
}

// order lets one order at a time through.
func (m *model) order(c control.Command) *control.Command {
	if m.ordered != nil {
		m.message = m.say("the run has not answered %s yet", m.ordered.Do)
		return nil
	}
	if err := c.Check(); err != nil {
		m.message = err.Error()
		return nil
	}
	m.ordered, m.message = &c, m.say("%s: waiting for the run", words(c))
	return &c
}

// answered takes what the run said to the order.
func (m *model) answered(err error) {
	c := m.ordered
	m.ordered = nil
	switch {
	case err == nil:
		m.message = m.say("%s: done; %s", words(*c), i18n.Of(meaning[c.Do]))
	case errors.Is(err, socket.ErrRefused):
		m.message = words(*c) + ": " + err.Error()
	default:
		m.message = m.say("%s did not reach the run: %s", words(*c), err.Error())
	}
}

func words(c control.Command) string {
	if c.Do.Counts() {
		return fmt.Sprintf("%s %d", c.Do, c.N)
	}
	return string(c.Do)
}

// meaning is what happens from now on.
var meaning = map[control.Verb]string{
	control.Pause:       i18n.Phrase("the pairs in play are finished, no other begins"),
	control.Resume:      i18n.Phrase("it goes on"),
	control.Drain:       i18n.Phrase("the pairs in play are the last"),
	control.Stop:        i18n.Phrase("it ends now"),
	control.Concurrency: i18n.Phrase("it changes as pairs end and begin"),
}

// step chooses the slot before or after the shown one.
func (m *model) step(key rune) {
	all := m.state.Snapshot().Slots
	if len(all) == 0 {
		return
	}
	at := slices.IndexFunc(all, func(s match.SlotState) bool { return Seat{s.Worker, s.Slot} == m.chosen })
	if key == keyOn {
		at = min(at+1, len(all)-1)
	} else {
		at = max(at-1, 0)
	}
	m.chosen, m.follows = Seat{all[at].Worker, all[at].Slot}, false
}

// choose takes the first slot of a number.
func (m *model) choose(number int) {
	for _, s := range m.state.Snapshot().Slots {
		if s.Slot == number {
			m.chosen, m.follows = Seat{s.Worker, s.Slot}, false
			return
		}
	}
	m.message = m.say("there is no slot %d", number)
}

// view is what is to be shown.
func (m *model) view(now time.Time) View {
	v := View{
		Run: m.run, Now: m.state.Snapshot(), Report: m.report, Unread: m.unread, Chosen: m.chosen, Follows: m.follows,
		Waited: -1, Faults: m.faults, Message: m.message, Question: m.asks, Language: m.in,
	}
	shown := v.shown()
	v.Chosen = Seat{shown.Worker, shown.Slot}
	if at, known := m.told[v.Chosen]; known {
		v.Waited = now.Sub(at)
	}
	return v
}
