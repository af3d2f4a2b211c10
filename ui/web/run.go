package web

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"strings"

	"gogi/internal/i18n"
	"gogi/match"
	"gogi/report"
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
	Settings []results.Setting
	Slowed   string         // note if the machine delayed moves in most pairs; "": no note
	Warnings []i18n.Message // warnings of the session in play
}

// runPage shows a run: the whole report, the course of its SPRT, and the log of its settings.
func (s *Server) runPage(w http.ResponseWriter, r *http.Request, info *results.RunInfo) error {
	switch why := stored.Proves(info); {
	case errors.Is(why, stored.ErrTune):
		return s.tunePage(w, r, info)
	case errors.Is(why, stored.ErrSelfplay):
		s.show(w, r, "selfplay", s.runFrame(r, info, "", tuneBody{Boards: livePages{s}.fewBoards(r, info.Name)}))
		return nil
	}
	made, err := s.sheetSoon(r, info)
	if errors.Is(err, errNotYet) {
		w.Header().Set("Refresh", "2")
		s.show(w, r, "pending", s.runFrame(r, info, "", nil))
		return nil
	}
	if err != nil {
		return err
	}
	settings, err := s.config.Store.Settings(r.Context(), info.ID)
	if err != nil {
		return err
	}
	in := languageOf(r)
	body := runBody{
		Report: made.report, Sections: made.html[in], Settings: settings, Slowed: made.report.Slowed().In(in),
		State: stored.ReportState(made.report, settings), Boards: livePages{s}.fewBoards(r, info.Name),
	}
	if body.Live = body.Boards.State; body.Live != nil {
		body.Warnings = warned(body.Live.Warnings)
	}
	s.show(w, r, "run", s.runFrame(r, info, "", body))
	return nil
}

// longRun is the number of pairs from which a page does not wait for the report of a run.
const longRun = 20_000

// sheetSoon returns the report of a run. For a long run whose report is not ready soon it returns errNotYet.
func (s *Server) sheetSoon(r *http.Request, info *results.RunInfo) (*sheet, error) {
	if info.Finished < longRun {
		return s.sheets.of(lasting(r), s, info)
	}
	ctx, end := context.WithTimeout(r.Context(), s.listTime)
	defer end()
	return s.sheets.soon(ctx, s, info, s.newSheet)
}

// playing returns the hub of the session that plays a run, or nil if no session plays it.
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

// runsJSON sends the JSON that "gogi runs --json" prints.
func (s *Server) runsJSON(w http.ResponseWriter, r *http.Request) error {
	list, err := stored.Runs(r.Context(), s.config.Store, r.URL.Query().Get("tag"), s.config.Live.Runs())
	if err != nil {
		return err
	}
	return asJSON(w, list)
}

// runJSON sends the JSON that "gogi report --json" prints.
func (s *Server) runJSON(w http.ResponseWriter, r *http.Request, info *results.RunInfo) error {
	made, err := s.sheets.of(lasting(r), s, info)
	if err != nil {
		return err
	}
	return asJSON(w, made.report)
}

// gamesJSON sends the JSON that "gogi games --json" prints.
func (s *Server) gamesJSON(w http.ResponseWriter, r *http.Request, info *results.RunInfo) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	return stored.WriteGames(r.Context(), w, s.config.Store, info, s.noteFor(r))
}

// tuneBody is the data for the page of a tune, or of self-play. Both have no report of a strength.
type tuneBody struct {
	Boards livePage // the games in play
	Report template.HTML
	Judges []judge // runs that validate its candidates
}

// judge is a run that validates a candidate of a tune.
type judge struct {
	Name  string
	State i18n.Message
	Class string
	Line  template.HTML // its result; "": not begun, or not read yet
}

// judges returns the runs that validate a tune, with their results so far.
func (s *Server) judges(r *http.Request, names []string) (list []judge, err error) {
	ctx, end := context.WithTimeout(r.Context(), s.listTime)
	defer end()
	for _, name := range names {
		one := judge{Name: name, State: i18n.Of("not begun")}
		row, err := runList{s}.rowNamed(ctx, name)
		if _, none := errors.AsType[*results.NoRun](err); err != nil && !none {
			return nil, err
		}
		if err == nil {
			one.State, one.Class = row.State, row.Class
		}
		if err == nil && row.Glance != nil {
			line, err := row.Glance.Line(voiceOf(r).Words)
			if err != nil {
				return nil, err
			}
			one.Line = seen(line)
		}
		list = append(list, one)
	}
	return list, nil
}

func (s *Server) tunePage(w http.ResponseWriter, r *http.Request, info *results.RunInfo) error {
	made, err := s.tunes.made(lasting(r), s, info, s.newTuneSheet)
	if err != nil {
		return err
	}
	body := tuneBody{Boards: livePages{s}.fewBoards(r, info.Name), Report: made.html[languageOf(r)]}
	if body.Judges, err = s.judges(r, made.judges); err == nil {
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
	made := &sheet{html: map[language]template.HTML{}, now: map[language]nowParts{}}
	for _, in := range []language{english, japanese} {
		made.html[in] = template.HTML(strings.Map(visible, tuning.Body(in, a, nil))) // it escapes every text
		made.now[in] = nowParts{Course: template.HTML(strings.Map(visible, tuning.Course(in, a)))}
	}
	for _, c := range a.Candidates {
		made.judges = append(made.judges, tuning.ValidationRuns(a.Plan, c.Run)...)
	}
	return made, nil
}
