package coordinator

import (
	"context"
	"fmt"
	"time"

	"gogi/farm"
	"gogi/match"
)

// gameMost bounds what one game counts for: its times are by its worker's clock. Config.Spent
// has the same bound.
const gameMost = 24 * time.Hour

// dayOf is the beginning of the day of UTC: quotas of slot-hours are for one.
func dayOf(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

// readSpent begins a day with what is stored of it: neither a restart nor a result that
// comes twice counts anything again.
func (c *Coordinator) readSpent(ctx context.Context, now time.Time) error {
	c.day, c.spent = dayOf(now), map[string]time.Duration{}
	if c.config.Spent == nil {
		return nil
	}
	byDigest, err := c.config.Spent(ctx, c.day)
	if err != nil {
		return fmt.Errorf("coordinator: reading what owners have had today: %w", err)
	}
	for digest, took := range byDigest {
		if r := c.runs[digest]; r != nil {
			c.spent[r.Owner] += took
		}
	}
	return nil
}

// spend counts a pair that was stored just now.
func (c *Coordinator) spend(now time.Time, r *run, p *match.PairResult) {
	for i := range p.Games {
		if g := &p.Games[i]; !g.Started.IsZero() { // else nothing says when
			c.spendTime(now, r, min(max(g.Ended.Sub(g.Started), 0), gameMost))
		}
	}
}

// spendTime counts slot-time against an owner's quota of a day.
func (c *Coordinator) spendTime(now time.Time, r *run, took time.Duration) {
	if day := dayOf(now); day.After(c.day) {
		c.day, c.spent = day, map[string]time.Duration{}
	}
	c.spent[r.Owner] += took
}

// overspent says that an owner has had all the slot-hours of today, "" where it has not.
func (c *Coordinator) overspent(now time.Time, owner string) string {
	most := c.config.Quota(owner).SlotHoursDay
	if had := c.spent[owner].Hours(); most > 0 && !dayOf(now).After(c.day) && had >= most {
		return fmt.Sprintf("%s has had %.1f of %g slot-hours today: its tests get what nobody else wants, and none begins, until 00:00 UTC", owner, had, most)
	}
	return ""
}

// waits says which quota keeps a test waiting, "" where none does.
func (c *Coordinator) waits(now time.Time, r *run) string {
	switch r.State {
	case farm.Approved:
		running, most := c.running(r.Owner), c.config.Quota(r.Owner).Running
		if most > 0 && running >= most {
			return fmt.Sprintf("%s has %d tests running, and may have %d", r.Owner, running, most)
		}
		return c.overspent(now, r.Owner)
	case farm.Running:
		return c.overspent(now, r.Owner)
	default:
		return ""
	}
}

// running is how many tests of an owner are played.
func (c *Coordinator) running(owner string) (n int) {
	for _, r := range c.runs {
		if r.Owner == owner && r.State == farm.Running {
			n++
		}
	}
	return n
}

// artefactsOf adds the artefacts that a plan's engines are to a set, with their sizes.
func artefactsOf(plan *match.Plan, sizes, into map[string]int64) {
	for _, p := range plan.Engines() {
		for _, f := range p.Identity.Files {
			into[f.SHA256] = sizes[f.SHA256]
		}
		for _, v := range p.Identity.Variants {
			into[v.SHA256] = max(v.Size, sizes[v.SHA256])
		}
	}
}

// mayKeep refuses a plan whose engines, beside those of its owner's tests that are not over,
// take more than the owner's quota of artefacts. What two of them share counts once.
func (c *Coordinator) mayKeep(owner string, plan *match.Plan, sizes map[string]int64) error {
	most := c.config.Quota(owner).Artefacts
	if most == 0 {
		return nil
	}
	kept := map[string]int64{}
	for _, r := range c.runs {
		if r.Owner == owner && !r.State.Final() {
			artefactsOf(r.plan, sizes, kept)
		}
	}
	artefactsOf(plan, sizes, kept)
	sum := int64(0)
	for _, size := range kept {
		sum += size
	}
	if sum > most {
		return refuse(exitRefused, "the engines of %s's tests would take %d bytes, and may take %d", owner, sum, most)
	}
	return nil
}
