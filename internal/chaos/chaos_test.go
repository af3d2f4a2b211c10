//go:build unix

package chaos_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"gogi/farm/keys"
	"gogi/farm/site"
	"gogi/internal/chaos"
	"gogi/match"
	"gogi/results"
)

// What a farm is put through: so many workers, a lease that a stop outlives.
const (
	workers   = 3
	leaseTime = 2 * time.Second
	stopTime  = 3 * time.Second
)

// world is a farm of processes.
type world struct {
	t     *testing.T
	dir   string
	gogi  string
	port  string
	rand  *rand.Rand
	games int

	coordinator *process
	workers     [workers]*process
	killed      struct{ workers, coordinators, stopped int }
}

// process is one of them.
type process struct {
	*exec.Cmd
	over chan struct{} // closed when it has ended
}

func (w *world) start(name string, args ...string) *process {
	w.t.Helper()
	p := &process{Cmd: exec.Command(w.gogi, args...), over: make(chan struct{})}
	p.Dir = w.dir
	p.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(w.dir, "cache-"+name))
	said, err := os.OpenFile(filepath.Join(w.dir, name+".err"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	defer said.Close()
	p.Stderr = said
	if err := p.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		defer close(p.over)
		_ = p.Wait() // how it ended is in its state
	}()
	return p
}

// end signals a process, unless it has ended, and waits until it has.
func (p *process) end(sig os.Signal) {
	_ = p.Process.Signal(sig) // it may have ended
	<-p.over
}

func (w *world) serve() {
	w.coordinator = w.start("coordinator", "farm", "serve", "--listen", w.port, "--lease", leaseTime.String(), "--state", "farm", "--db", "farm.db", "--trace", "trace")
}

func (w *world) work(i int) {
	name := fmt.Sprintf("w%d", i)
	w.workers[i] = w.start(name, "farm", "work", "--creds", name+".creds", "--concurrency", "2")
}

// run runs gogi to its end, and gives what it printed.
func (w *world) run(args ...string) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, w.gogi, args...)
	c.Dir = w.dir
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		w.t.Fatalf("gogi %v: %v\n%s", args, err, &errs)
	}
	return out.String()
}

