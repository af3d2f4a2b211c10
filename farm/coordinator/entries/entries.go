// Package entries reads and writes what a coordinator must know after a restart. A [State] holds entries by bucket
// and name. [Load] and [Save] decode and encode one of them.
package entries

import (
	"context"
	"log/slog"

	"gogi/farm"
	"gogi/results/farmstate"
)

// A State stores the data that the coordinator needs after a restart. An entry has a bucket (a group of
// entries), a name, a body and a revision, which grows with each change. Its methods may be called by several
// goroutines.
type State interface {
	// Put replaces the body whose revision is given, and returns the next revision. With the revision 0 it
	// creates the body. Put also adds the actions to the log of the farm. All of it is on the disk when Put
	// returns. Put fails if another coordinator has changed the body since. After an error nothing has changed.
	Put(ctx context.Context, bucket, name string, body []byte, revision uint64, actions ...farmstate.Action) (uint64,
		error)
	// Delete removes an entry, and adds the actions to the log. A missing entry is no error.
	Delete(ctx context.Context, bucket, name string, actions ...farmstate.Action) error
	// Each calls f for every entry of a bucket. f may call Put.
	Each(ctx context.Context, bucket string, f func(name string, body []byte, revision uint64) error) error
	// Log adds actions to the log.
	Log(ctx context.Context, actions ...farmstate.Action) error
	// Actions returns the latest actions of the log that the filter selects, the latest first.
	Actions(ctx context.Context, f farmstate.Filter) ([]farmstate.Action, error)
}

// Farm is the bucket of what the farm has only once: its number of boots, its update and its recipes.
const Farm = "farm"

// Load decodes the entry called name in the bucket Farm, and stores the value in *to. It returns the revision of
// the entry, or 0 if there is no entry.
func Load(ctx context.Context, s State, name string, to any) (revision uint64, err error) {
	err = s.Each(ctx, Farm, func(other string, body []byte, r uint64) error {
		if other != name {
			return nil
		}
		revision = r
		return farm.Decode(body, to)
	})
	return revision, err
}

// Save replaces an entry and updates *revision. It fails if another process has changed the entry since this
// process read or stored it. It also adds the actions to the log of the farm.
func Save(ctx context.Context, s State, bucket, name string, v any, revision *uint64,
	actions ...farmstate.Action) error {
	body, err := farm.Encode(v)
	if err != nil {
		return err
	}
	next, err := s.Put(ctx, bucket, name, body, *revision, actions...)
	if err == nil {
		*revision = next
	}
	return err
}

// Warn logs an error after which the coordinator continues. The argument what describes the failure, and args are
// further values for the log. If err is nil, Warn does nothing.
func Warn(log *slog.Logger, err error, what string, args ...any) {
	if err != nil {
		log.Warn(what, append(args, "err", err)...)
	}
}
