package coordinator_test

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/bustest"
	"gogi/farm/coordinator"
	"gogi/internal/testutil"
	"gogi/match"
)

// TestManyWorkers on one coordinator, with doubled and overtaking results and lost
// answers: none lost, none doubled. GOGI_FARM_WORKERS sets another number; 10,000 take minutes.
func TestManyWorkers(t *testing.T) {
	workers := 300
	if text := os.Getenv("GOGI_FARM_WORKERS"); text != "" {
		testutil.OK(t, testutil.Err(fmt.Sscan(text, &workers)))
	}
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("many", 2*workers, 1)
		f.broker.Set(bustest.Faults{Double: 3, Swap: 5, LoseReply: 101, LoseAck: 7})
		for i := range workers {
			name := fmt.Sprint("x", i)
			f.keys.add(name, fmt.Sprint("owner", i%7), "work")
			h := &hand{name: name, slots: 1}
			h.takes = func(pair int) time.Duration { return time.Duration(10+pair%20) * time.Second }
			f.begin(h)
		}
		f.complete(p)
		if s, c := f.test("many"), f.broker.Count(); s.Added != 2*workers || s.Duplicates < workers/10 || s.Expired == 0 || c.Doubled == 0 || c.Swapped == 0 || c.RepliesLost == 0 || c.AcksLost == 0 {
			t.Errorf("%+v, %+v", s, c)
		}
	})
}

// benchFarm is a farm out of any bubble, with a test that runs.
func benchFarm(b *testing.B, pairs int) (*theFarm, *match.Plan) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	f := &theFarm{
		broker: bustest.NewMemoryBroker(), disk: &disk{stores: map[string]*store{}}, ctx: ctx,
		keys: &keyring{keys: map[string]coordinator.Key{}, priv: map[string]ed25519.PrivateKey{}},
	}
	for name, right := range map[string]string{"ann": "submit", "ben": "approve", "w0": "work", "coordinator": "", "boss": "admin"} {
		f.keys.add(name, name, right)
	}
	state := openState(b, filepath.Join(b.TempDir(), "state.db"))
	c, err := coordinator.New(ctx, coordinator.Config{
		Bus: f.broker.Open(), State: state, Keys: f.keys, Secret: farm.Secret{7}, Open: f.disk.open, Lease: time.Hour, Sign: f.keys.signer("coordinator"),
	})
	testutil.OK(b, err)
	ended := make(chan error, 1)
	go func() { ended <- c.Serve(ctx) }()
	b.Cleanup(func() { cancel(); <-ended; _ = state.Close() })
	p := testPlan("bench", pairs, 1)
	text := testutil.Must(match.EncodePlan(p))(b)
	for f.do("ann", "list", farm.Order{}, nil) != nil {
		continue // Serve has just begun
	}
	testutil.OK(b, f.do("ann", "submit", farm.Submission{Plan: text}, nil))
	testutil.OK(b, f.do("ben", "approve", farm.Order{Run: "bench"}, nil))
	return f, p
}

// BenchmarkJudge is a pair from the stream to its acknowledgement: signature, token,
// decoding, replay, store (in memory), gate and ledger. The games are two plies long, so
// that it is all but the replay of a real pair (match's BenchmarkVerify) and the disk.
func BenchmarkJudge(b *testing.B) {
	f, p := benchFarm(b, 1<<20)
	ctx := f.ctx
	must := func(err error) {
		testutil.OK(b, err)
	}
	way := f.broker.Connect("w0")
	var w farm.HelloReply
	must(way.Request(ctx, "hello.w0", farm.Hello{Protocol: 1, Session: "s", Start: 1, Slots: 1000}, &w))
	must(f.do("boss", "trust", farm.Order{Worker: "w0", Level: "owner"}, nil)) // a new key has few pairs at a time
	var out [][]byte
	for len(out)*8 < b.N {
		batch := farm.Batch{Worker: "w0", Session: "s"}
		var g farm.Grants
		must(way.Request(ctx, "lease.w0", farm.Ask{Session: "s", Want: 8, Known: []string{p.Digest()}}, &g))
		if len(g.Grants) == 0 {
			b.Fatal("nothing is granted")
		}
		for _, grant := range g.Grants {
			pair, err := match.EncodePair(play(p, grant.Pair))
			must(err)
			batch.Items = append(batch.Items, farm.Item{Lease: grant.Held, Pair: pair})
		}
		body, err := farm.Seal(&batch, f.keys.signer("w0"))
		must(err)
		out = append(out, body)
		// The next eight are wanted before these are in the stream: they are told to be finished.
		beat := farm.Beat{Session: "s", Number: uint64(len(out))}
		for _, it := range batch.Items {
			beat.Outbox = append(beat.Outbox, it.Lease)
		}
		must(way.Request(ctx, "beat.w0", beat, &farm.BeatReply{}))
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i, body := range out {
		must(way.Publish(ctx, "res.w0.0", fmt.Sprint(i), body))
	}
	for f.broker.Waiting() > 0 {
		time.Sleep(time.Millisecond) // a benchmark of what others do meanwhile
	}
}
