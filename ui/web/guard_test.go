package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/results"
)

const secret = "0123456789abcdef0123456789abcdef"

// door is a server that gets requests without a network.
type door struct {
	*Server
	t *testing.T
}

func newDoor(t *testing.T, c Config) *door {
	t.Helper()
	store := testutil.Must(results.Open(t.Context(), filepath.Join(t.TempDir(), "games.db")))(t)
	t.Cleanup(func() { _ = store.Close() })
	c.Store = store
	if c.Live == nil {
		c.Live = playing(newStage("run", 1))
	}
	s := testutil.Must(newServer(c))(t)
	return &door{s, t}
}

// protections are the headers of every answer. They allow no foreign content, no inline scripts and no frames.
var protections = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
		"base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
	"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
}

// ask sends a request. headers are pairs of names and values.
func (d *door) ask(method, path, body string, headers ...string) *http.Response {
	d.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "localhost"
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	// A live stream that a guard lets pass has no end of its own.
	ctx, cancel := context.WithTimeout(d.t.Context(), 20*time.Second)
	defer cancel()
	w := httptest.NewRecorder()
	d.http.Handler.ServeHTTP(w, r.WithContext(ctx))
	resp := w.Result()
	for name, want := range protections {
		testutil.Equal(d.t, resp.Header.Get(name), want, "%s %s: %s", method, path, name)
	}
	return resp
}

func (d *door) status(want int, method, path, body string, headers ...string) *http.Response {
	d.t.Helper()
	resp := d.ask(method, path, body, headers...)
	if resp.StatusCode != want {
		text, _ := io.ReadAll(resp.Body)
		d.t.Errorf("%s %s %q: %d %s, want %d", method, path, headers, resp.StatusCode, text, want)
	}
	return resp
}

// TestConfigurations requires a token for an address that others can reach, a long token, and a key for a certificate.
func TestConfigurations(t *testing.T) {
	for _, c := range []Config{
		{Addr: "0.0.0.0:0"}, {Addr: ":0"}, {Addr: "[::]:0"}, {Addr: "192.0.2.1:0"}, {Addr: "example.org:0"}, {Addr: "7878"},
		{Addr: ""},
		{Addr: "127.0.0.1:0", Token: secret[1:]}, {Addr: "127.0.0.1:0", CertFile: "c"}, {Addr: "127.0.0.1:0", KeyFile: "k"},
		{Addr: "localhost.example.org:0"}, {Addr: "127.0.0.1.example.org:0"},
	} {
		testutil.Fails(t, testutil.Err(newServer(c)), "", "%+v is served", c)
	}
	for _, c := range []Config{{Addr: "127.0.0.1:0"}, {Addr: "[::1]:0"}, {Addr: "localhost:0"}, {Addr: "127.9.9.9:0"},
		{Addr: "0.0.0.0:0", Token: secret}} {
		testutil.OK(t, testutil.Err(newServer(c)), "%+v", c)
	}
}

// TestHosts requires that a server answers only requests for its own host names.
func TestHosts(t *testing.T) {
	d := newDoor(t, Config{Addr: "192.0.2.7:7878", Token: secret, PublicHosts: []string{"Gogi.example.org"}})
	for _, host := range []string{"localhost", "LOCALHOST:7878", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:7878",
		"192.0.2.7:7878", "gogi.example.ORG", "gogi.example.org:443"} {
		d.status(http.StatusOK, "GET", "/healthz", "", "Host", host)
	}
	for _, host := range []string{"", "evil.example", "localhost.evil.example", "gogi.example.org.evil.example",
		"192.0.2.8", "127.0.0.1.evil.example", "evil.example:7878"} {
		for _, path := range []string{"/healthz", "/", "/assets/gogi.js", "/login", "/api/v1/live?run=run"} {
			d.status(http.StatusMisdirectedRequest, "GET", path, "", "Host", host, "Authorization", "Bearer "+secret)
			if t.Failed() {
				return
			}
		}
	}
}

