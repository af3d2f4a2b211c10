package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/pprof"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/report/html"
	"gogi/report/stored"
	"gogi/results"
)

// answerer answers a request, or returns an error before it has written anything.
type answerer func(http.ResponseWriter, *http.Request) error

func (s *Server) storedRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /assets/gogi.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write([]byte(html.Style())) // the client may have left
	})
	for path, answer := range map[string]answerer{
		"/{$}":              runList{s}.runsPage,
		"/style":            s.stylePage,
		"/r/{run}":          s.ofRun(s.runPage),
		"/r/{run}/games":    s.ofRun(s.gamesPage),
		"/r/{run}/g/{game}": s.gamePageOrFile,
		"/r/{run}/openings": s.ofRun(listPages{s}.openingsPage),
		"/r/{run}/time":     s.ofRun(listPages{s}.timePage),
		"/r/{run}/faults":   s.ofRun(listPages{s}.faultsPage),
		"/r/{run}/votes":    s.ofRun(listPages{s}.votesPage),
		"/r/{run}/now":      livePages{s}.nowPage,
		"/compare":          crossPages{s}.comparePage,
		"/engines":          crossPages{s}.enginesPage,
		"/ratings":          crossPages{s}.ratingsPage,
		"/":                 s.nothingHere,
	} {
		mux.HandleFunc("GET "+path, s.answered(answer, s.showMissing))
	}
	mux.HandleFunc("POST /r/{run}/g/{game}/review",
		s.guard.needsToken(s.answered(s.ofRun(reviewPages{s}.order), s.showMissing)))
	for path, answer := range map[string]answerer{
		"runs":             s.runsJSON,
		"runs/{run}":       s.ofRun(s.runJSON),
		"runs/{run}/games": s.ofRun(s.gamesJSON),
	} {
		mux.HandleFunc("GET /api/v1/"+path,
			s.answered(answer, func(w http.ResponseWriter, _ *http.Request, status int, m *missing) {
				http.Error(w, m.Error(), status)
			}))
	}
}

// missing is the answer to a request for something that does not exist. It has links to existing pages.
type missing struct {
	What  string // a phrase with %s
	Name  string
	There []crumb // links to existing pages
	// Status is the status of the answer; 0: not found.
	Status int
}

func (m *missing) Error() string { return fmt.Sprintf(m.What, m.Name) }

type badQuery struct{ error }

// ofRun returns an answerer that finds the run of the path first.
func (s *Server) ofRun(answer func(http.ResponseWriter, *http.Request, *results.RunInfo) error) answerer {
	return func(w http.ResponseWriter, r *http.Request) error {
		info, err := s.config.Store.FindRun(r.Context(), runNamed(r))
		if err != nil {
			return err
		}
		return answer(w, r, info)
	}
}

// answered returns the handler of an answerer. If the answerer returns an error that the client can correct, the
// handler calls wrong, which writes the answer.
func (s *Server) answered(answer answerer,
	wrong func(http.ResponseWriter, *http.Request, int, *missing)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := answer(w, r)
		if err == nil || r.Context().Err() != nil {
			return
		}
		if status, m := statusOf(err); m != nil {
			wrong(w, r, status, m)
		} else {
			s.failed(w, r, err)
		}
	}
}

// showMissing answers with a page about something that does not exist.
func (s *Server) showMissing(w http.ResponseWriter, r *http.Request, status int, m *missing) {
	title := voiceOf(r).Say("Not found")
	if status == http.StatusBadRequest {
		title = voiceOf(r).Say("That cannot be asked")
	}
	s.showAs(w, r, status, "missing", frame{Title: title, Page: m})
}

// statusOf returns the status of an error, and its text. If the client cannot correct the error, the text is nil.
func statusOf(err error) (int, *missing) {
	var none *missing
	var run *results.NoRun
	var bad *badQuery
	switch {
	case errors.As(err, &none):
		return cmp.Or(none.Status, http.StatusNotFound), none
	case errors.As(err, &run):
		m := &missing{What: "There is no run %s.", Name: strconv.Quote(run.Run)}
		for _, name := range run.Names {
			m.There = append(m.There, crumb{Name: name, Link: pathOf(name)})
		}
		return http.StatusNotFound, m
	case errors.As(err, &bad), errors.Is(err, stored.ErrTune), errors.Is(err, stored.ErrSelfplay):
		return http.StatusBadRequest, &missing{What: "%s", Name: err.Error()}
	}
	return http.StatusInternalServerError, nil
}

