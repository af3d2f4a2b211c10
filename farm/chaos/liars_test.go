//go:build unix

package chaos

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/internal/testutil"
)

// The liars are real workers, in processes of their own, whose built-in engine lies: testdata/lie.go.txt replaces a
// part of the engine. Their messages are correct and signed, and their games are legal. Two owners lie, each with one
// worker, and two owners play honestly. In a test with trusted workers, one or both of the honest workers are trusted.
var (
	liars  = map[string]string{"liar1": "black", "liar2": "dark"}
	honest = map[string]string{"w0": "green", "w1": "white"}
)

// A Lie is one row of the table in docs/research/trust.md: a lie, a limit, a number of trusted workers, and what
// happened.
type Lie struct {
	Lie     string `json:"lie"`
	Limit   string `json:"limit"` // nodes or clock
	Trusted int    `json:"trusted"`
	Round   int    `json:"round"`

	Lied   int           `json:"lied"`   // games with a lie
	Found  []Found       `json:"found"`  // the liars in quarantine, in their order
	Stored int           `json:"stored"` // pairs at the end
	Liars  int           `json:"liars"`  // of these, pairs of liars
	Share  float64       `json:"share"`  // the largest share of the liars among the stored pairs, before both were found
	State  string        `json:"state"`
	Told   string        `json:"told"` // verdict and remark of gogi farm show
	Gate   int           `json:"gate"` // exit code of gogi gate
	Blamed []string      `json:"blamed"`
	Took   time.Duration `json:"took"`
}

// Found describes the moment at which the farm put a liar into quarantine.
type Found struct {
	Worker string `json:"worker"`
	Pairs  int    `json:"pairs"`  // its stored pairs
	Stored int    `json:"stored"` // all pairs stored until then
	Why    string `json:"why"`
}

func (l *Lie) key() string { return fmt.Sprintf("%s/%s/%d/%d", l.Lie, l.Limit, l.Trusted, l.Round) }

// liarsProgram builds gogi with an engine that lies.
var liarsProgram = sync.OnceValues(func() (string, error) {
	if scratch == "" { // program makes it too
		dir, err := os.MkdirTemp("", "gogi-chaos-")
		if err != nil {
			return "", err
		}
		scratch = dir
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	engine := filepath.Join(root, "players", "builtin", "engine.go")
	text, err := os.ReadFile(engine)
	if err != nil {
		return "", err
	}
	for before, after := range map[string]string{") NewGame(": ") honestNewGame(", ") Think(": ") honestThink("} {
		if strings.Count(string(text), before) != 1 {
			return "", fmt.Errorf("%s has not one function %s", engine, before)
		}
		text = []byte(strings.Replace(string(text), before, after, 1))
	}
	changed, overlay, file := filepath.Join(scratch, "engine.go"), filepath.Join(scratch, "overlay.json"),
		filepath.Join(scratch, "liar")
	lie, err := filepath.Abs(filepath.Join("testdata", "lie.go.txt"))
	if err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {engine: changed,
		filepath.Join(filepath.Dir(engine), "lie.go"): lie}})
	if err = errors.Join(err, os.WriteFile(changed, text, 0o600), os.WriteFile(overlay, list, 0o600)); err != nil {
		return "", err
	}
	if out, err := exec.Command("go", "build", "-overlay", overlay, "-o", file, "gogi/cmd/gogi").CombinedOutput(); err !=
		nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return file, nil
})

const (
	liedGames = 800
	liedNodes = 50
	// settled is the time without a change after which a farm is at rest. cellLimit ends a cell whose farm does not rest.
	settled   = 20 * time.Second
	cellLimit = 10 * time.Minute
)

// TestChaosOfLiars measures the share of pairs that lying workers have until they are found, and what the verdict then
// says. LIARS is a file of results: the test plays the cells of the table that the file lacks, appends them, and prints
// the table. Without LIARS it plays one cell, in which the farm must find both liars and nobody else.
func TestChaosOfLiars(t *testing.T) {
	needChaos(t)
	file := os.Getenv("LIARS")
	if file == "" {
		l := playLie(t, Lie{Lie: "invents", Limit: "nodes", Trusted: 2}, 240)
		testutil.Check(t, len(l.Found) == 2 && l.Liars == 0 && len(l.Blamed) == 0, "%+v", l)
		testutil.Check(t, !strings.Contains(l.Told, "provisional"), "%s", l.Told)
		return
	}
	all := testutil.Must(readLies(file))(t)
	for _, l := range cells() {
		if slices.ContainsFunc(all, func(done Lie) bool { return done.key() == l.key() }) {
			continue
		}
		t.Run(l.key(), func(t *testing.T) {
			l = playLie(t, l, liedGames)
			out := testutil.Must(os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))(t)
			testutil.OK(t, errors.Join(json.NewEncoder(out).Encode(l), out.Close()))
			all = append(all, l)
		})
	}
	t.Log(lieTable(all))
}

// cells returns the cells of the table.
func cells() (all []Lie) {
	for _, limit := range []string{"nodes", "clock"} {
		for _, lie := range []string{"invents", "flips", "fewer", "favours", "late"} {
			for trusted := range 3 {
				if lie == "late" && limit == "nodes" || lie == "favours" && limit == "clock" {
					continue // without a clock nobody loses on time
				}
				all = append(all, Lie{Lie: lie, Limit: limit, Trusted: trusted})
			}
		}
	}
	return all
}

