package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"gogi/farm"
	"gogi/farm/coordinator/grants"
	"gogi/farm/folder"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/internal/testutil"
	"gogi/results/farmstate"
)

// two is a farm with two folders and a NATS server. In these tests a leader hands over. So no test waits for the end of
// a lease.
type two struct {
	t      *testing.T
	config Config
	dirs   map[string]string

	mu  sync.Mutex
	log bytes.Buffer
}

// Write implements io.Writer.
func (w *two) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(line)
}

func (w *two) said(words string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Contains(w.log.String(), words)
}

func newTwo(t *testing.T) *two {
	t.Helper()
	w := &two{t: t, dirs: map[string]string{"a": t.TempDir(), "b": t.TempDir()}}
	state := testutil.Must(folder.Open(w.dirs["a"], time.Now()))(t)
	for _, name := range []string{"secret", "coordinator.seed"} {
		testutil.OK(t, os.WriteFile(filepath.Join(w.dirs["b"], name),
			testutil.Must(os.ReadFile(filepath.Join(w.dirs["a"], name)))(t), 0o600))
	}
	file := filepath.Join(t.TempDir(), "nats.conf")
	testutil.OK(t, os.WriteFile(file, fmt.Appendf(nil, "listen: 127.0.0.1:-1\nhttp: 127.0.0.1:-1\nmax_payload: 1MB\n"+
		"jetstream { store_dir: %q, sync_interval: always }\nauthorization { timeout: 10, users: [ { nkey: %s } ] }\n",
		t.TempDir(), state.Public), 0o600))
	o := testutil.Must(server.ProcessConfigFile(file))(t)
	o.NoLog, o.NoSigs = true, true
	s := testutil.Must(server.NewServer(o))(t)
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	testutil.Require(t, s.ReadyForConnections(30*time.Second), "the server does not start")
	c := &w.config
	c.JetStream.URL, c.JetStream.Monitor = s.ClientURL(), "http://"+s.MonitorAddr().String()
	c.JetStream.Takeover, c.JetStream.Replicas, c.JetStream.MaxBytes = shortestTakeover, 1, grants.Size(4<<20)
	c.Backup.Off = true
	testutil.OK(t, c.Complete())
	c.Log = slog.New(slog.NewTextHandler(w, nil))
	return w
}

func (w *two) of(name string, standby bool) Config {
	c := w.config
	c.Farm.State, c.Standby = w.dirs[name], standby
	return c
}

// leads opens a folder, which must lead at once, and serves it until the test or the returned function ends it.
func (w *two) leads(name string) (s *Site, end func()) {
	w.t.Helper()
	s = testutil.Must(Open(w.t.Context(), w.of(name, false)))(w.t)
	ctx, cancel := context.WithCancel(w.t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		testutil.OK(w.t, errors.Join(<-served, s.Close()))
	})
	w.t.Cleanup(end)
	return s, end
}

// TestATakeoverThatFails: a standby takes the lease and fails before it has checked the ended tests. At its next start
// it still knows that it may lack pairs, and the former leader, which has all pairs, may lead.
func TestATakeoverThatFails(t *testing.T) {
	t.Parallel()
	w := newTwo(t)
	_, end := w.leads("a")
	testutil.OK(t, os.Mkdir(filepath.Join(w.dirs["b"], folder.URLFile), 0o700)) // the bus of b cannot start
	failed := make(chan error, 1)
	go func() { failed <- testutil.Err(Open(t.Context(), w.of("b", true))) }()
	testutil.Eventually(t, "b has a copy", func() bool { return w.said("the copy is equal") })
	end()
	testutil.Fails(t, <-failed, folder.URLFile, "the failing takeover")

	b := &Site{config: w.of("b", false)}
	b.Folder = testutil.Must(folder.Open(w.dirs["b"], time.Now()))(t)
	testutil.OK(t, b.lead(t.Context()))
	testutil.Check(t, b.lacks != nil && b.lacks("a test"), "b does not know any more that it may lack pairs")
	testutil.OK(t, b.Close())

	a, _ := w.leads("a")
	testutil.Check(t, a.lacks == nil, "a has all pairs")
}

