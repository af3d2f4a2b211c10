package stored

import (
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/report"
	"gogi/report/ratings"
	"gogi/results"
)

// ranking rates the players of a run of more than two, from the pairs that the report reads.
type ranking struct {
	games  *ratings.Games
	run    *ratings.Run
	anchor string
}

// newRanking returns nil for a run of two players.
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

// add takes a whole pair.
func (k *ranking) add(rows []match.Row) error {
	if k == nil {
		return nil
	}
	return k.run.Add(rows)
}

const (
	rankConfidence = 0.95
	rankLevel      = 0.05
	mostCompared   = 30 // players, so that a report of many does not take long
)

// of returns the ranking of the report's players, nil for two.
func (k *ranking) of(rep *report.Report) *report.Ranking {
	r := rep.Rank()
	if r == nil || k == nil || rep.Games == 0 {
		return r
	}
	r.Confidence = rankConfidence
	// Pairs that an adaptive design chose have a rating of their own, whose intervals hold better.
	if rep.Tournament != nil && rep.Tournament.Design == match.DesignAdaptive {
		return nil
	}
	o := ratings.Options{
		Model: "all", Draws: "auto", Confidence: rankConfidence, Seed: 1, Untested: true, Pairwise: len(r.Players) <= mostCompared,
	}
	rated, err := ratings.Rate(k.games, o)
	if err != nil { // too few draws for a model of them: count them as half a win
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

// unshown returns the players that the first player is not shown to be stronger than. It is nil if the first
// player has no comparison. It includes players without a rating, which lost or won every game.
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
