package nats_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"gogi/farm"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/internal/testutil"
)

// outside starts a server from a configuration file, as an operator does.
func outside(t *testing.T, text string) *server.Server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "nats.conf")
	testutil.OK(t, os.WriteFile(file, []byte(text), 0o600))
	o := testutil.Must(server.ProcessConfigFile(file))(t)
	o.NoLog, o.NoSigs = true, true
	s := testutil.Must(server.NewServer(o))(t)
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	testutil.Require(t, s.ReadyForConnections(30*time.Second), "it does not start")
	return s
}

// TestOutside: an external server with the right settings passes the whole suite. Its configuration contains the keys
// of the suite.
func TestOutside(t *testing.T) {
	t.Parallel()
	runSuite(t, func(t *testing.T) contract {
		own, seed, err := keys.New("coordinator", "farm", []keys.Right{keys.Admin}, time.Now(), time.Time{})
		testutil.OK(t, err)
		w := &world{ring: testutil.Must(keys.Open(t.TempDir()))(t), public: own.Public}
		creds := map[string]keys.Creds{}
		for name, right := range map[string]keys.Right{"w1": keys.Work, "w2": keys.Work, "slow": keys.Work,
			"quick": keys.Work, "o1": keys.Admin} {
			k, seed, err := keys.New(name, "owner", []keys.Right{right}, time.Now(), time.Time{})
			testutil.OK(t, err)
			testutil.OK(t, w.ring.Add(k))
			creds[name] = keys.Creds{Name: name, Coordinator: own.Public, Seed: seed}
		}
		s := outside(t,
			fmt.Sprintf("listen: 127.0.0.1:-1\nhttp: 127.0.0.1:-1\nmax_payload: 1MB\njetstream { store_dir: %q, sync_interval: always }\n%s",
				t.TempDir(), authorization(own.Public, w.ring, time.Now())))
		w.config = nats.Config{
			Dir: t.TempDir(), Keys: w.ring, Log: slog.New(slog.DiscardHandler), MaxStream: 4 << 20, MaxArtefact: 1 << 20,
			MaxArtefacts: 16 << 20,
			Outside: &nats.Outside{
				Creds:   keys.Creds{Name: "coordinator", URL: s.ClientURL(), Coordinator: own.Public, Seed: seed},
				Monitor: "http://" + s.MonitorAddr().String(),
			},
		}
		w.start(t)
		t.Cleanup(func() { w.bus.Close() })
		joined := func(t *testing.T, name string) farm.Transport {
			c := creds[name]
			c.URL = s.ClientURL()
			return w.dial(t, c)
		}
		return contract{Bus: w.bus, Worker: joined, Owner: joined, Again: w.again, Full: incompressible(500_000)}
	})
}

// TestABrokenConnectionAnswersNothing: if the connection breaks, pending requests fail at once, whatever their
// deadlines.
func TestABrokenConnectionAnswersNothing(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	w := &world{ring: c.ring}
	coordinator, w1 := w.dial(t, c.outside.Creds), w.dial(t, c.worker)
	began := make(chan struct{}, 2) // both messages arrive and get no answer
	testutil.OK(t, testutil.Err(coordinator.Listen(farm.SubjectHello+"w1", func([]byte) { began <- struct{}{} })))
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	ends := make(chan error, 2)
	go func() { ends <- w1.Request(ctx, farm.SubjectHello+"w1", farm.Hello{}, &farm.BeatReply{}) }()
	go func() { ends <- w1.Publish(ctx, farm.SubjectHello+"w1", "1", nil) }()
	<-began
	<-began
	c.server.Shutdown()
	for range 2 {
		testutil.Is(t, <-ends, farm.ErrAway, "what was under way")
	}
}

