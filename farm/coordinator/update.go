package coordinator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/rollout"
	"gogi/farm/coordinator/roster"
	"gogi/match"
	"gogi/results/farmstate"
)

// updating is the current update: the programs that workers must run. State stores it in the farm's bucket under
// keyUpdate.
type updating struct {
	rollout.State
	revision uint64
}

const keyUpdate = "update"

func (c *Coordinator) readUpdate(ctx context.Context) error {
	var err error
	if c.update.revision, err = entries.Load(ctx, c.config.State, keyUpdate, &c.update.State); err != nil {
		return fmt.Errorf("coordinator: reading the update: %w", err)
	}
	c.update.Resume()
	return nil
}

// keepUpdate stores the update. by is the name of the key that has changed it, or "" if the counts of its trial
// have changed.
func (c *Coordinator) keepUpdate(ctx context.Context, by string) error {
	var actions []farmstate.Action
	if by != "" {
		what := "update of the workers: " + string(c.update.Stage) + farm.Because(c.update.Why)
		actions = append(actions, farmstate.Action{At: time.Now(), By: by, On: farmstate.OnFarm, Name: keyUpdate, What: what})
	}
	if err := entries.Save(ctx, c.config.State, entries.Farm, keyUpdate, c.update.State, &c.update.revision, actions...); err != nil {
		return fmt.Errorf("coordinator: the update: %w", err)
	}
	return nil
}

// setUpdate starts or ends an update, or ends its trial. Without an order it only returns the status.
func (c *Coordinator) setUpdate(ctx context.Context, who roster.Key, u *farm.Update) (any, error) {
	asks := !u.Off && !u.All && len(u.Releases)+len(u.Known) == 0
	if !asks && !who.May(roster.Admin) {
		return nil, who.Deny("update workers")
	}
	var sizes map[string]int64
	if len(u.Releases) > 0 {
		var err error
		if sizes, err = c.config.Bus.Artefacts(ctx); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if !asks {
		before := c.update.State
		if err := c.update.Order(who.Name, u, sizes, c.members(now), now); err != nil {
			return nil, farm.Refusef("%v", err)
		}
		if err := c.keepUpdate(ctx, who.Name); err != nil {
			c.update.State = before
			return nil, err
		}
		c.config.Log.Info("workers are updated", "stage", c.update.Stage, "by", who.Name, "why", c.update.Why)
	}
	return c.update.Status(c.members(now)), nil
}

// member returns the data of a worker that package rollout needs.
func (c *Coordinator) member(s *roster.Session, now time.Time) rollout.Worker {
	w := c.roster.Workers[s.Name]
	return rollout.Worker{
		Name: s.Name, OS: s.Hello.Labels["os"], Arch: s.Hello.Labels["arch"], Program: s.Hello.Program,
		Here: now.Sub(s.Seen) < c.config.Lease, Sound: w.Quarantine == "" && !w.Draining,
	}
}

func (c *Coordinator) members(now time.Time) (list []rollout.Worker) {
	for _, s := range c.roster.Sessions {
		list = append(list, c.member(s, now))
	}
	return list
}

// countTry counts a pair or an attempt of a worker for the trial of an update. counts is false for an
// attempt, which does not count as a pair. failed means that an engine failed.
func (c *Coordinator) countTry(ctx context.Context, r *run, name string, counts, failed bool) {
	if s := c.roster.Sessions[name]; s != nil && c.update.Count(r.digest, c.member(s, time.Now()), counts, failed) {
		c.lookAtTrials(ctx)
	}
}

// engineFailed reports whether an engine failed in a pair.
func engineFailed(p *match.PairResult) bool {
	return slices.ContainsFunc(p.Games, func(g match.Result) bool { return g.Termination.IsFault() })
}

// lookAtTrials decides the trials of the update if possible, and stores their counts.
func (c *Coordinator) lookAtTrials(ctx context.Context) {
	u, by := &c.update, ""
	before := u.Stage
	u.Look(c.accusedInTrial())
	if u.Stage != before {
		by = "farm"
	}
	switch u.Stage {
	case farm.StageHeld:
		c.config.Log.Warn("an update is held", "why", u.Why)
	case farm.StageAll:
		c.config.Log.Info("all workers get an update", "why", u.Why)
	case farm.StageNone, farm.StageTrial:
	}
	entries.Warn(c.config.Log, c.keepUpdate(ctx, by), "the update was not stored")
}

// accusedInTrial returns the reason why a worker of an open trial was quarantined since the order of the update. It
// returns "" if there is no such worker.
func (c *Coordinator) accusedInTrial() string {
	return c.update.Accused(func(name string) (why string, since time.Time) {
		if w := c.roster.Workers[name]; w != nil {
			why, since = w.Quarantine, w.Since
		}
		return why, since
	})
}

// tendTrials selects workers for trials that have none, or whose workers have disappeared. If a worker of a trial is
// in quarantine, tendTrials ends the trial, because that worker plays no more pairs.
func (c *Coordinator) tendTrials(ctx context.Context, now time.Time) {
	if c.update.Tend(c.members(now), c.accusedInTrial(), now) {
		c.lookAtTrials(ctx)
	}
}
