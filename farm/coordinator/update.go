package coordinator

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/trust"
	"gogi/match"
)

// Of an update: a twentieth of the workers are told first, the others when these have
// played so many pairs, were not quarantined, and had no more engines that failed than the
// others had. They are looked at ten times, each at a tenth of one in a hundred.
const (
	firstOf       = 20
	trialPairs    = 500
	trialLook     = trialPairs / 10
	trialMayBeBad = 0.001
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
	First    []string       `cbor:"first"`
	// Tried is what came since the order, by plan digest: of those who are first, with a
	// program that is wanted, and of those without.
	Tried map[string]trust.Failing `cbor:"tried"`
	Pairs int                      `cbor:"pairs"` // of those who are first, with a program that is wanted

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
	return nil
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
		next.Known, next.Releases, next.Stage, next.First = c.update.remembered(nil), nil, farm.StageNone, nil
		c.update = next
		return nil
	case len(u.Releases)+len(u.Known) > 0:
		wanted, err := c.wantedOf(u, sizes)
		if err != nil {
			return err
		}
		next.Known, next.Releases = c.update.remembered(wanted), wanted
		next.Stage, next.At, next.First, next.Tried, next.Pairs = farm.StageTrial, now.Round(0), nil, nil, 0
	case c.update.Stage == farm.StageNone:
		return refuse(exitRefused, "no program is wanted: expected releases")
	}
	if u.All {
		next.Stage = farm.StageAll
	}
	c.update = next
	c.beginTrial(now)
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
	case u.Stage == farm.StageAll, u.Stage == farm.StageTrial && slices.Contains(u.First, s.name):
		return r
	}
	return nil
}

// beginTrial draws the workers that are told first, of each kind of machine a twentieth
// and at least one. A program of before releases were known comes last: it cannot take one
// itself.
func (c *Coordinator) beginTrial(now time.Time) {
	u := &c.update
	if u.Stage != farm.StageTrial || len(u.First) > 0 {
		return
	}
	kinds := map[string][]*session{}
	for _, s := range c.sessions {
		w := c.workers[s.name]
		if r := u.release(s); r != nil && now.Sub(s.seen) < c.config.Lease && w.Quarantine == "" && !w.Draining {
			kinds[r.SHA256] = append(kinds[r.SHA256], s)
		}
	}
	for sum, here := range kinds {
		draw := func(s *session) string {
			d := sha256.Sum256([]byte(sum + "\x00" + s.name))
			return string(d[:])
		}
		slices.SortFunc(here, func(a, b *session) int {
			if mute := a.hello.Program == ""; mute != (b.hello.Program == "") {
				if mute {
					return 1
				}
				return -1
			}
			return cmp.Compare(draw(a), draw(b))
		})
		for _, s := range here[:(len(here)+firstOf-1)/firstOf] {
			u.First = append(u.First, s.name)
		}
	}
	slices.Sort(u.First)
}

// tried counts a unit of a worker towards an update, or an attempt at one: did an engine
// fail?
func (c *Coordinator) tried(ctx context.Context, r *run, name string, counts, failed bool) {
	u := &c.update
	s := c.sessions[name]
	if u.Stage != farm.StageTrial || s == nil {
		return
	}
	if u.Tried == nil {
		u.Tried = map[string]trust.Failing{}
	}
	f, fails := u.Tried[r.digest], 0
	if failed {
		fails = 1
	}
	if !u.has(s) {
		f.OthersTries, f.OthersFailed = f.OthersTries+1, f.OthersFailed+fails
		u.Tried[r.digest] = f
		return
	}
	if !slices.Contains(u.First, name) {
		return // who says to have it without having been told proves nothing
	}
	f.Tries, f.Failed = f.Tries+1, f.Failed+fails
	u.Tried[r.digest] = f
	if !counts {
		return
	}
	if u.Pairs++; u.Pairs%trialLook == 0 {
		c.lookAtTrial(ctx)
	}
}

// engineFailed reports whether an engine failed in a pair.
func engineFailed(p *match.PairResult) bool {
	return slices.ContainsFunc(p.Games, func(g match.Result) bool { return g.Termination.IsFault() })
}

// lookAtTrial ends a trial one way or the other, where it can be said, and keeps what was
// counted.
func (c *Coordinator) lookAtTrial(ctx context.Context) {
	u := &c.update
	u.Stage, u.Why = c.trial()
	if u.Stage != farm.StageTrial {
		c.config.Log.Warn("the trial of an update has ended", "stage", u.Stage, "why", u.Why)
	}
	if err := c.keepUpdate(ctx); err != nil {
		c.config.Log.Warn("what is known of an update was not kept", "err", err)
	}
}

// trial is what follows from what was counted.
func (c *Coordinator) trial() (farm.Stage, string) {
	u := &c.update
	if why := c.accusedInTrial(); why != "" {
		return farm.StageHeld, why
	}
	mine, others := u.tally()
	switch p := trust.Worse(slices.Collect(maps.Values(u.Tried))); {
	case p < trialMayBeBad:
		return farm.StageHeld, fmt.Sprintf("engines failed %d times in %d tries with it, and %d times in %d without, which chance does with probability %.2g", mine.Failed, mine.Tries, others.Failed, others.Tries, p)
	case u.Pairs >= trialPairs:
		return farm.StageAll, fmt.Sprintf("%d pairs were played with it as well as others play", u.Pairs)
	}
	return farm.StageTrial, u.Why
}

// accusedInTrial says which worker of the trial is in quarantine since; "": none is.
func (c *Coordinator) accusedInTrial() string {
	for _, name := range c.update.First {
		if w := c.workers[name]; w != nil && w.Quarantine != "" && !w.Since.Before(c.update.At) {
			return fmt.Sprintf("%s, which was to have it first, is quarantined: %s", name, w.Quarantine)
		}
	}
	return ""
}

// tendTrial begins a trial that could not begin without workers, and ends one whose
// workers play nothing any more because they are in quarantine.
func (c *Coordinator) tendTrial(ctx context.Context, now time.Time) {
	if c.update.Stage != farm.StageTrial {
		return
	}
	if len(c.update.First) == 0 {
		if c.beginTrial(now); len(c.update.First) > 0 {
			c.lookAtTrial(ctx)
		}
	}
	if c.accusedInTrial() != "" {
		c.lookAtTrial(ctx)
	}
}

// tally is all that was counted, with a program that is wanted and without.
func (u *updating) tally() (mine, others trust.Failing) {
	for _, f := range u.Tried {
		mine.Tries, mine.Failed = mine.Tries+f.Tries, mine.Failed+f.Failed
		others.Tries, others.Failed = others.Tries+f.OthersTries, others.Failed+f.OthersFailed
	}
	return mine, others
}

// updateStatus is the update for others. mu is held.
func (c *Coordinator) updateStatus(now time.Time) *farm.UpdateStatus {
	u := &c.update
	out := &farm.UpdateStatus{
		Stage: u.Stage, Why: u.Why, By: u.By, At: u.At, Releases: slices.Clone(u.Releases), Known: slices.Clone(u.Known), First: slices.Clone(u.First),
		Pairs: u.Pairs, Need: trialPairs,
	}
	mine, others := u.tally()
	out.Failed, out.Others.Pairs, out.Others.Failed = mine.Failed, others.Tries, others.Failed
	for _, name := range slices.Sorted(maps.Keys(c.sessions)) {
		s := c.sessions[name]
		switch here := now.Sub(s.seen) < c.config.Lease; {
		case !here || len(u.Releases) == 0:
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
