//go:build linux

package soak

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gogi/internal/testutil"
)

const (
	longSeries = `
games = 1000000
concurrency = 2
limits = {nodes = 60, stall = "30s"}
rules = {name = "default", max_plies = 60}
[[engine]]
name = "built-in"
cmd = "builtin"
[[engine]]
name = "key"
command = [FAKE, "-think", "2ms"]
`
	gateFile = "gate = \"0,20\"\n"
)

// long is one session that lasts as long as the soak, and a page server for it.
type long struct {
	bout
	pages   *program
	url     string
	readers *rand.Rand

	mu    sync.RWMutex // read-locked while a reader uses the other database
	other string       // the database of the match that is disturbed; "": none

	memory map[string][]float64 // kB, by program, in the order of time
}

// longDisturbances lists the disturbances that a session survives.
var longDisturbances = map[string]func(*long) bool{
	"long: paused and resumed by ctl":           func(l *long) bool { return l.pause() },
	"long: more and fewer slots by ctl":         func(l *long) bool { return l.width() },
	"long: fewer and more games by ctl":         (*long).target,
	"long: the runner stood still":              func(l *long) bool { return l.stopRunner() },
	"long: the guard was killed":                func(l *long) bool { return l.killGuard() },
	"long: a second runner was refused":         func(l *long) bool { return l.refused(l.db) },
	"long: a follower that never reads was cut": (*long).deaf,
}

// newLong starts the session and the page server.
func (w *world) newLong() *long {
	w.write("long", longSeries)
	w.write("gate", gateFile)
	l := &long{memory: map[string][]float64{}, readers: w.random(4)}
	l.bout = bout{world: w, name: "long", dir: w.long, db: filepath.Join(w.long, "gogi.db"), random: w.random(3)}
	var err error
	if l.p, err = w.start("match", "long.toml", "--db", l.db, "-q"); err != nil {
		w.t.Fatal(err)
	}
	if !l.playing() {
		w.t.Fatalf("the long session did not begin: %s", l.p.complaints())
	}
	if l.pages, err = w.start("serve", "--db", l.db, "--http", "127.0.0.1:0"); err != nil {
		w.t.Fatal(err)
	}
	address := regexp.MustCompile(`http://\S+`)
	if !within(30*time.Second, func() bool {
		said, err := os.ReadFile(l.pages.stdout)
		l.url = strings.TrimSuffix(address.FindString(string(said)), "/")
		return err == nil && l.url != ""
	}) {
		w.t.Fatalf("no pages: %s", l.pages.complaints())
	}
	return l
}

// also sets another database for the readers. With "" it waits until no reader uses the previous one.
func (l *long) also(db string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.other = db
}

// play disturbs the session until the context ends and each disturbance has happened. At the same time it reads the
// database and measures memory. Then it ends the session and checks the results.
func (l *long) play(ctx context.Context) {
	var beside sync.WaitGroup
	beside.Go(func() { l.weigh(ctx) })
	beside.Go(func() { l.readBeside(l.shift(ctx, "beside: ")) })
	deck := newDeck(l.random, longDisturbances)
	for s := l.shift(ctx, "long: "); s.on() && !l.p.isOver(); {
		rest(l.t.Context(), between(l.random, 0, 3*time.Second))
		card := deck.deal()
		if !longDisturbances[card](l) {
			deck.again(card)
			continue
		}
		l.happened(card, 1)
	}
	beside.Wait()
	if !l.ordered("drain") {
		l.t.Errorf("long: exit code %d: %s", l.p.ProcessState.ExitCode(), l.p.complaints())
	}
	l.alone()
	if err := l.pages.Process.Signal(syscall.SIGTERM); err != nil {
		l.t.Errorf("the page server has ended: %v: %s", err, l.pages.complaints())
	}
	<-l.pages.over
	l.t.Logf("the long session played %d games", len(l.whole(l.db)))
	l.holdsOnly(l.dir, "gogi.db", "gogi.db-lock", "gogi.db-faults")
	l.flat()
}

// target changes the number of games and changes it back.
func (l *long) target() bool { return l.order("target", "900000") && l.order("target", "1000000") }

// deaf follows the session and never reads, until the session closes the connection.
func (l *long) deaf() bool {
	conn, err := net.Dial("unix", l.socket())
	if err != nil {
		return false
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, `{"follow":true}`+"\n"); err != nil {
		return false
	}
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		l.t.Error(err)
		return false
	}
	cut := within(waitLimit, func() bool {
		gone := l.p.isOver()
		err := raw.Control(func(fd uintptr) {
			state := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
			n, err := unix.Poll(state, 0)
			gone = err == nil && n > 0
		})
		return err == nil && gone
	})
	testutil.Check(l.t, cut, "long: a follower that never reads was not cut")
	return cut && !l.p.isOver()
}

// enoughReadings is the number of readings that growth needs: each third must be long enough.
const enoughReadings = 45

// weigh records the memory of the programs once a second. It begins after each disturbance and each reader has run
// once.
func (l *long) weigh(ctx context.Context) {
	for s := l.shift(ctx, "long: ", "beside: "); s.on() && s.lacks(s.owes) && !l.p.isOver(); {
		rest(l.t.Context(), time.Second)
	}
	for n := 0; ctx.Err() == nil || n < enoughReadings; n++ {
		for name, p := range map[string]*program{"gogi match": l.p, "gogi serve": l.pages} {
			if kB, ok := resident(p.Process.Pid); ok {
				l.memory[name] = append(l.memory[name], kB)
			}
		}
		rest(l.t.Context(), time.Second)
	}
}

