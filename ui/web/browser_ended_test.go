package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results"
	"gogi/results/resultstest"
)

// asked is the number of the script's requests for the page itself.
const asked = `performance.getEntriesByType('resource').filter(e => e.name === location.href).length`

// testEnded requires that an open page shows the result when a session ends, after one request and without a reload. It
// does so again if the run continues and ends again. A page that is opened after the end sends no request.
func (b *browser) testEnded(t *testing.T) {
	store := resultstest.Open(t, resultstest.Path(t))
	storeRun(t, store, "run", 3)
	s := newStage("run", 1)
	live := playing(s)
	h := openSite(t, Config{Live: live, Store: store})
	p := b.tab(t)
	p.open(h.URL() + "r/run?lang=en")
	s.step(0, 0, 99)
	p.until(`document.querySelector('[data-seat="/0"] [data-f=game]').textContent === '0.0'`)
	state := `document.querySelector('.state').textContent.replace(/\s+/g, ' ').trim()`
	got := says[string](p, state)
	testutil.Check(t, strings.HasPrefix(got, "rules default"), "while it is played: %q", got)
	p.photograph("run-playing")
	says[bool](p, `window.here = true`)
	storeRun(t, store, "run", 4)
	s.done()
	p.until(state + `.startsWith('finished 4 of 4 pairs, 8 games')`)
	p.until(`document.querySelector('[data-fresh=report] #settings') !== null`)
	if !says[bool](p,
		`window.here && document.querySelector('[data-f=phase]').textContent === 'ended' && document.querySelector('[data-fresh=line]').textContent === ''`) {
		t.Errorf("the page is another one: %s", says[string](p, `document.body.innerText`))
	}
	p.photograph("run-ended")
	if n := says[int](p, asked); n != 1 {
		t.Errorf("the page was asked for %d times", n)
	}
	after := b.tab(t)
	after.open(h.URL() + "r/run?lang=en")
	if says[bool](after, `document.querySelector('[data-live]') !== null`) ||
		!says[bool](after, state+`.startsWith('finished 4 of 4')`) {
		t.Errorf("after the end: %s", says[string](after, state))
	}
	if testutil.Long() { // the script waits for the next session
		s = newStage("run", 1)
		live.mu.Lock()
		live.hubs["run"] = s.hub
		live.mu.Unlock()
		p.until(`document.querySelector('[data-f=phase]').textContent === 'playing'`)
		if n := says[int](p, asked); n != 1 {
			t.Errorf("while it goes on the page was asked for %d times", n)
		}
		storeRun(t, store, "run", 5)
		s.done()
		p.until(state + `.startsWith('finished 5 of 5 pairs')`)
		if n := says[int](p, asked); n != 2 {
			t.Errorf("after two ends the page was asked for %d times", n)
		}
	}
	p.quiet()
	after.quiet()
}

// testTune requires that the page of a tune shows its progress, also in Japanese. When the tune ends, the page shows
// its final report.
func (b *browser) testTune(t *testing.T) {
	path, _ := resultstest.Tuned(t, 8)
	store := testutil.Must(results.Open(t.Context(), path))(t)
	t.Cleanup(func() { _ = store.Close() })
	s := newStage("r", 1)
	h := openSite(t, Config{Live: playing(s), Store: store})
	told := match.TuneSetup{
		Method: "spsa", Pairs: 40, Blocks: 10, Block: 4, Inflight: 8,
		Params: []match.TuneParam{{Name: "X", Kind: "int", Start: 40, Max: 100, C: 10},
			{Name: markup, Kind: "float", Start: 0.5, Max: 1, C: 0.1}},
	}
	s.send(match.Event{Type: match.EventTune, Tune: &told})
	block := func(n int) {
		s.send(match.Event{Type: match.EventBlock, Block: n, Pairs: 4 * n, Theta: []float64{40 + float64(n), 0.5},
			Spread: 1.25, Equal: 1})
	}
	block(1)
	s.step(0, 0, 99)
	tabs := map[string]*browserTab{}
	for lang, head := range map[string]string{"en": "The tune", "ja": "チューニング"} {
		p := b.stranger(t)
		p.open(h.URL() + "r/r?lang=" + lang)
		p.until(`document.querySelector('.tuned [data-fresh=course] figure.plot canvas') !== null`)
		testutil.Equal(t, says[string](p, `document.querySelector('#tune').textContent`), head, "%s", lang)
		tabs[lang] = p
	}
	block(2)
	for lang, p := range tabs {
		p.until(`document.querySelector('[data-f=blocks]').textContent === '2 / 10'`)
		testutil.Check(t, !says[bool](p, `'pwned' in window || document.querySelector('main img') !== null`),
			"%s: a parameter's name was taken for HTML", lang)
		p.photograph("tune-" + lang)
	}
	japanese := `['.tune .pulse', '.tuned .note', '.tuned summary'].map(which => document.querySelector(which).textContent).join(' ')`
	got := says[string](tabs["ja"], japanese)
	testutil.Check(t, says[bool](tabs["ja"], fmt.Sprintf(`!/[a-z]{4}/i.test(%s)`, japanese)), "half in English: %s", got)
	for _, p := range tabs {
		says[bool](p, `document.querySelector('[data-fresh=report]').seenOld = true`)
	}
	s.done()
	for lang, p := range tabs {
		p.until(`document.querySelector('[data-fresh=report]').seenOld === undefined`)
		if n := says[int](p, asked); n != 1 ||
			!says[bool](p, `document.querySelector('[data-fresh=report] .tuned') !== null`) {
			t.Errorf("%s: the page was asked for %d times: %s", lang, n, says[string](p, `document.body.innerText`))
		}
		p.open(h.URL() + "r/r/games")
		p.follow(chromedp.Click(chromedp.CSS(".games a")))
		testutil.Check(t, says[bool](p,
			`document.querySelector('.study .board') !== null && document.querySelector('.tabs [aria-current]') !== null`),
			"%s: no game of the tune", lang)
		p.quiet()
	}
}
