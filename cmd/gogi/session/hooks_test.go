package session

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
)

func TestCommand(t *testing.T) {
	c := testutil.Must(commandOf("--on-end", `sh -c 'echo "$GOGI_RUN: $1"; echo wrong >&2' it "two words"`))(t)
	var out bytes.Buffer
	if err := c.run(t.Context(), &out, "GOGI_RUN=a run"); err != nil || out.String() != "a run: two words\nwrong\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	if c, err := commandOf("--on-end", ""); err != nil || c.run(t.Context(), nil) != nil {
		t.Errorf("none: %v", err)
	}
	if _, err := commandOf("--on-end", "no-such-program-here"); err == nil {
		t.Error("there is no such program")
	}
	if err := (command{"sh", "-c", "exit 3"}).run(t.Context(), &out); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Error(err)
	}
}

// A command that does not end is killed with the context, also where it has left a child
// that holds its output.
func TestCommandKilled(t *testing.T) {
	r, w, err := os.Pipe()
	testutil.OK(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	began := time.Now()
	ended := make(chan error, 1)
	go func() { ended <- command{"sh", "-c", "echo at it; sleep 5 & sleep 5"}.run(ctx, w) }()
	testutil.OK(t, testutil.Err(r.Read(make([]byte, 8))))
	cancel()
	if err := <-ended; err == nil {
		t.Error("it was not killed")
	}
	if took := time.Since(began); took > commandLimit {
		t.Errorf("it took %v", took)
	}
}
