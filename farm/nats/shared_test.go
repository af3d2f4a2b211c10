package nats_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gogi/farm"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/internal/testutil"
)

// ttl is longer than any wait of a test. Tests that wait for the end of a lease use a shorter one.
const ttl = time.Minute

// cluster is an external server with the keys of a coordinator and of a worker.
type cluster struct {
	server  *server.Server
	t       *testing.T
	outside *nats.Outside
	worker  keys.Creds
	ring    *keys.Ring
	secret  farm.Secret
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	own, seed, err := keys.New("coordinator", "farm", []keys.Right{keys.Admin}, time.Now(), time.Time{})
	testutil.OK(t, err)
	k, working, err := keys.New("w1", "owner", []keys.Right{keys.Work}, time.Now(), time.Time{})
	testutil.OK(t, err)
	ring := testutil.Must(keys.Open(t.TempDir()))(t)
	testutil.OK(t, ring.Add(k))
	s := outside(t,
		fmt.Sprintf("listen: 127.0.0.1:-1\nhttp: 127.0.0.1:-1\nmax_payload: 1MB\njetstream { store_dir: %q, sync_interval: always }\n%s",
			t.TempDir(), authorization(own.Public, ring, time.Now())))
	return &cluster{
		t: t, ring: ring, secret: farm.Secret{1}, server: s,
		outside: &nats.Outside{
			Creds:   keys.Creds{Name: "coordinator", URL: s.ClientURL(), Coordinator: own.Public, Seed: seed},
			Monitor: "http://" + s.MonitorAddr().String(),
		},
		worker: keys.Creds{Name: "w1", URL: s.ClientURL(), Coordinator: own.Public, Seed: working},
	}
}

func (c *cluster) join(ttl time.Duration) *nats.Shared {
	c.t.Helper()
	s := testutil.Must(nats.OpenShared(c.t.Context(), c.outside, c.secret, ttl, 1))(c.t)
	c.t.Cleanup(func() { _ = s.Close() })
	return s
}

// take waits until the lease is free, and takes it.
func (c *cluster) take(s *nats.Shared, name string) (before nats.Term) {
	c.t.Helper()
	testutil.Eventually(c.t, "the lease is free", func() bool {
		t, free, err := s.Look(c.t.Context())
		testutil.OK(c.t, err)
		before = t
		return free
	})
	testutil.OK(c.t, s.Create(c.t.Context()))
	testutil.OK(c.t, s.Take(c.t.Context(), before, name, name+"'s folder"))
	return before
}

// raw connects with the seed of some credentials, without the checks of gogi.
func (c *cluster) raw(creds keys.Creds) jetstream.JetStream {
	c.t.Helper()
	sign, public, err := keys.Sign(creds.Seed)
	testutil.OK(c.t, err)
	n := testutil.Must(natsgo.Connect(creds.URL, natsgo.Nkey(public, func(b []byte) ([]byte, error) { return sign(b) }),
		natsgo.CustomInboxPrefix(keys.Inbox(creds.Name))))(c.t)
	c.t.Cleanup(n.Close)
	return testutil.Must(jetstream.New(n))(c.t)
}

// TestTerms: a second process cannot take a lease that is renewed. It can when the leader has released it. It then has
// all entries, and every later write of the first one fails.
func TestTerms(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := newCluster(t)
	a, b := c.join(ttl), c.join(ttl)
	testutil.Check(t, c.take(a, "a") == nats.Term{}, "there was a term before the first one")
	testutil.OK(t, a.Put(ctx, nats.KeyOf("row", "tests", "x y"), "one"))
	seen, free, err := b.Look(ctx)
	testutil.Check(t, err == nil && !free && seen.Leader == "a" && seen.Number == a.Number(), "%+v, free %v, %v", seen,
		free, err)
	testutil.OK(t, a.Ready(ctx))
	// The term that b has seen is outdated now.
	testutil.Check(t, errors.Is(b.Take(ctx, seen, "b", "b"), nats.ErrFenced), "a lease was taken from a living leader")
	testutil.OK(t, a.Put(ctx, nats.KeyOf("row", "tests", "x y"), "two"))
	testutil.OK(t, a.Release(ctx))
	before := c.take(b, "b")
	testutil.Check(t, before.Ready && before.Released && before.Number < b.Number(), "%+v before term %d", before,
		b.Number())
	testutil.Check(t, a.Fence() == nil, "the test is about a leader that does not know yet")
	testutil.Check(t, errors.Is(a.Put(ctx, "row.late", "late"), nats.ErrFenced) && errors.Is(a.Fence(), nats.ErrFenced),
		"a former leader writes")
	<-a.Lost()
	got := map[string]string{}
	testutil.OK(t, b.Entries(ctx, func(key string, decode func(any) error) error {
		var v string
		err := decode(&v)
		got[key] = v
		return err
	}))
	testutil.Check(t, len(got) == 1 && got[nats.KeyOf("row", "tests", "x y")] == "two", "%v", got)
}

