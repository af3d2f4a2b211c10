//go:build unix

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/shogi/kifu"
)

// marker begins every text that a stranger must not see. The text after it names the place where the test has put it.
const marker = "Zq7marker"

// markedFarm is a farm with marked texts in all places that workers and tests can fill: engine output, crash notes,
// refusals, paths, host names and sign-ups.
type markedFarm struct {
	*farmProcess
	digest string
}

// marked returns a marked text.
func marked(place string) string { return marker + place }

// TestStrangersReadNoTexts reads every page, metric and log of a farm in three roles: without a log-in, with the key of
// a machine, and with the key of a person who may submit tests. These people have nothing to do with the test and its
// machines. They see no marked text. Only the person who may submit tests sees the labels that tests can require. The
// test also finds each marked text in the files of the farm, or on the pages of an admin. While the workers play, a
// reader without a log-in reads the events of the test.
func TestStrangersReadNoTexts(t *testing.T) {
	t.Parallel()
	f := markedFarm{farmProcess: startFarm(t)}
	for _, key := range [][2]string{
		{"ann", "submit"}, {"ben", "approve"}, {"rack", "work"}, {"mal", "work"}, {"mel", "work"}, {"eve", "submit"},
		{"zoe", "work"},
	} {
		f.gogi("farm", "key", "new", key[0], "--may", key[1], "--owner", key[0]+"s", "--state", "farm")
	}
	f.submitMarked()
	live := f.watchLive()
	f.lieMarked() // first: as soon as rack has stored pairs, mel would receive these pairs as audits
	f.workMarked()
	f.signUpMarked()
	for event, body := range map[string]string{"the game of mel": `"worker":"mel"`, "a pair": `"finished":`} {
		f.until("a stranger has received "+event, func() bool { return strings.Contains(live.String(), body) })
	}
	testutil.Slices(t, shownMarkers("", live.String()), nil, "the events of the test")

	for who, client := range map[string]*http.Client{"": http.DefaultClient, "zoe": f.logIn("zoe"),
		"eve": f.logIn("eve")} {
		pages := f.crawl(client)
		testutil.Check(t, len(pages) > 20, "%q: only %d pages", who, len(pages))
		for path, body := range pages {
			testutil.Slices(t, shownMarkers(who, body), nil, "%q sees on %s", who, path)
		}
	}
	for _, command := range [][]string{
		{"farm", "list"}, {"farm", "list", "--json"}, {"farm", "show", "marked"}, {"farm", "show", "marked", "--json"},
		{"farm", "worker", "list"},
		{"farm", "worker", "list", "--json"}, {"farm", "key", "list"}, {"farm", "log"},
	} {
		testutil.Slices(t, shownMarkers("eve", f.tries(append(command, "--creds", "eve.creds")...)), nil,
			"eve sees with gogi %v", command)
	}
	f.requireMarkers()
}

// claims are the labels and the version that a worker of the test reports about itself. gogi finds values for all of
// them but the host, and a worker can send others.
var claims = []string{"os", "arch", "isa", "isas", "cores", "builds", "host", "version"}

// claimed returns the marked text of a label.
func claimed(label string) string { return marked("Label" + label) }

// shownMarkers returns the marked texts that a reader sees and must not see.
func shownMarkers(who, body string) []string {
	return slices.DeleteFunc(markers.FindAllString(body, -1), func(s string) bool {
		return who == "eve" && (s == marked("Host") || strings.HasPrefix(s, claimed("")))
	})
}

// A livePage collects what a stream has sent.
type livePage struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *livePage) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *livePage) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// watchLive reads the server-sent events of the test without a log-in until the test ends.
func (f *markedFarm) watchLive() *livePage {
	f.t.Helper()
	live := &livePage{}
	response := testutil.Must(http.Get(f.pages + "/api/v1/live?run=marked"))(f.t)
	testutil.Require(f.t, response.StatusCode == http.StatusOK, "the events: %s", response.Status)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(live, response.Body) // the end of the test closes the body
	}()
	f.t.Cleanup(func() {
		_ = response.Body.Close()
		<-done
	})
	return live
}

