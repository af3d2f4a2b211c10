package board_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/board"
	"gogi/farm/keys"
	"gogi/farm/nats/embedded"
	"gogi/farm/site"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/players/planning"
	"gogi/results/farmstate"
)

// world is a real farm with NATS, SQLite and its pages.
type world struct {
	t    *testing.T
	dir  string
	site *site.Site
	http *httptest.Server
	held map[string]farm.Signer // signers with the secret keys, by the name of the key
}

func openWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), held: map[string]farm.Signer{}}
	w.open()
	t.Cleanup(func() { w.close() })
	return w
}

func (w *world) open() {
	w.t.Helper()
	c := site.Config{Demo: true, Start: embedded.Start, Log: slog.New(slog.DiscardHandler)}
	c.Farm.State, c.Farm.Listen, c.Farm.Lease = w.dir, "127.0.0.1:0", time.Hour
	testutil.OK(w.t, c.Complete())
	w.site = testutil.Must(site.Open(w.t.Context(), c))(w.t)
	s := w.site
	w.http = httptest.NewServer(board.New(board.Config{
		Farm: s.Coordinator, Keys: s.Ring, State: s.Kept, Secret: s.Secret, Played: s.Coordinator.Played, Quota: s.Quota,
		Connect: func() farm.Connect { return farm.Connect{URL: s.URL(), Coordinator: s.Public, CA: s.CA} },
	}))
}

func (w *world) close() {
	w.http.Close()
	testutil.OK(w.t, w.site.Close())
}

// key makes a key of an owner.
func (w *world) key(name, owner string, rights ...keys.Right) {
	w.t.Helper()
	creds := testutil.Must(w.site.Issue(name, owner, rights, time.Time{}, "", ""))(w.t)
	w.held[name] = testutil.Must(creds.Sign())(w.t)
}

// person is a browser.
type person struct {
	w    *world
	http *http.Client
	csrf string
}

func (w *world) person() *person {
	jar := testutil.Must(cookiejar.New(nil))(w.t)
	return &person{w: w, http: &http.Client{Jar: jar, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}}
}

// answer is the status, the body and the redirect of a response.
type answer struct {
	status   int
	body, to string
}

func (p *person) do(r *http.Request) answer {
	p.w.t.Helper()
	r.Header.Set("Accept", "text/html")
	a := testutil.Must(p.http.Do(r))(p.w.t)
	defer a.Body.Close()
	body := testutil.Must(io.ReadAll(a.Body))(p.w.t)
	return answer{a.StatusCode, string(body), a.Header.Get("Location")}
}

func (p *person) get(path string) answer {
	p.w.t.Helper()
	return p.do(testutil.Must(http.NewRequest(http.MethodGet, p.w.http.URL+path, nil))(p.w.t))
}

// post sends a form with the person's token, or with the field csrf if the form has it.
func (p *person) post(path string, form url.Values) answer {
	p.w.t.Helper()
	if !form.Has("csrf") {
		form.Set("csrf", p.csrf)
	}
	r := testutil.Must(http.NewRequest(http.MethodPost, p.w.http.URL+path, strings.NewReader(form.Encode())))(p.w.t)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return p.do(r)
}

// login returns the fields of a log-in with a key.
func (p *person) login(name string) url.Values {
	p.w.t.Helper()
	var c struct{ Challenge string }
	testutil.OK(p.w.t, json.Unmarshal([]byte(p.get("/farm/challenge").body), &c))
	host := strings.TrimPrefix(p.w.http.URL, "http://")
	signature := testutil.Must(p.w.held[name](keys.LogInText(host, c.Challenge, name)))(p.w.t)
	return url.Values{"key": {name}, "challenge": {c.Challenge},
		"signature": {base64.RawURLEncoding.EncodeToString(signature)}}
}

// as logs in with a key.
func (w *world) as(name string) *person {
	w.t.Helper()
	p := w.person()
	if a := p.post("/farm/login", p.login(name)); a.status != http.StatusSeeOther {
		w.t.Fatalf("%s cannot log in: %+v", name, a)
	}
	p.csrf = regexp.MustCompile(`name="csrf" value="([0-9a-f]{32})"`).FindStringSubmatch(p.get("/farm").body)[1]
	return p
}

func form(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}

