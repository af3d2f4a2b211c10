//go:build unix

package worker_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"gogi/internal/testutil"
)

// reexec runs one test of this program in a process of its own.
func reexec(t *testing.T, name string, env ...string) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^"+name+"$", "-test.count=1")
	c.Env = append(os.Environ(), env...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// limitFiles limits the size of the files of this process, as a full disk does.
func limitFiles(t *testing.T, bytes uint64) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	testutil.OK(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	limit.Cur = bytes
	testutil.OK(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
}

// TestAFullDiskIsAnErrorAndLosesNothing: on a full disk Append returns an error, and the earlier items stay. A limit on
// the size of files simulates the full disk.
func TestAFullDiskIsAnErrorAndLosesNothing(t *testing.T) {
	if os.Getenv("OUTBOX_LIMITED") == "" {
		reexec(t, t.Name(), "OUTBOX_LIMITED=1")
		return
	}
	dir := t.TempDir()
	o, _ := openOutbox(t, dir)
	limitFiles(t, 10_000)
	kept := 0
	var failed error
	for ; failed == nil; kept++ {
		failed = o.Append(item(kept))
	}
	kept--
	testutil.Require(t, errors.Is(failed, syscall.EFBIG) && kept >= 10, "%d kept, then %v", kept, failed)
	if got := pairs(o); len(got) != kept {
		t.Errorf("%d to publish, %d kept", len(got), kept)
	}
	testutil.OK(t, o.Close())
	o, dropped := openOutbox(t, dir)
	if got := pairs(o); len(got) != kept || dropped != 0 {
		t.Errorf("after a restart %d to publish, %d kept, %d bytes dropped", len(got), kept, dropped)
	}
}
