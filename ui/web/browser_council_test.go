package web

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gogi/ensemble/ensembletest"
	"gogi/ensemble/voting"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	reporthtml "gogi/report/html"
	"gogi/results"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// ballotsShown returns the first line and the rows of a vote, as a page shows them.
const ballotsShown = `(box => box.hidden ? [] : [box.querySelector('summary').textContent.replace(/\s+/g, ' ').trim(),
	...[...box.querySelectorAll('tbody tr')].map(row => [...row.children].map(c => c.textContent).join('|') + (row.className ? '!' : ''))])`

// testCouncil requires that the vote of a council is next to its player on a board, written by the server and by the
// script. It is in both languages, and the other player has none.
func (b *browser) testCouncil(t *testing.T) {
	s := newStage("run", 1, "council", "engine")
	s.council = []string{"one", markup, "three", "four"}
	h := openSite(t, Config{Live: playing(s)})
	s.step(0, 0, 200)
	s.step(0, 0, 200)
	move, japaneseMove := s.lastMove(0)
	for _, page := range []struct{ path, lang, vote, played, mate, dead string }{
		{"r/run/live", "en", "votes 2:1", move, "mate −4", "dead"},
		{"r/run/g/0.0", "ja", "票 2:1", japaneseMove, "詰み −4", "停止"},
	} {
		p := b.stranger(t)
		p.open(h.URL() + page.path + "?lang=" + page.lang)
		p.do(chromedp.WaitReady(chromedp.CSS(`[data-vote=black]`)))
		for range 2 { // as the server writes it, and after the state of a stream
			got := says[[]string](p, ballotsShown+`(document.querySelector('[data-vote=black]'))`)
			if len(got) != 5 || !strings.HasPrefix(got[0], page.vote) || !strings.Contains(got[0], page.played) ||
				got[1] != fmt.Sprintf("one|%s ✓|+0|1!", page.played) || !strings.HasPrefix(got[2], markup+"|"+page.played) ||
				!strings.HasSuffix(got[3], "|"+page.mate+"|1.67") || got[4] != "four|"+page.dead+"||1" {
				t.Errorf("%s: %q", page.path, got)
			}
			if white := says[[]string](p, ballotsShown+`(document.querySelector('[data-vote=white]'))`); len(white) != 0 {
				t.Errorf("%s: the other player voted: %q", page.path, white)
			}
			p.until(`document.querySelector('[data-vote=black]').told !== undefined`)
		}
		p.quiet()
	}
	p := b.stranger(t)
	p.open(h.URL() + "r/run/live?lang=en")
	s.step(0, 1, 200) // the engine's move, then the council's
	s.step(0, 2, 200)
	move, _ = s.lastMove(0)
	p.until(fmt.Sprintf(`document.querySelector('[data-vote=black] [data-f=voted]').textContent === %q`, move))
	if got := says[[]string](p, ballotsShown+`(document.querySelector('[data-vote=black]'))`); len(got) != 5 ||
		got[1] != fmt.Sprintf("one|%s ✓|+20|1!", move) {
		t.Errorf("after its next move: %q", got)
	}
	for _, scheme := range []string{"light", "dark"} {
		testutil.OK(t, testutil.Err(chromedp.Call(p.ctx, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
				Value: scheme}}})))
		// texts in the other language have the same length and colours
		for _, lang := range testutil.ByLength([]string{"en"}, []string{"en", "ja"}) {
			p.open(h.URL() + "r/run/live?lang=" + lang)
			for _, bad := range append(says[[]string](p, contrasts), says[[]string](p, nameless)...) {
				t.Errorf("%s %s: %s", scheme, lang, bad)
			}
			p.photograph("council-live-" + lang + "-" + scheme)
		}
	}
	p.quiet()
}

// lastMove returns the last move of a slot, in USI and in KIF.
func (s *stage) lastMove(slot int) (usi, kif string) {
	p := shogi.StartPos()
	for _, text := range strings.Fields(s.tables[slot].moves) {
		m, err := shogi.ParseMove(text)
		if err != nil {
			return err.Error(), ""
		}
		usi, kif = text, kifu.KIFMove(&p, m, shogi.NoSquare)
		p.Apply(m)
	}
	return usi, kif
}

