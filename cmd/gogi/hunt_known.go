package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/results"
	"gogi/results/evidence"
)

// begin merges equal versions, finds the stored pairs of the others and starts the calculation. It starts each engine
// once, but builds only the good and the bad commit. It returns an *unbuildable if one of them does not build.
func (h *search) begin(ctx context.Context, s *session.Session) error {
	keys, conditions, err := h.keys(ctx, s)
	if err != nil {
		return err
	}
	if err := h.nameRuns(ctx, s, keys, conditions); err != nil {
		return err
	}
	if err := h.mergeEqual(s, keys); err != nil {
		return err
	}
	q := evidence.Question{Sent: h.git != nil, Conditions: conditions}
	for _, name := range h.names {
		q.Players = append(q.Players, keys[name])
	}
	if err := h.findStored(ctx, q); err != nil {
		return err
	}
	return h.restart()
}

// keys returns the player key of each version and the key of the conditions.
func (h *search) keys(ctx context.Context, s *session.Session) (keys map[string]match.Key, conditions match.Key,
	err error) {
	keys = map[string]match.Key{}
	others := h.names[1:]
	if h.git != nil {
		others = h.names[len(h.names)-1:]
	}
	for _, name := range others {
		o, err := h.ready(ctx, s.Env, pairing{Run: h.versions.run, A: name, B: h.names[0], Pairs: 1, Offset: -1})
		if err != nil {
			return nil, conditions, err
		}
		plan, err := match.ParseCanonical(o.Plan.Canonical())
		if err != nil {
			return nil, conditions, err
		}
		conditions = plan.Conditions()
		keys[name], keys[h.names[0]] = o.Plan.Keys(0).Exact, o.Plan.Keys(1).Exact
		if h.git != nil {
			h.commitKeys(plan.Players[1], keys)
		}
	}
	return keys, conditions, nil
}

// nameRuns changes the first part of the names of the runs from NAME to NAME-2, NAME-3, … if another hunt of the
// database has played runs with this name. It changes no name that the user has chosen.
func (h *search) nameRuns(ctx context.Context, s *session.Session, keys map[string]match.Key,
	conditions match.Key) error {
	if h.chosen {
		return nil
	}
	if err := h.openStore(ctx); err != nil {
		return err
	}
	name := h.versions.run
	for {
		first, err := s.Store.FindRun(ctx, h.runName(1))
		if _, none := errors.AsType[*results.NoRun](err); none {
			break
		}
		if err != nil {
			return err
		}
		plan, err := first.ParsePlan()
		if err != nil {
			return err
		}
		if plan.Conditions() == conditions && playedBy(first, plan, keys) {
			break
		}
		h.nextName()
	}
	if h.versions.run != name {
		s.Note(i18n.Of("%s", fmt.Sprintf("another hunt has the runs %s-…; the runs of this hunt are %s-…", name,
			h.versions.run)))
	}
	return nil
}

// playedBy reports whether all players of a run have keys in the map keys.
func playedBy(run *results.RunInfo, plan *match.CanonicalPlan, keys map[string]match.Key) bool {
	known := slices.Collect(maps.Values(keys))
	for i := range plan.Players {
		if !slices.Contains(known, run.Keys(plan, i).Exact) {
			return false
		}
	}
	return true
}

// mergeEqual merges each version with the newest version that has the same key.
func (h *search) mergeEqual(s *session.Session, keys map[string]match.Key) error {
	for i := 0; i < len(h.names); i++ {
		for j := len(h.names) - 1; j > i; j-- {
			if keys[h.names[i]] == keys[h.names[j]] {
				if err := h.merge(s, i, j); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// commitKeys sets the keys of all commits. Most of them have no build yet. Their players differ from that of the good
// commit only in the source.
func (h *search) commitKeys(good match.CanonicalPlayer, keys map[string]match.Key) {
	good.Identity = maps.Clone(good.Identity)
	for _, name := range h.names {
		good.Identity["fixed"] = h.git.identity(h.git.of[name])
		keys[name] = good.Keys(nil).Sent
	}
}

// findStored finds the stored pairs of the versions. A hunt that is resumed uses the pairs that it knew at its
// beginning, so that it makes the same decisions.
func (h *search) findStored(ctx context.Context, q evidence.Question) error {
	if err := h.openStore(ctx); err != nil {
		return err
	}
	store := h.match.session.Store
	before, err := store.FindRun(ctx, h.runName(1))
	if _, none := errors.AsType[*results.NoRun](err); err != nil && !none {
		return err
	}
	q.Before = before
	list, err := evidence.FindStored(ctx, store, q)
	for _, p := range list {
		old, new, scores := h.names[p.A], h.names[p.B], p.Series.Scores()
		if !h.Gained {
			scores = scores.Mirror()
		}
		found := played{old, new, scores, 2 * p.Series.Pairs()}
		if p.Session == "" {
			h.stored = append(h.stored, found)
		} else {
			h.past.add(found)
		}
		maps.Copy(h.openings(old, new), p.Openings)
	}
	h.past.estimate()
	return err
}

// openings returns the set of the openings that two versions have played.
func (h *search) openings(old, new string) map[uint64]bool {
	key := [2]string{old, new}
	if h.used == nil {
		h.used = map[[2]string]map[uint64]bool{}
	}
	if h.used[key] == nil {
		h.used[key] = map[uint64]bool{}
	}
	return h.used[key]
}

// merge removes the versions i+1 to j, because version j is the same player as version i: if a single version changed
// the strength, it is none of them. merge returns an error if i is the first version and j is the last one.
func (h *search) merge(s *session.Session, i, j int) error {
	old, new := h.names[i], h.names[j]
	if i == 0 && j == len(h.names)-1 {
		return &cli.Exit{Code: cli.GateFailed,
			Err: fmt.Errorf("%s is the same program with the same settings as %s; there is nothing to find", new, old)}
	}
	s.Note(i18n.Of("%s",
		fmt.Sprintf("%s is the same program with the same settings as %s; no change between them is the culprit", new, old)))
	h.until[old] = new
	h.names = slices.Delete(slices.Clone(h.names), i+1, j+1)
	return nil
}
