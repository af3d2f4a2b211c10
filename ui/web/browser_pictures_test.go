package web

import (
	"context"
	"encoding/json"
	"flag"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"gogi/internal/testutil"
)

// testAxe: axe-core finds nothing serious on any page, in either scheme of colours.
func (b *browser) testAxe(t *testing.T) {
	const file = "testdata/npm/node_modules/axe-core/axe.min.js"
	axe, err := os.ReadFile(file)
	if os.IsNotExist(err) && os.Getenv("GOGI_REAL_BROWSER") != "required" {
		t.Skip("no axe-core: npm ci --prefix ui/web/testdata/npm")
	}
	testutil.OK(t, err)
	stored := httptest.NewServer(shownRuns(t, "run").http.Handler)
	t.Cleanup(stored.Close)
	s := newStage("run", 2)
	for i := range 30 {
		s.step(i%2, i, 99)
	}
	live := openSite(t, Config{Live: playing(s)}).URL()
	addresses := []string{live + "r/run/live", live + "r/run/g/0.0"}
	for _, path := range []string{"", "r/run", "r/run/games", "r/run/g/0.0?ply=2", "r/run/openings", "r/run/time", "r/run/faults", "engines", "ratings?run=run", "compare", "style", "nowhere"} {
		addresses = append(addresses, stored.URL+"/"+path)
	}
	schemes := []string{"light", "dark"}
	for i, address := range addresses {
		for k, scheme := range schemes {
			if !testutil.Long() && i%len(schemes) != k {
				continue
			}
			p := b.tab(t)
			p.colours(scheme)
			p.open(address)
			says[bool](p, `document.querySelectorAll('details').forEach(d => { d.open = true; }) ?? true`)
			says[bool](p, string(axe)+`;true`)
			for _, bad := range eventually[[]string](p, `axe.run(document, { resultTypes: ['violations'] }).then(r => r.violations
				.filter(v => v.impact === 'serious' || v.impact === 'critical').map(v => v.id + ': ' + v.nodes.map(n => n.html).slice(0, 3).join(' ')))`) {
				t.Errorf("%s, %s: %s", address, scheme, bad)
			}
			if !strings.HasSuffix(address, "nowhere") {
				p.quiet()
			}
		}
	}
}

// colours has the page in a scheme, light or dark.
func (p *browserTab) colours(scheme string) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	testutil.OK(p.t, err)
}

var (
	picturesOf = flag.String("pictures.of", "", "address of a server whose pages TestPictures photographs; .ci/pictures starts one")
	picturesTo = flag.String("pictures.to", "", "file of the pages: the name, path, width, height and scheme of each picture; they go to its folder")
)

// TestPictures makes the pictures of docs/watch.md, and fails if a page complains in the console.
func TestPictures(t *testing.T) {
	if *picturesOf == "" {
		t.Skip("make pictures runs it")
	}
	var list []struct {
		Name, Path, Scheme string
		Width, Height      int64
	}
	text, err := os.ReadFile(*picturesTo)
	testutil.OK(t, err)
	testutil.OK(t, json.Unmarshal(text, &list))
	b := startBrowser(t)
	for _, want := range list {
		p := b.tab(t)
		p.do(chromedp.EmulateViewport(want.Width, want.Height))
		p.colours(want.Scheme)
		for range 30 { // until the results are read, and those of the match in play have come
			p.open(strings.TrimSuffix(*picturesOf, "/") + want.Path)
			if !says[bool](p, `document.querySelector('.badge.unread') !== null || document.querySelector('[data-fresh=line]')?.textContent === ''`) {
				break
			}
			time.Sleep(time.Second) // of the server
		}
		ctx, late := context.WithTimeout(p.ctx, time.Minute)
		_, _ = chromedp.Run(ctx, chromedp.Poll[chromedp.Void](`[...document.querySelectorAll('figure[data-plot]')].every(f => !f.clientWidth || f.querySelector('canvas'))`))
		late()
		time.Sleep(300 * time.Millisecond) // of the browser, for the last frame
		shot := testutil.Must(chromedp.Call(p.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: "webp", Quality: new(int64(80))}))(t)
		testutil.OK(t, os.WriteFile(filepath.Join(filepath.Dir(*picturesTo), want.Name+".webp"), shot.Data, 0o644)) //nolint:gosec // pictures are for everybody
		p.quiet()
	}
}
