package web

import (
	"context"
	"html/template"
	"net/http"
	"strings"

	"gogi/report/tuning"
	"gogi/results"
)

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