// newWorld builds the program, makes the keys and starts everything.
func newWorld(t *testing.T, seed uint64, games int) *world {
	w := &world{t: t, dir: t.TempDir(), rand: rand.New(rand.NewPCG(seed, 0)), games: games}
	w.gogi = filepath.Join(w.dir, "gogi")
	if out, err := exec.Command("go", "build", "-o", w.gogi, "gogi/cmd/gogi").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.port = l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	state, err := site.OpenState(filepath.Join(w.dir, "farm"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	ca, err := state.TrustedBy("tls://"+w.port, "")
	if err != nil {
		t.Fatal(err)
	}
	issue := func(name, owner string, right keys.Right) {
		c, err := state.Issue(name, owner, []keys.Right{right}, time.Time{}, "tls://"+w.port, ca)
		if err == nil {
			err = c.Write(filepath.Join(w.dir, name+".creds"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	issue("ann", "red", keys.Submit)
	issue("ben", "blue", keys.Approve)
	for i := range workers {
		issue(fmt.Sprintf("w%d", i), "red", keys.Work)
	}
	w.serve()
	t.Cleanup(func() {
		for _, p := range append(w.workers[:], w.coordinator) {
			if p != nil {
				p.end(syscall.SIGKILL)
			}
		}
	})
	w.run("farm", "submit", "--creds", "ann.creds", "--run", "chaos", "--engine", "a=builtin", "--engine", "b=builtin", "--nodes", nodes, "--option", "a.EvalNoise=3",
		"--games", strconv.Itoa(games))
	w.run("farm", "approve", "--creds", "ben.creds", "chaos")
	for i := range workers {
		w.work(i)
	}
	return w
}

// finished is how many pairs are stored.
func (w *world) finished(ctx context.Context) int {
	store, err := results.OpenExisting(ctx, filepath.Join(w.dir, "farm.db"))
	if err != nil {
		return 0 // not there yet, or just being opened
	}
	defer store.Close()
	info, err := store.FindRun(ctx, "chaos")
	if err != nil {
		return 0
	}
	return info.Finished
}

// disturb does one thing to the farm.
func (w *world) disturb() {
	switch i := w.rand.IntN(workers); w.rand.IntN(8) {
	case 0:
		w.killWorker(i)
	case 1:
		w.killCoordinator()
	case 2, 3: // between what it sent and the word that it is stored
		if by := w.delivery(); by >= 0 {
			w.killWorker(by)
		}
	case 4, 5: // between storing and acknowledging, if the machine is quick enough
		if w.delivery() >= 0 {
			w.killCoordinator()
		}
	case 6:
		p := w.workers[i].Process
		if p.Signal(syscall.SIGSTOP) == nil {
			w.killed.stopped++
			time.AfterFunc(stopTime, func() { _ = p.Signal(syscall.SIGCONT) }) // it may have been killed meanwhile
		}
	default: // a moment of peace
	}
}

func (w *world) killWorker(i int) {
	w.workers[i].end(syscall.SIGKILL)
	w.killed.workers++
	w.work(i)
}

func (w *world) killCoordinator() {
	w.coordinator.end(syscall.SIGKILL)
	w.killed.coordinators++
	w.serve()
}

// delivery waits until a result reaches the coordinator, and says whose it is; -1 where
// none came for a while.
func (w *world) delivery() int {
	f, err := os.Open(filepath.Join(w.dir, "trace"))
	if err != nil {
		return -1
	}
	defer f.Close()
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		return -1
	}
	seen := ""
	for until := time.Now().Add(3 * time.Second); time.Now().Before(until); <-time.After(2 * time.Millisecond) {
		more, _ := io.ReadAll(f)
		seen += string(more)
		if m := deliveryOf.FindStringSubmatch(seen); m != nil {
			i, _ := strconv.Atoi(m[1]) // a digit
			return i
		}
	}
	return -1
}

var deliveryOf = regexp.MustCompile(`"what":"delivery","worker":"w([0-9])"`)

// TestChaos plays a series on a farm of which everything is killed at random, until it
// is played and enough has happened. What is stored must be what one machine plays,
// byte for byte, and no promise may be broken. CHAOS is how long it goes on at least, by
// rounds; CHAOS_SEED repeats what was drawn. Without CHAOS nothing is played.
func TestChaos(t *testing.T) {
	if os.Getenv("CHAOS") == "" {
		t.Skip("it starts dozens of processes: make chaos")
	}
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("CHAOS_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	var lasting time.Duration
	if s := os.Getenv("CHAOS"); s != "" {
		var err error
		if lasting, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("CHAOS_SEED=%d", seed)
	enough := false
	for round, began := uint64(0), time.Now(); !enough || time.Since(began) < lasting; round++ {
		if round == mostRounds && !enough {
			t.Fatalf("too little has happened in %d rounds", round)
		}
		ok := t.Run(fmt.Sprint("round ", round), func(t *testing.T) { enough = oneRound(t, seed+round) || enough })
		if !ok {
			return
		}
	}
}

// mostRounds are played until each kind of disturbance has left its traces in one of them;
// how fast the machine is decides when a kill falls.
const mostRounds = 5

// nodes make a pair take a good part of a second.
const nodes = "2000"

// roundGames are enough for a dozen disturbances.
const roundGames = 160

// oneRound reports whether enough has happened in it.
func oneRound(t *testing.T, seed uint64) bool {
	w := newWorld(t, seed, roundGames)
	deadline := time.After(5 * time.Minute)
	for pairs := roundGames / 2; w.finished(t.Context()) < pairs; {
		select {
		case <-deadline:
			t.Fatalf("%d of %d pairs after five minutes, %+v\n%s", w.finished(t.Context()), pairs, w.killed, w.said())
		case <-time.After(time.Duration(200+w.rand.IntN(1000)) * time.Millisecond):
		}
		w.disturb()
	}
	for _, p := range w.workers {
		_ = p.Process.Signal(syscall.SIGCONT)
		p.end(os.Interrupt)
	}
	w.coordinator.end(os.Interrupt)
	evidence, wrong := w.judge()
	t.Logf("seed %d: %+v; %+v", seed, w.killed, evidence)
	for _, broken := range wrong {
		t.Error(broken)
	}
	w.run("match", "-q", "--db", "local.db", "--run", "chaos", "--engine", "a=builtin", "--engine", "b=builtin", "--nodes", nodes, "--option", "a.EvalNoise=3",
		"--games", strconv.Itoa(w.games))
	if local, farm := w.run("db", "dump", "--stable", "--db", "local.db", "chaos"), w.run("db", "dump", "--stable", "--db", "farm.db", "chaos"); local != farm {
		t.Error("I2: what the farm has stored is not what one machine plays")
	}
	if t.Failed() {
		t.Log(w.said())
	}
	return w.killed.workers > 0 && w.killed.coordinators > 0 && evidence.Boots > 1 && evidence.Again > 0 && evidence.Adopted > 0 &&
		evidence.Twice+evidence.Rivals+evidence.Redeliver > 0
}

// judge reads what was written and stored.
func (w *world) judge() (chaos.Evidence, []string) {
	f, err := os.Open(filepath.Join(w.dir, "trace"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	history, err := chaos.Read(f)
	if err != nil {
		w.t.Fatal(err)
	}
	store, err := results.OpenExisting(w.t.Context(), filepath.Join(w.dir, "farm.db"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer store.Close()
	info, err := store.FindRun(w.t.Context(), "chaos")
	if err != nil {
		w.t.Fatal(err)
	}
	stored := map[int]match.Provenance{}
	finished, err := store.Finished(w.t.Context(), info.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	for id := range finished {
		p, err := store.Pair(w.t.Context(), info.ID, id)
		if err != nil {
			w.t.Fatal(err)
		}
		stored[id] = p.Played
	}
	return chaos.Judge(history, info.Digest, info.Pairs, stored)
}

// said is the end of what the processes have written.
func (w *world) said() string {
	var all bytes.Buffer
	names, _ := filepath.Glob(filepath.Join(w.dir, "*.err"))
	for _, name := range names {
		text, _ := os.ReadFile(name)
		fmt.Fprintf(&all, "%s:\n%s\n", filepath.Base(name), text[max(0, len(text)-3000):])
	}
	return all.String()
}
