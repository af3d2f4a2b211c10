package coordinator

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"gogi/farm"
)

// updating is what is kept of the programs that workers are to have, in the bucket of the
// farm.
type updating struct {
	Releases []farm.Release `cbor:"releases"`
	Known    []farm.Release `cbor:"known"` // wanted before, the latest first
	Stage    farm.Stage     `cbor:"stage"`
	Why      string         `cbor:"why"`
	By       string         `cbor:"by"`
	At       time.Time      `cbor:"at"`
	// Trials are those of the releases, by SHA-256: each has one of its own, because what
	// one kind of machine proves says nothing of another's program.
	Trials map[string]*trial `cbor:"trials"`

	revision revision
}

// keyUpdate is where it is kept.
const keyUpdate = "update"

func (c *Coordinator) readUpdate(ctx context.Context) error {
	err := c.config.Bus.Kept(ctx, bucketFarm, func(name string, body []byte, revision uint64) error {
		if name != keyUpdate {
			return nil
		}
		c.update.revision.known = revision
		return farm.Decode(body, &c.update)
	})
	if err != nil {
		return fmt.Errorf("coordinator: reading the update: %w", err)
	}
	if c.update.Stage == farm.StageTrial && len(c.update.Trials) == 0 { // of a program that had one trial for all
		c.update.beginTrials()
	}
	return nil
}

// beginTrials gives each release a trial of its own.
func (u *updating) beginTrials() {
	u.Trials = map[string]*trial{}
	for i := range u.Releases {
		u.Trials[u.Releases[i].SHA256] = &trial{}
	}
}

func (c *Coordinator) keepUpdate(ctx context.Context) error {
	body, err := farm.Encode(c.update)
	if err == nil {
		err = c.put(ctx, bucketFarm, keyUpdate, body, &c.update.revision)
	}
	if err != nil {
		return fmt.Errorf("coordinator: the update: %w", err)
	}
	return nil
}

// updateVerb orders programs, ends a trial, or says how it stands.
func (c *Coordinator) updateVerb(ctx context.Context, who asker, body []byte) (any, error) {
	var u farm.Update
	err := farm.Decode(body, &u)
	if err == nil {
		err = u.Check()
	}
	if err != nil {
		return nil, refuse(exitRefused, "%v", err)
	}
	asks := !u.Off && !u.All && len(u.Releases)+len(u.Known) == 0
	if !asks && !who.may(rightAdmin) {
		return nil, deny(who, "update workers")
	}
	var sizes map[string]int64
	if len(u.Releases) > 0 {
		if sizes, err = c.config.Bus.Artefacts(ctx); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !asks {
		before := c.update
		if err := c.order(who, &u, sizes); err != nil {
			return nil, err
		}
		if err := c.keepUpdate(ctx); err != nil {
			before.revision = c.update.revision
			c.update = before
			return nil, err
		}
		c.config.Log.Info("workers are updated", "stage", c.update.Stage, "by", who.Name, "why", c.update.Why)
	}
	return c.updateStatus(time.Now()), nil
}

// order changes what is wanted.
func (c *Coordinator) order(who asker, u *farm.Update, sizes map[string]int64) error {
	now := time.Now()
	next := c.update // its maps and lists are made anew below
	next.By, next.Why = who.Name, u.Why
	switch {
	case u.Off:
		next.Known, next.Releases, next.Stage, next.Trials = c.update.remembered(nil), nil, farm.StageNone, nil
		c.update = next
		return nil
	case len(u.Releases)+len(u.Known) > 0:
		wanted, err := c.wantedOf(u, sizes)
		if err != nil {
			return err
		}
		next.Known, next.Releases = c.update.remembered(wanted), wanted
		next.Stage, next.At = farm.StageTrial, now.Round(0)
		next.beginTrials()
	case c.update.Stage == farm.StageNone:
		return refuse(exitRefused, "no program is wanted: expected releases")
	}
	if u.All {
		next.Stage = farm.StageAll
	}
	c.update = next
	if next.Stage == farm.StageTrial {
		c.drawFirst(now)
	}
	return nil
}

// wantedOf are the releases of an order: at most one for a kind of machine, and all of
// them artefacts of the farm.
func (c *Coordinator) wantedOf(u *farm.Update, sizes map[string]int64) ([]farm.Release, error) {
	wanted := slices.Clone(u.Releases)
	for i := range wanted {
		if r := &wanted[i]; sizes[r.SHA256] != r.Size {
			return nil, refuse(exitRefused, "the farm has no artefact %s of %d bytes: upload it first", r.SHA256, r.Size)
		}
	}
	for _, sum := range u.Known {
		all := slices.Concat(c.update.Releases, c.update.Known)
		i := slices.IndexFunc(all, func(r farm.Release) bool { return r.SHA256 == sum })
		if i < 0 {
			return nil, refuse(exitRefused, "no release %s was ever wanted here: hand in the program itself, with its signature", sum)
		}
		wanted = append(wanted, all[i])
	}
	kinds := map[[2]string]bool{}
	for i := range wanted {
		kind := [2]string{wanted[i].OS, wanted[i].Arch}
		if kinds[kind] {
			return nil, refuse(exitRefused, "two releases for %s %s: expected one for a kind of machine", kind[0], kind[1])
		}
		kinds[kind] = true
	}
	return wanted, nil
}

// remembered are the releases that were wanted before others are.
func (u *updating) remembered(wanted []farm.Release) (known []farm.Release) {
	for _, r := range slices.Concat(u.Releases, u.Known) {
		same := func(o farm.Release) bool { return o.SHA256 == r.SHA256 }
		if !slices.ContainsFunc(wanted, same) && !slices.ContainsFunc(known, same) && len(known) < farm.MaxReleases {
			known = append(known, r)
		}
	}
	return known
}

// release is the program that is wanted of a worker's kind; nil: none is.
func (u *updating) release(s *session) *farm.Release {
	for i := range u.Releases {
		if r := &u.Releases[i]; r.OS == s.hello.Labels["os"] && r.Arch == s.hello.Labels["arch"] {
			return r
		}
	}
	return nil
}

// has reports whether a worker's program is the one that is wanted of it.
func (u *updating) has(s *session) bool {
	r := u.release(s)
	return r != nil && r.SHA256 == s.hello.Program
}

// due is the program that a worker is told to take now; nil: none.
func (u *updating) due(s *session) *farm.Release {
	r := u.release(s)
	switch {
	case r == nil || u.has(s):
		return nil
	case u.Stage == farm.StageAll, u.Stage == farm.StageTrial && u.Trials[r.SHA256].tells(s.name):
		return r
	}
	return nil
}

// updateStatus is the update for others. mu is held.
func (c *Coordinator) updateStatus(now time.Time) *farm.UpdateStatus {
	u := &c.update
	out := &farm.UpdateStatus{
		Stage: u.Stage, Why: u.Why, By: u.By, At: u.At, Releases: slices.Clone(u.Releases), Known: slices.Clone(u.Known), Need: trialPairs,
	}
	for i := range u.Releases {
		if t := u.Trials[u.Releases[i].SHA256]; t != nil {
			out.Trials = append(out.Trials, t.status(u.Releases[i].SHA256))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.sessions)) {
		s := c.sessions[name]
		switch {
		case now.Sub(s.seen) >= c.config.Lease || len(u.Releases) == 0:
		case u.release(s) == nil:
			out.None = append(out.None, name)
		case u.has(s):
			out.Have = append(out.Have, name)
		default:
			out.Want = append(out.Want, name)
		}
	}
	return out
}
