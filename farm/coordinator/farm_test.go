package coordinator_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gogi/farm"
	"gogi/farm/bustest"
	"gogi/farm/coordinator"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/tune"
	"gogi/results/farmstate"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// testPlan returns the plan of a match whose engines move at most once and then resign.
func testPlan(name string, pairs int, seed uint64) *match.Plan {
	p := &match.Plan{
		Run: name, Pairs: pairs, Seed: seed, Design: match.Design{Kind: match.DesignMatch, Swap: true}, Concurrency: 1,
		Ponder: match.PonderOff,
		Slowed: match.PolicyCount, Rules: match.RulesProfiles()[match.DefaultRules],
	}
	for _, engine := range []string{"dev", "base"} {
		p.Players = append(p.Players, match.Player{
			Name: engine, Command: []string{"/bin/" + engine}, Identity: match.Identity{Fixed: engine},
			Limits: match.Limits{Nodes: 100}, Restart: match.RestartNever,
		})
	}
	start := shogi.StartPos()
	for i, m := range start.LegalMoves(nil) {
		p.Openings = append(p.Openings, match.Opening{ID: fmt.Sprint(i), Start: "startpos", Moves: []shogi.Move{m}})
	}
	return p
}

// strength is the number of games in ten that the first player wins, see playAs.
type strength int

// play returns the result of a pair. It depends only on the plan and the number.
func play(p *match.Plan, id int) match.PairResult { return playAs(p, id, 5) }

func playAs(p *match.Plan, id int, strong strength) match.PairResult {
	return playOut(p, p.Pair(id), func(g match.Game) bool { return strength(g.Seed%10) < strong })
}

// playOut returns the result of a pair. The first player wins the games that wins selects.
func playOut(p *match.Plan, pair match.Pair, wins func(match.Game) bool) match.PairResult {
	r, id := match.PairResult{Pair: pair}, pair.ID
	for leg := range r.Pair.Legs {
		g := r.Pair.Game(leg)
		result := match.Result{
			Pair: id, Leg: leg, Players: g.Players, Slot: 0, Started: time.UnixMicro(1_000_000 * int64(id)).UTC(),
			Ended: time.UnixMicro(1_000_000*int64(id) + 30_000_000).UTC(),
		}
		position, err := g.Opening.Position()
		if err != nil {
			panic(err)
		}
		for _, m := range g.Opening.Moves {
			position.Apply(m)
			result.Record.Moves = append(result.Record.Moves, kifu.Move{Move: m, Opening: true})
		}
		dev := wins(g)
		if (g.Players[position.Side()] == 0) == dev {
			m := position.LegalMoves(nil)[g.Seed/10%5]
			result.Record.Moves = append(result.Record.Moves, kifu.Move{Move: m, Nodes: g.Seed % 100, Time: time.Millisecond})
			result.Sides[position.Side()].Add(result.Record.Moves[len(result.Record.Moves)-1], 0)
			position.Apply(m)
		}
		result.Sides[position.Side()].Plies++ // the resignation
		result.Verdict = match.LossFor(position.Side(), match.Resignation, "")
		result.Record.Start = g.Opening.Start
		result.Record.Black, result.Record.White = p.Players[g.Players[0]].Name, p.Players[g.Players[1]].Name
		result.Record.Result, result.Record.Winner = result.Termination.String(), result.Outcome.String()
		r.Games = append(r.Games, result)
	}
	return r
}

// disk holds the stores, by run. It survives a restart of the coordinator.
type disk struct {
	mu     sync.Mutex
	stores map[string]*store
	full   bool // every write fails
	lost   bool // Void reports a failure after it has removed the pairs
	// stored is called after a pair is stored and before the worker is informed.
	stored func(run string, pair int)
}

// store is a tests.Store in memory.
type store struct {
	disk        *disk
	run         string // the SHA-256 of the plan
	plan        *match.Plan
	pairs       map[int]match.PairResult
	takes       map[int]int
	attempts    map[match.Attempt]bool
	voided      []string
	adds        int
	states      []match.TuneState
	provisional string
	early       string // a state that was stored before its pairs
}

var errFull = errors.New("no space left on device")

