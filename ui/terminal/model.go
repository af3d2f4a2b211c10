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

// dwell is the minimum time for which a board is shown while the board follows the events.
const dwell = 4 * time.Second

// keptFaults is the number of faults that the model stores.
const keptFaults = 20

// These are the keys that are not characters.
const (
	keyBack rune = -1 - iota // show the previous slot
	keyOn                    // show the next slot
)

// model is the state of the screen, changed by events and keys. It never waits and reads no clock.
type model struct {
	run    string
	in     i18n.Language
	state  *events.State
	report *report.Report
	unread string // the error of the last reading of the stored games, or ""

	chosen  Seat               // the slot with the shown board
	follows bool               // the board changes to the slot of the latest event
	changed time.Time          // the time of the last change of the board.
	moved   map[Seat]time.Time // the time of the last move of each slot.

	faults  []string
	message string           // the answer to the last key, or a question
	asks    bool             // the message asks whether to stop
	ordered *control.Command // the command that has no answer yet
}

func newModel(run string, in i18n.Language) *model {
	return &model{run: run, in: in, state: events.NewState(run), follows: true, moved: map[Seat]time.Time{}}
}

// say translates a phrase.
func (m *model) say(phrase string, args ...any) string { return i18n.Say(m.in, phrase, args...) }

// reset clears the state for a new stream of events.
func (m *model) reset() {
	m.state, m.moved = events.NewState(m.run), map[Seat]time.Time{}
}

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
	switch e.Type { //nolint:exhaustive // the other types change no board
	case match.EventGame, match.EventMove:
		m.moved[at] = now
	case match.EventSeat, match.EventCut:
		delete(m.moved, at)
	}
	if m.follows && at != m.chosen && now.Sub(m.changed) >= dwell {
		m.chosen, m.changed = at, now
	}
}

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

// setReport sets the report of the stored games, or the reason why they cannot be read.
func (m *model) setReport(r *report.Report, err error) {
	if err != nil {
		m.unread = err.Error()
		return
	}
	m.report, m.unread = r, ""
}

// press handles a key. It returns the command that the key gives to the run, or nil.
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

// command returns the command of a key, or nil. A stop first asks a question.
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

// order returns c if c is valid and no earlier command waits for its answer. Otherwise it returns nil.
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

// answered handles the answer to the command.
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

// meaning describes the effect of each command, for the user who has sent it.
var meaning = map[control.Verb]string{
	control.Pause:       i18n.Phrase("the pairs in play are finished, no other begins"),
	control.Resume:      i18n.Phrase("the run continues"),
	control.Drain:       i18n.Phrase("the pairs in play are the last"),
	control.Stop:        i18n.Phrase("it ends now"),
	control.Concurrency: i18n.Phrase("it changes as pairs end and begin"),
}

// step chooses the previous or the next slot.
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

func (m *model) choose(number int) {
	for _, s := range m.state.Snapshot().Slots {
		if s.Slot == number {
			m.chosen, m.follows = Seat{s.Worker, s.Slot}, false
			return
		}
	}
	m.message = m.say("there is no slot %d", number)
}

func (m *model) view(now time.Time) View {
	v := View{
		Run: m.run, Now: m.state.Snapshot(), Report: m.report, Unread: m.unread, Chosen: m.chosen, Follows: m.follows,
		Waited: -1, Faults: m.faults, Message: m.message, Question: m.asks, Language: m.in,
	}
	shown := v.shown()
	v.Chosen = Seat{shown.Worker, shown.Slot}
	if at, known := m.moved[v.Chosen]; known {
		v.Waited = now.Sub(at)
	}
	return v
}
