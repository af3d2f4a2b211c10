package events_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner/events"
	"gogi/shogi"
)

// stateOf returns the state after the events.
func stateOf(sent []match.Event) *events.State {
	s := events.NewState("run")
	for _, e := range sent {
		s.Apply(e)
	}
	return s
}

// TestStateIsWhatHappened compares a state with the counts of the series.
func TestStateIsWhatHappened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := played(t)
		state := stateOf(s.events)
		now := state.Snapshot()
		testutil.Require(t, state.Ignored() == 0 && now.Lost == 0 && now.Missed == 0 && now.Unseen == 0,
			"ignored %d, lost %d, missed %d, unseen %d", state.Ignored(), now.Lost, now.Missed, now.Unseen)
		results := map[[4]string]int{}
		for _, g := range now.Standings.Games {
			results[[4]string{g.Black, g.White, g.Outcome, g.Termination}] = g.Games
		}
		testutil.Diff(t, s.results, results)
		faults, forfeits := map[[2]string]int{}, 0
		for _, f := range now.Faults {
			faults[[2]string{f.Player, f.Kind}] = f.Times
			forfeits += f.Forfeits
		}
		diff := cmp.Diff(s.faults, faults)
		testutil.Require(t, diff == "" && forfeits == s.forfeits, "%v %v %v", diff, forfeits, s.forfeits)
		nodes := map[string]uint64{}
		for _, e := range now.Efforts {
			nodes[e.Player] = e.Nodes
		}
		testutil.Diff(t, s.nodes, nodes)
		if now.Finished != s.stored || now.Ended != s.ended || !now.Latest.Equal(s.events[len(s.events)-1].Time) ||
			!now.Began.Equal(began) {
			t.Fatalf("finished %d, ended %d, latest %v: want %d, %d, %v", now.Finished, now.Ended, now.Latest, s.stored, s.ended,
				s.now)
		}
		testutil.Require(t, now.Phase == s.phase && now.Wanted == s.wanted,
			"%s with %d slots: want %s with %d", now.Phase, now.Wanted, s.phase, s.wanted)
		for _, at := range now.Slots {
			testutil.Require(t, at.Worker != "" || at.Slot < s.wanted || at.Phase != match.SlotIdle,
				"slot %d is idle and one too many", at.Slot)
		}
		waiting := lists.Sum(s.tables, func(b *table) int { return len(b.ends) })
		if over := s.events[len(s.events)-1].Type == match.EventDone; now.Over != over || !over &&
			len(now.Unstored) != waiting {
			t.Fatalf("over %v, want %v; %d games wait to be stored, want %d", now.Over, over, len(now.Unstored), waiting)
		}
		for _, b := range s.tables {
			checkTable(t, now, b)
		}
	})
}

func checkTable(t *rapid.T, now *match.Snapshot, b *table) {
	i := slices.IndexFunc(now.Slots, func(s match.SlotState) bool { return s.Worker == b.worker && s.Slot == b.number })
	if i < 0 {
		testutil.Require(t, b.phase == match.SlotIdle && (b.worker != "" || b.number >= now.Wanted),
			"slot %d of %q is missing", b.number, b.worker)
		return
	}
	got := now.Slots[i]
	testutil.Require(t, got.Phase == b.phase, "slot %d is %s, want %s", b.number, got.Phase, b.phase)
	if b.phase != match.SlotPlaying {
		return
	}
	board := got.Board
	if board.Position != b.board.SFEN() || board.Start != hirate || board.Moves != b.text || board.Ply != b.ply ||
		board.StartPly != 0 ||
		board.Pair != b.pair || board.Leg != b.leg || board.Outcome != "" {
		t.Fatalf("board %s\nwant %s %s", text(t, board), b.text, b.board.SFEN())
	}
	mover := b.board.Side().Opponent()
	last := board.Thoughts[mover]
	testutil.Require(t, b.ply <= 2 || last != nil && *last.Score == b.ply && last.Ply == b.ply,
		"last thought %+v, want that of ply %d", last, b.ply)
	if council := b.ply%3 == 0; b.ply > 2 &&
		((last.Vote != nil) != council || council && last.Vote.Split != fmt.Sprint(b.ply)) {
		t.Fatalf("last vote %+v at ply %d", last.Vote, b.ply)
	}
	if mover == shogi.Black && b.ply > 2 && *board.Clocks[0] != float64(1000-b.ply) || board.Clocks[1] != nil {
		t.Fatalf("clocks %s after ply %d", text(t, board.Clocks), b.ply)
	}
}

