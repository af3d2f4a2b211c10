package report

import (
	"strings"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/stats"
	"gogi/stats/binomial"
)

// Verdict is the conclusion from the games of A against B, in plain text for people.
type Verdict struct {
	Kind    string       // shown, open or none. It decides the style on a page.
	Claim   i18n.Message // one sentence
	Short   i18n.Message // short form of the claim, for a cell of a table
	Reasons []i18n.Message
	Caveats []i18n.Message
}

// Verdict returns the conclusion from the games of A against B. It uses one test, which was chosen before the
// first game: the run's gate (sequential test) if there is one, and otherwise the exact sign-flip test over
// openings. If gogi chose the best of several tests, it would find a difference between equal players too
// often. Verdict gives no result if faults alone may explain it, or if the machine delayed moves in most
// pairs.
func (r *Report) Verdict() Verdict {
	if r.Tournament != nil {
		return r.competition()
	}
	if r.Ranking != nil {
		return r.rankingVerdict()
	}
	pairing, ok := r.Pairing()
	if !ok {
		return Verdict{Kind: "none", Short: i18n.Of("no games"),
			Claim: i18n.Of("There is no verdict: no pair of %s against %s is finished.", r.A, r.B)}
	}
	v := r.claim()
	v.Reasons = append(v.Reasons, r.scoreSentence(pairing))
	switch {
	case r.Gate != nil:
		v.Reasons = append(v.Reasons, r.gateSentence())
	case v.Kind != "none":
		v.Reasons = append(v.Reasons, r.testSentence(), r.eloSentence())
	}
	v.Caveats = r.caveats()
	return r.qualified(v)
}

// qualified returns the verdict with a complete sentence as its claim. If the machine delayed moves in most pairs,
// qualified weakens the claim, unless the gate already did so for the pairs that it evaluated.
func (r *Report) qualified(v Verdict) Verdict {
	slowed := r.Slowed()
	if slowed.IsZero() || r.byGate() && r.Gate.mostlySlowed() {
		v.Claim = i18n.Of("%s.", v.Claim)
		return v
	}
	if v.Kind == "shown" {
		v.Kind = "open"
	}
	v.Short = i18n.Of("%s, but %s", v.Short, slowed)
	v.Claim = i18n.Of("%s, but %s, which may be all that this shows.", v.Claim, slowed)
	return v
}

// Pairing returns A's results against B. It returns false if they have not played each other.
func (r *Report) Pairing() (Cross, bool) {
	return lists.Find(r.Crosstable, func(c Cross) bool { return c.A == r.A && c.B == r.B })
}

// Deciding returns the test that decides the verdict of a run without a gate, and whether colours were
// swapped. The test is nil if the report has none, or if the length of the run was not fixed beforehand.
func (r *Report) Deciding() (test *Test, swapped bool) {
	swapped = r.Pentanomial.Pairs() > 0
	if len(r.Tests) == 0 || r.Tests[0].P == nil {
		return nil, swapped
	}
	return &r.Tests[0], swapped
}

// byGate reports whether the verdict comes from the gate.
func (r *Report) byGate() bool {
	_, swapped := r.Deciding()
	return r.Finished && swapped && r.Gate != nil
}

// unswapped returns the reason why games without swapped colours prove no strength.
func (r *Report) unswapped() i18n.Message {
	for _, p := range r.Players {
		if p.Name == r.A && p.White != (stats.WDL{}) {
			return i18n.Of("There is no verdict: the games are no pairs of one opening with swapped colours, so no test is exact here; gogi rate has a model with colours")
		}
	}
	return i18n.Of("There is no verdict: %s always had Black and %s White, so the games cannot separate strength and colour", r.A, r.B)
}

// claim returns the verdict without its reasons. The claim has no full stop at the end.
func (r *Report) claim() Verdict {
	test, swapped := r.Deciding()
	switch {
	case !r.Finished:
		return Verdict{Kind: "none", Short: i18n.Of("unfinished, no verdict"), Claim: i18n.Of(
			"There is no verdict yet: %s of %s pairs are played", format.Count(r.Pairs), format.Count(r.Planned)),
			Reasons: []i18n.Message{
				i18n.Of("If you look often enough, you see a good result between equal players, too: tests and intervals hold only at the planned end."),
			}}
	case !swapped:
		return Verdict{Kind: "none", Short: i18n.Of("colours not swapped, no verdict"), Claim: r.unswapped()}
	case r.byGate():
		return r.gateClaim()
	case test == nil || !Significant(*test.P):
		return Verdict{Kind: "open", Short: i18n.Of("not significant at 5%"),
			Claim: i18n.Of("The games do not show whether %s or %s is stronger", r.A, r.B)}
	}
	return r.shownVerdict()
}

