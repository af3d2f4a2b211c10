package coordinator

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi/kifu"
)

// TestALogThatIsFull: a full log loses its first line. The earlier record keeps all its lines, because it serves if the
// new one cannot be stored.
func TestALogThatIsFull(t *testing.T) {
	r := &run{}
	for i := range maxLog {
		r.note(time.Unix(int64(i), 0), "farm", fmt.Sprint(i))
	}
	before := r.record
	want := slices.Clone(before.Log)
	for i := range 3 {
		r.note(time.Unix(0, 0), "farm", fmt.Sprint(maxLog+i))
	}
	testutil.Check(t, slices.Equal(before.Log, want),
		"the log of before begins with %+v and ends with %+v", before.Log[0], before.Log[maxLog-1])
	if len(r.Log) != maxLog || r.Log[0].What != "3" || r.Log[maxLog-1].What != fmt.Sprint(maxLog+2) {
		t.Errorf("%d lines from %+v to %+v", len(r.Log), r.Log[0], r.Log[len(r.Log)-1])
	}
}

// TestADayOfQuotasIsUTC: a day begins at 00:00 UTC in any time zone. A pair that is stored in its last second belongs
// to the old day. A clock that is set back begins no new day.
func TestADayOfQuotasIsUTC(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("Tokyo", 9*3600), time.FixedZone("Honolulu", -10*3600)} {
		c := &Coordinator{config: Config{Quota: func(string) Quota { return Quota{SlotHoursDay: 1} }}, spent: map[string]time.Duration{}}
		r := &run{record: record{Owner: "red"}}
		at := func(d time.Duration) time.Time { return midnight.Add(d).In(zone) }
		c.day = dayOf(at(-24 * time.Hour))
		c.spendTime(at(-time.Second), r, time.Hour)
		for d, want := range map[time.Duration]bool{-time.Second: true, -time.Nanosecond: true, 0: false, time.Hour: false} {
			testutil.Equal(t, c.overspent(at(d), "red") != "", want, "%s, %v from midnight: overspent", zone, d)
		}
		c.spendTime(at(0), r, 40*time.Minute)
		testutil.Equal(t, c.overspent(at(0), "red"), "", "%s: what was spent yesterday counts today", zone)
		c.spendTime(at(-time.Minute), r, 10*time.Minute) // the clock was set back
		c.spendTime(at(time.Minute), r, 10*time.Minute)
		if c.overspent(at(time.Minute), "red") == "" || c.overspent(at(24*time.Hour-1), "red") == "" || c.overspent(at(24*time.Hour), "red") != "" {
			t.Errorf("%s: of the day %v are counted, expected an hour of it, and none of the next", zone, c.spent["red"])
		}
	}
}

// WhileVerifying calls look while the coordinator verifies a pushed pair. free is true if no lock is held.
func (c *Coordinator) WhileVerifying(look func(free bool)) {
	c.verifies = func(plan *match.Plan, p *match.PairResult) error {
		mu, judging := c.mu.TryLock(), c.judging.TryLock()
		if mu {
			c.mu.Unlock()
		}
		if judging {
			c.judging.Unlock()
		}
		look(mu && judging)
		return checkBrought(plan, p)
	}
}

// TestWhatAWorkerCanTellIsBounded: the coordinator shows only events of slots below 512 and of players of the run.
func TestWhatAWorkerCanTellIsBounded(t *testing.T) {
	plan := &match.Plan{
		Run: "r", Pairs: 2, Design: match.Design{Kind: match.DesignMatch, Swap: true}, Players: []match.Player{{Name: "dev"}, {Name: "base"}},
		Openings: []match.Opening{{ID: "1", Start: "startpos"}},
	}
	for _, test := range []struct {
		slot         int
		black, white string
		shown        bool
	}{
		{0, "dev", "base", true}, {511, "base", "dev", true}, {0, "", "", true},
		{512, "dev", "base", false}, {9_999, "dev", "base", false}, {0, "dev", "<b>other</b>", false}, {0, "somebody", "base", false},
	} {
		pair, leg := 1, 0
		ev := match.Event{Type: match.EventGame, Run: "r", Pair: &pair, Leg: &leg, Slot: &test.slot, Black: test.black, White: test.white}
		got := possibleEvent(plan, 10_000, &ev)
		testutil.Check(t, got == test.shown, "slot %d, %s against %s: shown: %t", test.slot, test.black, test.white, got)
	}
}

// TestVotesThatCannotBeRead: the coordinator rejects an invalid vote record at any place in a game.
func TestVotesThatCannotBeRead(t *testing.T) {
	good := []byte(`{"v":1,"type":"vote","members":["a"],"seed":"1"}`)
	for text, bad := range map[string]bool{
		string(good): false, `{}`: true, `[]`: true, `{"v":99,"type":"vote","members":["a"],"seed":"1"}`: true,
		`{"v":1,"type":"vote","members":["a"],"seed":"1","ballots":[{"m":1}]}`: true, `{"v":1,"type":"vote","members":["a"],"seed":"1","ply":"x"}`: true,
	} {
		for where, r := range map[string]kifu.Record{
			"a move": {Moves: []kifu.Move{{Detail: good}, {Detail: []byte(text)}}}, "the last answer": {Final: []byte(text)},
		} {
			err := votes(&match.PairResult{Games: []match.Result{{Record: r}}})
			testutil.Check(t, (err != nil) == bad, "%s of %s: %v", text, where, err)
		}
	}
}
