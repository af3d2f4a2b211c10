package worker_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/worker"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/runner"
	"gogi/usi"
)

// memory is a farm.Transport and the part of a farm.Bus that these tests need, in one process. While away is set,
// nothing arrives.
type memory struct {
	mu        sync.Mutex
	away      bool
	capacity  int // messages that fit into the stream; 0 means no limit
	answers   map[string]func(ctx context.Context, subject string, body []byte) (any, error)
	listeners map[string]func([]byte)
	told      []string // subjects of the messages of Send
	ids       map[string]bool
	stream    [][]byte
	arrived   chan struct{}
	asked     map[string]int // requests by kind, including those that did not arrive
}

func newMemory() *memory {
	return &memory{
		answers: map[string]func(context.Context, string, []byte) (any, error){}, listeners: map[string]func([]byte){},
		ids: map[string]bool{}, arrived: make(chan struct{}, 1000), asked: map[string]int{},
	}
}

func (m *memory) set(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

func (m *memory) Answer(subject string, f func(ctx context.Context, subject string, body []byte) (any, error)) (func(),
	error) {
	m.set(func() { m.answers[strings.TrimSuffix(subject, "*")] = f })
	return func() {}, nil
}

func (m *memory) Request(ctx context.Context, subject string, in, out any) error {
	kind := subject[:strings.Index(subject, ".")+1]
	m.mu.Lock()
	f, away := m.answers[kind], m.away
	m.asked[kind]++
	m.mu.Unlock()
	if away || f == nil {
		return farm.ErrAway
	}
	body, err := farm.Encode(in)
	if err != nil {
		return err
	}
	answer, err := f(ctx, subject, body)
	if err != nil {
		return err
	}
	if body, err = farm.Encode(answer); err != nil {
		return err
	}
	return farm.Decode(body, out)
}

func (m *memory) Publish(_ context.Context, _, id string, body []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.away:
		return farm.ErrAway
	case m.ids[id]:
		return nil
	case m.capacity > 0 && len(m.stream) >= m.capacity:
		return farm.ErrFull
	}
	m.ids[id] = true
	m.stream = append(m.stream, body)
	m.arrived <- struct{}{}
	return nil
}

func (m *memory) Results(ctx context.Context, _ int) ([]farm.Delivery, error) {
	select {
	case <-m.arrived:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return []farm.Delivery{{Body: m.stream[0], Ack: func(context.Context) error {
		m.set(func() { m.stream = m.stream[1:] })
		return nil
	}}}, nil
}

func (m *memory) Listen(subject string, f func([]byte)) (func(), error) {
	m.set(func() { m.listeners[subject] = f })
	return func() {}, nil
}

func (m *memory) Send(subject string, body []byte) error {
	m.mu.Lock()
	m.told = append(m.told, subject)
	f := m.listeners[subject]
	m.mu.Unlock()
	if f != nil {
		f(body)
	}
	return nil
}

func (m *memory) Artefact(context.Context, string) (io.ReadCloser, error) { return nil, farm.ErrAway }

func (m *memory) PutArtefact(context.Context, io.ReadSeeker, int64) (string, error) {
	return "", farm.ErrAway
}

func (m *memory) Close() error { return nil }

// ends is the bus as the coordinator uses it, in memory or on NATS.
type ends interface {
	Answer(subject string, f func(ctx context.Context, subject string, body []byte) (any, error)) (func(), error)
	Results(ctx context.Context, n int) ([]farm.Delivery, error)
	Send(subject string, body []byte) error
}

// coordinator grants the pairs of its runs in order, and stores the first result of each. It is minimal: the ledger's
// tests cover the real behaviour.
type coordinator struct {
	t      *testing.T
	sign   farm.Signer
	public ed25519.PublicKey              // its own
	key    func(string) ed25519.PublicKey // of workers

	mu         sync.Mutex
	tasks      []farm.Task
	plans      map[string]*match.Plan
	sessions   map[string]string // by worker
	starts     map[string]uint64 // by worker
	epoch      farm.Epoch
	held       map[string]map[int]farm.Held
	stored     map[string]map[int]bool
	attempts   []match.Attempt
	pairs      []match.PairResult // in order of arrival
	duplicates int
	beats      []farm.Beat
	back       []farm.Back
	asks       []farm.Ask
	hellos     []farm.Hello
	listed     int            // heartbeats before the first request
	later      int            // requests that get nothing although pairs are free
	told       farm.BeatReply // the other fields of every heartbeat reply
	over       []string       // runs that every answer reports as over
	refusal    *farm.Refusal
	lease      time.Duration
	changed    chan struct{}
}

func newCoordinator(t *testing.T, key func(string) ed25519.PublicKey) *coordinator {
	public, private, err := ed25519.GenerateKey(nil)
	testutil.OK(t, err)
	return &coordinator{
		t: t, public: public, key: key, plans: map[string]*match.Plan{}, sessions: map[string]string{},
		starts: map[string]uint64{}, lease: 20 * time.Second,
		held: map[string]map[int]farm.Held{}, stored: map[string]map[int]bool{}, changed: make(chan struct{}),
		sign: func(text []byte) ([]byte, error) { return ed25519.Sign(private, text), nil },
	}
}

// add adds a run.
func (c *coordinator) add(plan *match.Plan) (run string) {
	c.t.Helper()
	text := testutil.Must(match.EncodePlan(plan))(c.t)
	task := farm.Task{Run: plan.Digest(), Name: plan.Run, Plan: text, Owner: "owner", Approved: true}
	testutil.OK(c.t, task.Sign(c.sign))
	c.addTask(task, plan)
	return task.Run
}

func (c *coordinator) addTask(task farm.Task, plan *match.Plan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tasks = append(c.tasks, task)
	c.plans[task.Run], c.held[task.Run], c.stored[task.Run] = plan, map[int]farm.Held{}, map[int]bool{}
}

// serve answers requests until ctx or stop ends it.
func (c *coordinator) serve(ctx context.Context, b ends) (stop func()) {
	var stops []func()
	for subject, f := range map[string]func(string, []byte) (any, error){
		farm.SubjectHello: c.hello, farm.SubjectLease: c.grant, farm.SubjectBeat: c.beat,
	} {
		stopping, err := b.Answer(subject+"*", func(_ context.Context, subject string, body []byte) (any, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			defer c.wake()
			return f(farm.Sender(subject), body)
		})
		testutil.Check(c.t, err == nil, "%v", err)
		stops = append(stops, stopping)
	}
	ctx, cancel := context.WithCancel(ctx)
	var judging sync.WaitGroup
	judging.Go(func() { c.judge(ctx, b) })
	return func() {
		cancel()
		judging.Wait()
		for _, stop := range stops {
			stop()
		}
	}
}

func (c *coordinator) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// until waits until a condition is true, for at most an hour of the bubble's time.
func (c *coordinator) until(ctx context.Context, what string, ok func() bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	for {
		c.mu.Lock()
		done, changed := ok(), c.changed
		c.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			c.t.Fatalf("never: %s", what)
		}
	}
}

