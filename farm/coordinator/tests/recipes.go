package tests

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/roster"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/results/farmstate"
)

// Recipes has the recipes by which workers may build engines. It has a lock of its own, because a change waits for the
// disk.
type Recipes struct {
	State entries.State

	mu sync.Mutex // is locked while recipes change
}

// read returns the recipes by which workers may build engines, ordered by name, and the revision of this list.
func (s *Recipes) read(ctx context.Context) (list []farm.Recipe, revision uint64, err error) {
	revision, err = entries.Load(ctx, s.State, "recipes", &list)
	return list, revision, err
}

// Change stores or removes a recipe for an admin, and returns all recipes. A request without a name changes
// nothing.
func (s *Recipes) Change(ctx context.Context, who roster.Key, r *farm.Recipe) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, revision, err := s.read(ctx)
	if err != nil || r.Name == "" {
		return all, err
	}
	if !who.May(roster.Admin) {
		return nil, who.Deny("change recipes")
	}
	r.By = who.Name
	what := "removed"
	all = slices.DeleteFunc(all, func(o farm.Recipe) bool { return o.Name == r.Name })
	if r.Text != "" {
		what = fmt.Sprintf("allows builds by recipe %.12s from %s", farm.RecipeSum(r.Text), strings.Join(r.Repositories, " "))
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b farm.Recipe) int { return strings.Compare(a.Name, b.Name) })
	action := farmstate.Action{At: time.Now(), By: who.Name, On: farmstate.OnFarm, Name: "recipe " + r.Name, What: what}
	return all, entries.Save(ctx, s.State, entries.Farm, "recipes", all, &revision, action)
}

// MayBuild returns a rejection if workers may not build an engine of a plan, because no recipe with its text allows
// its repository.
func (s *Recipes) MayBuild(ctx context.Context, plan *match.Plan) error {
	all, _, err := s.read(ctx)
	if err != nil {
		return err
	}
	for _, e := range plan.Engines() {
		s := e.Identity.Source
		allows := func(r farm.Recipe) bool { return r.Text == s.Recipe && slices.Contains(r.Repositories, s.Repository) }
		if s != nil && !slices.ContainsFunc(all, allows) {
			return farm.Refusef("engine %s: no recipe with its text allows %s; an admin can change this with gogi farm recipe",
				e.Name, s.Repository)
		}
	}
	return nil
}

// mostBenches is the largest number of benches that a test stores for an engine. Honest workers report the same one.
const mostBenches = 8

// NoteBench stores what a worker has read in the message of a commit that it has built for a test: one number of each
// owner for each engine, the first one. The number of a trusted worker replaces the numbers of workers that the farm
// does not trust. Numbers of workers in quarantine do not count. NoteBench ignores engines that the test does not
// build.
func (s *Tests) NoteBench(ctx context.Context, now time.Time, r *Test, worker string, b farm.Bench) {
	e, built := lists.Find(r.Match.Engines(), func(e match.Player) bool {
		return e.Name == b.Engine && e.Identity.Source != nil
	})
	if !built || s.config.Roster.Barred(worker) {
		return
	}

	source := e.Identity.Source
	check := s.reader(farm.BenchCheck{Engine: e.Name, Commit: source.Commit, Nodes: source.Bench, Message: b.Message,
		Worker: worker})
	list := lists.Map(lists.Filter(r.Benches, func(c farm.BenchCheck) bool { return !s.config.Roster.Barred(c.Worker) }),
		s.reader)
	list = slices.DeleteFunc(list, func(c farm.BenchCheck) bool {
		return c.Engine == e.Name && check.Trusted && !c.Trusted
	})
	known := lists.Filter(list, func(c farm.BenchCheck) bool { return c.Engine == e.Name })
	adds := len(known) < mostBenches && !slices.ContainsFunc(known, func(c farm.BenchCheck) bool {
		return c.Trusted && !check.Trusted || c.Message == check.Message || c.Owner == check.Owner
	})
	if adds {
		list = append(list, check)
		r.AddLine(now, "farm", check.String())
	}
	if !slices.Equal(list, r.Benches) {
		r.Benches = list
		entries.Warn(s.config.Log, s.Keep(ctx, r), "a bench was not stored", "run", r.Name)
	}
}

// reader returns a BenchCheck with the owner of its worker and the farm's trust in the worker, as they are now.
func (s *Tests) reader(c farm.BenchCheck) farm.BenchCheck {
	c.Owner, c.Trusted = s.config.Roster.OwnerOf(c.Worker), s.config.Roster.Trusted(c.Worker)
	return c
}

// noteSources adds a line to the log of a test for each engine that workers build.
func (r *Test) noteSources(by string) {
	for _, e := range r.Match.Engines() {
		if s := e.Identity.Source; s != nil {
			r.AddLine(time.Now(), by, fmt.Sprintf("%s is commit %s of %s, recipe %.12s, bench %d", e.Name, s.Commit,
				s.Repository, farm.RecipeSum(s.Recipe), s.Bench))
		}
	}
}