// TestSnapshotAndTheRestAreAll: a subscriber that comes late, also over a network, gets the same state.
func TestSnapshotAndTheRestAreAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sent := played(t).events
		all := stateOf(sent)
		at := rapid.IntRange(0, len(sent)).Draw(t, "comes at")
		early := stateOf(sent[:at])
		late := events.NewState("run")
		for _, e := range append([]match.Event{early.Event()}, sent[at:]...) {
			late.Apply(reread(t, e))
		}
		testutil.Diff(t, text(t, all.Snapshot()), text(t, late.Snapshot()))
		testutil.Require(t, late.Ignored() == 0, "%d ignored", late.Ignored())
	})
}

// TestSnapshotsShareNothing: a later event changes no earlier snapshot, and not the event with which another state
// began.
func TestSnapshotsShareNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sent := played(t).events
		at := rapid.IntRange(0, len(sent)).Draw(t, "at")
		one, other := stateOf(sent[:at]), events.NewState("run")
		first := one.Event()
		before := text(t, first)
		other.Apply(first)
		for _, e := range sent[at:] {
			one.Apply(e)
			other.Apply(e)
		}
		testutil.Diff(t, before, text(t, first))
	})
}

// TestTwiceLateAndForeign: events that are repeated, old, or of another run or version change nothing, and are counted
// as ignored.
func TestTwiceLateAndForeign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sent := played(t).events
		state := events.NewState("run")
		var states []match.Event
		strange := uint64(0)
		apply := func(e match.Event) {
			strange++
			state.Apply(e)
		}
		for i, e := range sent {
			state.Apply(e)
			states = append(states, state.Event())
			switch old := rapid.IntRange(0, i).Draw(t, "old"); rapid.IntRange(0, 7).Draw(t, "strange") {
			case 0:
				apply(sent[old])
			case 1:
				if old < i {
					apply(states[old])
				} else {
					state.Apply(states[old]) // a state with all events is accepted
				}
			case 2:
				e.Run, e.Seq = "other", e.Seq+1
				apply(e)
			case 3:
				e.V, e.Seq = match.EventVersion+1, e.Seq+1
				apply(e)
			case 4: // of an earlier session
				e.Time, e.Seq = began.Add(-time.Second), e.Seq+100
				apply(e)
			}
		}
		if diff := cmp.Diff(text(t, stateOf(sent).Snapshot()), text(t, state.Snapshot())); diff != "" ||
			state.Ignored() != strange {
			t.Fatalf("ignored %d, want %d\n%s", state.Ignored(), strange, diff)
		}
	})
}

// withoutMoves removes move events as a sender does. Removed events get no number. It returns the number of removed
// moves that a reader can infer: those of games with a later event that has a ply.
func withoutMoves(t *rapid.T, sent []match.Event) (kept []match.Event, known int) {
	type place struct {
		worker string
		slot   int
	}
	dropped, waiting := map[string]uint64{}, map[place]int{}
	for _, e := range sent {
		if e.Type == match.EventMove && rapid.IntRange(0, 2).Draw(t, "drop") == 0 {
			dropped[e.Worker]++
			waiting[place{e.Worker, *e.Slot}]++
			continue
		}
		switch e.Type {
		case match.EventMove, match.EventEnd:
			known += waiting[place{e.Worker, *e.Slot}]
			delete(waiting, place{e.Worker, *e.Slot})
		case match.EventSeat:
			delete(waiting, place{e.Worker, *e.Slot})
		}
		e.Seq -= dropped[e.Worker]
		kept = append(kept, e)
	}
	return kept, known
}

