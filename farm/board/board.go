// Package board has the web pages with which people manage a farm, and the metrics of the farm for
// Prometheus. [New] returns the [Pages], and [Metrics] returns the handler of the metrics.
//
// The pages send the requests of their users through [Farm.Do] to the coordinator; the commands of gogi farm
// send the same requests over the network. To log in, a user signs a text with the secret half of a key. The
// secret half never leaves the user's machine. The coordinator's state contains the sessions, the sign-ups
// and the log of actions, so that they survive a restart.
package board

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/grants"
	"gogi/farm/keys"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/internal/svg"
	"gogi/results"
)

// A Status is a function that returns the current state of a farm as everyone may read it.
type Status func(ctx context.Context) farm.Status

// A Farm is the part of a coordinator that the pages use. [coordinator.Coordinator] implements it.
type Farm interface {
	// StatusFor returns the current state of the farm, with the texts that the key with this name may read. "" is a
	// reader without a key.
	StatusFor(ctx context.Context, key string) farm.Status
	// Do executes the request of the user with a key. It checks the rights of the key.
	Do(ctx context.Context, key, verb string, in any) (any, error)
	SignUp(ctx context.Context, s farm.SignUp) error
}

// A Keys gives the pages access to the keys of a farm. [keys.Ring] implements it.
type Keys interface {
	Named(name string) (keys.Key, bool)
	Keys() []keys.Key
}

// A State stores the sessions and the log of actions that the pages use. [farmstate.State] implements it.
type State interface {
	Get(ctx context.Context, bucket, name string) (body []byte, revision uint64, err error)
	entries.State
}

// A Config is the input of New. All fields are required, except Log.
type Config struct {
	Farm    Farm
	Keys    Keys
	State   State
	Secret  farm.Secret
	Connect func() farm.Connect
	Played  func(ctx context.Context) ([]results.Played, error)
	Quota   func(owner string) grants.Quota
	// Outcome returns the result of a test, or nil if it is unknown. Outcome may be nil, too.
	Outcome func(ctx context.Context, t farm.TestStatus) *Outcome
	Log     *slog.Logger // nil turns the log off
}

// A Pages is an HTTP handler for the path /farm and the paths below it. Create it with New.
type Pages struct {
	config  Config
	mux     *http.ServeMux
	logIns  limiter // by key
	signUps limiter // by address; only those with a valid signature count
}

// New returns a handler of the farm's pages.
func New(c Config) *Pages {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	p := &Pages{config: c, mux: http.NewServeMux(), logIns: limiter{most: 60, every: time.Hour},
		signUps: limiter{most: 20, every: time.Hour}}
	for path, f := range map[string]handler{
		"GET /farm": p.overview, "GET /farm/t/{test}": p.test, "POST /farm/t/{test}/{verb}": p.signed(p.orderTest),
		"GET /farm/submit": p.submitForm, "POST /farm/submit": p.signed(p.submit),
		"GET /farm/m/{machine}": p.machine, "POST /farm/m/{machine}/{verb}": p.signed(p.orderMachine),
		"GET /farm/people": p.people, "GET /farm/p/{person}": p.person,
		"GET /farm/keys": p.keys, "POST /farm/keys/{verb}": p.signed(p.orderKey),
		"GET /farm/log": p.log, "GET /farm/connect": p.connect, "GET /farm/challenge": logins{p}.giveChallenge,
		"GET /farm/join": p.joinForm, "POST /farm/join": p.join,
		"GET /farm/login": logins{p}.loginForm, "POST /farm/login": logins{p}.login,
		"POST /farm/logout": p.signed(logins{p}.logout),
		"/farm/":            func(http.ResponseWriter, *visit) error { return notFound(i18n.Of("There is no such page.")) },
	} {
		p.mux.HandleFunc(path, p.handle(f))
	}
	return p
}

// ServeHTTP implements http.Handler.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.mux.ServeHTTP(w, r) }

// LoggedIn reports whether the user who sent a request is logged in.
func (p *Pages) LoggedIn(r *http.Request) bool {
	s, err := logins{p}.session(r)
	return err == nil && s != nil
}

// Open reports whether users can open a page without logging in, such as the log-in page.
func (p *Pages) Open(path string) bool {
	return slices.Contains([]string{"/farm/join", "/farm/connect", "/farm/challenge", "/farm/login"}, path)
}

type visit struct {
	*http.Request
	session *session // nil without a valid session
	in      i18n.Language
}

// say returns a phrase in the language of the reader.
func (v *visit) say(phrase string, args ...any) string { return i18n.Say(v.in, phrase, args...) }

