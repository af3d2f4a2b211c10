package nats_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/keys"
	"gogi/internal/testutil"
)

// TestUploads: what a worker uploads is the coordinator's to read, under the name of that
// worker, and nobody's artefact; no worker can put anything in its place.
func TestUploads(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	ctx := t.Context()
	one, other := w.dial(t, w.key(t, "one", time.Time{}, keys.Work)), w.dial(t, w.key(t, "other", time.Time{}, keys.Work))
	owner := w.dial(t, w.key(t, "owner", time.Time{}, keys.Submit))
	body := bytes.Repeat([]byte("block"), 100_000) // of several pieces
	sum, err := one.PutArtefact(ctx, bytes.NewReader(body), farm.MaxBlock)
	testutil.OK(t, err)
	if got, err := w.bus.Uploaded(ctx, "one", sum, int64(len(body))); err != nil || !bytes.Equal(got, body) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	_, err = w.bus.Uploaded(ctx, "one", sum, int64(len(body))-1)
	if _, refused := errors.AsType[*farm.Refusal](err); !refused {
		t.Errorf("an upload that is longer than was told: %v", err)
	}
	for _, name := range []string{"other", "owner", "nobody", "../one"} {
		if _, err := w.bus.Uploaded(ctx, name, sum, farm.MaxBlock); !errors.Is(err, farm.ErrNoUpload) {
			t.Errorf("as an upload of %s: %v", name, err)
		}
	}
	for name, c := range map[string]farm.Transport{"other": other, "owner": owner, "one": one} {
		r, err := c.Artefact(ctx, sum)
		if err == nil {
			_, err = io.ReadAll(r)
		}
		if _, refused := errors.AsType[*farm.Refusal](err); !refused {
			t.Errorf("%s reads it as an artefact: %v", name, err)
		}
	}
	if all, err := w.bus.Artefacts(ctx); err != nil || len(all) != 0 {
		t.Errorf("artefacts: %v, %v", all, err)
	}

	// The same bytes of another are another's; one's end is not the other's.
	testutil.OK(t, testutil.Err(other.PutArtefact(ctx, bytes.NewReader(body), farm.MaxBlock)))
	testutil.OK(t, w.bus.Discard("one", sum))
	if _, err := w.bus.Uploaded(ctx, "one", sum, farm.MaxBlock); !errors.Is(err, farm.ErrNoUpload) {
		t.Errorf("after it was discarded: %v", err)
	}
	if _, err := w.bus.Uploaded(ctx, "other", sum, farm.MaxBlock); err != nil {
		t.Errorf("another's, after that: %v", err)
	}
	if err := w.bus.Discard("one", sum); err != nil {
		t.Errorf("discarded twice: %v", err)
	}

	// An owner's upload is an artefact, as ever.
	if sum, err = owner.PutArtefact(ctx, bytes.NewReader([]byte("engine")), 100); err != nil {
		t.Fatal(err)
	}
	if all, err := w.bus.Artefacts(ctx); err != nil || all[sum] != 6 {
		t.Errorf("artefacts: %v, %v", all, err)
	}
}
