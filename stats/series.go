package stats

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"
	"sort"
	"strconv"

	"gonum.org/v1/gonum/mathext"

	"gogi/internal/lists"
	"gogi/stats/binomial"
)

// A Play is a finished pair with its opening. It also has hashes of the moves, which show whether the pair
// repeats another pair.
type Play struct {
	Pair Pair
	// Opening names the start position and the moves from it. Two pairs have the same opening if the names
	// are equal. If the name is "", no other pair has this opening.
	Opening string
	// Games has a hash of the moves for each game, in the order of Pair. It is empty if the moves are
	// unknown. The pair then counts as no copy of another pair.
	Games []uint64
}

// A Series counts the pairs of two players by opening, and calculates what they prove.
//
// Players with a fixed number of nodes repeat their games if an opening recurs: 37 pairs from two openings are only two
// observations. Players that are almost deterministic deviate from the earlier game late, when the result is mostly
// decided. The independent observation is therefore the opening, with the mean score of its pairs. It does not matter
// how often the opening was played or how similar its games are, so no threshold of similarity is needed. If each
// opening was played once, the observation is the pair, and every number equals the number of the [Tally].
//
// An alternative would be to exclude pairs that repeat an earlier pair move for move, and to count the other pairs as
// independent. This keeps the error rates only for deterministic players, because games that differ only late would
// count in full. If players repeat only some games, short games would be excluded more often, and the player who wins
// quickly would lose points. docs/statistics.md has simulations of both methods.
//
// The results generalise to all openings of which the played ones are a sample. The zero value has no pairs. A Series
// must not be copied after its first use.
type Series struct {
	tally    Tally
	firsts   Tally // the first pair of each opening
	copies   int   // number of pairs that repeat an earlier pair move for move
	legs     int   // number of games in every pair. It is 0 before the first pair.
	openings map[string]*opening
	seen     hashes     // the games of all pairs so far: see played
	order    []*opening // in order of appearance, so that the order of sums is fixed
	means    means      // mean scores of the openings, by outcome
}

// unnamed is the prefix of the key for an opening without a name, which no other pair has.
const unnamed = "\x00"

// An opening holds the sums over the pairs that were played from one opening.
type opening struct {
	key             string
	number          int // by order of appearance, from 0
	pairs           int
	points, squares int // sums over pairs of the points in thousandths, and of their squares.
	halves          int // half points by outcome: 2 for a win, 1 for a draw. The rules may give other points.
}

// played mixes the number of an opening and the [Play.Print] of a pair into one number. One set holds those of all
// openings, because a long series may have few openings with half a million pairs each. A number takes a third of the
// memory of its parts. Of a million different pairs, two have equal numbers with a probability of 3e-8, as two games
// have equal hashes of their moves.
func played(opening int, print [2]uint64) uint64 {
	mixed := uint64(opening) + 1
	for _, games := range print {
		high, low := bits.Mul64(mixed^games, 0x9e3779b97f4a7c15) // the golden ratio, as in Knuth's multiplicative hashing
		mixed = bits.RotateLeft64(high^low, 29) + games
	}
	return mixed
}

// Add counts a pair. Add the pairs in plan order. repeats reports whether the pair is a copy: each of its games
// repeats, move for move, the game of the same colours in an earlier pair of the opening. A copy counts like any
// other pair, because the opening is the independent observation. Add counts nothing and returns an error in three
// cases: [Tally.Add] returns an error, the numbers of hashes and games differ, or the pair has another number of
// games than the earlier pairs.
func (s *Series) Add(p Play) (repeats bool, err error) {
	points, err := p.points()
	switch {
	case err != nil:
		return false, err
	case s.legs != 0 && s.legs != len(p.Pair):
		return false, ErrMixed
	}
	s.tally.add(p.Pair, points)
	s.legs = len(p.Pair)
	if p.Opening == "" {
		p.Opening = unnamed + strconv.Itoa(s.Pairs())
	}
	o, known := s.openings[p.Opening]
	if !known {
		if s.openings == nil {
			s.openings = map[string]*opening{}
		}
		o = &opening{key: p.Opening, number: len(s.order)}
		s.openings[p.Opening], s.order = o, append(s.order, o)
		s.firsts.add(p.Pair, points)
	} else {
		s.means.take(o.mean(s.legs), -1)
	}
	o.add(p.Pair, points)
	s.means.take(o.mean(s.legs), 1)
	repeats = s.repeats(o, p)
	if repeats {
		s.copies++
	}
	return repeats, nil
}

