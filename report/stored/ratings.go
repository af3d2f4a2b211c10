package stored

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gogi/match"
	"gogi/report/ratings"
	"gogi/results"
)

// Rate adds the games of a run to g. It also notes whether the run is unfinished, was stopped by a test, or
// paired by results.
func Rate(ctx context.Context, store *results.Store, info *results.RunInfo, g *ratings.Games) error {
	players, anchor, err := entrantsOf(info)
	if err != nil {
		return err
	}
	g.Anchored(anchor)
	run := g.Run(players)
	rep, err := Report(ctx, store, info.Name, run.Add)
	switch {
	case err != nil:
		return err
	case !rep.Finished:
		g.Unfinished(info.Name)
	case rep.Gate != nil:
		g.Stopped(info.Name, rep.Gate.Design.String())
	}
	if rep.Tournament != nil {
		switch rep.Tournament.Design {
		case match.DesignAdaptive:
			g.Paired(info.Name)
		case match.DesignSwiss, match.DesignKnockout:
			g.Competed(info.Name)
		default: // pairings that do not depend on results
		}
	}
	return nil
}

// entrantsOf returns a run's players and their anchor ("": none). Each player has the settings that decide
// how it plays. These are the settings in the plan's canonical text, except the margin, the longest stall,
// restarts, and the name of a profile, whose options are included.
func entrantsOf(info *results.RunInfo) (list []ratings.Entrant, anchor string, err error) {
	plan, err := info.ParsePlan()
	if err != nil {
		return nil, "", err
	}
	for i, p := range plan.Players {
		e := ratings.Entrant{Name: p.Name}
		add := func(name, value string) { e.Traits = append(e.Traits, ratings.Trait{Name: name, Value: value}) }
		add("limits", plan.LimitsText(i))
		for _, o := range slices.SortedFunc(slices.Values(p.Options), func(a, b match.Option) int { return cmp.Compare(a.Name, b.Name) }) {
			add(o.Name, o.Value)
		}
		if len(p.Arguments) > 0 {
			add("arguments", strings.Join(p.Arguments, " "))
		}
		if len(p.Env) > 0 {
			add("env", strings.Join(p.Env, " "))
		}
		if p.Council != nil {
			text, err := json.Marshal(p.Council)
			if err != nil {
				return nil, "", err
			}
			add("council", fmt.Sprintf("%x", sha256.Sum256(text))[:8])
		}
		add("identity", info.Engines[i].Identity.String())
		list = append(list, e)
	}
	return list, plan.Anchor, nil
}
