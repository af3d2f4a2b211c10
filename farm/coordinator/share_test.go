package coordinator_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator"
	"gogi/internal/lists"
	"gogi/internal/testutil"
)

// TestSlotsAreGranted: an untrusted worker that claims 1,000 slots gets 8, plus one for each stored pair. All untrusted
// workers of an owner share these slots. A verified worker keeps its claim.
func TestSlotsAreGranted(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.run(testPlan("long", 10_000, 1))
		honest := f.line(t, "w1")
		one, two := f.line(t, "w0", 1000), f.line(t, "w2", 1000) // of one owner
		grants := one.want(10_000)
		testutil.Check(t, len(grants) == 64+16*8, "%d pairs are granted to a new worker", len(grants))
		testutil.Equal(t, len(two.want(10_000)), 0, "more pairs are granted to its owner")
		time.Sleep(2 * time.Second)
		testutil.Equal(t, len(two.want(10_000)), 0, "more pairs are granted to its owner later")
		testutil.Equal(t, len(honest.want(10_000)), 64+16*2, "pairs are granted to the other owner")
		plan := testPlan("long", 10_000, 1)
		for _, g := range grants[:8] {
			one.send(result(t, g, play(plan, g.Pair)))
		}
		f.until("they are stored", func() bool { return f.test("long").Stored == 8 })
		time.Sleep(2 * time.Second)
		testutil.Equal(t, len(two.want(64))+len(one.want(10_000)), 64+16*16-(len(grants)-8),
			"more pairs are granted after 8 stored ones")
		testutil.OK(t, f.do("boss", "trust", farm.Order{Worker: "w2", Level: "verified"}, nil))
		testutil.Equal(t, len(two.want(1000)), 1000, "pairs are granted to a verified worker")
	})
}

// TestManyKeysOfOneOwner: all keys of an owner together hold as many of the last pairs of a run as one worker may hold.
// The other owners keep their share.
func TestManyKeysOfOneOwner(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.run(testPlan("short", 100, 1))
		var many []*line
		for i := range 10 {
			name := fmt.Sprint("key", i)
			f.keys.add(name, "green", "work")
			many = append(many, f.line(t, name, 8))
		}
		honest := f.line(t, "w1", 8)
		n := lists.Sum(many, func(l *line) int { return len(l.want(100)) })
		testutil.Check(t, n >= 50 && n <= 50+len(many), "%d of 100 pairs are granted to the keys of one owner", n)
		if n := len(honest.want(100)); n < 40 {
			t.Errorf("%d of 100 pairs are granted to the other owner", n)
		}
	})
}

// TestAQuarterOfAGate: a trusted worker limits the untrusted workers, however many keys they have. In any 64 pairs in a
// row, one owner has at most a quarter, and all untrusted workers at most half. An untrusted worker plays all pairs if
// it is alone. After some time it also does so if the trusted worker plays another test.
func TestAQuarterOfAGate(t *testing.T) {
	for name, c := range map[string]struct {
		level   string
		quarter bool
		more    []string // further untrusted workers
	}{
		"beside an owner's": {"owner", true, nil}, "beside an untrusted one": {"untrusted", false, nil},
		"beside a busy one":  {"verified", false, nil},
		"four of two owners": {"owner", true, []string{"w2", "w3", "w5", "w10"}},
	} {
		t.Run(name, func(t *testing.T) {
			inFarm(t, func(t *testing.T, f *theFarm) {
				p := gated("gated", 600, 3)
				p.Gate.Elo1 = 20 // the SPRT needs many pairs
				slow := &hand{name: "w1", slots: 2, takes: seconds(10)}
				if c.level == "verified" {
					slow.takes = seconds(100_000)
					f.run(testPlan("other", 2, 1))
				}
				f.begin(slow)
				f.until("it is here", func() bool { return len(f.c.Status(f.ctx).Workers) == 1 })
				testutil.OK(t, f.do("boss", "trust", farm.Order{Worker: "w1", Level: c.level}, nil))
				time.Sleep(time.Minute)
				f.run(p)
				f.keys.add("w10", "green", "work")
				for _, name := range append(c.more, "w0") {
					f.begin(&hand{name: name, slots: 64, takes: seconds(1)})
				}
				if c.level == "verified" {
					time.Sleep(5 * time.Minute)
					testutil.Equal(t, f.test("gated").Stored, 16, "pairs are stored after some minutes")
				}
				f.until("it is over", func() bool { return f.test("gated").State == farm.Over })
				f.verify(p)
				most, all := 0, 0
				stored := f.disk.stores[p.Digest()].pairs
				for from := range p.Pairs {
					n, strangers := map[string]int{}, 0
					for id := range 64 {
						if by := stored[from+id].Played; by.Worker != "w1" && by.Worker != "" {
							n[by.Owner]++
							strangers++
							most = max(most, n[by.Owner])
						}
					}
					all = max(all, strangers)
				}
				testutil.Check(t, (!c.quarter || all <= 32) && (c.more == nil || all >= 24),
					"untrusted workers have %d of 64 pairs in a row", all)
				testutil.Check(t, most != 0 && c.quarter == (most <= 16), "one owner has %d of 64 pairs in a row, of %d", most,
					len(stored))
			})
		})
	}
}

// TestStoredAfterARestart: an ended test and its workers show their number of pairs without opening the test.
func TestStoredAfterARestart(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.reconfigure(func(c *coordinator.Config) {
			c.Stored = func(context.Context) (map[string]int, error) {
				f.disk.mu.Lock()
				defer f.disk.mu.Unlock()
				counts := map[string]int{}
				for digest, s := range f.disk.stores {
					counts[digest] = len(s.pairs)
				}
				return counts, nil
			}
		})
		p := f.plays("short", 33, 1)
		f.hand("w0", 3)
		f.complete(p)
		f.restart()
		var shown farm.TestStatus
		testutil.OK(t, f.do("ann", "show", farm.Order{Run: "short"}, &shown))
		if listed := f.test("short"); listed.Stored != 33 || shown.Stored != 33 || f.worker("w0").Added != 33 {
			t.Errorf("listed %d, shown %d, of w0 %d", listed.Stored, shown.Stored, f.worker("w0").Added)
		}
	})
}
