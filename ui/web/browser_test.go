package web

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gogi/internal/testutil"
	"gogi/results"
	"gogi/shogi"
)

// markup is a hostile engine name.
const markup = `<script>window.pwned=1</script><img src=x onerror="window.pwned=2">"'&{{.}}`

// browser is one chromium for all tests. Pages are its tabs.
type browser struct{ ctx context.Context }

// startBrowser skips the test without a chromium, unless GOGI_REAL_BROWSER requires one.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(testutil.Chromium(t)), chromedp.NoSandbox,
		chromedp.Flag("renderer-process-limit", "1"), chromedp.WSURLReadTimeout(90*time.Second))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewContext(ctx)
	t.Cleanup(stop)
	testutil.OK(t, chromedp.Do(ctx, chromedp.Navigate("about:blank")))
	return &browser{ctx}
}

// browserTab is a page with the errors that its console logged.
type browserTab struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string
}

// patient is the time limit of an action in the browser on a busy machine.
const patient = 2 * time.Minute

// tab opens a page that shares the browser's cookies with other pages. All of these pages have one process.
func (b *browser) tab(t *testing.T) *browserTab { t.Helper(); return b.open(t) }

// stranger opens a page with cookies of its own, so it has a process of its own.
func (b *browser) stranger(t *testing.T) *browserTab {
	t.Helper()
	return b.open(t, chromedp.WithNewBrowserContext())
}

func (b *browser) open(t *testing.T, options ...chromedp.ContextOption) *browserTab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx, options...)
	t.Cleanup(cancel)
	ctx, late := context.WithTimeout(ctx, 3*patient)
	t.Cleanup(late)
	p := &browserTab{t: t, ctx: ctx}
	testutil.OK(t, chromedp.Listen(ctx, func(e any) {
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			p.complain(fmt.Sprint(e.ExceptionDetails))
		case *runtime.EventConsoleAPICalled:
			p.complain(fmt.Sprint(e.Type))
		case *cdplog.EventEntryAdded:
			p.complain(e.Entry.Text)
		}
	}))
	p.do(chromedp.EmulateViewport(1280, 900))
	testutil.Must(chromedp.Call(ctx, cdplog.Enable, cdp.Empty{}))(t)
	testutil.Must(chromedp.Call(ctx, emulation.SetFocusEmulationEnabled,
		emulation.SetFocusEmulationEnabledParams{Enabled: true}))(t)
	return p
}

func (p *browserTab) complain(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complaints = append(p.complaints, text)
}

// forget drops the errors that the console logged so far.
func (p *browserTab) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complaints = nil
}

// quiet fails if the console logged an error or a violation of the content security policy.
func (p *browserTab) quiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.complaints {
		p.t.Errorf("the console says: %s", c)
	}
}

func (p *browserTab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	testutil.OK(p.t, chromedp.Do(p.ctx, steps...))
}

func (p *browserTab) open(url string) {
	p.t.Helper()
	err := chromedp.Do(p.ctx, chromedp.Navigate(url))
	for tries := 1; tries < 9 && err != nil && strings.Contains(err.Error(), "net::ERR_ABORTED"); tries++ {
		err = chromedp.Do(p.ctx, chromedp.Navigate(url)) // the page before was loading itself again
	}
	testutil.OK(p.t, err)
}

// follow runs steps that lead to another page, and waits for it.
func (p *browserTab) follow(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	testutil.Must(chromedp.RunResponse(p.ctx, steps...))(p.t)
}

// says returns the value of an expression.
func says[T any](p *browserTab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	testutil.OK(p.t, err, "%s", expression)
	return v
}

// eventually returns the value of a promise.
func eventually[T any](p *browserTab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	testutil.OK(p.t, err, "%s", expression)
	return v
}

// until waits for an expression to be true.
func (p *browserTab) until(expression string) {
	p.t.Helper()
	poll := chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(patient/2),
		chromedp.WithPollingInterval(20*time.Millisecond))
	_, err := chromedp.Run(p.ctx, poll)
	for leftThePage(err) {
		_, err = chromedp.Run(p.ctx, poll)
	}
	if err != nil {
		p.t.Fatalf("waiting for %s: %v\n%s", expression, err, says[string](p, "document.body.innerText"))
	}
}