// TestASilentLeader: a leader that cannot renew its lease stops before a standby takes it, and the standby does take
// it.
func TestASilentLeader(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	a, b := c.join(2*time.Second), c.join(2*time.Second)
	c.take(a, "a")
	keeping, silent := context.WithCancel(t.Context())
	kept := make(chan struct{})
	go func() { a.Keep(keeping); close(kept) }()
	for range 20 { // two times the lease
		_, free, err := b.Look(t.Context())
		testutil.OK(t, err)
		testutil.Check(t, !free || a.Fence() != nil, "the lease of a leader is free")
		time.Sleep(200 * time.Millisecond)
	}
	testutil.Check(t, a.Fence() == nil, "a leader that renews its lease has lost it")
	silent()
	<-kept
	c.take(b, "b")
	testutil.Check(t, errors.Is(a.Fence(), nats.ErrFenced), "two leaders at a time")
}

// TestForgedEntries: another client that may write to the bucket can end a leadership, but cannot forge an entry. A
// worker can neither write there nor send in the name of the coordinator.
func TestForgedEntries(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := newCluster(t)
	a := c.join(ttl)
	c.take(a, "a")
	other := c.raw(c.outside.Creds)
	w := c.raw(c.worker).Conn()
	for _, subject := range []string{"$KV.gogi_farm.lease", "adm.COORDINATOR.pull", "$JS.API.STREAM.DELETE.KV_gogi_farm"} {
		heard := testutil.Must(other.Conn().SubscribeSync(subject))(t)
		testutil.OK(t, other.Conn().Flush())
		testutil.OK(t, w.Publish(subject, []byte("{}")))
		testutil.OK(t, w.Flush())
		testutil.OK(t, other.Conn().Flush())
		n, _, err := heard.Pending()
		testutil.Check(t, err == nil && n == 0, "a worker publishes on %s: %d, %v", subject, n, err)
		testutil.OK(t, heard.Unsubscribe())
	}
	testutil.OK(t, a.Ready(ctx)) // the bucket exists, and no other entry came before this one
	m := testutil.Must(testutil.Must(other.Stream(ctx, "KV_gogi_farm"))(t).GetLastMsgForSubject(ctx,
		"$KV.gogi_farm.lease"))(t)
	for name, body := range map[string][]byte{"of another key": m.Data,
		"changed": append(slices.Clone(m.Data[:len(m.Data)-1]), m.Data[len(m.Data)-1]^1), "empty": nil} {
		b := c.join(ttl)
		testutil.Must(other.Publish(ctx, "$KV.gogi_farm.row.forged", body))(t)
		testutil.Check(t, errors.Is(a.Put(ctx, "row.mine", "x"), nats.ErrFenced),
			"%s: a leader that has not seen all entries writes", name)
		seen, _, err := b.Look(ctx)
		testutil.OK(t, err)
		testutil.OK(t, b.Take(ctx, seen, "b", "b"))
		err = b.Entries(ctx, func(_ string, decode func(any) error) error { return decode(new(nats.Term)) })
		testutil.Check(t, err != nil && strings.Contains(err.Error(), "not of this farm"), "%s: %v", name, err)
		a = b
	}
}

// bus opens the bus of a coordinator.
func (c *cluster) bus(s *nats.Shared) (*nats.Bus, error) {
	b, err := nats.Open(c.t.Context(), nats.Config{
		Dir: c.t.TempDir(), Keys: c.ring, Log: slog.New(slog.DiscardHandler), MaxStream: 4 << 20, MaxArtefact: 1 << 20,
		MaxArtefacts: 16 << 20,
		Outside:      c.outside, Shared: s,
	})
	if err == nil {
		c.t.Cleanup(func() { _ = b.Close() })
	}
	return b, err
}

// TestALeaderThatOpensItsBusTooLate: a process takes the lease and is suspended, and another one leads. When the first
// one continues, its start fails, and the new leader gets results. Without its consumer the new leader ends.
func TestALeaderThatOpensItsBusTooLate(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := newCluster(t)
	a, b := c.join(ttl), c.join(ttl)
	c.take(a, "a")
	before, _, err := b.Look(ctx)
	testutil.OK(t, err)
	testutil.OK(t, b.Take(ctx, before, "b", "b's folder")) // the clock of b has passed the end of a's lease
	fresh := testutil.Must(c.bus(b))(t)
	testutil.Check(t, a.Fence() == nil, "the former leader knows already")
	testutil.Check(t, errors.Is(testutil.Err(c.bus(a)), nats.ErrFenced), "a former leader starts")
	w := testutil.Must(nats.Dial(c.worker))(t)
	t.Cleanup(func() { _ = w.Close() })
	testutil.OK(t, w.Publish(ctx, farm.SubjectResults+"w1.0", "one", []byte("one")))
	testutil.Check(t, string(testutil.Must(fresh.Results(ctx, 1))(t)[0].Body) == "one",
		"the new leader gets another result")
	stream := testutil.Must(c.raw(c.outside.Creds).Stream(ctx, "RESULTS_0"))(t)
	var names []string
	for name := range stream.ConsumerNames(ctx).Name() {
		names = append(names, name)
	}
	testutil.Equal(t, fmt.Sprint(names), fmt.Sprintf("[judge-%d]", b.Number()), "consumers")
	testutil.OK(t, stream.DeleteConsumer(ctx, names[0]))
	testutil.Check(t, errors.Is(testutil.Err(fresh.Results(ctx, 1)), jetstream.ErrConsumerNotFound),
		"a missing consumer is no error")
}

