package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"gogi/ensemble/voting"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/internal/svg"
	"gogi/report"
	"gogi/report/html"
	"gogi/report/ratings"
	"gogi/report/stored"
)

//go:embed all:templates assets
var files embed.FS

// pages are the page templates, by language and by name.
type pages map[language]map[string]*template.Template

// newPages parses every page of templates/, each with the layout and the parts (files that begin with _).
func newPages() (pages, error) {
	p := pages{english: {}, japanese: {}}
	entries, err := files.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".gohtml")
		if strings.HasPrefix(name, "_") {
			continue
		}
		for in := range p {
			funcs := functions(voice{Words: html.Words{In: in}})
			p[in][name], err = template.New(e.Name()).Funcs(funcs).ParseFS(files, "templates/_*.gohtml",
				path.Join("templates", e.Name()))
			if err != nil {
				return nil, fmt.Errorf("page %s: %w", name, err)
			}
		}
	}
	return p, nil
}

// These constants limit the number of characters of a name and of a sentence on a page, because the text may be
// hostile.
const (
	shownName = 120
	shownLine = 1000
)

// functions returns the functions for templates in a language. t translates a phrase.
func functions(in voice) template.FuncMap {
	return template.FuncMap{
		"t":        in.Say,
		"language": func() string { return string(in.In) },
		"count":    format.Count,
		"number":   func(n int, noun string) string { return i18n.Number{N: n, Noun: noun}.In(in.In) },
		"percent":  format.Percent,
		"decimal":  format.Decimal,

		"faults":     faultsOf,
		"livewords":  in.liveWords,
		"name":       func(text string) string { return sanitize.Printable(text, shownName) },
		"line":       func(text string) string { return sanitize.Printable(text, shownLine) },
		"path":       pathOf,
		"ending":     in.Ending,
		"outcome":    in.outcome,
		"said":       in.Said,
		"decider":    func(by voting.By) string { return in.Say(by.Words()) },
		"moment":     func(t time.Time) string { return t.Local().Format("2006-01-02 15:04") },
		"span":       func(ms float64) string { return durationWords(time.Duration(ms * float64(time.Millisecond))) },
		"span2":      durationWords,
		"millis":     func(d time.Duration) float64 { return d.Seconds() * 1000 },
		"model":      ratings.ModelWords,
		"elo":        html.EloText,
		"stateword":  wordOf,
		"stateclass": stored.State.Class,
		"percentOf":  orDash(format.Percent),
		"pvalue":     orDash(format.PValue),
		"sum":        func(a, b int) int { return a + b },
		"start":      in.handicapName,
	}
}

// orDash returns a function that prints a number, or a dash for nil.
func orDash(print func(float64) string) func(*float64) string {
	return func(v *float64) string {
		if v == nil {
			return "–"
		}
		return print(*v)
	}
}

// frame is the data for the layout around every page.
type frame struct {
	Title  string  // title of the page; the layout adds the program's name
	Trail  []crumb // path to the page, below the list of runs
	Other  string  // address of this page in the other language; "" for an answer to a form
	Holder bool    // the reader has the token: may control, and see paths
	Login  bool    // the server has a token to log in with
	Farm   bool    // the server has a page of a farm
	Page   any     // data for the page itself
}

// crumb is a link in the path to a page.
type crumb struct{ Name, Link string }

// show writes a page.
func (s *Server) show(w http.ResponseWriter, r *http.Request, name string, f frame) {
	s.showAs(w, r, http.StatusOK, name, f)
}

// showTitled writes a page that is directly below the list of runs. The title is a phrase.
func (s *Server) showTitled(w http.ResponseWriter, r *http.Request, name, title string, page any) {
	title = voiceOf(r).Say(title)
	s.show(w, r, name, frame{Title: title, Trail: []crumb{{Name: title}}, Page: page})
}

// stylePage shows every element of the style sheet, for developers.
func (s *Server) stylePage(w http.ResponseWriter, r *http.Request) error {
	glance := html.Glance{
		A: "dev", B: "base", Games: 1204, Score: new(0.5183), WDL: "402–444–358", Penta: "[40, 110, 270, 120, 62]",
		Class: "pass",
		Elo:   report.Elo{Estimate: new(12.7), Bounds: report.Bounds{Lo: new(0.4), Hi: new(25.1)}},
		Gate:  &report.Gate{LLR: new(2.96), Lower: -2.94, Upper: 2.94},
	}
	line, err := glance.Line(html.Words{In: english})
	if err != nil {
		return err
	}
	plot := svg.Plot{
		Title: "A line with its band", X: "pairs", Y: "score", Percent: true, Low: 0.4, High: 0.7,
		Levels: []svg.Level{{Name: "even score", Class: "c8", Y: 0.5}},
	}
	for i := range 8 {
		x := float64(i)
		at := svg.Line{Name: fmt.Sprint("colour ", i+1), Class: fmt.Sprint("c", i+1), X: []float64{0, 50, 100},
			Y: []float64{0.42 + x/32, 0.45 + x/32, 0.44 + x/32}}
		if i == 0 {
			at.Lo, at.Hi = []float64{0.40, 0.43, 0.43}, []float64{0.44, 0.47, 0.45}
		}
		plot.Lines = append(plot.Lines, at)
	}
	small := svg.Plot{Title: "One of several", X: "pairs", Y: "value", Small: true, Lines: plot.Lines[:1]}.HTML()
	s.show(w, r, "style", frame{Title: "Style", Trail: []crumb{{Name: "Style"}}, Page: map[string]any{
		"Classes": []string{"pass", "fail", "undecided", "running", ""}, "Line": line, "Plot": plot.HTML(),
		"Small": []template.HTML{small, small}, "Span": svg.Interval(-4, 12, 28, -40, 40, 0, "+12.3 [−4.0, +28.6]"),
	}})
	return nil
}

// showAs writes a page with a status.
func (s *Server) showAs(w http.ResponseWriter, r *http.Request, status int, name string, f frame) {
	f.Holder, f.Login, f.Farm = s.guard.holds(r), s.guard.token != "", s.config.Farm != nil
	in := languageOf(r)
	if r.Method == http.MethodGet {
		f.Other = inOther(r.URL, in)
	}
	remember(w, r)
	var html bytes.Buffer
	if err := s.pages[in][name].ExecuteTemplate(&html, "layout", f); err != nil {
		s.failed(w, r, err)
		return
	}
	w.Header().Set("Content-Language", string(in))
	w.Header().Add("Vary", "Accept-Language, Cookie")
	reply(w, status, "text/html; charset=utf-8", sanitize.Page(html.Bytes()))
}

// reply writes a whole answer that no cache stores. kind is its content type. It ignores a failed write, because the
// client has then left.
func reply(w http.ResponseWriter, status int, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// inOther returns the address of a page in the other language.
func inOther(here *url.URL, in language) string {
	query := here.Query()
	query.Set("lang", string(in.Other()))
	return (&url.URL{Path: here.Path, RawPath: here.RawPath, RawQuery: query.Encode()}).String()
}

// failed logs an error and answers with status 500, without the error's text.
func (s *Server) failed(w http.ResponseWriter, r *http.Request, err error) {
	s.config.Log.Error("page", "path", r.URL.Path, "error", err)
	http.Error(w, "something went wrong here; the server's log says what", http.StatusInternalServerError)
}