// TestExamine: Examine reports settings that lose results, in the form in which a server reports them.
func TestExamine(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		conf string
		want []string
	}{
		"good": {"jetstream { store_dir: %q, sync_interval: always }\nauthorization { user: a, password: b }", nil},
		"default": {"jetstream { store_dir: %q }\nauthorization { user: a, password: b }",
			[]string{"sync_interval is 2m0s"}},
		"a second": {"jetstream { store_dir: %q, sync_interval: 1s }\nauthorization { user: a, password: b }",
			[]string{"sync_interval is 1s"}},
		"open":      {"jetstream { store_dir: %q, sync_interval: always }", []string{"connections need no key"}},
		"small":     {"jetstream { store_dir: %q, sync_interval: always }\nmax_payload: 64KB\nauthorization { user: a, password: b }", []string{"max_payload is 65536"}},
		"no stream": {"# %q\nauthorization { user: a, password: b }", []string{"JetStream is off"}},
	} {
		s := outside(t, fmt.Sprintf("listen: 127.0.0.1:-1\nhttp: 127.0.0.1:-1\n"+test.conf, t.TempDir()))
		o := nats.Outside{Monitor: "http://" + s.MonitorAddr().String()}
		wrong, err := o.Examine(t.Context())
		if err != nil || len(wrong) != len(test.want) {
			t.Errorf("%s: %v, %v", name, wrong, err)
			continue
		}
		for i, want := range test.want {
			testutil.Check(t, strings.Contains(wrong[i].Error(), want), "%s: %v, want %s", name, wrong[i], want)
		}
	}
	good := outside(t,
		fmt.Sprintf("listen: 127.0.0.1:-1\nhttp: 127.0.0.1:-1\njetstream { store_dir: %q, sync_interval: always }\nauthorization { user: a, password: b }", t.TempDir()))
	bad := outside(t,
		fmt.Sprintf("listen: 127.0.0.1:-1\nhttp: 127.0.0.1:-1\njetstream { store_dir: %q }\nauthorization { user: a, password: b }", t.TempDir()))
	g, b, none := "http://"+good.MonitorAddr().String(), "http://"+bad.MonitorAddr().String(), "http://127.0.0.1:1"
	for pages, want := range map[string]string{
		g + "," + g + ", " + none: "0 nil", g + "," + none + "," + b: "1 nil", g + "," + none: "0 error",
		none + "," + g + "," + none: "0 error",
	} {
		wrong, err := (&nats.Outside{Monitor: pages}).Examine(t.Context())
		got := fmt.Sprint(len(wrong), " nil")
		if err != nil {
			got = "0 error"
		}
		testutil.Check(t, got == want, "%s: %s (%v, %v), want %s", pages, got, wrong, err, want)
	}
	page := httptest.NewServer(http.NotFoundHandler())
	defer page.Close()
	for name, o := range map[string]nats.Outside{"nowhere": {}, "another page": {Monitor: page.URL}} {
		testutil.Fails(t, testutil.Err(o.Examine(t.Context())), "", "%s: no error", name)
	}
}

// authorization returns the part of an external server's configuration that accepts the coordinator and the valid keys
// of a ring. Each key has only its own subjects. The operator must write it there, and reload the server after every
// change of the ring. The next call omits a key that has expired.
func authorization(coordinator string, ring *keys.Ring, now time.Time) string {
	var b strings.Builder
	b.WriteString("authorization {\n  timeout: 10\n  users: [\n")
	fmt.Fprintf(&b, "    { nkey: %s }\n", coordinator)
	for _, k := range ring.Keys() {
		if k.Valid(now) != nil {
			continue
		}
		s := k.Subjects()
		fmt.Fprintf(&b, "    { nkey: %s, permissions: { publish: %s, subscribe: %s } } # %s\n", k.Public, list(s.Publish),
			list(s.Subscribe), k.Name)
	}
	b.WriteString("  ]\n}\n")
	return b.String()
}

func list(subjects []string) string { return `["` + strings.Join(subjects, `", "`) + `"]` }
