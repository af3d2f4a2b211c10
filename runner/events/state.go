package events

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"gogi/match"
)

// State is a run as its events tell it. Events that come twice or late, belong
// to another run or say too little are ignored and counted; where events are
// missing, what later ones tell repairs the picture, and what was missed is
// counted in the snapshot. It is not safe for concurrent use.
type State struct {
	run     string
	ignored uint64
	known   match.Snapshot // all but Slots
	slots   map[seat]*slot
}

// seat names a slot: workers number theirs for themselves.
type seat struct {
	worker string
	number int
}

type slot struct {
	phase match.SlotPhase
	since time.Time
	board *board // of the game in play, or of the last one
}

// NewState knows nothing yet. It follows one run; with the name "", that of the
// first event.
func NewState(run string) *State {
	s := &State{run: run}
	s.clear()
	return s
}

func (s *State) clear() {
	s.known = match.Snapshot{Numbers: map[string]uint64{}}
	s.slots = map[seat]*slot{}
}

// Ignored is how many events came twice, late, from another run or version, or
// without what their type needs. It is about this listener, not about the run,
// and no part of the snapshot.
func (s *State) Ignored() uint64 { return s.ignored }

// Apply takes the next event.
func (s *State) Apply(ev match.Event) {
	if s.run == "" {
		s.run = ev.Run
	}
	if ev.V != match.EventVersion || ev.Run != s.run || !s.accept(&ev) {
		s.ignored++
	}
}

// accept reports whether the event was news.
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
		s.begin(ev) // of a resumed run, which numbers from 1 again
	}
	if !s.number(ev) {
		return false
	}
	if ev.Time.After(s.known.Latest) {
		s.known.Latest = ev.Time
	}
	s.apply(ev)
	if ev.Type != match.EventMove {
		s.clearAway()
	}
	s.forgetTempo()
	return true
}

// number checks an event off.
func (s *State) number(ev *match.Event) bool {
	last := s.known.Numbers[ev.Worker]
	if ev.Seq <= last {
		return false
	}
	s.known.Lost += ev.Seq - last - 1
	s.known.Numbers[ev.Worker] = ev.Seq
	return true
}

// complete reports whether an event has the numbers that its type cannot do
// without.
func complete(ev *match.Event) bool {
	switch ev.Type {
	case match.EventSeat, match.EventGame, match.EventMove, match.EventEnd, match.EventCut:
		return ev.Pair != nil && ev.Leg != nil && ev.Slot != nil
	case match.EventBoard:
		return ev.Slot != nil && ev.Board != nil
	case match.EventPair:
		return ev.Pair != nil
	case match.EventForfeit:
		return ev.Pair != nil
	case match.EventTune:
		return ev.Tune != nil
	case match.EventBlock:
		return ev.Block > 0
	case match.EventRun, match.EventFault, match.EventWarning, match.EventTold, match.EventDone, match.EventCandidate, match.EventValidation:
		return true
	case match.EventState:
	}
	return false // of a later version
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
	case match.EventTold:
		s.told(ev)
	case match.EventDone:
		s.done(ev)
	case match.EventTune, match.EventBlock, match.EventForfeit, match.EventCandidate, match.EventValidation:
		s.tuned(ev)
	case match.EventRun, match.EventState: // were taken before
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
	s.furnish(ev)
}

// furnish has a slot for each that the run's own process shall have.
func (s *State) furnish(ev *match.Event) {
	s.known.Wanted = ev.Slots
	for n := range ev.Slots {
		at := seat{ev.Worker, n}
		if s.slots[at] == nil {
			s.slots[at] = &slot{phase: match.SlotIdle, since: ev.Time}
		}
	}
}

// clearAway drops the slots that the run's own process shall not have any more, and
// that play nothing. Where it is not known how many it shall have, all stay.
func (s *State) clearAway() {
	maps.DeleteFunc(s.slots, func(at seat, from *slot) bool {
		return at.worker == "" && s.known.Wanted > 0 && at.number >= s.known.Wanted && from.phase == match.SlotIdle
	})
}

// told takes what the session was told.
func (s *State) told(ev *match.Event) {
	s.known.Phase, s.known.Pairs, s.known.Games = ev.Phase, ev.Pairs, ev.Games
	s.furnish(ev)
}

// slot is the one that an event names; slots of workers are met as they come.
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

// free is the end of a game that does not count: its board goes.
func (s *slot) free(at time.Time) {
	s.turn(match.SlotIdle, at)
	if s.board != nil && s.board.Outcome == "" {
		s.board = nil
	}
}

func (s *State) gameBegan(ev *match.Event) {
	if *ev.Leg == 0 {
		s.forgetPair(ev) // an earlier try at it
	}
	at := s.slot(ev)
	at.phase, at.since, at.board = match.SlotPlaying, ev.Time, newBoard(ev)
}