// leftThePage reports whether the page of an expression was replaced by another page.
func leftThePage(err error) bool {
	e, ok := errors.AsType[*cdproto.Error](err)
	return ok && e.Code == -32000
}

// site is a server on a real address.
type site struct {
	*Server
	ended chan error
	end   context.CancelFunc
}

func openSite(t *testing.T, c Config) *site {
	t.Helper()
	if c.Addr == "" {
		c.Addr = "127.0.0.1:0"
	}
	if c.Store == nil {
		store := testutil.Must(results.Open(t.Context(), filepath.Join(t.TempDir(), "games.db")))(t)
		t.Cleanup(func() { _ = store.Close() })
		c.Store = store
	}
	s := testutil.Must(Listen(t.Context(), c))(t)
	ctx, end := context.WithCancel(context.Background())
	h := &site{Server: s, ended: make(chan error, 1), end: end}
	go func() { h.ended <- s.Serve(ctx) }()
	t.Cleanup(h.close)
	return h
}

func (h *site) close() {
	h.end()
	h.ended <- <-h.ended // close may run again
}

// kill closes every connection, as the end of the process does.
func (h *site) kill() {
	_ = h.http.Close()
	h.close()
}

// kanji by SFEN letter, written independently of the packages that draw.
var kanji = map[string]string{
	"P": "歩", "L": "香", "N": "桂", "S": "銀", "G": "金", "B": "角", "R": "飛", "K": "玉",
	"+P": "と", "+L": "杏", "+N": "圭", "+S": "全", "+B": "馬", "+R": "龍",
}

// want returns what a picture of a position must contain: pieces by square, and hands.
func want(position shogi.Position) []string {
	var all []string
	for s := range shogi.NoSquare {
		if p := position.PieceAt(s); p != shogi.NoPiece {
			all = append(all, fmt.Sprintf("%s %s %s", s, p.Colour(), kanji[strings.ToUpper(p.String())]))
		}
	}
	for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
		hand := c.String() + " "
		for _, letter := range "RBGSNLP" {
			p, _, _ := strings.Cut("P1L2N3S4B5R6G7", string(letter))
			n := position.Hand(c, shogi.PieceType(len(p)/2+1))
			if n > 0 {
				hand += kanji[string(letter)]
			}
			if n > 1 {
				hand += fmt.Sprint(n)
			}
		}
		all = append(all, hand)
	}
	slices.Sort(all)
	return all
}

// drawn returns what a picture in the page shows, in the form of want.
const drawn = `(seat => [
	...[...seat.querySelectorAll('[data-square]')].map(g => g.dataset.square + ' ' + g.dataset.colour + ' ' + g.textContent),
	...[...seat.querySelectorAll('.sd-hand')].map(g => g.dataset.hand + ' ' + g.textContent.replace('–', '')),
])`

// geometry returns the position of every element of a picture, drawn by the server or by the script.
const geometry = `(svg => [...svg.querySelectorAll('[data-square], .sd-from, .sd-to, .sd-hand text')].map(e =>
	[e.textContent, ...['class', 'transform', 'x', 'y', 'width', 'font-size'].map(a => e.getAttribute(a))].join('|')).sort())`

// TestBrowser tests the pages in a real browser. Its parts wait most of the time, so they run in parallel.
func TestBrowser(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	parts := map[string]func(*testing.T){
		"board": b.testBoard, "hostile": b.testHostile, "no script": b.testNoScript, "orders": b.testOrders,
		"stored":  b.testStored,
		"council": b.testCouncil, "ended": b.testEnded, "tune": b.testTune, "reload": b.testReload,
		"languages": b.testLanguages, "axe": b.testAxe,
	}
	if testutil.Long() { // these are the same pages in other states
		maps.Copy(parts, map[string]func(*testing.T){
			"narrow": b.testNarrow, "restart": b.testRestart, "slots": b.testSlots, "killed": b.testKilled,
			"undrawn":        b.testUndrawn,
			"stored council": b.testStoredCouncil,
		})
	}
	for name, part := range parts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part(t)
		})
	}
}