func (d *disk) open(_ context.Context, p *match.Plan) (tests.Store, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	run := p.Digest()
	if d.stores[run] == nil {
		d.stores[run] = &store{disk: d, run: run, plan: p, pairs: map[int]match.PairResult{}, takes: map[int]int{},
			attempts: map[match.Attempt]bool{}}
	}
	return d.stores[run], nil
}

func (s *store) Add(_ context.Context, r match.PairResult, take int, states ...match.TuneState) (bool, error) {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	s.adds++
	switch _, there := s.pairs[r.Pair.ID]; {
	case s.disk.full:
		return false, errFull
	case take != s.takes[r.Pair.ID]:
		return false, fmt.Errorf("take %d of pair %d", take, r.Pair.ID)
	case there:
		return false, nil
	}
	s.pairs[r.Pair.ID] = r
	for _, st := range states {
		for n := range st.Pairs {
			if _, there := s.pairs[n]; !there {
				s.early = fmt.Sprintf("the state after %d pairs is stored before pair %d", st.Pairs, n)
			}
		}
	}
	s.states = append(s.states, states...)
	if s.disk.stored != nil {
		s.disk.stored(s.run, r.Pair.ID)
	}
	return true, nil
}

func (s *store) Pair(_ context.Context, id int) (match.PairResult, error) {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	return s.pairs[id], nil
}

// Voids and Sum serve replicas, see package copies. These tests have no replica.
func (s *store) Voids(context.Context, []int) ([]farm.Void, error) { return nil, nil }

func (s *store) Sum(context.Context, int, int) (string, int, error) {
	return "", 0, errors.New("nobody keeps a copy")
}

func (s *store) PutAttempt(_ context.Context, a match.Attempt) error {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	s.attempts[a] = true
	return nil
}

func (s *store) Finished(context.Context) (map[int]bool, error) {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	out := map[int]bool{}
	for id := range s.pairs {
		out[id] = true
	}
	return out, nil
}

func (s *store) Takes(context.Context) (map[int]int, error) {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	return maps.Clone(s.takes), nil
}

func (s *store) Rows(_ context.Context, see func([]match.Row) error) error {
	s.disk.mu.Lock()
	pairs := maps.Clone(s.pairs)
	s.disk.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(pairs)) {
		p := pairs[id]
		var rows []match.Row
		for _, g := range p.Games {
			hash, err := g.MovesHash()
			if err != nil {
				return err
			}
			rows = append(rows, match.Row{
				Pair: id, Leg: g.Leg, Black: g.Record.Black, White: g.Record.White, PairA: s.plan.Players[0].Name,
				PairB: s.plan.Players[1].Name, Worker: p.Played.Worker, Marked: g.Marked, Sides: g.Sides,
				Outcome: g.Outcome, Termination: g.Termination, Points: s.plan.Rules.Points(g.Verdict),
				OpeningHash: p.Pair.Opening.Hash(), MovesHash: hash,
			})
		}
		if err := see(rows); err != nil {
			return err
		}
	}
	return nil
}

func (s *store) By(_ context.Context, which tests.Selection) (pairs []int, err error) {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	for id, p := range s.pairs {
		if which.Has(p.Played.Worker, id) {
			pairs = append(pairs, id)
		}
	}
	slices.Sort(pairs)
	if settings, err := tune.ParsePlan(s.plan.Tune); err == nil && len(pairs) > 0 {
		for id := range s.pairs { // the pairs that were drawn after them
			if id >= settings.Settings.FirstAfter(pairs[0]) && !slices.Contains(pairs, id) {
				pairs = append(pairs, id)
			}
		}
		slices.Sort(pairs)
	}
	return pairs, nil
}

func (s *store) Void(ctx context.Context, which tests.Selection, why, by string) ([]int, error) {
	pairs, err := s.By(ctx, which)
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	for _, id := range pairs {
		delete(s.pairs, id)
		s.takes[id]++
		s.voided = append(s.voided, fmt.Sprintf("%d %s (%s)", id, why, by))
	}
	for _, id := range pairs {
		s.states = slices.DeleteFunc(s.states, func(st match.TuneState) bool { return st.Pairs > id })
	}
	if s.disk.lost {
		err = errFull
	}
	return pairs, err
}