func readLies(file string) (all []Lie, err error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l Lie
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, l)
	}
	return all, nil
}

// lieTable returns the table of docs/research/trust.md.
func lieTable(all []Lie) string {
	var b strings.Builder
	fmt.Fprint(&b,
		"\n| lie | limit | trusted workers | liars found, after pairs of their own (of all) | largest share | their pairs at the end | verdict | gate |\n|---|---|---|---|---|---|---|---|\n")
	for i := range all {
		l := &all[i]
		var found []string
		for _, f := range l.Found {
			found = append(found, fmt.Sprintf("%d (%d)", f.Pairs, f.Stored))
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %.0f%% | %d of %d | %s | %d |\n", l.Lie, l.Limit, l.Trusted,
			cmp.Or(strings.Join(found, ", "), "none"), 100*l.Share, l.Liars, l.Stored, l.Told, l.Gate)
	}
	return b.String()
}

// playLie plays a cell: a test with an SPRT on a farm with two liars.
func playLie(t *testing.T, l Lie, games int) Lie {
	t.Helper()
	began := time.Now()
	w := newWorld(t, setting{})
	program := testutil.Must(liarsProgram())(t)
	for _, all := range []map[string]string{liars, honest} {
		for name, owner := range all {
			w.issue(name, owner, keys.Work)
		}
	}
	bounds := "0,60"
	if l.Limit == "clock" { // statistics need more pairs than audits
		games, bounds = 2*games, "0,10"
	}
	flags := series("lied", games, liedNodes, "--sprt", bounds, "--seed", fmt.Sprint(1+l.Round))
	if l.Limit == "clock" { // the nodes still limit each search, so a busy machine loses no game on time
		flags = append(flags, "--tc", "2+0.02")
	}
	w.serve()
	w.submit(flags)
	for name := range liars {
		w.workers[name] = w.startOf(name, program, []string{"GOGI_LIE=" + l.Lie, "GOGI_LIE_TRACE=" + w.file("lies")}, "farm",
			"work", "--creds", name+".creds", "--concurrency", "2")
	}
	for name := range honest {
		w.work(name)
	}
	for i := range l.Trusted {
		w.until("a worker joins", func() bool { return w.worker(fmt.Sprint("w", i)).Here })
		w.run("farm", "worker", "trust", fmt.Sprint("w", i), "verified", "--creds", "boss.creds")
	}
	s := w.watch(&l)
	l.State, l.Stored = string(s.State), s.Stored
	l.Told = cmp.Or(s.Verdict, "none")
	if s.Provisional != "" {
		l.Told += ", provisional: " + s.Provisional
	}
	for _, p := range s.Workers {
		if liars[p.Name] != "" {
			l.Liars += p.Stored
		}
	}
	l.Gate = w.exitCode("gate", "lied", "--db", w.db)
	lies, err := os.ReadFile(w.file("lies"))
	testutil.Check(t, err == nil && len(lies) > 0, "no game had a lie: %v", err)
	l.Lied, l.Took = len(lies), time.Since(began)
	testutil.Check(t, len(l.Blamed) == 0, "honest workers are in quarantine: %v", l.Blamed)
	t.Logf("%+v", l)
	return l
}

// watch observes a farm until nothing changes any more, and returns the last status of the test. It stores in l when
// the farm found the liars.
func (w *world) watch(l *Lie) farm.TestStatus {
	w.t.Helper()
	creds := testutil.Must(keys.ReadCreds(w.file("ann.creds")))(w.t)
	way := testutil.Must(nats.Dial(creds))(w.t)
	defer way.Close()
	var s farm.TestStatus
	last, since, began := "", time.Now(), time.Now()
	for ; time.Since(since) < settled && time.Since(began) < cellLimit; time.Sleep(50 * time.Millisecond) {
		var all farm.Status
		var shown farm.TestStatus // decoding leaves fields that an answer omits
		if way.Request(w.t.Context(), farm.SubjectAdmin+"ann.workers", farm.Order{}, &all) != nil ||
			way.Request(w.t.Context(), farm.SubjectAdmin+"ann.show", farm.Order{Run: "lied"}, &shown) != nil {
			since = time.Now() // it is away for a moment
			continue
		}
		s = shown
		l.see(all.Workers)
		now := fmt.Sprint(s.Added, s.Agreed, s.Differed, s.State, s.Provisional, s.Verdict, len(l.Found))
		if now != last || s.State == farm.Running {
			last, since = now, time.Now()
		}
	}
	return s
}

// see stores what the status of the workers shows.
func (l *Lie) see(all []farm.WorkerStatus) {
	stored, lied := 0, 0
	for i := range all {
		stored += all[i].Added
		if liars[all[i].Name] != "" {
			lied += all[i].Added
		}
	}
	if len(l.Found) < len(liars) && stored >= 32 {
		l.Share = max(l.Share, float64(lied)/float64(stored))
	}
	for i := range all {
		s := &all[i]
		if s.Quarantine == "" {
			continue
		}
		switch {
		case liars[s.Name] == "":
			if !slices.Contains(l.Blamed, s.Name) {
				l.Blamed = append(l.Blamed, s.Name)
			}
		case !slices.ContainsFunc(l.Found, func(f Found) bool { return f.Worker == s.Name }):
			l.Found = append(l.Found, Found{s.Name, s.Added, stored, s.Quarantine})
		}
	}
}