// nothingHere answers for every path without a page.
func (s *Server) nothingHere(_ http.ResponseWriter, r *http.Request) error {
	return &missing{What: "There is no page %s.", Name: r.URL.Path}
}

// pathOf returns the path of a run's pages. A run's name may be any text. A name that a browser would take
// for a step in the path gets ~ before it, and so does a name that begins with ~.
func pathOf(run string) string {
	if run == "" || run == "." || run == ".." || strings.HasPrefix(run, "~") {
		run = "~" + run
	}
	return "/r/" + url.PathEscape(run)
}

// runNamed returns the name of the run in a path that pathOf has made.
func runNamed(r *http.Request) string { return strings.TrimPrefix(r.PathValue("run"), "~") }

func gameAt(run string, pair, leg int) string { return pathOf(run) + "/g/" + gameName(pair, leg) }

// tab is a link to one of a run's pages.
type tab struct {
	Name, Link string
	Here       bool // the link leads to the shown page
}

// tabs returns the pages of a run: their paths below the run's path, and their titles.
func tabs() [][2]string {
	return [][2]string{{"", "Report"}, {"/games", "Games"}, {"/openings", "Openings"}, {"/time", "Time and speed"},
		{"/faults", "Faults"}, {"/votes", "Votes"}}
}

// runFrame returns the frame of one of a run's pages: its heading, and links to the other pages. here is the path of
// the page below the run's path.
func (s *Server) runFrame(r *http.Request, info *results.RunInfo, here string, body any) frame {
	v := runView{Info: info, Body: body}
	trail := []crumb{{Name: info.Name, Link: pathOf(info.Name)}}
	title := info.Name
	shown := tabs()
	if !noteOf(info).IsZero() {
		shown = shown[:2]
	}
	for _, t := range shown {
		name := voiceOf(r).Say(t[1])
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

// runView is the data that all pages of a run have.
type runView struct {
	Info *results.RunInfo
	Tabs []tab
	Body any // data of this page
}

func hasCouncil(info *results.RunInfo) bool {
	plan, err := info.ParsePlan()
	return err == nil && slices.ContainsFunc(plan.Players, func(p match.CanonicalPlayer) bool { return p.Council != nil })
}

// asJSON sends v as JSON, in the format that the commands print with --json. It runs no command.
func asJSON(w http.ResponseWriter, v any) error {
	var text bytes.Buffer
	if err := format.JSON(&text, v); err != nil {
		return err
	}
	reply(w, http.StatusOK, "application/json; charset=utf-8", text.Bytes())
	return nil
}

// lasting returns the context for work whose result several clients wait for. It does not end when the first client
// leaves.
func lasting(r *http.Request) context.Context { return context.WithoutCancel(r.Context()) }

// routes returns the handler of all paths.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	assets, err := fs.Sub(files, "assets")
	if err != nil {
		panic(err) // the folder is embedded
	}
	mux.Handle("GET /assets/", http.StripPrefix("/assets/", http.FileServerFS(assets)))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /login", s.loginPage)
	mux.HandleFunc("POST /login", s.logIn)
	mux.HandleFunc("POST /logout", s.logOut)
	livePages{s}.liveRoutes(mux)
	s.storedRoutes(mux)
	if s.config.Metrics != nil {
		mux.Handle("GET /metrics", s.config.Metrics)
	}
	if s.config.Farm != nil {
		for _, pattern := range []string{"GET /farm", "GET /farm/", "POST /farm/"} {
			mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
				remember(w, r)
				s.config.Farm.ServeHTTP(w, r.WithContext(i18n.With(r.Context(), languageOf(r))))
			})
		}
	}
	if s.config.Pprof {
		mux.HandleFunc("GET /debug/pprof/", s.guard.needsTokenIfAny(pprof.Index))
		mux.HandleFunc("GET /debug/pprof/profile", s.guard.needsTokenIfAny(pprof.Profile))
		mux.HandleFunc("GET /debug/pprof/trace", s.guard.needsTokenIfAny(pprof.Trace))
	}
	return mux
}

func (s *Server) loginPage(w http.ResponseWriter, r *http.Request) {
	s.show(w, r, "login", frame{Title: voiceOf(r).Say("Log in"),
		Page: map[string]bool{"Wrong": r.URL.Query().Has("wrong")}})
}

// maxForm is the largest size of a form, in bytes.
const maxForm = 4 << 10

func (s *Server) logIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if !s.guard.logIn(w, r.PostFormValue("token")) {
		http.Redirect(w, r, "/login?wrong", http.StatusSeeOther)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *Server) logOut(w http.ResponseWriter, r *http.Request) {
	s.guard.logOut(w, r)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