// TestClosed requires the token for everything but the login page if other machines can reach the server. A browser is
// redirected to the login page, and a program gets an error.
func TestClosed(t *testing.T) {
	d := newDoor(t, Config{Addr: "0.0.0.0:0", Token: secret})
	for _, method := range []string{"HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"} {
		for _, path := range []string{"/", "/r/run/live", "/r/run/g/0.0", "/api/v1/runs", "/api/v1/runs/run/pause",
			"/debug/pprof/"} {
			d.status(http.StatusUnauthorized, method, path, "")
		}
	}
	for _, path := range []string{"/", "/r/run/live", "/r/run/g/0.0", "/r/run/g/0.0/live.csa", "/api/v1/live?run=run",
		"/assets", "/nothing", "/debug/pprof/"} {
		resp := d.status(http.StatusUnauthorized, "GET", path, "")
		testutil.Check(t, resp.Header.Get("WWW-Authenticate") != "", "%s: not told how", path)
		testutil.Equal(t, d.status(http.StatusSeeOther, "GET", path, "", "Accept", "text/html").Header.Get("Location"),
			"/login", "%s leads", path)
		d.status(http.StatusUnauthorized, "GET", path, "", "Authorization", "Bearer "+secret[1:]+"x")
		d.status(http.StatusUnauthorized, "GET", path, "", "Authorization", "Bearer ")
	}
	for _, path := range []string{"/healthz", "/login", "/assets/gogi.js"} {
		d.status(http.StatusOK, "GET", path, "")
	}
	d.status(http.StatusOK, "GET", "/r/run/live", "", "Authorization", "Bearer "+secret)
}

// TestSessions requires that the token starts a session that opens all pages until it ends. Forged sessions open none.
func TestSessions(t *testing.T) {
	d := newDoor(t, Config{Addr: "0.0.0.0:0", Token: secret, CertFile: "c", KeyFile: "k"})
	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	wrong := d.status(http.StatusSeeOther, "POST", "/login", "token="+secret+"x", form...)
	testutil.Check(t, wrong.Header.Get("Location") == "/login?wrong" && len(wrong.Cookies()) == 0, "a wrong token: %v",
		wrong.Header)
	d.status(http.StatusSeeOther, "POST", "/login", "token="+strings.Repeat("x", 10<<10), form...)
	right := d.status(http.StatusSeeOther, "POST", "/login", "token="+secret, form...)
	cookies := right.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || !cookies[0].Secure || cookies[0].SameSite != http.SameSiteStrictMode ||
		strings.Contains(cookies[0].Value, secret) {
		t.Fatalf("the session's cookie: %v", right.Header)
	}
	name, value := cookies[0].Name, cookies[0].Value
	with := func(value string) []string { return []string{"Cookie", name + "=" + value} }
	d.status(http.StatusOK, "GET", "/r/run/live", "", with(value)...)
	other := newDoor(t, Config{Addr: "0.0.0.0:0", Token: secret})
	for _, forged := range []string{
		"", value + "0", value[:len(value)-1], secret, other.guard.sessions.begin(time.Now().Add(time.Hour)),
		d.guard.sessions.begin(time.Now().Add(-time.Second)),
	} {
		d.status(http.StatusUnauthorized, "GET", "/r/run/live", "", with(forged)...)
	}
	out := d.status(http.StatusSeeOther, "POST", "/logout", "", with(value)...)
	c := out.Cookies()
	testutil.Check(t, len(c) == 1 && c[0].MaxAge < 0, "logged out: %v", out.Header)
	d.status(http.StatusUnauthorized, "GET", "/r/run/live", "", with(value)...) // a copy of the cookie is invalid, too
}

// TestSessionsAreBounded requires that a session beyond the limit ends the one that would end first.
func TestSessionsAreBounded(t *testing.T) {
	var s sessions
	now := time.Now()
	var secrets []string
	for i := range maxSessions + 2 {
		secrets = append(secrets, s.begin(now.Add(time.Duration(i+1)*time.Hour)))
	}
	for i, secret := range secrets {
		testutil.Equal(t, s.has(secret), (i >= 2), "session %d", i)
	}
	testutil.Equal(t, len(s.ends), maxSessions, "sessions")
}

