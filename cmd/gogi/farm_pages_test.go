//go:build unix

package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"gogi/internal/testutil"
)

var farmPictures = flag.String("farm.pictures", "", "folder for pictures of the farm's pages")

// farmProcess is a coordinator with pages that runs in a folder.
type farmProcess struct {
	t          *testing.T
	dir, pages string
}

// gogi runs the program in the folder of the farm, and returns its output.
func (f *farmProcess) gogi(args ...string) string {
	f.t.Helper()
	c := exec.Command("gogi", args...)
	c.Dir = f.dir
	c.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(f.dir, "cache"),
		"XDG_CONFIG_HOME="+filepath.Join(f.dir, "config"))
	out, err := c.CombinedOutput()
	testutil.OK(f.t, err, "gogi %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

func startFarm(t *testing.T) *farmProcess {
	t.Helper()
	f := &farmProcess{t: t, dir: t.TempDir()}
	f.gogi("farm", "key", "new", "boss", "--may", "admin", "--owner", "farmer", "--url", "tls://127.0.0.1:1", "--state",
		"farm")
	serve := exec.Command("gogi", "farm", "serve", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--lease",
		"5s", "--state", "farm")
	serve.Dir = f.dir
	said := testutil.Must(serve.StderrPipe())(t)
	testutil.OK(t, serve.Start())
	t.Cleanup(func() {
		_ = serve.Process.Signal(os.Interrupt)
		if err := serve.Wait(); err != nil {
			t.Errorf("the coordinator: %v", err)
		}
	})
	lines, log := bufio.NewScanner(said), ""
	for f.pages == "" && lines.Scan() {
		log += lines.Text() + "\n"
		if at, ok := strings.CutPrefix(lines.Text(), "pages: "); ok {
			f.pages = strings.TrimSuffix(at, "/farm")
		}
	}
	go func() {
		for lines.Scan() {
		}
	}()
	testutil.Require(t, f.pages != "", "the coordinator has no pages:\n%s", log)
	at := strings.TrimSpace(string(testutil.Must(os.ReadFile(filepath.Join(f.dir, "farm", "url")))(t)))
	creds := testutil.Must(os.ReadFile(filepath.Join(f.dir, "boss.creds")))(t)
	testutil.OK(t, os.WriteFile(filepath.Join(f.dir, "boss.creds"), []byte(strings.Replace(string(creds),
		"tls://127.0.0.1:1", at, 1)), 0o600))
	return f
}

// farmTab is a page in a real browser.
type farmTab struct {
	t   *testing.T
	ctx context.Context
}

// openTab starts a browser. Without a browser it skips the test. With GOGI_REAL_BROWSER=required the test fails
// instead.
func openTab(t *testing.T) *farmTab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(testutil.Chromium(t)), chromedp.NoSandbox,
		chromedp.WSURLReadTimeout(90*time.Second))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewContext(ctx)
	t.Cleanup(stop)
	p := &farmTab{t, ctx}
	testutil.OK(t, chromedp.Listen(ctx, func(e any) {
		if e, ok := e.(*cdplog.EventEntryAdded); ok {
			t.Errorf("the console says: %s", e.Entry.Text)
		}
	}))
	p.do(chromedp.EmulateViewport(1280, 900))
	testutil.Must(chromedp.Call(ctx, cdplog.Enable, cdp.Empty{}))(t)
	return p
}

func (p *farmTab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	testutil.OK(p.t, chromedp.Do(p.ctx, steps...))
}

// send clicks a button and waits for the page that it leads to.
func (p *farmTab) send(button string) {
	p.t.Helper()
	testutil.Must(chromedp.RunResponse(p.ctx, chromedp.Click(chromedp.CSS(button))))(p.t)
}

func (p *farmTab) text() string {
	p.t.Helper()
	return testutil.Must(chromedp.Run(p.ctx, chromedp.Evaluate[string]("document.body.innerText")))(p.t)
}

// has fails the test unless the page matches a regular expression.
func (p *farmTab) has(want string) {
	p.t.Helper()
	if got := p.text(); !regexp.MustCompile(want).MatchString(got) {
		p.t.Fatalf("the page lacks %q:\n%s", want, got)
	}
}

// until reloads the page until it matches a regular expression.
func (p *farmTab) until(want string) {
	p.t.Helper()
	for range 600 {
		if regexp.MustCompile(want).MatchString(p.text()) {
			return
		}
		time.Sleep(200 * time.Millisecond) // gives the farm time to work
		p.do(chromedp.Reload())
	}
	p.has(want)
}

// logIn logs in with the link that a command prints.
func (p *farmTab) logIn(f *farmProcess, creds string) {
	p.t.Helper()
	p.do(chromedp.Navigate(f.gogi("farm", "web", f.pages, "--creds", creds)))
	p.has("You log in as")
	p.send("main form button")
}