// TestDroppedMovesAreRepaired: without some move events every count is the same. Each board is right after the next
// move or end of its game.
func TestDroppedMovesAreRepaired(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sent := played(t).events
		kept, missed := withoutMoves(t, sent)
		whole, state := stateOf(sent).Snapshot(), events.NewState("run")
		for _, e := range kept {
			state.Apply(e)
			if e.Type != match.EventMove && e.Type != match.EventEnd {
				continue
			}
			now := state.Snapshot()
			i := slices.IndexFunc(now.Slots, func(s match.SlotState) bool { return s.Worker == e.Worker && s.Slot == *e.Slot })
			if i < 0 && *e.Slot >= now.Wanted { // the slot was removed
				continue
			}
			board := now.Slots[i].Board
			if board.Position != e.Position || replayed(t, board) != e.Position || board.Ply != max(e.Ply, e.Plies) {
				t.Fatalf("after %s\nthe board is %s", text(t, e), text(t, board))
			}
		}
		now := state.Snapshot()
		if now.Missed != missed || now.Lost != 0 || state.Ignored() != 0 {
			t.Fatalf("missed %d, want %d; lost %d, ignored %d", now.Missed, missed, now.Lost, state.Ignored())
		}
		now.Missed, now.Slots, whole.Slots, now.Numbers, whole.Numbers = 0, nil, nil, nil, nil
		now.Latest = whole.Latest
		now.Recent, whole.Recent = nil, nil // they depend on the latest time stamp
		testutil.Diff(t, text(t, whole), text(t, now))
	})
}

// replayed returns the position after the moves of a board.
func replayed(t *rapid.T, b *match.Board) string {
	s := events.NewState("run")
	zero := 0
	s.Apply(match.Event{
		V: match.EventVersion, Run: "run", Seq: 1, Time: began, Type: match.EventGame, Pair: &zero, Leg: &zero, Slot: &zero,
		GameHead: match.GameHead{Start: b.Start, Moves: b.Moves},
	})
	slots := s.Snapshot().Slots
	testutil.Require(t, len(slots) == 1, "%d slots", len(slots))
	return slots[0].Board.Position
}

// TestLostEventsAreCountedAndMended: the number of lost events is counted, and the next state event restores the state.
func TestLostEventsAreCountedAndMended(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sent := played(t).events
		state, all := events.NewState("run"), events.NewState("run")
		lost, waiting := uint64(0), map[string]uint64{}
		for i, e := range sent {
			all.Apply(e)
			if i > 0 && rapid.IntRange(0, 3).Draw(t, "lose") == 0 {
				waiting[e.Worker]++
				continue
			}
			lost += waiting[e.Worker]
			waiting[e.Worker] = 0
			state.Apply(e)
		}
		if got := state.Snapshot(); got.Lost != lost || state.Ignored() != 0 {
			t.Fatalf("lost %d, want %d; ignored %d", got.Lost, lost, state.Ignored())
		}
		state.Apply(all.Event())
		testutil.Diff(t, text(t, all.Snapshot()), text(t, state.Snapshot()))
	})
}

func number(n int) *int { return &n }

// told returns the events with numbers, as those of one process, one second apart.
func told(sent ...match.Event) []match.Event {
	for i := range sent {
		e := &sent[i]
		e.V, e.Run, e.Seq, e.Time = match.EventVersion, "run", uint64(i+1), began.Add(time.Duration(i)*time.Second)
	}
	return sent
}

func onBoard(kind match.EventType, more func(*match.Event)) match.Event {
	e := match.Event{Type: kind, Pair: number(0), Leg: number(0), Slot: number(0)}
	if more != nil {
		more(&e)
	}
	return e
}