func (s *State) moved(ev *match.Event) {
	at := s.slot(ev)
	if at.board == nil || !at.board.isOf(ev) { // its beginning was lost
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
		if s.known.Mate != nil { // what was given away stays what it was
			sum = *s.known.Mate
		}
		sum.Add(*ev.Mate)
		s.known.Mate = &sum
	}
	if ev.Marked {
		s.known.Marked++
	}
	s.tempo().Games++
	if ev.Sides != nil {
		s.worked(ev.Sides[0])
		s.worked(ev.Sides[1])
	}
	s.keepEnded(ev)
}

func (s *State) worked(e match.Effort) {
	list := &s.known.Efforts
	i, found := slices.BinarySearchFunc(*list, e.Player, func(a match.Effort, player string) int { return cmp.Compare(a.Player, player) })
	if !found {
		*list = slices.Insert(*list, i, match.Effort{Player: e.Player})
	}
	(*list)[i].Add(e)
}

// keepEnded keeps a game until it is told whether its pair counts.
func (s *State) keepEnded(ev *match.Event) {
	g := match.EndedGame{
		Worker: ev.Worker, Pair: *ev.Pair, Leg: *ev.Leg,
		GameEnd: match.GameEnd{Black: ev.Black, White: ev.White, Outcome: ev.Outcome, Termination: ev.Termination},
	}
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

// forgetPair drops the games of a try at a pair that came to nothing.
func (s *State) forgetPair(ev *match.Event) {
	s.known.Unstored = slices.DeleteFunc(s.known.Unstored, func(g match.EndedGame) bool {
		return g.Pair == *ev.Pair && g.Worker == ev.Worker
	})
}

// pairStored counts the games of the worker whose pair it was; another worker's
// play of the same pair counts for nothing.
func (s *State) pairStored(ev *match.Event) {
	var counted []match.EndedGame
	s.known.Unstored = slices.DeleteFunc(s.known.Unstored, func(g match.EndedGame) bool {
		if g.Pair == *ev.Pair && g.Worker == ev.Worker {
			counted = append(counted, g)
		}
		return g.Pair == *ev.Pair
	})
	s.known.Finished++
	s.tempo().Pairs++
	s.known.Standings.Add(counted)
	if s.known.Pairs > 0 && ev.Kind != match.TuneForfeit { // whose games nobody plays
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

// warned keeps the warnings of a session, which are few, in the order in which they came.
func (s *State) warned(ev *match.Event) {
	if len(s.known.Warnings) < keptWarnings {
		s.known.Warnings = append(s.known.Warnings, match.WarningGiven{Worker: ev.Worker, Engine: ev.Engine, Slot: ev.Slot, Kind: ev.Kind, Note: ev.Note})
	}
}

// keptWarnings is what a snapshot has of them at most.
const keptWarnings = 100

func (s *State) done(ev *match.Event) {
	s.known.Over, s.known.Dropped = true, ev.Dropped
	if ev.Finished != nil {
		s.known.Finished = *ev.Finished // the store's own count
	}
	s.known.Unstored = nil // they never will be
	for _, at := range s.slots {
		at.free(ev.Time)
	}
}

// tempo is the span of the latest stamp.
func (s *State) tempo() *match.RateSample {
	from := s.known.Latest.Truncate(match.TempoSpan)
	n := len(s.known.Recent)
	if n == 0 || !s.known.Recent[n-1].From.Equal(from) {
		s.known.Recent = append(s.known.Recent, match.RateSample{From: from})
		n++
	}
	return &s.known.Recent[n-1]
}

// forgetTempo drops what is older than the window of Rate.
func (s *State) forgetTempo() {
	first := s.known.Latest.Truncate(match.TempoSpan).Add(match.TempoSpan - match.RateWindow)
	s.known.Recent = slices.DeleteFunc(s.known.Recent, func(t match.RateSample) bool { return t.From.Before(first) })
}

// Snapshot is everything that is known. It shares nothing that changes.
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
		k.Slots = append(k.Slots, match.SlotState{Worker: at.worker, Slot: at.number, Phase: from.phase, Since: from.since, Board: from.board.snapshot()})
	}
	return &k
}

// Event is the state event that a late listener begins with. It has no number
// of its own but that of the last event of the run's own process that it covers.
func (s *State) Event() match.Event {
	return match.Event{
		V: match.EventVersion, Seq: s.known.Numbers[""], Time: s.known.Latest, Run: s.run,
		Type: match.EventState, State: s.Snapshot(),
	}
}

// restore takes a snapshot over, unless it is an old one.
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
	s.known = *s.Snapshot() // nothing is shared with the event
	s.known.Slots = nil
	if s.known.Numbers == nil {
		s.known.Numbers = map[string]uint64{}
	}
	return true
}

// isNews reports whether a snapshot is of a later session, or no older than what
// is known: with the same numbers it may still know what was lost here.
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
