package report

import (
	"fmt"

	"gogi/internal/format"
	"gogi/stats"
)

// Verdict is what the games of A against B show, in plain words.
type Verdict struct {
	Kind    string // shown, open or none: decides the looks
	Claim   string // one sentence
	Short   string // the claim for a table's cell
	Reasons []string
	Caveats []string
}

// Verdict judges the games of A against B by one test, chosen beforehand: the
// exact one over colour-swapped pairs. Several tests, of which the best one
// counts, would find a difference between equals too often. What that test finds
// is withheld where games that repeat each other, or faults alone, explain it.
func (r *Report) Verdict() Verdict {
	pairing, ok := r.Pairing()
	if !ok {
		return Verdict{Kind: "none", Short: "no games", Claim: fmt.Sprintf("There is no verdict: no pair of %s against %s is finished.", r.A, r.B)}
	}
	test, swapped := r.Deciding()
	v := r.claim(test, swapped)
	v.Reasons = append(v.Reasons, r.scoreSentence(pairing))
	if v.Kind == "open" || v.Kind == "shown" {
		v.Reasons = append(v.Reasons, r.winsSentence(), r.testSentence(test, swapped), r.eloSentence())
	}
	v.Caveats = r.caveats()
	return v
}

// Pairing is A's games against B.
func (r *Report) Pairing() (Cross, bool) {
	for _, c := range r.Crosstable {
		if c.A == r.A && c.B == r.B {
			return c, true
		}
	}
	return Cross{}, false
}

// evidence is what a verdict rests on.
type evidence struct {
	stats.WDL
	score, lo, hi, p *float64 // nil where there is none; lo and hi bound the rate of wins among decisive games
}

// evidence is that of the pairs that repeat no game, which are mostly all.
func (r *Report) evidence() evidence {
	if d := r.Distinct; d != nil {
		return evidence{d.WDL, d.Score, d.Lo, d.Hi, d.P}
	}
	c, _ := r.Pairing()
	e := evidence{WDL: c.WDL, score: r.Score}
	if i := r.Interval("win_rate_decisive"); i != nil {
		e.lo, e.hi = i.Lo, i.Hi
	}
	if test, _ := r.Deciding(); test != nil {
		e.p = test.P
	}
	return e
}

// shows reports whether the evidence is significant and favours the same side as
// the score of all games.
func (e evidence) shows(score float64) bool {
	return e.p != nil && Significant(*e.p) && e.score != nil && (*e.score > 0.5) == (score > 0.5)
}

// Deciding is the test that decides, nil where there is none, and whether colours
// were swapped. Very many pairs with odd draw values have no test over pairs; the
// one over decisive games then stands in for it.
func (r *Report) Deciding() (test *Test, swapped bool) {
	for _, method := range []string{"pair_sign_flip", "binomial_exact"} {
		for i := range r.Tests {
			if r.Tests[i].Method == method && r.Tests[i].P != nil {
				return &r.Tests[i], r.Pentanomial.Pairs() > 0
			}
		}
	}
	return nil, r.Pentanomial.Pairs() > 0
}

func (r *Report) claim(test *Test, swapped bool) Verdict {
	switch {
	case !r.Finished:
		return Verdict{Kind: "none", Short: "unfinished, no verdict", Claim: fmt.Sprintf(
			"There is no verdict yet: %s of %s pairs are played.", format.Count(r.Pairs), format.Count(r.Planned)), Reasons: []string{
			"Who looks often enough sees a good result between equals, too: tests and intervals only hold at the end that was planned.",
		}}
	case !swapped:
		return Verdict{Kind: "none", Short: "colours not swapped, no verdict", Claim: fmt.Sprintf(
			"There is no verdict: %s always had Black and %s White, so the games do not tell strength from colour.", r.A, r.B)}
	case test == nil || !Significant(*test.P):
		return r.openVerdict("not significant at 5%", ".")
	case !r.evidence().shows(*r.Score):
		return r.openVerdict("not significant at 5% without repeated games", ": too many of them repeat earlier ones.")
	}
	return r.shownVerdict()
}

func (r *Report) openVerdict(short, why string) Verdict {
	return Verdict{Kind: "open", Short: short, Claim: fmt.Sprintf("The games do not show whether %s or %s is stronger%s", r.A, r.B, why)}
}

// shownVerdict names the stronger player, unless the weaker one's faults are all
// that it is ahead by.
func (r *Report) shownVerdict() Verdict {
	c, _ := r.Pairing()
	stronger, weaker, ahead, faults := r.A, r.B, c.Wins-c.Losses, r.FaultLosses.B-r.FaultLosses.A
	if *r.Score < 0.5 {
		stronger, weaker, ahead, faults = weaker, stronger, -ahead, -faults
	}
	if faults > 0 && ahead <= faults {
		return Verdict{Kind: "open", Short: stronger + " is ahead by faults alone", Claim: fmt.Sprintf(
			"%s is ahead of %s by faults alone: without the games lost by a crash, a late or an illegal move, nothing of its lead is left.", stronger, weaker)}
	}
	return Verdict{Kind: "shown", Short: stronger + " is stronger", Claim: fmt.Sprintf("%s is stronger than %s under the conditions of this run.", stronger, weaker)}
}

