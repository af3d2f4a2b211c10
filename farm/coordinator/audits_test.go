package coordinator_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/trust"
)

// fifth audits every fifth pair.
type fifth struct{}

func (fifth) Exact(p *match.Plan) bool                             { return p.Run != "timed" }
func (fifth) Audits(_ string, pair int, _ trust.Level, _ int) bool { return pair%5 == 0 }
func (fifth) Verified() int                                        { return 3 }
func (fifth) Sample(_ string, pairs []int) []int                   { return pairs }
func (fifth) Differ(a, b *match.PairResult) string {
	for i := range a.Games {
		if !reflect.DeepEqual(a.Games[i].Record.Moves, b.Games[i].Record.Moves) {
			return "other moves"
		}
	}
	return ""
}

func (fifth) Print(p *match.PairResult) []byte {
	var text []byte
	for _, g := range p.Games {
		for _, m := range g.Record.Moves {
			text = fmt.Append(text, m.Move, " ")
		}
		text = append(text, '\n')
	}
	return text
}

// TestAudits covers a forged legal game. An audit by another owner's worker finds a difference, and a third result
// shows which worker lies. Audits do not count as pairs.
func TestAudits(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.keys.add("w8", "green", "work")
		f.reconfigure(func(c *coordinator.Config) { c.Auditor = fifth{} })
		f.plays("audited", 200, 1)
		// Each forged game ends differently from the engines' game, so no audit agrees by chance.
		f.begin(&hand{name: "w0", slots: 3, takes: seconds(20), plays: lies})
		f.hand("w1", 3)
		f.hand("w8", 3).kill() // this worker returns later
		f.until("two differ", func() bool { return f.test("audited").Stored > 60 })
		w := f.worker("w0")
		testutil.Check(t, w.Quarantine == "", "blamed by one alone: %+v", w)
		f.hand("w8", 3)
		f.trust("w8", "verified")
		f.until("the liar is found", func() bool { return f.worker("w0").Quarantine != "" })
		f.until("it is over", func() bool { return f.test("audited").State == farm.Over })
		s, honest := f.test("audited"), f.worker("w1")
		testutil.Check(t, strings.Contains(f.worker("w0").Quarantine, "two others agree") && s.Differed != 0 &&
			s.Agreed != 0 && s.Added == 200,
			"%q, %+v", f.worker("w0").Quarantine, s)
		if honest.Quarantine != "" || honest.Agreed < 3 || honest.Trust != "verified" || f.worker("w0").Trust != "untrusted" {
			t.Errorf("w1 %+v\nw0 %+v", honest, f.worker("w0"))
		}
	})
}

// lies plays legal games that end differently from the engines' games.
func lies(p *match.Plan, id int) match.PairResult {
	return playOut(p, p.Pair(id), func(g match.Game) bool { return strength(g.Seed%10) >= 5 })
}

// TestAStrangerContradicts: in a farm whose trusted machines have one owner, a stranger sends false audits of their
// pairs. The machines repeat their results, and the stranger is in quarantine.
func TestAStrangerContradicts(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.reconfigure(func(c *coordinator.Config) { c.Auditor = fifth{} })
		p := testPlan("own", 40, 1)
		f.hand("w0", 3)
		f.trust("w0", "owner")
		f.run(p)
		f.until("it is over", func() bool { return f.test("own").State == farm.Over })
		f.begin(&hand{name: "w1", slots: 3, plays: lies})
		f.until("the stranger is found", func() bool { return f.worker("w1").Quarantine != "" })
		w, s := f.worker("w0"), f.test("own")
		testutil.Check(t, w.Quarantine == "" && s.Differed >= 3 && s.State == farm.Over &&
			strings.Contains(f.worker("w1").Quarantine, "w0 got its own results again"),
			"%+v, %+v, %q", w, s, f.worker("w1").Quarantine)
	})
}

// TestAuditsOutlive requires that audits survive the end of a run and a restart of the coordinator. A trusted worker of
// another owner comes later. It finds the liar alone, because it gets its own results twice. An honest worker's audits
// agree. The counts of workers survive, too.
func TestAuditsOutlive(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.reconfigure(func(c *coordinator.Config) { c.Auditor = fifth{} })
		f.keys.add("w8", "green", "work")
		p, honest := testPlan("audited", 40, 1), testPlan("honest", 40, 2)
		f.run(p)
		liar := f.begin(&hand{name: "w0", slots: 3, plays: lies})
		f.until("it is over", func() bool { return f.test("audited").State == farm.Over })
		liar.kill()
		f.restart()
		if w := f.worker("w0"); w.Added < 33 || w.Added > 40 {
			t.Errorf("after a restart w0 has %d pairs of 40", w.Added)
		}
		auditor := f.hand("w1", 3)
		f.trust("w1", "verified")
		f.until("the liar is found", func() bool { return f.worker("w0").Quarantine != "" })
		auditor.kill()

		f.run(honest)
		first := f.hand("w8", 3)
		f.until("the second is over", func() bool { return f.test("honest").State == farm.Over })
		first.kill()
		f.restart()
		f.hand("w1", 3)
		f.until("the audits of the honest one agree", func() bool { return f.worker("w8").Agreed == 8 })
		s := f.test("audited")
		testutil.Check(t, s.State == farm.Over &&
			strings.Contains(f.worker("w0").Quarantine, "w1 got other results, twice the same"),
			"%q, %+v", f.worker("w0").Quarantine, s)
		for _, name := range []string{"w1", "w8"} {
			w := f.worker(name)
			testutil.Check(t, w.Quarantine == "" && w.Agreed >= 1, "%+v", w)
		}
	})
}

// TestAuditsEnd requires that audits end if their pair is voided, and a week after they become due.
func TestAuditsEnd(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.reconfigure(func(c *coordinator.Config) { c.Auditor = fifth{} })
		p, late := testPlan("voided", 20, 1), testPlan("late", 20, 2)
		f.run(p)
		f.run(late)
		liar := f.begin(&hand{name: "w0", slots: 3, plays: lies})
		f.until("they are over", func() bool {
			return f.test("voided").State == farm.Over && f.test("late").State == farm.Over
		})
		liar.kill()
		testutil.OK(t, f.do("boss", "purge", farm.Order{Run: "voided", Worker: "w0", Why: "lies"}, nil))
		f.restart()
		other := f.hand("w2", 3)
		f.until("it is over again", func() bool { return f.test("voided").State == farm.Over })
		other.kill()
		time.Sleep(8 * 24 * time.Hour)
		f.restart()
		f.hand("w1", 3)
		time.Sleep(10 * time.Minute)
		for _, name := range []string{"w0", "w1", "w2"} {
			w := f.worker(name)
			testutil.Check(t, w.Quarantine == "" && w.Agreed == 0, "%+v", w)
		}
	})
}

// TestNoAuditsOfWhatDoesNotRepeat requires no audits of games that do not repeat, because a difference has no meaning
// there.
func TestNoAuditsOfWhatDoesNotRepeat(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.reconfigure(func(c *coordinator.Config) { c.Auditor = fifth{} })
		p := f.plays("timed", 40, 1)
		f.hand("w0", 3)
		f.hand("w1", 3)
		f.complete(p)
		s := f.test("timed")
		testutil.Check(t, s.Agreed == 0 && s.Granted == 40 && s.Added == 40 && s.Duplicates+s.Expired == 0, "%+v", s)
	})
}
