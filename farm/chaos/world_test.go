//go:build unix

package chaos

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gogi/farm/folder"
	"gogi/farm/keys"
	"gogi/farm/site"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/gate"
	"gogi/results"
	"gogi/stats"
)

// The times of a farm under test. A lease ends during a stop.
const (
	leaseTime = 2 * time.Second
	stopTime  = 3 * time.Second
)

// waitLimit bounds the wait for an event that must happen, even on a busy machine.
const waitLimit = 20 * time.Minute

// program builds gogi and the coordinator once and returns the path of gogi. GOGI_NEW is the path of a gogi that is
// already built, with gogi-farm in its folder.
var program = sync.OnceValues(func() (string, error) {
	if file := os.Getenv("GOGI_NEW"); file != "" {
		_, err := os.Stat(filepath.Join(filepath.Dir(file), "gogi-farm")) // else gogi would take one from the PATH
		return file, err
	}
	dir, err := os.MkdirTemp("", "gogi-chaos-")
	if err != nil {
		return "", err
	}
	scratch = dir
	out, err := exec.Command("go", "build", "-o", dir+"/", "gogi/cmd/gogi", "gogi/cmd/gogi-farm").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return filepath.Join(dir, "gogi"), nil
})

// scratch is the folder of the built program.
var scratch string

// needChaos skips a test if CHAOS is not set.
func needChaos(t *testing.T) {
	t.Helper()
	if os.Getenv("CHAOS") == "" {
		t.Skip("it starts many processes: make chaos")
	}
}

// world is a farm of processes.
type world struct {
	t     testing.TB
	dir   string // folder of all files: the coordinator's state is in farm, its database is farm.db
	gogi  string
	host  string
	port  string
	db    string // database of games, in dir
	url   string // URL of separate NATS servers; "": the coordinator's
	lease time.Duration
	trace *site.Trace

	coordinator *process
	workers     map[string]*process
	thieves     int // number of thieves so far, see thief
}

// process is a process of the farm.
type process struct {
	*exec.Cmd
	over chan struct{} // closed when it has ended
}

// end signals a process and waits until it has ended.
func (p *process) end(sig os.Signal) {
	_ = p.Process.Signal(sig) // it may have ended
	<-p.over
}

// setting has the parameters of a world.
type setting struct {
	host  string        // address of the coordinator; "": 127.0.0.1
	db    string        // database of the coordinator; "": farm.db
	extra string        // lines of the coordinator's settings
	url   string        // URL of separate NATS servers; "": the coordinator's
	gogi  string        // the program of the coordinator; "": this version
	lease time.Duration // 0: leaseTime
}

