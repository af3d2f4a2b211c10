package web

import (
	"errors"
	"html/template"
	"net/http"

	"gogi/internal/i18n"
	"gogi/match"
	"gogi/report"
	"gogi/report/html"
	"gogi/report/stored"
	"gogi/results"
	"gogi/runner/events"
	"gogi/ui/words"
)

// runBody is the page of a run.
type runBody struct {
	Report   *report.Report
	Live     *match.Snapshot // nil: nobody plays it now
	State    stored.State    // of a run that nobody plays
	Boards   livePage        // what is being played
	Sections template.HTML
	Curve    []html.CurvePoint
	History  *historyChart // of the gate's log likelihood ratio; nil: there is no gate
	Settings []results.Setting
	Slowed   string
	Warnings []i18n.Message // of the session that plays it
}

// runPage shows a run: the whole report, its gate's way, and the log of its settings.
func (s *Server) runPage(w http.ResponseWriter, r *http.Request) error {
	info, err := s.runOf(r)
	if err != nil {
		return err
	}
	switch why := stored.Proves(info); {
	case errors.Is(why, stored.ErrTune):
		return s.tunePage(w, r, info)
	case errors.Is(why, stored.ErrSelfplay):
		return s.selfplayPage(w, r, info)
	}
	made, err := s.sheets.of(lasting(r), s, info)
	if err != nil {
		return err
	}
	settings, err := s.config.Store.Settings(r.Context(), info.ID)
	if err != nil {
		return err
	}
	in := languageOf(r)
	body := runBody{
		Report: made.report, Sections: made.html[in], Curve: made.seen.Curve(), Settings: settings,
		History: newHistory(made.report.Gate, made.seen.Curve()), Slowed: made.report.Slowed().In(in),
		State: stored.ReportState(made.report, settings),
	}
	if hub := s.playing(info.Name); hub != nil {
		body.Boards = s.liveRun(r, info.Name, hub)
		body.Boards.few()
		body.Live = body.Boards.State
		body.Warnings = warned(body.Live.Warnings)
	}
	s.show(w, r, "run", s.runFrame(r, info, "", body))
	return nil
}

// playing is the hub of a run's session, nil where nobody plays it now.
func (s *Server) playing(run string) *events.Hub {
	if hub := s.config.Live.Hub(run); hub != nil && !isOver(hub) {
		return hub
	}
	return nil
}

// warned are the warnings of a session; what may name a path is for holders of the token.
func warned(given []match.WarningGiven) []i18n.Message {
	var all []i18n.Message
	for _, w := range given {
		w.Note = masked(w.Note)
		all = append(all, words.Warned(w))
	}
	return all
}

// runsJSON is what "gogi runs --json" prints.
func (s *Server) runsJSON(w http.ResponseWriter, r *http.Request) error {
	list, err := stored.Runs(r.Context(), s.config.Store)
	if err != nil {
		return err
	}
	return asJSON(w, list)
}

// runJSON is what "gogi report --json" prints.
func (s *Server) runJSON(w http.ResponseWriter, r *http.Request) error {
	info, err := s.runOf(r)
	if err != nil {
		return err
	}
	made, err := s.sheets.of(lasting(r), s, info)
	if err != nil {
		return err
	}
	return asJSON(w, made.report)
}

// gamesJSON is what "gogi games --json" prints.
func (s *Server) gamesJSON(w http.ResponseWriter, r *http.Request) error {
	info, err := s.runOf(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	return stored.WriteGames(r.Context(), w, s.config.Store, info)
}
