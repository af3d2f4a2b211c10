package web

import (
	"net/http"
	"slices"

	"gogi/match"
	"gogi/results"
)

// runRow is a run on the first page.
type runRow struct {
	results.RunInfo
	Live *match.Snapshot // nil: nobody plays it now
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
		rows = append(rows, row)
	}
	s.show(w, r, "runs", frame{Title: s.speaker(r)("Runs"), Page: rows})
}
