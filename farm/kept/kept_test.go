package kept

import (
	"context"
	"errors"
	"testing"

	"gogi/farm"
)

// bucket is one thing that is kept; what it is told may be lost, or its answer.
type bucket struct {
	farm.Bus
	body         []byte
	revision     uint64
	loses, mutes int // how many of the next are lost before, or after they were kept
}

var errLost = errors.New("lost")

func (b *bucket) Keep(_ context.Context, _, _ string, body []byte, revision uint64) (uint64, error) {
	if b.loses > 0 {
		b.loses--
		return 0, errLost
	}
	if revision != b.revision {
		return 0, farm.ErrStale
	}
	b.body, b.revision = append([]byte{}, body...), revision+1
	if b.mutes > 0 {
		b.mutes--
		return 0, errLost
	}
	return b.revision, nil
}

func (b *bucket) Kept(_ context.Context, _ string, f func(name string, body []byte, revision uint64) error) error {
	if b.revision == 0 {
		return nil
	}
	return f("x", b.body, b.revision)
}

func TestPut(t *testing.T) {
	b, r := &bucket{}, Revision{}
	put := func(text string, want error) {
		t.Helper()
		if err := Put(t.Context(), b, "bucket", "x", []byte(text), &r); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
	put("a", nil)
	b.mutes = 1
	put("b", nil) // it was applied, and is read to be
	b.loses = 1
	put("c", errLost)
	put("d", nil)
	if string(b.body) != "d" || b.revision != 3 || r.Known != 3 {
		t.Errorf("%q at %d, known %d", b.body, b.revision, r.Known)
	}
	// Another process has kept something: it is never taken for our own.
	b.body, b.revision = []byte("theirs"), 4
	put("e", farm.ErrStale)
	b.loses = 1
	put("f", errLost)
	put("g", farm.ErrStale)
	if string(b.body) != "theirs" {
		t.Errorf("%q was kept over another's", b.body)
	}
}

// A doubt that is applied late is known again by what it says.
func TestDoubt(t *testing.T) {
	b, r := &bucket{}, Revision{}
	if err := Put(t.Context(), b, "bucket", "x", []byte("a"), &r); err != nil {
		t.Fatal(err)
	}
	b.loses = 1
	if err := Put(t.Context(), b, "bucket", "x", []byte("late"), &r); !errors.Is(err, errLost) {
		t.Fatal(err)
	}
	b.body, b.revision = []byte("late"), 2 // it arrives after all
	if err := Put(t.Context(), b, "bucket", "x", []byte("next"), &r); err != nil || string(b.body) != "next" {
		t.Errorf("%q, %v", b.body, err)
	}
}
