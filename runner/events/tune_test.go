package events_test

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner/events"
)

// TestTuneEvents: the state has the data of tune events, also for a late subscriber, and counts nothing twice.
func TestTuneEvents(t *testing.T) {
	lost := 12.5
	told := told(
		match.Event{Type: match.EventRun, Pairs: 8, Games: 16},
		match.Event{Type: match.EventTune, Tune: &match.TuneSetup{Method: "spsa", Blocks: 4, Params: []match.TuneParam{{Name: "X"}}, Track: match.TuneTrack{Every: 1, Latest: 1, Points: map[int]match.TunePoint{1: {Pairs: 2}}}}},
		match.Event{Type: match.EventBlock, Block: 2, Pairs: 4, Theta: []float64{41.5}, Spread: 1.25, LostElo: &lost, Equal: 3},
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
		if !ok || p.Pairs != 4 || p.Theta[0] != 41.5 || p.Spread != 1.25 || *p.LostElo != lost || p.Equal != 3 || len(now.Tune.Track.Points) != 2 {
			t.Errorf("%+v", now.Tune)
		}
		if now.Tune.Forfeits != 1 || now.Tune.Candidate["X"] != "42" || len(now.Tune.Validations) != 1 || now.Finished != 1 || now.Unseen != 0 {
			t.Errorf("%+v, %d finished, %d unseen", now.Tune, now.Finished, now.Unseen)
		}
	}
	held := state.Snapshot()
	more := match.Event{V: match.EventVersion, Run: "run", Seq: 10, Time: told[8].Time, Type: match.EventBlock, Block: 3, Pairs: 6, Theta: []float64{40}}
	state.Apply(more)
	testutil.Check(t, state.Snapshot().Tune.Track.Latest == 3 && held.Tune.Track.Latest == 2 && len(held.Tune.Track.Points) == 2,
		"a snapshot changes with its state")
	alone := stateOf(told[2:3]).Snapshot()
	testutil.Check(t, alone.Tune == nil, "a block of an unknown tune makes one")
}
