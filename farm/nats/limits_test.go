package nats

import (
	"context"
	"testing"
	"time"

	"gogi/internal/testutil"
)

// TestLimitsOfAnOwner: the keys of an owner share one bandwidth. The size of an artefact has the limit of the owner or
// of the farm, whichever is smaller.
func TestLimitsOfAnOwner(t *testing.T) {
	l := limits{
		owner: func(key string) string { return map[string]string{"r1": "red", "r2": "red"}[key] },
		of: func(owner string) (artefact, bandwidth int64) {
			if owner == "red" {
				return 1000, 1 // one byte per second, so that a pause of this machine has no effect
			}
			return 0, 0
		},
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for i, step := range []struct {
		key string
		n   int
		may bool
	}{{"r1", pieceBytes - 10000, true}, {"r2", 20000, false}, {"b", 20000, true}, {"r2", 5000, true}, {"r1", 10000,
		false}, {"unknown", 1 << 30, true}} {
		if may := l.wait(ctx, step.key, step.n); may != step.may {
			t.Errorf("step %d: %s may send %d bytes: %v", i, step.key, step.n, may)
		}
	}
	if a, b, c := l.largest("r1", 5000), l.largest("r1", 500), l.largest("b", 5000); a != 1000 || b != 500 || c != 5000 {
		t.Errorf("the largest artefacts are %d, %d and %d", a, b, c)
	}
	testutil.Check(t, (&limits{}).wait(ctx, "r1", 1<<30) && (&limits{}).largest("r1", 7) == 7, "no limits limit")
}