// TestMovesThatDoNotFit: after a bad position, or an illegal move without a position, the state has no position of the
// board. The next event with a position restores it.
func TestMovesThatDoNotFit(t *testing.T) {
	const after = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"
	begin := onBoard(match.EventGame, func(e *match.Event) { e.Start = hirate })
	move := func(ply int, text, position string) match.Event {
		return onBoard(match.EventMove, func(e *match.Event) { e.Ply, e.Move, e.Position = ply, text, position })
	}
	for name, test := range map[string]struct {
		events                 []match.Event
		position, start, moves string
		missed                 int
	}{
		"fits":               {[]match.Event{begin, move(1, "7g7f", after)}, after, hirate, "7g7f", 0},
		"needs no position":  {[]match.Event{begin, move(1, "7g7f", "")}, after, hirate, "7g7f", 0},
		"illegal":            {[]match.Event{begin, move(1, "7g7e", "")}, "", hirate, "", 0},
		"illegal, repaired":  {[]match.Event{begin, move(1, "7g7e", after)}, after, after, "", 0},
		"no move at all":     {[]match.Event{begin, move(1, "resign", "hello")}, "", hirate, "", 0},
		"later repaired":     {[]match.Event{begin, move(1, "7g7e", ""), move(2, "x", after)}, after, after, "", 0},
		"legal on a bad one": {[]match.Event{begin, move(1, "7g7e", ""), move(2, "7g7f", "")}, "", hirate, "", 0},
		"two missing":        {[]match.Event{begin, move(3, "7g7f", after)}, after, after, "", 2},
		"again":              {[]match.Event{begin, move(1, "7g7f", after), move(1, "3c3d", after)}, after, after, "", 0},
		"of an unknown game": {[]match.Event{move(9, "7g7f", after)}, after, after, "", 0},
		"a start that is bad": {[]match.Event{onBoard(match.EventGame, func(e *match.Event) { e.Start = "x" })}, "", "x", "",
			0},
		"an opening that is bad": {[]match.Event{onBoard(match.EventGame, func(e *match.Event) {
			e.Start, e.Moves = hirate, "7g7f 7g7f"
		})},
			"", hirate, "7g7f", 0},
		"of a game that is over": {[]match.Event{begin, onBoard(match.EventEnd, func(e *match.Event) { e.Outcome = "draw" }),
			move(1, "7g7f", after)},
			after, after, "", 0},
		"the end repairs": {[]match.Event{begin,
			onBoard(match.EventEnd, func(e *match.Event) { e.Plies, e.Position = 1, after })}, after, after, "", 1},
		"the end of an unknown game": {[]match.Event{onBoard(match.EventEnd, func(e *match.Event) {
			e.Plies, e.Position = 1, after
		})},
			after, after, "", 0},
	} {
		state := stateOf(told(test.events...))
		now := state.Snapshot()
		b := now.Slots[0].Board
		// no opening
		if b.Position != test.position || b.Start != test.start || b.Moves != test.moves || now.Missed != test.missed ||
			b.Plies != 0 {
			t.Errorf("%s: missed %d, board %s", name, now.Missed, text(t, b))
		}
		again := events.NewState("")
		again.Apply(reread(t, state.Event()))
		testutil.Diff(t, text(t, now), text(t, again.Snapshot()), "%s", name)
	}
}

// TestIncompleteEvents: incomplete events are counted as ignored, and change nothing.
func TestIncompleteEvents(t *testing.T) {
	state := events.NewState("run")
	kinds := []match.EventType{match.EventSeat, match.EventGame, match.EventMove, match.EventBoard, match.EventEnd,
		match.EventCut, match.EventPair, match.EventState, "later"}
	for _, kind := range kinds {
		state.Apply(match.Event{V: match.EventVersion, Run: "run", Seq: 1, Time: began, Type: kind})
	}
	state.Apply(match.Event{V: match.EventVersion, Run: "run", Time: began, Type: match.EventRun}) // no number
	if state.Ignored() != uint64(len(kinds)+1) || len(state.Snapshot().Slots) > 0 || len(state.Snapshot().Numbers) > 0 {
		t.Errorf("ignored %d, %s", state.Ignored(), text(t, state.Snapshot()))
	}
}

