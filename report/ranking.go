package report

import (
	"slices"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
)

// Ranking lists more than two players in the order of their points. It also has their ratings by the models
// of "gogi rate".
type Ranking struct {
	Anchor     string  `json:"anchor,omitempty"` // player with rating 0; "": the mean of all ratings is 0
	Confidence float64 `json:"confidence"`       // level of the intervals
	// ordered by points, then by share of the points; the best player is first
	Players []Ranked `json:"players"`
	// Unshown lists the players against whom the first player is not shown to be stronger. The tests compare
	// the Elo of every two players at 5%, adjusted for all comparisons (Holm). Unshown is null if there are
	// no such tests.
	Unshown []string `json:"unshown"`
	// Selected reports whether a Swiss or a knockout tournament determined the first player. The interval of
	// the first player is then not valid: docs/matches.md has its coverage.
	Selected bool         `json:"selected,omitempty"`
	Why      i18n.Message `json:"why,omitzero"` // why there are no ratings, or no comparisons
}

// Ranked is one player of a Ranking.
type Ranked struct {
	Place  int      `json:"place"` // from 1; players with equal points share a place
	Player string   `json:"player"`
	Games  int      `json:"games"`
	Points float64  `json:"points"`
	Elo    *float64 `json:"elo"`
	Bounds
	Why i18n.Message `json:"why,omitzero"` // why there is no rating or bound
}

// Rank returns the ranking of the report's players, still without ratings. The caller adds the ratings. Rank
// returns nil for two players.
func (r *Report) Rank() *Ranking {
	if len(r.Players) < 3 {
		return nil
	}
	k := &Ranking{Players: []Ranked{}, Selected: r.Tournament != nil && selects(r.Tournament.Design)}
	for _, p := range r.Players {
		k.Players = append(k.Players, Ranked{Player: p.Name, Games: p.Games, Points: p.Points})
	}
	slices.SortStableFunc(k.Players, func(a, b Ranked) int {
		switch {
		case a.Points != b.Points:
			return descending(a.Points, b.Points)
		case a.Games == 0 || b.Games == 0:
			return 0
		}
		return descending(a.Points/float64(a.Games), b.Points/float64(b.Games))
	})
	for i := range k.Players {
		k.Players[i].Place = i + 1
		if i > 0 && k.Players[i].Points == k.Players[i-1].Points {
			k.Players[i].Place = k.Players[i-1].Place
		}
	}
	return k
}

// selects reports whether, in this design, the results of early games decide which players play for first place.
func selects(design match.DesignKind) bool {
	return design == match.DesignSwiss || design == match.DesignKnockout
}

func descending(a, b float64) int {
	if a > b {
		return -1
	}
	return 1
}

// First returns the names of the players who share the first place.
func (k *Ranking) First() (names []string) {
	for _, p := range k.Players {
		if p.Place == 1 {
			names = append(names, p.Player)
		}
	}
	return names
}

// rankingVerdict returns the verdict for more than two players: the first player, and whether the games show
// that it is the strongest.
func (r *Report) rankingVerdict() Verdict {
	k := r.Ranking
	first := k.Players[0]
	leads := i18n.Of("%s leads with %s of %s points", first.Player, format.Points(first.Points), format.Count(first.Games))
	v := Verdict{Caveats: r.caveats()}
	_, swapped := r.Deciding()
	names := k.First()
	switch {
	case r.Pairs == 0:
		return Verdict{Kind: "none", Short: i18n.Of("no games"), Claim: i18n.Of("There is no verdict: no pair is finished.")}
	case !r.Finished:
		v.Kind, v.Short, v.Reasons = "none", i18n.Of("unfinished, no verdict"), []i18n.Message{i18n.Of("%s.", leads)}
		v.Claim = i18n.Of("There is no verdict yet: %s of %s pairs are played", format.Count(r.Pairs),
			format.Count(r.Planned))
	case len(names) > 1:
		v.Kind, v.Short = "open", i18n.Of("%s share the first place", i18n.List(names))
		v.Claim = i18n.Of("%s share the first place; points of each: %s", i18n.List(names), format.Points(first.Points))
	case !swapped, k.Unshown == nil:
		v.Kind, v.Short, v.Claim = "open", i18n.Of("%s leads", first.Player), leads
	case len(k.Unshown) == 0:
		v.Kind, v.Short = "shown", i18n.Of("%s is the strongest", first.Player)
		v.Claim = i18n.Of("%s, and is stronger than every other player under the conditions of this run", leads)
	default:
		v.Kind, v.Short = "open", i18n.Of("%s leads, not shown to be the strongest", first.Player)
		v.Claim = i18n.Of("%s, but the games do not show that it is stronger than %s", leads, i18n.List(k.Unshown))
	}
	return r.qualified(v)
}
