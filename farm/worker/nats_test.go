package worker_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/files"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/farm/nats/embedded"
	"gogi/farm/worker"
	"gogi/internal/testutil"
	"gogi/match"
)

// site is a coordinator on NATS.
type site struct {
	*coordinator
	ctx    context.Context
	config nats.Config
	ca     *keys.Authority
	bus    *nats.Bus
	stop   func()
}

// newSite starts a site. Its heartbeats are fast, because time is real here.
func newSite(t *testing.T, maxStream int64) *site {
	t.Helper()
	s := &site{}
	var err error
	if s.ca, err = keys.NewAuthority(time.Now()); err != nil {
		t.Fatal(err)
	}
	tls := testutil.Must(s.ca.TLS([]string{"127.0.0.1"}))(t)
	ring := testutil.Must(keys.Open(t.TempDir()))(t)
	s.config = nats.Config{
		Dir: t.TempDir(), Listen: "127.0.0.1:0", TLS: tls, Keys: ring, Log: slog.New(slog.DiscardHandler),
		MaxStream: maxStream, MaxArtefact: 1 << 20, MaxArtefacts: 8 << 20, Readers: 2, Start: embedded.Start,
	}
	s.coordinator = newCoordinator(t, func(name string) ed25519.PublicKey {
		k, _ := ring.Named(name)
		return k.Ed25519()
	})
	s.lease = 300 * time.Millisecond
	var cancel context.CancelFunc
	s.ctx, cancel = context.WithTimeout(context.Background(), 2*time.Minute)
	s.open(t)
	t.Cleanup(func() { s.close(t); cancel() })
	return s
}

func (s *site) open(t *testing.T) {
	t.Helper()
	var err error
	if s.bus, err = nats.Open(s.ctx, s.config); err != nil {
		t.Fatal(err)
	}
	u := testutil.Must(url.Parse(s.bus.URL()))(t)
	s.config.Listen = u.Host
	s.stop = s.serve(s.ctx, s.bus)
}

func (s *site) close(t *testing.T) {
	t.Helper()
	s.stop()
	testutil.OK(t, s.bus.Close())
}

func (s *site) creds(t *testing.T, name string) keys.Creds {
	t.Helper()
	k, seed, err := keys.New(name, "owner", []keys.Right{keys.Work}, time.Now(), time.Time{})
	testutil.OK(t, err)
	testutil.OK(t, s.config.Keys.Add(k))
	return keys.Creds{Name: name, URL: s.bus.URL(), Coordinator: k.Public, Seed: seed, CA: s.ca.PEM}
}

// machineOf returns the transport and the configuration of a worker with these credentials.
func (s *site) machineOf(t *testing.T, c keys.Creds) (farm.Transport, worker.Config) {
	t.Helper()
	transport, err := nats.Dial(c)
	testutil.OK(t, err)
	t.Cleanup(func() { transport.Close() })
	config := newMachine(t, s.coordinator).config
	config.Name, config.BatchWait = c.Name, 10*time.Millisecond
	if config.Sign, err = c.Sign(); err != nil {
		t.Fatal(err)
	}
	return transport, config
}

func (s *site) join(t *testing.T, transport farm.Transport, c worker.Config) *worker.Worker {
	t.Helper()
	return testutil.Must(worker.Join(s.ctx, transport, c))(t)
}

// TestTheServerIsRestarted: the server restarts three times during a run, and all results arrive.
func TestTheServerIsRestarted(t *testing.T) {
	t.Parallel()
	s := newSite(t, 64<<20)
	run := s.add(plan("a", 120))
	transport, config := s.machineOf(t, s.creds(t, "w1"))
	w := s.join(t, transport, config)
	done := playing(s.ctx, w, 2*time.Millisecond)
	for _, n := range []int{10, 40, 70} {
		s.until(s.ctx, "some are stored", func() bool { return len(s.stored[run]) >= n })
		s.close(t)
		s.open(t)
	}
	s.until(s.ctx, "all stored", storedAll(s.coordinator, run, 120))
	w.Drain()
	testutil.OK(t, errors.Join(<-done, w.Close(s.ctx)))
	testutil.Equal(t, w.Status().Outbox, 0, "items are left in the outbox")
}

