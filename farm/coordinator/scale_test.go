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
	"gogi/farm/coordinator/roster"
	"gogi/internal/testutil"
	"gogi/match"
)

// TestManyWorkers: with many workers, duplicate and reordered results and lost replies, no pair is lost or counts
// twice. GOGI_FARM_WORKERS sets the number of workers; 10,000 take minutes.
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
		if s, c := f.test("many"), f.broker.Count(); s.Added != 2*workers || s.Duplicates < workers/10 || s.Expired == 0 ||
			c.Doubled == 0 || c.Swapped == 0 || c.RepliesLost == 0 || c.AcksLost == 0 {
			t.Errorf("%+v, %+v", s, c)
		}
	})
}

// benchFarm returns a farm with a running test, outside of synctest.
func benchFarm(b *testing.B, pairs int) (*theFarm, *match.Plan) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	f := &theFarm{
		broker: bustest.NewMemoryBroker(), disk: &disk{stores: map[string]*store{}}, ctx: ctx,
		keys: &keyring{keys: map[string]roster.Key{}, priv: map[string]ed25519.PrivateKey{}},
	}
	for name, right := range map[string]string{"ann": "submit", "ben": "approve", "w0": "work", "coordinator": "",
		"boss": "admin"} {
		f.keys.add(name, name, right)
	}
	state := openState(b, filepath.Join(b.TempDir(), "state.db"))
	c, err := coordinator.New(ctx, coordinator.Config{
		Bus: f.broker.Open(), State: state, Keys: f.keys, Secret: farm.Secret{7}, Open: f.disk.open, Lease: time.Hour,
		Sign: f.keys.signer("coordinator"),
	})
	testutil.OK(b, err)
	ended := make(chan error, 1)
	go func() { ended <- c.Serve(ctx) }()
	b.Cleanup(func() { cancel(); <-ended; _ = state.Close() })
	p := testPlan("bench", pairs, 1)
	text := testutil.Must(match.EncodePlan(p))(b)
	for f.do("ann", "list", farm.Order{}, nil) != nil {
		continue // until Serve answers
	}
	testutil.OK(b, f.do("ann", "submit", farm.Submission{Plan: text}, nil))
	testutil.OK(b, f.do("ben", "approve", farm.Order{Run: "bench"}, nil))
	return f, p
}

// BenchmarkJudge measures a pair from the stream to its acknowledgement. This includes signature, token, decoding,
// replay, store (in memory), SPRT and ledger. The games have two plies. So the disk and the replay of a real pair
// (BenchmarkVerify in match) are not included.
func BenchmarkJudge(b *testing.B) {
	f, p := benchFarm(b, 1<<20)
	ctx := f.ctx
	must := func(err error) {
		testutil.OK(b, err)
	}
	way := f.broker.Connect("w0")
	var w farm.HelloReply
	must(way.Request(ctx, "hello.w0", farm.Hello{Protocol: farm.Protocol, Session: "s", Start: 1, Slots: 1000}, &w))
	must(f.do("boss", "trust", farm.Order{Worker: "w0", Level: "owner"}, nil)) // a new key may hold only few pairs
	var out [][]byte
	for len(out)*8 < b.N {
		batch := farm.Batch{Worker: "w0", Session: "s"}
		var g farm.Grants
		must(way.Request(ctx, "lease.w0", farm.Ask{Session: "s", Want: 8, Known: []string{p.Digest()}}, &g))
		testutil.Require(b, len(g.Grants) != 0, "nothing is granted")
		for _, grant := range g.Grants {
			pair, err := match.EncodePair(play(p, grant.Pair))
			must(err)
			batch.Items = append(batch.Items, farm.Item{Lease: grant.Held, Pair: pair})
		}
		body, err := farm.Seal(&batch, f.keys.signer("w0"))
		must(err)
		out = append(out, body)
		// The worker asks for the next eight pairs before these are in the stream. A heartbeat lists these as finished.
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
		time.Sleep(time.Millisecond) // the coordinator works during this wait
	}
}

// BenchmarkAsk measures a request for a pair and its answer, without the network, with 1, 1,000 and 10,000 workers. The
// return of the pairs, a thousand at a time, is not measured.
func BenchmarkAsk(b *testing.B) {
	for _, workers := range []int{1, 1_000, 10_000} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) { benchmarkAsk(b, workers) })
	}
}

func benchmarkAsk(b *testing.B, workers int) {
	f, p := benchFarm(b, 10_000_000)
	hello := func(name string, slots int) farm.Transport {
		way := f.broker.Connect(name)
		var w farm.HelloReply
		if err := way.Request(f.ctx, "hello."+name, farm.Hello{Protocol: farm.Protocol, Session: "s", Start: 1, Slots: slots},
			&w); err != nil || w.Refusal != nil {
			b.Fatal(w.Refusal, err)
		}
		return way
	}
	for i := 1; i < workers; i++ {
		name := fmt.Sprint("other", i)
		f.keys.add(name, name, "work")
		hello(name, 8)
	}
	way := hello("w0", farm.MaxSlots)
	// a verified worker keeps its slots
	testutil.OK(b, f.do("boss", "trust", farm.Order{Worker: "w0", Level: "verified"}, nil))
	beat := farm.Beat{Session: "s"}
	ask := farm.Ask{Session: "s", Want: 1, Known: []string{p.Digest()}}
	b.ReportAllocs()
	for b.Loop() {
		var g farm.Grants
		if err := way.Request(f.ctx, "lease.w0", ask, &g); err != nil || len(g.Grants) != 1 {
			b.Fatal(g, err)
		}
		if beat.Back = append(beat.Back, farm.Back{Held: g.Grants[0].Held, Why: "not played"}); len(beat.Back) < 1000 {
			continue
		}
		b.StopTimer()
		beat.Number++
		testutil.OK(b, way.Request(f.ctx, "beat.w0", beat, &farm.BeatReply{}))
		beat.Back = beat.Back[:0]
		b.StartTimer()
	}
}