// testBoard requires that the board of a game in play shows its moves at every ply. The server and the script draw the
// same board, on the page of boards and on the game's page.
func (b *browser) testBoard(t *testing.T) {
	s := newStage("run", 2)
	h := openSite(t, Config{Live: playing(s)})
	s.step(0, 0, 200)
	boards, game := b.tab(t), b.tab(t)
	boards.open(h.URL() + "r/run/live")
	game.open(h.URL() + "r/run/g/0.0")
	// at the end, hands have several pieces of a kind, and pieces are promoted
	for ply := 1; ply <= testutil.ByLength(80, 120); ply++ {
		s.step(0, ply*ply, 200)
		if ply%8 != 0 {
			continue
		}
		position := s.tables[0].board
		for _, p := range []*browserTab{boards, game} {
			p.until(fmt.Sprintf(`document.querySelector('[data-seat="/0"] [data-f=picture]').dataset.sfen === %q`,
				position.SFEN()))
			got := says[[]string](p, drawn+`(document.querySelector('[data-seat="/0"]'))`)
			slices.Sort(got)
			if !slices.Equal(got, want(position)) {
				t.Fatalf("ply %d:\n%q, want\n%q", ply, got, want(position))
			}
		}
	}
	same := eventually[bool](boards, `fetch(location).then(r => r.text()).then(text => {
		const served = new DOMParser().parseFromString(text, 'text/html').querySelector('[data-seat="/0"] svg');
		const shown = document.querySelector('[data-seat="/0"] svg');
		return JSON.stringify(`+geometry+`(served)) === JSON.stringify(`+geometry+`(shown));
	})`)
	testutil.Check(t, same, "the script draws otherwise than the server")
	s.end(0)
	game.until(`document.querySelector('[data-f=words]').textContent === 'Black won · resignation'`)
	s.step(0, 0, 200) // the slot plays another game
	game.until(`document.querySelector('[data-f=words]').textContent === 'Black won · resignation'`)
	boards.quiet()
	game.quiet()
}

// testReload requires that a page that is loaded again has the same content.
func (b *browser) testReload(t *testing.T) {
	s := newStage("run", 3)
	h := openSite(t, Config{Live: playing(s)})
	for i := range 100 {
		s.step(i%3, i*i, 20)
	}
	p := b.tab(t)
	p.open(h.URL() + "r/run/live")
	for i := range 30 { // the last event is a move of slot 2, so its position shows that the page has all events
		s.step(i%3, i, 20)
	}
	p.until(fmt.Sprintf(`document.querySelector('[data-seat="/2"] [data-f=picture]').dataset.sfen === %q`,
		s.tables[2].board.SFEN()))
	shown := `(live => [...live.querySelectorAll('svg')].map(` + geometry +
		`).join('\n') + [...live.querySelectorAll('[data-f]:not([data-f=picture])')].map(e => e.textContent).join('|'))(document.querySelector('[data-live]'))`
	before := says[string](p, shown)
	p.do(chromedp.Reload())
	testutil.Equal(t, says[string](p, shown), before, "before")
	p.quiet()
}

// testRestart requires that a page continues after the server was killed and started again, and shows nothing twice. It
// logs the time, which should be less than five seconds.
func (b *browser) testRestart(t *testing.T) {
	s := newStage("run", 2)
	live := playing(s)
	h := openSite(t, Config{Live: live})
	p := b.tab(t)
	s.step(0, 0, 99)
	p.open(h.URL() + "r/run/live")
	p.until(`document.querySelectorAll('[data-seats] [data-seat]').length === 2`)
	h.kill()
	p.until(`document.querySelector('[data-f=link]').textContent !== ''`)
	for i := range 10 {
		s.step(0, i, 99)
	}
	openSite(t, Config{Live: live, Addr: h.listener.Addr().String()})
	back := time.Now()
	p.until(fmt.Sprintf(`document.querySelector('[data-seat="/0"] [data-f=picture]').dataset.sfen === %q`,
		s.tables[0].board.SFEN()))
	t.Logf("back after %v", time.Since(back))
	p.until(`document.querySelector('[data-f=link]').textContent === ''`)
	testutil.Equal(t, says[int](p,
		`document.querySelectorAll('[data-seats] [data-seat], [data-more] [data-seat]').length`), 2, "seats")
}

