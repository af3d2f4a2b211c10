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
)

//go:embed all:templates assets
var files embed.FS

// pages are the templates, made once for each language.
type pages struct {
	sets map[language]map[string]*template.Template // by language and the page's name
}

// newPages reads every page of templates/, each with the layout and the parts (files
// that begin with _).
func newPages() (*pages, error) {
	p := &pages{sets: map[language]map[string]*template.Template{english: {}, japanese: {}}}
	entries, err := files.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".gohtml")
		if strings.HasPrefix(name, "_") {
			continue
		}
		for t := range p.sets {
			set, err := template.New(e.Name()).Funcs(p.functions(t)).ParseFS(files, "templates/_*.gohtml", path.Join("templates", e.Name()))
			if err != nil {
				return nil, fmt.Errorf("page %s: %w", name, err)
			}
			p.sets[t][name] = set
		}
	}
	return p, nil
}

// How many characters of a name or of a sentence, which may be hostile, a page shows.
const (
	shownName = 120
	shownLine = 1000
)

// functions are what templates may call. t says a phrase in the page's language.
func (p *pages) functions(in language) template.FuncMap {
	return template.FuncMap{
		"t":        func(phrase string, args ...any) string { return i18n.Say(in, phrase, args...) },
		"language": func() string { return string(in) },
		"count":    format.Count,
		"percent":  format.Percent,
		"decimal":  format.Decimal,

		"faults":    faultsOf,
		"livewords": func() map[string]string { return p.liveWords(in) },
		"name":      func(text string) string { return sanitize.Printable(text, shownName) },
		"line":      func(text string) string { return sanitize.Printable(text, shownLine) },
		"path":      pathOf,
		"ending":    p.words(in).Ending,
		"outcome":   func(o string) string { return outcome(in, o) },
		"said":      func(s i18n.Message) string { return s.In(in) },
		"decider":   func(by voting.By) string { return i18n.Say(in, by.Words()) },
		"moment":    func(t time.Time) string { return t.Local().Format("2006-01-02 15:04") },
		"span":      func(ms float64) string { return durationWords(time.Duration(ms * float64(time.Millisecond))) },
		"span2":     durationWords,
		"elo":       func(v *float64) string { return format.SignedOr(v, "–") },
		"percentOf": func(v *float64) string {
			if v == nil {
				return "–"
			}
			return format.Percent(*v)
		},
		"pvalue": func(v *float64) string {
			if v == nil {
				return "–"
			}
			return format.PValue(*v)
		},
		"sum":   func(a, b int) int { return a + b },
		"start": func(start string) string { return handicapName(in, start) },
	}
}

// frame is what the layout shows around every page.
type frame struct {
	Title  string  // of the page; the layout adds the program's name
	Trail  []crumb // where the page is, from the runs on
	Other  string  // this page in the other language; "" of an answer to a form
	Holder bool    // of the token: may control, and see paths
	Login  bool    // there is a token to log in with
	Farm   bool    // there is a page of a farm
	Page   any     // the page's own
}

// crumb is a step of the way to a page.
type crumb struct{ Name, Link string }

// show writes a page.
func (s *Server) show(w http.ResponseWriter, r *http.Request, name string, f frame) {
	s.showAs(w, r, http.StatusOK, name, f)
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
	if err := s.pages.sets[in][name].ExecuteTemplate(&html, "layout", f); err != nil {
		s.failed(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", string(in))
	h.Set("Cache-Control", "no-store")
	h.Add("Vary", "Accept-Language, Cookie")
	w.WriteHeader(status)
	_, _ = w.Write(html.Bytes()) // a reader that is gone misses nothing
}

// inOther is where a page is in the language that it is not in.
func inOther(here *url.URL, in language) string {
	query := here.Query()
	query.Set("lang", string(japanese))
	if in == japanese {
		query.Set("lang", string(english))
	}
	return (&url.URL{Path: here.Path, RawPath: here.RawPath, RawQuery: query.Encode()}).String()
}

// failed tells the client that something went wrong here, and the log what.
func (s *Server) failed(w http.ResponseWriter, r *http.Request, err error) {
	s.config.Log.Error("page", "path", r.URL.Path, "error", err)
	http.Error(w, "something went wrong here; the server's log says what", http.StatusInternalServerError)
}