// TestVoidedPairsDoNotCount: a pair that is played again counts once, even if its other play was stored.
func TestVoidedPairsDoNotCount(t *testing.T) {
	end := func(worker string, leg int, outcome string) match.Event {
		return match.Event{
			Type: match.EventEnd, Worker: worker, Pair: number(0), Leg: number(leg), Slot: number(0),
			GameHead: match.GameHead{Black: "A", White: "B"},
			Outcome:  outcome, Termination: "resignation", Points: &[2]float64{1, 0}, Marked: true,
		}
	}
	run := match.Event{Type: match.EventRun, Pairs: 1, Games: 2, Slots: 1}
	unplayed := match.Event{Type: match.EventFault, Kind: match.KindUnplayed, Pair: number(0), Slot: number(0)}
	pair := match.Event{Type: match.EventPair, Pair: number(0)}
	for name, test := range map[string]struct {
		events            []match.Event
		counted, unstored int
		unseen, marked    int
	}{
		"played again": {[]match.Event{run, end("", 0, "black"), end("", 1, "black"), unplayed, end("", 0, "white"),
			end("", 1, "white"), pair}, 2, 0, 0, 4},
		"begun again": {[]match.Event{run, end("", 0, "black"), end("", 1, "black"), onBoard(match.EventGame, nil),
			end("", 0, "white"), pair}, 1, 0, 1, 3},
		"cut":            {[]match.Event{run, end("", 0, "black"), onBoard(match.EventCut, nil)}, 0, 0, 0, 1},
		"not yet":        {[]match.Event{run, end("", 0, "black")}, 0, 1, 0, 1},
		"told twice":     {[]match.Event{run, end("", 0, "black"), end("", 0, "black")}, 0, 1, 0, 2},
		"never, at last": {[]match.Event{run, end("", 0, "black"), {Type: match.EventDone}}, 0, 0, 0, 1},
	} {
		now := stateOf(told(test.events...)).Snapshot()
		if now.Standings.Total() != test.counted || len(now.Unstored) != test.unstored || now.Unseen != test.unseen ||
			now.Marked != test.marked {
			t.Errorf("%s: %s", name, text(t, now))
		}
	}

	twice := told(run, end("w", 0, "black"), end("v", 0, "white"), end("w", 1, "black"),
		match.Event{Type: match.EventPair, Worker: "w", Pair: number(0)})
	twice[1].Seq, twice[2].Seq, twice[3].Seq, twice[4].Seq = 1, 1, 2, 3
	now := stateOf(twice).Snapshot()
	if a := now.Standings.Of("A")[shogi.Black]; a.Wins != 2 || a.Losses != 0 || len(now.Unstored) != 0 ||
		now.Finished != 1 {
		t.Errorf("two workers: %s", text(t, now))
	}
}

// TestResumedRunBeginsAnew: the run event of the next session has the counts of the stored games.
func TestResumedRunBeginsAnew(t *testing.T) {
	first := told(match.Event{Type: match.EventRun, Slots: 3}, onBoard(match.EventGame, nil),
		match.Event{Type: match.EventFault, Kind: "crash"})
	end := match.GameEnd{GameView: match.GameView{Black: "A", White: "B", Outcome: "draw", Termination: "repetition"}}
	stored := match.Standings{Games: []match.GameCount{{GameEnd: end, Games: 8}}}
	second := told(match.Event{Type: match.EventRun, Slots: 1, Pairs: 9, Finished: number(4), Standings: &stored})
	second[0].Time = began.Add(time.Hour)
	state := stateOf(append(first, second...))
	testutil.Diff(t, text(t, stateOf(second).Snapshot()), text(t, state.Snapshot()))
	if now := state.Snapshot(); now.Finished != 4 || now.Standings.Total() != 8 || len(now.Slots) != 1 {
		t.Errorf("%s", text(t, now))
	}
	state.Apply(first[0])
	state.Apply(stateOf(first).Event())
	testutil.Check(t, state.Ignored() == 2 && state.Snapshot().Finished == 4, "an old session is taken for a new one")
}

// TestWhatTheEndLeaves: the end leaves the store's own count and the boards of the games that ended. A game in play
// does not count and is removed.
func TestWhatTheEndLeaves(t *testing.T) {
	over := onBoard(match.EventEnd, func(e *match.Event) { e.Outcome = "draw" })
	playing := onBoard(match.EventGame, func(e *match.Event) { e.Slot = number(1) })
	done := match.Event{Type: match.EventDone, Finished: number(5), Dropped: 7}
	now := stateOf(told(match.Event{Type: match.EventRun, Slots: 2}, onBoard(match.EventGame, nil), over,
		onBoard(match.EventCut, nil), playing, done)).Snapshot()
	if now.Finished != 5 || now.Dropped != 7 || !now.Over {
		t.Errorf("%s", text(t, now))
	}
	if ended, cut := now.Slots[0], now.Slots[1]; ended.Board == nil || cut.Board != nil || cut.Phase != match.SlotIdle {
		t.Errorf("%s", text(t, now.Slots))
	}
}

