package stored

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gogi/internal/i18n"
	"gogi/match"
	"gogi/report"
	"gogi/report/ratings"
	"gogi/results"
)

// Rate adds the games of a run to g. It also records facts about the run that lead to warnings: it is unfinished, a
// test could stop it, or results chose its pairs.
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
		default: // results do not decide the pairings
		}
	}
	return nil
}

// entrantsOf returns a run's players, and the name of the anchor ("" if there is none). The traits of a player are all
// settings that decide how it plays, with the options of its profile. They are all its settings in the plan's canonical
// text, except the time margin, the stall limit, restarts and the name of the profile.
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

// ranking rates the players of a run with more than two players. It uses the pairs that the report reads.
type ranking struct {
	games  *ratings.Games
	run    *ratings.Run
	anchor string
}

// newRanking returns a ranking without pairs. It returns nil for a run of two players.
func newRanking(info *results.RunInfo) (*ranking, error) {
	if len(info.Players) < 3 {
		return nil, nil //nolint:nilnil // nothing to rate
	}
	players, anchor, err := entrantsOf(info)
	if err != nil {
		return nil, err
	}
	k := &ranking{games: ratings.NewGames(), anchor: anchor}
	k.games.Anchored(anchor)
	k.run = k.games.Run(players)
	return k, nil
}

// add adds a whole pair.
func (k *ranking) add(rows []match.Row) error {
	if k == nil {
		return nil
	}
	return k.run.Add(rows)
}

const (
	rankConfidence = 0.95
	rankLevel      = 0.05
	mostCompared   = 30 // largest number of players to compare, so that a report does not take long
)

// of returns the ranking of the report's players, or nil for a run of two players.
func (k *ranking) of(rep *report.Report) *report.Ranking {
	r := rep.Rank()
	if r == nil || k == nil || rep.Games == 0 {
		return r
	}
	r.Confidence = rankConfidence
	// An adaptive design calculates its own ratings. Their intervals are more reliable for the pairs that it
	// chose.
	if rep.Tournament != nil && rep.Tournament.Design == match.DesignAdaptive {
		return nil
	}
	o := ratings.Options{
		Model: "all", Draws: "auto", Confidence: rankConfidence, Seed: 1, Untested: true, Pairwise: len(r.Players) <= mostCompared,
	}
	rated, err := ratings.Rate(k.games, o)
	if err != nil { // too few draws to model the draw rate, so a draw counts as half a win
		o.Draws = "half"
		if half, wrong := ratings.Rate(k.games, o); wrong == nil {
			rated, err = half, nil
		}
	}
	if err != nil {
		r.Why = i18n.Because(err)
		return r
	}
	if rated.Anchor != nil {
		r.Anchor = rated.Anchor.Player
	}
	of := map[string]ratings.Player{}
	for _, p := range rated.Players {
		of[p.Name] = p
	}
	for i := range r.Players {
		p := of[r.Players[i].Player]
		r.Players[i].Elo, r.Players[i].Bounds, r.Players[i].Why = p.Elo, p.Bounds, p.Why
	}
	r.Unshown = unshown(r.Players, rated)
	return r
}

// unshown returns the players against whom the first player is not shown to be stronger. It includes players
// without a rating, who lost or won every game. It returns nil if the first player has no comparison.
func unshown(players []report.Ranked, rated *ratings.Report) []string {
	first := players[0].Player
	weaker, compared := map[string]bool{}, false
	for _, c := range rated.Comparisons {
		if c.PHolm == nil || c.Elo == nil || c.A != first && c.B != first {
			continue
		}
		compared = true
		other, ahead := c.B, *c.Elo > 0
		if c.B == first {
			other, ahead = c.A, *c.Elo < 0
		}
		weaker[other] = ahead && *c.PHolm < rankLevel
	}
	if !compared {
		return nil
	}
	list := []string{}
	for _, p := range players[1:] {
		if !weaker[p.Player] {
			list = append(list, p.Player)
		}
	}
	return list
}
