package events

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"gogi/match"
)

// State is the state of a run, calculated from its events. It ignores an event that is a duplicate, late,
// incomplete, or from another run, and counts these events. If events are missing, later events repair the
// state, and the snapshot counts the missing events. State is not safe for concurrent use.
type State struct {
	run     string
	ignored uint64
	known   match.Snapshot // all fields but Slots
	slots   map[seat]*slot
}

// seat identifies a slot. Each worker numbers its own slots.
type seat struct {
	worker string
	number int
}

type slot struct {
	phase match.SlotPhase
	since time.Time
	board *board // of the current game or of the last one
}

// NewState returns an empty state of a run. With the name "" it follows the run of the first event.
func NewState(run string) *State {
	s := &State{run: run}
	s.clear()
	return s
}

func (s *State) clear() {
	s.known = match.Snapshot{Numbers: map[string]uint64{}}
	s.slots = map[seat]*slot{}
}

// Ignored returns the number of events that State ignored because they were duplicates, late, incomplete, or
// from another run or version. This number describes the subscriber and not the run, so the snapshot does not
// contain it.
func (s *State) Ignored() uint64 { return s.ignored }

// Apply applies the next event.
func (s *State) Apply(ev match.Event) {
	s.run = cmp.Or(s.run, ev.Run)
	if ev.V != match.EventVersion || ev.Run != s.run || !s.accept(&ev) {
		s.ignored++
	}
}

// accept applies an event and reports whether it was new and complete.
func (s *State) accept(ev *match.Event) bool {
	if ev.Type == match.EventState {
		return s.restore(ev.State)
	}
	if ev.Seq == 0 || ev.Time.Before(s.known.Began) || !complete(ev) {
		return false
	}
	if ev.Type == match.EventRun {
		if ev.Time.Equal(s.known.Began) {
			return false
		}
		s.begin(ev) // a resumed run numbers its events from 1 again
	}
	if !s.number(ev) {
		return false
	}
	if ev.Time.After(s.known.Latest) {
		s.known.Latest = ev.Time
	}
	s.apply(ev)
	if ev.Type != match.EventMove {
		s.dropSlots()
	}
	s.dropRates()
	return true
}

// number checks the sequence number of an event and counts the missing events before it. It returns false if the
// event is not new.
func (s *State) number(ev *match.Event) bool {
	last := s.known.Numbers[ev.Worker]
	if ev.Seq <= last {
		return false
	}
	s.known.Lost += ev.Seq - last - 1
	s.known.Numbers[ev.Worker] = ev.Seq
	return true
}

// complete reports whether an event has the fields that its type needs.
func complete(ev *match.Event) bool {
	switch ev.Type {
	case match.EventSeat, match.EventGame, match.EventMove, match.EventEnd, match.EventCut:
		return ev.Pair != nil && ev.Leg != nil && ev.Slot != nil
	case match.EventBoard:
		return ev.Slot != nil && ev.Board != nil
	case match.EventPair, match.EventForfeit:
		return ev.Pair != nil
	case match.EventTune:
		return ev.Tune != nil
	case match.EventBlock:
		return ev.Block > 0
	case match.EventRun, match.EventFault, match.EventWarning, match.EventControl, match.EventDone, match.EventCandidate,
		match.EventValidation:
		return true
	case match.EventState:
	}
	return false // a type of a later version
}

func (s *State) apply(ev *match.Event) {
	switch ev.Type {
	case match.EventSeat:
		s.slot(ev).turn(match.SlotStarting, ev.Time)
	case match.EventGame:
		s.gameBegan(ev)
	case match.EventMove:
		s.moved(ev)
	case match.EventBoard:
		at := s.slot(ev)
		at.turn(match.SlotPlaying, ev.Time)
		at.board = restoreBoard(ev.Board)
	case match.EventEnd:
		s.gameEnded(ev)
	case match.EventCut:
		s.forgetPair(ev)
		s.slot(ev).free(ev.Time)
	case match.EventPair:
		s.pairStored(ev)
	case match.EventFault:
		s.failed(ev)
	case match.EventWarning:
		s.warned(ev)
	case match.EventControl:
		s.sessionChanged(ev)
	case match.EventDone:
		s.done(ev)
	case match.EventTune, match.EventBlock, match.EventForfeit, match.EventCandidate, match.EventValidation:
		s.tuned(ev)
	case match.EventRun, match.EventState: // accept has applied them
	}
}