// TestOrderGuard requires the token for commands, even if reading needs none. Another site must not send a command with
// the session of a user.
func TestOrderGuard(t *testing.T) {
	live := playing(newStage("a/b", 1))
	d := newDoor(t, Config{Addr: "127.0.0.1:0", Token: secret, Live: live})
	path := "/api/v1/runs/a%2Fb/pause"
	d.status(http.StatusOK, "GET", "/r/a%2Fb/live", "")
	d.status(http.StatusUnauthorized, "POST", path, "")
	d.status(http.StatusUnauthorized, "POST", path, "", "Accept", "text/html")
	session := "gogi_session=" + d.guard.sessions.begin(time.Now().Add(time.Hour))
	for _, from := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
		{"Origin", "https://evil.example"}, {"Origin", "null"}} {
		d.status(http.StatusForbidden, "POST", path, "", append(from, "Cookie", session)...)
		d.status(http.StatusForbidden, "POST", "/login", "", from...)
	}
	testutil.Require(t, len(live.orders) == 0, "%q were given all the same", live.orders)
	d.status(http.StatusNotFound, "GET", path, "", "Cookie", session)
	d.status(http.StatusOK, "POST", path, "", "Cookie", session, "Sec-Fetch-Site", "same-origin")
	none := newDoor(t, Config{Addr: "127.0.0.1:0", Live: live}) // without a token, no login is possible
	none.status(http.StatusUnauthorized, "POST", path, "", "Authorization", "Bearer ")
	none.status(http.StatusUnauthorized, "POST", path, "", "Cookie",
		"gogi_session="+none.guard.sessions.begin(time.Now().Add(time.Hour)))
	none.status(http.StatusSeeOther, "POST", "/login", "token=", "Content-Type", "application/x-www-form-urlencoded")
	testutil.Slices(t, live.orders, []string{"a/b pause 0"})
}

// TestOrders requires that a command is a verb, and for some verbs a number, in a form or in JSON. A rejection has its
// reason.
func TestOrders(t *testing.T) {
	live := playing(newStage("run", 1))
	d := newDoor(t, Config{Addr: "127.0.0.1:0", Token: secret, Live: live})
	holder := []string{"Authorization", "Bearer " + secret}
	form := append(holder, "Content-Type", "application/x-www-form-urlencoded")
	asJSON := append(holder, "Content-Type", "application/json")
	d.status(http.StatusOK, "POST", "/api/v1/runs/run/concurrency", "n=4", form...)
	d.status(http.StatusOK, "POST", "/api/v1/runs/run/target", `{"n":600}`, asJSON...)
	d.status(http.StatusOK, "POST", "/api/v1/runs/run/drain", `{}`, asJSON...)
	d.status(http.StatusOK, "POST", "/api/v1/runs/run/stop", "", holder...)
	given := []string{"run concurrency 4", "run target 600", "run drain 0", "run stop 0"}
	for path, body := range map[string]string{"explode": "", "concurrency": "", "target": "n=x", "pause": "n=3",
		"target ": "n=-2"} {
		d.status(http.StatusBadRequest, "POST", "/api/v1/runs/run/"+strings.TrimSpace(path), body, form...)
	}
	d.status(http.StatusBadRequest, "POST", "/api/v1/runs/run/target", `{"n":1.5}`, asJSON...)
	d.status(http.StatusBadRequest, "POST", "/api/v1/runs/run/target", `[`, asJSON...)
	d.status(http.StatusConflict, "POST", "/api/v1/runs/other/pause", "", holder...)
	testutil.Slices(t, live.orders, given)
	live.refuse = errors.New("the run is draining already")
	resp := d.status(http.StatusConflict, "POST", "/api/v1/runs/run/pause", "", holder...)
	var said Refusal
	err := json.NewDecoder(resp.Body).Decode(&said)
	testutil.Check(t, err == nil && said.Error == live.refuse.Error(), "refused with %+v, %v", said, err)
	page := d.status(http.StatusConflict, "POST", "/api/v1/runs/run/pause", "", append(holder, "Accept", "text/html")...)
	if text, _ := io.ReadAll(page.Body); !strings.Contains(string(text), live.refuse.Error()) ||
		!strings.Contains(string(text), `href="/r/run/live"`) {
		t.Errorf("refused with %s", text)
	}
	live.refuse = nil
	back := d.status(http.StatusSeeOther, "POST", "/api/v1/runs/run/pause", "", append(holder, "Accept", "text/html")...)
	testutil.Equal(t, back.Header.Get("Location"), "/r/run/live", "leads")
}

