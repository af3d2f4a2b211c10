package stats

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sort"
	"strconv"

	"gogi/stats/binomial"
)

// Play is a finished pair as evidence about its two players.
type Play struct {
	Pair Pair
	// Opening names the start position and the moves made from it, in any
	// spelling that is the same for the same opening and no other; "" is one that
	// no other pair has.
	Opening string
	// Games are hashes of the games' moves, one a leg in the order of Pair; none
	// where they are unknown, and then the pair is no copy.
	Games []uint64
}

// Series is what the pairs of one pairing prove, by its openings.
//
// Players of fixed nodes play the same games again whenever an opening comes up
// again: 37 pairs from two openings are two observations. Players that are only
// nearly so leave the earlier game late, with its result mostly decided. So
// the independent unit is the opening, with the mean score of its pairs, however
// often it was played and however alike its games are: that needs no threshold
// of likeness. Where no opening recurs, it is the pair, and every number is
// that of the [Tally].
//
// The alternative is to set aside pairs that repeat an earlier one move for move
// and to count the others as independent. It keeps its level where players are
// deterministic, and nowhere else: games that differ only late count in full,
// and among players that repeat some games the short ones are set aside more
// often, so that the one who wins quickly loses points. docs/statistics.md has
// the simulations of both.
//
// What is generalised to is all openings of which those played are a sample.
// The zero value has no pairs. It must not be copied once in use.
type Series struct {
	tally    Tally
	firsts   Tally // the first pair of each opening
	copies   int
	legs     int // of every pair; 0 before the first
	openings map[string]*opening
	seen     map[played]struct{}
	order    []*opening // as they first came, so that sums are always taken alike
	means    means      // of the openings, by outcome
}

// unnamed begins the key of an opening that no other pair has.
const unnamed = "\x00"

// opening is the pairs that were played from it.
type opening struct {
	key             string
	pairs           int
	points, squares int // sums over pairs, in thousandths and their squares
	halves          int // half points by outcome: 2 a win, 1 a draw, whatever the rules gave
}

// played is the games of a pair of an opening, as [Play.print] has them. All are in one
// map: a long series may have few openings, and half a million pairs of each.
type played struct {
	opening *opening
	print   [2]uint64
}

