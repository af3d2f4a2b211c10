package coordinator_test

import (
	"testing"
	"testing/synctest"

	"gogi/farm"
	"gogi/internal/testutil"
	"gogi/match"
)

// pulled returns all pairs of a test that pull sends.
func (f *theFarm) pulled(t *testing.T, who, run string) (all []match.PairResult) {
	t.Helper()
	for from, more := 0, true; more; {
		var page farm.Pulled
		testutil.OK(t, f.do(who, "pull", farm.Pull{Run: run, From: from}, &page))
		for _, text := range page.Pairs {
			p := testutil.Must(match.DecodePair(text, 1<<20))(t)
			all = append(all, p)
		}
		from, more = page.Next, page.More
	}
	return all
}

func pairsOf(t *testing.T, played ...match.PairResult) (texts [][]byte) {
	t.Helper()
	for _, p := range played {
		text := testutil.Must(match.EncodePair(p))(t)
		texts = append(texts, text)
	}
	return texts
}

// TestPairsThatAreBrought: the coordinator counts pushed pairs once, verifies them, and stores the name of the user. A
// pull returns them.
func TestPairsThatAreBrought(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("moved", 600, 1)
		w := f.line(t, "w0")
		w.send(result(t, w.want(1)[0], play(p, 0)))
		f.until("it is stored", func() bool { return f.test("moved").Stored == 1 })

		bring := func(who string, played ...match.PairResult) (out farm.Pushed, err error) {
			err = f.do(who, "push", farm.Push{Run: "moved", Pairs: pairsOf(t, played...)}, &out)
			return out, err
		}
		testutil.Fails(t, testutil.Err(bring("ben", play(p, 1))), "may not push", "another's test")
		forged := play(p, 2)
		forged.Pair.ID = 3
		if _, err := bring("ann", play(p, 1), forged); err == nil || f.test("moved").Stored != 1 {
			t.Errorf("a forged pair, beside a good one: %v, %d stored", err, f.test("moved").Stored)
		}
		claimed := play(p, 5)
		claimed.Played = match.Provenance{Worker: "w9", Owner: "x"}
		if out, err := bring("ann", play(p, 0), play(p, 4), claimed); err != nil || out != (farm.Pushed{Added: 2, There: 1}) {
			t.Errorf("%+v, %v", out, err)
		}
		if out, err := bring("ann", play(p, 4)); err != nil || out != (farm.Pushed{There: 1}) {
			t.Errorf("again: %+v, %v", out, err)
		}
		if out, err := bring("ann", play(p, 600)); err != nil || out != (farm.Pushed{}) {
			t.Errorf("a pair beyond those that the test wants: %+v, %v", out, err)
		}
		for _, g := range w.want(4) {
			testutil.Check(t, g.Pair != 4 && g.Pair != 5, "pair %d is granted, which is stored", g.Pair)
		}
		got := f.pulled(t, "ben", "moved")
		if len(got) != 3 || got[0].Played.Worker != "w0" || got[1].Pair.ID != 4 || got[1].Played.Worker != "ann" ||
			got[2].Played.Worker != "ann" {
			t.Errorf("pulled %d pairs: %+v", len(got), got)
		}
		log := f.test("moved").Log
		testutil.Check(t, log[len(log)-1].What == "2 pairs pushed" && log[len(log)-1].By == "ann", "the log says %+v",
			log[len(log)-1])
	})
}

// TestPullIsPaged: a pull of more pairs than one answer carries returns each pair once.
func TestPullIsPaged(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("paged", 600, 1)
		for from := 0; from < 600; from += 100 {
			var some []match.PairResult
			for id := from; id < from+100; id++ {
				some = append(some, play(p, id))
			}
			testutil.OK(t, f.do("ann", "push", farm.Push{Run: "paged", Pairs: pairsOf(t, some...)}, nil))
		}
		s := f.test("paged")
		testutil.Check(t, s.State == farm.Over && s.Stored == 600, "%d stored, %s: expected all, and the end", s.Stored,
			s.State)
		for id, got := range f.pulled(t, "ann", "paged") {
			testutil.Require(t, got.Pair.ID == id, "pair %d in place %d", got.Pair.ID, id)
		}
		var page farm.Pulled
		if err := f.do("ann", "pull", farm.Pull{Run: "paged", From: -5}, &page); err != nil || len(page.Pairs) == 0 ||
			len(page.Pairs) == 600 {
			t.Errorf("%d pairs in one answer, %v", len(page.Pairs), err)
		}
	})
}

// TestNobodyWaitsForWhatIsPushed: leases and results do not wait while the coordinator verifies pushed pairs. A pair
// that is stored during the verification counts once.
func TestNobodyWaitsForWhatIsPushed(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("moved", 20, 1)
		seen := 0
		f.c.WhileVerifying(func(free bool) {
			if seen++; !free {
				t.Error("leases or results wait while a pair is verified")
			}
		})
		synctest.Wait()
		push := func(id int) (out farm.Pushed) {
			if err := f.do("ann", "push", farm.Push{Run: "moved", Pairs: pairsOf(t, play(p, id))}, &out); err != nil {
				t.Error(err)
			}
			return out
		}
		if out := push(3); out.Added != 1 || seen != 1 {
			t.Errorf("%+v; %d were verified", out, seen)
		}
		f.c.WhileVerifying(func(bool) {
			f.c.WhileVerifying(func(bool) {})
			if out := push(4); out.Added != 1 {
				t.Errorf("meanwhile: %+v", out)
			}
		})
		if out := push(4); out != (farm.Pushed{There: 1}) || f.test("moved").Stored != 2 {
			t.Errorf("what was stored meanwhile: %+v, %d stored", out, f.test("moved").Stored)
		}
	})
}
