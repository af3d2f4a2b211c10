package nats_test

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/farm/nats/embedded"
	"gogi/internal/testutil"
)

// world is the bus of a coordinator with its keys and certificates.
type world struct {
	bus    *nats.Bus
	config nats.Config
	ca     *keys.Authority
	ring   *keys.Ring
	public string // the coordinator's key
}

func open(t testing.TB, change func(*nats.Config)) *world {
	t.Helper()
	ca := testutil.Must(keys.NewAuthority(time.Now()))(t)
	tls := testutil.Must(ca.TLS([]string{"127.0.0.1"}))(t)
	coordinator, _, err := keys.New("coordinator", "farm", []keys.Right{keys.Admin}, time.Now(), time.Time{})
	testutil.OK(t, err)
	w := &world{ca: ca, ring: testutil.Must(keys.Open(t.TempDir()))(t), public: coordinator.Public, config: nats.Config{
		Dir: t.TempDir(), Listen: "127.0.0.1:0", TLS: tls, Log: slog.New(slog.DiscardHandler),
		MaxStream: 64 << 20, MaxArtefact: 1 << 20, MaxArtefacts: 16 << 20, Readers: 4, Start: embedded.Start,
	}}
	w.config.Keys = w.ring
	if change != nil {
		change(&w.config)
	}
	w.start(t)
	t.Cleanup(func() { w.bus.Close() })
	return w
}

func (w *world) start(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	if w.bus, err = nats.Open(ctx, w.config); err != nil {
		t.Fatal(err)
	}
	if u, err := url.Parse(w.bus.URL()); err == nil {
		w.config.Listen = u.Host // the next bus has the same address
	}
}

func (w *world) again(t *testing.T) farm.Bus {
	t.Helper()
	testutil.OK(t, w.bus.Close())
	w.start(t)
	return w.bus
}

// key makes a key and its credentials.
func (w *world) key(t testing.TB, name string, expires time.Time, rights ...keys.Right) keys.Creds {
	t.Helper()
	k, seed, err := keys.New(name, "owner", rights, time.Now(), expires)
	testutil.OK(t, err)
	testutil.OK(t, w.ring.Add(k))
	return keys.Creds{Name: name, URL: w.bus.URL(), Coordinator: w.public, Seed: seed, CA: w.ca.PEM}
}

func (w *world) dial(t testing.TB, c keys.Creds) farm.Transport {
	t.Helper()
	transport := testutil.Must(nats.Dial(c))(t)
	t.Cleanup(func() { transport.Close() })
	return transport
}

func TestContract(t *testing.T) {
	t.Parallel()
	runSuite(t, func(t *testing.T) contract {
		w := open(t, func(c *nats.Config) { c.MaxStream = 4 << 20 })
		joined := func(rights ...keys.Right) func(t *testing.T, name string) farm.Transport {
			return func(t *testing.T, name string) farm.Transport {
				return w.dial(t, w.key(t, name, time.Time{}, rights...))
			}
		}
		return contract{Bus: w.bus, Worker: joined(keys.Work), Owner: joined(keys.Admin), Again: w.again,
			Full: incompressible(500_000)}
	})
}

// incompressible returns noise, which the compression of a stream does not shrink.
func incompressible(n int) []byte {
	b := make([]byte, n)
	state := uint64(1)
	for i := range b {
		state = state*6364136223846793005 + 1442695040888963407
		b[i] = byte(state >> 56)
	}
	return b
}

// TestADeadlineThatIsOver: a wait ends with the cause of its deadline, however short the deadline is.
func TestADeadlineThatIsOver(t *testing.T) {
	t.Parallel()
	b := open(t, nil).bus
	for wait := time.Nanosecond; wait < 5*time.Millisecond; wait *= 2 {
		for range 20 {
			over := errors.New("over")
			ctx, cancel := context.WithTimeoutCause(t.Context(), wait, over)
			_, err := b.Results(ctx, 16)
			testutil.Check(t, errors.Is(err, over), "after %v: %v", wait, err)
			cancel()
		}
	}
}

// TestAStreamMayTakeLess: a restarted coordinator may lower the limit of its stream, because others have filled the
// volume. It may also raise the limit.
func TestAStreamMayTakeLess(t *testing.T) {
	w := open(t, func(c *nats.Config) { c.MaxStream = 1 << 30 })
	w.config.MaxStream = 4 << 20
	w.again(t)
	w.config.MaxStream = 2 << 30
	w.again(t)
}

// TestNoServer: a bus without a server of its own and without another one does not open.
func TestNoServer(t *testing.T) {
	w := open(t, nil)
	w.config.Dir, w.config.Start = t.TempDir(), nil
	_, err := nats.Open(t.Context(), w.config)
	testutil.Fails(t, err, "neither Start nor Outside")
}
