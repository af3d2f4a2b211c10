package nats_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"gogi/farm"
	"gogi/farm/keys"
	bus "gogi/farm/nats"
	"gogi/internal/testutil"
)

// intruder is a connection that does not use gogi's client and can send anything.
func intruder(t *testing.T, w *world, c keys.Creds) (*nats.Conn, <-chan error) {
	t.Helper()
	violations := make(chan error, 100)
	n := testutil.Must(raw(t, w, c,
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { violations <- err })))(t)
	t.Cleanup(n.Close)
	return n, violations
}

func raw(t *testing.T, w *world, c keys.Creds, more ...nats.Option) (*nats.Conn, error) {
	t.Helper()
	roots := testutil.Must(c.Roots())(t)
	options := append(more, nats.Secure(&tls.Config{RootCAs: roots}), nats.CustomInboxPrefix(keys.Inbox(c.Name)))
	if c.Seed != "" {
		pair := testutil.Must(nkeys.FromSeed([]byte(c.Seed)))(t)
		public := testutil.Must(pair.PublicKey())(t)
		options = append(options, nats.Nkey(public, pair.Sign))
	}
	return nats.Connect(w.bus.URL(), options...)
}

// heard counts the requests to the coordinator and the messages to another worker.
type heard struct{ asked, hints atomic.Int64 }

// overhear counts what arrives at the coordinator and at another worker.
func overhear(t *testing.T, w *world, victim farm.Transport) *heard {
	t.Helper()
	h := &heard{}
	for _, s := range []string{"hello.*", "lease.*", "beat.*", "adm.*.*"} {
		testutil.OK(t, testutil.Err(w.bus.Answer(s, func(context.Context, string, []byte) (any, error) {
			h.asked.Add(1)
			return farm.BeatReply{}, nil
		})))
	}
	for _, s := range []string{farm.SubjectAll, farm.SubjectRun + "ab", farm.SubjectWorker + "victim", "_INBOX_victim.x"} {
		testutil.OK(t, testutil.Err(victim.Listen(s, func([]byte) { h.hints.Add(1) })))
	}
	testutil.OK(t, victim.Request(t.Context(), "beat.victim", farm.Beat{}, &farm.BeatReply{}))
	h.asked.Store(0)
	return h
}

// TestAttacks: a worker with a valid key attacks the farm. The server reports each attempt as a violation, or drops the
// message. Two controls show that other messages do arrive.
func TestAttacks(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	victim := w.dial(t, w.key(t, "victim", time.Time{}, keys.Work))
	sum := testutil.Must(w.bus.PutArtefact(t.Context(), bytes.NewReader([]byte("engine")), 100))(t)
	h := overhear(t, w, victim)
	n, violations := intruder(t, w, w.key(t, "intruder", time.Time{}, keys.Work))

	publish := func(subject string) func() error {
		return func() error { return n.Publish(subject, []byte{0xa0}) }
	}
	subscribe := func(subject string) func() error {
		return func() error {
			_, err := n.SubscribeSync(subject)
			return err
		}
	}
	for name, attempt := range map[string]func() error{
		"a lease in another's name":        publish("lease.victim"),
		"a beat in another's name":         publish("beat.victim"),
		"a hello in another's name":        publish("hello.victim"),
		"a result in another's name":       publish("res.victim.0"),
		"an event in another's name":       publish("ev.ab.victim"),
		"to stop a run":                    publish("ctl.ab"),
		"to drain another":                 publish(farm.SubjectWorker + "victim"),
		"an order of an owner":             publish("adm.intruder.submit"),
		"an upload in another's name":      publish("put.victim"),
		"to purge the results":             publish("$JS.API.STREAM.PURGE.RESULTS_0"),
		"to delete the stream":             publish("$JS.API.STREAM.DELETE.RESULTS_0"),
		"to read a result":                 publish("$JS.API.DIRECT.GET.RESULTS_0"),
		"to list the streams":              publish("$JS.API.STREAM.NAMES"),
		"a consumer of its own":            publish("$JS.API.CONSUMER.CREATE.RESULTS_0.mine"),
		"the judge's messages":             publish("$JS.API.CONSUMER.MSG.NEXT.RESULTS_0.judge"),
		"to acknowledge the judge's":       publish("$JS.ACK.RESULTS_0.judge.1.1.1.1.0"),
		"the account's figures":            publish("$JS.API.INFO"),
		"the server's figures":             publish("$SYS.REQ.SERVER.PING"),
		"a state of a test":                publish("$KV.tests.test.ab"),
		"evidence":                         publish("evidence.victim"),
		"an answer in the coordinator's":   publish("_INBOX_victim.x"),
		"to hear everything":               subscribe(">"),
		"to hear all results":              subscribe("res.>"),
		"to hear another's answers":        subscribe("_INBOX_victim.>"),
		"to hear the coordinator's":        subscribe("_INBOX_COORDINATOR.>"),
		"to hear what is told to another":  subscribe(farm.SubjectWorker + "victim"),
		"to hear what all are told":        subscribe(farm.SubjectWorker + "*"),
		"to hear what is told to any":      subscribe(farm.SubjectWorker + ">"),
		"a result for the stream":          publish("journal.intruder.0"),
		"to take over requests":            subscribe("hello.*"),
		"to hear acknowledgements":         subscribe("$JS.ACK.>"),
		"to hear the server's own affairs": subscribe("$SYS.>"),
	} {
		testutil.OK(t, errors.Join(attempt(), n.Flush()))
		select {
		case err := <-violations:
			testutil.Check(t, errors.Is(err, nats.ErrPermissionViolation), "%s: %v", name, err)
		case <-time.After(testutil.WaitLimit):
			t.Errorf("%s was no violation", name)
		}
	}
	deputies(t, n)
	testutil.Check(t, h.asked.Load() == 0 && h.hints.Load() == 0, "%d requests and %d hints arrived", h.asked.Load(),
		h.hints.Load())
	if fill, err := w.bus.Fill(t.Context()); err != nil {
		t.Errorf("the stream: %v, %v", fill, err)
	}

	// The controls: an honest worker is served, and the artefact is unchanged.
	own := w.dial(t, w.key(t, "honest", time.Time{}, keys.Work))
	if err := own.Request(t.Context(), "beat.honest", farm.Beat{}, &farm.BeatReply{}); err != nil || h.asked.Load() != 1 {
		t.Errorf("an honest beat: %v, %d arrived", err, h.asked.Load())
	}
	testutil.OK(t, own.Publish(t.Context(), "res.honest.0", "1", []byte("result")), "an honest result")
	if all, err := w.bus.Artefacts(t.Context()); err != nil || len(all) != 1 || all[sum] != 6 {
		t.Errorf("artefacts: %v, %v", all, err)
	}
}