// requireMarkers fails the test if a marked text did not reach the coordinator. It looks on all pages of an admin, and
// in the files of the coordinator.
func (f *markedFarm) requireMarkers() {
	f.t.Helper()
	var all strings.Builder
	for _, body := range f.crawl(f.logIn("boss")) {
		all.WriteString(body)
	}
	for _, label := range claims {
		testutil.Check(f.t, strings.Contains(all.String(), claimed(label)), "an admin does not see the label %s", label)
	}
	for _, place := range []string{"Host", "Refusal", "Note", "Signup"} {
		testutil.Check(f.t, strings.Contains(all.String(), marked(place)), "an admin does not see the text of %s either",
			place)
	}
	testutil.OK(f.t, filepath.WalkDir(filepath.Join(f.dir, "farm"), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // the coordinator removed the file
		}
		body, _ := os.ReadFile(path) // empty, if the coordinator removed the file
		all.Write(body)
		return nil
	}))
	for _, place := range []string{"Path", "Stderr", "Attempt", "Info", "Garbage", "Opening", "Field", "Verdict"} {
		testutil.Check(f.t, strings.Contains(all.String(), marked(place)), "the text of %s did not reach the coordinator",
			place)
	}
}

var markers = regexp.MustCompile(marker + "[A-Za-z]+")

// submitMarked submits a test. The path of its engine is marked, the engine writes marked output, and it crashes.
func (f *markedFarm) submitMarked() {
	f.t.Helper()
	dir := filepath.Join(f.dir, marked("Path"))
	testutil.OK(f.t, os.Mkdir(dir, 0o700))
	engine := filepath.Join(dir, "engine")
	testutil.OK(f.t, os.WriteFile(engine,
		[]byte(fmt.Sprintf("#!/bin/sh\necho %s >&2\necho info string %s\nexec fakeengine -script exit@go:6\n",
			marked("Stderr"), marked("Info"))), 0o700))
	f.until("the coordinator knows the keys", func() bool {
		return !strings.Contains(f.tries("farm", "list", "--creds", "ann.creds"), "not accept")
	})
	f.gogi("farm", "submit", "--run", "marked", "--engine", "a="+engine, "--engine", "b=builtin", "--nodes", "20",
		"--games", "400", "--creds", "ann.creds")
	f.gogi("farm", "approve", "marked", "--creds", "ben.creds")
	var s farm.TestStatus
	testutil.OK(f.t, json.Unmarshal([]byte(f.gogi("farm", "show", "marked", "--json", "--creds", "ann.creds")), &s))
	f.digest = s.Run
}

// tries runs gogi, which may fail, and returns its output.
func (f *markedFarm) tries(args ...string) string {
	c := exec.Command("gogi", args...)
	c.Dir = f.dir
	out, _ := c.CombinedOutput()
	return string(out)
}

// workMarked plays pairs on a real worker. Its engine crashes in games.
func (f *markedFarm) workMarked() {
	f.t.Helper()
	worker := exec.Command("gogi", "farm", "work", "--creds", "rack.creds", "--concurrency", "1", "--labels",
		"host="+marked("Host"))
	worker.Dir = f.dir
	worker.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(f.dir, marked("Cache")))
	var out bytes.Buffer
	worker.Stdout, worker.Stderr = &out, &out
	testutil.OK(f.t, worker.Start())
	defer func() { f.t.Log(out.String()) }()
	defer worker.Wait()                       // a signal ends it
	defer worker.Process.Signal(os.Interrupt) // it may have ended
	f.until("pairs are stored", func() bool {
		return regexp.MustCompile(`rack: [1-9]`).MatchString(f.gogi("farm", "show", "marked", "--creds", "ann.creds"))
	})
}

// until waits until done returns true.
func (f *markedFarm) until(what string, done func() bool) {
	f.t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(200 * time.Millisecond) {
		testutil.Require(f.t, time.Now().Before(deadline), "it never happens that %s: %s", what,
			f.tries("farm", "show", "marked", "--creds", "ann.creds"))
	}
}

// dial connects a worker that the test controls, and says hello.
func (f *markedFarm) dial(name string) (farm.Transport, farm.Signer) {
	f.t.Helper()
	creds := testutil.Must(keys.ReadCreds(filepath.Join(f.dir, name+".creds")))(f.t)
	way := testutil.Must(nats.Dial(creds))(f.t)
	f.t.Cleanup(func() { _ = way.Close() })
	var reply farm.HelloReply
	labels := map[string]string{}
	for _, label := range claims {
		labels[label] = claimed(label)
	}
	f.until(name+" has joined", func() bool {
		return way.Request(f.t.Context(), farm.SubjectHello+name, farm.Hello{
			Protocol: farm.Protocol, Session: "s", Start: 1, Slots: 2, Version: claimed("version"), Labels: labels,
		}, &reply) == nil
	})
	return way, testutil.Must(creds.Sign())(f.t)
}

