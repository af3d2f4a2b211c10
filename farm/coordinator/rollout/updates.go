package rollout

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/roster"
	"gogi/results/farmstate"
)

// Updates is the current update of a farm: the programs that workers must run. The state stores it in the farm's bucket
// under keyUpdate. The caller guards it with a lock.
type Updates struct {
	Current State

	config   Config
	revision uint64
}

// A Config is the input of NewUpdates. All fields are necessary.
type Config struct {
	State  entries.State
	Roster *roster.Roster
	Lease  time.Duration // a worker is connected if its last heartbeat is younger
	Log    *slog.Logger
}

// NewUpdates returns the Updates of a farm without an update.
func NewUpdates(c Config) *Updates { return &Updates{config: c} }

const keyUpdate = "update"

// Read reads the stored update.
func (u *Updates) Read(ctx context.Context) error {
	var err error
	if u.revision, err = entries.Load(ctx, u.config.State, keyUpdate, &u.Current); err != nil {
		return fmt.Errorf("coordinator: reading the update: %w", err)
	}
	u.Current.Resume()
	return nil
}

// keep stores the update. by is the name of the key that has changed it, or "" if the counts of its trial
// have changed.
func (u *Updates) keep(ctx context.Context, by string) error {
	var actions []farmstate.Action
	if by != "" {
		what := "update of the workers: " + string(u.Current.Stage) + farm.Because(u.Current.Why)
		actions = append(actions, farmstate.Action{At: time.Now(), By: by, On: farmstate.OnFarm, Name: keyUpdate, What: what})
	}
	if err := entries.Save(ctx, u.config.State, entries.Farm, keyUpdate, u.Current, &u.revision, actions...); err != nil {
		return fmt.Errorf("coordinator: the update: %w", err)
	}
	return nil
}

// Member returns the data of a worker that package rollout needs.
func (u *Updates) Member(s *roster.Session, now time.Time) Worker {
	w := u.config.Roster.Workers[s.Name]
	return Worker{
		Name: s.Name, OS: s.Hello.Labels["os"], Arch: s.Hello.Labels["arch"], Program: s.Hello.Program,
		Here: now.Sub(s.Seen) < u.config.Lease, Sound: w.Quarantine == "" && !w.Draining,
	}
}

func (u *Updates) members(now time.Time) (list []Worker) {
	for _, s := range u.config.Roster.Sessions {
		list = append(list, u.Member(s, now))
	}
	return list
}

// Count counts a pair or an attempt of a worker at a test for the trial of an update. counts is false for an
// attempt, which does not count as a pair. failed means that an engine failed.
func (u *Updates) Count(ctx context.Context, test, name string, counts, failed bool) {
	if s := u.config.Roster.Sessions[name]; s != nil && u.Current.Count(test, u.Member(s, time.Now()), counts, failed) {
		u.lookAtTrials(ctx)
	}
}

// lookAtTrials decides the trials of the update if possible, and stores their counts.
func (u *Updates) lookAtTrials(ctx context.Context) {
	by := ""
	before := u.Current.Stage
	u.Current.Look(u.accusedInTrial())
	if u.Current.Stage != before {
		by = "farm"
	}
	switch u.Current.Stage {
	case farm.StageHeld:
		u.config.Log.Warn("an update is held", "why", u.Current.Why)
	case farm.StageAll:
		u.config.Log.Info("all workers get an update", "why", u.Current.Why)
	case farm.StageNone, farm.StageTrial:
	}
	entries.Warn(u.config.Log, u.keep(ctx, by), "the update was not stored")
}

// accusedInTrial returns the reason why a worker of an open trial was quarantined since the order of the update. It
// returns "" if there is no such worker.
func (u *Updates) accusedInTrial() string {
	return u.Current.Accused(func(name string) (why string, since time.Time) {
		if w := u.config.Roster.Workers[name]; w != nil {
			why, since = w.Quarantine, w.Since
		}
		return why, since
	})
}

// Tend selects workers for trials that have none, or whose workers have disappeared. If a worker of a trial is
// in quarantine, Tend ends the trial, because that worker plays no more pairs.
func (u *Updates) Tend(ctx context.Context, now time.Time) {
	if u.Current.Tend(u.members(now), u.accusedInTrial(), now) {
		u.lookAtTrials(ctx)
	}
}

// Order changes the update as the user by requests. sizes has the sizes of the farm's artefacts. After an error nothing
// has changed.
func (u *Updates) Order(ctx context.Context, by string, o *farm.Update, sizes map[string]int64, now time.Time) error {
	before := u.Current
	if err := u.Current.Order(by, o, sizes, u.members(now), now); err != nil {
		return farm.Refusef("%v", err)
	}
	if err := u.keep(ctx, by); err != nil {
		u.Current = before
		return err
	}
	u.config.Log.Info("workers are updated", "stage", u.Current.Stage, "by", by, "why", u.Current.Why)
	return nil
}

// Status returns the status of the update with the connected workers.
func (u *Updates) Status(now time.Time) *farm.UpdateStatus { return u.Current.Status(u.members(now)) }