func (s *State) begin(ev *match.Event) {
	s.clear()
	k := &s.known
	k.Began, k.Latest, k.Phase = ev.Time, ev.Time, match.RunPlaying
	k.Players, k.Limits, k.Digest, k.Rules = slices.Clone(ev.Players), slices.Clone(ev.Limits), ev.Digest, ev.Rules
	k.Pairs, k.Games = ev.Pairs, ev.Games
	if ev.Finished != nil {
		k.Finished = *ev.Finished
	}
	if ev.Standings != nil {
		k.Standings = ev.Standings.Clone()
	}
	s.addSlots(ev)
}

// addSlots adds the missing slots of the run's own process.
func (s *State) addSlots(ev *match.Event) {
	s.known.Wanted = ev.Slots
	for n := range ev.Slots {
		at := seat{ev.Worker, n}
		if s.slots[at] == nil {
			s.slots[at] = &slot{phase: match.SlotIdle, since: ev.Time}
		}
	}
}

// dropSlots drops surplus idle slots of the run's own process. If the wanted number is unknown, all slots stay.
func (s *State) dropSlots() {
	maps.DeleteFunc(s.slots, func(at seat, from *slot) bool {
		return at.worker == "" && s.known.Wanted > 0 && at.number >= s.known.Wanted && from.phase == match.SlotIdle
	})
}

// sessionChanged updates the state after a control command changed the session: its phase, its numbers of pairs and
// games, and its slots.
func (s *State) sessionChanged(ev *match.Event) {
	s.known.Phase, s.known.Pairs, s.known.Games = ev.Phase, ev.Pairs, ev.Games
	s.addSlots(ev)
}

// slot returns the slot of an event, and adds it if it is missing.
func (s *State) slot(ev *match.Event) *slot {
	at := seat{ev.Worker, *ev.Slot}
	if s.slots[at] == nil {
		s.slots[at] = &slot{phase: match.SlotIdle, since: ev.Time}
	}
	return s.slots[at]
}

func (s *slot) turn(phase match.SlotPhase, at time.Time) {
	if s.phase != phase {
		s.phase, s.since = phase, at
	}
}

// free makes a slot idle after a game without a result, and removes its board.
func (s *slot) free(at time.Time) {
	s.turn(match.SlotIdle, at)
	if s.board != nil && s.board.Outcome == "" {
		s.board = nil
	}
}

func (s *State) gameBegan(ev *match.Event) {
	if *ev.Leg == 0 {
		s.forgetPair(ev) // an earlier attempt
	}
	at := s.slot(ev)
	at.phase, at.since, at.board = match.SlotPlaying, ev.Time, newBoard(ev)
}

func (s *State) moved(ev *match.Event) {
	at := s.slot(ev)
	if at.board == nil || !at.board.isOf(ev) { // its game event is missing
		at.board = &board{Board: match.Board{Pair: *ev.Pair, Leg: *ev.Leg, Ply: ev.Ply - 1}}
	}
	at.turn(match.SlotPlaying, ev.Time)
	s.known.Missed += at.board.move(ev)
}

func (s *State) gameEnded(ev *match.Event) {
	at := s.slot(ev)
	at.turn(match.SlotIdle, ev.Time)
	if at.board == nil || !at.board.isOf(ev) {
		at.board = newBoard(ev)
		at.board.Ply = ev.Plies
	}
	s.known.Missed += at.board.end(ev)
	s.known.Ended++
	if ev.Mate != nil {
		sum := match.Questions{}
		if s.known.Mate != nil { // a snapshot may point to the old value
			sum = *s.known.Mate
		}
		sum.Add(*ev.Mate)
		s.known.Mate = &sum
	}
	if ev.Marked {
		s.known.Marked++
	}
	s.rate().Games++
	if ev.Sides != nil {
		s.worked(ev.Sides[0])
		s.worked(ev.Sides[1])
	}
	s.keepEnded(ev)
}

