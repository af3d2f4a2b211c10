package coordinator

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestALogThatIsFull loses its first line, and the copy of the record that is kept for when
// the new one cannot be stored loses none.
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
	if !slices.Equal(before.Log, want) {
		t.Errorf("the log of before begins with %+v and ends with %+v", before.Log[0], before.Log[maxLog-1])
	}
	if len(r.Log) != maxLog || r.Log[0].What != "3" || r.Log[maxLog-1].What != fmt.Sprint(maxLog+2) {
		t.Errorf("%d lines from %+v to %+v", len(r.Log), r.Log[0], r.Log[len(r.Log)-1])
	}
}