// TestTheStreamIsFullAndFreeAgain: while the judge stops, the stream of a real server is full. Later every result
// arrives once.
func TestTheStreamIsFullAndFreeAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, 2<<20)
	run := s.add(plan("a", 40))
	transport, config := s.machineOf(t, s.creds(t, "w1"))
	s.stop() // no judge runs, and no request is answered
	blocker, err := nats.Dial(s.creds(t, "w2"))
	testutil.OK(t, err)
	defer blocker.Close()
	filled := 0
	for _, size := range []int{900_000, 50_000, 2_000, 50} { // until the stream rejects even the smallest message
		for err = nil; err == nil; filled++ {
			err = blocker.Publish(s.ctx, "res.w2.0", fmt.Sprint(filled), noise(size))
		}
		if filled--; !errors.Is(err, farm.ErrFull) {
			t.Fatalf("%v after %d messages", err, filled)
		}
	}
	s.stop = s.serveOnlyRequests(t)
	w := s.join(t, transport, config)
	done := playing(s.ctx, w, time.Millisecond)
	s.until(s.ctx, "a beat with an outbox", func() bool {
		n := len(s.beats)
		return n > 0 && len(s.beats[n-1].Outbox) >= 4
	})
	for range filled { // the test removes the noise
		deliveries, err := s.bus.Results(s.ctx, 1)
		testutil.Require(t, err == nil && farm.Sender(deliveries[0].Subject) == "w2", "%v, or not the noise", err)
		testutil.OK(t, deliveries[0].Ack(s.ctx))
	}
	s.stop()
	s.stop = s.serve(s.ctx, s.bus)
	s.until(s.ctx, "all stored", storedAll(s.coordinator, run, 40))
	w.Drain()
	if err := errors.Join(<-done, w.Close(s.ctx)); err != nil || s.duplicates != 0 {
		t.Errorf("%v, %d duplicates", err, s.duplicates)
	}
}

// withoutResults is the bus of a coordinator whose judge gets no results.
type withoutResults struct{ ends }