// beyondThePhone lists the elements of a page that end to the right of a phone's screen.
const beyondThePhone = `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > 390)
	.map(e => e.tagName + (e.id && "#" + e.id) + " " + e.textContent.slice(0, 60)).join("; ")`

// look checks that the page fits the width of a phone, and that axe-core finds no serious problem.
// With -farm.pictures, look stores pictures of the page: wide and narrow, light and dark.
func (p *farmTab) look(name string) {
	p.t.Helper()
	p.axe(name)
	p.do(chromedp.EmulateViewport(390, 900))
	if wide := testutil.Must(chromedp.Run(p.ctx,
		chromedp.Evaluate[int]("document.documentElement.scrollWidth")))(p.t); wide > 390 {
		beyond := testutil.Must(chromedp.Run(p.ctx, chromedp.Evaluate[string](beyondThePhone)))(p.t)
		p.t.Errorf("%s: the page is %d pixels wide on a phone of 390: %s", name, wide, beyond)
	}
	p.do(chromedp.EmulateViewport(1280, 900))
	if *farmPictures == "" {
		return
	}
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 390} {
			p.do(chromedp.EmulateViewport(width, 900))
			_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia,
				emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
					Value: scheme}}})
			testutil.OK(p.t, err)
			shot := testutil.Must(chromedp.Call(p.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: "png"}))(p.t)
			testutil.OK(p.t, os.WriteFile(filepath.Join(*farmPictures, fmt.Sprintf("%s-%d-%s.png", name, width,
				scheme)), shot.Data, 0o600))
		}
	}
	p.do(chromedp.EmulateViewport(1280, 900))
}

func (p *farmTab) axe(name string) {
	p.t.Helper()
	axe, err := os.ReadFile("../../ui/web/testdata/npm/node_modules/axe-core/axe.min.js")
	if os.IsNotExist(err) && os.Getenv("GOGI_REAL_BROWSER") != "required" {
		return // npm ci --prefix ui/web/testdata/npm installs it
	}
	testutil.OK(p.t, err)
	const find = `;axe.run({ resultTypes: ['violations'] }).then(r => r.violations.filter(v => v.impact === 'serious' || v.impact === 'critical')
		.map(v => v.id + ': ' + v.nodes.map(n => n.html).slice(0, 3).join(' ')))`
	for _, bad := range testutil.Must(chromedp.Run(p.ctx,
		chromedp.Evaluate[[]string](string(axe)+find, chromedp.EvalAwaitPromise)))(p.t) {
		p.t.Errorf("%s: %s", name, bad)
	}
}

// TestFarmPages manages a farm in a real browser. A volunteer and a submitter sign up, and an admin approves both. The
// submitter submits a test with the form, and the admin approves it. A real worker plays it to a verdict.
func TestFarmPages(t *testing.T) {
	testutil.OnlyLong(t, "the tests of farm/board send the same forms")
	f := startFarm(t)
	p := openTab(t)
	code := f.gogi("farm", "join", f.pages, "box", "--owner", "vol", "--print")
	p.do(chromedp.Navigate(f.pages+"/farm/join"), chromedp.SendKeys(chromedp.CSS("#code"), code),
		chromedp.SendKeys(chromedp.CSS("#note"), "one quiet machine"))
	p.send("main form button")
	p.has("The sign-up of box waits for an admin")
	p.look("join")
	f.gogi("farm", "join", f.pages, "ann-submit", "--owner", "ann", "--may", "submit", "--note", "patches")

	p.logIn(f, "boss.creds")
	p.has("Keys \\(2 new\\)")
	p.do(chromedp.Navigate(f.pages + "/farm/keys"))
	p.has("one quiet machine")
	p.look("keys")
	p.send(`form[action="/farm/keys/admit"] button`)
	p.send(`form[action="/farm/keys/admit"] button`)
	p.has("No sign-up waits")
	p.send(".top form button")

	p.logIn(f, "ann-submit.creds")
	p.do(chromedp.Navigate(f.pages + "/farm/submit"))
	p.look("submit")
	for field, value := range map[string]string{"run": "strong", "games": "200", "sprt": "0,200", "resign": "600x2",
		"note": "a first test"} {
		p.do(chromedp.SendKeys(chromedp.CSS("#"+field), value))
	}
	p.send("main form button")
	p.has("strong[^§]*submitted[^§]*a first test|strong[^§]*a first test[^§]*submitted")
	address := testutil.Must(chromedp.Run(p.ctx, chromedp.Evaluate[string]("location.href")))(t)
	testutil.Check(t, !strings.Contains(p.text(), "Approve"), "the owner may approve the test")
	p.send(".top form button")

	p.logIn(f, "boss.creds")
	p.do(chromedp.Navigate(address))
	p.look("test-submitted")
	p.send(`form[action$="/approve"] button`)
	p.has("running")
	f.gogi("farm", "work", "--once", "--creds", "box.creds", "--concurrency", "2", "-q")
	p.until("over: the gate has decided: pass")
	p.has("box")
	p.look("test")
	p.do(chromedp.Navigate(f.pages + "/farm/m/box"))
	p.has("connected: gogi")
	p.do(chromedp.SetValue(chromedp.CSS(`select[name="level"]`), "owner"))
	p.send(`form[action$="/trust"] button`)
	p.has("trust owner")
	p.look("machine")
	p.do(chromedp.Navigate(address))
	p.until("the verdict pass is final")
	for name, path := range map[string]string{"farm": "/farm", "people": "/farm/people", "person": "/farm/p/vol",
		"log": "/farm/log", "login": "/farm/login"} {
		p.do(chromedp.Navigate(f.pages + path))
		p.look(name)
	}
	p.do(chromedp.Navigate(f.pages + "/farm/log"))
	for _, want := range []string{"signed up: vol, may work", "approved: vol, may work", "submitted",
		"boss[^§]*approved", "farm[^§]*running", "trust owner"} {
		p.has(want)
	}
	p.do(chromedp.Navigate(f.pages + "/farm/log?lang=ja"))
	p.has("操作の記録[^§]*承認済み")
	p.do(chromedp.Navigate(f.pages + "/farm"))
	p.has("対局ファーム[^§]*テスト[^§]*strong")
	p.look("farm-ja")
	if got := f.gogi("farm", "log", "--on", "test", "--creds", "boss.creds"); !strings.Contains(got, "strong") {
		t.Error(got)
	}
}

