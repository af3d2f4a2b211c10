package session

import (
	"runtime"
	"runtime/debug"
	"testing"

	"gogi/internal/testutil"
)

// TestLimitThreads tests the limit for slots and pages, that a lower limit of the user stays, and that the limit goes.
func TestLimitThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, test := range []struct {
		now, slots int
		pages      bool
		want       int
	}{
		{16, 1, false, 2}, {16, 15, false, 2}, {16, 16, false, 3}, {16, 64, false, 6}, {16, 1, true, 4},
		{16, 1000, false, 16}, {1, 64, true, 1}, {2, 1, false, 2},
	} {
		runtime.GOMAXPROCS(test.now)
		restore := LimitThreads(test.slots, test.pages)
		testutil.Equal(t, runtime.GOMAXPROCS(0), test.want, "%+v", test)
		restore()
		testutil.Equal(t, runtime.GOMAXPROCS(0), test.now, "%+v, afterwards", test)
	}
}

// TestCollectOften requires that a session changes the distance of garbage collections only until its end, and that
// GOGC of the user stays.
func TestCollectOften(t *testing.T) {
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	for _, test := range []struct {
		set  string
		want int
	}{{"", 50}, {"100", 100}} {
		t.Setenv("GOGC", test.set)
		restore := collectOften()
		testutil.Equal(t, percent(), test.want, "GOGC=%s", test.set)
		restore()
		testutil.Equal(t, percent(), 100, "GOGC=%s, afterwards", test.set)
	}
}
