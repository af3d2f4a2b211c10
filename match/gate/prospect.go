package gate

import (
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/stats"
)

// Prospect is the evidence that the pairs of a plan can give about two of its players, known before the
// first game. The opening is the independent unit, however often it is played ([stats.Series]).
type Prospect struct {
	Pairs    int  // pairs between two players
	Openings int  // different ones from which these are played
	Repeats  bool // no player has a clock, so that all may repeat their games
	Pass     int  // fewest openings with which the gate can pass; 0 without a gate, or if no number is enough
	Fail     int  // as Pass, until it can fail

	gate      match.Gate
	byResults bool // the pairings depend on results
}

// meetings returns about how many pairs two players have if results decide the pairings. For an adaptive
// design it assumes that all pairs are spread evenly over neighbours. For the others it is the number of
// pairs of one match, with tie-breaks.
func meetings(plan *match.Plan) int {
	t := plan.Design.Tournament
	if plan.Design.Kind == match.DesignAdaptive {
		gaps := max(1, len(plan.Players)-1)
		return (plan.Pairs + gaps - 1) / gaps
	}
	return t.MatchPairs + t.Tiebreaks
}

// NewProspect is that of a plan. It fails for a gate that cannot be tested.
func NewProspect(plan *match.Plan) (Prospect, error) {
	pairings := max(1, plan.Pairings())
	p := Prospect{Pairs: (plan.Pairs + pairings - 1) / pairings, Repeats: true, gate: plan.Gate, byResults: plan.Design.Kind.ByResults()}
	if p.byResults {
		p.Pairs = meetings(plan)
	}
	seen := map[uint64]bool{}
	for round := range min(p.Pairs, len(plan.Openings)) { // they come again only after all were played
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
		p.Pass, p.Fail, err = Test(plan.Gate).Openings()
	}
	return p, err
}

// Outlook returns the prospect of a plan in one line, or why there is none.
func Outlook(plan *match.Plan) i18n.Message {
	p, err := NewProspect(plan)
	if err != nil {
		return i18n.Because(err)
	}
	return p.Said()
}

// Distinct returns how many pairs there are at least that do not repeat each other.
func (p Prospect) Distinct() int { return stats.DistinctPairs(p.Pairs, p.Openings, p.Repeats) }

// Check rejects a gate that cannot reach one of its two answers with any games: even if one side wins all
// of them, each opening still counts once.
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

// Warning returns a warning that players without a clock may repeat themselves. It is empty if no opening
// is played twice, or if a clock makes games differ.
func (p Prospect) Warning() i18n.Message {
	if !p.Repeats || p.Pairs <= p.Openings {
		return i18n.Message{}
	}
	return i18n.Of("%d pairs from %d openings, and no clock: deterministic players repeat their games, so at most %d pairs differ. Use more openings, or a time control",
		p.Pairs, p.Openings, p.Distinct())
}

// Said returns one line for a plan: "500 pairs from 24 openings, 24 of them certain to differ".
func (p Prospect) Said() i18n.Message {
	if p.byResults {
		return i18n.Of("results decide the pairings, so no two players have a fixed number of pairs")
	}
	text := i18n.Of("%d pairs from %d openings", p.Pairs, p.Openings)
	if p.Repeats && p.Distinct() < p.Pairs {
		text = i18n.Of("%d pairs from %d openings, of which no more than %d need differ", p.Pairs, p.Openings, p.Distinct())
	}
	if p.Pass > 0 {
		text = i18n.Of("%s; the gate can pass after %d openings and fail after %d at the earliest", text, p.Pass, p.Fail)
	}
	return text
}