// TestLiveCSA requires that the CSA file of a game in play grows. Each file begins with the previous one, and the last
// one has the result.
func TestLiveCSA(t *testing.T) {
	s := newStage("run", 1)
	d := newDoor(t, Config{Addr: "127.0.0.1:0", Live: playing(s)})
	d.status(http.StatusNotFound, "GET", "/r/run/g/0.0/live.csa", "")
	s.step(0, 0, 99)
	before := ""
	for i := range 31 { // then White is to move, who resigns
		s.step(0, i*i, 99)
		resp := d.status(http.StatusOK, "GET", "/r/run/g/0.0/live.csa", "")
		text, _ := io.ReadAll(resp.Body)
		if !strings.HasPrefix(string(text), before) || len(text) == len(before) ||
			!strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
			t.Fatalf("after %q:\n%s", before, text)
		}
		before = string(text)
	}
	if n := strings.Count(before, "\n+") + strings.Count(before, "\n-"); n != 32 { // and a line for the side to move
		t.Errorf("%d moves:\n%s", n-1, before)
	}
	s.end(0)
	text, _ := io.ReadAll(d.status(http.StatusOK, "GET", "/r/run/g/0.0/live.csa", "").Body)
	testutil.Check(t, strings.HasPrefix(string(text), before+"%TORYO\n'summary:toryo:A "), "at the end:\n%s", text)
	d.status(http.StatusNotFound, "GET", "/r/other/g/0.0/live.csa", "")
	d.status(http.StatusNotFound, "GET", "/r/run/g/0.1/live.csa", "")
}

// fakeFarm has one user, whom a header identifies, and one open page.
type fakeFarm struct{}

func (fakeFarm) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.WriteString(w, "farm "+r.URL.Path)
}
func (fakeFarm) LoggedIn(r *http.Request) bool { return r.Header.Get("User") == "ann" }
func (fakeFarm) Open(path string) bool         { return path == "/farm/join" }

// TestPagesOfAFarm requires that only users read a farm's pages from other machines. A person without a key reaches
// only the page to join. Other sites send no forms. No user gets the commands and profiles that need the token.
func TestPagesOfAFarm(t *testing.T) {
	d := newDoor(t, Config{Addr: "0.0.0.0:0", PublicHosts: []string{"farm.example"}, Farm: fakeFarm{}, Pprof: true})
	const here = "farm.example"
	for _, path := range []string{"/", "/farm", "/farm/t/x", "/farm/joined", "/r/run", "/metrics"} {
		d.status(http.StatusUnauthorized, "GET", path, "", "Host", here)
	}
	if to := d.status(http.StatusSeeOther, "GET", "/farm", "", "Host", here, "Accept",
		"text/html").Header.Get("Location"); to != "/farm/login" {
		t.Errorf("a reader is sent to %s", to)
	}
	d.status(http.StatusOK, "GET", "/farm/join", "", "Host", here)
	d.status(http.StatusOK, "POST", "/farm/join", "", "Host", here)
	d.status(http.StatusOK, "GET", "/farm/t/x", "", "Host", here, "User", "ann")
	d.status(http.StatusOK, "GET", "/", "", "Host", here, "User", "ann")
	d.status(http.StatusForbidden, "POST", "/farm/t/x/stop", "", "Host", here, "User", "ann", "Sec-Fetch-Site",
		"cross-site")
	d.status(http.StatusForbidden, "POST", "/farm/t/x/stop", "", "Host", here, "User", "ann", "Origin",
		"https://evil.example")
	d.status(http.StatusOK, "POST", "/farm/t/x/stop", "", "Host", here, "User", "ann", "Sec-Fetch-Site", "same-origin")
	d.status(http.StatusUnauthorized, "GET", "/debug/pprof/", "", "Host", here, "User", "ann")
	d.status(http.StatusUnauthorized, "POST", "/api/v1/runs/run/stop", "", "Host", here, "User", "ann")
	d.status(http.StatusMisdirectedRequest, "GET", "/farm/join", "", "Host", "evil.example")
}