// testUndrawn ends the connection before the pictures of the pieces arrive. The page shows that it is not connected,
// and continues when the server answers.
func (b *browser) testUndrawn(t *testing.T) {
	s := newStage("run", 2)
	s.step(0, 0, 99)
	at := testutil.Must(url.Parse(openSite(t, Config{Live: playing(s)}).URL()))(t)
	way := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) }, FlushInterval: -1}
	var asked, there atomic.Int32
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/assets/pieces.svg" {
			asked.Add(1)
			if there.Load() == 0 {
				panic(http.ErrAbortHandler)
			}
		}
		way.ServeHTTP(w, r)
	}))
	t.Cleanup(between.Close)
	t.Cleanup(between.CloseClientConnections) // closes the stream of the page
	p := b.tab(t)
	p.open(between.URL + "/r/run/live")
	p.until(`document.querySelector('[data-f=link]').textContent !== ''`)
	there.Store(1)
	p.until(`document.querySelector('[data-f=link]').textContent === ''`)
	s.step(0, 1, 99)
	p.until(fmt.Sprintf(`document.querySelector('[data-seat="/0"] [data-f=picture]').dataset.sfen === %q`, s.tables[0].board.SFEN()))
	if asked.Load() < 2 {
		t.Errorf("asked for pieces %d times", asked.Load())
	}
}

// testSlots requires boards for up to 24 slots and rows for the others, also for later slots.
func (b *browser) testSlots(t *testing.T) {
	s := newStage("run", 26)
	h := openSite(t, Config{Live: playing(s)})
	for i := range 26 {
		s.step(i, 0, 99)
	}
	p := b.tab(t)
	p.open(h.URL() + "r/run/live")
	count := `[document.querySelectorAll('[data-seats] > article').length, document.querySelectorAll('[data-more] tr[data-seat]').length]`
	testutil.Slices(t, says[[]int](p, count), []int{24, 2})
	for range 4 {
		s.tables = append(s.tables, &table{pair: -1})
	}
	for i := range 30 {
		s.step(i, i, 99)
	}
	p.until(`document.querySelectorAll('[data-more] tr[data-seat]').length === 6`)
	p.until(`document.querySelector('tr[data-seat="/29"] [data-f=game]').textContent === '29.0'`)
	testutil.Slices(t, says[[]int](p, count), []int{24, 6})
	p.quiet()
}

// testHostile requires that engine names are text, both from the server and from the script.
func (b *browser) testHostile(t *testing.T) {
	s := newStage("a/b ?<i>#1", 1, markup, markup)
	h := openSite(t, Config{Live: playing(s)})
	p := b.tab(t)
	p.open(h.URL() + "r/a%2Fb%20%3F%3Ci%3E%231/live")
	s.step(0, 0, 99)
	s.step(0, 0, 99)
	name := `document.querySelector('.who').textContent`
	p.until(name + ` !== ''`)
	s.end(0)
	p.until(`document.querySelector('[data-f=words]').textContent.startsWith('Black won')`)
	for range 2 {
		testutil.Equal(t, says[string](p, name), markup, "the name")
		if says[bool](p,
			`'pwned' in window || document.querySelector('main script:not([type]), main img, main i') !== null`) {
			t.Error("it was taken for HTML")
		}
		p.do(chromedp.Reload())
	}
	testutil.Equal(t, says[string](p, `document.querySelector('a[data-f=game]').getAttribute('href')`),
		"/r/a%2Fb%20%3F%3Ci%3E%231/g/0.0", "the game")
	p.quiet()
}