// points returns A's points in the pair. It returns an error if the play is invalid.
func (p Play) points() (int, error) {
	if len(p.Games) != 0 && len(p.Games) != len(p.Pair) {
		return 0, errors.New("a pair has one hash of moves for each game, or none")
	}
	return p.Pair.points()
}

// Mirror returns the play from the opponent's point of view.
func (p Play) Mirror() Play {
	p.Pair = slices.Clone(p.Pair)
	for i, l := range p.Pair {
		p.Pair[i] = Leg{Outcome: Win + Loss - l.Outcome, AIsBlack: !l.AIsBlack, Points: 1 - l.Points}
	}
	return p
}

// Print returns a fingerprint of the pair: the hashes of its games, ordered by A's colour. The result does
// not depend on the order of the games.
func (p Play) Print() [2]uint64 {
	var print [2]uint64
	for i, leg := range p.Pair {
		if i >= len(p.Games) {
			break
		}
		if leg.AIsBlack {
			print[0] = p.Games[i]
		} else {
			print[1] = p.Games[i]
		}
	}
	return print
}

func (o *opening) add(p Pair, points int) {
	o.pairs++
	o.points += points
	o.squares += points * points
	var w WDL
	for _, leg := range p {
		w.count(leg.Outcome)
	}
	o.halves += 2*w.Wins + w.Draws
}

// repeats reports whether an earlier pair of the opening had the same games. It stores the games of this
// pair.
func (s *Series) repeats(o *opening, p Play) bool {
	if len(p.Games) == 0 {
		return false
	}
	return !s.seen.add(played(o.number, p.Print()))
}

// mean returns the opening's mean score in [0, 1], with half a point for a draw. legs is the number of games of a pair.
func (o *opening) mean(legs int) float64 { return float64(o.halves) / float64(2*legs*o.pairs) }

// share returns the opening's mean score in [0, 1], with the points that the rules gave for draws. legs is the number
// of games of a pair.
func (o *opening) share(legs int) float64 { return float64(o.points) / float64(legs*milli*o.pairs) }

// A means counts openings by mean score, in ascending order.
type means []meanCount

type meanCount struct {
	value float64
	count int
}

// take adds change to the count of a mean score. Equal fractions are equal floating-point numbers, so an
// exact comparison finds the count.
func (m *means) take(value float64, change int) {
	at, found := slices.BinarySearchFunc(*m, value, func(c meanCount, v float64) int { return cmp.Compare(c.value, v) })
	if !found {
		*m = slices.Insert(*m, at, meanCount{value: value})
	}
	(*m)[at].count += change
	if (*m)[at].count == 0 {
		*m = slices.Delete(*m, at, at+1)
	}
}

// Tally returns the counts of all pairs.
func (s *Series) Tally() Tally { return s.tally.clone() }

// Firsts returns the counts of only the first pair of each opening. Even while the run is played, these pairs
// are independent of each other.
func (s *Series) Firsts() Tally { return s.firsts.clone() }

// Pairs returns the number of pairs.
func (s *Series) Pairs() int { return s.tally.Pairs() }

// Openings returns the number of openings, which are the independent observations.
func (s *Series) Openings() int { return len(s.openings) }

// Scores returns A's mean score in each opening, with half a point for a draw.
func (s *Series) Scores() Scores { return Scores{"opening", slices.Clone(s.means)} }

// Copies returns the number of pairs that repeat an earlier pair move for move.
func (s *Series) Copies() int { return s.copies }

// reused reports whether an opening was played more than once.
func (s *Series) reused() bool { return len(s.openings) < s.tally.Pairs() }

