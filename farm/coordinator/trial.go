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

// Of an update: of each kind of machine a twentieth of the workers are told first, the
// others when these have played so many pairs, were not quarantined, and had no more engines
// that failed than the others of the kind had. They are looked at ten times, each at a tenth
// of one in a hundred. Where none of them runs the new program for so long, others are drawn
// beside them.
const (
	firstOf       = 20
	trialPairs    = 500
	trialLook     = trialPairs / 10
	trialMayBeBad = 0.001
	trialPatience = time.Hour
)

// trial is that of one release, on the one kind of machine that it is for.
type trial struct {
	First []string `cbor:"first"` // the workers that are told first, by name
	// Tried is what came since the order, by plan digest: of those who are first, with the
	// release, and of those of the kind without.
	Tried  map[string]trust.Failing `cbor:"tried"`
	Pairs  int                      `cbor:"pairs"` // of those who are first, with the release
	Passed bool                     `cbor:"passed"`

	seen time.Time // when one of First was here with the release, or was drawn; zero: not by this process
}

// tells reports whether a worker of the kind is told to take the release while the update
// is being tried. t may be nil: nobody is.
func (t *trial) tells(name string) bool {
	return t != nil && (t.Passed || slices.Contains(t.First, name))
}

// tally is all that was counted, with the release and without.
func (t *trial) tally() (mine, others trust.Failing) {
	for _, f := range t.Tried {
		mine.Tries, mine.Failed = mine.Tries+f.Tries, mine.Failed+f.Failed
		others.Tries, others.Failed = others.Tries+f.OthersTries, others.Failed+f.OthersFailed
	}
	return mine, others
}

// status is the trial for others.
func (t *trial) status(sum string) farm.TrialStatus {
	mine, others := t.tally()
	return farm.TrialStatus{
		SHA256: sum, First: slices.Clone(t.First), Passed: t.Passed, Pairs: t.Pairs,
		Tries: mine.Tries, Failed: mine.Failed, OthersTries: others.Tries, OthersFailed: others.Failed,
	}
}

// count adds a unit or an attempt at one: of whom, in which test, did an engine fail?
func (t *trial) count(digest string, has, failed bool) {
	if t.Tried == nil {
		t.Tried = map[string]trust.Failing{}
	}
	f, fails := t.Tried[digest], 0
	if failed {
		fails = 1
	}
	if has {
		f.Tries, f.Failed = f.Tries+1, f.Failed+fails
	} else {
		f.OthersTries, f.OthersFailed = f.OthersTries+1, f.OthersFailed+fails
	}
	t.Tried[digest] = f
}

// drawFirst tells first workers of each kind of machine where none was told, or none took the
// release for too long, and reports whether it told any.
func (c *Coordinator) drawFirst(now time.Time) (drew bool) {
	u := &c.update
	for sum, t := range u.Trials {
		if t.Passed || len(t.First) > 0 && !c.stuck(t, now) {
			continue
		}
		if names := c.firstOf(sum, t.First, now); len(names) > 0 {
			t.First, t.seen, drew = append(t.First, names...), now, true
			slices.Sort(t.First)
		}
	}
	return drew
}

// stuck reports whether none of a trial's workers has been here with its release for so
// long that it would not end: they went away, or refuse it. A process that has just begun
// waits as long.
func (c *Coordinator) stuck(t *trial, now time.Time) bool {
	has := func(name string) bool {
		s := c.sessions[name]
		return s != nil && now.Sub(s.seen) < c.config.Lease && c.update.has(s)
	}
	if t.seen.IsZero() || slices.ContainsFunc(t.First, has) {
		t.seen = now
	}
	return now.Sub(t.seen) >= trialPatience
}