// testNoScript requires that the page has its boards without scripts.
func (b *browser) testNoScript(t *testing.T) {
	s := newStage("run", 2)
	h := openSite(t, Config{Live: playing(s)})
	for i := range 30 {
		s.step(i%2, i, 99)
	}
	p := b.tab(t)
	testutil.Must(chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true}))(t)
	for _, path := range []string{"r/run/live", "r/run/g/0.0"} {
		p.open(h.URL() + path)
		got := says[[]string](p, drawn+`(document.querySelector('[data-seat="/0"]'))`)
		slices.Sort(got)
		testutil.Slices(t, got, want(s.tables[0].board), "%s", path)
	}
	s.step(0, 0, 99)
	testutil.Equal(t, h.Watching(), 0, "a script runs all the same")
	p.quiet()
}

// testNarrow requires that no page is wider than a phone.
func (b *browser) testNarrow(t *testing.T) {
	s := newStage("a-run-with-a-name-that-is-longer-than-a-telephone-is-wide-by-far", 26, strings.Repeat("Engine", 12),
		markup)
	h := openSite(t, Config{Live: playing(s), Token: strings.Repeat("t", 32)})
	for i := range 300 {
		s.step(i%26, i, 99)
	}
	p := b.tab(t)
	p.do(chromedp.EmulateViewport(375, 800))
	for _, path := range []string{"", "login", pathOf(s.run)[1:] + "/live", pathOf(s.run)[1:] + "/g/3.0"} {
		p.open(h.URL() + path)
		width := says[int](p, `document.documentElement.scrollWidth`)
		testutil.Check(t, width <= 375, "/%s is %d wide", path, width)
	}
	p.quiet()
}

// testLanguages requires that a page has the language that the browser requests or the user chose. The link to the
// other language leads to the same page.
func (b *browser) testLanguages(t *testing.T) {
	s := newStage("run", 1)
	h := openSite(t, Config{Live: playing(s)})
	s.step(0, 0, 99)
	p := b.stranger(t)
	testutil.OK(t, testutil.Err(chromedp.Call(p.ctx, network.SetExtraHTTPHeaders,
		network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": "ja,en;q=0.5"}})))
	p.open(h.URL() + "r/run/live?x=1&lang=en&y=%26")
	testutil.Equal(t, says[string](p,
		`document.documentElement.lang + document.querySelector('[data-f=words]').textContent`), "enplaying", "chosen")
	p.follow(chromedp.Click(chromedp.CSS(`a[hreflang=ja]`)))
	testutil.Equal(t, says[string](p, `document.documentElement.lang`), "ja", "the choice leads to a page")
	testutil.Equal(t, says[string](p, `location.search`), "?lang=ja&x=1&y=%26", "the choice leads")
	s.end(0)
	p.until(`document.querySelector('[data-f=words]').textContent === '先手勝ち · 投了'`)
	if says[bool](p, `/[a-z]{4}/i.test(document.querySelector('.pulse').textContent)`) {
		t.Errorf("half in English: %s", says[string](p, `document.querySelector('.pulse').textContent`))
	}
	p.quiet()
}

// testOrders requires that a user with the token can log in and send commands with forms. A rejection is shown as text.
func (b *browser) testOrders(t *testing.T) {
	s := newStage("run", 1)
	live := playing(s)
	token := strings.Repeat("0123456789abcdef", 2)
	h := openSite(t, Config{Live: live, Token: token})
	s.step(0, 0, 99)
	p := b.stranger(t)
	p.open(h.URL() + "r/run/live")
	testutil.Check(t, !says[bool](p, `document.querySelector('.order') !== null`), "there are buttons without a token")
	p.open(h.URL() + "login")
	p.follow(chromedp.SendKeys(chromedp.CSS("#token"), token+"\r"))
	p.open(h.URL() + "r/run/live")
	press := func(verb string) {
		t.Helper()
		p.until(`document.querySelector('.order') !== null`)
		p.follow(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(
			`{ const f = document.querySelector('form[action$="/%s"]'); const n = f.querySelector('input'); if (n) n.value = 5; f.querySelector('button').click(); undefined }`, verb)))
	}
	press("pause")
	press("concurrency")
	live.mu.Lock()
	live.refuse = fmt.Errorf("no room for <b>5</b>")
	live.mu.Unlock()
	press("concurrency")
	testutil.Equal(t, says[string](p, `document.querySelector('[role=alert]').textContent`), "no room for <b>5</b>",
		"refused")
	live.mu.Lock()
	defer live.mu.Unlock()
	testutil.Slices(t, live.orders, []string{"run pause 0", "run concurrency 5", "run concurrency 5"})
}

// testStored requires that the pages of stored runs fit on a phone, with the script and without it: the report, the
// games, and a game's board at a ply. Keys step through a game.
func (b *browser) testStored(t *testing.T) {
	s := httptest.NewServer(shownRuns(t, "run").http.Handler)
	defer s.Close()
	for _, off := range []bool{true, false} {
		p := b.tab(t)
		p.do(chromedp.EmulateViewport(375, 800))
		testutil.Must(chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: off}))(t)
		paths := []string{"", "r/run", "r/run/games", "r/run/openings", "r/run/time", "r/run/faults", "engines", "ratings",
			"compare", "r/run/g/0.0?ply=1"}
		if off && !testutil.Long() { // the script changes only the last of these pages
			paths = paths[9:]
		}
		for _, path := range paths {
			p.open(s.URL + "/" + path)
			if width := says[int](p, `document.documentElement.scrollWidth`); width > 375 {
				t.Errorf("/%s is %d wide: %s", path, width,
					says[[]string](p,
						`[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().width > 380).map(e => e.getBoundingClientRect().width + e.outerHTML.slice(0, 60))`))
			}
			if says[bool](p, `document.querySelector('h1') === null || document.querySelector('main').innerText.length < 10`) {
				t.Errorf("/%s says nothing", path)
			}
		}
		position := shogi.StartPos()
		position.Apply(moves("2g2f")[0])
		seen := drawn + `(document.querySelector('[data-part=board]'))`
		got := says[[]string](p, seen)
		slices.Sort(got)
		testutil.Slices(t, got, want(position), "the board after 2g2f")
		if !off {
			p.do(chromedp.KeyEvent(kb.ArrowRight))
			p.until(`document.querySelector('[data-part=board] [data-square="3d"]') !== null`)
		}
		p.quiet()
	}
}