// submit submits a short match with the command's request.
func (w *world) submit(who, run string, seed uint64) {
	w.t.Helper()
	plan := testutil.Must(planning.Builtin())(w.t)
	plan.Run, plan.Seed, plan.Pairs = run, seed, 4
	text := testutil.Must(match.EncodePlan(plan))(w.t)
	testutil.Must(w.site.Coordinator.Do(w.t.Context(), who, "submit", farm.Submission{Plan: text}))(w.t)
}

func (w *world) state(run string) farm.State {
	w.t.Helper()
	for _, t := range w.site.Coordinator.Status(w.t.Context()).Tests {
		if t.Name == run {
			return t.State
		}
	}
	return ""
}

// TestReload requires that a page reloads itself only if the reader asks for it.
func TestReload(t *testing.T) {
	p := openWorld(t).person()
	for path, want := range map[string]string{"/farm": "", "/farm?refresh": "10", "/farm/login?refresh": ""} {
		a := testutil.Must(p.http.Get(p.w.http.URL + path))(t)
		testutil.OK(t, a.Body.Close())
		testutil.Equal(t, a.Header.Get("Refresh"), want, "%s", path)
	}
}

// TestRights tries the orders of each right. The server checks the session's key, whatever the page shows.
func TestRights(t *testing.T) {
	w := openWorld(t)
	w.key("boss", "farmer", keys.Admin)
	w.key("ann", "ann", keys.Submit)
	w.key("cat", "cat", keys.Submit)
	w.key("box", "vol", keys.Work)
	w.key("app", "app", keys.Approve)
	w.submit("ann", "t", 1)
	all := map[string]*person{"": w.person()}
	for name := range w.held {
		all[name] = w.as(name)
	}
	for _, step := range []struct {
		who, path string
		form      url.Values
		status    int
		state     farm.State // of the test, after the request; "": not compared
	}{
		{"", "/farm/t/t/approve", form(), 403, farm.Submitted},
		{"box", "/farm/t/t/approve", form(), 403, farm.Submitted},
		{"ann", "/farm/t/t/approve", form(), 403, farm.Submitted},
		{"cat", "/farm/t/t/approve", form(), 403, farm.Submitted},
		{"app", "/farm/t/t/approve", form(), 303, farm.Running},
		{"cat", "/farm/t/t/pause", form(), 403, farm.Running},
		{"box", "/farm/t/t/pause", form(), 403, farm.Running},
		{"ann", "/farm/t/t/pause", form("why", "lunch"), 303, farm.Paused},
		{"ann", "/farm/t/t/priority", form("number", "9"), 403, farm.Paused},
		{"ann", "/farm/t/t/priority", form("number", "x"), 400, farm.Paused},
		{"ann", "/farm/t/t/priority", form("number", "1"), 303, farm.Paused},
		{"ann", "/farm/t/t/share", form("number", "2"), 403, farm.Paused},
		{"ann", "/farm/t/t/purge", form("worker", "box", "why", "x"), 403, farm.Paused},
		{"ann", "/farm/t/t/update", form(), 404, farm.Paused},
		{"boss", "/farm/t/t/share", form("number", "2"), 303, farm.Paused},
		{"boss", "/farm/t/none/stop", form(), 403, farm.Paused},
		{"ann", "/farm/t/t/stop", form(), 303, farm.Stopped},
		{"box", "/farm/submit", form("run", "mine"), 403, ""},
		{"", "/farm/submit", form("run", "mine"), 403, ""},
		{"app", "/farm/keys/admit", form("name", "x"), 403, ""},
		{"cat", "/farm/keys/revoke", form("name", "ann", "why", "x"), 403, ""},
		{"box", "/farm/m/box/trust", form("level", "owner"), 403, ""},
		{"ann", "/farm/m/box/quarantine", form("why", "x"), 403, ""},
		{"boss", "/farm/m/box/trust", form("level", "owner"), 403, ""}, // the worker has never connected
		{"cat", "/farm/keys/revoke", form("name", "cat", "why", "lost"), 303, ""},
		{"cat", "/farm/t/t/resume", form(), 403, farm.Stopped}, // its key is revoked, which ends its session
	} {
		a := all[step.who].post(step.path, step.form)
		if a.status != step.status || step.state != "" && w.state("t") != step.state {
			t.Errorf("%s: %s %v: status %d, the test is %s, expected %d and %s\n%s", step.who, step.path, step.form,
				a.status, w.state("t"), step.status, step.state, a.body)
		}
	}
	if a := all["cat"].get("/farm"); !strings.Contains(a.body, "Log in") {
		t.Error("the session of a revoked key has not ended")
	}
	for who, want := range map[string]int{"": 403, "box": 403, "ann": 403, "boss": 200} {
		if a := all[who].get("/farm/keys"); a.status != want {
			t.Errorf("%s: /farm/keys: %d", who, a.status)
		}
	}
	if a := all["boss"].get("/farm/log?on=test"); !strings.Contains(a.body,
		"paused: lunch") || strings.Contains(a.body, "logged in") {
		t.Error(a.body)
	}
}

