package chaos

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/folder"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results"
)

// A crowd is a farm with simulated workers. Each worker has its own key and its own connection over TLS, and sends the
// messages of a real worker. It plays no games: its results are games that this machine has played, of the same
// opening.
type crowd struct {
	*world
	plan    *match.Plan
	games   map[string]match.PairResult // by opening
	pages   string                      // address of the pages
	waits   waits
	ann     farm.Transport // of the test's owner
	workers []*simulated
	pairs   atomic.Int64 // results that the coordinator has acknowledged
}

// waits has the longest wait of each kind.
type waits struct {
	mu      sync.Mutex
	longest map[string]time.Duration
}

func (w *waits) time(what string, f func() error) error {
	began := time.Now()
	err := f()
	took := time.Since(began)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.longest[what] = max(w.longest[what], took)
	return err
}

const (
	crowdName  = "crowd"
	crowdPlies = 24
	crowdLease = time.Minute
	// crowdOwners is the number of owners of the simulated workers.
	crowdOwners = 50
	crowdAtOnce = 64 // connections that are made at the same time
)

// newCrowd starts a coordinator of a program with a test of so many pairs, and connects the workers.
func newCrowd(t testing.TB, gogi string, workers, pairs int) *crowd {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testutil.OK(t, err)
	address := l.Addr().String()
	testutil.OK(t, l.Close())
	w := newWorld(t, setting{gogi: gogi, lease: crowdLease,
		extra: fmt.Sprintf("[schedule]\naudit = false\nowner_max = 1.0\n[backup]\noff = true\n[metrics]\nlisten = %q\n",
			address)})
	c := &crowd{world: w, pages: "http://" + address, games: map[string]match.PairResult{},
		waits: waits{longest: map[string]time.Duration{}}}
	all := c.keys(workers)
	flags := func(name string, games int) []string {
		return series(name, games, 1, "--max-plies", strconv.Itoa(crowdPlies), "--openings", "builtin-64")
	}
	w.local(flags("games", 128))
	c.readGames("games")
	w.coordinator = w.start("coordinator", nil, "farm", "serve", "farm.toml", "--pprof")
	w.submit(flags(crowdName, 2*pairs))
	c.ann = testutil.Must(nats.Dial(testutil.Must(keys.ReadCreds(w.file("ann.creds")))(t)))(t)
	t.Cleanup(func() { _ = c.ann.Close() })
	c.connect(all)
	return c
}

// keys makes the keys of the workers.
func (c *crowd) keys(workers int) (all []keys.Creds) {
	c.t.Helper()
	state := testutil.Must(folder.Open(c.file("farm"), time.Now()))(c.t)
	url := "tls://" + net.JoinHostPort(c.host, c.port)
	ca := testutil.Must(state.TrustedBy(url, ""))(c.t)
	for i := range workers {
		creds, err := state.Issue(fmt.Sprint("s", i), fmt.Sprint("owner", i%crowdOwners), []keys.Right{keys.Work},
			time.Time{}, url, ca)
		testutil.OK(c.t, err)
		all = append(all, creds)
	}
	return all
}

// readGames reads the games of the workers' results.
func (c *crowd) readGames(run string) {
	c.t.Helper()
	ctx := c.t.Context()
	store := testutil.Must(results.OpenExisting(ctx, c.file("local.db")))(c.t)
	defer store.Close()
	info := testutil.Must(store.FindRun(ctx, run))(c.t)
	for i := range info.Pairs {
		p := testutil.Must(store.Pair(ctx, info.ID, i))(c.t)
		p.Played = match.Provenance{}
		c.games[p.Pair.Opening.ID] = p
	}
}

// connect connects the workers.
func (c *crowd) connect(all []keys.Creds) {
	c.t.Helper()
	slots := make(chan struct{}, crowdAtOnce)
	var group sync.WaitGroup
	c.workers = make([]*simulated, len(all))
	failed := make([]error, len(all))
	for i, creds := range all {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			failed[i] = c.waits.time("connect and hello", func() (err error) {
				c.workers[i], err = c.join(creds)
				return err
			})
		})
	}
	group.Wait()
	testutil.OK(c.t, errors.Join(failed...))
	plan, err := match.DecodePlan(c.workers[0].task.Plan)
	testutil.OK(c.t, err)
	c.plan = plan
}