// lieMarked sends marked texts as two workers: a refusal, a crash note, a game with a free note, events of a game, an
// attempt and invalid results. The last end in a quarantine.
func (f *markedFarm) lieMarked() {
	f.t.Helper()
	ctx := f.t.Context()
	mal, _ := f.dial("mal")
	var g farm.Grants
	testutil.OK(f.t, mal.Request(ctx, farm.SubjectLease+"mal",
		farm.Ask{Session: "s", Want: 1, Refuse: []string{f.digest}, Why: []string{"sh: " + marked("Refusal")}}, &g))

	mel, sign := f.dial("mel")
	var grants []farm.Grant
	var plan *match.Plan
	f.until("mel has pairs", func() bool {
		var g farm.Grants
		testutil.OK(f.t, mel.Request(ctx, farm.SubjectLease+"mel", farm.Ask{Session: "s", Want: 6 - len(grants)}, &g))
		grants = append(grants, g.Grants...)
		for i := range g.Plans {
			plan = testutil.Must(match.DecodePlan(g.Plans[i].Plan))(f.t)
		}
		return len(grants) >= 6
	})
	var watched farm.BeatReply
	testutil.OK(f.t, mel.Request(ctx, farm.SubjectBeat+"mel", farm.Beat{
		Session: "s", Number: 1, Held: []farm.Held{grants[1].Held, grants[2].Held, grants[3].Held, grants[4].Held,
			grants[5].Held},
		Back: []farm.Back{{Held: grants[0].Held, Why: marked("Note"), Crashed: true}},
	}, &watched))
	testutil.Slices(f.t, watched.Watched, []string{f.digest}, "the runs that somebody watches")
	for _, kind := range []match.EventType{match.EventSeat, match.EventGame, match.EventMove, match.EventBoard} {
		testutil.OK(f.t, mel.Send(farm.SubjectEvents+f.digest+".mel", markedEvent(f.t, kind, grants[1].Pair)))
	}
	for i, item := range []farm.Item{
		{Lease: grants[5].Held, Pair: testutil.Must(match.EncodePair(markedPair(f.t, plan, grants[5].Pair)))(f.t)},
		{Lease: grants[1].Held, Attempt: &match.Attempt{Pair: grants[1].Pair, Ended: time.Now(),
			Why: "thinking: exit status 7: " + marked("Attempt")}},
		{Lease: grants[2].Held, Pair: []byte(marked("Garbage"))},
		{Lease: grants[3].Held, Pair: []byte(`{"Pair":{"ID":` + fmt.Sprint(grants[3].Pair) + `,"Opening":{"ID":"` +
			marked("Opening") + `"}}}`)},
		{Lease: grants[4].Held, Pair: []byte(`{"` + marked("Field") + `":1}`)},
	} {
		body := testutil.Must(farm.Seal(&farm.Batch{Worker: "mel", Session: "s", Items: []farm.Item{item}}, sign))(f.t)
		_ = mel.Publish(ctx, farm.SubjectResults+"mel.0", fmt.Sprint(i), body) // the coordinator may reject it at once
	}
	f.until("mel is in quarantine", func() bool {
		return strings.Contains(f.gogi("farm", "worker", "list", "--json", "--creds", "boss.creds"), "results were refused")
	})
}

// markedEvent returns an event of a game with a marked text in each field that has a free text.
func markedEvent(t *testing.T, kind match.EventType, pair int) []byte {
	t.Helper()
	text, zero := marked("Event"), 0
	texts := []string{text, text}
	head := match.GameHead{Black: "a", White: "b", Limits: texts, Opening: text, Start: text, Moves: text}
	ev := match.Event{
		Run: "marked", Type: kind, Pair: &pair, Leg: &zero, Slot: &zero, GameHead: head, Worker: text, Rules: text,
		Position: text, Outcome: text, Termination: text, Note: text, Engine: text, Kind: text, Bundle: text, Players: texts,
		Board: &match.Board{Pair: pair, Position: text, GameHead: head},
	}
	return testutil.Must(json.Marshal(ev))(t)
}

// markedPair returns a valid result of a pair. In each game the side to move crashes after the opening, with a marked
// note.
func markedPair(t *testing.T, plan *match.Plan, id int) match.PairResult {
	t.Helper()
	r := match.PairResult{Pair: plan.Pair(id)}
	for leg := range r.Pair.Legs {
		g := r.Pair.Game(leg)
		at := time.Now().UTC().Truncate(time.Second)
		position := testutil.Must(g.Opening.Position())(t)
		out := match.Result{Pair: id, Leg: leg, Players: g.Players, Started: at, Ended: at.Add(time.Second)}
		for _, m := range g.Opening.Moves {
			out.Record.Moves = append(out.Record.Moves, kifu.Move{Move: m, Opening: true})
			position.Apply(m)
		}
		out.Sides[position.Side()].Plies++
		out.Verdict = match.LossFor(position.Side(), match.Crash, marked("Verdict"))
		out.Record.Start = g.Opening.Start
		out.Record.Black, out.Record.White = plan.Players[g.Players[0]].Name, plan.Players[g.Players[1]].Name
		out.Record.Result, out.Record.Winner = out.Termination.String(), out.Outcome.String()
		r.Games = append(r.Games, out)
	}
	testutil.OK(t, arbiter.Verify(plan, &r))
	return r
}