// TestForgedForms requires that a form needs the token of its own session, and a session that has not ended.
func TestForgedForms(t *testing.T) {
	w := openWorld(t)
	w.key("boss", "farmer", keys.Admin)
	w.key("ann", "ann", keys.Submit)
	w.submit("ann", "t", 1)
	boss, ann := w.as("boss"), w.as("ann")
	for what, token := range map[string]string{"no token": "", "another session's token": ann.csrf,
		"a second session's token of the same key": w.as("boss").csrf} {
		if a := boss.post("/farm/t/t/approve", form("csrf",
			token)); a.status != http.StatusForbidden || w.state("t") != farm.Submitted {
			t.Errorf("%s: %d, %s", what, a.status, w.state("t"))
		}
	}
	if a := boss.post("/farm/logout", form("csrf", "")); a.status != http.StatusForbidden {
		t.Errorf("a forged log-out: %d", a.status)
	}
	if a := boss.post("/farm/join", form("csrf", ann.csrf, "code", "x")); a.status != http.StatusForbidden {
		t.Errorf("a forged sign-up of a session: %d", a.status)
	}
	// A session ends at its time. The row is the only record of it.
	testutil.OK(t, w.site.Kept.Each(t.Context(), "sessions", func(name string, body []byte, revision uint64) error {
		var s struct {
			Key  string    `cbor:"key"`
			Ends time.Time `cbor:"ends"`
		}
		testutil.OK(t, farm.Decode(body, &s))
		if s.Ends = time.Now().Add(-time.Second); s.Key == "ann" {
			return nil
		}
		_, err := w.site.Kept.Put(t.Context(), "sessions", name, testutil.Must(farm.Encode(s))(t), revision)
		return err
	}))
	if a := boss.post("/farm/t/t/approve", form()); a.status != http.StatusForbidden || w.state("t") != farm.Submitted {
		t.Errorf("an expired session: %d, %s", a.status, w.state("t"))
	}
	// A session survives a restart of the coordinator, and ends with the log-out.
	address := w.http.Listener.Addr().String()
	w.close()
	w.open()
	host, _ := url.Parse("http://" + address)
	here, _ := url.Parse(w.http.URL)
	ann.http.Jar.SetCookies(here, ann.http.Jar.Cookies(host))
	if a := ann.post("/farm/t/t/priority", form("number", "1")); a.status != http.StatusSeeOther {
		t.Errorf("after a restart: %+v", a)
	}
	cookies := ann.http.Jar.Cookies(here)
	if a := ann.post("/farm/logout", form()); a.status != http.StatusSeeOther {
		t.Errorf("the log-out: %+v", a)
	}
	ann.http.Jar.SetCookies(here, cookies) // as an attacker with a copied cookie
	if a := ann.post("/farm/t/t/priority", form("number", "2")); a.status != http.StatusForbidden {
		t.Errorf("after the log-out: %d", a.status)
	}
}

