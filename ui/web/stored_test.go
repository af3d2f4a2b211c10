package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/control"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/runner/events"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/stats"
)

// hostile is a name that must remain text: it has markup, the end of an attribute, a change of direction, and a great
// length.
var hostile = `<script>alert(1)</script>"' onload=x` + "\u202e" + strings.Repeat("é", 300)

// nobodyPlays is a machine on which no run is in play.
type nobodyPlays struct{}

func (nobodyPlays) Runs() []string         { return nil }
func (nobodyPlays) Hub(string) *events.Hub { return nil }
func (nobodyPlays) Control(context.Context, string, control.Command) error {
	return errors.New("nobody plays")
}

const testToken = "0123456789abcdef0123456789abcdef"

// shownRuns serves a database with these runs: 130 pairs of the first, and 1 of each of the others.
func shownRuns(t *testing.T, names ...string) *Server {
	t.Helper()
	path := filepath.Join(t.TempDir(), "web.db")
	store := testutil.Must(results.Open(t.Context(), path))(t)
	for i, name := range names {
		pairs := 1
		if i == 0 {
			pairs = 130
		}
		storeRun(t, store, name, pairs)
	}
	s := testutil.Must(Listen(t.Context(),
		Config{Addr: "127.0.0.1:0", Token: testToken, Store: store, Live: nobodyPlays{}}))(t)
	s.listTime = time.Minute // enough on a busy machine
	t.Cleanup(func() {
		if err := errors.Join(s.listener.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func planFor(name string, pairs int) *match.Plan {
	player := func(name string) match.Player {
		return match.Player{
			Name: name, Command: []string{"/secret/path", "--argument"}, Dir: "/secret/dir", Env: []string{"SECRET=1"},
			Limits:   match.Limits{Nodes: 1},
			Identity: match.Identity{Fixed: "id of " + name[:1]},
			Options:  []match.Option{{Name: "EvalDir", Value: "/secret/eval"}, {Name: "Threads", Value: "3"}},
		}
	}
	return &match.Plan{
		Run: name, Players: []match.Player{player(hostile), player("old")},
		Design:   match.Design{Kind: match.DesignMatch, Swap: true},
		Rules:    match.RulesProfiles()["default"],
		Openings: []match.Opening{{ID: "1", Start: "startpos"}, {ID: "b & c", Start: "startpos", Moves: moves("2g2f")}},
		Pairs:    pairs, PVPlies: 4,
	}
}

func moves(words ...string) (list []shogi.Move) {
	for _, w := range words {
		m, err := shogi.ParseMove(w)
		if err != nil {
			panic(err)
		}
		list = append(list, m)
	}
	return list
}

// storeRun stores pairs. Black wins leg 0 by resignation, and leg 1 is drawn by repetition. In every tenth pair White
// crashes in leg 1, and every 13th pair has a delay in leg 0. Game n.leg has n mod 7 + 2 plies more than its opening.
func storeRun(t *testing.T, store *results.Store, name string, pairs int) {
	t.Helper()
	plan := planFor(name, pairs)
	run := testutil.Must(store.Begin(t.Context(), plan))(t)
	for id := range pairs {
		testutil.Must(run.Add(t.Context(), matchtest.Games(plan.Pair(id), gameOf)))(t)
	}
	testutil.OK(t, run.Close())
}

func gameOf(g match.Game) match.Result {
	r := match.Result{Pair: g.Pair, Leg: g.Leg, Players: g.Players, Slot: g.Pair % 2, Started: time.Unix(1e9, 0),
		Ended: time.Unix(1e9+5, 0)}
	r.Record = kifu.Record{Start: startSFEN()}
	line := moves("7g7f", "3c3d", "6g6f", "8c8d", "7i7h", "7a6b", "5g5f", "5c5d")
	for _, m := range g.Opening.Moves {
		r.Record.Moves = append(r.Record.Moves, kifu.Move{Move: m, Opening: true})
	}
	if len(g.Opening.Moves) == 1 { // White is to move
		line = moves("3c3d", "7g7f", "8c8d", "6g6f", "7a6b", "7i7h", "5c5d", "5g5f")
	}
	for i := range g.Pair%7 + 2 {
		m := kifu.Move{Move: line[i], Time: 1500 * time.Millisecond, HasScore: true, Score: 100 + i, Depth: 5, Nodes: 1000,
			PV: line[i : i+1]}
		r.Record.Moves = append(r.Record.Moves, m)
		r.Sides[(len(g.Opening.Moves)+i)%2].Add(m, 0)
	}
	switch {
	case g.Leg == 0:
		r.Verdict, r.Marked = match.LossFor(shogi.White, match.Resignation, ""), g.Pair%13 == 0
	case g.Pair%10 == 0:
		r.Verdict = match.LossFor(shogi.White, match.Crash, "exit status 7 <b>SECRET; stderr: token=SECRET")
	default:
		r.Verdict = match.Verdict{Outcome: match.Draw, Termination: match.Repetition}
	}
	r.Record.Result, r.Record.Winner = r.Termination.String(), r.Outcome.String()
	return r
}

func startSFEN() string {
	p := shogi.StartPos()
	return p.SFEN()
}

// get requests a path as a browser on this machine does.
func get(t *testing.T, s *Server, path string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1"+path, nil)
	r.Header.Set("Accept", "text/html")
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	s.http.Handler.ServeHTTP(w, r)
	return w
}

func withToken(r *http.Request) { r.Header.Set("Authorization", "Bearer "+testToken) }

func asking(in language) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Accept-Language", string(in)) }
}

// nasty returns run names that a path could interpret as something else.
func nasty() []string {
	return []string{"plain", "a/b c?", "../x", "..", ".", "~", "~..", "%2e", "#1&b=c", hostile}
}

// TestEveryPageOfEveryRun requires that runs with any name have all their pages in both languages. No page has a name
// as markup, inline scripts or styles, or an empty link.
func TestEveryPageOfEveryRun(t *testing.T) {
	s := shownRuns(t, nasty()...)
	for _, run := range nasty() {
		for _, page := range []string{"", "/games", "/openings", "/time", "/faults", "/g/0.1", "/g/0.0?ply=1",
			"/games?opening=1&marked=1"} {
			for _, in := range []language{english, japanese} {
				w := get(t, s, pathOf(run)+page, asking(in))
				if w.Code != http.StatusOK {
					t.Errorf("%s%s: %d %s", pathOf(run), page, w.Code, w.Body)
					continue
				}
				checkInert(t, pathOf(run)+page, w.Body.String())
			}
		}
	}
	for _, page := range []string{"/", "/compare?a=plain&b=~", "/engines", "/ratings?run=plain", "/ratings", "/compare"} {
		w := get(t, s, page)
		testutil.Check(t, w.Code == http.StatusOK, "%s: %d %s", page, w.Code, w.Body)
		checkInert(t, page, w.Body.String())
	}
}

var (
	formValue    = regexp.MustCompile(` (value|data-live)="[^"]*"`) // invisible values that return unchanged
	moduleScript = regexp.MustCompile(`<script type="module" src="/assets/\w+\.js"></script>`)
)

func checkInert(t *testing.T, page, html string) {
	t.Helper()
	rest := formValue.ReplaceAllString(moduleScript.ReplaceAllString(html, ""), "")
	for _, bad := range []string{"<script", "<style", " style=", "\u202e", "ZgotmplZ", " onload=x\"", `href=""`, "<b>"} {
		if strings.Contains(rest, bad) {
			i := strings.Index(rest, bad)
			t.Errorf("%s has %q: …%s…", page, bad, rest[max(0, i-80):min(len(rest), i+80)])
		}
	}
}

// TestLinksLead requires that every link of every page reachable from the first one leads to a page, also for unusual
// names. So every state has a permanent link.
func TestLinksLead(t *testing.T) {
	s := shownRuns(t, "~..", "a/b c?")
	seen, queue := map[string]bool{"/": true}, []string{"/"}
	link := regexp.MustCompile(`(?:href|src)="([^"]+)"`)
	// number of pages, and the number after which the test skips further plies
	most, plies := testutil.ByLength(600, 1500), testutil.ByLength(100, 700)
	for len(queue) > 0 && len(seen) < most {
		at := queue[0]
		queue = queue[1:]
		w := get(t, s, at)
		testutil.Equal(t, w.Code, http.StatusOK, "%s", at)
		for _, m := range link.FindAllStringSubmatch(w.Body.String(), -1) {
			to := html.UnescapeString(m[1])
			base, _ := url.Parse(at)
			ref, err := base.Parse(to)
			testutil.Require(t, err == nil && ref.Host == "", "%s links %q: %v", at, to, err)
			next := ref.RequestURI()
			if strings.HasPrefix(to, "#") || ref.Path == "/login" || strings.Contains(next, "lang=") ||
				strings.Contains(next, "ply=") && len(seen) > plies || seen[next] {
				continue
			}
			seen[next] = true
			queue = append(queue, next)
		}
	}
	testutil.Check(t, len(seen) >= 500, "only %d pages were reached", len(seen))
}

// TestWhatIsNotThere requires that the page for an unknown name lists the existing ones. An invalid query gets the
// expected form.
func TestWhatIsNotThere(t *testing.T) {
	s := shownRuns(t, "plain")
	for path, want := range map[string]struct {
		code int
		says string
	}{
		"/r/nope":                             {404, "/r/plain"},
		"/r/plain/g/99999.0":                  {404, "/r/plain/games"},
		"/r/plain/g/0.7":                      {404, "/r/plain/games"},
		"/r/plain/g/00.0":                     {404, "/r/plain/games"},
		"/r/plain/g/0.0.exe":                  {404, "/r/plain/games"},
		"/r/plain/votes":                      {404, "No player of plain is a council."},
		"/nothing":                            {404, "There is no page /nothing."},
		"/r/plain/games?foo=1":                {400, "foo"},
		"/r/plain/games?player=x":             {400, "expected one of"},
		"/r/plain/games?result=win":           {400, "expected player"},
		"/r/plain/games?result=x":             {400, "expected one of black"},
		"/r/plain/games?colour=red":           {400, "black or white"},
		"/r/plain/games?colour=black":         {400, "expected player"},
		"/r/plain/games?min=-1":               {400, "number of plies"},
		"/r/plain/games?max=1e9":              {400, "number of plies"},
		"/r/plain/games?after=x":              {400, "12.0"},
		"/r/plain/games?after=1.0&before=2.0": {400, "one of them"},
		"/r/plain/games?min=1&min=2":          {400, "twice"},
		"/r/plain/games?marked=yes":           {400, "expected 1"},
		"/r/plain/g/0.0?ply=x":                {400, "from 0 to 3"},
		"/r/plain/g/0.0?ply=4":                {400, "from 0 to 3"},
		"/r/plain/g/0.0?ply=-1":               {400, "from 0 to 3"},
		"/compare?a=plain&b=nope":             {404, "/r/plain"},
		"/compare?x=1":                        {400, "opponent"},
		"/ratings?run=nope":                   {404, "/r/plain"},
		"/ratings?run=plain&anchor=nobody":    {200, "Anchor: nobody has no games here"},
		"/ratings?run=plain&anchor=x%3Dy":     {200, "Anchor: &#34;x=y&#34; is not NAME"},
		"/engines?run=nope":                   {404, "/r/plain"},
		"/api/v1/runs/nope":                   {404, "There is no run"},
	} {
		if w := get(t, s, path); w.Code != want.code || !strings.Contains(w.Body.String(), want.says) {
			t.Errorf("%s: %d, want %d with %q: %s", path, w.Code, want.code, want.says, w.Body)
		}
	}
}

// TestPaths requires that a browser does not change the path of any name, and that the name can be read back.
func TestPaths(t *testing.T) {
	for _, run := range append(nasty(), "", "~~x") {
		at := pathOf(run)
		u := testutil.Must(url.Parse("http://h" + at + "/games"))(t)
		if back := u.JoinPath("x"); back.EscapedPath() != at+"/games/x" {
			t.Errorf("%q: %s became %s", run, at, back.EscapedPath())
		}
		segment, err := url.PathUnescape(strings.TrimPrefix(at, "/r/"))
		testutil.Check(t, err == nil && strings.TrimPrefix(segment, "~") == run &&
			!strings.Contains(strings.TrimPrefix(at, "/r/"), "/"),
			"%q became %q", run, segment)
	}
}

// names returns the games of a page of the list.
func names(page string) (list []string) {
	for _, m := range regexp.MustCompile(`<th scope="row"><a href="[^"]*">(\d+\.\d)</a>`).FindAllStringSubmatch(page, -1) {
		list = append(list, m[1])
	}
	return list
}

// TestFilters compares the games of each filter with the games that storeRun stored.
func TestFilters(t *testing.T) {
	s := shownRuns(t, "plain")
	whole := func(keep func(pair, leg int) bool) (list []string) {
		for pair := range 130 {
			for leg := range 2 {
				if keep(pair, leg) {
					list = append(list, fmt.Sprintf("%d.%d", pair, leg))
				}
			}
		}
		return list
	}
	// The hostile player has Black in leg 0, and Black wins it.
	plan := planFor("plain", 130)
	opening := func(pair int) match.Opening { return plan.Pair(pair).Opening }
	for query, want := range map[string][]string{
		"":                                    whole(func(int, int) bool { return true }),
		"termination=crash":                   whole(func(p, l int) bool { return l == 1 && p%10 == 0 }),
		"termination=crash&slowed=1":          nil,
		"slowed=1":                            whole(func(p, l int) bool { return l == 0 && p%13 == 0 }),
		"marked=1":                            whole(func(p, l int) bool { return l == 0 && p%13 == 0 }),
		"result=draw":                         whole(func(p, l int) bool { return l == 1 && p%10 != 0 }),
		"result=black":                        whole(func(p, l int) bool { return l == 0 || p%10 == 0 }),
		"player=old&result=win":               whole(func(p, l int) bool { return l == 1 && p%10 == 0 }),
		"player=old&result=loss":              whole(func(_, l int) bool { return l == 0 }),
		"player=old&colour=black":             whole(func(_, l int) bool { return l == 1 }),
		"player=old&colour=white&result=draw": nil,
		"opening=b+%26+c":                     whole(func(p, _ int) bool { return opening(p).ID == "b & c" }),
		"min=8&max=8":                         whole(func(p, _ int) bool { return p%7+2+len(opening(p).Moves) == 8 }),
		"player=" + url.QueryEscape(hostile) +
			"&termination=repetition": whole(func(p, l int) bool { return l == 1 && p%10 != 0 }),
	} {
		var got []string
		next, pages := "/r/plain/games?"+query, 0
		var back string
		for ; next != "" && pages < 9; pages++ {
			page := get(t, s, next).Body.String()
			got = append(got, names(page)...)
			if pages == 1 {
				back = turnTo(page, "prev")
			}
			next = turnTo(page, "next")
		}
		testutil.Check(t, slices.Equal(got, want), "%s: %d games %v, want %d %v", query, len(got), got, len(want), want)
		if pages > 1 {
			testutil.Slices(t, names(get(t, s, back).Body.String()), want[:gamesOnAPage], "%s: back", query)
		}
	}
}

func turnTo(page, rel string) string {
	m := regexp.MustCompile(`rel="` + rel + `" href="([^"]+)"`).FindStringSubmatch(page)
	if m == nil {
		return ""
	}
	return html.UnescapeString(m[1])
}

// TestGameAtAPly requires that the board, the text and the links of a ply belong to the stored moves.
func TestGameAtAPly(t *testing.T) {
	s := shownRuns(t, "plain")
	for ply := range 5 {
		p := shogi.StartPos()
		game := gameOf(planFor("plain", 130).Pair(2).Game(0))
		for _, m := range game.Record.Moves[:ply] {
			p.Apply(m.Move)
		}
		page := get(t, s, fmt.Sprintf("/r/plain/g/2.0?ply=%d", ply)).Body.String()
		testutil.Check(t, strings.Contains(page, `data-part="sfen">`+p.SFEN()+"<") &&
			strings.Contains(page, fmt.Sprintf(`data-ply="%d"`, ply)),
			"ply %d: no position %s", ply, p.SFEN())
		for square := range shogi.NoSquare {
			if piece := p.PieceAt(square); piece != shogi.NoPiece &&
				!strings.Contains(page, fmt.Sprintf(`data-square="%s" data-colour="%s"`, square, piece.Colour())) {
				t.Errorf("ply %d: no %s piece on %s", ply, piece.Colour(), square)
			}
		}
		testutil.Equal(t, strings.Contains(page, fmt.Sprintf(`data-to="%d">▶<`, ply+1)), (ply < len(game.Record.Moves)),
			"ply %d: a step on", ply)
	}
	page := html.UnescapeString(get(t, s, "/r/plain/g/0.1").Body.String())
	for _, want := range []string{`data-ply="3"`, "exit status 7 …", `href="/r/plain/g/0.0"`, "−100", "+101"} {
		testutil.Contains(t, page, want, "the game's page has no")
	}
	testutil.Contains(t, get(t, s, "/r/plain/g/0.1", withToken).Body.String(), "exit status 7 &lt;b&gt;",
		"a holder of the token reads the whole note")
}

// TestDownloads requires that each file contains the stored game and has a file name. It checks CSA, KIF and USI files
// by lines of their text, and JSON by its fields.
func TestDownloads(t *testing.T) {
	s := shownRuns(t, "a/b \"c")
	pair := 1 // one more than a multiple of 7, so it has three plies after the opening without moves
	for plan := planFor("", 130); plan.Pair(pair).Opening.ID != "1"; {
		pair += 7
	}
	plain := fmt.Sprintf("%d.0", pair)
	for kind, want := range map[string][]string{
		"csa": {"V2.2\n", "N-old\n", "$EVENT:a/b \"c/" + plain + "\n", "+7776FU\nT1\n", "-3334FU\nT1\n'** -101\n",
			"%TORYO\n", "'gogi:resignation:\n"},
		"kifu": {"後手：old\n", "   1 ７六歩(77)   ( 0:01/00:00:01)\n**対局 深さ 5 ノード数 1000 評価値 100 読み筋 ▲７六歩(77)\n", "   4 投了\n"},
		"usi":  {"position startpos moves 7g7f 3c3d 6g6f\n"},
	} {
		w := get(t, s, pathOf("a/b \"c")+"/g/"+plain+"."+kind)
		testutil.Equal(t, w.Header().Get("Content-Disposition"), `attachment; filename="a_b__c-`+plain+`.`+kind+`"`, "%s",
			kind)
		for _, text := range want {
			testutil.Check(t, strings.Contains(w.Body.String(), text), "%s has no %q:\n%s", kind, text, w.Body)
		}
	}
	var game struct {
		Pair, Leg int
		Moves     []struct {
			Move  string
			Score int
		}
	}
	w := get(t, s, pathOf("a/b \"c")+"/g/"+plain+".json")
	if err := json.Unmarshal(w.Body.Bytes(), &game); err != nil || game.Pair != pair || len(game.Moves) != 3 ||
		game.Moves[1].Move != "3c3d" || game.Moves[1].Score != 101 {
		t.Errorf("%+v, %v", game, err)
	}
}

// TestPathsAreForHolders requires the token for paths, arguments and environment of engines. With it, the page of
// engines shows them.
func TestPathsAreForHolders(t *testing.T) {
	s := shownRuns(t, "plain")
	pages := []string{"/", "/r/plain", "/r/plain/games", "/r/plain/g/0.0", "/r/plain/g/0.0.json", "/r/plain/time",
		"/r/plain/faults", "/r/plain/g/0.1", "/r/plain/g/0.1.json", "/r/plain/g/0.1.kifu", "/r/plain/g/0.1.csa",
		"/r/plain/games?termination=crash", "/engines", "/api/v1/runs", "/api/v1/runs/plain", "/api/v1/runs/plain/games"}
	for _, page := range pages {
		for _, secret := range []string{"secret", "SECRET", "--argument"} {
			w := get(t, s, page)
			testutil.Check(t, !strings.Contains(w.Body.String(), secret), "%s tells %q", page, secret)
		}
	}
	for _, page := range []string{"/r/plain/faults", "/r/plain/g/0.1", "/r/plain/g/0.1.json", "/api/v1/runs/plain/games"} {
		testutil.Contains(t, get(t, s, page, withToken).Body.String(), "token=SECRET", "%s as a holder sees it", page)
	}
	page := get(t, s, "/engines", withToken).Body.String()
	for _, want := range []string{"/secret/path --argument", "SECRET=1", "/secret/dir"} {
		testutil.Contains(t, page, want, "a holder is not told")
	}
}

// TestAPIIsTheCommands requires that the JSON has the numbers of the run, as the output of the command.
func TestAPIIsTheCommands(t *testing.T) {
	s := shownRuns(t, "plain")
	var rep struct {
		Run          string
		Games, Pairs int
		Faults       []struct{ Count int }
	}
	w := get(t, s, "/api/v1/runs/plain")
	if err := json.Unmarshal(w.Body.Bytes(), &rep); err != nil || rep.Run != "plain" || rep.Games != 260 ||
		rep.Pairs != 130 || len(rep.Faults) != 1 || rep.Faults[0].Count != 13 {
		t.Errorf("%+v, %v", rep, err)
	}
	var list struct{ Games []struct{ Pair, Leg int } }
	w = get(t, s, "/api/v1/runs/plain/games")
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || len(list.Games) != 260 || list.Games[259].Pair != 129 {
		t.Errorf("%d games, %v", len(list.Games), err)
	}
	var runs struct{ Runs []struct{ Name string } }
	w = get(t, s, "/api/v1/runs")
	if err := json.Unmarshal(w.Body.Bytes(), &runs); err != nil || len(runs.Runs) != 1 || runs.Runs[0].Name != "plain" {
		t.Errorf("%+v, %v", runs, err)
	}
}

// TestRunsSayHowTheyEnded requires that the list of runs and the run's page show how a run ended, in both languages.
func TestRunsSayHowTheyEnded(t *testing.T) {
	t.Parallel()
	s := shownRuns(t, "over")
	storeEnded(t, s.config.Store, "told", stats.SPRT{}, match.RunStopping)
	storeEnded(t, s.config.Store, "cut", stats.SPRT{}, "")
	storeEnded(t, s.config.Store, "gated", stats.SPRT{Elo1: 400, Alpha: 0.4, Beta: 0.4, Model: stats.ModelLogistic}, "")
	for in, words := range map[language]map[string]string{
		english:  {"over": "finished", "told": "stopped", "cut": "unfinished", "gated": "SPRT passed"},
		japanese: {"over": "終了", "told": "中止", "cut": "未終了", "gated": "SPRT 合格"},
	} {
		list := get(t, s, "/", asking(in)).Body.String()
		for name, want := range words {
			_, row, _ := strings.Cut(list, `href="/r/`+name+`"`)
			row, _, _ = strings.Cut(row, "</tr>")
			short := strings.TrimPrefix(want, "SPRT ")
			testutil.Contains(t, row, ">"+short+"</strong>", "%s: the list says", name)
			testutil.Contains(t, get(t, s, "/r/"+name, asking(in)).Body.String(), ">"+want+"</strong>",
				"%s: its page does not say %q", name, want)
		}
	}
}

// storeEnded stores half of a run in which the first player wins every game, and then the phase.
func storeEnded(t *testing.T, store *results.Store, name string, gate stats.SPRT, told match.RunPhase) {
	t.Helper()
	const pairs = 20
	plan := planFor(name, 2*pairs)
	plan.Gate = gate
	plan.Openings = nil
	p := shogi.StartPos()
	for _, m := range p.LegalMoves(nil)[:pairs] {
		plan.Openings = append(plan.Openings, match.Opening{ID: m.String(), Start: "startpos", Moves: []shogi.Move{m}})
	}
	run := testutil.Must(store.Begin(t.Context(), plan))(t)
	for id := range pairs {
		pair := matchtest.Games(plan.Pair(id), func(g match.Game) match.Result {
			loser := shogi.White
			if g.Players[0] != 0 {
				loser = shogi.Black
			}
			r := match.Result{Pair: id, Leg: g.Leg, Players: g.Players, Started: time.Unix(1e9, 0), Ended: time.Unix(1e9+5, 0),
				Record: kifu.Record{Start: startSFEN()}}
			r.Record.Moves = []kifu.Move{{Move: g.Opening.Moves[0], Opening: true}}
			r.Verdict = match.LossFor(loser, match.Resignation, "")
			r.Record.Result, r.Record.Winner = r.Termination.String(), r.Outcome.String()
			return r
		})
		testutil.Must(run.Add(t.Context(), pair))(t)
	}
	if told != "" {
		testutil.OK(t, run.Change(t.Context(), plan.Pairs, 1, told))
	}
	testutil.OK(t, run.Close())
}