func (s *store) SetProvisional(_ context.Context, why string) error {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	s.provisional = why
	return nil
}

func (s *store) Close() error { return nil }

// keyring holds the keys of a test. The test can revoke them.
type keyring struct {
	mu   sync.Mutex
	keys map[string]roster.Key
	priv map[string]ed25519.PrivateKey
}

func (k *keyring) Key(name string) (roster.Key, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key, ok := k.keys[name]
	return key, ok
}

func (k *keyring) add(name, owner string, rights ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	seed := make([]byte, ed25519.SeedSize)
	copy(seed, name)
	k.priv[name] = ed25519.NewKeyFromSeed(seed)
	public, _ := k.priv[name].Public().(ed25519.PublicKey)
	k.keys[name] = roster.Key{Name: name, Owner: owner, Public: public, Rights: rights}
}

func (k *keyring) signer(name string) farm.Signer {
	return func(text []byte) ([]byte, error) {
		k.mu.Lock()
		defer k.mu.Unlock()
		return ed25519.Sign(k.priv[name], text), nil
	}
}

func (k *keyring) public(name string) ed25519.PublicKey {
	key, _ := k.Key(name)
	return key.Public
}

func (k *keyring) revoke(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.keys, name)
}

// theFarm is a farm in one process and in one bubble of synctest.
type theFarm struct {
	t       *testing.T
	broker  *bustest.MemoryBroker
	disk    *disk
	keys    *keyring
	config  coordinator.Config
	ctx     context.Context
	working sync.WaitGroup
	state   string      // the file of the coordinator's state
	unkept  atomic.Bool // if set, the state stores nothing

	c    *coordinator.Coordinator
	stop func() error // ends the coordinator's process and returns the error of Serve

	history sync.Mutex
	granted map[string]farm.Grant // every grant that a worker received, by token
}

// lease is the length of a lease in these tests.
const lease = 20 * time.Second

// inFarm runs a test in a bubble, with keys for an owner, an approver, an administrator and ten workers of two owners.
func inFarm(t *testing.T, test func(t *testing.T, f *theFarm)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := &theFarm{
			t: t, broker: bustest.NewMemoryBroker(), disk: &disk{stores: map[string]*store{}}, ctx: ctx,
			granted: map[string]farm.Grant{},
			state:   filepath.Join(t.TempDir(), "state.db"),
			keys:    &keyring{keys: map[string]roster.Key{}, priv: map[string]ed25519.PrivateKey{}},
		}
		f.keys.add("ann", "red", "submit")
		f.keys.add("ben", "blue", "submit", "approve")
		f.keys.add("boss", "farm", "admin")
		for i := range 10 {
			f.keys.add(fmt.Sprint("w", i), []string{"red", "blue"}[i%2], "work")
		}
		f.keys.add("coordinator", "farm")
		f.config = coordinator.Config{
			Keys: f.keys, Secret: farm.Secret{7}, Lease: lease, Open: f.disk.open,
			Sign: f.keys.signer("coordinator"),
		}
		f.start()
		defer func() {
			cancel()
			f.working.Wait()
			synctest.Wait()
			if err := f.stop(); err != nil {
				t.Errorf("the coordinator ends with %v", err)
			}
		}()
		test(t, f)
	})
}

// start starts a process of the coordinator.
func (f *theFarm) start() {
	f.t.Helper()
	bus := f.broker.Open()
	f.config.Bus = bus
	state := openState(f.t, f.state)
	state.fails = &f.unkept
	f.config.State = state
	c := testutil.Must(coordinator.New(f.ctx, f.config))(f.t)
	ctx, cancel := context.WithCancel(context.WithoutCancel(f.ctx))
	ended := make(chan error, 1)
	go func() { ended <- c.Serve(ctx) }()
	f.c = c
	f.stop = sync.OnceValue(func() error {
		_ = errors.Join(bus.Close(), state.Close()) // a killed process can no longer store or acknowledge
		cancel()
		return <-ended
	})
	synctest.Wait()
}