// simulated is a worker of a crowd. Its fields belong to one goroutine at a time.
type simulated struct {
	c     *crowd
	way   farm.Transport
	sign  farm.Signer
	name  string
	task  farm.Task
	beats uint64
	sent  int
	held  []farm.Grant
	told  []farm.Held // in the stream
}

func (c *crowd) join(creds keys.Creds) (s *simulated, err error) {
	s = &simulated{c: c, name: creds.Name}
	if s.sign, err = creds.Sign(); err != nil {
		return nil, err
	}
	if s.way, err = nats.Dial(creds); err != nil {
		return nil, err
	}
	way := s.way
	c.t.Cleanup(func() { _ = way.Close() })
	hello := farm.Hello{Protocol: farm.Protocol, Session: "crowd", Start: 1, Slots: 8, Version: "crowd",
		Labels: map[string]string{"os": "linux", "arch": "amd64", "cores": "8"}}
	var reply farm.HelloReply
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		err := s.request("", farm.SubjectHello, hello, &reply)
		if err == nil {
			break
		}
		if time.Since(began) > 2*time.Minute {
			return nil, err
		}
	}
	if reply.Refusal != nil || len(reply.Plans) == 0 {
		return nil, fmt.Errorf("%s: %d plans: %w", s.name, len(reply.Plans), reply.Refusal)
	}
	s.task = reply.Plans[0]
	return s, s.beat()
}

// request asks the coordinator. what is the kind of the wait, or "".
func (s *simulated) request(what, subject string, in, out any) error {
	ctx, cancel := context.WithTimeout(s.c.t.Context(), crowdLease)
	defer cancel()
	ask := func() error { return s.way.Request(ctx, subject+s.name, in, out) }
	if what == "" {
		return ask()
	}
	return s.c.waits.time(what, ask)
}

// beat sends a heartbeat with the lists of a real worker.
func (s *simulated) beat() error {
	s.beats++
	b := farm.Beat{Session: "crowd", Number: s.beats, Sent: s.told, Load: 1}
	for _, g := range s.held {
		b.Held = append(b.Held, g.Held)
	}
	var reply farm.BeatReply
	if err := s.request("heartbeat", farm.SubjectBeat, b, &reply); err != nil {
		return err
	}
	over := append(reply.Stored, reply.Drop...)
	s.told = slices.DeleteFunc(s.told, func(h farm.Held) bool {
		return slices.ContainsFunc(over, func(o farm.Held) bool { return o.Pair == h.Pair && o.Epoch == h.Epoch })
	})
	return nil
}

// play asks for pairs and returns their results in one message. It returns false if none was granted.
func (s *simulated) play(want int) (bool, error) {
	var g farm.Grants
	if err := s.request("grant", farm.SubjectLease,
		farm.Ask{Session: "crowd", Want: want, Open: []string{s.task.Run}, Known: []string{s.task.Run}}, &g); err != nil {
		return false, err
	}
	if s.held = g.Grants; len(s.held) == 0 {
		return false, nil
	}
	batch := farm.Batch{Worker: s.name, Session: "crowd"}
	for _, grant := range s.held {
		text, err := match.EncodePair(s.c.result(grant.Pair))
		if err != nil {
			return false, err
		}
		batch.Items = append(batch.Items, farm.Item{Lease: grant.Held, Pair: text})
	}
	body, err := farm.Seal(&batch, s.sign)
	if err != nil {
		return false, err
	}
	s.sent++
	ctx, cancel := context.WithTimeout(s.c.t.Context(), crowdLease)
	defer cancel()
	if err := s.c.waits.time("result", func() error {
		return s.way.Publish(ctx, farm.SubjectResults+s.name+".0", fmt.Sprintf("%s/%d", s.name, s.sent), body)
	}); err != nil {
		return false, err
	}
	for _, grant := range s.held {
		s.told = append(s.told, grant.Held)
	}
	s.c.pairs.Add(int64(len(s.held)))
	s.held = nil
	return true, nil
}

// result returns the result of a pair: games of its opening.
func (c *crowd) result(pair int) match.PairResult {
	planned := c.plan.Pair(pair)
	p := c.games[planned.Opening.ID]
	p.Pair, p.Games = planned, slices.Clone(p.Games)
	for i := range p.Games {
		p.Games[i].Pair = pair
	}
	return p
}

