//go:build linux

package process

import (
	"os"
	"testing"
	"time"

	"gogi/internal/testutil"
)

const ms = time.Millisecond

// at is the result of one look at some threads.
type at struct {
	after   time.Duration // since the first look
	threads map[int]schedstat
	ready   map[int]bool
	want    time.Duration
}

func TestWaitsFromLookToLook(t *testing.T) {
	stat := func(ran, waited time.Duration, slices int64) schedstat { return schedstat{ran, waited, slices} }
	for name, looks := range map[string][]at{
		"what the kernel says": {
			{0, map[int]schedstat{1: stat(5*ms, 2*ms, 3), 2: stat(0, 4*ms, 1)}, nil, 6 * ms},
			{50 * ms, map[int]schedstat{1: stat(6*ms, 9*ms, 4), 2: stat(0, 4*ms, 1)}, nil, 13 * ms},
		},
		"a thread that has ended is not forgotten": {
			{0, map[int]schedstat{1: stat(ms, ms, 1), 2: stat(ms, 30*ms, 1)}, nil, 31 * ms},
			{50 * ms, map[int]schedstat{1: stat(ms, 2*ms, 2)}, nil, 32 * ms},
			{60 * ms, map[int]schedstat{1: stat(ms, 2*ms, 2)}, nil, 32 * ms},
		},
		"nor when its number comes again": {
			{0, map[int]schedstat{1: stat(5*ms, 30*ms, 9)}, nil, 30 * ms},
			{50 * ms, map[int]schedstat{1: stat(ms, 4*ms, 1)}, nil, 34 * ms},
		},
		"a wait that goes on counts from the second look that sees it": {
			{0, map[int]schedstat{1: stat(5*ms, 3*ms, 2)}, map[int]bool{1: true}, 3 * ms},
			{100 * ms, map[int]schedstat{1: stat(5*ms, 3*ms, 2)}, map[int]bool{1: true}, 3 * ms},
			{400 * ms, map[int]schedstat{1: stat(5*ms, 3*ms, 2)}, map[int]bool{1: true}, 303 * ms},
			{450 * ms, map[int]schedstat{1: stat(6*ms, 450*ms, 3)}, map[int]bool{1: true}, 450 * ms},
		},
		"one that has run meanwhile does not wait": {
			{0, map[int]schedstat{1: stat(5*ms, 3*ms, 2)}, map[int]bool{1: true}, 3 * ms},
			{100 * ms, map[int]schedstat{1: stat(90*ms, 3*ms, 2)}, map[int]bool{1: true}, 3 * ms},
			{400 * ms, map[int]schedstat{1: stat(390*ms, 3*ms, 2)}, map[int]bool{1: true}, 3 * ms},
		},
		"one that sleeps does not wait": {
			{0, map[int]schedstat{1: stat(5*ms, 3*ms, 2)}, nil, 3 * ms},
			{100 * ms, map[int]schedstat{1: stat(5*ms, 3*ms, 2)}, nil, 3 * ms},
			{400 * ms, map[int]schedstat{1: stat(5*ms, 3*ms, 2)}, nil, 3 * ms},
		},
		"it slept in between": {
			{0, map[int]schedstat{1: stat(5*ms, 3*ms, 2)}, nil, 3 * ms},
			{100 * ms, map[int]schedstat{1: stat(5*ms, 3*ms, 2)}, map[int]bool{1: true}, 3 * ms},
			{200 * ms, map[int]schedstat{1: stat(5*ms, 3*ms, 2)}, nil, 3 * ms},
			{300 * ms, map[int]schedstat{1: stat(5*ms, 3*ms, 2)}, map[int]bool{1: true}, 3 * ms},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := waits{threads: map[int]wait{}}
			start := time.Now()
			for i, look := range looks {
				w.looks++
				for tid, stat := range look.threads {
					w.note(tid, stat, start.Add(look.after), func() bool { return look.ready[tid] })
				}
				testutil.Equal(t, w.sum(), look.want, "look %d", i+1)
			}
		})
	}
}

// TestIsReady tests the state of this thread, and of a process that sleeps.
func TestIsReady(t *testing.T) {
	testutil.Check(t, isReady("/proc/thread-self"), "who runs this is not on a CPU")
	p := start(t, sh("echo sleeps; exec cat"), nil)
	got := line(t, p)
	testutil.Require(t, got == "sleeps", "%v", got)
	testutil.Eventually(t, "it waits for its input", func() bool { return !isReady("/proc/" + itoa(p.PID())) })
	testutil.Check(t, !isReady("/proc/0"), "there is no process 0")
	testutil.OK(t, testutil.Err(os.Stat("/proc/thread-self/schedstat")), "this kernel keeps no such statistics")
}
