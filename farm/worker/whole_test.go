package worker_test

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"gogi/farm"
	real "gogi/farm/coordinator"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/farm/worker"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/results/farmstate"
)

// shelf is a tests.Store in memory. It survives the processes of the coordinator.
type shelf struct {
	tests.Store // the methods that this test does not call

	mu    sync.Mutex
	pairs map[int]match.PairResult
	adds  int
}

func (s *shelf) Add(_ context.Context, r match.PairResult, _ int, _ ...match.TuneState) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.adds++
	if _, there := s.pairs[r.Pair.ID]; there {
		return false, nil
	}
	s.pairs[r.Pair.ID] = r
	return true, nil
}

func (s *shelf) PutAttempt(context.Context, match.Attempt) error { return nil }

func (s *shelf) Finished(context.Context) (map[int]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[int]bool{}
	for id := range s.pairs {
		all[id] = true
	}
	return all, nil
}

func (s *shelf) Takes(context.Context) (map[int]int, error)          { return nil, nil }
func (s *shelf) Rows(context.Context, func([]match.Row) error) error { return nil }
func (s *shelf) Close() error                                        { return nil }

// ring adapts a keys.Ring to the coordinator.
type ring struct{ *keys.Ring }

func (r ring) Key(name string) (roster.Key, bool) {
	k, ok := r.Named(name)
	if !ok || k.Valid(time.Now()) != nil {
		return roster.Key{}, false
	}
	rights := make([]string, len(k.Rights))
	for i, right := range k.Rights {
		rights[i] = string(right)
	}
	return roster.Key{Name: k.Name, Owner: k.Owner, Public: k.Ed25519(), Rights: rights}, true
}

// process starts a process of the real coordinator on the bus of the site.
func (s *site) process(t *testing.T, store *shelf, secret farm.Secret) (end func()) {
	t.Helper()
	state := testutil.Must(farmstate.Open(s.ctx, filepath.Join(s.config.Dir, "state.db")))(t)
	c, err := real.New(s.ctx, real.Config{
		Bus: s.bus, State: state, Keys: ring{s.config.Keys}, Secret: secret, Sign: s.sign, Lease: 600 * time.Millisecond,
		Open: func(context.Context, *match.Plan) (tests.Store, error) { return store, nil },
	})
	testutil.OK(t, err)
	ctx, cancel := context.WithCancel(s.ctx)
	done := make(chan error, 1)
	go func() {
		err := c.Serve(ctx)
		testutil.Check(t, err == nil, "the coordinator has ended: %v", err)
		done <- err
	}()
	return func() {
		cancel()
		<-done
		_ = state.Close()
	}
}

// TestTheWholeFarm uses the real coordinator and server, two machines and two owners. One machine drains during the run
// and another one joins. The coordinator and the server restart twice. Every pair is stored once and fits its plan.
func TestTheWholeFarm(t *testing.T) {
	t.Parallel()
	s := newSite(t, 64<<20)
	s.stop() // the simple coordinator
	s.stop = func() {}
	store := &shelf{pairs: map[int]match.PairResult{}}
	var secret farm.Secret
	testutil.OK(t, testutil.Err(rand.Read(secret[:])))
	end := s.process(t, store, secret)
	p := plan("whole", 150)
	submit(t, s, p)

	w1, done1 := s.machine(t, "w1")
	w2, done2 := s.machine(t, "w2")
	for _, n := range []int{20, 60} {
		store.until(s.ctx, t, n)
		end()
		s.close(t)
		s.open(t)
		s.stop()
		s.stop = func() {}
		end = s.process(t, store, secret)
	}
	w1.Drain()
	testutil.OK(t, errors.Join(<-done1, w1.Close(s.ctx)))
	w3, done3 := s.machine(t, "w3")
	store.until(s.ctx, t, 150)
	for _, m := range []struct {
		w    *worker.Worker
		done <-chan error
	}{{w2, done2}, {w3, done3}} {
		m.w.Drain()
		if err := errors.Join(<-m.done, m.w.Close(s.ctx)); err != nil || m.w.Ended() != nil {
			t.Errorf("%v, ended %v", err, m.w.Ended())
		}
	}
	end()
	for id, r := range store.pairs {
		if err := arbiter.Verify(p, &r); err != nil || r.Pair.ID != id {
			t.Errorf("pair %d: %v", id, err)
		}
	}
	ids := slices.Sorted(maps.Keys(store.pairs))
	testutil.Check(t, len(ids) == 150 && ids[0] == 0 && ids[149] == 149, "stored %v", ids)
	t.Logf("%d results came for 150 pairs", store.adds)
}

// submit submits a plan as one owner and approves it as another.
func submit(t *testing.T, s *site, p *match.Plan) {
	t.Helper()
	text := testutil.Must(match.EncodePlan(p))(t)
	ask := func(name, owner string, right keys.Right, verb string, in any) {
		k, seed, err := keys.New(name, owner, []keys.Right{right}, time.Now(), time.Time{})
		testutil.OK(t, err)
		testutil.OK(t, s.config.Keys.Add(k))
		transport, err := nats.Dial(keys.Creds{Name: name, URL: s.bus.URL(), Coordinator: k.Public, Seed: seed, CA: s.ca.PEM})
		testutil.OK(t, err)
		defer transport.Close()
		testutil.OK(t, transport.Request(s.ctx, farm.SubjectAdmin+name+"."+verb, in, &farm.TestStatus{}), "%s", verb)
	}
	ask("author", "one", keys.Submit, "submit", farm.Submission{Plan: text})
	ask("reviewer", "two", keys.Approve, "approve", farm.Order{Run: p.Run})
}

// machine starts a worker that joins and plays.
func (s *site) machine(t *testing.T, name string) (*worker.Worker, <-chan error) {
	t.Helper()
	transport, config := s.machineOf(t, s.creds(t, name))
	w := s.join(t, transport, config)
	return w, playing(s.ctx, w, 3*time.Millisecond)
}

// until waits until n pairs are stored.
func (s *shelf) until(ctx context.Context, t *testing.T, n int) {
	t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		s.mu.Lock()
		have := len(s.pairs)
		s.mu.Unlock()
		if have >= n {
			return
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("%d of %d pairs are stored", have, n)
		}
	}
}
