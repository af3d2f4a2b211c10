package coordinator

import (
	"context"
	"fmt"
	"math"
	"time"

	"gogi/farm"
	"gogi/match"
)

// gameMost is the longest time that one game adds to the used quota. Without a limit, a worker with a wrong clock
// could use up a quota. Config.Spent has the same limit.
const gameMost = 24 * time.Hour

// dayOf returns the start of the UTC day of a time. A quota of slot-hours applies to one such day.
func dayOf(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

// readSpent starts a new day of the quotas with the slot-time of the pairs that are already stored on this day
// (Config.Spent). So neither a restart nor a repeated result counts a pair twice.
func (c *Coordinator) readSpent(ctx context.Context) error {
	c.day, c.spent = dayOf(time.Now()), map[string]time.Duration{}
	if c.config.Spent == nil {
		return nil
	}
	byDigest, err := c.config.Spent(ctx, c.day)
	if err != nil {
		return fmt.Errorf("coordinator: reading the slot-time of today: %w", err)
	}
	for digest, took := range byDigest {
		if r := c.runs[digest]; r != nil {
			c.spent[r.Owner] += took
		}
	}
	return nil
}

// spend adds the slot-time of a stored pair to its owner's time of the day. A game without a start time adds
// no time.
func (c *Coordinator) spend(now time.Time, r *run, p *match.PairResult) {
	for i := range p.Games {
		if g := &p.Games[i]; !g.Started.IsZero() {
			c.spendTime(now, r, min(max(g.Ended.Sub(g.Started), 0), gameMost))
		}
	}
}

// spendTime adds slot-time to the time that the owner of a run has used today.
func (c *Coordinator) spendTime(now time.Time, r *run, took time.Duration) {
	if day := dayOf(now); day.After(c.day) {
		c.day, c.spent = day, map[string]time.Duration{}
	}
	c.spent[r.Owner] += took
}

// overspent returns a message if an owner has used the slot-hours of today, or "" otherwise.
func (c *Coordinator) overspent(now time.Time, owner string) string {
	most := c.config.Quota(owner).SlotHoursDay
	if had := c.spent[owner].Hours(); most > 0 && !dayOf(now).After(c.day) && had >= most {
		return fmt.Sprintf("%s has used %.1f of %g slot-hours today: until 00:00 UTC its tests get only unused slots, and none starts", owner, had, most)
	}
	return ""
}

// waits returns a message about the used-up quota of the owner for which a test waits, or "" if it waits for none.
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

// slotsLeft returns how many more pairs of an owner's tests workers may hold.
func (c *Coordinator) slotsLeft(owner string) int {
	most := c.config.Quota(owner).Slots
	if most == 0 {
		return math.MaxInt
	}
	for _, r := range c.runs {
		if r.Owner == owner && r.ledger != nil {
			most -= r.ledger.Held()
		}
	}
	return max(0, most)
}

// running returns the number of an owner's running tests.
func (c *Coordinator) running(owner string) (n int) {
	for _, r := range c.runs {
		if r.Owner == owner && r.State == farm.Running {
			n++
		}
	}
	return n
}

// addArtefacts adds the artefacts (files) of a plan's engines to into, a map from SHA-256 to size. sizes has the
// sizes of the farm's artefacts.
func addArtefacts(plan *match.Plan, sizes, into map[string]int64) {
	for _, p := range plan.Engines() {
		for _, f := range p.Identity.Files {
			into[f.SHA256] = sizes[f.SHA256]
		}
		for _, v := range p.Identity.Variants {
			into[v.SHA256] = max(v.Size, sizes[v.SHA256])
		}
	}
}

// mayKeep returns a rejection if a plan would exceed the owner's quota of artefacts. It counts the plan's engines
// and the engines of the owner's tests that have not ended. An artefact that several tests share counts once. sizes
// has the sizes of the farm's artefacts.
func (c *Coordinator) mayKeep(owner string, plan *match.Plan, sizes map[string]int64) error {
	most := c.config.Quota(owner).Artefacts
	if most == 0 {
		return nil
	}
	kept := map[string]int64{}
	for _, r := range c.runs {
		if r.Owner == owner && !r.State.Final() {
			addArtefacts(r.plan, sizes, kept)
		}
	}
	addArtefacts(plan, sizes, kept)
	sum := int64(0)
	for _, size := range kept {
		sum += size
	}
	if Size(sum) > most {
		return farm.Refusef("the engines of %s's tests would take %d bytes, and may take %d", owner, sum, most)
	}
	return nil
}
