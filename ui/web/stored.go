package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"gogi/internal/format"
	"gogi/report/html"
	"gogi/report/stored"
	"gogi/results"
)

// storedRoutes are those of what is stored.
func (s *Server) storedRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /assets/report.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write([]byte(html.Style())) // a reader that is gone misses nothing
	})
	for path, answer := range map[string]func(http.ResponseWriter, *http.Request) error{
		"/r/{run}":          s.runPage,
		"/r/{run}/games":    s.gamesPage,
		"/r/{run}/g/{game}": s.gamePageOrFile,
		"/r/{run}/openings": s.openingsPage,
		"/r/{run}/time":     s.timePage,
		"/r/{run}/faults":   s.faultsPage,
		"/r/{run}/votes":    s.votesPage,
		"/compare":          s.comparePage,
		"/engines":          s.enginesPage,
		"/ratings":          s.ratingsPage,
		"/":                 s.nothingHere,
	} {
		mux.HandleFunc("GET "+path, s.answered(answer))
	}
	for path, answer := range map[string]func(http.ResponseWriter, *http.Request) error{
		"runs":             s.runsJSON,
		"runs/{run}":       s.runJSON,
		"runs/{run}/games": s.gamesJSON,
	} {
		mux.HandleFunc("GET /api/v1/"+path, s.answeredPlainly(answer))
	}
}

// missing says that what was asked for is not there, and what is.
type missing struct {
	What  string // a phrase with %s
	Name  string
	There []crumb
}

func (m *missing) Error() string { return fmt.Sprintf(m.What, m.Name) }

// badQuery says what is wrong with a query.
type badQuery struct{ err error }

func (b *badQuery) Error() string { return b.err.Error() }

// answered is a handler for people: an error becomes a page that says so.
func (s *Server) answered(answer func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := answer(w, r)
		if err == nil || r.Context().Err() != nil {
			return
		}
		status, said := s.judged(err)
		if status == http.StatusInternalServerError {
			s.failed(w, r, err)
			return
		}
		title := s.speaker(r)("Not found")
		if status == http.StatusBadRequest {
			title = s.speaker(r)("That cannot be asked")
		}
		s.showAs(w, r, status, "missing", frame{Title: title, Page: said})
	}
}

// answeredPlainly is a handler for programs: an error is a line of text.
func (s *Server) answeredPlainly(answer func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := answer(w, r)
		if err == nil || r.Context().Err() != nil {
			return
		}
		status, said := s.judged(err)
		if status == http.StatusInternalServerError {
			s.failed(w, r, err)
			return
		}
		http.Error(w, said.Error(), status)
	}
}

// judged is an error's status, and for what a client can mend what to say.
func (s *Server) judged(err error) (int, *missing) {
	var none *missing
	var run *results.NoRun
	var bad *badQuery
	switch {
	case errors.As(err, &none):
		return http.StatusNotFound, none
	case errors.As(err, &run):
		m := &missing{What: "There is no run %s.", Name: strconv.Quote(run.Run)}
		for _, name := range run.Names {
			m.There = append(m.There, crumb{Name: name, Link: pathOf(name)})
		}
		return http.StatusNotFound, m
	case errors.As(err, &bad):
		return http.StatusBadRequest, &missing{What: "%s", Name: bad.Error()}
	case errors.Is(err, stored.ErrTune), errors.Is(err, stored.ErrSelfplay):
		return http.StatusBadRequest, &missing{What: "%s", Name: err.Error()}
	}
	return http.StatusInternalServerError, nil
}

// nothingHere answers for every path that is not served.
func (s *Server) nothingHere(_ http.ResponseWriter, r *http.Request) error {
	return &missing{What: "There is no page %s.", Name: r.URL.Path, There: []crumb{{Name: "/", Link: "/"}}}
}

// pathOf is where a run's pages are. A name may be any text: one that a browser would
// take for a step in the path, and one that begins with the sign itself, has ~ before it.
func pathOf(run string) string {
	if run == "" || run == "." || run == ".." || strings.HasPrefix(run, "~") {
		run = "~" + run
	}
	return "/r/" + url.PathEscape(run)
}

// runOf is the run that a path names.
func (s *Server) runOf(r *http.Request) (*results.RunInfo, error) {
	name := r.PathValue("run")
	return s.config.Store.FindRun(r.Context(), strings.TrimPrefix(name, "~"))
}

// gameAt is where a game's page is.
func gameAt(run string, pair, leg int) string {
	return pathOf(run) + "/g/" + strconv.Itoa(pair) + "." + strconv.Itoa(leg)
}

// tab is one of a run's pages.
type tab struct {
	Name, Link string
	Here       bool
}

// tabs are the pages of a run: their paths under the run's, and what they are called.
func tabs() [][2]string {
	return [][2]string{{"", "Report"}, {"/games", "Games"}, {"/openings", "Openings"}, {"/time", "Time and speed"}, {"/faults", "Faults"}, {"/votes", "Votes"}}
}

// runFrame is the frame of one of a run's pages: its heading, and the way to the others.
func (s *Server) runFrame(r *http.Request, info *results.RunInfo, here string, body any) frame {
	say := s.speaker(r)
	v := runView{Info: info, Body: body}
	trail := []crumb{{Name: info.Name, Link: pathOf(info.Name)}}
	title := info.Name
	shown := tabs()
	switch why := stored.Proves(info); {
	case errors.Is(why, stored.ErrTune):
		shown = shown[:1]
	case errors.Is(why, stored.ErrSelfplay):
		shown = shown[:2]
	}
	for _, t := range shown {
		name := say(t[1])
		if t[0] == "/votes" && !hasCouncil(info) {
			continue
		}
		v.Tabs = append(v.Tabs, tab{Name: name, Link: pathOf(info.Name) + t[0], Here: t[0] == here})
		if t[0] == here && here != "" {
			trail = append(trail, crumb{Name: name})
			title = name + " · " + info.Name
		}
	}
	if here == "" {
		trail[0].Link = ""
	}
	return frame{Title: title, Trail: trail, Page: v}
}

// runView is what pages of a run have in common.
type runView struct {
	Info *results.RunInfo
	Tabs []tab
	Body any // the page's own
}

// hasCouncil reports whether a player of the run votes.
func hasCouncil(info *results.RunInfo) bool {
	plan, err := info.ParsePlan()
	if err != nil {
		return false
	}
	for i := range plan.Players {
		if plan.Players[i].Council != nil {
			return true
		}
	}
	return false
}

// asJSON answers with what the command prints with --json.
func asJSON(w http.ResponseWriter, v any) error {
	var text strings.Builder
	if err := format.JSON(&text, v); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(text.String())) // a reader that is gone misses nothing
	return nil
}

// lasting is for work that others wait for, too: it goes on when its first client is gone.
func lasting(r *http.Request) context.Context { return context.WithoutCancel(r.Context()) }