// states holds the state files in memory, by path. In the time of synctest, a wait for a real disk changes which worker
// is first. Packages results/farmstate and farm/chaos test the real file.
var states struct {
	sync.Mutex
	files   map[string]map[[2]string]stateRow
	actions map[string][]farmstate.Action
}

type stateRow struct {
	body     []byte
	revision uint64
}

// memoryState is the connection of one process to a state file.
type memoryState struct {
	path   string
	closed atomic.Bool
	fails  *atomic.Bool // if set, Put fails; may be nil
}

func openState(t testing.TB, path string) *memoryState {
	t.Helper()
	states.Lock()
	defer states.Unlock()
	if states.files == nil {
		states.files, states.actions = map[string]map[[2]string]stateRow{}, map[string][]farmstate.Action{}
	}
	if states.files[path] == nil {
		states.files[path] = map[[2]string]stateRow{}
	}
	return &memoryState{path: path}
}

func (m *memoryState) Close() error {
	m.closed.Store(true)
	return nil
}

func (m *memoryState) Put(_ context.Context, bucket, name string, body []byte, revision uint64,
	actions ...farmstate.Action) (uint64, error) {
	states.Lock()
	defer states.Unlock()
	key := [2]string{bucket, name}
	switch {
	case m.closed.Load():
		return 0, errors.New("the state is closed")
	case m.fails != nil && m.fails.Load(), states.files[m.path][key].revision != revision:
		return 0, farmstate.ErrStale
	}
	states.files[m.path][key] = stateRow{bytes.Clone(body), revision + 1}
	states.actions[m.path] = append(states.actions[m.path], actions...)
	return revision + 1, nil
}

func (m *memoryState) Delete(_ context.Context, bucket, name string, actions ...farmstate.Action) error {
	states.Lock()
	defer states.Unlock()
	delete(states.files[m.path], [2]string{bucket, name})
	states.actions[m.path] = append(states.actions[m.path], actions...)
	return nil
}

func (m *memoryState) Log(_ context.Context, actions ...farmstate.Action) error {
	states.Lock()
	defer states.Unlock()
	states.actions[m.path] = append(states.actions[m.path], actions...)
	return nil
}

// Actions ignores the filter. Package results/farmstate tests the real one.
func (m *memoryState) Actions(context.Context, farmstate.Filter) ([]farmstate.Action, error) {
	states.Lock()
	defer states.Unlock()
	return slices.Clone(states.actions[m.path]), nil
}

func (m *memoryState) Each(_ context.Context, bucket string,
	f func(name string, body []byte, revision uint64) error) error {
	states.Lock()
	rows := maps.Clone(states.files[m.path])
	states.Unlock()
	for key, row := range rows {
		if key[0] == bucket {
			if err := f(key[1], row.body, row.revision); err != nil {
				return err
			}
		}
	}
	return nil
}

// reconfigure restarts the coordinator with another configuration.
func (f *theFarm) reconfigure(change func(c *coordinator.Config)) {
	f.t.Helper()
	_ = f.stop()
	change(&f.config)
	f.start()
}

// reopen restarts the coordinator with another Config.Open.
func (f *theFarm) reopen(open func(p *match.Plan, s *store) (tests.Store, error)) {
	f.t.Helper()
	f.reconfigure(func(c *coordinator.Config) {
		before := c.Open
		c.Open = func(ctx context.Context, p *match.Plan) (tests.Store, error) {
			s, err := before(ctx, p)
			if err != nil {
				return nil, err
			}
			return open(p, s.(*store))
		}
	})
}

// restart kills the process of the coordinator and starts another.
func (f *theFarm) restart() {
	f.t.Helper()
	_ = f.stop() // the error of a killed process is no failure
	f.start()
}

// do sends an admin request of a user; out may be nil.
func (f *theFarm) do(who, verb string, in, out any) error {
	if out == nil {
		out = new(any)
	}
	return f.broker.Connect(who).Request(f.ctx, farm.SubjectAdmin+who+"."+verb, in, out)
}

// submit submits a test of a plan.
func (f *theFarm) submit(who string, p *match.Plan, in farm.Submission) (s farm.TestStatus, err error) {
	f.t.Helper()
	in.Plan = testutil.Must(match.EncodePlan(p))(f.t)
	err = f.do(who, "submit", in, &s)
	return s, err
}

