package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"gogi/kifu"
	"gogi/shogi"
)

// ballotsShown are the rows of a vote, and its first line, as a page shows them.
const ballotsShown = `(box => box.hidden ? [] : [box.querySelector('summary').textContent.replace(/\s+/g, ' ').trim(),
	...[...box.querySelectorAll('tbody tr')].map(row => [...row.children].map(c => c.textContent).join('|') + (row.className ? '!' : ''))])`

// The vote of a council stands by its side of a board, as the server writes it and as the
// script does, in both languages; the other player has none.
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
		p := b.tab(t)
		p.open(h.URL() + page.path + "?lang=" + page.lang)
		p.do(chromedp.WaitReady(chromedp.CSS(`[data-vote=black]`)))
		for range 2 { // as served, and after a stream's state
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
	p := b.tab(t)
	p.open(h.URL() + "r/run/live?lang=en")
	s.step(0, 1, 200) // the engine's, and then the council's
	s.step(0, 2, 200)
	move, _ = s.lastMove(0)
	p.until(fmt.Sprintf(`document.querySelector('[data-vote=black] [data-f=voted]').textContent === %q`, move))
	if got := says[[]string](p, ballotsShown+`(document.querySelector('[data-vote=black]'))`); len(got) != 5 || got[1] != fmt.Sprintf("one|%s ✓|+20|1!", move) {
		t.Errorf("after its next move: %q", got)
	}
	for _, scheme := range []string{"light", "dark"} {
		if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
			t.Fatal(err)
		}
		for _, lang := range []string{"en", "ja"} {
			p.open(h.URL() + "r/run/live?lang=" + lang)
			for _, bad := range append(says[[]string](p, contrasts), says[[]string](p, nameless)...) {
				t.Errorf("%s %s: %s", scheme, lang, bad)
			}
			p.photograph("council-live-" + lang + "-" + scheme)
		}
	}
	p.quiet()
}

// lastMove is the last one at a table, in USI and as KIF has it.
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