func (c *coordinator) hello(name string, body []byte) (any, error) {
	var h farm.Hello
	if err := farm.Decode(body, &h); err != nil {
		return nil, err
	}
	c.hellos = append(c.hellos, h)
	if c.refusal != nil {
		return nil, c.refusal
	}
	if h.Start < c.starts[name] {
		return nil, &farm.Refusal{Why: "a later session of this key is there", Exit: 4}
	}
	if c.sessions[name] != "" && c.sessions[name] != h.Session { // the process before has ended
		for _, held := range c.held {
			clear(held)
		}
	}
	c.sessions[name], c.starts[name] = h.Session, h.Start
	return farm.HelloReply{Protocol: farm.Protocol, Lease: c.lease, Beat: c.lease / 3}, nil
}

func (c *coordinator) grant(name string, body []byte) (any, error) {
	var a farm.Ask
	if err := farm.Decode(body, &a); err != nil {
		return nil, err
	}
	c.asks = append(c.asks, a)
	if c.sessions[name] != a.Session {
		return farm.Grants{Unknown: true}, nil
	}
	if len(c.asks) == 1 {
		c.listed = len(c.beats)
	}
	g := farm.Grants{Retry: time.Second, Over: c.over}
	if c.later > 0 {
		c.later--
		g.Later = true
		return g, nil
	}
	for _, task := range c.tasks {
		if slices.Contains(a.Refuse, task.Run) {
			continue
		}
		for pair := 0; pair < c.plans[task.Run].Pairs && len(g.Grants) < a.Want; pair++ {
			if _, held := c.held[task.Run][pair]; held || c.stored[task.Run][pair] {
				continue
			}
			c.epoch++
			h := farm.Held{Run: task.Run, Pair: pair, Epoch: c.epoch, Token: []byte{1}}
			c.held[task.Run][pair] = h
			g.Grants = append(g.Grants, farm.Grant{Held: h})
		}
		if len(g.Grants) > 0 && !slices.Contains(a.Known, task.Run) {
			g.Plans = append(g.Plans, task)
		}
	}
	return g, nil
}

