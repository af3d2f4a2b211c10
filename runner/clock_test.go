package runner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/usi"
	"gogi/usi/process"
	"gogi/usi/usitest"
)

// clockErrors asks engines in a number of slots for moves. It returns the differences between the times that
// gogi measured and those of the engine, in ascending order.
func clockErrors(t testing.TB, slots, moves int) (errs []time.Duration) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	dir := t.TempDir()
	for slot := range slots {
		all.Go(func() {
			own, measured := clockSlot(t, filepath.Join(dir, strconv.Itoa(slot)), moves)
			mu.Lock()
			defer mu.Unlock()
			for i := range own {
				errs = append(errs, measured[i]-own[i])
			}
		})
	}
	all.Wait()
	testutil.Require(t, len(errs) == slots*moves, "%d moves, want %d", len(errs), slots*moves)
	slices.Sort(errs)
	return errs
}

// clockSlot returns the times of an engine's moves, by the engine's clock and by gogi's.
func clockSlot(t testing.TB, stamps string, moves int) (own, measured []time.Duration) {
	proc, err := process.Start(process.Spec{Command: usitest.Command("-think", "1ms", "-stamps", stamps),
		Grace: time.Minute}, nil)
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	engine, err := usi.Greet(t.Context(), proc, usi.Config{Name: "stamping"})
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	for range moves {
		r, err := engine.Think(t.Context(), usi.Request{Position: usi.Position{Start: "startpos"}, Go: usi.Go{Nodes: 1}})
		testutil.Check(t, err == nil, "%v", err)
		measured = append(measured, r.Elapsed)
	}
	testutil.OK(t, engine.Close())
	text, err := os.ReadFile(stamps)
	testutil.Check(t, err == nil, "%v", err)
	for _, word := range strings.Fields(string(text)) {
		ns, err := strconv.ParseInt(word, 10, 64)
		testutil.Check(t, err == nil, "%v", err)
		own = append(own, time.Duration(ns))
	}
	if len(own) != len(measured) {
		t.Errorf("the engine made %d moves of %d", len(own), len(measured))
		return nil, nil
	}
	return own, measured
}

// TestTheClockNeverUndercounts: even on a busy machine gogi never measures a move as shorter than it was.
func TestTheClockNeverUndercounts(t *testing.T) {
	load(t, 2*runtime.NumCPU())
	if errs := clockErrors(t, 2, 200); errs[0] < 0 {
		t.Errorf("a move was measured %v shorter than the engine took for it", -errs[0])
	}
}

// BenchmarkClock reports by how much the times that gogi measures exceed the engine's own times.
func BenchmarkClock(b *testing.B) {
	for _, burners := range []int{0, 2 * runtime.NumCPU()} {
		for _, slots := range []int{1, 2, 8} {
			b.Run(fmt.Sprintf("burners=%d/slots=%d", burners, slots), func(b *testing.B) {
				load(b, burners)
				var errs []time.Duration
				moves := 2000
				if testing.Short() {
					moves = 80
				}
				for b.Loop() {
					errs = append(errs, clockErrors(b, slots, moves/slots)...)
				}
				slices.Sort(errs)
				for name, share := range map[string]float64{"µs-least": 0, "µs-p50": 0.5, "µs-p99": 0.99, "µs-p999": 0.999} {
					b.ReportMetric(float64(errs[int(share*float64(len(errs)-1))].Nanoseconds())/1000, name)
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
