package grants

import (
	"testing"
	"time"

	"gogi/farm/coordinator/tests"
	"gogi/internal/testutil"
)

// TestADayOfQuotasIsUTC: a day begins at 00:00 UTC in any time zone. A pair that is stored in its last second belongs
// to the old day. A clock that is set back begins no new day.
func TestADayOfQuotasIsUTC(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("Tokyo", 9*3600),
		time.FixedZone("Honolulu", -10*3600)} {
		q := NewQuotas(func(string) Quota { return Quota{SlotHoursDay: 1} }, nil)
		r := &tests.Test{Record: tests.Record{Owner: "red"}}
		at := func(d time.Duration) time.Time { return midnight.Add(d).In(zone) }
		q.day = dayOf(at(-24 * time.Hour))
		q.spendTime(at(-time.Second), r, time.Hour)
		for d, want := range map[time.Duration]bool{-time.Second: true, -time.Nanosecond: true, 0: false, time.Hour: false} {
			testutil.Equal(t, q.Overspent(at(d), "red") != "", want, "%s, %v from midnight: overspent", zone, d)
		}
		q.spendTime(at(0), r, 40*time.Minute)
		testutil.Equal(t, q.Overspent(at(0), "red"), "", "%s: what was spent yesterday counts today", zone)
		q.spendTime(at(-time.Minute), r, 10*time.Minute) // the clock was set back
		q.spendTime(at(time.Minute), r, 10*time.Minute)
		if q.Overspent(at(time.Minute), "red") == "" || q.Overspent(at(24*time.Hour-1), "red") == "" ||
			q.Overspent(at(24*time.Hour), "red") != "" {
			t.Errorf("%s: of the day %v are counted, expected an hour of it, and none of the next", zone, q.spent["red"])
		}
	}
}