// flat asserts that memory does not grow.
func (l *long) flat() {
	for name, all := range l.memory {
		if len(all) < enoughReadings {
			l.t.Errorf("memory of %s: only %d readings", name, len(all))
			continue
		}
		before, after, grown := growth(all)
		l.t.Logf("memory of %s: at most %.1f MB in the first third of %d s, in the last one mostly more than %.1f",
			name, before/1024, len(all), after/1024)
		testutil.Check(l.t, !grown, "memory of %s: it grows", name)
	}
}

// growth compares memory sizes in kB. A single high or low value proves nothing. Memory has grown if the lower quartile
// of the last third exceeds all values of the first third, by a quarter and by 8 MB.
func growth(all []float64) (before, after float64, grown bool) {
	last := slices.Sorted(slices.Values(all[len(all)*2/3:]))
	before, after = slices.Max(all[:len(all)/3]), last[len(last)/4]
	return before, after, after > before*5/4+8*1024
}

// readers lists commands that read a database while a run is played. Each function reports whether it succeeded.
var readers = map[string]func(l *long, db string) bool{
	"beside: report":        func(l *long, db string) bool { return l.reads(db, "report") },
	"beside: report --json": func(l *long, db string) bool { return l.reads(db, "report", "--json") },
	"beside: report --html": (*long).readPage,
	"beside: games":         func(l *long, db string) bool { return l.reads(db, "games") },
	"beside: runs":          func(l *long, db string) bool { return l.reads(db, "runs") },
	"beside: gate":          func(l *long, db string) bool { return l.reads(db, "gate", "--gate", "gate.toml") },
	"beside: db check":      func(l *long, db string) bool { return l.reads(db, "db", "check") },
	"beside: db dump":       func(l *long, db string) bool { return l.reads(db, "db", "dump", "--stable") },
	"beside: db backup":     (*long).backUp,
	"beside: pages":         func(l *long, _ string) bool { return l.browse() },
}

// readBeside runs readers until its shift is over.
func (l *long) readBeside(s *shift) {
	deck := newDeck(l.readers, readers)
	for s.on() {
		rest(l.t.Context(), between(l.readers, 0, 1500*time.Millisecond))
		card := deck.deal()
		l.mu.RLock()
		db := l.db
		if l.other != "" && l.readers.IntN(2) == 0 {
			db = l.other
		}
		done := readers[card](l, db)
		l.mu.RUnlock()
		if done {
			l.happened(card, 1)
		} else {
			deck.again(card)
		}
	}
}

// excuses are the errors for a run that is just beginning, or whose disk is full.
var excuses = []string{"not found. Run `gogi match` first", "there are no runs yet", "no run was ever stored",
	"disk is full", "no space left"}

// reads runs a command that reads, and reports whether it succeeded.
func (l *long) reads(db string, verb ...string) bool {
	_, complaints, code := l.run(append(verb, "--db", db)...)
	if code == 0 || verb[0] == "gate" && (code == 10 || code == 11) {
		return true
	}
	for _, excuse := range excuses {
		if db != l.db && strings.Contains(complaints, excuse) {
			return false
		}
	}
	l.t.Errorf("%v of %s: exit code %d: %s", verb, db, code, complaints)
	return false
}

func (l *long) readPage(db string) bool {
	page := filepath.Join(l.temp, "page.html")
	done := l.reads(db, "report", "--html", page)
	text, err := os.ReadFile(page)
	testutil.Check(l.t, !done || err == nil && strings.Contains(string(text), "</html>"),
		"the page of %s is not whole: %v", db, err)
	if err == nil {
		err = os.Remove(page)
	}
	return done && err == nil
}

// backUp copies a database and checks the copy.
func (l *long) backUp(db string) bool {
	into := filepath.Join(l.temp, "copy.db")
	_, complaints, code := l.run("db", "backup", into, "--db", db)
	if code == 0 {
		var out string
		if out, complaints, code = l.run("db", "check", "--db", into); code != 0 {
			l.t.Errorf("the copy of %s: exit code %d: %s%s", db, code, out, complaints)
		}
	} else if db == l.db {
		l.t.Errorf("backup: exit code %d: %s", code, complaints)
	}
	left, _ := filepath.Glob(into + "*") // the pattern is valid
	for _, file := range left {
		testutil.Check(l.t, file == into && code == 0,
			"a file is left by a backup of %s (exit code %d: %s): %s", db, code, complaints, file)
		testutil.OK(l.t, os.Remove(file))
	}
	return code == 0
}

var link = regexp.MustCompile(`(?:href|src)="(/[^"#]*)"`)

// browse requests the first page and some of its links.
func (l *long) browse() bool {
	text, status := l.get("/")
	links := link.FindAllStringSubmatch(text, -1)
	if status != http.StatusOK || len(links) == 0 || !strings.Contains(text, l.name) {
		l.t.Errorf("the first page: status %d, %d links: %.200s", status, len(links), text)
		return false
	}
	for range 5 {
		next := strings.ReplaceAll(links[l.readers.IntN(len(links))][1], "&amp;", "&")
		if _, status := l.get(next); status != http.StatusOK {
			l.t.Errorf("%s: status %d: %s", next, status, l.pages.complaints())
			return false
		}
	}
	return true
}

// get requests a page. Status 0 means no answer. It does not read a stream, because a stream does not end.
func (l *long) get(path string) (text string, status int) {
	ctx, cancel := context.WithTimeout(l.t.Context(), waitLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, l.url+path, nil)
	if err != nil {
		l.t.Error(err)
		return "", 0
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		l.t.Errorf("%s: %v", path, err)
		return "", 0
	}
	defer answer.Body.Close()
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		return "", answer.StatusCode
	}
	page, err := io.ReadAll(answer.Body)
	if err != nil {
		l.t.Errorf("%s: %v", path, err)
		return "", 0
	}
	return string(page), answer.StatusCode
}