func (withoutResults) Results(ctx context.Context, _ int) ([]farm.Delivery, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func (s *site) serveOnlyRequests(*testing.T) func() { return s.serve(s.ctx, withoutResults{s.bus}) }

func noise(n int) []byte {
	b := make([]byte, n)
	state := uint64(1)
	for i := range b {
		state = state*6364136223846793005 + 1442695040888963407
		b[i] = byte(state >> 56)
	}
	return b
}

// TestTwoSessionsOfOneKey: the later session plays, and the earlier one ends with a reason.
func TestTwoSessionsOfOneKey(t *testing.T) {
	t.Parallel()
	s := newSite(t, 64<<20)
	creds := s.creds(t, "w1")
	oldTransport, oldConfig := s.machineOf(t, creds)
	newTransport, newConfig := s.machineOf(t, creds)
	earlier := s.join(t, oldTransport, oldConfig)
	oldDone := playing(s.ctx, earlier, time.Millisecond)
	later := s.join(t, newTransport, newConfig)
	run := s.add(plan("a", 30))
	newDone := playing(s.ctx, later, time.Millisecond)
	testutil.OK(t, <-oldDone)
	e := earlier.Ended()
	testutil.Check(t, e != nil && e.Exit == worker.ExitRefused, "the earlier one ended with %v", e)
	s.until(s.ctx, "all stored", storedAll(s.coordinator, run, 30))
	later.Drain()
	if err := errors.Join(<-newDone, later.Close(s.ctx), earlier.Close(s.ctx)); err != nil || later.Ended() != nil {
		t.Errorf("%v; the later one ended with %v", err, later.Ended())
	}
}

// TestAWorkerIsKilledWithAFullOutbox: the next process of a killed worker sends the finished pairs that were not sent.
func TestAWorkerIsKilledWithAFullOutbox(t *testing.T) {
	if file := os.Getenv("WORKER_KILLED"); file != "" {
		workUntilKilled(t, file, os.Getenv("WORKER_DIR"), os.Getenv("WORKER_COORDINATOR"))
	}
	s := newSite(t, 64<<20)
	run := s.add(plan("a", 60))
	creds := s.creds(t, "w1")
	file := filepath.Join(t.TempDir(), "w1.creds")
	testutil.OK(t, creds.Write(file))
	transport, config := s.machineOf(t, creds)
	c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
	c.Env = append(os.Environ(), "WORKER_KILLED="+file, "WORKER_DIR="+config.Dir,
		"WORKER_COORDINATOR="+hex.EncodeToString(s.public))
	c.Stderr = os.Stderr
	testutil.OK(t, c.Start())
	s.until(s.ctx, "its outbox is told", func() bool { n := len(s.beats); return n > 0 && len(s.beats[n-1].Outbox) >= 5 })
	testutil.OK(t, c.Process.Kill())
	_ = c.Wait() // killed
	s.mu.Lock()
	finished := s.beats[len(s.beats)-1].Outbox
	testutil.Check(t, len(s.stored[run]) == 0, "%d are stored that should not have been sent", len(s.stored[run]))
	s.lease = time.Second
	s.plans[run].Pairs = 0 // nothing more is granted
	s.mu.Unlock()

	w := s.join(t, transport, config)
	s.until(s.ctx, "the finished ones are stored", func() bool {
		for _, h := range finished {
			if !s.stored[run][h.Pair] {
				return false
			}
		}
		return true
	})
	testutil.OK(t, w.Close(s.ctx))
}

func workUntilKilled(t *testing.T, file, dir, key string) {
	creds := testutil.Must(keys.ReadCreds(file))(t)
	transport := testutil.Must(nats.Dial(creds))(t)
	public, err := hex.DecodeString(key)
	testutil.OK(t, err)
	config := newMachine(t, &coordinator{public: public}).config
	config.Name, config.Dir, config.BatchWait = creds.Name, dir, time.Hour
	if config.Sign, err = creds.Sign(); err != nil {
		t.Fatal(err)
	}
	w := testutil.Must(worker.Join(t.Context(), transport, config))(t)
	t.Fatal(<-playing(t.Context(), w, time.Millisecond))
}

// TestArtefactsComeFromTheCoordinator: a worker fetches each artefact once and stores it. It refuses a run whose
// artefact the coordinator does not have.
func TestArtefactsComeFromTheCoordinator(t *testing.T) {
	t.Parallel()
	s := newSite(t, 64<<20)
	body := noise(300_000)
	sum := testutil.Must(s.bus.PutArtefact(s.ctx, bytes.NewReader(body), 1<<20))(t)
	transport, config := s.machineOf(t, s.creds(t, "w1"))
	store, err := files.Open(t.TempDir(), 1<<20, true)
	testutil.OK(t, err)
	fetcher := &worker.Fetcher{Store: store, Transport: transport, Largest: 1 << 20, Log: slog.New(slog.DiscardHandler)}
	config.Ready = fetcher.Ready(func(p *match.Plan, find func(string) (string, error)) (*match.Plan, error) {
		for _, player := range p.Players {
			path, err := find(player.Identity.Files[0].SHA256)
			if err != nil {
				return nil, err
			}
			got, err := os.ReadFile(path)
			testutil.Check(t, err == nil && bytes.Equal(got, body), "%s: %v, or other bytes", path, err)
		}
		return p, nil
	})
	good, bad := plan("a", 5), plan("b", 5)
	for i := range good.Players {
		good.Players[i].Identity.Files[0].SHA256 = sum
	}
	run, missing := s.add(good), s.add(bad)
	w := s.join(t, transport, config)
	done := playing(s.ctx, w, time.Millisecond)
	s.until(s.ctx, "all stored", storedAll(s.coordinator, run, 5))
	s.until(s.ctx, "the other is refused", func() bool {
		n := len(s.asks)
		return n > 0 && len(s.asks[n-1].Refuse) == 1 && s.asks[n-1].Refuse[0] == missing
	})
	w.Drain()
	testutil.OK(t, errors.Join(<-done, w.Close(s.ctx)))
	all := store.List()
	testutil.Check(t, len(all) == 1 && all[sum] == 300_000, "the cache has %v", all)
}