// firstOf are a twentieth of the workers that are here and to have a release, at least one
// where there is any, beside those that were told already. A program of before releases were
// known comes last: it cannot take one itself.
func (c *Coordinator) firstOf(sum string, told []string, now time.Time) (names []string) {
	var here []*session
	for _, s := range c.sessions {
		w := c.workers[s.name]
		if r := c.update.release(s); r != nil && r.SHA256 == sum && now.Sub(s.seen) < c.config.Lease && w.Quarantine == "" && !w.Draining && !slices.Contains(told, s.name) {
			here = append(here, s)
		}
	}
	lot := func(s *session) string {
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
		return cmp.Compare(lot(a), lot(b))
	})
	for _, s := range here[:(len(here)+firstOf-1)/firstOf] {
		names = append(names, s.name)
	}
	return names
}

// tried counts a unit of a worker towards an update, or an attempt at one: did an engine
// fail?
func (c *Coordinator) tried(ctx context.Context, r *run, name string, counts, failed bool) {
	u := &c.update
	s := c.sessions[name]
	if u.Stage != farm.StageTrial || s == nil {
		return
	}
	release := u.release(s)
	if release == nil {
		return
	}
	t, has := u.Trials[release.SHA256], u.has(s)
	if t == nil || t.Passed || has && !slices.Contains(t.First, name) {
		return // who says to have it without having been told proves nothing
	}
	t.count(r.digest, has, failed)
	if !has || !counts {
		return
	}
	if t.Pairs++; t.Pairs%trialLook == 0 {
		c.lookAtTrials(ctx)
	}
}

// engineFailed reports whether an engine failed in a pair.
func engineFailed(p *match.PairResult) bool {
	return slices.ContainsFunc(p.Games, func(g match.Result) bool { return g.Termination.IsFault() })
}

// lookAtTrials ends the update's trials one way or the other, where it can be said, and
// keeps what was counted.
func (c *Coordinator) lookAtTrials(ctx context.Context) {
	u := &c.update
	why := c.accusedInTrial()
	for i := range u.Releases {
		if t := u.Trials[u.Releases[i].SHA256]; why == "" && t != nil && !t.Passed {
			why = t.look()
		}
	}
	passed := func(r farm.Release) bool { t := u.Trials[r.SHA256]; return t != nil && t.Passed }
	switch {
	case why != "":
		u.Stage, u.Why = farm.StageHeld, why
		c.config.Log.Warn("an update goes no further", "why", u.Why)
	case !slices.ContainsFunc(u.Releases, func(r farm.Release) bool { return !passed(r) }):
		u.Stage, u.Why = farm.StageAll, fmt.Sprintf("%d pairs of each kind of machine were played with it as well as others play", trialPairs)
		c.config.Log.Info("all workers are told of an update", "why", u.Why)
	}
	if err := c.keepUpdate(ctx); err != nil {
		c.config.Log.Warn("what is known of an update was not kept", "err", err)
	}
}

// look passes a trial that has gone well for long enough, or says why it has not gone well.
func (t *trial) look() (why string) {
	mine, others := t.tally()
	if p := trust.Worse(slices.Collect(maps.Values(t.Tried))); p < trialMayBeBad {
		return fmt.Sprintf("engines failed %d times in %d tries with it, and %d times in %d without, which chance does with probability %.2g", mine.Failed, mine.Tries, others.Failed, others.Tries, p)
	}
	t.Passed = t.Pairs >= trialPairs
	return ""
}

// accusedInTrial says which worker of a trial that goes on is in quarantine since; "": none is.
func (c *Coordinator) accusedInTrial() string {
	for _, t := range c.update.Trials {
		for _, name := range t.First {
			if w := c.workers[name]; w != nil && w.Quarantine != "" && !t.Passed && !w.Since.Before(c.update.At) {
				return fmt.Sprintf("%s, which was to have it first, is quarantined: %s", name, w.Quarantine)
			}
		}
	}
	return ""
}

// tendTrials begins trials that could not begin without workers, or whose workers went
// away, and ends one whose workers play nothing any more because they are in quarantine.
func (c *Coordinator) tendTrials(ctx context.Context, now time.Time) {
	if c.update.Stage == farm.StageTrial && (c.drawFirst(now) || c.accusedInTrial() != "") {
		c.lookAtTrials(ctx)
	}
}
