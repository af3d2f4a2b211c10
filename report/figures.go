package report

import (
	"cmp"
	"fmt"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/stats"
	"gogi/stats/binomial"
)

// independentGames names the assumption of the methods that count single games. The two games of a pair share
// their opening, so the assumption holds only if colours are not swapped and each game has its own opening.
const independentGames = "independent games"

// figures sets the intervals and tests of A against B. If each opening was played once, they count pairs. If openings
// were played again, they count openings instead.
func (r *Report) figures(s *stats.Series) {
	tally := s.Tally()
	if score, err := tally.Score(); err != nil {
		r.ScoreWhy = i18n.Because(err)
	} else {
		r.Score = &score
	}
	if sample, err := tally.Sample(); err == nil {
		r.PairVariance = format.Finite(sample.Variance)
	}
	expected, elo := scoreInterval(s)
	decisive, eloDecisive := winRate(tally.Total())
	r.Intervals = []Interval{expected, decisive}
	r.Elo, r.EloDecisive = elo, eloDecisive
	flip, err := s.SignFlip(binomial.TwoSided)
	r.Tests = []Test{signFlip(s.Pairs(), flip, err), binomialTest(tally.Total())}
}

// scoreInterval returns the interval of A's expected score over all openings, and the same interval converted to Elo.
// This conversion is valid because Elo rises with the score.
func scoreInterval(s *stats.Series) (Interval, Elo) {
	interval := Interval{Of: "score", Method: "pair_gaffke", Level: Level}
	exact, err := s.Interval(Level)
	sample, wrong := s.Sample()
	if err = cmp.Or(err, wrong); err != nil {
		interval.Why = i18n.Because(err)
		return interval, Elo{Why: interval.Why}
	}
	interval.Method, interval.Unit, interval.N = exact.Method, sample.Unit, sample.N
	interval.Estimate, interval.Bounds = format.Finite(sample.Mean), NewBounds(exact)
	return interval, newElo(binomial.Elo(sample.Mean), binomial.EloInterval(exact),
		i18n.Of("infinite where the score is 0 or 1"))
}

func newElo(estimate float64, i binomial.Interval, why i18n.Message) Elo {
	e := Elo{Estimate: format.Finite(estimate), Bounds: NewBounds(i)}
	if e.Estimate == nil || e.Open() {
		e.Why = why
	}
	return e
}

// winRate returns the interval of A's share of wins among the decisive games, and the same interval converted
// to Elo.
func winRate(total stats.WDL) (Interval, Elo) {
	k, n := total.Decisive()
	interval := Interval{Of: "win_rate_decisive", Method: "clopper_pearson", Assumes: independentGames, Unit: "game", N: n,
		Level: Level}
	exact, err := binomial.ClopperPearson(k, n, Level)
	if err != nil {
		interval.Why = i18n.Of("no decisive game")
		return interval, Elo{Why: interval.Why}
	}
	q := float64(k) / float64(n)
	interval.Estimate, interval.Bounds = &q, NewBounds(exact)
	return interval, newElo(binomial.Elo(q), binomial.EloInterval(exact), i18n.Of("infinite where the win rate is 0 or 1"))
}

// binomialTest returns the exact binomial test of the decisive games.
func binomialTest(total stats.WDL) Test {
	k, n := total.Decisive()
	test := Test{Method: "binomial_exact", Assumes: independentGames, Alternative: string(binomial.TwoSided), N: n, K: &k}
	if p, err := binomial.Exact(k, n, 0.5, binomial.TwoSided); err != nil {
		test.Why = i18n.Of("no decisive game")
	} else {
		test.P = format.Finite(p.P)
	}
	for _, alpha := range []float64{0.05, 0.01} {
		c := criticalWins{Alpha: alpha}
		if wins, ok := binomial.CriticalWins(n, alpha, binomial.TwoSided); ok {
			c.Wins = &wins
		} else {
			c.Why = i18n.Of("%d decisive games are too few for any number of wins", n)
		}
		test.Critical = append(test.Critical, c)
	}
	return test
}

// signFlip returns the test that decides a report's verdict: the exact sign-flip test. It exchanges the two
// players in all pairs of an opening at once.
func signFlip(pairs int, test binomial.Test, err error) Test {
	report := Test{Method: "pair_sign_flip", Alternative: string(binomial.TwoSided)}
	switch {
	case pairs == 0:
		report.Why = i18n.Of("no finished game")
	case err != nil:
		report.Why = i18n.Because(err)
	default:
		report.Method, report.N, report.P = test.Method, test.N, format.Finite(test.P)
	}
	return report
}