// used returns the CPU time and the private memory of the coordinator.
func (c *crowd) used() (cpu time.Duration, private int) {
	c.t.Helper()
	dir := filepath.Join("/proc", strconv.Itoa(c.coordinator.Process.Pid))
	stat := string(testutil.Must(os.ReadFile(filepath.Join(dir, "stat")))(c.t))
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	ticks := testutil.Must(strconv.Atoi(fields[11]))(c.t) + testutil.Must(strconv.Atoi(fields[12]))(c.t)
	for line := range strings.Lines(string(testutil.Must(os.ReadFile(filepath.Join(dir, "status")))(c.t))) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "RssAnon:" {
			private = testutil.Must(strconv.Atoi(words[1]))(c.t) * 1024
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond, private
}

// look reads the pages and the metrics until ctx ends.
func (c *crowd) look(ctx context.Context) {
	for {
		for _, page := range []string{"/farm", "/metrics"} {
			err := c.waits.time(page, func() error {
				response, err := http.Get(c.pages + page)
				if err != nil {
					return err
				}
				defer response.Body.Close()
				if response.StatusCode != http.StatusOK {
					return errors.New(response.Status)
				}
				return testutil.Err(io.Copy(io.Discard, response.Body))
			})
			testutil.Check(c.t, err == nil, "%s: %v", page, err)
		}
		if farm.Wait(ctx, 5*time.Second) != nil {
			return
		}
	}
}

// plays lets the workers play until so many pairs are acknowledged and stored. A worker waits a random time of up to
// twice pause between its messages of so many pairs.
func (c *crowd) plays(pairs, each int, pause time.Duration) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	goal := c.pairs.Load() + int64(pairs)
	var group sync.WaitGroup
	for _, s := range c.workers {
		group.Go(func() {
			last := time.Now()
			for c.pairs.Load() < goal && ctx.Err() == nil {
				if farm.Wait(ctx, time.Duration(rand.Float64()*2*float64(pause))) != nil {
					return
				}
				if c.pairs.Load() >= goal {
					break
				}
				some, err := s.play(each)
				if !some {
					err = errors.Join(err, farm.Wait(ctx, 200*time.Millisecond))
				}
				if err == nil && time.Since(last) > crowdLease/5 {
					last, err = time.Now(), s.beat()
				}
				if err != nil && ctx.Err() == nil && !errors.Is(err, farm.ErrAway) {
					c.t.Errorf("%s: %v", s.name, err)
					cancel()
				}
			}
		})
	}
	group.Wait()
	c.until("all pairs are stored", func() bool { return c.stored() >= int(c.pairs.Load()) })
}

// status returns the status of the test.
func (c *crowd) status() (s farm.TestStatus) {
	c.t.Helper()
	testutil.OK(c.t, c.ann.Request(c.t.Context(), farm.SubjectAdmin+"ann.show", farm.Order{Run: crowdName}, &s))
	return s
}

// stored returns the number of stored pairs. It ends the test if the coordinator has rejected a result.
func (c *crowd) stored() int {
	c.t.Helper()
	s := c.status()
	testutil.Require(c.t, s.Refused == 0 && s.State == farm.Running, "%+v", s)
	return s.Stored
}

