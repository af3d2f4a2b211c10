package web

import (
	"context"
	"html/template"
	"net/http"
	"strings"
	"time"

	"gogi/report/tuning"
	"gogi/results"
)

// tuneBody is the page of a run that is a tune: what is known of it, and no strength.
type tuneBody struct {
	Boards livePage // what is being played
	Report template.HTML
	Judges []string // runs that judge its answers
}

// tunePage shows a tune.
func (s *Server) tunePage(w http.ResponseWriter, r *http.Request, info *results.RunInfo) error {
	made, err := s.tunes.made(lasting(r), s, info, s.newTuneSheet)
	if err != nil {
		return err
	}
	body := tuneBody{Report: made.html[languageOf(r)], Judges: made.judges}
	if hub := s.playing(info.Name); hub != nil {
		body.Boards = s.liveRun(r, info.Name, hub)
		body.Boards.few()
	}
	s.show(w, r, "tune", s.runFrame(r, info, "", body))
	return nil
}

// newTuneSheet makes the report of a tune in all languages.
func (s *Server) newTuneSheet(ctx context.Context, info *results.RunInfo) (*sheet, error) {
	begun := time.Now()
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
	made.made = time.Now()
	made.took = made.made.Sub(begun)
	return made, nil
}
