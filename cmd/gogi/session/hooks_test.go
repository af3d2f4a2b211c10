package session

import (
	"bytes"
	"context"
	"os"
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
	testutil.Fails(t, testutil.Err(commandOf("--on-end", "no-such-program-here")), "", "there is no such program")
	testutil.Fails(t, (command{"sh", "-c", "exit 3"}).run(t.Context(), &out), "exit status 3")
}

// TestCommandKilled: gogi kills a command when the context ends, even if a child of the command keeps its output open.
func TestCommandKilled(t *testing.T) {
	r, w, err := os.Pipe()
	testutil.OK(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	began := time.Now()
	ended := make(chan error, 1)
	go func() { ended <- command{"sh", "-c", "echo at it; sleep 5 & sleep 5"}.run(ctx, w) }()
	testutil.OK(t, testutil.Err(r.Read(make([]byte, 8))))
	cancel()
	testutil.Fails(t, <-ended, "", "it was not killed")
	took := time.Since(began)
	testutil.Check(t, took <= commandLimit, "it took %v", took)
}
