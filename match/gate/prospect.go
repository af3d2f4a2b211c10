package gate

import (
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/stats"
	"gogi/stats/binomial"
)

// Prospect shows how many independent observations a plan can give about two of its players, calculated before the
// first game. An opening counts as one observation, however often it is played ([stats.Series]).
type Prospect struct {
	Pairs    int  // number of pairs between two players
	Openings int  // number of different openings in these pairs
	Repeats  bool // no player has a clock, so that players may repeat games
	// smallest number of openings with which the SPRT can accept H1; 0 without a test, or if no number is enough
	Pass int
	Fail int // smallest number of openings with which the SPRT can accept H0; 0 as for Pass

	gate      stats.SPRT
	byResults bool // the pairings depend on results
}

// meetings estimates how many pairs two players play, for designs whose pairings depend on results. In an adaptive
// design it assumes that only neighbours in the ranking meet, and that all neighbours play equally many pairs. For
// other designs it returns the number of pairs of one match, including tie-breaks.
func meetings(plan *match.Plan) int {
	t := plan.Design.Tournament
	if plan.Design.Kind == match.DesignAdaptive {
		gaps := max(1, len(plan.Players)-1)
		return (plan.Pairs + gaps - 1) / gaps
	}
	return t.MatchPairs + t.Tiebreaks
}

// NewProspect returns the Prospect of a plan. It returns an error if the settings of the plan's SPRT are
// invalid.
func NewProspect(plan *match.Plan) (Prospect, error) {
	pairings := max(1, plan.Pairings())
	p := Prospect{Pairs: (plan.Pairs + pairings - 1) / pairings, Repeats: true, gate: plan.Gate,
		byResults: plan.Design.Kind.ByResults()}
	if p.byResults {
		p.Pairs = meetings(plan)
	}
	seen := map[uint64]bool{}
	for round := range min(p.Pairs, len(plan.Openings)) { // openings repeat only after all were played
		seen[plan.Pair(round*pairings).Opening.Hash()] = true
	}
	p.Openings = len(seen)
	for _, player := range plan.Players {
		p.Repeats = p.Repeats && !player.Limits.Timed()
	}
	for _, clock := range plan.ColourClocks {
		p.Repeats = p.Repeats && clock == nil
	}
	var err error
	if !plan.Gate.IsZero() {
		p.Pass, p.Fail, err = plan.Gate.Openings()
	}
	return p, err
}

// Outlook returns the prospect of a plan as one line of text, or the error of NewProspect.
func Outlook(plan *match.Plan) i18n.Message {
	p, err := NewProspect(plan)
	if err != nil {
		return i18n.Because(err)
	}
	return p.Said()
}

// Distinct returns how many pairs differ even if deterministic players repeat their games. If no player has a
// clock, this is at most one pair per opening; otherwise it is the number of all pairs.
func (p Prospect) Distinct() int { return stats.DistinctPairs(p.Pairs, p.Openings, p.Repeats) }

// Check returns an error if the SPRT cannot accept H0, or cannot accept H1, with the openings of the plan.
// Each opening counts once, so this can happen even if one side wins all games.
func (p Prospect) Check() error {
	if p.gate.IsZero() {
		return nil
	}
	var needs []i18n.Message
	for _, way := range []struct {
		word  i18n.Message
		least int
	}{{i18n.Of("pass"), p.Pass}, {i18n.Of("fail"), p.Fail}} {
		switch {
		case way.least == 0:
			needs = append(needs, i18n.Of("more than any number of openings to %s", way.word))
		case p.Openings < way.least:
			needs = append(needs, i18n.Of("at least %d openings to %s", way.least, way.word))
		}
	}
	var needed i18n.Message
	switch len(needs) {
	case 0:
		return nil
	case 1:
		needed = needs[0]
	default:
		needed = i18n.Of("%s and %s", needs[0], needs[1])
	}
	return i18n.Errorf("the gate %s needs %s, and the plan plays %d (an opening counts once); use --openings builtin or a file of gogi book make, and more --games, or bounds that are further apart",
		p.gate, needed, p.Openings)
}

// Warning returns a warning that players without a clock may repeat games. It returns an empty message if no
// opening is played twice, or if a player has a clock.
func (p Prospect) Warning() i18n.Message {
	if !p.Repeats || p.Pairs <= p.Openings {
		return i18n.Message{}
	}
	return i18n.Of("%s, and no clock: deterministic players repeat their games, so no more than %d of the pairs can differ. Use more openings, or a time control",
		p.sample(), p.Distinct())
}

// sample returns the numbers of pairs and openings.
func (p Prospect) sample() i18n.Message {
	return i18n.Of("%s from %s", i18n.Number{N: p.Pairs, Noun: "pair"}, i18n.Number{N: p.Openings, Noun: "opening"})
}

// Said returns the prospect as one line of text, such as "500 pairs from 24 openings, of which no more than 24
// need differ".
func (p Prospect) Said() i18n.Message {
	if p.byResults {
		return i18n.Of("results decide the pairings, so no two players have a fixed number of pairs")
	}
	text := p.sample()
	if p.Repeats && p.Distinct() < p.Pairs {
		text = i18n.Of("%s, of which no more than %d need differ", text, p.Distinct())
	}
	if p.Pass > 0 {
		text = i18n.Of("%s; the gate can pass after %d openings and fail after %d at the earliest", text, p.Pass, p.Fail)
	}
	return text
}

// priorGames is the number of imaginary draws that [Gate.Remaining] adds to the results, so that its estimate
// does not change much after each of the first pairs.
const priorGames = 40

// Remaining estimates how many further pairs the test needs, in plan order. It assumes that the true difference is
// the current estimate, and subtracts the evaluated pairs from the expected length of the test. The result is at
// least a tenth of that length, and at most the number of pairs left in the plan. If no formula gives the expected
// length, Remaining returns the number of pairs left. The number is only shown; it changes no decision.
func (g *Gate) Remaining() float64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	tally := g.prefix.Tally()
	left := float64(g.pairs - tally.Pairs())
	total := tally.Total()
	games := float64(total.Games())
	score := (tally.Points() + priorGames/2.0) / (games + priorGames)
	draws := (float64(total.Draws) + priorGames/2.0) / (games + priorGames)
	whole, err := g.design.Expect(binomial.Elo(score), stats.Conditions{DrawRate: min(draws, 0.95)})
	if err != nil {
		return left
	}
	legs := 2.0
	if tally.Pairs() > 0 {
		legs = games / float64(tally.Pairs())
	}
	need := whole.Games / legs
	return min(left, max(need-float64(tally.Pairs()), need/10))
}
