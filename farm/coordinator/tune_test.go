package coordinator_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/bustest"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/tune"
	"gogi/match/tune/tunetest"
)

func (s *store) States(context.Context) ([]match.TuneState, error) {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	return slices.Clone(s.states), nil
}

func (s *store) Points(_ context.Context, see func(int, [2][]match.Option) error) error {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	for n := range s.plan.Pairs {
		if p, ok := s.pairs[n]; ok {
			if err := see(n, p.Pair.Options); err != nil {
				return err
			}
		}
	}
	return nil
}

// aTune is a tuning test with a synthetic landscape of Elo.
type aTune struct {
	plan     *match.Plan
	settings tune.Settings
	truth    *tunetest.Truth
}

func newTune(t *testing.T, name string, pairs, block, inflight, params int) *aTune {
	t.Helper()
	s := tune.Defaults(tune.SPSA, pairs)
	s.Block, s.Inflight, s.Seed = block, inflight, 11
	for i := range params {
		s.Params = append(s.Params, tune.Param{Name: fmt.Sprint("P", i), Kind: tune.Float, Min: -2, Max: 2, Scale: 0.5})
	}
	text := testutil.Must((&tune.Plan{Settings: s}).Text())(t)
	p := testPlan(name, pairs, 7)
	p.Tune = text
	return &aTune{p, s, tunetest.New(rand.New(rand.NewPCG(3, 4)), tunetest.Plain, params, 0, 20)}
}

// play returns the result of a pair with its parameters. It depends only on the pair and these parameters.
func (a *aTune) play(p *match.Plan, pair match.Pair) match.PairResult {
	var elo [2]float64
	for side, options := range pair.Options {
		x := make([]float64, len(options))
		for i, o := range options {
			x[i], _ = a.settings.Params[i].Value(o.Value)
		}
		elo[side] = a.truth.Elo(x)
	}
	random := rand.New(rand.NewPCG(pair.Seed, tune.HashPoints(pair.Options)))
	score := tunetest.Pair(random, elo[0]-elo[1])
	won := score > 0 || score == 0 && random.IntN(2) == 0 // the result of the first game; both repeats it in the second
	both := score == 2 || score == -2 || score != 0 && random.IntN(2) == 0
	leg := 0
	return playOut(p, pair, func(match.Game) bool {
		leg++
		return (leg == 1 || both) == won
	})
}

// oneByOne returns the tune as one slot plays it: each pair after the previous one. It uses the states and blocks of
// package tune, without its Path and Course.
func (a *aTune) oneByOne() (states []match.TuneState, points [][2][]match.Option) {
	all := []tune.State{tune.Begin(&a.settings)}
	for b := range a.settings.Blocks() {
		first, end := a.settings.PairsOf(b)
		var block []tune.Outcome
		for n := first; n < end; n++ {
			d := tune.Draw(&a.settings, &all[a.settings.DrawnFrom(b)], n)
			pair := a.plan.Pair(n)
			pair.Options = a.settings.Points(&d)
			r := tune.ResultOf(a.plan.Rules, a.play(a.plan, pair))
			block = append(block, tune.Outcome{Duel: d, Score: r.Score})
			points = append(points, pair.Options)
		}
		all = append(all, tune.Learn(&a.settings, all[b], block))
		states = append(states, all[b+1].Stored())
	}
	return states, points
}

// compare waits for the end of the tune, and compares the stored data with those of one slot.
func (a *aTune) compare(t *testing.T, f *theFarm) {
	t.Helper()
	f.until("the tune is over", func() bool { return f.test(a.plan.Run).State == farm.Over })
	states, points := a.oneByOne()
	s := f.disk.stores[a.plan.Digest()]
	testutil.Check(t, s.early == "", "%v", s.early)
	if !reflect.DeepEqual(s.states, states) {
		for i := range min(len(states), len(s.states)) {
			testutil.Require(t, reflect.DeepEqual(s.states[i], states[i]),
				"state %d is stored as %+v, one slot comes to %+v", i, s.states[i], states[i])
		}
		t.Fatalf("%d states are stored, one slot comes to %d", len(s.states), len(states))
	}
	for n := range points {
		if p, ok := s.pairs[n]; !ok || !reflect.DeepEqual(p.Pair.Options, points[n]) {
			t.Fatalf("pair %d was played with %v, one slot plays %v", n, p.Pair.Options, points[n])
		}
	}
}

// tuner starts a worker that plays a tune.
func (a *aTune) tuner(f *theFarm, name string, slots int) *hand {
	h := &hand{name: name, slots: slots, tunes: a.play}
	h.takes = func(pair int) time.Duration { return time.Duration(10+pair*7919%60) * time.Second }
	f.begin(h)
	return h
}

