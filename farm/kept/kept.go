// Package kept keeps things in a farm's buckets under the revisions that a process knows,
// also where an answer was lost: what was applied is no failure, and what another process
// has kept is never taken for its own.
package kept

import (
	"bytes"
	"context"
	"errors"
	"time"

	"gogi/farm"
)

// Revision is that of something kept in a bucket, as far as this process knows it.
type Revision struct {
	Known uint64 // 0: it was never kept
	// doubts are what was to be kept under a revision that is not known, since the answer
	// was lost: any of them may be what is kept by now.
	doubts [][]byte
}

// Of doubts: how many are remembered, and how long what is kept may take to be read.
const (
	maxDoubts  = 8
	readingMay = 5 * time.Second
)

// Put keeps something, as the next revision of what this process has kept there. Where an
// answer is lost, what is kept is read anew: what was applied is no failure, and nothing
// that another process has kept is taken for our own.
func Put(ctx context.Context, bus farm.Bus, bucket, name string, body []byte, r *Revision) error {
	if len(r.doubts) > 0 {
		_, _ = readAnew(ctx, bus, bucket, name, r) // else it is found out below
	}
	for try := range 2 {
		next, err := bus.Keep(ctx, bucket, name, body, r.Known)
		switch {
		case err == nil:
			*r = Revision{Known: next}
			return nil
		case next != 0: // it is kept, and something behind that failed
			*r = Revision{Known: next}
			return err
		case !errors.Is(err, farm.ErrStale):
			r.doubts = append(r.doubts, bytes.Clone(body))
			r.doubts = r.doubts[max(0, len(r.doubts)-maxDoubts):]
			kept, found := readAnew(ctx, bus, bucket, name, r)
			if found && bytes.Equal(kept, body) {
				return nil
			}
			return err
		case len(r.doubts) == 0 || try > 0:
			return err
		}
		if kept, found := readAnew(ctx, bus, bucket, name, r); !found {
			return err
		} else if bytes.Equal(kept, body) {
			return nil
		}
	}
	return farm.ErrStale
}

// readAnew reads what is kept, and takes its revision where it is one that was in doubt.
func readAnew(ctx context.Context, bus farm.Bus, bucket, name string, r *Revision) (kept []byte, found bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readingMay)
	defer cancel()
	var at uint64
	err := bus.Kept(ctx, bucket, func(other string, body []byte, revision uint64) error {
		if other == name {
			kept, at = bytes.Clone(body), revision
		}
		return nil
	})
	if err != nil || at == 0 {
		return nil, false
	}
	for _, doubt := range r.doubts {
		if bytes.Equal(kept, doubt) {
			*r = Revision{Known: at}
			return kept, true
		}
	}
	return nil, false
}