// gateClaim returns the verdict of the sequential test.
func (r *Report) gateClaim() Verdict {
	switch g := r.Gate; g.Verdict {
	case Passed:
		return Verdict{Kind: "shown", Short: i18n.Of("gate passed"),
			Claim: i18n.Of("The SPRT passed: %s", r.above(g.Design.Elo0, g.Design.Model.Unit()))}
	case Failed:
		v := Verdict{Kind: "open", Short: i18n.Of("gate failed"),
			Claim: i18n.Of("The SPRT failed: %s", r.below(g.Design.Elo1, g.Design.Model.Unit()))}
		if g.Design.Elo1 <= 0 {
			v.Kind = "shown"
		}
		return v
	default:
		return Verdict{Kind: "open", Short: i18n.Of("gate inconclusive"),
			Claim: i18n.Of("The SPRT is inconclusive: %s", i18n.Clauses(g.Because))}
	}
}

// above returns the claim that A is stronger than B by more than elo, in a unit such as nElo.
func (r *Report) above(elo float64, unit string) i18n.Message {
	switch {
	case elo > 0:
		return i18n.Of("%s is stronger than %s by more than %g %s", r.A, r.B, elo, unit)
	case elo < 0:
		return i18n.Of("%s is not weaker than %s by %g %s or more", r.A, r.B, -elo, unit)
	}
	return i18n.Of("%s is stronger than %s", r.A, r.B)
}

// below returns the claim that A is stronger than B by less than elo, in a unit such as nElo.
func (r *Report) below(elo float64, unit string) i18n.Message {
	switch {
	case elo > 0:
		return i18n.Of("%s is not stronger than %s by %g %s or more", r.A, r.B, elo, unit)
	case elo < 0:
		return i18n.Of("%s is weaker than %s by more than %g %s", r.A, r.B, -elo, unit)
	}
	return i18n.Of("%s is weaker than %s", r.A, r.B)
}

// shownVerdict returns a verdict that names the stronger player. If that player is ahead only by the other
// player's faults, the verdict is open.
func (r *Report) shownVerdict() Verdict {
	c, _ := r.Pairing()
	stronger, weaker, ahead, faults := r.A, r.B, c.Wins-c.Losses, r.FaultLosses.B-r.FaultLosses.A
	if *r.Score < 0.5 {
		stronger, weaker, ahead, faults = weaker, stronger, -ahead, -faults
	}
	if faults > 0 && ahead <= faults {
		return Verdict{Kind: "open", Short: i18n.Of("%s is ahead by faults alone", stronger), Claim: i18n.Of(
			"%s is ahead of %s by faults alone: without the games lost by a crash, a late or an illegal move, nothing of its lead is left", stronger, weaker)}
	}
	return Verdict{Kind: "shown", Short: i18n.Of("%s is stronger", stronger),
		Claim: i18n.Of("%s is stronger than %s under the conditions of this run", stronger, weaker)}
}

// Significant reports whether the p value p is significant at 5 %. Like package stats it tolerates a rounding
// error.
func Significant(p float64) bool { return binomial.Test{P: p}.Significant(1 - Level) }

func (r *Report) scoreSentence(c Cross) i18n.Message {
	return i18n.Of("%s scored %s of the points in %s against %s: %s won, %s drawn, %s lost.",
		r.A, format.Percent(c.Score), i18n.Number{N: c.Games, Noun: "game"}, r.B, format.Count(c.Wins), format.Count(c.Draws),
		format.Count(c.Losses))
}

// gateSentence returns the observations of the sequential test, and the size of the difference.
func (r *Report) gateSentence() i18n.Message {
	g := r.Gate
	judged := i18n.Of("%s judged %s from %s", g.Design, i18n.Number{N: g.Pairs, Noun: "pair"},
		i18n.Number{N: g.Openings, Noun: "opening"})
	if g.Elo.Estimate == nil {
		return i18n.Of("%s.", judged)
	}
	return i18n.Of("%s; the difference, corrected for early stopping, is %s Elo, between %s and %s at %s.", judged,
		format.Elo(g.Elo.Estimate, 1), format.Elo(g.Elo.Lo, -1), format.Elo(g.Elo.Hi, 1), format.PercentShort(Level))
}

// Interval returns the report's first interval of a quantity, or nil if there is none. of is [Interval].Of.
// This interval is valid for a fixed number of games. If the number was not fixed, the ends are nil.
func (r *Report) Interval(of string) *Interval {
	for i := range r.Intervals {
		if r.Intervals[i].Of == of {
			return &r.Intervals[i]
		}
	}
	return nil
}

// testSentence returns the test's result and its number of observations.
func (r *Report) testSentence() i18n.Message {
	test, _ := r.Deciding()
	if test == nil {
		return i18n.Of("There is no test for these games.")
	}
	return i18n.Of("Two equal players get a result at least this one-sided with probability p = %s (%s, two-sided).",
		format.PValue(*test.P), TestWords(*test))
}