// Add counts a pair, in plan order, and reports whether each of its games
// repeats, move for move, the game of the same colours in an earlier pair of the
// opening. Such a copy is counted like any other pair, as it is the opening that
// weighs, and what it repeats is often a part of what would have come. It fails,
// and counts nothing, as [Tally.Add] does, for hashes of another number than
// games, and for a pair of one leg among pairs of two or the reverse.
func (s *Series) Add(p Play) (repeats bool, err error) {
	points, err := p.points()
	switch {
	case err != nil:
		return false, err
	case s.legs != 0 && s.legs != len(p.Pair):
		return false, errMixed()
	}
	if err := s.tally.Add(p.Pair); err != nil {
		return false, err
	}
	s.legs = len(p.Pair)
	if p.Opening == "" {
		p.Opening = unnamed + strconv.Itoa(s.Pairs())
	}
	o, known := s.openings[p.Opening]
	if !known {
		if s.openings == nil {
			s.openings = map[string]*opening{}
		}
		o = &opening{key: p.Opening}
		s.openings[p.Opening], s.order = o, append(s.order, o)
		_ = s.firsts.Add(p.Pair) // the tally took it, too
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

// points are those of the pair; it checks the whole play.
func (p Play) points() (int, error) {
	if len(p.Games) != 0 && len(p.Games) != len(p.Pair) {
		return 0, errors.New("a pair has one hash of moves for each game, or none")
	}
	return p.Pair.points()
}

// print is the hashes by A's colour, so that the order of the legs is no matter.
func (p Play) print() [2]uint64 {
	var print [2]uint64
	for i, leg := range p.Pair {
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

// repeats reports whether the games of the opening were played before, and notes them.
func (s *Series) repeats(o *opening, p Play) bool {
	if len(p.Games) == 0 {
		return false
	}
	if s.seen == nil {
		s.seen = map[played]struct{}{}
	}
	before := len(s.seen) // one look at a large map instead of two
	s.seen[played{o, p.print()}] = struct{}{}
	return len(s.seen) == before
}

// mean is the mean score by outcome, in [0, 1].
func (o *opening) mean(legs int) float64 { return float64(o.halves) / float64(2*legs*o.pairs) }

// share is the mean score by points, in [0, 1].
func (o *opening) share(legs int) float64 { return float64(o.points) / float64(legs*milli*o.pairs) }

// means counts openings by mean score, ascending.
type means []meanCount

type meanCount struct {
	value float64
	count int
}

// take adds to the count of a mean; equal fractions are equal numbers.
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

// Tally is all pairs.
func (s *Series) Tally() Tally { return s.tally }

// Firsts is the first pair of each opening alone: independent of each other, whenever
// they are looked at.
func (s *Series) Firsts() Tally { return s.firsts }

// Pairs is the number of pairs.
func (s *Series) Pairs() int { return s.tally.Pairs() }

// Openings is the number of independent units.
func (s *Series) Openings() int { return len(s.openings) }

// Copies is the number of pairs that repeat an earlier one move for move.
func (s *Series) Copies() int { return s.copies }

// reused reports whether an opening came up twice.
func (s *Series) reused() bool { return len(s.openings) < s.tally.Pairs() }

// SignFlip is the exact test of the null hypothesis that the two engines are
// interchangeable. Exchanging them in all pairs of an opening then changes no
// probability, however these depend on each other: so the signs of the openings'
// deviations from an even score are fair coins. It is [Tally.SignFlip] where no
// opening recurs; otherwise its method is opening_sign_flip, and N the number of
// openings. It fails as that does.
func (s *Series) SignFlip(alt binomial.Alternative) (binomial.Test, error) {
	tests, err := s.SignFlips(alt)
	if err != nil {
		return binomial.Test{}, err
	}
	return tests[0], nil
}

// SignFlips is SignFlip for several alternatives, in the time that one takes.
func (s *Series) SignFlips(alts ...binomial.Alternative) ([]binomial.Test, error) {
	if !s.reused() || s.legs != 2 {
		return s.tally.signFlips(alts...)
	}
	for _, alt := range alts {
		if err := alt.Check(); err != nil {
			return nil, err
		}
	}
	var sums scores
	for _, o := range s.order {
		sums = append(sums, scoreCount{o.points - (o.pairs-1)*milli, 1})
	}
	return signFlips("opening_sign_flip", sums.plus(nil), alts...), nil
}

// Test is the test that decides whether A is the stronger: [Series.SignFlip],
// or, where colours are not swapped, the exact binomial test over the first game
// of each opening that is decisive. It fails where nothing can be tested.
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

// unitOpening is the unit where openings recur.
const unitOpening = "opening"

// Sample is A's score over independent units: [Tally.Sample] where no opening
// recurs, else the openings with their mean scores, each of the same weight. It
// fails when there are no games.
func (s *Series) Sample() (Sample, error) {
	if !s.reused() {
		return s.tally.Sample()
	}
	return s.shares().sample(unitOpening), nil
}

// shares are the openings' mean scores by points.
func (s *Series) shares() means {
	var m means
	for _, o := range s.order {
		m.take(o.share(s.legs), 1)
	}
	return m
}

func (m means) units() int {
	n := 0
	for _, c := range m {
		n += c.count
	}
	return n
}

func (m means) sample(unit string) Sample {
	n := float64(m.units())
	if len(m) == 1 { // else the rounding error of the mean would be a variance
		return Sample{Unit: unit, N: m.units(), Mean: m[0].value}
	}
	mean := 0.0
	for _, c := range m {
		mean += float64(c.count) / n * c.value
	}
	var moments [5]float64
	for _, c := range m {
		d, power := c.value-mean, 1.0
		for i := range moments {
			moments[i] += float64(c.count) / n * power
			power *= d
		}
	}
	v := moments[2]
	return Sample{unit, m.units(), mean, v, moments[3] / (v * math.Sqrt(v)), moments[4]/(v*v) - 3}
}

// Dependence is how much the pairs of one opening have in common.
type Dependence struct {
	Pairs    int `json:"pairs"`
	Openings int `json:"openings"` // the independent units
	Reused   int `json:"reused"`   // openings that were played more than once
	Copies   int `json:"copies"`   // pairs that repeat an earlier one move for move
	// ICC is the intraclass correlation of pair scores within openings, at most
	// 1 (every pair repeats its opening's result), 0 where openings do not
	// matter, slightly below by chance: the analysis of variance estimator. It
	// is 1 where all pairs score alike, as then nothing shows that they differ.
	ICC *float64 `json:"icc"`
	// Effect is by how much the variance of the score is larger than that of as
	// many independent pairs; Pairs over it are worth as much.
	Effect *float64 `json:"design_effect"`
	Why    string   `json:"why,omitempty"` // of the gaps
}

// Dependence measures the dependence of pairs within openings. ICC and Effect
// are unknown where no opening recurs or there is only one.
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
		icc, effect := s.analysis()
		d.ICC, d.Effect = &icc, &effect
	}
	return d
}

// analysis is the one-way analysis of variance of pair scores by opening
// (Donner 1986 for unequal group sizes), and the ratio of the variance of their
// mean between openings to that of independent pairs.
func (s *Series) analysis() (icc, effect float64) {
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
		return 1, sizes
	}
	among, within := between/(k-1), max(0, total-between)/(n-k)
	size := (n - sizes) / (k - 1)
	return (among - within) / (among + (size-1)*within), clustered * k / (k - 1) / (total * n / (n - 1))
}

// Openings is how many openings it takes at least until the test can pass, and
// until it can fail: as one opening is one unit, however often it is played, no
// number of games makes up for fewer. Deterministic players, who repeat
// themselves, take nearly as many openings as a test takes pairs ([SPRT.Course]).
// It fails for a design that cannot be tested, and gives 0 where no number is
// enough (of ten million).
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

// least is the least number of units of one outcome that decides so.
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

// DistinctPairs is how many pairs of a pairing a plan can yield that do not
// repeat each other: all, or one an opening where both players are deterministic
// (fixed nodes or depth, one thread, started afresh) and so repeat the pair of an
// opening whenever it comes up again.
func DistinctPairs(pairs, openings int, deterministic bool) int {
	if deterministic {
		return min(pairs, openings)
	}
	return pairs
}