// profile writes a CPU profile of 30 s of the coordinator to a file. The caller waits for its end.
func (c *crowd) profile(file string) (wait func()) {
	var group sync.WaitGroup
	group.Go(func() {
		response, err := http.Get(c.pages + "/debug/pprof/profile?seconds=30")
		if err != nil {
			c.t.Error(err)
			return
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		testutil.Check(c.t, errors.Join(err, os.WriteFile(file, text, 0o600)) == nil, "%v", err)
	})
	return group.Wait
}

func crowdSizes(t testing.TB) (sizes []int) {
	for _, word := range strings.Fields(cmp.Or(os.Getenv("CROWD"), "10")) {
		sizes = append(sizes, testutil.Must(strconv.Atoi(word))(t))
	}
	return sizes
}

// TestChaosOfACrowd measures a farm of simulated workers: CPU and memory of the coordinator, and the longest waits.
// CROWD has the numbers of workers, such as "10 1000 10000"; the default is 10. The test fails if a request, a result,
// a page or the metrics fail. make crowd prints the table of docs/research/measurements.md.
func TestChaosOfACrowd(t *testing.T) {
	needChaos(t)
	for _, workers := range crowdSizes(t) {
		t.Run(fmt.Sprint(workers), func(t *testing.T) { measureCrowd(t, workers) })
	}
}

// idleCrowd is the time in which a crowd only sends heartbeats.
const idleCrowd = 30 * time.Second

// idles lets the workers send heartbeats for a while.
func (c *crowd) idles(d time.Duration) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), d)
	defer cancel()
	var group sync.WaitGroup
	for _, s := range c.workers {
		group.Go(func() {
			for wait := rand.Float64() * float64(crowdLease/5); farm.Wait(ctx,
				time.Duration(wait)) == nil; wait = float64(crowdLease / 5) {
				if err := s.beat(); err != nil {
					c.t.Errorf("%s: %v", s.name, err)
					return
				}
			}
		})
	}
	group.Wait()
}

func measureCrowd(t *testing.T, workers int) {
	pairs, pause := max(2000, workers), time.Duration(workers)*5*time.Millisecond
	gogi := testutil.Must(program())(t)
	c := newCrowd(t, gogi, workers, 2*pairs)
	if file := os.Getenv("CROWD_PROFILE"); file != "" {
		defer c.profile(file)()
	}
	connected, memory := c.used()
	began := time.Now()
	c.idles(idleCrowd)
	idle, _ := c.used()
	took := time.Since(began)
	before, _ := c.used()
	c.plays(pairs, 1, pause)
	after, most := c.used()
	ctx, cancel := context.WithCancel(t.Context())
	var looking sync.WaitGroup
	looking.Go(func() { c.look(ctx) })
	c.plays(pairs/4, 1, pause)
	cancel()
	looking.Wait()
	var longest []string
	for _, what := range []string{"connect and hello", "grant", "result", "heartbeat", "/farm", "/metrics"} {
		longest = append(longest, fmt.Sprintf("%.1f s", c.waits.longest[what].Seconds()))
	}
	t.Logf("| %d | %.1f ms | %.1f ms | %.2f ms | %.0f MB | %.0f MB | %s |", workers,
		connected.Seconds()*1000/float64(workers),
		(idle-connected).Seconds()*1000/took.Seconds(), (after-before).Seconds()*1000/float64(pairs), float64(memory)/1e6,
		float64(most)/1e6, strings.Join(longest, " | "))
	testutil.Check(t, c.stored() >= pairs, "%+v", c.status())
}

// BenchmarkFarm measures the CPU time of a coordinator for a pair of a whole farm: ten workers that send messages of 16
// pairs over TLS, with the stream, the verification, the store and the acknowledgements. If GOGI_BASE names another
// gogi program, the benchmark measures both programs in turn, and reports the ratio.
func BenchmarkFarm(b *testing.B) {
	const rounds, pairs, each = 5, 2000, 16
	programs := map[string]*crowd{"gogi": newCrowd(b, testutil.Must(program())(b), 10, (rounds+1)*pairs+1000)}
	if base := os.Getenv("GOGI_BASE"); base != "" {
		programs["base"] = newCrowd(b, base, 10, (rounds+1)*pairs+1000)
	}
	if file := os.Getenv("CROWD_PROFILE"); file != "" {
		defer programs["gogi"].profile(file)()
	}
	took := map[string][]float64{}
	for played := false; b.Loop(); played = true {
		if played {
			b.Fatal("the plan has pairs for one turn only; run it with -benchtime 1x")
		}
		for round := range rounds + 1 {
			for name, c := range programs {
				before, _ := c.used()
				stored := c.stored()
				c.plays(pairs, each, 20*time.Millisecond)
				after, _ := c.used()
				if round > 0 { // the first warms up
					took[name] = append(took[name], (after-before).Seconds()*1000/float64(c.stored()-stored))
				}
			}
		}
	}
	for name, all := range took {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2], "ms/pair-"+name)
		b.Logf("%s: %.3f ms of CPU for a pair (from %.3f to %.3f), %.0f pairs in a CPU second", name, all[len(all)/2], all[0],
			all[len(all)-1], 1000/all[len(all)/2])
	}
}