// TestLogIn requires that a signature logs in once, for this host, this key and this farm, and only with a valid key.
func TestLogIn(t *testing.T) {
	w := openWorld(t)
	w.key("ann", "ann", keys.Submit)
	w.key("bob", "bob", keys.Submit)
	p := w.person()
	good := p.login("ann")
	wrong := func(what string, change func(url.Values)) {
		t.Helper()
		fields := p.login("ann")
		change(fields)
		if a := p.post("/farm/login", fields); a.status != http.StatusForbidden ||
			len(p.http.Jar.Cookies(testutil.Must(url.Parse(w.http.URL))(t))) > 0 {
			t.Errorf("%s: %d", what, a.status)
		}
	}
	sign := func(f url.Values, host, challenge, name, by string) {
		signature := testutil.Must(w.held[by](keys.LogInText(host, challenge, name)))(t)
		f.Set("signature", base64.RawURLEncoding.EncodeToString(signature))
	}
	host := strings.TrimPrefix(w.http.URL, "http://")
	wrong("another key's signature", func(f url.Values) { sign(f, host, f.Get("challenge"), "ann", "bob") })
	wrong("another name", func(f url.Values) { f.Set("key", "bob") })
	wrong("a signature for another host", func(f url.Values) { sign(f, "evil.example", f.Get("challenge"), "ann", "ann") })
	wrong("an own challenge", func(f url.Values) {
		f.Set("challenge", fmt.Sprint(time.Now().Add(time.Hour).Unix(), ".X.00000000000000000000000000000000"))
		sign(f, host, f.Get("challenge"), "ann", "ann")
	})
	wrong("a challenge with a later end", func(f url.Values) {
		ends, rest, _ := strings.Cut(f.Get("challenge"), ".")
		f.Set("challenge", ends+"0."+rest)
		sign(f, host, f.Get("challenge"), "ann", "ann")
	})
	wrong("no signature", func(f url.Values) { f.Set("signature", "") })
	if a := w.person().get("/farm/login?" + good.Encode()); !strings.Contains(a.body, "You log in as ann") {
		t.Error("the link does not show the log-in")
	}
	if a := w.person().post("/farm/login", good); a.status != http.StatusSeeOther {
		t.Errorf("a right log-in: %+v", a)
	}
	if a := w.person().post("/farm/login", good); a.status != http.StatusForbidden {
		t.Errorf("the same challenge again: %d", a.status)
	}
	later := p.login("ann")
	testutil.OK(t, w.site.Bus.Revoke("ann", "lost"))
	if a := p.post("/farm/login", later); a.status != http.StatusForbidden || !strings.Contains(a.body, "was revoked") {
		t.Errorf("a revoked key: %+v", a)
	}
}

// code makes a key and returns its sign-up for a farm.
func (w *world) code(coordinator, name, owner string, rights ...keys.Right) string {
	w.t.Helper()
	seed, public, err := keys.NewSeed()
	testutil.OK(w.t, err)
	sign, _, err := keys.Sign(seed)
	testutil.OK(w.t, err)
	w.held[name] = sign
	return testutil.Must(keys.SignUp{Name: name, Owner: owner, Rights: rights, Public: public}.Code(coordinator,
		sign))(w.t)
}