// TestASettledTerm: until Settle, a new term names the folder of the term before. So a leader that fails at its start
// does not count as one that has all games.
func TestASettledTerm(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := newCluster(t)
	a, b := c.join(ttl), c.join(ttl)
	c.take(a, "a")
	testutil.OK(t, a.Ready(ctx))
	testutil.OK(t, a.Release(ctx))
	first := c.take(b, "b")
	testutil.Check(t, first.Folder == "a's folder" && first.Taker == "a's folder", "%+v", first)
	taken, _, err := a.Look(ctx)
	testutil.Check(t, err == nil && taken.Folder == "a's folder" && taken.Taker == "b's folder", "%+v, %v", taken, err)
	testutil.OK(t, b.Settle(ctx))
	settled, _, err := a.Look(ctx)
	testutil.Check(t, err == nil && settled.Folder == "b's folder" && settled.Taker == "b's folder", "%+v, %v", settled,
		err)
}

// TestTwoLooks: Take uses the entry of its own Look, even if another goroutine has looked again.
func TestTwoLooks(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := newCluster(t)
	a, b := c.join(ttl), c.join(ttl)
	c.take(a, "a")
	old, _, err := b.Look(ctx)
	testutil.OK(t, err)
	testutil.OK(t, a.Renew(ctx))
	_, _, err = b.Look(ctx)
	testutil.OK(t, err)
	testutil.Check(t, errors.Is(b.Take(ctx, old, "b", "b"), nats.ErrFenced), "a lease was taken from a living leader")
}

// TestTheBusOfAFormerLeader: a leader whose lease has ended answers nothing and acknowledges nothing. The next one gets
// every result that was not acknowledged, and an acknowledgement of the former leader has no effect.
func TestTheBusOfAFormerLeader(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := newCluster(t)
	open := func(s *nats.Shared) *nats.Bus { return testutil.Must(c.bus(s))(t) }
	a, b := c.join(ttl), c.join(ttl)
	c.take(a, "a")
	old := open(a)
	asked := make(chan string, 10)
	answer := func(name string) func(context.Context, string, []byte) (any, error) {
		return func(context.Context, string, []byte) (any, error) {
			asked <- name
			return farm.BeatReply{Say: name}, nil
		}
	}
	testutil.OK(t, testutil.Err(old.Answer(farm.SubjectHello+"*", answer("a"))))
	w := testutil.Must(nats.Dial(c.worker))(t)
	t.Cleanup(func() { _ = w.Close() })
	for i := range 3 {
		testutil.OK(t, w.Publish(ctx, farm.SubjectResults+"w1.0", fmt.Sprint(i), []byte{byte(i)}))
	}
	first := testutil.Must(old.Results(ctx, 1))(t)[0]
	testutil.OK(t, first.Ack(ctx))
	late := testutil.Must(old.Results(ctx, 1))(t)[0]
	testutil.OK(t, a.Release(ctx))
	c.take(b, "b")
	fresh := open(b)
	testutil.OK(t, testutil.Err(fresh.Answer(farm.SubjectHello+"*", answer("b"))))
	testutil.Check(t, a.Fence() == nil, "the former leader knows already")
	short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	testutil.Fails(t, late.Ack(short), "", "a late acknowledgement has an effect")
	testutil.Check(t, errors.Is(a.Put(ctx, "row.x", 1), nats.ErrFenced), "the former leader writes")
	testutil.Fails(t, late.Ack(ctx), "does not lead", "a fenced leader acknowledges")
	testutil.Fails(t, old.Send("ctl.all", nil), "does not lead", "a fenced leader sends hints")
	var reply farm.BeatReply
	for range 5 {
		testutil.OK(t, w.Request(ctx, farm.SubjectHello+"w1", farm.Hello{}, &reply))
		testutil.Check(t, reply.Say == "b", "%q answers", reply.Say)
	}
	close(asked)
	for name := range asked {
		testutil.Check(t, name == "b", "%s was asked", name)
	}
	for want := byte(1); want <= 2; want++ {
		d := testutil.Must(fresh.Results(ctx, 1))(t)[0]
		testutil.Check(t, len(d.Body) == 1 && d.Body[0] == want, "%v instead of result %d", d.Body, want)
		testutil.OK(t, d.Ack(ctx))
	}
	// The consumer of the former leader blocks no message.
	stream := testutil.Must(c.raw(c.outside.Creds).Stream(ctx, "RESULTS_0"))(t)
	testutil.Eventually(t, "the stream drops the acknowledged results", func() bool {
		return testutil.Must(stream.Info(ctx))(t).State.Msgs == 0
	})
}