// deputies sends requests with reply subjects of other clients. No answer may go there.
func deputies(t *testing.T, n *nats.Conn) {
	t.Helper()
	for _, reply := range []string{"ctl.all", "ctl.ab", "ctl.w.victim", "beat.victim", "_INBOX_victim.x",
		"adm.victim.stop", "res.victim.0", "journal.victim.0", "$JS.API.STREAM.PURGE.RESULTS_0", "$KV.tests.ab",
		"evidence.victim", farm.SubjectWorker + "victim"} {
		for _, subject := range []string{"beat.intruder", "lease.intruder", "hello.intruder", "art.intruder", "put.intruder",
			"res.intruder.0"} {
			testutil.OK(t, n.PublishRequest(subject, reply, []byte{0xa0}))
		}
	}
	testutil.OK(t, n.Flush())
	// This reply arrives after the server has processed the requests above.
	testutil.OK(t, testutil.Err(n.Request("art.intruder", []byte{0xa0}, 10*time.Second)))
}

// TestStrangers: the server rejects a client without a key of this farm, and TLS 1.2. A client rejects another farm.
func TestStrangers(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	known := w.key(t, "known", time.Time{}, keys.Work)
	_, unknown, err := keys.New("known", "owner", []keys.Right{keys.Work}, time.Now(), time.Time{})
	testutil.OK(t, err)
	another, err := keys.NewAuthority(time.Now())
	testutil.OK(t, err)
	for name, c := range map[string]keys.Creds{
		"anonymous": {Name: "known", CA: known.CA},
		"unknown":   {Name: "known", CA: known.CA, Seed: unknown},
		"expired":   w.key(t, "expired", time.Now().Add(-time.Minute), keys.Work),
	} {
		testutil.Is(t, testutil.Err(raw(t, w, c)), nats.ErrAuthorization, name)
	}
	imposed := known
	imposed.CA = another.PEM
	testutil.Fails(t, testutil.Err(raw(t, w, imposed)), "unknown authority", "a coordinator of another authority")
	if n, err := raw(t, w, known); err != nil {
		t.Errorf("control: %v", err)
	} else {
		n.Close()
	}
	if n, err := nats.Connect(strings.Replace(w.bus.URL(), "tls://", "nats://", 1),
		nats.Secure(&tls.Config{MaxVersion: tls.VersionTLS12, InsecureSkipVerify: true})); err == nil {
		n.Close()
		t.Error("TLS 1.2 is accepted")
	}
}

