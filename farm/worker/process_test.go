package worker_test

import (
	"bufio"
	"os"
	"os/exec"
	"testing"

	"gogi/farm/worker"
	"gogi/internal/testutil"
	"gogi/match"
)

var attemptOf1 = match.Attempt{Pair: 1, Why: "crashed"}

// TestKilledBetweenOutboxAndStream: after a kill, the outbox has every item that Append accepted.
func TestKilledBetweenOutboxAndStream(t *testing.T) {
	if dir := os.Getenv("OUTBOX_KILLED"); dir != "" {
		appendForEver(dir)
	}
	for range 5 {
		dir := t.TempDir()
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
		c.Env = append(os.Environ(), "OUTBOX_KILLED="+dir)
		out := testutil.Must(c.StdoutPipe())(t)
		testutil.OK(t, c.Start())
		lines := bufio.NewScanner(out)
		told := 0
		for lines.Scan() { // one line for each accepted item
			if told++; told == 20 {
				testutil.OK(t, c.Process.Kill())
			}
		}
		_ = c.Wait() // killed
		o, _, err := worker.OpenOutbox(dir, 1<<30)
		testutil.OK(t, err)
		items, _ := o.Batch(1 << 30)
		testutil.Check(t, told >= 20 && len(items) >= told, "%d were accepted, %d are there", told, len(items))
		for i, it := range items {
			testutil.Require(t, it.Lease.Pair == i, "item %d is pair %d", i, it.Lease.Pair)
		}
		testutil.OK(t, o.Close())
	}
}

func appendForEver(dir string) {
	o, _, err := worker.OpenOutbox(dir, 1<<30)
	for pair := 0; err == nil; pair++ {
		if err = o.Append(item(pair)); err == nil {
			_, err = os.Stdout.WriteString(".\n")
		}
	}
	os.Exit(1)
}
