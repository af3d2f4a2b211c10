package coordinator_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator"
	"gogi/farm/coordinator/grants"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
)

// spent returns the time of the stored games of each test. Each game counts once.
func (d *disk) spent(context.Context, time.Time) (map[string]time.Duration, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[string]time.Duration{}
	for digest, s := range d.stores {
		for _, p := range s.pairs {
			for i := range p.Games {
				if g := &p.Games[i]; !g.Started.IsZero() {
					out[digest] += g.Ended.Sub(g.Started)
				}
			}
		}
	}
	return out, nil
}

// TestSlotHours: an owner that has used its slot-hours of the day gets only slots that no other owner wants. Its next
// test waits with this reason, also after a restart. Repeated results count once. The next day begins at zero.
func TestSlotHours(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.reconfigure(func(c *coordinator.Config) {
			red := grants.Quota{SlotHoursDay: 0.1125} // 405 s; pair 0 has no start time
			c.Quota = func(owner string) grants.Quota { return map[string]grants.Quota{"red": red}[owner] }
			c.Spent = f.disk.spent
		})
		first, second := testPlan("first", 30, 1), testPlan("second", 30, 2)
		f.run(first)
		w := f.line(t, "w0")
		items := lists.Map(w.want(7), func(g farm.Grant) farm.Item { return result(t, g, play(first, g.Pair)) })
		w.send(items...)
		w.send(items...) // the same again
		f.until("seven are judged", func() bool { return f.broker.Waiting() == 0 })
		if s := f.test("first"); s.Waits != "" || s.Added != 7 || s.Duplicates != 7 {
			t.Errorf("360 of 405 s are spent: %+v", s)
		}
		f.restart()
		if s := f.test("first"); s.Waits != "" {
			t.Errorf("after a restart 360 s are more: %s", s.Waits)
		}
		w = f.line(t, "w0")
		w.sent = 10
		g := w.want(1)
		w.send(result(t, g[0], play(first, g[0].Pair)))
		f.until("the eighth is judged", func() bool { return f.test("first").Stored == 8 })
		const says = "red has used 0.1 of 0.1125 slot-hours today"
		if s := f.test("first"); !strings.Contains(s.Waits, says) {
			t.Errorf("420 of 405 s are spent: %q", s.Waits)
		}
		f.run(second)
		f.restart()
		time.Sleep(lease)
		if s := f.test("second"); s.State != farm.Approved || !strings.Contains(s.Waits, says) {
			t.Errorf("%s, %q", s.State, s.Waits)
		}
		got := f.line(t, "w2").want(2)
		testutil.Check(t, len(got) == 2, "what nobody else wants is granted: %d pairs", len(got))
		testutil.OK(t, testutil.Err(f.submit("ben", testPlan("other", 30, 3), farm.Submission{})))
		testutil.OK(t, f.do("boss", "approve", farm.Order{Run: "other"}, nil))
		time.Sleep(lease)
		for _, g := range f.line(t, "w4").want(2) {
			testutil.Check(t, g.Run != first.Digest(), "who has had enough is granted what another owner wants")
		}
		time.Sleep(24 * time.Hour)
		if s := f.test("second"); s.State != farm.Running || s.Waits != "" {
			t.Errorf("the next day: %s, %q", s.State, s.Waits)
		}
	})
}

// TestArtefactsOfAnOwner: the size of the engines of an owner's tests is limited. Shared engines count once, and
// engines of ended tests do not count.
func TestArtefactsOfAnOwner(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.reconfigure(func(c *coordinator.Config) {
			c.Quota = func(string) grants.Quota { return grants.Quota{Artefacts: 2500} }
		})
		sum := map[string]string{}
		for _, c := range []string{"a", "b", "c"} {
			s := testutil.Must(f.broker.Connect("ann").PutArtefact(f.ctx, strings.NewReader(strings.Repeat(c, 1000)), 1<<20))(t)
			sum[c] = s
		}
		submit := func(name, dev, base string) error {
			p := testPlan(name, 4, uint64(len(name)))
			for i, c := range []string{dev, base} {
				p.Players[i].Identity = match.Identity{Files: []match.FileHash{{Role: match.BinaryRole, SHA256: sum[c]}}}
			}
			return testutil.Err(f.submit("ann", p, farm.Submission{}))
		}
		testutil.OK(t, submit("one", "a", "b"))
		if err := submit("again", "b", "a"); err != nil {
			t.Errorf("shared engines count once: %v", err)
		}
		testutil.Fails(t, submit("third", "a", "c"), "would take 3000 bytes, and may take 2500", "beyond the quota")
		for _, name := range []string{"one", "again"} {
			testutil.OK(t, f.do("ann", "stop", farm.Order{Run: name}, nil))
		}
		if err := submit("third", "a", "c"); err != nil {
			t.Errorf("the others are over: %v", err)
		}
	})
}

// TestSlotsOfAnOwner: workers hold at most the quota of pairs of an owner's tests. Other owners are not limited.
func TestSlotsOfAnOwner(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.reconfigure(func(c *coordinator.Config) {
			c.Quota = func(owner string) grants.Quota {
				return map[string]grants.Quota{"red": {Slots: 5}}[owner]
			}
		})
		first := testPlan("first", 30, 1)
		f.run(first)
		w := f.line(t, "w0")
		held := w.want(3)
		if more := f.line(t, "w2").want(7); len(held) != 3 || len(more) != 2 {
			t.Errorf("%d and %d pairs are granted, expected 3 and 2", len(held), len(more))
		}
		w.send(result(t, held[0], play(first, held[0].Pair)))
		f.until("one is judged", func() bool { return f.test("first").Stored == 1 })
		if more := f.line(t, "w4").want(7); len(more) != 1 {
			t.Errorf("%d pairs are granted after one was stored", len(more))
		}
		testutil.OK(t, testutil.Err(f.submit("ben", testPlan("other", 30, 3), farm.Submission{})))
		testutil.OK(t, f.do("boss", "approve", farm.Order{Run: "other"}, nil))
		time.Sleep(lease)
		if more := f.line(t, "w6").want(7); len(more) != 7 {
			t.Errorf("%d pairs of another owner are granted", len(more))
		}
	})
}