// dependent removes the figures that assume independent games. The caller calls it when the games are known to depend
// on each other. The report prints why, the reason, in place of the figures.
func (r *Report) dependent(why i18n.Message) {
	for i := range r.Intervals {
		if v := &r.Intervals[i]; v.Assumes != "" {
			v.Bounds, v.Why = Bounds{}, why
		}
	}
	for i := range r.Tests {
		if t := &r.Tests[i]; t.Assumes != "" {
			t.P, t.Critical, t.Why = nil, nil, why
		}
	}
	r.EloDecisive.Bounds, r.EloDecisive.Why = Bounds{}, why
	r.BlackAdvantage.Bounds, r.BlackAdvantage.Why = Bounds{}, why
}

// withhold removes all figures that are valid only for a fixed number of games. The report prints why, the reason, in
// their place. If a sequential test may have stopped the run, the raw score is biased. Then the report has no Elo from
// the score; the gate (the run's sequential test) has an Elo without this bias.
func (r *Report) withhold(why i18n.Message, s *stats.Series) {
	for i := range r.Intervals {
		r.Intervals[i].Bounds, r.Intervals[i].Why = Bounds{}, why
	}
	for i := range r.Tests {
		r.Tests[i].P, r.Tests[i].Critical, r.Tests[i].Why = nil, nil, why
	}
	for _, e := range []*Elo{&r.Elo, &r.EloDecisive} {
		e.Bounds, e.Why = Bounds{}, why
		if r.Gate != nil || r.Tournament != nil {
			e.Estimate = nil
		}
	}
	r.BlackAdvantage.Bounds, r.BlackAdvantage.Why = Bounds{}, why
	r.Intervals = append(r.Intervals, anytimeOf(s))
}

// anytimeOf returns the always-valid interval of a series. It is the only interval that a user may read while
// games are played. It uses only the first pair of each opening, because later pairs depend on the first one.
func anytimeOf(s *stats.Series) Interval {
	interval := Interval{Of: "score", Method: "anytime", Level: Level}
	firsts := s.Firsts()
	scores, err := firsts.PairScores()
	if err != nil {
		scores = firsts.Total().GameScores()
	}
	exact, err := scores.AnytimeInterval(Level)
	if err != nil {
		interval.Why = i18n.Because(err)
		return interval
	}
	interval.Unit, interval.N = scores.Unit, scores.N()
	if s.Openings() < s.Pairs() {
		interval.Unit = "opening"
	}
	interval.Estimate, interval.Bounds = format.Finite(scores.Mean()), NewBounds(exact)
	return interval
}

// advantage sets Black's share of wins among the decisive games of all pairings.
func (r *Report) advantage(t stats.Tally) {
	r.BlackAdvantage = Advantage{WDL: t.BlackSide(), Assumes: independentGames}
	i, err := t.BlackAdvantage(Level)
	if err != nil {
		r.BlackAdvantage.Why = i18n.Because(err)
		return
	}
	r.BlackAdvantage.Bounds = NewBounds(i)
}

// Bounds are the two ends of an interval. In JSON an end is null if it is infinite or unknown.
type Bounds struct {
	Lo *float64 `json:"lo"`
	Hi *float64 `json:"hi"`
}

// Difference is an Elo difference with its interval and its test.
type Difference struct {
	Elo    *float64     `json:"elo"`
	Bounds              // ends of the interval of Elo
	P      *float64     `json:"p"` // p value of the test against no difference
	Why    i18n.Message `json:"why,omitzero"`
}

// NewBounds returns the ends of an interval. An infinite end becomes nil.
func NewBounds(i binomial.Interval) Bounds { return Bounds{format.Finite(i.Lo), format.Finite(i.Hi)} }

// Open reports whether at least one end is missing.
func (b Bounds) Open() bool { return b.Lo == nil || b.Hi == nil }

// EloText returns the ends as text. The ends must be in Elo. A missing end is printed as infinite.
func (b Bounds) EloText() string {
	return fmt.Sprintf("[%s, %s]", format.Elo(b.Lo, -1), format.Elo(b.Hi, 1))
}

// Divergence counts how often two engines chose different moves in the same position. As long as the two
// games of a pair are equal, both engines have moved once in each position, so each ply compares them.
//
// The less often deterministic engines differ, the shorter their run can be, because the results of a pair's
// two equal games cancel. For engines that differed in 2% of plies, the variance of pair scores was 1.7 times
// smaller than with random node limits. For engines that differed in 17% of plies, it was not smaller.
type Divergence struct {
	Pairs    int      `json:"pairs"`
	Compared int      `json:"plies"`    // number of positions in which both engines chose a move
	Diverged int      `json:"diverged"` // number of pairs whose two games differ
	PerPly   *float64 `json:"per_ply"`  // share of the compared positions in which the engines chose different moves
}

// Compare adds a pair. one and two are the moves of its two games without the moves of the opening.
func (d *Divergence) Compare(one, two []string) {
	d.Pairs++
	for i := range min(len(one), len(two)) {
		d.Compared++
		if one[i] != two[i] {
			d.Diverged++
			break
		}
	}
	if d.Compared > 0 {
		d.PerPly = format.Finite(float64(d.Diverged) / float64(d.Compared))
	}
}