// forBrowser reports whether the client wants a page. Commands want a plain text.
func (v *visit) forBrowser() bool { return strings.Contains(v.Header.Get("Accept"), "text/html") }

type handler func(w http.ResponseWriter, v *visit) error

// A failure is an answer other than a page: its status, and a sentence for the user.
type failure struct {
	status int
	why    i18n.Message
}

func (f *failure) Error() string { return f.why.String() }

func notFound(why i18n.Message) error { return &failure{http.StatusNotFound, why} }

// titleOf returns the title of a failure's page.
func titleOf(status int) i18n.Message {
	switch status {
	case http.StatusNotFound:
		return i18n.Of("Not found")
	case http.StatusForbidden:
		return i18n.Of("Forbidden")
	}
	return i18n.Verbatim(http.StatusText(status))
}

// handle returns the handler that calls f with the session of the request. If f returns an error, the handler sends a
// page or a plain text about it.
func (p *Pages) handle(f handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s, err := logins{p}.session(r)
		v := &visit{Request: r, session: s, in: i18n.From(r.Context())}
		if err == nil {
			err = f(w, v)
		}
		if err == nil || r.Context().Err() != nil {
			return
		}
		status, why := http.StatusInternalServerError,
			i18n.Of("Something went wrong here. The log of the coordinator has the reason.")
		if refusal, ok := errors.AsType[*farm.Refusal](err); ok {
			status, why = http.StatusForbidden, i18n.Of("The farm rejects it: %s", refusal.Why)
		}
		if known, ok := errors.AsType[*failure](err); ok {
			status, why = known.status, known.why
		}
		if status == http.StatusInternalServerError {
			p.config.Log.Error("page of the farm", "path", r.URL.Path, "err", err)
		}
		if !v.forBrowser() || p.show(w, v, status, "error", frame{Title: titleOf(status).In(v.in), Page: why.In(v.in)}) !=
			nil {
			http.Error(w, why.In(v.in), status)
		}
	}
}

// signed returns the handler of a form. It calls f only for a request with a valid session and with the session's
// token, which other sites cannot read.
func (p *Pages) signed(f handler) handler {
	return func(w http.ResponseWriter, v *visit) error {
		switch {
		case v.session == nil:
			return &failure{http.StatusForbidden,
				i18n.Of("You are not logged in, or your session has ended. Log in and try again.")}
		case !v.session.owns(v.PostFormValue("csrf")):
			return &failure{http.StatusForbidden,
				i18n.Of("The form is not from your session. Load the page again and try again.")}
		}
		return f(w, v)
	}
}

// status returns the state of the farm as the user of the session may read it.
func (p *Pages) status(v *visit) farm.Status {
	name := ""
	if v.session != nil {
		name = v.session.key.Name
	}
	return p.config.Farm.StatusFor(v.Context(), name)
}

// do sends a request of the session's user to the farm. It first checks whether the key may send the verb, as the
// bus does. The coordinator checks the right again.
func (p *Pages) do(v *visit, verb string, in any) (any, error) {
	if !v.session.key.MayVerb(verb) && verb != "revoke" {
		return nil, &farm.Refusal{Why: keys.Denial(v.session.key.Name, verb)}
	}
	return p.config.Farm.Do(v.Context(), v.session.key.Name, verb, in)
}

// frame is the data for the layout around each page.
type frame struct {
	Title   string
	Trail   []crumb // the path to the page, below the farm
	Refresh bool    // the page has a link with which the browser loads it again every few seconds
	Again   bool    // the browser loads the page again, because the user has clicked this link (?refresh)
	Page    any

	Session *session // nil: not logged in
	In      i18n.Language
	Other   string // address of this page in the other language; "" for an answer to a form
	SignUps int    // sign-ups that wait, for an admin
}

type crumb struct{ Name, Link string }

func (p *Pages) show(w http.ResponseWriter, v *visit, status int, name string, f frame) error {
	f.Session, f.In = v.session, v.in
	if query := v.URL.Query(); v.Method == http.MethodGet {
		query.Set("lang", string(v.in.Other()))
		f.Other = (&url.URL{Path: v.URL.Path, RawPath: v.URL.RawPath, RawQuery: query.Encode()}).String()
	}
	if f.Again = f.Refresh && v.URL.Query().Has("refresh"); f.Again {
		w.Header().Set("Refresh", "10")
	}
	if f.Session.Admin() {
		if waiting, err := p.do(v, "signups", farm.Order{}); err == nil {
			list, _ := waiting.([]farm.SignUp)
			f.SignUps = len(list)
		}
	}
	var page bytes.Buffer
	if err := templates()[v.in][name].ExecuteTemplate(&page, "layout", f); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(sanitize.Page(page.Bytes())) // fails if the client has disconnected
	return nil
}