// TestRateIsOfStamps: the rate counts the games that ended in ten minutes by their time stamps. It does not use the
// clock.
func TestRateIsOfStamps(t *testing.T) {
	state := events.NewState("run")
	seq := uint64(0)
	apply := func(at time.Duration, e match.Event) {
		seq++
		e.V, e.Run, e.Seq, e.Time = match.EventVersion, "run", seq, began.Add(at)
		state.Apply(e)
	}
	apply(0, match.Event{Type: match.EventRun})
	for i := range 30 * 6 { // one each ten seconds, for half an hour
		apply(time.Duration(i)*10*time.Second+time.Second, onBoard(match.EventEnd, nil))
	}
	now := state.Snapshot()
	if games, pairs, ok := now.Rate(); !ok || len(now.Recent) != 60 || games < 5.9 || games > 6.1 || pairs != 0 {
		t.Errorf("%v games and %v pairs a minute from %d spans", games, pairs, len(now.Recent))
	}
	apply(30*time.Minute, match.Event{Type: match.EventPair, Pair: number(0)})
	now = state.Snapshot()
	if last := now.Recent[len(now.Recent)-1]; last.Pairs != 1 || last.Games != 0 ||
		!last.From.Equal(began.Add(30*time.Minute).Truncate(10*time.Second)) {
		t.Errorf("the last span is %+v", last)
	}
	apply(20*time.Minute, match.Event{Type: match.EventFault, Kind: "crash"}) // by a clock that was set back
	if now = state.Snapshot(); !now.Latest.Equal(began.Add(30 * time.Minute)) {
		t.Errorf("time went back to %v", now.Latest)
	}
	apply(2*time.Hour, match.Event{Type: match.EventFault, Kind: "crash"})
	if now = state.Snapshot(); len(now.Recent) > 0 {
		t.Errorf("an hour later: %+v", now.Recent)
	}
}

// TestTuneEvents: the state has the data of tune events, also for a late subscriber, and counts nothing twice.
func TestTuneEvents(t *testing.T) {
	lost := 12.5
	told := told(
		match.Event{Type: match.EventRun, Pairs: 8, Games: 16},
		match.Event{Type: match.EventTune,
			Tune: &match.TuneSetup{Method: "spsa", Blocks: 4, Params: []match.TuneParam{{Name: "X"}},
				Track: match.TuneTrack{Every: 1, Latest: 1, Points: map[int]match.TunePoint{1: {Pairs: 2}}}}},
		match.Event{Type: match.EventBlock, Block: 2, Pairs: 4, Theta: []float64{41.5}, Spread: 1.25, LostElo: &lost,
			Equal: 3},
		match.Event{Type: match.EventBlock, Block: 2, Pairs: 4, Theta: []float64{99}, Spread: 1},
		match.Event{Type: match.EventBlock, Block: 3, Pairs: 6, Theta: []float64{1, 2}},
		match.Event{Type: match.EventForfeit, Pair: number(5), Note: "no"},
		match.Event{Type: match.EventPair, Pair: number(5), Kind: match.TuneForfeit},
		match.Event{Type: match.EventCandidate, Values: map[string]string{"X": "42"}},
		match.Event{Type: match.EventValidation, Validation: "v"},
	)
	state := stateOf(told)
	late := events.NewState("run")
	late.Apply(state.Event())
	for _, s := range []*events.State{state, late} {
		now := s.Snapshot()
		p, ok := now.Tune.Now()
		if !ok || p.Pairs != 4 || p.Theta[0] != 41.5 || p.Spread != 1.25 || *p.LostElo != lost || p.Equal != 3 ||
			len(now.Tune.Track.Points) != 2 {
			t.Errorf("%+v", now.Tune)
		}
		if now.Tune.Forfeits != 1 || now.Tune.Candidate["X"] != "42" || len(now.Tune.Validations) != 1 || now.Finished != 1 ||
			now.Unseen != 0 {
			t.Errorf("%+v, %d finished, %d unseen", now.Tune, now.Finished, now.Unseen)
		}
	}
	held := state.Snapshot()
	more := match.Event{V: match.EventVersion, Run: "run", Seq: 10, Time: told[8].Time, Type: match.EventBlock, Block: 3,
		Pairs: 6, Theta: []float64{40}}
	state.Apply(more)
	testutil.Check(t, state.Snapshot().Tune.Track.Latest == 3 && held.Tune.Track.Latest == 2 &&
		len(held.Tune.Track.Points) == 2,
		"a snapshot changes with its state")
	alone := stateOf(told[2:3]).Snapshot()
	testutil.Check(t, alone.Tune == nil, "a block of an unknown tune makes one")
}