// Significant is at 5 %, forgiving a rounding error as package stats does.
func Significant(p float64) bool { return stats.Test{P: p}.Significant(1 - Level) }

func (r *Report) scoreSentence(c Cross) string {
	return fmt.Sprintf("%s scored %s of the points in %s against %s: %s won, %s drawn, %s lost.",
		r.A, format.Percent(c.Score), format.NumberOf(c.Games, "game"), r.B, format.Count(c.Wins), format.Count(c.Draws), format.Count(c.Losses))
}

func (r *Report) winsSentence() string {
	e := r.evidence()
	k, n := e.Decisive()
	text := "It won"
	if d := r.Distinct; d != nil {
		text = fmt.Sprintf("Without repeated games, which are in %s, it won", format.NumberOf(d.Repeated, "pair"))
	}
	if n == 0 || e.lo == nil {
		return text + " no game and lost none."
	}
	return text + fmt.Sprintf(" %s of %s decisive games: %s, with %s to %s as the exact %s interval.",
		format.Count(k), format.Count(n), format.Percent(float64(k)/float64(n)), format.Percent(*e.lo), format.Percent(*e.hi), format.PercentShort(Level))
}

func (r *Report) Interval(of string) *Interval {
	for i := range r.Intervals {
		if r.Intervals[i].Of == of {
			return &r.Intervals[i]
		}
	}
	return nil
}

func (r *Report) testSentence(t *Test, swapped bool) string {
	if t == nil {
		return "There is no test for these games."
	}
	method := "exact test over pairs"
	if t.Method == "binomial_exact" {
		method = "exact test over decisive games"
		if swapped {
			method += ", which stands in for the one over pairs"
		}
	}
	text := fmt.Sprintf("Two equal players get a result at least this one-sided with probability p = %s (%s, two-sided).", format.PValue(*t.P), method)
	if d := r.Distinct; d != nil && d.P != nil {
		text += fmt.Sprintf(" Of the %s without repeated games, p = %s.", format.NumberOf(d.Pairs, "pair"), format.PValue(*d.P))
	}
	return text
}

// eloSentence says how large the difference may be: of use above all where none
// is shown, as that is no proof of equality.
func (r *Report) eloSentence() string {
	e := r.evidence()
	if e.lo == nil {
		return "How large a difference may be is not known."
	}
	image := stats.EloInterval(stats.Interval{Lo: *e.lo, Hi: *e.hi})
	span := fmt.Sprintf("%s to %s Elo", format.Elo(format.Finite(image.Lo), -1), format.Elo(format.Finite(image.Hi), 1))
	if e.p == nil || Significant(*e.p) || r.disagree() {
		return fmt.Sprintf("In Elo, that interval is %s for %s.", span, r.A)
	}
	return fmt.Sprintf("That does not prove them equal: in Elo, the interval is %s for %s.", span, r.A)
}

// caveats are what may make a number mean less than it seems to.
func (r *Report) caveats() []string {
	var all []string
	if len(r.Players) > 2 {
		all = append(all, fmt.Sprintf("Only %s against %s is judged; among several pairings, one looks good by chance more often than its own p says.", r.A, r.B))
	}
	if r.disagree() {
		all = append(all, "The interval takes the two games of a pair for independent, which they are not; so it and the test, which decides, differ about an even score.")
	}
	if r.Duplicates > 0 {
		all = append(all, fmt.Sprintf("%s of %s games repeat an earlier one move for move and prove nothing new, but are counted in the tables.", format.Count(r.Duplicates), format.Count(r.Games)))
	}
	if faults := r.faultCount(); faults > 0 {
		all = append(all, fmt.Sprintf("%s of %s games ended by an engine's fault (a crash, a late or an illegal move), which tells of reliability rather than strength.", format.Count(faults), format.Count(r.Games)))
	}
	if r.Unmarked != nil {
		all = append(all, format.NumberOf(r.Unmarked.Marked, "pair")+" had a move that the machine slowed.")
	}
	return all
}

// disagree reports whether the interval of the win rate and the deciding test
// differ about an even score.
func (r *Report) disagree() bool {
	e := r.evidence()
	_, swapped := r.Deciding()
	return swapped && e.p != nil && e.lo != nil && (*e.lo > 0.5 || *e.hi < 0.5) != Significant(*e.p)
}

func (r *Report) faultCount() int {
	n := 0
	for _, f := range r.Faults {
		n += f.Count
	}
	return n
}