//go:embed all:templates
var files embed.FS

// templates returns the templates of the pages by language and by name. The templates escape texts of people and
// machines, and sanitize.Printable removes their control characters.
var templates = sync.OnceValue(func() map[i18n.Language]map[string]*template.Template {
	return map[i18n.Language]map[string]*template.Template{i18n.English: templatesIn(i18n.English),
		i18n.Japanese: templatesIn(i18n.Japanese)}
})

func templatesIn(in i18n.Language) map[string]*template.Template {
	functions := template.FuncMap{
		"name": func(s string) string {
			return sanitize.Printable(s,
				60)
		}, "why": func(s string) string { return sanitize.Printable(s, 600) },
		"path": url.PathEscape, "query": url.QueryEscape, "count": format.Count, "fingerprint": keys.Fingerprint,
		"join":  strings.Join,
		"clock": clock, "words": func(w farm.WorkerStatus) string { return w.Words(clock) },
		"t":        func(phrase string, args ...any) string { return i18n.Say(in, phrase, args...) },
		"reader":   func(b farm.BenchCheck) string { return readerOf(b).In(in) },
		"state":    func(s farm.State) string { return stateOf(s).In(in) },
		"gate":     func(t farm.TestStatus) string { return gateOf(&t).In(in) },
		"decision": func(t farm.TestStatus) string { return decisionOf(t, in) }, "class": classOf, "llr": llrOf,
		"hours": format.Hours, "rights": keys.Words, "bytes": bytesOf,
		"orders": orders, "keysOf": func(list []keys.Key, now time.Time) map[string]any {
			return map[string]any{"Keys": list, "Now": now, "CSRF": ""}
		},
		"percent": func(part, of int) int { return 100 * part / max(of, 1) },
	}
	all := map[string]*template.Template{}
	entries, err := files.ReadDir("templates")
	if err != nil {
		panic(err) // the folder is embedded
	}
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".gohtml"); !strings.HasPrefix(name, "_") {
			all[name] = template.Must(template.New(name).Funcs(functions).ParseFS(files, "templates/_*.gohtml",
				"templates/"+e.Name()))
		}
	}
	return all
}

// stateOf returns the state of a test in words.
func stateOf(s farm.State) i18n.Message {
	switch s {
	case farm.Submitted:
		return i18n.Of("submitted")
	case farm.Approved:
		return i18n.Of("approved")
	case farm.Running:
		return i18n.Of("running")
	case farm.Paused:
		return i18n.Of("paused")
	case farm.Over:
		return i18n.Of("over")
	case farm.Stopped:
		return i18n.Of("stopped")
	case farm.Failed:
		return i18n.Of("failed")
	}
	return i18n.Verbatim(string(s))
}

// gateOf returns the state of a test's SPRT in words, as farm.TestStatus.Gate.
func gateOf(t *farm.TestStatus) i18n.Message {
	word := i18n.Verbatim(format.Minus(t.Gate()))
	switch t.Verdict {
	case "pass":
		word = i18n.Of("pass")
	case "fail":
		word = i18n.Of("fail")
	case "inconclusive":
		word = i18n.Of("inconclusive")
	default:
		return word
	}
	if t.Provisional != "" {
		return i18n.Of("%s (provisional)", word)
	}
	return word
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// bytesOf returns a number of bytes in words.
func bytesOf(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}

// decisionOf returns the decision of a test's SPRT in a language, or "" until there is one. A test without an SPRT has
// a dash.
func decisionOf(t farm.TestStatus, in i18n.Language) string {
	if t.Verdict == "continue" {
		return ""
	}
	return gateOf(&t).In(in)
}

// classOf returns the class of a test's SPRT in the style sheet. It returns "" without a decision. A provisional
// verdict has the class of an open one, because it may change.
func classOf(t farm.TestStatus) string {
	switch {
	case t.Verdict == "" || t.Verdict == "continue":
		return ""
	case t.Provisional == "" && (t.Verdict == "pass" || t.Verdict == "fail"):
		return t.Verdict
	}
	return "undecided"
}

// llrOf returns HTML with the LLR of a test as a number and, if its bounds are known, as a bar between them.
func llrOf(t farm.TestStatus) template.HTML {
	words := fmt.Sprintf("%.2f", t.LLR)
	if !(t.Lower < 0) || !(t.Upper > 0) {
		return template.HTML(format.Minus(words))
	}
	words = format.Minus(fmt.Sprintf("%s [%.2f, %.2f]", words, t.Lower, t.Upper))
	return template.HTML(words) + " " + svg.Ratio(t.LLR, t.Lower, t.Upper, "LLR "+words)
}