// contrasts returns the texts whose contrast is below 4.5 (WCAG 2.2, 1.4.3), with the contrast.
const contrasts = `(() => {
	const channel = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
	const parse = c => c.match(/[\d.]+/g).map(Number);
	const light = c => { const [r, g, b] = parse(c); return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b); };
	const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if ((parse(c)[3] ?? 1) > 0) return c; } return 'rgb(255, 255, 255)'; };
	const bad = [];
	for (const e of document.querySelectorAll('body *')) {
		if (e.closest('svg') || !e.checkVisibility() || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
		const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
		const ratio = (a + 0.05) / (b + 0.05);
		if (ratio < 4.5) bad.push(e.tagName + '.' + e.className + ' "' + e.textContent.trim().slice(0, 20) + '" ' + ratio.toFixed(2));
	}
	return bad;
})()`

// nameless returns the pictures, fields, links and buttons without a text for screen readers.
const nameless = `[...document.querySelectorAll('img, svg[role=img], input, button, a[href], [role=img]')].filter(e => {
	const by = (e.getAttribute('aria-labelledby') ?? '').split(' ').map(id => document.getElementById(id)?.textContent ?? '').join('');
	return e.checkVisibility() && !(by || e.getAttribute('aria-label') || e.getAttribute('alt') || e.textContent.trim() || e.labels?.length);
}).map(e => e.outerHTML.slice(0, 100))`

// photograph stores pictures of the page for people in the folder that GOGI_SCREENSHOTS names.
func (p *browserTab) photograph(name string) {
	folder := os.Getenv("GOGI_SCREENSHOTS")
	if folder == "" {
		return
	}
	for _, width := range []int64{375, 1280, 2560} {
		p.do(chromedp.EmulateViewport(width, 1000))
		picture := testutil.Must(chromedp.Run(p.ctx, chromedp.CaptureScreenshot()))(p.t)
		testutil.OK(p.t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s-%d.png", name, width)), picture, 0o600))
	}
	p.do(chromedp.EmulateViewport(1280, 900))
}