func (s *State) worked(e match.Effort) {
	list := &s.known.Efforts
	i, found := slices.BinarySearchFunc(*list, e.Player, func(a match.Effort, player string) int {
		return cmp.Compare(a.Player, player)
	})
	if !found {
		*list = slices.Insert(*list, i, match.Effort{Player: e.Player})
	}
	(*list)[i].Add(e)
}

// keepEnded stores a finished game until its pair is stored or fails.
func (s *State) keepEnded(ev *match.Event) {
	g := match.EndedGame{
		Worker: ev.Worker, Pair: *ev.Pair, Leg: *ev.Leg,
	}
	g.GameView = match.GameView{Black: ev.Black, White: ev.White, Outcome: ev.Outcome, Termination: ev.Termination}
	if ev.Points != nil {
		g.Points = *ev.Points
	}
	list := &s.known.Unstored
	i, found := slices.BinarySearchFunc(*list, g, compareEnded)
	if found {
		(*list)[i] = g
		return
	}
	*list = slices.Insert(*list, i, g)
}

func compareEnded(a, b match.EndedGame) int {
	return cmp.Or(cmp.Compare(a.Pair, b.Pair), cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.Leg, b.Leg))
}

// forgetPair removes the games of a failed attempt at a pair.
func (s *State) forgetPair(ev *match.Event) {
	s.known.Unstored = slices.DeleteFunc(s.known.Unstored, func(g match.EndedGame) bool {
		return g.Pair == *ev.Pair && g.Worker == ev.Worker
	})
}

// pairStored counts the games of a stored pair by the worker that played it. If other workers also played this pair, it
// removes their games.
func (s *State) pairStored(ev *match.Event) {
	var counted []match.EndedGame
	s.known.Unstored = slices.DeleteFunc(s.known.Unstored, func(g match.EndedGame) bool {
		if g.Pair == *ev.Pair && g.Worker == ev.Worker {
			counted = append(counted, g)
		}
		return g.Pair == *ev.Pair
	})
	s.known.Finished++
	s.rate().Pairs++
	s.known.Standings.Add(counted)
	if s.known.Pairs > 0 && ev.Kind != match.TuneForfeit { // a forfeited pair has no games
		s.known.Unseen += max(0, s.known.Games/s.known.Pairs-len(counted))
	}
}

func (s *State) failed(ev *match.Event) {
	if ev.Kind == match.KindUnplayed && ev.Pair != nil {
		s.forgetPair(ev)
		if ev.Slot != nil {
			s.slot(ev).free(ev.Time)
		}
	}
	key := match.FaultSum{Player: ev.Engine, Kind: ev.Kind}
	list := &s.known.Faults
	i, found := slices.BinarySearchFunc(*list, key, func(a, b match.FaultSum) int {
		return cmp.Or(cmp.Compare(a.Player, b.Player), cmp.Compare(a.Kind, b.Kind))
	})
	if !found {
		*list = slices.Insert(*list, i, key)
	}
	(*list)[i].Times++
	if ev.Forfeit {
		(*list)[i].Forfeits++
	}
}

// warned stores the first keptWarnings warnings of a session in the order of arrival.
func (s *State) warned(ev *match.Event) {
	if len(s.known.Warnings) < keptWarnings {
		s.known.Warnings = append(s.known.Warnings,
			match.WarningGiven{Worker: ev.Worker, Engine: ev.Engine, Slot: ev.Slot, Kind: ev.Kind, Note: ev.Note})
	}
}

// keptWarnings is the maximum number of warnings in a snapshot.
const keptWarnings = 100

func (s *State) done(ev *match.Event) {
	s.known.Over, s.known.Dropped = true, ev.Dropped
	if ev.Finished != nil {
		s.known.Finished = *ev.Finished // the store's own count
	}
	s.known.Unstored = nil // they will not be stored
	for _, at := range s.slots {
		at.free(ev.Time)
	}
}

// rate returns the sample for the ten seconds that contain the latest time stamp. It adds the sample if it is missing.
func (s *State) rate() *match.RateSample {
	from := s.known.Latest.Truncate(match.TempoSpan)
	n := len(s.known.Recent)
	if n == 0 || !s.known.Recent[n-1].From.Equal(from) {
		s.known.Recent = append(s.known.Recent, match.RateSample{From: from})
		n++
	}
	return &s.known.Recent[n-1]
}

