package hook

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	c, err := New([]string{"sh", "-c", `echo "$GOGI_RUN: $1"; echo wrong >&2`, "it", "two words"})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.Run(t.Context(), &out, "GOGI_RUN=a run"); err != nil || out.String() != "a run: two words\nwrong\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	if c, err := New(nil); err != nil || c.Run(t.Context(), nil) != nil {
		t.Errorf("none: %v", err)
	}
	if _, err := New([]string{"no-such-program-here"}); err == nil {
		t.Error("there is no such program")
	}
	if err := (Command{"sh", "-c", "exit 3"}).Run(t.Context(), &out); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Error(err)
	}
}

// A command that does not end is killed with the context, also where it has left a child
// that holds its output.
func TestKilled(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	began := time.Now()
	ended := make(chan error, 1)
	go func() { ended <- Command{"sh", "-c", "echo at it; sleep 5 & sleep 5"}.Run(ctx, w) }()
	if _, err := r.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("it was not killed")
	}
	if took := time.Since(began); took > patience {
		t.Errorf("it took %v", took)
	}
}