// TestSignUp requires that a person joins with a public key after an admin's decision. A person cannot take another
// person's name, request an admin's rights, or use a sign-up of another key or farm.
func TestSignUp(t *testing.T) {
	w := openWorld(t)
	w.key("boss", "farmer", keys.Admin)
	boss, ann := w.as("boss"), w.person()
	here := w.site.Public
	join := func(p *person, want int, code string) answer {
		t.Helper()
		a := p.post("/farm/join", form("code", code, "note", "<b>hello"))
		testutil.Check(t, a.status == want, "%.40s: %d, expected %d\n%s", code, a.status, want, a.body)
		return a
	}
	join(ann, http.StatusOK, w.code(here, "rack1", "ann", keys.Work))
	if _, ok := w.site.Ring.Named("rack1"); ok {
		t.Fatal("the key is valid before an admin has looked at it")
	}
	// another person with the same name
	join(w.person(), http.StatusConflict, w.code(here, "rack2", "ann", keys.Work))
	join(w.person(), http.StatusConflict, w.code(here, "mallory", "farmer", keys.Work)) // the operator's name
	join(w.person(), http.StatusConflict, w.code(here, "boss", "eve", keys.Work))
	join(w.person(), http.StatusConflict, w.code(here, "eve", "farm", keys.Submit))
	join(w.person(), http.StatusConflict, w.code(here, "eve", "eve", keys.Admin))
	join(w.person(), http.StatusConflict, w.code(here, "eve", "eve", keys.Approve))
	join(w.person(), http.StatusBadRequest, w.code("UAAA", "eve", "eve", keys.Work)) // for another farm
	join(w.person(), http.StatusBadRequest, w.code(here, "../eve", "eve", keys.Work))
	for range 50 { // texts without a valid signature do not count against others at the same address
		join(w.person(), http.StatusBadRequest, "nonsense")
	}
	stolen := keys.SignUp{Name: "thief", Owner: "thief", Rights: []keys.Right{keys.Work}, Public: here}
	// the sign-up lacks the secret half
	join(w.person(), http.StatusBadRequest, testutil.Must(stolen.Code(here, w.held["rack1"]))(t))
	page := boss.get("/farm/keys")
	if !strings.Contains(page.body, "rack1") || strings.Contains(page.body,
		"<b>hello") || !strings.Contains(page.body, "Keys (1 new)") {
		t.Error(page.body)
	}
	if a := boss.post("/farm/keys/admit", form("name", "rack1")); a.status != http.StatusSeeOther {
		t.Fatalf("%+v", a)
	}
	if k, ok := w.site.Ring.Named("rack1"); !ok || k.Owner != "ann" || len(k.Rights) != 1 || !k.May(keys.Work) {
		t.Fatalf("%+v", k)
	}
	// The coordinator checks the right itself, because a command reaches it without the pages.
	for _, verb := range []string{"signups", "admit", "dismiss", "revoke"} {
		if _, err := w.site.Coordinator.Do(t.Context(), "rack1", verb, farm.KeyOrder{Name: "boss", Why: "x"}); err == nil ||
			!strings.Contains(err.Error(), "may not") {
			t.Errorf("%s by a volunteer: %v", verb, err)
		}
	}
	// The person adds a key for submitting, in a session of the first key. A stranger still cannot.
	join(w.person(), http.StatusConflict, w.code(here, "rack3", "ann", keys.Work))
	mine := w.as("rack1")
	join(mine, http.StatusOK, w.code(here, "ann-submit", "ann", keys.Submit))
	join(mine, http.StatusConflict, w.code(here, "other", "farmer", keys.Submit))
	for i := range 10 { // the address has sent 10 valid ones
		join(w.person(), http.StatusConflict, w.code(here, fmt.Sprint("eve", i), "ann", keys.Work))
	}
	join(w.person(), http.StatusTooManyRequests, w.code(here, "eve", "ann", keys.Work))
	join(w.person(), http.StatusBadRequest, "nonsense")
	if a := boss.post("/farm/keys/dismiss", form("name", "ann-submit", "why", "not yet")); a.status !=
		http.StatusSeeOther {
		t.Errorf("%+v", a)
	}
	if _, ok := w.site.Ring.Named("ann-submit"); ok {
		t.Error("a rejected key is valid")
	}
	log := testutil.Must(w.site.Kept.Actions(t.Context(), farmstate.Filter{On: "key"}))(t)
	lines := lists.Map(log, func(a farmstate.Action) string { return fmt.Sprintf("%s %s %s", a.By, a.Name, a.What) })
	for _, want := range []string{" rack1 signed up: ann, may work", "boss rack1 approved: ann, may work",
		"rack1 rack1 logged in", "boss ann-submit rejected: ann, may submit: not yet"} {
		testutil.Check(t, strings.Contains("\n"+strings.Join(lines, "\n")+"\n", "\n"+want+"\n"),
			"the log lacks %q:\n%s", want, strings.Join(lines, "\n"))
	}
}