// TestRevokedIsOutAtOnce: a revoked key loses its connection at once, and the transport returns a refusal.
func TestRevokedIsOutAtOnce(t *testing.T) {
	t.Parallel()
	w := open(t, func(c *bus.Config) { c.SweepEvery = time.Hour })
	creds := w.key(t, "w1", time.Time{}, keys.Work)
	gone := make(chan struct{})
	n := testutil.Must(raw(t, w, creds, nats.NoReconnect(), nats.ClosedHandler(func(*nats.Conn) { close(gone) })))(t)
	defer n.Close()
	ours := w.dial(t, creds)
	staying := w.dial(t, w.key(t, "w2", time.Time{}, keys.Work))
	testutil.OK(t, testutil.Err(w.bus.Answer("beat.*", func(context.Context, string, []byte) (any, error) {
		return farm.BeatReply{}, nil
	})))
	testutil.OK(t, ours.Request(t.Context(), "beat.w1", farm.Beat{}, &farm.BeatReply{}))
	testutil.OK(t, w.bus.Revoke("w1", "lost"))
	select {
	case <-gone:
	case <-time.After(testutil.WaitLimit):
		t.Fatal("it is still connected")
	}
	for {
		err := ours.Request(t.Context(), "beat.w1", farm.Beat{}, &farm.BeatReply{})
		testutil.Require(t, err != nil, "a revoked key is answered")
		if r, ok := errors.AsType[*farm.Refusal](err); ok {
			testutil.Check(t, r.Exit == 4, "%+v", r)
			break
		}
	}
	testutil.OK(t, staying.Request(t.Context(), "beat.w2", farm.Beat{}, &farm.BeatReply{}), "another's connection")
}

// TestRevokedByAnotherProcess: the bus reads the revocation from the file of the key, without a message.
func TestRevokedByAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ring := testutil.Must(keys.Open(dir))(t)
	w := open(t, func(c *bus.Config) { c.Keys, c.SweepEvery = ring, 10*time.Millisecond })
	w.ring = ring
	gone := make(chan struct{})
	n, err := raw(t, w, w.key(t, "w1", time.Time{}, keys.Work), nats.NoReconnect(),
		nats.ClosedHandler(func(*nats.Conn) { close(gone) }))
	testutil.OK(t, err)
	defer n.Close()
	others := testutil.Must(keys.Open(dir))(t)
	testutil.OK(t, others.Revoke("w1", "lost", time.Now()))
	select {
	case <-gone:
	case <-time.After(testutil.WaitLimit):
		t.Fatal("it is still connected")
	}
}

// TestOwners: each right reaches its verbs and no others.
func TestOwners(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	testutil.OK(t, testutil.Err(w.bus.Answer("adm.*.*", func(context.Context, string, []byte) (any, error) {
		return farm.BeatReply{}, nil
	})))
	for name, test := range map[string]struct {
		right  keys.Right
		may    string
		mayNot string
	}{
		"submits":  {keys.Submit, "submit list stop priority", "approve key share"},
		"approves": {keys.Approve, "approve reject show", "submit key stop"},
		"runs":     {keys.Run, "priority share pause drain workers", "submit approve purge"},
		"admin":    {keys.Admin, "submit approve priority key purge anything", ""},
	} {
		creds := w.key(t, name, time.Time{}, test.right)
		n, violations := intruder(t, w, creds)
		for _, verb := range strings.Fields(test.may) {
			testutil.OK(t, testutil.Err(n.Request("adm."+name+"."+verb, []byte{0xa0}, 10*time.Second)), "%s may not %s", name,
				verb)
		}
		for _, verb := range append(strings.Fields(test.mayNot), "") {
			subject := "adm." + name + "." + verb
			if verb == "" {
				subject = "adm.other.list"
			}
			testutil.OK(t, errors.Join(n.Publish(subject, nil), n.Flush()))
			select {
			case <-violations:
			case <-time.After(testutil.WaitLimit):
				t.Errorf("%s may say %s", name, subject)
			}
		}
	}
}

// TestADeniedRequestEndsAtOnce: a denied request ends with a refusal, not with its context. A concurrent request that
// the key allows continues.
func TestADeniedRequestEndsAtOnce(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	ann := w.dial(t, w.key(t, "ann", time.Time{}, keys.Submit))
	began, may := make(chan struct{}), make(chan struct{})
	testutil.OK(t, testutil.Err(w.bus.Answer("adm.*.submit", func(context.Context, string, []byte) (any, error) {
		close(began)
		<-may
		return farm.BeatReply{}, nil
	})))
	beside := make(chan error, 1)
	go func() { beside <- ann.Request(t.Context(), "adm.ann.submit", farm.Beat{}, &farm.BeatReply{}) }()
	<-began
	err := ann.Request(t.Context(), "adm.ann.approve", farm.Beat{}, &farm.BeatReply{})
	if r, is := errors.AsType[*farm.Refusal](err); !is || r.Exit != 4 || !strings.Contains(r.Why, "ann may not") {
		t.Errorf("a denied request: %v", err)
	}
	lacks := "ann may not work: the key lacks the right work"
	if r, is := errors.AsType[*farm.Refusal](ann.Publish(t.Context(), farm.SubjectResults+"ann.0", "1", nil)); !is ||
		r.Exit != 4 || r.Why != lacks {
		t.Errorf("a denied publication: %v", r)
	}
	if r, is := errors.AsType[*farm.Refusal](ann.Request(t.Context(), farm.SubjectHello+"ann", farm.Hello{},
		&farm.BeatReply{})); !is || r.Why != lacks {
		t.Errorf("a denied worker: %v", r)
	}
	close(may)
	testutil.OK(t, <-beside, "the request beside it")
}