func (c *coordinator) beat(name string, body []byte) (any, error) {
	var b farm.Beat
	if err := farm.Decode(body, &b); err != nil {
		return nil, err
	}
	if c.refusal != nil {
		return nil, c.refusal
	}
	if c.sessions[name] != b.Session {
		return farm.BeatReply{Unknown: true}, nil
	}
	c.beats = append(c.beats, b)
	told := c.told
	for _, h := range slices.Concat(b.Outbox, b.Sent) {
		if c.stored[h.Run][h.Pair] {
			told.Stored = append(told.Stored, h)
		}
	}
	for _, back := range b.Back {
		c.back = append(c.back, back)
		if c.held[back.Run][back.Pair].Epoch == back.Epoch {
			delete(c.held[back.Run], back.Pair)
		}
	}
	return told, nil
}

func (c *coordinator) judge(ctx context.Context, b ends) {
	for {
		deliveries, err := b.Results(ctx, 16)
		if err != nil {
			return
		}
		for _, d := range deliveries {
			c.mu.Lock()
			c.take(d.Body)
			c.wake()
			c.mu.Unlock()
			if err := d.Ack(ctx); err != nil && ctx.Err() == nil {
				c.t.Error(err)
			}
		}
	}
}

func (c *coordinator) take(body []byte) {
	batch, _, err := farm.Open(body, c.key)
	if err != nil {
		c.t.Error(err)
		return
	}
	for _, item := range batch.Items {
		if item.Attempt != nil {
			c.attempts = append(c.attempts, *item.Attempt)
			continue
		}
		r, err := match.DecodePair(item.Pair, 1<<20)
		if err == nil && r.Pair.ID != item.Lease.Pair {
			err = fmt.Errorf("pair %d under the lease of %d", r.Pair.ID, item.Lease.Pair)
		}
		if err == nil {
			err = arbiter.Verify(c.plans[item.Lease.Run], &r)
		}
		if err != nil {
			c.t.Error(err)
			continue
		}
		c.pairs = append(c.pairs, r)
		if c.stored[item.Lease.Run][r.Pair.ID] {
			c.duplicates++
		}
		c.stored[item.Lease.Run][r.Pair.ID] = true
	}
}

func plan(name string, pairs int) *match.Plan {
	rules := match.RulesProfiles()[match.DefaultRules]
	rules.MaxPlies = 40
	limits := match.Limits{Nodes: 100, Stall: 10 * time.Hour}
	return &match.Plan{
		Run: name, Seed: 1, Rules: rules, Pairs: pairs, Concurrency: 1, PVPlies: 4,
		Design:   match.Design{Kind: match.DesignMatch, Swap: true},
		Openings: []match.Opening{{ID: "1", Start: "startpos"}},
		Players: []match.Player{
			{Name: name + ".A", Limits: limits,
				Identity: match.Identity{Files: []match.FileHash{{Role: "binary", SHA256: strings.Repeat("a", 64)}}}},
			{Name: name + ".B", Limits: limits,
				Identity: match.Identity{Files: []match.FileHash{{Role: "binary", SHA256: strings.Repeat("b", 64)}}}},
		},
	}
}

// resigning thinks for a while and resigns.
type resigning struct {
	after  time.Duration
	detail []byte // of its reply
}

func (r resigning) NewGame(context.Context, usi.Game) error     { return nil }
func (r resigning) GameOver(context.Context, usi.Outcome) error { return nil }
func (r resigning) Close() error                                { return nil }
func (r resigning) Think(ctx context.Context, _ usi.Request) (usi.Reply, error) {
	select {
	case <-time.After(r.after):
		return usi.Reply{Answer: usi.AnswerResign, Text: "resign", Elapsed: r.after, Detail: r.detail}, nil
	case <-ctx.Done():
		return usi.Reply{Stopped: true}, nil
	}
}

// opener opens players that think for this time. A player "broken…" does not start. The reply of a player "long…" is
// too long for a message.
func opener(after time.Duration) runner.Opener {
	return func(_ context.Context, p match.Player, _ []int) (runner.Player, error) {
		if strings.HasPrefix(p.Name, "broken") {
			return nil, errors.New("exec format error")
		}
		if strings.HasPrefix(p.Name, "long") {
			return resigning{after, make([]byte, farm.MaxBody)}, nil
		}
		return resigning{after, nil}, nil
	}
}

// machine is the configuration and the public key of a worker.
type machine struct {
	config worker.Config
	public ed25519.PublicKey
}

func newMachine(t *testing.T, c *coordinator) *machine {
	public, private, err := ed25519.GenerateKey(nil)
	testutil.OK(t, err)
	policy := testutil.Must(worker.NewPolicy(nil))(t)
	return &machine{public: public, config: worker.Config{
		Hello: farm.Hello{Version: "test", Slots: 2},
		Name:  "w1", Dir: t.TempDir(), Policy: policy, Coordinator: c.public,
		Sign:  func(text []byte) ([]byte, error) { return ed25519.Sign(private, text), nil },
		Ready: func(_ context.Context, p *match.Plan) (*match.Plan, func(), error) { return p, nil, nil },
		Log:   slog.New(slog.DiscardHandler),
	}}
}