// TestWords returns text that describes a test, with its number of pairs or openings.
func TestWords(t Test) i18n.Message {
	unit := i18n.Number{N: t.N, Noun: "pair"}
	if strings.HasPrefix(t.Method, "opening") {
		unit = i18n.Number{N: t.N, Noun: "opening"}
	}
	if strings.HasSuffix(t.Method, "_normal") {
		return i18n.Of("approximate test over %s", unit)
	}
	return i18n.Of("exact test over %s", unit)
}

// eloSentence returns the possible size of the difference. It matters most if no difference is shown, because
// that does not prove equality.
func (r *Report) eloSentence() i18n.Message {
	i := r.Interval("score")
	if i == nil || i.Lo == nil {
		return i18n.Of("How large a difference may be is not known.")
	}
	span := i18n.Of("%s to %s for the score of %s, %s to %s Elo", format.Percent(*i.Lo), format.Percent(*i.Hi), r.A,
		format.Elo(r.Elo.Lo, -1), format.Elo(r.Elo.Hi, 1))
	if test, _ := r.Deciding(); test == nil || Significant(*test.P) {
		return i18n.Of("The %s interval is %s.", format.PercentShort(Level), span)
	}
	return i18n.Of("That does not prove them equal: the %s interval is %s.", format.PercentShort(Level), span)
}

// caveats returns the reasons to doubt the verdict.
func (r *Report) caveats() []i18n.Message {
	all := lists.Map(r.Looks.Remarks, i18n.Sentence)
	if len(r.Players) > 2 && r.Ranking == nil {
		all = append(all,
			i18n.Of("Only %s against %s is tested: among several pairings, one looks good by chance more often than its p value.", r.A, r.B))
	}
	if r.disagree() {
		all = append(all,
			i18n.Of("The interval, which is the more cautious, and the test, which decides, differ about an even score: the result is at the edge."))
	}
	if r.Dependence.Reused > 0 {
		all = append(all, i18n.Of("%s.", r.Evidence()))
	}
	if r.SlowedLosses > 0 {
		all = append(all,
			i18n.Of("%s of %s games were lost on time while the machine slowed them, which measures the machine, not the engines: --slowed void plays such pairs again, and node limits do not depend on the machine.", format.Count(r.SlowedLosses), format.Count(r.Games)))
	}
	if faults := r.faultCount() - r.SlowedLosses; faults > 0 {
		all = append(all,
			i18n.Of("%s of %s games ended by an engine's fault (a crash, a late or an illegal move), which measures reliability, not strength.", format.Count(faults), format.Count(r.Games)))
	}
	all = append(all, r.LimitWarnings()...)
	if r.Unmarked != nil {
		all = append(all, i18n.Of("%s had a move that the machine slowed.", i18n.Number{N: r.Unmarked.Marked, Noun: "pair"}))
	}
	return all
}

// Evidence returns text with the numbers of pairs and openings. If the pairs depend on each other, the text
// also has the equivalent number of independent pairs.
func (r *Report) Evidence() i18n.Message {
	words := DependenceWords(r.Dependence)
	if weight := WeightWords(r.Dependence); !weight.IsZero() {
		return i18n.Of("%s: %s", words, weight)
	}
	return words
}

// DependenceWords returns text with the numbers of pairs, openings and copies (pairs that repeat an earlier
// pair).
func DependenceWords(d stats.Dependence) i18n.Message {
	message := i18n.Of("%s from %s", i18n.Number{N: d.Pairs, Noun: "pair"}, i18n.Number{N: d.Openings, Noun: "opening"})
	switch d.Copies {
	case 0:
		return message
	case 1:
		return i18n.Of("%s; 1 repeats an earlier one move for move", message)
	}
	return i18n.Of("%s; %s repeat an earlier one move for move", message, format.Count(d.Copies))
}

// WeightWords returns text with the number of independent pairs to which dependent pairs are equivalent. It returns the
// zero Message if the pairs are independent, or if the number is unknown.
func WeightWords(d stats.Dependence) i18n.Message {
	if d.Effect == nil || *d.Effect <= 1 {
		return i18n.Message{}
	}
	return i18n.Of("worth as much as %.0f independent pairs (likeness of pairs from one opening %.2f of 1)",
		float64(d.Pairs) / *d.Effect, *d.ICC)
}

// disagree reports whether the interval of the score and the deciding test contradict each other: only one of
// them excludes an even score.
func (r *Report) disagree() bool {
	i := r.Interval("score")
	test, _ := r.Deciding()
	return test != nil && i != nil && i.Lo != nil && (*i.Lo > 0.5 || *i.Hi < 0.5) != Significant(*test.P)
}

func (r *Report) faultCount() int {
	return lists.Sum(r.Faults, func(f Fault) int { return f.Count })
}