// TestSubmitByForm requires that the form repeats a test with changes. It rejects values that need a file of this
// machine, and shows the error.
func TestSubmitByForm(t *testing.T) {
	w := openWorld(t)
	w.key("ann", "ann", keys.Submit)
	ann := w.as("ann")
	if a := ann.get("/farm/submit"); a.status != http.StatusOK || !strings.Contains(a.body, "Time control") {
		t.Fatalf("%+v", a)
	}
	a := ann.post("/farm/submit", form("run", "first", "games", "8", "nodes", "50", "sprt", "off", "note", "<i>try"))
	digest, ok := strings.CutPrefix(a.to, "/farm/t/")
	testutil.Require(t, a.status == http.StatusSeeOther && ok, "%+v", a)
	planOf := func(test string) *match.Plan {
		t.Helper()
		answer := testutil.Must(w.site.Coordinator.Do(t.Context(), "ann", "plan", farm.Order{Run: test}))(t)
		return testutil.Must(match.DecodePlan(answer.(farm.PlanOf).Plan))(t) // the verb's answer
	}
	first := planOf(digest)
	testutil.Check(t, first.Run == "first" && first.Games() == 8 && first.Players[1].Limits.Nodes == 50 &&
		first.Digest() == digest, "%+v", first)
	if page := ann.get(a.to); page.status != 200 || strings.Contains(page.body,
		"<i>try") || !strings.Contains(page.body, "Repeat with changes") {
		t.Errorf("%+v", page)
	}
	for _, wrong := range []url.Values{
		form("run", "x", "openings", "/etc/passwd"), form("run", "x", "openings", "builtin/../../etc"), form("run",
			"x", "games", "seven"),
		form("run", "x", "tc", "soon"), form("run", "x", "sprt", "5"), form("run", "x", "option",
			"none.Hash=1"), form("run", "x", "engine0", "nothing/here"),
		form("run", "first"), form("run", "x", "needs", "os"), form("run", "x", "priority", "99"),
	} {
		wrong.Set("from", digest)
		if a := ann.post("/farm/submit", wrong); a.status != http.StatusBadRequest && a.status != http.StatusForbidden ||
			!strings.Contains(a.body, `class="wrong"`) {
			t.Errorf("%v: %d", wrong, a.status)
		}
	}
	a = ann.post("/farm/submit", form("from", digest, "run", "second", "option", "all.Depth=1", "engine1",
		digest+"/"+first.Players[1].Name))
	testutil.Require(t, a.status == http.StatusSeeOther, "%+v", a)
	second := planOf(strings.TrimPrefix(a.to, "/farm/t/"))
	if second.Seed != first.Seed+1 || second.Games() != 8 || second.Players[0].Limits != first.Players[0].Limits ||
		len(second.Players[0].Options) != len(first.Players[0].Options)+1 {
		t.Errorf("%+v", second)
	}
}

// TestFormNames: the form offers a free name, and options with the names of its players. An option for a player keeps
// its meaning if another engine replaces the player.
func TestFormNames(t *testing.T) {
	w := openWorld(t)
	w.key("ann", "ann", keys.Submit)
	ann := w.as("ann")
	a := ann.post("/farm/submit", form("run", "first", "games", "8", "nodes", "50", "sprt", "off"))
	digest := strings.TrimPrefix(a.to, "/farm/t/")
	page := ann.get("/farm/submit?from=" + digest).body
	for _, want := range []string{`value="first-2"`, "strong.Hash=64 weak.Hash=64"} {
		testutil.Contains(t, page, want, "the form")
	}
	a = ann.post("/farm/submit", form("from", digest, "run", "first"))
	testutil.Contains(t, a.body, "choose another, such as --run first-2", "a name that is taken")
	a = ann.post("/farm/submit", form("from", digest, "run", "first-2", "engine1", digest+"/weak", "option",
		"weak.Depth=2 strong.Depth=3"))
	testutil.Require(t, a.status == http.StatusSeeOther, "%+v", a)
	for _, path := range []string{digest, digest[:12], "first"} {
		testutil.Contains(t, ann.get("/farm/t/"+path).body, "<code>"+digest+"</code>", "the page "+path)
	}
}