// SignFlip returns the exact test of the null hypothesis that the two players are interchangeable. Under this
// hypothesis, exchanging the players in all pairs of an opening changes no probability, even if the pairs
// depend on each other. The signs of the openings' deviations from an even score are therefore fair coins. If
// each opening was played once, the result is [Tally.SignFlip]. Otherwise the method is named
// opening_sign_flip, and N is the number of openings. SignFlip returns the same errors as Tally.SignFlip.
func (s *Series) SignFlip(alt binomial.Alternative) (binomial.Test, error) {
	if !s.reused() || s.legs != 2 {
		return s.tally.SignFlip(alt)
	}
	if err := alt.Check(); err != nil {
		return binomial.Test{}, err
	}
	sums := scores(lists.Map(s.order, func(o *opening) scoreCount { return scoreCount{o.points - (o.pairs-1)*milli, 1} }))
	return signFlip("opening_sign_flip", scores(nil).plus(sums, 1), alt), nil
}

// Test returns the test whether A is stronger than B. If colours are swapped, it is [Series.SignFlip].
// Otherwise it is the exact binomial test over the first games of the openings, without drawn games. Test
// returns an error if there is nothing to test.
func (s *Series) Test(alt binomial.Alternative) (binomial.Test, error) {
	if s.legs != 1 {
		return s.SignFlip(alt)
	}
	k, n := s.firsts.Total().Decisive()
	if n == 0 {
		return binomial.Test{}, ErrNoDecisive
	}
	return binomial.Exact(k, n, 0.5, alt)
}

// unitOpening is the name of the independent observation in a series that played openings more than once.
const unitOpening = "opening"

// Sample returns the mean and the variance of A's score over the independent observations. If each opening
// was played once, it is [Tally.Sample]. Otherwise it uses the mean scores of the openings, all with the same
// weight. Sample returns an error without games.
func (s *Series) Sample() (Sample, error) {
	if !s.reused() {
		return s.tally.Sample()
	}
	return s.shares().sample(unitOpening), nil
}

// shares returns the openings' mean scores, with the points that the rules gave for draws.
func (s *Series) shares() means {
	var m means
	for _, o := range s.order {
		m.take(o.share(s.legs), 1)
	}
	return m
}

func (m means) units() int {
	return lists.Sum(m, func(c meanCount) int { return c.count })
}

func (m means) sample(unit string) Sample {
	mean, n := 0.0, float64(m.units())
	for _, c := range m {
		mean += float64(c.count) / n * c.value
	}
	return m.about(unit, mean)
}

// about returns the Sample of the scores. mean is their mean.
func (m means) about(unit string, mean float64) Sample {
	s := Sample{Unit: unit, N: m.units(), Mean: mean}
	if len(m) == 1 { // otherwise the rounding error of the mean would be a variance
		return s
	}
	for _, c := range m {
		d := c.value - mean
		s.Variance += float64(c.count) / float64(s.N) * (d * d)
	}
	return s
}

// A Dependence measures how strongly the pairs of one opening depend on each other, and how many independent
// pairs they are worth.
type Dependence struct {
	Pairs    int `json:"pairs"`
	Openings int `json:"openings"` // number of openings, the independent units.
	Reused   int `json:"reused"`   // openings that were played more than once
	Copies   int `json:"copies"`   // pairs that repeat an earlier pair move for move
	// ICC is the intraclass correlation of pair scores within openings, by the analysis of variance. It is 1
	// if every pair repeats its opening's result, and 0 if openings do not matter. By chance it may be
	// slightly below 0. It is 1 if all pairs have the same score, because then nothing shows that pairs
	// differ.
	ICC *float64 `json:"icc"`
	// Effect is the variance of the score, divided by the variance for the same number of independent pairs.
	// Pairs/Effect is the equivalent number of independent pairs.
	Effect *float64 `json:"design_effect"`
	// P is the p value of the F test that the openings do not matter. It is nil if all pairs have the same score.
	P   *float64 `json:"icc_p"`
	Why string   `json:"why,omitempty"` // why numbers are missing
}

// dependenceLevel is the level of the test behind [Dependence.Shown].
const dependenceLevel = 0.01

