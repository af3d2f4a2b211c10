package tests

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gogi/internal/testutil"
)

// TestALogThatIsFull: a full log loses its first line. The earlier record keeps all its lines, because it serves if the
// new one cannot be stored.
func TestALogThatIsFull(t *testing.T) {
	r := &Test{}
	for i := range maxLog {
		r.AddLine(time.Unix(int64(i), 0), "farm", fmt.Sprint(i))
	}
	before := r.Record
	want := slices.Clone(before.Log)
	for i := range 3 {
		r.AddLine(time.Unix(0, 0), "farm", fmt.Sprint(maxLog+i))
	}
	testutil.Check(t, slices.Equal(before.Log, want),
		"the log of before begins with %+v and ends with %+v", before.Log[0], before.Log[maxLog-1])
	if len(r.Log) != maxLog || r.Log[0].What != "3" || r.Log[maxLog-1].What != fmt.Sprint(maxLog+2) {
		t.Errorf("%d lines from %+v to %+v", len(r.Log), r.Log[0], r.Log[len(r.Log)-1])
	}
}
