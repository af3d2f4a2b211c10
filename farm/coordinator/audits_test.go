package coordinator_test

import (
	"reflect"
	"strings"
	"testing"

	"gogi/farm"
	"gogi/farm/coordinator"
	"gogi/match"
	"gogi/match/trust"
)

// fifth audits every fifth pair.
type fifth struct{}

func (fifth) Exact(p *match.Plan) bool                             { return p.Run != "timed" }
func (fifth) Audits(_ string, pair int, _ trust.Level, _ int) bool { return pair%5 == 0 }
func (fifth) Verified() int                                        { return 3 }
func (fifth) Differ(a, b *match.PairResult) string {
	for i := range a.Games {
		if !reflect.DeepEqual(a.Games[i].Record.Moves, b.Games[i].Record.Moves) {
			return "other moves"
		}
	}
	return ""
}

// TestAudits: of a legal game that nobody played, a second playing by another owner shows
// that something is wrong, and a third by whom. Audits are not counted as pairs.
func TestAudits(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.keys.add("w8", "green", "work")
		f.reconfigure(func(c *coordinator.Config) { c.Auditor = fifth{} })
		p := testPlan("audited", 200, 1)
		f.run(p)
		liar := &hand{name: "w0", slots: 3, takes: seconds(20)}
		liar.plays = func(p *match.Plan, id int) match.PairResult {
			// Each game is legal and ends differently from the engines' game, so no audit agrees by chance.
			return playOut(p, p.Pair(id), func(g match.Game) bool { return strength(g.Seed%10) >= 5 })
		}
		f.begin(liar)
		f.hand("w1", 3)
		f.hand("w8", 3).kill() // it comes later
		f.until("two differ", func() bool { return f.test("audited").Stored > 60 })
		if w := f.worker("w0"); w.Quarantine != "" {
			t.Errorf("blamed by one alone: %+v", w)
		}
		f.hand("w8", 3)
		f.until("the liar is found", func() bool { return f.worker("w0").Quarantine != "" })
		f.until("it is over", func() bool { return f.test("audited").State == farm.Over })
		s, honest := f.test("audited"), f.worker("w1")
		if !strings.Contains(f.worker("w0").Quarantine, "two others agree") || s.Differed == 0 || s.Agreed == 0 || s.Added != 200 {
			t.Errorf("%q, %+v", f.worker("w0").Quarantine, s)
		}
		if honest.Quarantine != "" || honest.Agreed < 3 || honest.Trust != "verified" || f.worker("w0").Trust != "untrusted" {
			t.Errorf("w1 %+v\nw0 %+v", honest, f.worker("w0"))
		}
	})
}

// TestNoAuditsOfWhatDoesNotRepeat: there a difference says nothing.
func TestNoAuditsOfWhatDoesNotRepeat(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.reconfigure(func(c *coordinator.Config) { c.Auditor = fifth{} })
		p := testPlan("timed", 40, 1)
		f.run(p)
		f.hand("w0", 3)
		f.hand("w1", 3)
		f.complete(p)
		if s := f.test("timed"); s.Agreed != 0 || s.Granted != 40 || s.Added != 40 || s.Duplicates+s.Expired != 0 {
			t.Errorf("%+v", s)
		}
	})
}
