package web

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results"
	"gogi/results/resultstest"
)

// testAxe requires that axe-core finds nothing serious on any kind of page, in both colour schemes. A short test checks
// the page of styles, which has every element, and the pages with elements of their own, each in one scheme.
func (b *browser) testAxe(t *testing.T) {
	const file = "testdata/npm/node_modules/axe-core/axe.min.js"
	axe, err := os.ReadFile(file)
	if os.IsNotExist(err) && os.Getenv("GOGI_REAL_BROWSER") != "required" {
		t.Skip("no axe-core: npm ci --prefix ui/web/testdata/npm")
	}
	testutil.OK(t, err)
	h := everyKindOfPage(t)
	all := []string{
		"", "r/run", "r/run/games", "r/run/g/0.0?ply=2", "r/run/g/0.0?ply=2&pv=1", "r/run/openings", "r/run/time",
		"r/run/faults",
		"r/C", "r/C/votes", "r/C/g/0.0?ply=1", "r/r", "r/r/games", "r/r/g/0.0?ply=1", "r/self", "r/playing", "r/playing/live",
		"r/playing/g/0.0",
		"engines", "ratings?run=run&run=other&anchor=old", "compare?a=run&b=other", "style", "login?wrong", "nowhere",
	}
	p := b.tab(t)
	for scheme, short := range map[string][]string{
		"light": {"style", "", "r/C/g/0.0?ply=1", "r/r"},
		"dark":  {"style", "r/run", "r/playing/live", "ratings?run=run&run=other&anchor=old", "nowhere"},
	} {
		p.colours(scheme)
		for _, path := range testutil.ByLength(short, all) {
			testutil.Eventually(t, path+" has read its runs, and no longer loads itself again", func() bool {
				page := testutil.Must(http.Get(h.URL() + path))(t)
				testutil.OK(t, page.Body.Close())
				return page.Header.Get("Refresh") == ""
			})
			for _, bad := range p.violations(h.URL()+path, string(axe)) {
				t.Errorf("/%s, %s: %s", path, scheme, bad)
			}
			if path == "nowhere" { // the console logs its status
				p.forget()
			}
			if p.quiet(); t.Failed() {
				t.Fatalf("on /%s", path)
			}
		}
	}
}

// violations opens a page with all its details and returns the serious violations that axe-core, a script, finds. If
// the page loads itself again during the check, violations repeats the check.
func (p *browserTab) violations(url, axe string) []string {
	p.t.Helper()
	for range 9 {
		p.open(url)
		found, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](`document.querySelectorAll('details').forEach(d => { d.open = true; });`+axe+`;
			axe.run({ exclude: ['.sd > *'] }, { resultTypes: ['violations'] }).then(r => r.violations
			.filter(v => v.impact === 'serious' || v.impact === 'critical').map(v => v.id + ': ' + v.nodes.map(n => n.html).slice(0, 3).join(' ')))`, chromedp.EvalAwaitPromise))
		if !leftThePage(err) {
			testutil.OK(p.t, err)
			return found
		}
	}
	p.t.Fatalf("%s loads itself again and again", url)
	return nil
}

// everyKindOfPage returns a server with a run for each kind of page. One of the runs is in play.
func everyKindOfPage(t *testing.T) *site {
	t.Helper()
	path, _ := resultstest.Tuned(t, 8)
	store := testutil.Must(results.Open(t.Context(), path))(t)
	t.Cleanup(func() { _ = store.Close() })
	for _, run := range []string{"run", "other", "playing"} {
		storeRun(t, store, run, 14)
	}
	storeCouncil(t, store, "C")
	self := planFor("self", 1)
	self.Players, self.Design = self.Players[:1],
		match.Design{Kind: match.DesignSelfplay, Selfplay: match.Selfplay{Games: 2}}
	testutil.OK(t, testutil.Must(store.Begin(t.Context(), self))(t).Close())
	s := newStage("playing", 3)
	for i := range 60 {
		s.step(i%3, i, 99)
	}
	return openSite(t, Config{Store: store, Live: playing(s), Token: testToken})
}

// colours sets the colour scheme of the page, light or dark.
func (p *browserTab) colours(scheme string) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	testutil.OK(p.t, err)
}

var (
	picturesOf = flag.String("pictures.of", "",
		"address of a server whose pages TestPictures photographs; .ci/pictures starts one")
	picturesTo = flag.String("pictures.to", "",
		"file of the pages: the name, path, width, height and scheme of each picture; they go to its folder")
)

// drawnWhole is true if the script has drawn every visible chart and the browser has loaded every visible image.
const drawnWhole = `[...document.querySelectorAll('figure[data-plot]')].every(f => !f.checkVisibility() || f.querySelector('canvas')) &&
	[...document.images].every(i => i.complete || i.getBoundingClientRect().top > innerHeight)`

// TestPictures makes the pictures of docs/watch.md. It fails if a page logs an error in the console.
func TestPictures(t *testing.T) {
	if *picturesOf == "" {
		t.Skip("make pictures runs it")
	}
	var list []struct {
		Name, Path, Scheme string
		Width, Height      int64
	}
	text := testutil.Must(os.ReadFile(*picturesTo))(t)
	testutil.OK(t, json.Unmarshal(text, &list))
	b := startBrowser(t)
	for _, want := range list {
		p := b.tab(t)
		p.do(chromedp.EmulateViewport(want.Width, want.Height))
		p.colours(want.Scheme)
		p.open(strings.TrimSuffix(*picturesOf, "/") + want.Path)
		p.until(`document.querySelector('.badge.unread') === null && document.querySelector('[data-fresh=line]')?.textContent !== ''`)
		p.until(drawnWhole)
		eventually[bool](p, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
		shot := testutil.Must(chromedp.Call(p.ctx, page.CaptureScreenshot,
			page.CaptureScreenshotParams{Format: "webp", Quality: new(int64(80))}))(t)
		testutil.OK(t, os.WriteFile(filepath.Join(filepath.Dir(*picturesTo), want.Name+".webp"), shot.Data, 0o644))
		p.quiet()
	}
}