// newWorld makes the settings, and keys for an owner, an approver, an admin and the workers.
func newWorld(t testing.TB, s setting, workers ...string) *world {
	t.Helper()
	if s.gogi == "" {
		s.gogi = testutil.Must(program())(t)
	}
	s.host = cmp.Or(s.host, "127.0.0.1")
	s.db = cmp.Or(s.db, "farm.db")
	w := &world{t: t, dir: t.TempDir(), gogi: s.gogi, host: s.host, db: s.db, url: s.url,
		lease: cmp.Or(s.lease, leaseTime), workers: map[string]*process{}}
	trace := testutil.Must(os.OpenFile(w.file("trace"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))(t)
	w.trace = site.NewTrace(trace)
	l, err := net.Listen("tcp", net.JoinHostPort(s.host, "0"))
	testutil.OK(t, err)
	if _, w.port, err = net.SplitHostPort(l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	testutil.OK(t, l.Close())
	w.settings("farm", s.extra)
	for _, key := range []struct {
		name, owner string
		right       keys.Right
	}{{"ann", "red", keys.Submit}, {"ben", "blue", keys.Approve}, {"boss", "farm", keys.Admin}} {
		w.issue(key.name, key.owner, key.right)
	}
	for _, name := range workers {
		w.issue(name, "red", keys.Work)
	}
	t.Cleanup(func() {
		w.endAll(syscall.SIGKILL)
		if err := trace.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(w.said())
		}
	})
	return w
}

// settings writes the coordinator's file farm.toml.
func (w *world) settings(state, extra string) {
	w.t.Helper()
	text := fmt.Sprintf("[farm]\nlisten = %q\nstate = %q\nlease = %q\nhosts = [%q]\n[store]\ndb = %q\n%s\n",
		net.JoinHostPort(w.host, w.port), state, w.lease, w.host, w.db, extra)
	w.write("farm.toml", text)
}

// write writes a file into the world's folder, and returns its path.
func (w *world) write(name, text string) string {
	w.t.Helper()
	testutil.OK(w.t, os.WriteFile(w.file(name), []byte(text), 0o600))
	return w.file(name)
}

func (w *world) file(name string) string { return filepath.Join(w.dir, name) }

// issue makes a key and writes NAME.creds.
func (w *world) issue(name, owner string, right keys.Right) {
	w.t.Helper()
	state := testutil.Must(folder.Open(w.file("farm"), time.Now()))(w.t)
	url := cmp.Or(w.url, "tls://"+net.JoinHostPort(w.host, w.port))
	ca := testutil.Must(state.TrustedBy(url, ""))(w.t)
	c, err := state.Issue(name, owner, []keys.Right{right}, time.Time{}, url, ca)
	if err == nil {
		err = c.Write(w.file(name + ".creds"))
	}
	testutil.OK(w.t, err)
}

// start starts a gogi process. The words of before, if any, run it.
func (w *world) start(name string, before []string, args ...string) *process {
	w.t.Helper()
	line := append(append(before[:len(before):len(before)], w.gogi), args...)
	return w.startOf(name, line[0], nil, line[1:]...)
}

// startOf starts a process of a program with more of an environment.
func (w *world) startOf(name, program string, env []string, args ...string) *process {
	w.t.Helper()
	p := &process{Cmd: exec.Command(program, args...), over: make(chan struct{})}
	p.Dir = w.dir
	p.Env = append(append(os.Environ(), "XDG_CACHE_HOME="+w.file("cache-"+name)), env...)
	said := testutil.Must(os.OpenFile(w.file(name+".err"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))(w.t)
	defer said.Close()
	p.Stderr = said
	testutil.OK(w.t, p.Start())
	go func() {
		defer close(p.over)
		_ = p.Wait() // the state of the process has its end
	}()
	return p
}

func (w *world) serve() {
	w.t.Helper()
	w.coordinator = w.start("coordinator", nil, "farm", "serve", "farm.toml", "--trace", "trace")
}

func (w *world) work(name string, before ...string) {
	w.t.Helper()
	w.workers[name] = w.start(name, before, "farm", "work", "--creds", name+".creds", "--concurrency", "2")
}

func (w *world) killWorker(name string) {
	w.workers[name].end(syscall.SIGKILL)
	w.trace.Write(site.Step{What: StepKilled, Worker: name})
}

func (w *world) killCoordinator() {
	w.coordinator.end(syscall.SIGKILL)
	w.trace.Write(site.Step{What: StepKilled})
}

// stopWorker stops a worker for longer than its lease.
func (w *world) stopWorker(name string) {
	p := w.workers[name].Process
	if p.Signal(syscall.SIGSTOP) != nil {
		return // it has ended
	}
	time.Sleep(stopTime)
	if p.Signal(syscall.SIGCONT) == nil {
		w.trace.Write(site.Step{What: StepStopped, Worker: name})
	}
}

// endAll ends all processes, workers first.
func (w *world) endAll(sig os.Signal) {
	for _, p := range w.workers {
		_ = p.Process.Signal(syscall.SIGCONT)
		p.end(sig)
	}
	if w.coordinator != nil {
		w.coordinator.end(sig)
	}
}

// run runs gogi to its end, and returns its output.
func (w *world) run(args ...string) string {
	w.t.Helper()
	out, errs, err := w.runs(args...)
	if err != nil {
		w.t.Fatalf("gogi %v: %v\n%s", args, err, errs)
	}
	return out
}

// exitCode runs gogi to its end, and returns its exit code.
func (w *world) exitCode(args ...string) int {
	w.t.Helper()
	_, _, err := w.runs(args...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	testutil.OK(w.t, err)
	return 0
}

func (w *world) runs(args ...string) (out, errs string, err error) {
	ctx, cancel := context.WithTimeout(w.t.Context(), waitLimit)
	defer cancel()
	c := exec.CommandContext(ctx, w.gogi, args...)
	c.Dir = w.dir
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	err = c.Run()
	return o.String(), e.String(), err
}

// series returns the flags of a match of the built-in engine. It sets the openings, because gogi match and gogi farm
// submit have different defaults.
func series(name string, games, nodes int, more ...string) []string {
	return append([]string{"--run", name, "--engine", "a=builtin", "--engine", "b=builtin", "--nodes", fmt.Sprint(nodes),
		"--option", "a.EvalNoise=3", "--openings", "builtin-1000", "--games", fmt.Sprint(games)}, more...)
}

// submit submits a match and approves it.
func (w *world) submit(flags []string) {
	w.t.Helper()
	w.run(append([]string{"farm", "submit", "--creds", "ann.creds"}, flags...)...)
	w.run("farm", "approve", "--creds", "ben.creds", flags[1])
}

// local plays the match on this machine, into local.db.
func (w *world) local(flags []string) {
	w.t.Helper()
	w.run(append([]string{"match", "-q", "--db", "local.db"}, flags...)...)
}

// dump returns the stable dump of a run in a database.
func (w *world) dump(db, name string) string {
	w.t.Helper()
	return w.run("db", "dump", "--stable", "--db", db, name)
}

// same checks that the farm has stored the games that one machine plays (I2).
func (w *world) same(name, local string) {
	w.t.Helper()
	if farm := w.dump(w.db, name); farm != local || !strings.Contains(farm, `"type":"game"`) {
		w.t.Error("I2: the farm has not stored what one machine plays")
	}
}

// mirror updates the farm's mirror.
func (w *world) mirror() {
	w.t.Helper()
	w.run("farm", "mirror", "--once", "-q", "--creds", "ann.creds", "--db", "copy.db")
}

// copied checks that the mirror has the farm's data (I10).
func (w *world) copied(name string) {
	w.t.Helper()
	testutil.Check(w.t, w.dump(w.db, name) == w.dump("copy.db", name), "I10: the copy differs from the farm")
}

// finished returns the number of stored pairs of a test.
func (w *world) finished(name string) int { return len(w.run1(name).Stored) }

// run1 returns a test with its stored pairs. It is empty if the database has no such test yet.
func (w *world) run1(name string) (r Run) {
	ctx := w.t.Context()
	store, err := results.OpenExisting(ctx, w.file(w.db))
	if err != nil {
		return r // no database yet, or not open yet
	}
	defer store.Close()
	info, err := store.FindRun(ctx, name)
	if err != nil {
		return r
	}
	r = Run{Digest: info.Digest, Pairs: info.Pairs, Stored: map[int]match.Provenance{}}
	finished, err := store.Finished(ctx, info.ID)
	testutil.Check(w.t, err == nil, "%v", err)
	for id := range finished {
		p, err := store.Pair(ctx, info.ID, id)
		testutil.Check(w.t, err == nil, "%v", err)
		r.Stored[id] = p.Played
	}
	return r
}

// verdict returns the decision of an SPRT about the stored pairs of a test.
func (w *world) verdict(name string, g stats.SPRT) string {
	w.t.Helper()
	ctx := w.t.Context()
	store := testutil.Must(results.OpenExisting(ctx, w.file(w.db)))(w.t)
	defer store.Close()
	info := testutil.Must(store.FindRun(ctx, name))(w.t)
	judge := testutil.Must(gate.New(g, info.Pairs))(w.t)
	testutil.OK(w.t, store.Pairs(ctx, info.ID, results.Filter{}, func(rows []match.Row) error {
		return judge.Add(rows[0].Pair, gate.OfRows(rows))
	}))
	return string(judge.State().Judgement.Decision)
}

// until waits until done returns true.
func (w *world) until(what string, done func() bool) {
	w.t.Helper()
	waitFor(w.t, what, done)
}

func waitFor(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(waitLimit); !done(); time.Sleep(50 * time.Millisecond) {
		testutil.Require(t, !time.Now().After(deadline), "it never happens that %s", what)
	}
}

// stored waits until that many pairs are stored.
func (w *world) stored(name string, pairs int) {
	w.t.Helper()
	w.until(fmt.Sprintf("%d pairs of %s are stored", pairs, name), func() bool { return w.finished(name) >= pairs })
}

// history returns the trace so far.
func (w *world) history() *History {
	w.t.Helper()
	f := testutil.Must(os.Open(w.file("trace")))(w.t)
	defer f.Close()
	return testutil.Must(Read(f))(w.t)
}

// judge ends all processes normally, and judges the history and the database.
func (w *world) judge(name string, change func(*Run)) Evidence {
	w.t.Helper()
	w.endAll(os.Interrupt)
	run := w.run1(name)
	if change != nil {
		change(&run)
	}
	evidence, wrong := Judge(w.history(), run)
	for _, broken := range wrong {
		w.t.Error(broken)
	}
	return evidence
}

// next waits for a step that is written from now on. It returns nil after ten seconds without one.
func (w *world) next(wanted func(*site.Step) bool) *site.Step {
	return w.tail().next(wanted, func() { time.Sleep(200 * time.Microsecond) })
}

// tail reads the trace from now on.
type tail struct {
	w    *world
	file *os.File
	rest string
}

func (w *world) tail() *tail {
	f := testutil.Must(os.Open(w.file("trace")))(w.t)
	w.t.Cleanup(func() { _ = f.Close() }) // the file is only read
	testutil.OK(w.t, testutil.Err(f.Seek(0, io.SeekEnd)))
	return &tail{w: w, file: f}
}

// next returns the first wanted step. Between its reads it calls pause. It returns nil after ten seconds without such a
// step.
func (t *tail) next(wanted func(*site.Step) bool, pause func()) *site.Step {
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); pause() {
		more, _ := io.ReadAll(t.file)
		t.rest += string(more)
		for {
			line, after, whole := strings.Cut(t.rest, "\n")
			if !whole {
				break
			}
			t.rest = after
			var s site.Step
			if json.Unmarshal([]byte(line), &s) == nil && wanted(&s) {
				return &s
			}
		}
	}
	return nil
}

// creep lets the stopped coordinator run for some microseconds.
func (w *world) creep() {
	p := w.coordinator.Process
	if p.Signal(syscall.SIGCONT) != nil {
		return // it has ended
	}
	for began := time.Now(); time.Since(began) < 100*time.Microsecond; { // a sleep takes much longer
	}
	_ = p.Signal(syscall.SIGSTOP) // the coordinator may have ended
}

// said returns the end of the output of all processes.
func (w *world) said() string {
	var all bytes.Buffer
	names, _ := filepath.Glob(w.file("*.err"))
	for _, name := range names {
		text, _ := os.ReadFile(name)
		fmt.Fprintf(&all, "%s:\n%s\n", filepath.Base(name), text[max(0, len(text)-2000):])
	}
	return all.String()
}
