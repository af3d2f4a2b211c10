package web

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"gogi/match"
	"gogi/report/stored"
	"gogi/results"
)

// runRow is a run on the first page.
type runRow struct {
	results.RunInfo
	Live  *match.Snapshot // nil: the run is not in play
	State stored.State    // for a run that is not in play
}

// runsPage lists the runs, the latest first.
func (s *Server) runsPage(w http.ResponseWriter, r *http.Request) {
	runs, err := s.config.Store.Runs(r.Context())
	rows := make([]runRow, 0, len(runs))
	for _, run := range slices.Backward(runs) {
		row := runRow{RunInfo: run}
		if hub := s.config.Live.Hub(run.Name); hub != nil {
			row.Live = hub.State().State
		}
		if row.Live == nil && err == nil {
			row.State, err = s.states.of(lasting(r), s.config.Store, &run)
		}
		rows = append(rows, row)
	}
	if err != nil {
		s.failed(w, r, err)
		return
	}
	s.show(w, r, "runs", frame{Title: voiceOf(r).Say("Runs"), Page: rows})
}

// states is a cache of the states of stored runs. For a run with an SPRT a state needs all its pairs, so each
// is calculated once until the run changes.
type states struct {
	mu    sync.Mutex
	known map[int64]stateKnown // by the run's ID
}

type stateKnown struct {
	stamp results.Stamp
	state stored.State
}

// of returns the state of a run.
func (k *states) of(ctx context.Context, store *results.Store, info *results.RunInfo) (stored.State, error) {
	stamp, err := store.Stamp(ctx, info.ID)
	if err != nil {
		return "", err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if had, ok := k.known[info.ID]; ok && had.stamp == stamp {
		return had.state, nil
	}
	state, err := stored.StateOf(ctx, store, info)
	if err != nil {
		return "", err
	}
	if k.known == nil {
		k.known = map[int64]stateKnown{}
	}
	k.known[info.ID] = stateKnown{stamp, state}
	return state, nil
}
