package farmcmd

import (
	"testing"
	"time"

	"gogi/farm"
	"gogi/internal/testutil"
)

// TestTroubles: a wrong clock and a full stream are two findings, and neither causes the other.
func TestTroubles(t *testing.T) {
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		off         time.Duration
		fill        float64
		clock, full bool
	}{{0, 0.1, false, false}, {-2 * time.Minute, 0.1, true, false}, {time.Second, 0.8, false, true},
		{time.Hour, 0.8, true, true}} {
		s := farm.Status{At: now.Add(c.off)}
		s.Judge.Fill = c.fill
		clock, full := troubles(&s, now)
		testutil.Check(t, (clock != nil) == c.clock && (full != nil) == c.full, "%+v: %v, %v", c, clock, full)
	}
}
