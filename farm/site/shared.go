package site

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gogi/farm"
	"gogi/farm/folder"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/results/farmstate"
)

// A sharedState is the state of a coordinator with a standby. A change counts when it is in state.db and in the bucket
// that all coordinators of the farm share. After a failure to write to the bucket this process does not lead any more,
// and the next leader replaces its state.db by the bucket. So a change in state.db alone has no effect.
type sharedState struct {
	*farmstate.State
	bucket *nats.Shared
	keys   string // folder of the keys

	mu      sync.Mutex // is locked during a change
	actions int64      // ID of the last action in the bucket
	texts   map[string]string
}

// An entry is an entry of the bucket. Row is nil if the row was deleted. Actions are those of the change. They are also
// in an entry of their own, which no later change of the row replaces.
type entry struct {
	Row     *farmstate.Row     `cbor:"row,omitempty"`
	Actions []farmstate.Action `cbor:"actions,omitempty"`
}

// The kinds of entries in the bucket: rows, actions, and files of keys.
const (
	kindRow    = "row"
	kindAction = "log"
	kindKey    = "key"
)

// mostRow is the largest body of a row in bytes. An entry is a message, and has actions, too.
const mostRow = farm.MaxBody - 256<<10

// Put implements entries.State.
func (s *sharedState) Put(ctx context.Context, bucket, name string, body []byte, revision uint64,
	actions ...farmstate.Action) (uint64, error) {
	if len(body) > mostRow {
		return 0, fmt.Errorf("%s %s: %d bytes: expected at most %d with jetstream.takeover", bucket, name, len(body), mostRow)
	}
	var next uint64
	err := s.change(ctx, bucket, name, func() (row *farmstate.Row, err error) {
		next, err = s.State.Put(ctx, bucket, name, body, revision, actions...)
		return &farmstate.Row{Bucket: bucket, Name: name, Revision: next, Body: body}, err
	})
	return next, err
}

// Delete implements entries.State.
func (s *sharedState) Delete(ctx context.Context, bucket, name string, actions ...farmstate.Action) error {
	return s.change(ctx, bucket, name, func() (*farmstate.Row, error) {
		return nil, s.State.Delete(ctx, bucket, name, actions...)
	})
}

// Log implements entries.State.
func (s *sharedState) Log(ctx context.Context, actions ...farmstate.Action) error {
	if err := s.State.Log(ctx, actions...); err != nil {
		return err
	}
	return s.share(ctx)
}

// change changes a row by do in state.db, and then in the bucket.
func (s *sharedState) change(ctx context.Context, bucket, name string, do func() (*farmstate.Row, error)) error {
	ctx = context.WithoutCancel(ctx) // the end of the lease ends a wait for the servers
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.bucket.Fence(); err != nil {
		return err
	}
	if err := s.shareActions(ctx); err != nil {
		return err
	}
	row, err := do()
	if err != nil {
		return err
	}
	actions, err := s.Actions(ctx, farmstate.Filter{From: s.actions + 1})
	if err == nil {
		err = s.bucket.Put(ctx, nats.KeyOf(kindRow, bucket, name), entry{row, actions})
	}
	if err != nil {
		return err
	}
	return s.putActions(ctx, actions)
}

// shareActions stores all further actions of state.db in the bucket. Commands on this machine may have added some.
func (s *sharedState) shareActions(ctx context.Context) error {
	for {
		list, err := s.Actions(ctx, farmstate.Filter{From: s.actions + 1})
		if err != nil || len(list) == 0 {
			return err
		}
		if err := s.putActions(ctx, list); err != nil {
			return err
		}
	}
}

func (s *sharedState) putActions(ctx context.Context, list []farmstate.Action) error {
	if len(list) == 0 {
		return nil
	}
	if err := s.bucket.Put(ctx, fmt.Sprintf("%s.%d", kindAction, list[0].ID), entry{Actions: list}); err != nil {
		return err
	}
	s.actions = list[len(list)-1].ID
	return nil
}

// share stores new actions, and new and changed keys, in the bucket.
func (s *sharedState) share(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.shareActions(ctx); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(s.keys, "*.toml"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("farm: %w", err)
		}
		name := filepath.Base(file)
		if string(text) == s.texts[name] {
			continue
		}
		if _, err := keys.Parse(file, string(text)); err != nil {
			continue // Ring.Refresh reports the damaged file, and a bucket with it would stop every leader
		}
		if err := s.bucket.Put(ctx, nats.KeyOf(kindKey, name), map[string]string{name: string(text)}); err != nil {
			return err
		}
		s.texts[name] = string(text)
	}
	return err
}