// Shown reports whether the pairs show that pairs of one opening depend on each other: by the F test at the level of
// 1%, or by copies if all pairs have the same score. ICC and Effect alone show nothing, because both vary by chance.
func (d Dependence) Shown() bool {
	if d.P == nil {
		return d.Copies > 0 && d.Effect != nil
	}
	return *d.P <= dependenceLevel
}

// Dependence returns how strongly the pairs within openings depend on each other. If no opening was played
// twice, or if there is only one opening, the fields ICC (intraclass correlation) and Effect (design effect)
// are nil.
func (s *Series) Dependence() Dependence {
	d := Dependence{Pairs: s.Pairs(), Openings: s.Openings(), Copies: s.copies}
	for _, o := range s.order {
		if o.pairs > 1 {
			d.Reused++
		}
	}
	switch {
	case !s.reused():
		d.Why = "no opening was played twice"
	case d.Openings == 1:
		d.Why = "there is one opening only"
	default:
		icc, effect, p := s.analysis()
		d.ICC, d.Effect, d.P = &icc, &effect, p
	}
	return d
}

// analysis returns the results of the one-way analysis of variance of pair scores by opening (Donner 1986 for
// unequal group sizes). icc is the intraclass correlation. effect is the variance of the mean score between
// openings, divided by the variance for independent pairs. p is the p value of the F test, or nil without a variance.
func (s *Series) analysis() (icc, effect float64, p *float64) {
	n, k := float64(s.Pairs()), float64(len(s.openings))
	var sum, squares, between, sizes, clustered float64
	for _, o := range s.order {
		sum += float64(o.points)
		squares += float64(o.squares)
	}
	for _, o := range s.order {
		m := float64(o.pairs)
		d := float64(o.points) - m*sum/n
		between += d * d / m
		clustered += d * d
		sizes += m * m / n
	}
	total := squares - sum*sum/n
	if total <= 1e-9*squares {
		return 1, sizes, nil
	}
	among, within := between/(k-1), max(0, total-between)/(n-k)
	size := (n - sizes) / (k - 1)
	tail := mathext.RegIncBeta((n-k)/2, (k-1)/2, (n-k)*within/((n-k)*within+(k-1)*among))
	return (among - within) / (among + (size-1)*within), clustered * k / (k - 1) / (total * n / (n - 1)), &tail
}

// Openings returns the smallest numbers of openings with which the test can pass and can fail. One opening is
// one observation, however often it is played, so more games do not replace missing openings. Deterministic
// players need nearly as many openings as a test of other players needs pairs ([SPRT.Forecast]), because they
// repeat their games. Openings returns an error for an impossible design. It returns 0 if no number up to ten
// million is enough.
func (s SPRT) Openings() (pass, fail int, err error) {
	if err := s.Check(); err != nil {
		return 0, 0, err
	}
	win := func(n int) Outcomes { return Pentanomial{WW: n} }
	loss := func(n int) Outcomes { return Pentanomial{LL: n} }
	if s.Model == ModelBayesElo { // needs the draw rate, so games
		win, loss = func(n int) Outcomes { return WDL{Wins: n} }, func(n int) Outcomes { return WDL{Losses: n} }
	}
	return s.least(win, Pass), s.least(loss, Fail), nil
}

// least returns the smallest n for which the test makes the decision after n equal outcomes. units(n) returns these
// outcomes.
func (s SPRT) least(units func(n int) Outcomes, decision Decision) int {
	decides := func(n int) bool {
		j, err := s.Judge(units(n))
		return err == nil && j.Decision == decision
	}
	if n := 1 + sort.Search(binomial.MaxPlanned, func(i int) bool { return decides(i + 1) }); n <= binomial.MaxPlanned {
		return n
	}
	return 0
}

// DistinctPairs returns how many of a number of pairs can differ from each other. Deterministic players
// (fixed nodes or depth, one thread, restarted for each game) play the same pair whenever an opening recurs,
// so there is one distinct pair per opening. For other players all pairs can differ.
func DistinctPairs(pairs, openings int, deterministic bool) int {
	if deterministic {
		return min(pairs, openings)
	}
	return pairs
}