// TestAnIncompleteCopy: a standby whose round fails, for any reason, has no copy with which it can take over. It needs
// no copy of a test that the leader cannot open.
func TestAnIncompleteCopy(t *testing.T) {
	t.Parallel()
	w := newTwo(t)
	a, _ := w.leads("a")
	b := &Site{config: w.of("b", true)}
	b.Folder = testutil.Must(folder.Open(w.dirs["b"], time.Now()))(t)
	outside := testutil.Must(b.outside())(t)
	b.shared = testutil.Must(nats.OpenShared(t.Context(), outside, b.Secret, b.config.JetStream.Takeover, 1))(t)
	f := &follower{site: b, own: "b"}
	testutil.OK(t, f.open(t.Context()))
	t.Cleanup(func() { testutil.OK(t, errors.Join(f.close(), b.Close())) })
	leader, status := f.replica.Ask, farm.TestStatus{Run: "r", Name: "r", State: farm.Running}
	f.replica.Ask = func(ctx context.Context, verb string, in, out any) error {
		switch verb {
		case "list":
			out.(*farm.Status).Tests = []farm.TestStatus{status}
			return nil
		case "pull":
			return errors.New("the disk is full")
		}
		return leader(ctx, verb, in, out)
	}
	term := func() nats.Term {
		t.Helper()
		now, _, err := b.shared.Look(t.Context())
		testutil.OK(t, err)
		return now
	}
	testutil.Fails(t, f.round(t.Context()), "the disk is full", "a failed round")
	testutil.Check(t, !f.has(term().Folder), "a standby without a copy takes over")
	// a user may give any reason for a pause
	status.State, status.Why = farm.Paused, "it cannot be opened: the disk is full"
	testutil.Fails(t, f.round(t.Context()), "the disk is full", "a round without the games of a paused test")
	status.Aside = true
	testutil.OK(t, f.round(t.Context()))
	testutil.Check(t, f.has(term().Folder), "a test that the leader cannot open prevents a takeover")

	// The copy expires while the leader renews its lease, but not after the leader has died.
	last := term()
	f.at, f.whole = last.At, f.whole.Add(-2*staleAfter)
	f.expire(last)
	testutil.Check(t, f.has(last.Folder), "a copy of a dead leader's games expires")
	testutil.OK(t, a.shared.Renew(t.Context()))
	f.expire(term())
	testutil.Check(t, !f.has(last.Folder), "an old copy does not expire")
}

// TestKeysOfTwo: a key that was revoked while no coordinator ran stays revoked at the next start. The bucket gets the
// revocation. A damaged key file is not stored in the bucket.
func TestKeysOfTwo(t *testing.T) {
	t.Parallel()
	w := newTwo(t)
	a, end := w.leads("a")
	for _, name := range []string{"w1", "w2"} {
		testutil.Must(a.Issue(name, "ann", []keys.Right{keys.Work}, time.Time{}, "tls://x", ""))(t)
	}
	damaged := filepath.Join(a.Dir, folder.KeysDir, "w3.toml")
	testutil.OK(t, os.WriteFile(damaged, []byte("name = "), 0o600))
	testutil.OK(t, a.share())
	end()
	testutil.OK(t, os.Remove(damaged))
	offline := testutil.Must(folder.Open(w.dirs["a"], time.Now()))(t)
	testutil.OK(t, offline.Ring.Revoke("w1", "lost", time.Now()))

	for range 2 { // the second start gets the revocation from the bucket
		a, end = w.leads("a")
		k, ok := a.Ring.Named("w1")
		testutil.Check(t, ok && !k.Revoked.IsZero() && k.Why == "lost", "%+v", k)
		other, ok := a.Ring.Named("w2")
		testutil.Check(t, ok && other.Revoked.IsZero(), "%+v", other)
		testutil.Check(t, testutil.Err(os.Stat(damaged)) != nil, "a damaged key is in the bucket")
		end()
		testutil.OK(t, os.Remove(filepath.Join(w.dirs["a"], folder.KeysDir, "w1.toml")))
	}
}

// TestServingWithoutTheCluster: gogi does not serve a folder without the cluster that has its state.
func TestServingWithoutTheCluster(t *testing.T) {
	t.Parallel()
	c := Config{Log: slog.New(slog.DiscardHandler)}
	c.Farm.State = t.TempDir()
	testutil.OK(t, c.Complete())
	testutil.OK(t, folder.WriteFile(filepath.Join(c.Farm.State, memberFile), "x\n"))
	testutil.Fails(t, testutil.Err(Open(t.Context(), c)), "nats stream rm KV_gogi_farm", "a start without the cluster")
}

// TestAnUnfinishedFill: a first leader dies before the bucket has its whole state. The next leader stores its own
// state. No part of the unfinished state comes back.
func TestAnUnfinishedFill(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := newTwo(t)
	b := &Site{config: w.of("b", false)}
	b.Folder = testutil.Must(folder.Open(w.dirs["b"], time.Now()))(t)
	testutil.OK(t, b.lead(ctx))
	testutil.OK(t, b.shared.Put(ctx, nats.KeyOf(kindRow, "tests", "old"),
		entry{Row: &farmstate.Row{Bucket: "tests", Name: "old", Revision: 1, Body: []byte("x")}}))
	testutil.OK(t, b.shared.Put(ctx, nats.KeyOf(kindKey, "old.toml"), map[string]string{"old.toml": "x"}))
	testutil.OK(t, b.Close())
	for range 2 { // the second start reads the bucket
		a, end := w.leads("a")
		_, revision, err := a.Kept.Get(ctx, "tests", "old")
		testutil.Check(t, revision == 0, "the old row is back: %v", err)
		testutil.Check(t, testutil.Err(os.Stat(filepath.Join(a.Dir, folder.KeysDir, "old.toml"))) != nil,
			"the old key is back")
		end()
	}
}