// storeCouncil stores a run of one pair between a council of three and an engine. The votes of its first game come from
// a real council.
func storeCouncil(t *testing.T, store *results.Store, name string) {
	t.Helper()
	plan := planFor(name, 1)
	plan.Openings = plan.Openings[:1]
	member := func(name string) match.Player {
		return match.Player{Name: name, Command: []string{"x"}, Identity: match.Identity{Fixed: name},
			Limits: match.Limits{Nodes: 1}}
	}
	plan.Players[0] = match.Player{
		Name: "C", Identity: match.Identity{Fixed: "a council"}, Limits: match.Limits{Nodes: 1},
		Council: &match.Council{Members: []match.Player{member("P1"), member("P2"), member("P3")}, Own: make([]bool, 3),
			Scales: make([]match.Scale, 3), Rule: "majority"},
	}
	run := testutil.Must(store.Begin(t.Context(), plan))(t)
	pair := matchtest.Games(plan.Pair(0), gameOf)
	g := &pair.Games[0]
	g.Record.Moves = nil
	p := shogi.StartPos()
	for _, detail := range ensembletest.Records(t, "majority", "A30 A10 B-5|B1 A2 B999996") {
		vote := testutil.Must(voting.ParseRecord(detail))(t)
		m := testutil.Must(shogi.ParseMove(vote.Played))(t)
		g.Record.Moves = append(g.Record.Moves, kifu.Move{Move: m, Detail: detail})
		p.Apply(m)
		reply := p.LegalMoves(nil)[0]
		g.Record.Moves = append(g.Record.Moves, kifu.Move{Move: reply})
		p.Apply(reply)
	}
	for i := range g.Sides {
		g.Sides[i] = match.Side{Plies: 2}
	}
	testutil.Must(run.Add(t.Context(), pair))(t)
	testutil.OK(t, run.Close())
}

// testStoredCouncil requires that the page of a stored run links to the votes of its councils. A game's page has the
// vote that led to the position, in both languages and after a key.
func (b *browser) testStoredCouncil(t *testing.T) {
	store := testutil.Must(results.Open(t.Context(), filepath.Join(t.TempDir(), "games.db")))(t)
	t.Cleanup(func() { _ = store.Close() })
	storeCouncil(t, store, "run")
	h := openSite(t, Config{Store: store, Live: nobodyPlays{}})
	p := b.stranger(t)
	p.open(h.URL() + "r/run?lang=en")
	p.follow(chromedp.Click(chromedp.CSS(`.tabs a[href="/r/run/votes"]`)))
	section := says[string](p, `document.querySelector('section.council').innerText.replace(/\s+/g, ' ')`)
	for _, want := range []string{"C rule majority", "2 decisions", "P1 2 2", "2:1 2", "the vote 2"} {
		testutil.Contains(t, section, want, "is missing")
	}
	p.open(h.URL() + "r/run/g/0.0?ply=1")
	rows := `[...document.querySelectorAll('.council .ballots tbody tr')].map(row => [...row.children].map(c => c.textContent).join('|') + (row.className ? '!' : ''))`
	first := says[[]string](p, rows)
	start := shogi.StartPos()
	legal := start.LegalMoves(nil)
	in := voice{Words: reporthtml.Words{In: english}}
	a, other := in.moveText(&start, legal[0], shogi.NoSquare), in.moveText(&start, legal[1], shogi.NoSquare)
	testutil.Slices(t, []string{"P1|" + a + " ✓|+30|1!", "P2|" + a + " ✓|+10|1!", "P3|" + other + "|−5|1"}, first)
	p.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	p.until(`document.querySelector('[data-part=caption]').textContent.startsWith('3.')`)
	if second := says[[]string](p, rows); len(second) != 3 || !strings.HasSuffix(second[0], "✓|+1|1!") ||
		strings.Contains(second[1], "✓") {
		t.Errorf("ply 3: %q", second)
	}
	p.open(h.URL() + "r/run/g/0.0?ply=1&lang=ja")
	if said := says[string](p, `document.querySelector('.council').innerText`); !strings.Contains(said, "票 2:1") ||
		!strings.Contains(said, kifu.KIFMove(&start, legal[0], shogi.NoSquare)+" ✓") || strings.Contains(said, "the vote") {
		t.Errorf("in Japanese: %s", said)
	}
	for _, path := range []string{"r/run/g/0.0?ply=1", "r/run/votes", "r/run"} {
		p.do(chromedp.EmulateViewport(375, 800))
		p.open(h.URL() + path)
		width := says[int](p, `document.documentElement.scrollWidth`)
		testutil.Check(t, width <= 375, "/%s is %d wide", path, width)
		p.photograph("council-" + strings.NewReplacer("/", "-", "?", "-").Replace(path))
	}
	p.quiet()
}
