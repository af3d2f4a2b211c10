//go:build unix

package nats_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/internal/testutil"
)

// TestAFullVolume: if the files of a journal end early, as on a full volume, the process never writes the journal
// again. It gets an error instead of waiting for results for ever. The limit applies to a whole process, so the test
// uses a process of its own.
func TestAFullVolume(t *testing.T) {
	t.Parallel()
	if os.Getenv("BUS_FULL") == "" {
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
		c.Env = append(os.Environ(), "BUS_FULL=yes")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	w := open(t, func(c *nats.Config) { c.SweepEvery = 10 * time.Millisecond })
	way := w.dial(t, w.key(t, "w1", time.Time{}, keys.Work))
	publish := func(id string) error {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		return way.Publish(ctx, "res.w1.0", id, incompressible(200_000))
	}
	testutil.OK(t, way.Publish(t.Context(), "res.w1.0", "first", incompressible(200_000)))
	if all, err := w.bus.Results(t.Context(), 1); err != nil || len(all) != 1 {
		t.Fatalf("%v, %d results", err, len(all))
	}
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	testutil.OK(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	limit.Cur = 500_000
	testutil.OK(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	for i := 0; publish(fmt.Sprint(i)) == nil; i++ {
		testutil.Require(t, i != 10, "the volume is not full")
	}
	limit.Cur = limit.Max // space is available again
	testutil.OK(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		_, err := w.bus.Results(ctx, 1)
		testutil.Require(t, !errors.Is(err, context.DeadlineExceeded), "it waits for results that cannot come")
		if err != nil {
			testutil.Require(t, strings.Contains(err.Error(), "journal can no longer be written"), "%v", err)
			return
		}
	}
}
