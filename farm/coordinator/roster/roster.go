// Package roster knows the workers of a farm: their keys, their sessions and the farm's trust in them. A [Roster]
// stores the workers and reads them after a restart. It does not know which tests a worker plays.
package roster

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/match/trust"
)

// A Config is the input of New. All fields are necessary.
type Config struct {
	State entries.State
	Keys  Keys
	Log   *slog.Logger
	// Bar makes the bus reject all further results of a worker. With an empty reason the bus accepts them again.
	Bar func(worker, why string)
}

// A Roster has the workers of a farm and their sessions. The caller guards it with a lock. Other packages read the
// maps, and change them only through methods.
type Roster struct {
	Workers  map[string]*Worker
	Sessions map[string]*Session
	Changes  int // number of changes after which other workers may play a run

	config   Config
	suspects map[string]string // the owners with a worker in quarantine, with the name of such a worker; see suspect
}

// bucket has the workers by name.
const bucket = "workers"

// New returns a roster without workers.
func New(c Config) *Roster {
	return &Roster{config: c, Workers: map[string]*Worker{}, Sessions: map[string]*Session{},
		suspects: map[string]string{}}
}

// Read adds the stored workers. A worker whose entry cannot be read is in quarantine.
func (r *Roster) Read(ctx context.Context) error {
	err := r.config.State.Each(ctx, bucket, func(name string, body []byte, revision uint64) error {
		w := &Worker{}
		if err := farm.Decode(body, w); err != nil { // the worker may have been in quarantine
			*w = Worker{Trust: trust.Untrusted, Quarantine: "its stored entry cannot be read: " + err.Error(),
				Since: time.Now().Round(0)}
			r.config.Log.Error("the entry of a worker cannot be read; the worker is in quarantine", "worker", name, "err", err)
		}
		w.revision, w.kept = revision, w.Played+w.Agreed
		r.Workers[name] = w
		if w.Quarantine != "" {
			r.config.Bar(name, w.Quarantine)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("coordinator: reading the workers: %w", err)
	}
	r.suspect()
	return nil
}

// suspect sets suspects from the workers. It is called after each change of a quarantine.
func (r *Roster) suspect() {
	r.suspects = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(r.Workers)) {
		if owner := r.OwnerOf(name); owner != "" && r.Workers[name].Quarantine != "" {
			r.suspects[owner] = name
		}
	}
}

// Suspect returns the name of a worker in quarantine that belongs to this owner, or "" if there is none.
func (r *Roster) Suspect(owner string) string { return r.suspects[owner] }

// Level returns the farm's trust in a worker. While another key of its owner is in quarantine, a verified worker counts
// as untrusted.
func (r *Roster) Level(w *Worker) trust.Level {
	if w.Trust == trust.Verified && r.suspects[w.Owner] != "" {
		return trust.Untrusted
	}
	return w.Trust
}

// Untrusted reports whether the farm does not trust a worker now.
func (r *Roster) Untrusted(w *Worker) bool { return r.Level(w) == trust.Untrusted }

// Earned returns the number of slots that an untrusted worker has earned by its stored pairs. It is 0 while a key of
// its owner is in quarantine.
func (r *Roster) Earned(w *Worker) int {
	if r.suspects[w.Owner] != "" {
		return 0
	}
	return w.Played
}

// Trusted reports whether the farm trusts pairs under this name without an audit. It trusts workers with a trust
// level above untrusted. It also trusts keys with the right Run, which may push pairs. It trusts none in quarantine.
func (r *Roster) Trusted(name string) bool {
	if w := r.Workers[name]; w != nil && (w.Quarantine != "" || !r.Untrusted(w)) {
		return w.Quarantine == ""
	}
	key, ok := r.config.Keys.Key(name)
	return ok && key.May(Run)
}

// Barred reports whether a worker is in quarantine.
func (r *Roster) Barred(name string) bool {
	w := r.Workers[name]
	return w != nil && w.Quarantine != ""
}

// OwnerOf returns the owner of a worker or of a key that pushed pairs.
func (r *Roster) OwnerOf(name string) string {
	if w := r.Workers[name]; w != nil && w.Owner != "" {
		return w.Owner
	}
	key, _ := r.config.Keys.Key(name)
	return key.Owner
}

// WorkKey returns the key of a worker, or a rejection if the worker has no valid key with the right Work. It needs
// no lock.
func (r *Roster) WorkKey(name string) (Key, *farm.Refusal) {
	key, ok := r.config.Keys.Key(name)
	if !ok || !key.May(Work) {
		return key, farm.Refusef("%s has no valid key to work with", name)
	}
	return key, nil
}

// Worker returns the worker with a name, and creates it if necessary. It sets the owner unless owner is "".
func (r *Roster) Worker(name, owner string) *Worker {
	w := r.Workers[name]
	if w == nil {
		w = &Worker{Trust: trust.Untrusted}
		r.Workers[name] = w
	}
	if owner != "" {
		w.Owner = owner
	}
	return w
}

// NeedTrust is the name of a need that gogi compares with the farm's trust in a worker, not with a label. With this
// need an owner can exclude untrusted workers from a tune. A tune learns from each result at once, so an audit
// would come too late.
const NeedTrust = "trust"

// levels holds the levels of trust, in ascending order.
var levels = []trust.Level{trust.Untrusted, trust.Verified, trust.Owner}

// CheckLevel returns a rejection of a word that is no level of trust.
func CheckLevel(level string) error {
	if !slices.Contains(levels, trust.Level(level)) {
		return farm.Refusef("trust %q: expected %s, %s or %s", level, levels[0], levels[1], levels[2])
	}
	return nil
}

// Meets reports whether a worker with these labels meets the needs of a test.
func (r *Roster) Meets(needs map[string]string, worker string, labels map[string]string) bool {
	for label, want := range needs {
		if label == NeedTrust {
			if w := r.Workers[worker]; w == nil || slices.Index(levels, r.Level(w)) < slices.Index(levels, trust.Level(want)) {
				return false
			}
		} else if labels[label] != want {
			return false
		}
	}
	return true
}

// Quarantine bars a worker from now on. by is "farm" or the name of a key. The caller ends the leases of the worker,
// and stores it.
func (r *Roster) Quarantine(w *Worker, name, why, by string) {
	w.Quarantine, w.Since = why, time.Now().Round(0)
	w.Act(by, name, "quarantined: "+why)
	r.config.Bar(name, why)
	r.suspect()
	r.Changes++
}

// Pardon ends a worker's quarantine and the audits of all its pairs.
func (r *Roster) Pardon(w *Worker, name string) {
	w.Quarantine, w.Unlike, w.Refused = "", "", 0
	r.config.Bar(name, "")
	r.suspect()
}

// Keep stores a worker.
func (r *Roster) Keep(ctx context.Context, name string, w *Worker) error {
	if s := r.Sessions[name]; s != nil {
		w.Seen = s.Seen.Round(0)
	}
	if err := entries.Save(ctx, r.config.State, bucket, name, w, &w.revision, w.actions...); err != nil {
		return fmt.Errorf("coordinator: worker %s: %w", name, err)
	}
	w.kept, w.actions, w.changed, w.stored = w.Played+w.Agreed, nil, false, time.Now()
	return nil
}

// KeepOrWarn stores a worker. If that fails, it logs the error.
func (r *Roster) KeepOrWarn(ctx context.Context, name string, w *Worker) {
	entries.Warn(r.config.Log, r.Keep(ctx, name, w), "a worker was not stored", "worker", name)
}

// KeepCounts stores a worker after every 16 of its pairs and audits. So a crash loses at most 15 of them from the
// worker's counts.
func (r *Roster) KeepCounts(ctx context.Context, name string, w *Worker) {
	if w.kept == 0 || w.Played+w.Agreed-w.kept >= 16 {
		r.KeepOrWarn(ctx, name, w)
	}
}

// KeepChanged stores up to keepAtATime workers that have unimportant changes and were not stored in the last
// keepPause.
func (r *Roster) KeepChanged(ctx context.Context, now time.Time) {
	left := keepAtATime
	for name, w := range r.Workers {
		if w.changed && left > 0 && now.Sub(w.stored) >= keepPause {
			w.stored = now // also if it fails, so that a full disk does not cost a try in each tick
			r.KeepOrWarn(ctx, name, w)
			left--
		}
	}
}

// Close stores the workers whose counts or data have changed, until ctx ends.
func (r *Roster) Close(ctx context.Context) {
	for name, w := range r.Workers {
		if (w.kept != w.Played+w.Agreed || w.changed) && ctx.Err() == nil {
			r.KeepOrWarn(ctx, name, w)
		}
	}
}