// signUpMarked sends a sign-up with a marked note.
func (f *markedFarm) signUpMarked() {
	f.t.Helper()
	f.gogi("farm", "join", f.pages, "newbie", "--owner", "newbies", "--note", marked("Signup"))
}

// logIn returns a browser that is logged in with a key.
func (f *markedFarm) logIn(name string) *http.Client {
	f.t.Helper()
	client := &http.Client{Jar: testutil.Must(cookiejar.New(nil))(f.t)}
	sign := testutil.Must(testutil.Must(keys.ReadCreds(filepath.Join(f.dir, name+".creds")))(f.t).Sign())(f.t)
	var c struct{ Challenge string }
	testutil.OK(f.t, json.Unmarshal([]byte(f.get(client, "/farm/challenge")), &c))
	signature := testutil.Must(sign(keys.LogInText(strings.TrimPrefix(f.pages, "http://"), c.Challenge, name)))(f.t)
	response := testutil.Must(client.PostForm(f.pages+"/farm/login",
		url.Values{"key": {name}, "challenge": {c.Challenge},
			"signature": {base64.RawURLEncoding.EncodeToString(signature)}}))(f.t)
	body := testutil.Must(io.ReadAll(response.Body))(f.t)
	testutil.OK(f.t, response.Body.Close())
	testutil.Require(f.t, response.StatusCode == http.StatusOK && strings.Contains(string(body), "/farm/logout"),
		"%s cannot log in: %s", name, response.Status)
	return client
}

// get returns the body of a page.
func (f *markedFarm) get(client *http.Client, path string) string {
	f.t.Helper()
	r := testutil.Must(http.NewRequest(http.MethodGet, f.pages+path, nil))(f.t)
	r.Header.Set("Accept", "text/html")
	response := testutil.Must(client.Do(r))(f.t)
	defer response.Body.Close()
	if strings.Contains(response.Header.Get("Content-Type"), "event-stream") {
		return "" // the test reads the events in watchLive
	}
	return string(testutil.Must(io.ReadAll(response.Body))(f.t))
}

// crawl reads the pages that the links of the start pages lead to, and at most two pages whose addresses differ only
// in numbers, such as those of games.
func (f *markedFarm) crawl(client *http.Client) map[string]string {
	f.t.Helper()
	const most, mostAlike = 400, 2
	pages, alike := map[string]string{}, map[string]int{}
	todo := []string{"/", "/farm", "/metrics", "/farm/log", "/farm/keys", "/farm/people", "/farm/submit", "/farm/join",
		"/farm/connect", "/farm/t/marked", "/farm/m/rack", "/farm/m/mel", "/farm/m/mal",
		"/farm/p/rack", "/engines", "/compare", "/ratings", "/style", "/r/marked", "/r/marked/games", "/r/marked/faults",
		"/r/marked/time", "/r/marked/openings", "/r/marked/votes", "/r/marked/now", "/r/marked/live",
		"/api/v1/runs", "/api/v1/runs/marked", "/api/v1/runs/marked/games", "/debug/pprof/cmdline"}
	link, digits := regexp.MustCompile(`(?:href|src|action)="(/[^"#]*)"`), regexp.MustCompile(`[0-9]+`)
	for len(todo) > 0 {
		testutil.Require(f.t, len(pages) < most, "more than %d pages; these wait: %v", most, todo)
		path := todo[0]
		if todo = todo[1:]; pages[path] != "" || strings.HasPrefix(path, "/api/v1/live") ||
			strings.HasPrefix(path, "/farm/logout") {
			continue
		}
		body := f.get(client, path)
		pages[path] = body + " "
		for _, found := range link.FindAllStringSubmatch(body, -1) {
			to := strings.ReplaceAll(found[1], "&amp;", "&")
			kind := digits.ReplaceAllString(to, "0")
			if pages[to] == "" && !slices.Contains(todo, to) && alike[kind] < mostAlike {
				todo = append(todo, to)
				alike[kind]++
			}
		}
	}
	return pages
}