// run submits and approves a test.
func (f *theFarm) run(p *match.Plan) farm.TestStatus {
	f.t.Helper()
	s := testutil.Must(f.submit("ann", p, farm.Submission{}))(f.t)
	testutil.OK(f.t, f.do("ben", "approve", farm.Order{Run: s.Run}, &s))
	return s
}

// plays submits and approves a test with a plan of testPlan.
func (f *theFarm) plays(name string, pairs int, seed uint64) *match.Plan {
	f.t.Helper()
	p := testPlan(name, pairs, seed)
	f.run(p)
	return p
}

// test returns the coordinator's status of a test.
func (f *theFarm) test(name string) farm.TestStatus {
	f.t.Helper()
	for _, s := range f.c.Status(f.ctx).Tests {
		if s.Name == name || s.Run == name {
			return s
		}
	}
	f.t.Fatalf("there is no test %s", name)
	return farm.TestStatus{}
}

func (f *theFarm) worker(name string) farm.WorkerStatus {
	f.t.Helper()
	for _, s := range f.c.StatusFor(f.ctx, "boss").Workers {
		if s.Name == name {
			return s
		}
	}
	f.t.Fatalf("there is no worker %s", name)
	return farm.WorkerStatus{}
}

// trust waits until the coordinator lists a worker, and sets the trust in it.
func (f *theFarm) trust(name, level string) {
	f.t.Helper()
	f.until(name+" is here", func() bool {
		return slices.ContainsFunc(f.c.Status(f.ctx).Workers, func(w farm.WorkerStatus) bool { return w.Name == name })
	})
	testutil.OK(f.t, f.do("boss", "trust", farm.Order{Worker: name, Level: level}, nil))
}

// until waits until done returns true, at most four hours of the bubble.
func (f *theFarm) until(what string, done func() bool) {
	f.t.Helper()
	for range 4 * 3600 {
		if synctest.Wait(); done() {
			return
		}
		time.Sleep(time.Second)
	}
	s := f.c.Status(f.ctx)
	for i := range s.Tests {
		s.Tests[i].Log = nil
	}
	f.t.Fatalf("it never happens that %s: %+v", what, s)
}

// complete waits for the end of a run and verifies its store. Every pair is stored once (I1), with the games of a run
// on one machine (I2), under a grant of its worker (I3).
func (f *theFarm) complete(p *match.Plan) {
	f.t.Helper()
	f.until("the run is over", func() bool { return f.test(p.Run).State == farm.Over })
	f.verify(p)
	n := len(f.disk.stores[p.Digest()].pairs)
	testutil.Check(f.t, n == p.Pairs, "I1: %d pairs are stored of %d", n, p.Pairs)
}

func (f *theFarm) verify(p *match.Plan) {
	f.t.Helper()
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.history.Lock()
	defer f.history.Unlock()
	epochs := map[farm.Epoch]bool{}
	for _, g := range f.granted {
		testutil.Check(f.t, !epochs[g.Epoch], "I6: epoch %x was given twice", g.Epoch)
		epochs[g.Epoch] = true
	}
	run := p.Digest()
	for id, got := range f.disk.stores[run].pairs {
		by := got.Played
		h := farm.Held{Run: run, Pair: id, Epoch: farm.Epoch(by.Epoch), Take: f.disk.stores[run].takes[id]}
		_, ok := f.granted[string(f.config.Secret.Token(by.Worker, h))]
		testutil.Check(f.t, ok, "I3: pair %d was stored as of %s by grant %x, which nobody was given", id, by.Worker,
			by.Epoch)
		want := play(p, id)
		got.Played, got.Attempts = match.Provenance{}, nil
		testutil.Check(f.t, reflect.DeepEqual(normal(got), normal(want)),
			"I2: pair %d is stored otherwise than it was played", id)
	}
}

// normal encodes and decodes a pair.
func normal(r match.PairResult) match.PairResult {
	text, err := match.EncodePair(r)
	if err != nil {
		panic(err)
	}
	out, err := match.DecodePair(text, 1<<20)
	if err != nil {
		panic(err)
	}
	return out
}
