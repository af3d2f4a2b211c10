package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/match/tournament"
	"gogi/stats/binomial"
)

// Tournament is the part of a report about a tournament in which results decide the next pairings. It has the
// pairings and the standings. The standings are the result of a competition. They do not prove strength,
// because two players have met in few pairs, and results decided which pairs were played.
type Tournament struct {
	Design    match.DesignKind      `json:"design"`
	Anchor    string                `json:"anchor,omitempty"` // player with a fixed rating
	Over      bool                  `json:"over"`             // the tournament has ended
	Left      int                   `json:"left_pairs"`       // least number of pairs that are left to play.
	Rounds    []tournament.Round    `json:"rounds"`           // rounds of a Swiss or a knockout
	Standings []tournament.Standing `json:"standings"`        // best first
	Ratings   []Rated               `json:"ratings"`          // ratings of an adaptive design, best first
	Spread    float64               `json:"spread,omitempty"` // spread of the ratings' prior, in Elo.
	// reason why the table ends early, or why there are no ratings
	Why i18n.Message `json:"why,omitzero"`
}

// Rated is one player's rating in an adaptive design. Such a design chooses pairs by earlier results.
type Rated struct {
	Player string  `json:"player"`
	Pairs  int     `json:"pairs"`
	Elo    float64 `json:"elo"`    // relative to the anchor, or to the mean of all players
	Within float64 `json:"within"` // 1.96 standard deviations of the posterior of Elo
	// posterior probability that the player is stronger than the next player in the list. It is null for the last player.
	Above *float64 `json:"above,omitempty"`
}

// addTournament adds a pair to the schedule. If a pair contradicts the pairing that earlier results require,
// the standings end before that pair, but the report continues.
func (g *Gatherer) addTournament(rows []match.Row) {
	if g.schedule == nil || g.astray != nil {
		return
	}
	o, err := tournament.OutcomeOf(rows, g.index)
	if err == nil {
		err = g.schedule.Learn(o)
	}
	g.astray = err
}

// tournament returns the standings and the rounds so far. It returns nil if the design's pairings do not depend on
// results.
func (g *Gatherer) tournament() *Tournament {
	s, spec := g.schedule, g.run.Tournament
	t := &Tournament{
		Design: spec.Kind, Anchor: spec.Anchor, Over: s.Over(), Left: s.Left(),
		Rounds: s.Rounds(), Standings: s.Standings(), Ratings: []Rated{},
	}
	if t.Rounds == nil {
		t.Rounds = []tournament.Round{} // an empty list in the JSON
	}
	if g.astray != nil {
		t.Over, t.Why = false, i18n.Verbatim(g.astray.Error())
	}
	if spec.Kind == match.DesignAdaptive {
		t.rate(s, spec)
	}
	return t
}

// rate adds the ratings by which an adaptive design chooses its pairs.
func (t *Tournament) rate(s *tournament.Schedule, spec *tournament.Spec) {
	p, err := s.Posterior()
	if err != nil {
		t.Why = i18n.Verbatim(err.Error())
		return
	}
	t.Spread = p.Spread
	pairs := make([]int, len(spec.Players))
	for _, x := range t.Standings {
		pairs[x.Number] = x.Pairs
	}
	anchor := slices.Index(spec.Players, spec.Anchor)
	order, places := p.Ranking(), map[string]int{}
	for i, player := range order {
		mean, variance := p.FromMean(player)
		if anchor >= 0 {
			mean, variance = p.Difference(player, anchor)
		}
		r := Rated{
			Player: spec.Players[player], Pairs: pairs[player], Elo: binomial.EloPerNat * mean,
			Within: 1.96 * binomial.EloPerNat * math.Sqrt(max(0, variance)),
		}
		places[r.Player] = i + 1
		if i+1 < len(order) {
			r.Above = format.Finite(1 - p.Wrong(player, order[i+1]))
		}
		t.Ratings = append(t.Ratings, r)
	}
	for i := range t.Standings {
		t.Standings[i].Place = places[t.Standings[i].Player]
	}
	slices.SortFunc(t.Standings, func(a, b tournament.Standing) int { return a.Place - b.Place })
}

// competition returns the result of a tournament whose pairings depend on results. Such a report has no other verdict.
func (r *Report) competition() Verdict {
	return Verdict{
		Kind: "none", Short: i18n.Of("a competition, no verdict"), Claim: r.Tournament.claim(),
		Reasons: []i18n.Message{i18n.Of("Results decided the pairings, so this is the outcome of a competition. It does not show which player is stronger.")},
		Caveats: r.LimitWarnings(),
	}
}

// claim returns one sentence with the result of the competition.
func (t *Tournament) claim() i18n.Message {
	first, name := t.leaders(), t.name()
	switch {
	case !t.Why.IsZero():
		return i18n.Of("The %s cannot be followed: %s.", name, t.Why)
	case !t.Over:
		return i18n.Of("The %s is not over: %s left at least.", name, i18n.Number{N: t.Left, Noun: "pair"})
	case t.Design == match.DesignAdaptive && len(t.Ratings) > 0:
		return i18n.Of("%s is rated highest. Results decided the pairings: this ranks the players and tests no two of them.",
			t.Ratings[0].Player)
	case len(first) == 1:
		return i18n.Of("%s won the %s, which is the result of a competition, and by itself no proof of strength.", first[0],
			name)
	}
	return i18n.Of("%s players share the first place of the %s.", format.Count(len(first)), name)
}

// leaders returns the names of the players in the first place.
func (t *Tournament) leaders() []string {
	var list []string
	for _, s := range t.Standings {
		if s.Place == 1 {
			list = append(list, s.Player)
		}
	}
	return list
}

// Swiss reports whether the tournament is a Swiss.
func (t *Tournament) Swiss() bool { return t.Design == match.DesignSwiss }

// PlaceOf returns the place of the i-th standing, counted from 0, as text. It returns a range such as "3–4"
// if two players share a place.
func (t *Tournament) PlaceOf(i int) string {
	first, shared := t.Standings[i].Place, 0
	for _, s := range t.Standings {
		if s.Place == first {
			shared++
		}
	}
	if shared == 1 {
		return strconv.Itoa(first)
	}
	return fmt.Sprintf("%d–%d", first, first+shared-1)
}

// UpTo returns the text to print before the number of planned pairs: "up to " if the run may end with fewer
// pairs, else "".
func (r *Report) UpTo() string {
	if r.Tournament != nil && tournament.Uncertain(r.Tournament.Design) {
		return "up to "
	}
	return ""
}

// Words returns the usual name of the tournament's design in English.
func (t *Tournament) Words() string { return t.name().String() }

func (t *Tournament) name() i18n.Message {
	switch t.Design {
	case match.DesignSwiss:
		return i18n.Of("Swiss")
	case match.DesignKnockout:
		return i18n.Of("knockout")
	case match.DesignAdaptive:
		return i18n.Of("adaptive series")
	default:
		return i18n.Verbatim(string(t.Design))
	}
}
