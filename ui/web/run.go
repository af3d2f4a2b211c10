package web

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"

	"gogi/internal/i18n"
	"gogi/match"
	"gogi/report"
	"gogi/report/html"
	"gogi/report/stored"
	"gogi/report/tuning"
	"gogi/results"
	"gogi/runner/events"
	"gogi/ui/words"
)

// runBody is the data for the page of a run.
type runBody struct {
	Report   *report.Report
	Live     *match.Snapshot // nil: the run is not in play
	State    stored.State    // for a run that is not in play
	Boards   livePage        // the games in play
	Sections template.HTML
	Curve    []html.CurvePoint
	History  *historyChart // log likelihood ratio of the SPRT; nil: the run has no SPRT
	Settings []results.Setting
	Slowed   string
	Warnings []i18n.Message // warnings of the session in play
}

// runPage shows a run: the whole report, the course of its SPRT, and the log of its settings.
func (s *Server) runPage(w http.ResponseWriter, r *http.Request, info *results.RunInfo) error {
	switch why := stored.Proves(info); {
	case errors.Is(why, stored.ErrTune):
		return s.tunePage(w, r, info)
	case errors.Is(why, stored.ErrSelfplay):
		s.show(w, r, "selfplay", s.runFrame(r, info, "", tuneBody{Boards: s.fewBoards(r, info.Name)}))
		return nil
	}
	made, err := s.sheets.of(lasting(r), s, info)
	if err != nil {
		return err
	}
	settings, err := s.config.Store.Settings(r.Context(), info.ID)
	if err != nil {
		return err
	}
	in, curve := languageOf(r), made.seen.Curve()
	body := runBody{
		Report: made.report, Sections: made.html[in], Curve: curve, Settings: settings,
		History: newHistory(made.report.Gate, curve), Slowed: made.report.Slowed().In(in),
		State: stored.ReportState(made.report, settings), Boards: s.fewBoards(r, info.Name),
	}
	if body.Live = body.Boards.State; body.Live != nil {
		body.Warnings = warned(body.Live.Warnings)
	}
	s.show(w, r, "run", s.runFrame(r, info, "", body))
	return nil
}

// playing returns the hub of the session that plays a run, nil without one.
func (s *Server) playing(run string) *events.Hub {
	if hub := s.config.Live.Hub(run); hub != nil && !isOver(hub) {
		return hub
	}
	return nil
}

// warned returns the warnings of a session. It hides notes that may name a path, also from holders of the token.
func warned(given []match.WarningGiven) []i18n.Message {
	var all []i18n.Message
	for _, w := range given {
		w.Note = masked(w.Note)
		all = append(all, words.Warned(w))
	}
	return all
}

// runsJSON answers with the output of "gogi runs --json".
func (s *Server) runsJSON(w http.ResponseWriter, r *http.Request) error {
	list, err := stored.Runs(r.Context(), s.config.Store)
	if err != nil {
		return err
	}
	return asJSON(w, list)
}

// runJSON answers with the output of "gogi report --json".
func (s *Server) runJSON(w http.ResponseWriter, r *http.Request, info *results.RunInfo) error {
	made, err := s.sheets.of(lasting(r), s, info)
	if err != nil {
		return err
	}
	return asJSON(w, made.report)
}

// gamesJSON answers with the output of "gogi games --json".
func (s *Server) gamesJSON(w http.ResponseWriter, r *http.Request, info *results.RunInfo) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	return stored.WriteGames(r.Context(), w, s.config.Store, info)
}

// tuneBody is the data for the page of a tune, or of self-play without a report. Neither has a strength.
type tuneBody struct {
	Boards livePage // the games in play
	Report template.HTML
	Judges []string // runs that validate its candidates
}

// tunePage shows a tune.
func (s *Server) tunePage(w http.ResponseWriter, r *http.Request, info *results.RunInfo) error {
	made, err := s.tunes.made(lasting(r), s, info, s.newTuneSheet)
	if err == nil {
		body := tuneBody{s.fewBoards(r, info.Name), made.html[languageOf(r)], made.judges}
		s.show(w, r, "tune", s.runFrame(r, info, "", body))
	}
	return err
}

// newTuneSheet makes the report of a tune in all languages.
func (s *Server) newTuneSheet(ctx context.Context, info *results.RunInfo) (*sheet, error) {
	a, err := tuning.Read(ctx, s.config.Store, info, tuning.Latest)
	if err != nil {
		return nil, err
	}
	made := &sheet{html: map[language]template.HTML{}}
	for _, in := range []language{english, japanese} {
		made.html[in] = template.HTML(strings.Map(visible, tuning.Body(in, a, nil))) //nolint:gosec // it escapes every text
	}
	for _, c := range a.Candidates {
		made.judges = append(made.judges, tuning.ValidationRuns(a.Plan, c.Run)...)
	}
	return made, nil
}

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