// fill stores the whole state of this machine in the bucket. It first empties the entries of an earlier fill that did
// not end, because the state may have changed since then.
func (s *sharedState) fill(ctx context.Context) error {
	var old []string
	err := s.bucket.Entries(ctx, func(key string, _ func(any) error) error { old = append(old, key); return nil })
	if err != nil {
		return err
	}
	for _, key := range old {
		if err := s.bucket.Put(ctx, key, entry{}); err != nil {
			return err
		}
	}
	err = s.Rows(ctx, func(r farmstate.Row) error {
		return s.bucket.Put(ctx, nats.KeyOf(kindRow, r.Bucket, r.Name), entry{Row: &r})
	})
	if err == nil {
		err = s.share(ctx)
	}
	if err == nil {
		err = s.bucket.Ready(ctx)
	}
	return err
}

// adopt replaces the state and the keys of this machine by those in the bucket. A key that was revoked on this machine
// while no coordinator ran here stays revoked, and share stores the revocation in the bucket.
func (s *sharedState) adopt(ctx context.Context) error {
	var rows []farmstate.Row
	actions := map[int64]farmstate.Action{}
	err := s.bucket.Entries(ctx, func(key string, decode func(any) error) error {
		kind, _, _ := strings.Cut(key, ".")
		if kind == kindKey {
			return decode(&s.texts)
		}
		var e entry
		if err := decode(&e); err != nil {
			return err
		}
		if e.Row != nil {
			rows = append(rows, *e.Row)
		}
		for _, a := range e.Actions {
			actions[a.ID] = a
			s.actions = max(s.actions, a.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for name, text := range s.texts {
		if filepath.Base(name) != name {
			return fmt.Errorf("farm: %q is no file of a key", name)
		}
		file := filepath.Join(s.keys, name)
		if old, err := os.ReadFile(file); err == nil && (string(old) == text || revokes(file, string(old), text)) {
			continue
		}
		if err := folder.WriteFile(file, text); err != nil {
			return err
		}
	}
	// Commands on this machine may have added actions while no coordinator ran here.
	later, err := s.Actions(ctx, farmstate.Filter{From: s.actions + 1, By: "console"})
	if err != nil {
		return err
	}
	sorted := slices.SortedFunc(maps.Values(actions), func(a, b farmstate.Action) int { return cmp.Compare(a.ID, b.ID) })
	if err := s.Replace(ctx, rows, sorted); err != nil {
		return err
	}
	return s.State.Log(ctx, later...)
}

// revokes reports whether the text of a key's file has a revocation that the other text of this file lacks.
func revokes(file, text, other string) bool {
	k, err := keys.Parse(file, text)
	if err != nil || k.Revoked.IsZero() {
		return false
	}
	o, err := keys.Parse(file, other)
	return err == nil && o.Public == k.Public && o.Revoked.IsZero()
}

// openKept opens the state of the coordinator.
func (s *Site) openKept(ctx context.Context) error {
	if s.shared == nil {
		kept, err := folder.OpenState(ctx, s.Dir)
		if err == nil {
			s.Kept = kept
		}
		return err
	}
	open := folder.OpenState
	if s.before.Ready {
		open = func(ctx context.Context, dir string) (*farmstate.State, error) { // the bucket has it
			return farmstate.Open(ctx, filepath.Join(dir, folder.StateFile))
		}
	}
	kept, err := open(ctx, s.Dir)
	if err != nil {
		return err
	}
	state := &sharedState{State: kept, bucket: s.shared, keys: filepath.Join(s.Dir, folder.KeysDir),
		texts: map[string]string{}}
	s.Kept = state
	if s.before.Ready {
		if err = state.adopt(ctx); err == nil {
			err = state.share(ctx)
		}
	} else {
		err = state.fill(ctx)
	}
	return errors.Join(err, s.Ring.Refresh())
}

// share stores what commands on this machine have changed in the bucket, if there is one.
func (s *Site) share() error {
	if state, ok := s.Kept.(*sharedState); ok {
		return state.share(context.Background())
	}
	return nil
}