// TestFarmBuildPages: a user submits two commits of real repositories, in C and in C++, with the form in a real
// browser. A worker builds them and plays the test to a verdict.
func TestFarmBuildPages(t *testing.T) {
	testutil.OnlyLong(t, "TestScripts/farm_builds builds the same engines, and TestFarmPages uses the form")
	if err := noBuilds(); err != nil {
		testutil.Require(t, os.Getenv("GOGI_SANDBOX") != "required", "%v", err)
		t.Skip(err)
	}
	f := startFarm(t)
	p := openTab(t)
	for dir := f.dir; dir != os.TempDir(); dir = filepath.Dir(dir) { // the sandbox reads the repositories as another user
		testutil.OK(t, os.Chmod(dir, 0o755))
	}
	builds := testutil.Must(filepath.Abs("testdata/builds"))(t)
	made := exec.Command("sh", filepath.Join(builds, "init.sh"), builds)
	made.Dir = f.dir
	out, err := made.CombinedOutput()
	testutil.OK(t, err, "%s", out)
	commits := map[string]string{}
	for line := range strings.Lines(string(testutil.Must(os.ReadFile(filepath.Join(f.dir, "commits")))(t))) {
		name, commit, _ := strings.Cut(strings.TrimSpace(line), "=")
		commits[name] = commit
	}
	dev, base := "file://"+filepath.Join(f.dir, "c-engine"), "file://"+filepath.Join(f.dir, "cpp-engine")
	f.gogi("farm", "recipe", "small", filepath.Join(builds, "recipe.toml"), "--repo", dev, "--repo", base, "--creds",
		"boss.creds")
	for name, may := range map[string]string{"ann": "submit", "box": "work"} {
		f.gogi("farm", "join", f.pages, name, "--owner", name, "--may", may)
		f.gogi("farm", "signup", "approve", name, "--creds", "boss.creds")
	}
	p.logIn(f, "ann.creds")
	p.do(chromedp.Navigate(f.pages + "/farm/submit"))
	p.has("small for file://")
	for field, value := range map[string]string{
		"run": "lmr", "games": "200", "sprt": "0,300", "nodes": "10", "max-plies": "150", "repo": dev, "base-repo": base,
		"recipe": "small",
		"dev":    commits["dev"], "base": commits["base"], "option": "all.Threads=1",
	} {
		p.do(chromedp.SendKeys(chromedp.CSS("#"+field), value))
	}
	p.look("submit-commits")
	p.send("main form button")
	p.has("dev is commit " + commits["dev"][:40])
	address := testutil.Must(chromedp.Run(p.ctx, chromedp.Evaluate[string]("location.href")))(t)
	p.send(".top form button")
	p.logIn(f, "boss.creds")
	p.do(chromedp.Navigate(address))
	p.send(`form[action$="/approve"] button`)
	f.gogi("farm", "work", "--once", "--creds", "box.creds", "--concurrency", "2", "-q")
	p.until("over: the gate has decided: pass")
	p.has("Elo, corrected, 95%")
	p.look("test-commits")
}
