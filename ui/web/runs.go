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
	Live  *match.Snapshot // nil: nobody plays it now
	State stored.State    // where nobody does
}

// runsPage lists the runs, the latest first.
func (s *Server) runsPage(w http.ResponseWriter, r *http.Request) {
	runs, err := s.config.Store.Runs(r.Context())
	if err != nil {
		s.failed(w, r, err)
		return
	}
	rows := make([]runRow, 0, len(runs))
	for _, run := range slices.Backward(runs) {
		row := runRow{RunInfo: run}
		if hub := s.config.Live.Hub(run.Name); hub != nil {
			row.Live = hub.State().State
		}
		if row.Live == nil {
			if row.State, err = s.states.of(lasting(r), s.config.Store, &run); err != nil {
				s.failed(w, r, err)
				return
			}
		}
		rows = append(rows, row)
	}
	s.show(w, r, "runs", frame{Title: s.speaker(r)("Runs"), Page: rows})
}

// states are those of stored runs, each read once as long as nothing of the run changes:
// the pairs of a run with a gate are read for it.
type states struct {
	mu    sync.Mutex
	known map[int64]stateKnown // by the run's ID
}

type stateKnown struct {
	stamp results.Stamp
	state stored.State
}

// of is the state of a run.
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
