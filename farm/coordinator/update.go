package coordinator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/rollout"
	"gogi/match"
)

// updating is which programs workers are to have, as it is kept in the bucket of the farm.
type updating struct {
	rollout.State
	revision uint64
}

// keyUpdate is where it is kept.
const keyUpdate = "update"

func (c *Coordinator) readUpdate(ctx context.Context) error {
	var err error
	if c.update.revision, err = c.load(ctx, keyUpdate, &c.update.State); err != nil {
		return fmt.Errorf("coordinator: reading the update: %w", err)
	}
	c.update.Resume()
	return nil
}

func (c *Coordinator) keepUpdate(ctx context.Context) error {
	if err := c.save(ctx, bucketFarm, keyUpdate, c.update.State, &c.update.revision); err != nil {
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
	now := time.Now()
	if !asks {
		before := c.update.State
		if err := c.update.Order(who.Name, &u, sizes, c.members(now), now); err != nil {
			return nil, refuse(exitRefused, "%v", err)
		}
		if err := c.keepUpdate(ctx); err != nil {
			c.update.State = before
			return nil, err
		}
		c.config.Log.Info("workers are updated", "stage", c.update.Stage, "by", who.Name, "why", c.update.Why)
	}
	return c.update.Status(c.members(now)), nil
}

// member is a worker that is here, or was, as an update sees it.
func (c *Coordinator) member(s *session, now time.Time) rollout.Worker {
	w := c.workers[s.name]
	return rollout.Worker{
		Name: s.name, OS: s.hello.Labels["os"], Arch: s.hello.Labels["arch"], Program: s.hello.Program,
		Here: now.Sub(s.seen) < c.config.Lease, Sound: w.Quarantine == "" && !w.Draining,
	}
}

func (c *Coordinator) members(now time.Time) (list []rollout.Worker) {
	for _, s := range c.sessions {
		list = append(list, c.member(s, now))
	}
	return list
}

// tried counts a unit of a worker towards an update, or an attempt at one: did an engine
// fail?
func (c *Coordinator) tried(ctx context.Context, r *run, name string, counts, failed bool) {
	if s := c.sessions[name]; s != nil && c.update.Count(r.digest, c.member(s, time.Now()), counts, failed) {
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
	u.Look(c.accusedInTrial())
	switch u.Stage {
	case farm.StageHeld:
		c.config.Log.Warn("an update goes no further", "why", u.Why)
	case farm.StageAll:
		c.config.Log.Info("all workers are told of an update", "why", u.Why)
	case farm.StageNone, farm.StageTrial:
	}
	if err := c.keepUpdate(ctx); err != nil {
		c.config.Log.Warn("what is known of an update was not kept", "err", err)
	}
}

// accusedInTrial says which worker of a trial that goes on is in quarantine since; "": none is.
func (c *Coordinator) accusedInTrial() string {
	return c.update.Accused(func(name string) (why string, since time.Time) {
		if w := c.workers[name]; w != nil {
			why, since = w.Quarantine, w.Since
		}
		return why, since
	})
}

// tendTrials begins trials that could not begin without workers, or whose workers went
// away, and ends one whose workers play nothing any more because they are in quarantine.
func (c *Coordinator) tendTrials(ctx context.Context, now time.Time) {
	if c.update.Tend(c.members(now), c.accusedInTrial(), now) {
		c.lookAtTrials(ctx)
	}
}