// TestSubmitCommits submits two commits by the form, with a recipe that an admin allows. The page of the test shows
// them.
func TestSubmitCommits(t *testing.T) {
	w := openWorld(t)
	w.key("boss", "farmer", keys.Admin)
	w.key("ann", "ann", keys.Submit)
	const git = "https://git.example/engine"
	recipe := farm.Recipe{Name: "small", Text: "build = ['make']\noutput = 'e'\nbench = './e bench'\nnodes = '([0-9]+)'\n",
		Repositories: []string{git}}
	testutil.Must(w.site.Coordinator.Do(t.Context(), "boss", "recipe", recipe))(t)
	ann, dev, base := w.as("ann"), strings.Repeat("d", 40)+":12", strings.Repeat("b", 40)+":34"
	testutil.Contains(t, ann.get("/farm/submit").body, "small for https://git.example/engine", "the form")
	for _, wrong := range []url.Values{
		form("run", "t", "repo", git, "recipe", "small", "dev", dev),
		form("run", "t", "repo", git, "recipe", "large", "dev", dev, "base", base),
		form("run", "t", "repo", "ext::sh", "recipe", "small", "dev", dev, "base", base),
		form("run", "t", "repo", git+"2", "recipe", "small", "dev", dev, "base", base),
	} {
		a := ann.post("/farm/submit", wrong)
		refused := a.status == http.StatusBadRequest || a.status == http.StatusForbidden
		if !refused || !strings.Contains(a.body, `class="wrong"`) {
			t.Errorf("%v: %d", wrong, a.status)
		}
	}
	a := ann.post("/farm/submit", form("run", "t", "repo", git, "recipe", "small", "dev", dev, "base", base, "option",
		"dev.Hash=64"))
	testutil.Equal(t, a.status, http.StatusSeeOther, "the status")
	testutil.Contains(t, ann.get(a.to).body, "<code>git log -p "+base[:40]+"..."+dev[:40]+"</code>", "the change")
	testutil.Contains(t, ann.get(a.to).body, "dev 12 nodes, base 34 nodes", "the bench")
	testutil.Contains(t, ann.get(a.to).body, "dev is commit "+dev[:40]+" of https://git.example/engine, recipe ",
		"the page of the test")
	// The form calls the replaced player strong, and an option with this name is one of the new player.
	b := ann.post("/farm/submit", form("run", "u", "nodes", "9", "engine0", strings.TrimPrefix(a.to, "/farm/t/")+"/dev",
		"option", "strong.Hash=64"))
	testutil.Equal(t, b.status, http.StatusSeeOther, "the status: %s", b.body)
	if a := w.as("boss").get("/farm/log"); !strings.Contains(a.body, "recipe small") ||
		!strings.Contains(a.body, "allows builds by recipe") {
		t.Error(a.body)
	}
}

// namedReaders is a farm whose only worker has an error with the name of the key that reads it.
type namedReaders struct{ board.Farm }

func (namedReaders) StatusFor(_ context.Context, key string) farm.Status {
	return farm.Status{Workers: []farm.WorkerStatus{{Name: "box", Errors: []farm.Change{{What: "read by <" + key + ">"}}}}}
}

// TestReaders requires that a page asks the farm for what the reader's own key may read, and without a session for what
// everyone may read.
func TestReaders(t *testing.T) {
	w := openWorld(t)
	w.http.Close()
	s := w.site
	w.http = httptest.NewServer(board.New(board.Config{Farm: namedReaders{s.Coordinator}, Keys: s.Ring, State: s.Kept,
		Secret: s.Secret, Played: s.Coordinator.Played, Quota: s.Quota}))
	w.key("ann", "ann", keys.Submit)
	w.key("cat", "cat", keys.Submit)
	for name, p := range map[string]*person{"": w.person(), "ann": w.as("ann"), "cat": w.as("cat")} {
		testutil.Contains(t, p.get("/farm/m/box").body, "read by &lt;"+name+"&gt;", "the page of %q", name)
	}
}

// TestControlCharacters: a form that comes back with a reader's values has no control characters.
func TestControlCharacters(t *testing.T) {
	w := openWorld(t)
	w.key("ann", "ann", keys.Submit)
	ann, hostile := w.as("ann"), "x\x1b]0;title\x07\u009b31m"
	values := form("run", hostile, "games", hostile, "note", hostile, "code", hostile, "key", hostile, "signature",
		hostile)
	query := "by=" + url.QueryEscape(hostile) + "&name=" + url.QueryEscape(hostile)
	for name, a := range map[string]answer{
		"submit": ann.post("/farm/submit", values), "join": ann.post("/farm/join", values),
		"log": ann.get("/farm/log?" + query), "nothing": ann.get("/farm/" + url.PathEscape(hostile)),
	} {
		testutil.Check(t, !strings.ContainsAny(a.body, "\x1b\x07\u009b") && len(a.body) > 500, "%s: %d %q", name, a.status,
			a.body)
		testutil.Check(t, name != "submit" || strings.Contains(a.body, `value="x]0;title31m"`),
			"%s does not repeat the value: %s", name, a.body)
	}
}