// dropRates removes samples that are older than match.RateWindow.
func (s *State) dropRates() {
	first := s.known.Latest.Truncate(match.TempoSpan).Add(match.TempoSpan - match.RateWindow)
	s.known.Recent = slices.DeleteFunc(s.known.Recent, func(t match.RateSample) bool { return t.From.Before(first) })
}

// Snapshot returns a copy of the state. Later events do not change the copy.
func (s *State) Snapshot() *match.Snapshot {
	k := s.known
	k.Numbers = maps.Clone(k.Numbers)
	k.Players, k.Limits = slices.Clone(k.Players), slices.Clone(k.Limits)
	k.Standings, k.Unstored = k.Standings.Clone(), slices.Clone(k.Unstored)
	k.Efforts, k.Faults, k.Recent = slices.Clone(k.Efforts), slices.Clone(k.Faults), slices.Clone(k.Recent)
	k.Warnings, k.Tune = slices.Clone(k.Warnings), k.Tune.Clone()
	for _, at := range slices.SortedFunc(maps.Keys(s.slots), func(a, b seat) int {
		return cmp.Or(cmp.Compare(a.worker, b.worker), cmp.Compare(a.number, b.number))
	}) {
		from := s.slots[at]
		k.Slots = append(k.Slots, match.SlotState{Worker: at.worker, Slot: at.number, Phase: from.phase, Since: from.since,
			Board: from.board.snapshot()})
	}
	return &k
}

// Event returns an event with the current state, with which a subscription begins. Its sequence number is the
// number of the last event of the run's own process that the state includes.
func (s *State) Event() match.Event {
	return match.Event{
		V: match.EventVersion, Seq: s.known.Numbers[""], Time: s.known.Latest, Run: s.run,
		Type: match.EventState, State: s.Snapshot(),
	}
}

// restore replaces the state by a snapshot, unless the snapshot is older. It reports whether it replaced the state.
func (s *State) restore(from *match.Snapshot) bool {
	if from == nil || !s.isNews(from) {
		return false
	}
	s.known = *from
	s.known.Slots = nil
	s.slots = make(map[seat]*slot, len(from.Slots))
	for _, at := range from.Slots {
		s.slots[seat{at.Worker, at.Slot}] = &slot{phase: at.Phase, since: at.Since, board: restoreBoard(at.Board)}
	}
	s.known = *s.Snapshot() // a copy that shares no data with the event
	s.known.Slots = nil
	if s.known.Numbers == nil {
		s.known.Numbers = map[string]uint64{}
	}
	return true
}

// isNews reports whether a snapshot belongs to a later session, or is at least as new as the state. A snapshot with
// equal numbers is also news, because it may contain events that were lost here.
func (s *State) isNews(from *match.Snapshot) bool {
	if !from.Began.Equal(s.known.Began) {
		return from.Began.After(s.known.Began)
	}
	for worker, number := range s.known.Numbers {
		if from.Numbers[worker] < number {
			return false
		}
	}
	return true
}

// tuned applies an event of a tune. It ignores events before the tune event, because the meaning of their values
// is unknown.
func (s *State) tuned(ev *match.Event) {
	t := s.known.Tune
	if ev.Type == match.EventTune {
		s.known.Tune = &match.TuneLive{TuneSetup: *ev.Tune}
		s.known.Tune.Track = ev.Tune.Track.Clone()
		return
	}
	if t == nil {
		return
	}
	switch ev.Type { //nolint:exhaustive // the other types are not about tunes
	case match.EventBlock:
		if ev.Block > t.Track.Latest && len(ev.Theta) == len(t.Params) {
			t.Track.Add(ev.Block, match.TunePoint{Pairs: ev.Pairs, Theta: ev.Theta, Spread: ev.Spread, LostElo: ev.LostElo,
				Equal: ev.Equal})
		}
	case match.EventForfeit:
		t.Forfeits++
	case match.EventCandidate:
		t.Candidate, t.Validations = ev.Values, nil
	case match.EventValidation:
		t.Validations = append(t.Validations, ev.Validation)
	}
}