// TestATuneOfAThousandInFlight: a tune with 1,000 pairs in flight (200 in short mode) reaches the same states as one
// slot. Results arrive in any order, twice and late. The test kills workers and the coordinator.
func TestATuneOfAThousandInFlight(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		inflight := testutil.ByLength(200, 1000) // a fifth of the pairs, the maximum of a tune
		pairs := 5 * inflight
		a := newTune(t, "thousand", pairs, 50, inflight, 8)
		f.run(a.plan)
		f.broker.Set(bustest.Faults{Double: 3, Swap: 5, LoseReply: 101, LoseAck: 7})
		var hands []*hand
		for i := range 10 {
			hands = append(hands, a.tuner(f, fmt.Sprint("w", i), 120))
		}
		var dies atomic.Bool // the coordinator stops at the next stored pair
		var deaths atomic.Int32
		restarts := int32(0)
		f.disk.stored = func(string, int) {
			if dies.CompareAndSwap(true, false) { // the worker gets no acknowledgement and sends the pair again
				deaths.Add(1)
				f.broker.Open()
			}
		}
		most := 0
		for i := range 100 {
			time.Sleep(3 * time.Second)
			if deaths.Load() > restarts {
				f.restart()
				restarts++
			}
			most = max(most, f.test("thousand").Held)
			switch i % 25 {
			case 5:
				hands[i%10].restart()
			case 15:
				dies.Store(true)
			}
		}
		dies.Store(false)
		if time.Sleep(time.Second); deaths.Load() > restarts { // it stopped after the last check
			f.restart()
			restarts++
		}
		a.compare(t, f)
		s, c := f.test("thousand"), f.broker.Count()
		if most < inflight*9/10 || most > inflight || c.Doubled == 0 || c.Swapped == 0 || c.RepliesLost == 0 ||
			c.AcksLost == 0 || c.Again == 0 || restarts < 2 {
			t.Errorf("%d pairs in flight at most, %d deaths, %+v, %+v", most, restarts, s, c)
		}
		testutil.Check(t, s.Refused <= 0 && s.Tune != nil && s.Tune.Blocks == pairs/50, "%+v", s)
	})
}

// TestAPurgeForksATune: the pairs of the worker, the pairs whose parameters depend on them, and the states become void.
// The coordinator revokes such pairs in play, and the tune continues from there.
func TestAPurgeForksATune(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		a := newTune(t, "fork", 300, 5, 20, 2)
		f.run(a.plan)
		liar := a.tuner(f, "w0", 6)
		liar.mu.Lock()
		liar.tunes = func(p *match.Plan, pair match.Pair) match.PairResult { // the plus side always wins
			return playOut(p, pair, func(match.Game) bool { return true })
		}
		liar.mu.Unlock()
		a.tuner(f, "w1", 6)
		f.until("a hundred pairs are stored", func() bool { return f.test("fork").Stored >= 100 })
		before := len(f.disk.stores[a.plan.Digest()].states)
		f.broker.Partition("w1", true) // w1 finishes pairs that are void by then
		var p farm.Purged
		err := f.do("boss", "purge", farm.Order{Run: "fork", Worker: "w0", Why: "it lies", Dry: true}, &p)
		testutil.Require(t, err == nil && len(p.Pairs) >= 50, "%v %v", err, p)
		own, dry := 0, p
		for _, r := range f.disk.stores[a.plan.Digest()].pairs {
			if r.Played.Worker == "w0" {
				own++
			}
		}
		testutil.Check(t, own != 0 && p.Drawn != 0 && len(p.Pairs)-p.Drawn == own,
			"of %d pairs %d are said to be of others; %d are the worker's", len(p.Pairs), p.Drawn, own)
		testutil.OK(t, f.do("boss", "quarantine", farm.Order{Worker: "w0", Why: "it lies"}, nil))
		testutil.OK(t, f.do("boss", "purge", farm.Order{Run: "fork", Worker: "w0", Why: "it lies"}, &p))
		testutil.Check(t, len(p.Pairs)-p.Drawn >= len(dry.Pairs)-dry.Drawn,
			"purged: %d and %d of others", len(p.Pairs)-p.Drawn, p.Drawn)
		got := len(f.disk.stores[a.plan.Digest()].states)
		testutil.Check(t, before >= 10 && got <= 2, "%d states before the purge, %d after it", before, got)
		f.restart() // the new process knows no pairs in play
		time.Sleep(90 * time.Second)
		f.broker.Partition("w1", false)
		a.compare(t, f)
		s := f.test("fork")
		testutil.Check(t, s.Refused <= 0 && s.Stale != 0 && f.worker("w1").Refused <= 0,
			"somebody is blamed for the fork: %+v", s)
	})
}

// TestOtherPointsAreRefused: the coordinator quarantines a worker that plays other parameters than granted. None of its
// results counts.
func TestOtherPointsAreRefused(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		a := newTune(t, "points", 100, 5, 20, 2)
		f.run(a.plan)
		liar := a.tuner(f, "w0", 2)
		liar.mu.Lock()
		liar.tunes = func(p *match.Plan, pair match.Pair) match.PairResult {
			pair.Options[0] = slices.Clone(pair.Options[0])
			pair.Options[0][1].Value = "0.125"
			return a.play(p, pair)
		}
		liar.mu.Unlock()
		f.until("it is put into quarantine", func() bool { return f.worker("w0").Quarantine != "" })
		if q := f.worker("w0").Quarantine; !strings.Contains(q, "other points") || f.test("points").Stored > 0 {
			t.Errorf("quarantine %q, %+v", q, f.test("points"))
		}
		a.tuner(f, "w1", 4)
		a.compare(t, f)
	})
}

// TestAnOldWorkerIsGrantedNoTune: a worker with protocol 1 gets no pair of a tune, because it ignores the parameters.
func TestAnOldWorkerIsGrantedNoTune(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		a := newTune(t, "old", 100, 5, 20, 2)
		f.run(a.plan)
		way := f.broker.Connect("w0")
		var w farm.HelloReply
		if err := way.Request(f.ctx, "hello.w0", farm.Hello{Protocol: 1, Session: "s", Start: 1, Slots: 4}, &w); err != nil ||
			len(w.Plans) > 0 || w.Protocol != 1 {
			t.Errorf("%v %+v", err, w)
		}
		var g farm.Grants
		if err := way.Request(f.ctx, "lease.w0", farm.Ask{Session: "s", Want: 4}, &g); err != nil || len(g.Grants) > 0 {
			t.Errorf("%v %+v", err, g)
		}
	})
}
