package hunt

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"gogi/internal/format"
	"gogi/internal/lists"
	"gogi/stats"
)

// A Config has the settings of a hunt.
type Config struct {
	Versions   int     // number of versions, with the good and the bad one; at least 2
	Confidence float64 // posterior probability at which the hunt names a culprit, in (0.5, 1)
	// standard deviation in Elo of the change of each version that is no culprit; 0: none of them changes
	Drift float64
	Block int // number of pairs of the first blocks; at least 1
}

// Check returns an error if a setting is impossible.
func (c Config) Check() error {
	switch {
	case c.Versions < 2:
		return errors.New("a hunt needs two versions at least")
	case !(c.Confidence > 0.5 && c.Confidence < 1):
		return errors.New("the confidence is not between 0.5 and 1")
	case !(c.Drift >= 0 && c.Drift <= maxDrift):
		return errors.New("the drift is not between 0 and 500 Elo")
	case c.Block < 1:
		return errors.New("a block needs one pair at least")
	}
	return nil
}

// maxDrift is the largest drift in Elo.
const maxDrift = 500

// The prior of the loss is log-uniform from minElo on, on a grid of losses with gridStep points for a factor of 250.
// The last two points are a loss of about 4,350 Elo, of which no game is drawn or won by chance, and the loss of all
// games.
const (
	minElo   = 2.0
	gridStep = 60
	gridSize = 85
)

// The prior of the variance of a pair's mean points per game between equal versions: priorPairs pairs with the variance
// of two independent games without draws.
const (
	priorPairs    = 20
	priorVariance = 0.125
)

// A Query is a request to play a number of pairs (a block) between two versions, Old < New.
type Query struct{ Old, New, Pairs int }

// A cell has all pairs between two versions, as scores of the newer one.
type cell struct {
	old, new int
	scores   stats.Scores
	played   stats.Scores // without the pairs of Know

	past, pastPoints float64 // weight of Remember in pairs, and the points per game with this weight
}

// pairs returns the number of pairs, with the weight of those of Remember.
func (c cell) pairs() float64 { return float64(c.scores.N()) + c.past }

// mean returns the mean score of all pairs.
func (c cell) mean() float64 {
	return (float64(c.scores.N())*c.scores.Mean() + c.pastPoints) / c.pairs()
}

// narrowing returns the variance of a pair with the expected score m, divided by the variance of a pair of equal
// versions. It is proportional to m(1-m), like the variance of a game without draws.
func narrowing(m float64) float64 { return 4 * m * (1 - m) }

// narrowing returns the narrowing of the cell for the expected score nearest to ½ that is within three standard errors,
// so that it does not understate the variance of a few pairs.
func (c cell) narrowing() float64 {
	lo, hi := wilson(c.mean(), c.pairs()/(4*priorVariance), 3)
	return narrowing(min(max(0.5, lo), hi))
}

// wilson returns Wilson's interval of an expected score: the scores whose distance from the mean of this number of
// games without draws is at most z of their own standard errors.
func wilson(mean, games, z float64) (lo, hi float64) {
	centre, width := mean+z*z/(2*games), z*math.Sqrt(mean*(1-mean)/games+z*z/(4*games*games))
	return (centre - width) / (1 + z*z/games), (centre + width) / (1 + z*z/games)
}

// A Hunt is a search for the version that lost Elo, with the results so far. Its state depends only on the
// sequence of calls of Add, Know and Remember.
type Hunt struct {
	config Config
	lost   [gridSize]float64 // the grid of losses, in points per game
	cells  []cell
	pairs  int     // pairs of Add
	known  float64 // pairs of Know, and the weight of those of Remember

	variance  float64     // variance of the score of a pair of equal versions
	joint     [][]float64 // posterior by culprit (minus 1) and loss
	culprit   []float64   // posterior by culprit (minus 1)
	chiSquare float64     // chi-square of the residuals of the pairs of Add, with the culprit and loss that fit them best
	freedom   int         // its degrees of freedom

	nominee nominee
}

// A nominee is a culprit whose posterior has reached one half. fresh has the scores of the pairs that the nominee and
// the version before it played after the nomination. stakes has the posterior of the nominee's loss at the
// nomination, by loss.
type nominee struct {
	culprit int // 0: none
	fresh   stats.Scores
	stakes  []float64
	spread  float64 // variance of the score of a pair of equal versions, at the nomination
}

// New returns a hunt without results. It returns an error for impossible settings.
func New(c Config) (*Hunt, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	h := &Hunt{config: c}
	for g := range h.lost {
		h.lost[g] = lost(gridElo(float64(g)))
	}
	h.update()
	return h, nil
}

// gridElo returns a loss of the grid in Elo. Half numbers are the borders between two losses.
func gridElo(g float64) float64 {
	if g >= gridSize-1 {
		return math.Inf(1)
	}
	return minElo * math.Pow(250, (g+0.5)/gridStep)
}

// lost returns the score below ½ that a loss of elo means, on the logistic scale.
func lost(elo float64) float64 { return 0.5 - 1/(1+math.Pow(10, elo/400)) }

// Add adds the results of pairs that the hunt has played between two versions. scores are from the point of view of the
// newer version. Add panics if old and new are not two versions in this order.
func (h *Hunt) Add(old, new int, scores stats.Scores) {
	c := h.cell(old, new, scores, 0)
	c.played = c.played.Plus(scores)
	h.pairs += scores.N()
	if old == new-1 && new == h.nominee.culprit {
		h.nominee.fresh = h.nominee.fresh.Plus(scores)
	}
	h.update()
	h.nominate()
}

// Know adds pairs of two versions that were played before the hunt. They change the posterior. They are no part of the
// e-value, of the test of the residuals and of the total loss, because such games may be the reason for the hunt.
// Know panics like Add.
func (h *Hunt) Know(old, new int, scores stats.Scores) {
	h.cell(old, new, scores, 0)
	h.known += float64(scores.N())
	h.update()
	h.nominate()
}

// Remember adds pairs with a time limit that two versions played in earlier sessions. They count like those of Know,
// but only with their weight for the present session. past is from the point of view of the newer version. Remember
// panics like Add.
func (h *Hunt) Remember(old, new int, past stats.History) {
	c := h.cell(old, new, stats.Scores{}, past.Worth)
	c.past += past.Worth
	c.pastPoints += past.Worth * past.Mean
	h.known += past.Worth
	h.update()
	h.nominate()
}

// cell adds scores to the cell of two versions and returns the cell. Without scores and without a weight it changes
// nothing.
func (h *Hunt) cell(old, new int, scores stats.Scores, past float64) *cell {
	if old < 0 || old >= new || new >= h.config.Versions {
		panic("hunt: these are no two versions in order")
	}
	if scores.N() == 0 && past == 0 {
		return &cell{}
	}
	i := slices.IndexFunc(h.cells, func(c cell) bool { return c.old == old && c.new == new })
	if i < 0 {
		i = len(h.cells)
		h.cells = append(h.cells, cell{old: old, new: new})
	}
	h.cells[i].scores = h.cells[i].scores.Plus(scores)
	return &h.cells[i]
}

// update calculates the posterior. It models the mean score of each cell as a normal variable. Its mean is ½, minus
// the loss if the culprit is newer than the old version of the cell, and not newer than the new one. The variance
// comes from the games of the cell and from the drift of the versions. The scores of two cells are correlated,
// because both depend on the drift of the versions that they have in common.
func (h *Hunt) update() {
	h.variance = h.pooled()
	squares := h.squares(h.cells)
	h.chiSquare, h.freedom = least(squares), len(h.cells)-2
	h.normalize(squares)
	if h.known == 0 {
		return
	}
	var played []cell
	for _, c := range h.cells {
		if c.scores, c.past, c.pastPoints = c.played, 0, 0; c.played.N() > 0 {
			played = append(played, c)
		}
	}
	h.chiSquare, h.freedom = least(h.squares(played)), len(played)-2
}

// A square is the chi-square of the residuals of cells for one culprit, a function of the score that the culprit loses:
// -2 times the logarithm of the likelihood, up to a constant.
type square struct{ constant, linear, quadratic float64 }

func (q square) at(lost float64) float64 { return q.constant + lost*(2*q.linear+lost*q.quadratic) }

// least returns the least chi-square of all culprits and all losses from -½ to ½: also of losses between those of the
// grid, and of gains, which are no loss, but one change.
func least(squares []square) float64 {
	result := math.Inf(1)
	for _, q := range squares {
		best := 0.0
		if q.quadratic > 0 {
			best = min(max(-q.linear/q.quadratic, -0.5), 0.5)
		}
		result = min(result, q.at(best))
	}
	return result
}

// squares returns the chi-square of the residuals of cells for each culprit.
func (h *Hunt) squares(cells []cell) (list []square) {
	inverse, deviations, constant := h.precision(cells)
	for k := range h.config.Versions - 1 {
		q := square{constant: constant}
		for i, c := range cells {
			if c.old > k || k >= c.new {
				continue
			}
			for j, d := range cells {
				q.linear += inverse.At(i, j) * deviations[j]
				if d.old <= k && k < d.new {
					q.quadratic += inverse.At(i, j)
				}
			}
		}
		list = append(list, q)
	}
	return list
}

// normalize sets the posterior from the result of squares.
func (h *Hunt) normalize(squares []square) {
	n, smallest, sum := h.config.Versions-1, math.Inf(1), 0.0
	for _, q := range squares {
		for _, s := range h.lost {
			smallest = min(smallest, q.at(s))
		}
	}
	h.joint, h.culprit = make([][]float64, n), make([]float64, n)
	for k, q := range squares {
		for _, s := range h.lost {
			p := math.Exp((smallest - q.at(s)) / 2)
			h.joint[k] = append(h.joint[k], p)
			h.culprit[k] += p
		}
		sum += h.culprit[k]
	}
	for k := range h.joint {
		h.culprit[k] /= sum
		for g := range h.joint[k] {
			h.joint[k][g] /= sum
		}
	}
}

// pooled returns the variance of the score of a pair of equal versions, from the scatter within all cells.
func (h *Hunt) pooled() float64 {
	scatter, freedom := priorPairs*priorVariance, float64(priorPairs)
	for _, c := range h.cells {
		scatter += c.scores.Scatter()
		freedom += float64(max(0, c.scores.N()-1)) * narrowing(c.scores.Mean())
	}
	return scatter / freedom
}

// precision returns the inverse covariance of the scores of cells, their deviations from ½, and the squared length of
// the deviations.
func (h *Hunt) precision(cells []cell) (inverse *mat.SymDense, deviations []float64, constant float64) {
	n := len(cells)
	if n == 0 {
		return nil, nil, 0
	}
	step := lost(h.config.Drift)
	covariance := mat.NewSymDense(n, nil)
	for i, c := range cells {
		deviations = append(deviations, c.mean()-0.5)
		for j, d := range cells[:i+1] {
			common := max(0, min(c.new, d.new)-max(c.old, d.old))
			covariance.SetSym(i, j, step*step*float64(common))
		}
		covariance.SetSym(i, i, covariance.At(i, i)+h.variance*c.narrowing()/c.pairs())
	}
	var factor mat.Cholesky
	factor.Factorize(covariance) // the variance of the games makes it positive definite
	inverse = new(mat.SymDense)
	_ = factor.InverseTo(inverse) // its error is a warning about the condition number
	v := mat.NewVecDense(n, deviations)
	return inverse, deviations, mat.Inner(v, inverse, v)
}

// nominate makes the culprit with a posterior of at least one half the nominee.
func (h *Hunt) nominate() {
	k, p := h.mode()
	if p < 0.5 || k == h.nominee.culprit {
		return
	}
	h.nominee = nominee{culprit: k, spread: h.variance}
	for _, q := range h.joint[k-1] {
		h.nominee.stakes = append(h.nominee.stakes, q/p)
	}
}

// logE returns the logarithm of the e-value against the hypothesis that the nominee is no weaker than the version
// before it. A gambler divides a capital of 1 among the losses of the grid, in proportion to their posterior at the
// nomination. With each part, the gambler always bets the share that is best for this loss. Only the pairs after the
// nomination count, so the games that led to the nomination do not.
func (h *Hunt) logE() float64 {
	of, parts := h.nominee, []float64(nil)
	for g, p := range of.stakes {
		s := h.lost[g]
		share := min(0.9, s/(2*(of.spread+s*s)))
		parts = append(parts, math.Log(p)+of.fresh.Mirror().LogWealth(share, 0.5))
	}
	return floats.LogSumExp(parts) // the wealth itself can exceed the largest number
}

// mode returns the most probable culprit and its posterior.
func (h *Hunt) mode() (culprit int, posterior float64) {
	posterior = slices.Max(h.culprit)
	return slices.Index(h.culprit, posterior) + 1, posterior
}

// moments returns the posterior mean and standard deviation of the loss in points per game.
func (h *Hunt) moments() (mean, sd float64) {
	square := 0.0
	for _, row := range h.joint {
		for g, p := range row {
			mean += p * h.lost[g]
			square += p * h.lost[g] * h.lost[g]
		}
	}
	return mean, math.Sqrt(max(0, square-mean*mean))
}

// blockShare sets the size of a block. A block has 1/blockShare of the pairs so far, but at least Config.Block pairs.
// The number of blocks therefore grows only with the logarithm of the number of pairs.
const blockShare = 12

// The pairs between the good and the bad version measure the loss. Next returns such a block until the standard
// deviation of the loss is at most headSD times its mean. It does so only while such pairs are at most the share
// headShare of all pairs.
const headShare, headSD = 0.15, 0.5

// Next returns the block of pairs to play next. The first block is between the good and the bad version.
// Until the total loss is roughly known, a part of the later blocks is also between these two versions. If a
// version is the culprit with at least the probability Config.Confidence, the block is between this version
// and the one before it. Otherwise Next chooses the two versions whose pairs give the most information about
// the culprit. If several choices are almost equally good, it prefers versions that have already played.
func (h *Hunt) Next() Query {
	last := h.config.Versions - 1
	pairs := max(h.config.Block, h.pairs/blockShare)
	head, all := h.between(0, last).pairs(), float64(h.pairs)+h.known
	if mean, sd := h.moments(); h.pairs == 0 || sd > headSD*mean && head <= headShare*all {
		return Query{0, last, pairs}
	}
	if k, p := h.mode(); p >= h.config.Confidence {
		return Query{k - 1, k, pairs}
	}
	used, worth := h.used(), h.worths(pairs)
	best, bestWorth := Query{}, -1.0
	for old := range last {
		for new := old + 1; new <= last; new++ {
			if w := worth(old, new) * (1 + 0.01*float64(used[old]+used[new])); w > bestWorth*(1+1e-9) {
				best, bestWorth = Query{old, new, pairs}, w
			}
		}
	}
	return best
}

// worths returns a function that returns the worth of a block of pairs between two versions. The worth is the
// variance of the expected score over the possible culprits, divided by the variance of the observed score. For small
// values it is twice the expected information about the culprit. Without drift, and with the same loss for each
// culprit, it is largest if the culprit is between the two versions with the probability one half.
func (h *Hunt) worths(pairs int) func(old, new int) float64 {
	inverse, deviations, _ := h.precision(h.cells)
	n, step := len(h.culprit), lost(h.config.Drift)
	// by culprit: lost score; drift of the score up to each version
	means, drifts := make([]float64, n), make([][]float64, n)
	for k := range n {
		means[k] = h.meanLost(k)
		drifts[k] = h.drifted(inverse, deviations, k, means[k])
	}
	return func(old, new int) float64 {
		sum, squares := 0.0, 0.0
		for k, p := range h.culprit {
			expected := drifts[k][new] - drifts[k][old]
			if old <= k && k < new {
				expected -= means[k]
			}
			sum += p * expected
			squares += p * expected * expected
		}
		return (squares - sum*sum) / (h.variance/float64(pairs) + step*step*float64(new-old))
	}
}

// meanLost returns the posterior mean of the score that culprit k+1 loses.
func (h *Hunt) meanLost(k int) float64 {
	sum, weight := 0.0, 0.0
	for g, p := range h.joint[k] {
		sum += p * h.lost[g]
		weight += p
	}
	return sum / max(weight, math.SmallestNonzeroFloat64)
}

// drifted returns, for each version, how much it is expected to score above the good version because of drift. It
// assumes that version k+1 is the culprit and loses the score s.
func (h *Hunt) drifted(inverse *mat.SymDense, deviations []float64, k int, s float64) []float64 {
	path, step := make([]float64, h.config.Versions), lost(h.config.Drift)
	if step == 0 {
		return path
	}
	for i, c := range h.cells {
		pull := 0.0
		for j, d := range h.cells {
			residual := deviations[j]
			if d.old <= k && k < d.new {
				residual += s
			}
			pull += inverse.At(i, j) * residual
		}
		for version := c.old + 1; version <= c.new; version++ {
			path[version] += step * step * pull
		}
	}
	for version := 1; version < len(path); version++ {
		path[version] += path[version-1]
	}
	return path
}

// between returns the cell of two versions, or an empty cell.
func (h *Hunt) between(old, new int) cell {
	found, _ := lists.Find(h.cells, func(c cell) bool { return c.old == old && c.new == new })
	return found
}

// used returns 1 for each version that has played, and 0 for the others.
func (h *Hunt) used() []int {
	used := make([]int, h.config.Versions)
	for _, c := range h.cells {
		used[c.old], used[c.new] = 1, 1
	}
	return used
}

// A Verdict is the conclusion of a hunt so far, such as that the culprit is found.
type Verdict string

// The verdicts.
const (
	Open    Verdict = "open"    // more games are necessary
	Found   Verdict = "found"   // one culprit explains the games
	Several Verdict = "several" // no single culprit explains the games
	NoLoss  Verdict = "no_loss" // the bad version is not weaker than the good one
)

// An Elo is a loss in Elo. It is infinite for a version that loses all games, and -∞ for one that wins all. JSON has no
// number for them, and gets null.
type Elo float64

// MarshalJSON returns null for an infinite loss.
func (e Elo) MarshalJSON() ([]byte, error) { return json.Marshal(format.Finite(float64(e))) }

// String returns the loss without decimals.
func (e Elo) String() string {
	if math.IsInf(float64(e), 0) {
		return format.Elo(nil, int(math.Copysign(1, float64(e))))
	}
	return fmt.Sprintf("%.0f", float64(e))
}

// An Answer is the result of a hunt so far: the most probable culprit, its loss in Elo, and the verdict.
type Answer struct {
	Verdict   Verdict   `json:"verdict"`
	Culprit   int       `json:"culprit"`   // the most probable culprit
	Posterior []float64 `json:"posterior"` // by version; the good version has 0
	Elo       Elo       `json:"elo"`       // loss of the most probable culprit, from the posterior mean of its score
	Lo        Elo       `json:"lo"`        // 95% interval of this loss
	Hi        Elo       `json:"hi"`
	Total     Elo       `json:"total"`    // loss of the bad version against the good one, from their own pairs
	TotalLo   Elo       `json:"total_lo"` // approximate 95% interval of this loss
	TotalHi   Elo       `json:"total_hi"`
	Why       string    `json:"why,omitempty"` // why a loss is infinite, which JSON writes as null
	EValue    float64   `json:"e_value"`       // evidence that the culprit is weaker than the version before it, see logE
	// chi-square test that one culprit explains all pairings; 1 with few pairings
	ResidualP float64 `json:"residual_p"`
	Pairs     int     `json:"pairs"` // pairs that the hunt played, without those of Know
}

const (
	enoughE   = 20    // e-value of the fresh pairs that a named culprit needs
	residualP = 0.001 // p value of the residuals below which no culprit is named; a hundredth of it ends a hunt
)

// Answer returns the current result. The verdict is Found only if three conditions hold. First, the posterior
// probability of the culprit is at least the confidence. Second, the culprit lost Elo in new pairs against
// the version before it; these are the pairs that the two played after the culprit's probability first
// reached one half. Third, the residuals of all pairings are consistent with one culprit.
func (h *Hunt) Answer() Answer {
	k, p := h.mode()
	a := Answer{Verdict: Open, Culprit: k, Posterior: append([]float64{0}, h.culprit...), ResidualP: 1, Pairs: h.pairs}
	a.Elo, a.Lo, a.Hi = elos(h.culpritLoss(k))
	a.Total, a.TotalLo, a.TotalHi = elos(h.total(1.96))
	if slices.ContainsFunc([]Elo{a.Elo, a.Lo, a.Hi, a.Total, a.TotalLo, a.TotalHi}, func(e Elo) bool {
		return math.IsInf(float64(e), 0)
	}) {
		a.Why = "a loss of all games, or a gain of all, has no number of Elo"
	}
	if h.nominee.culprit == k {
		a.EValue = min(math.Exp(h.logE()), math.MaxFloat64)
	}
	if h.freedom > 0 {
		a.ResidualP = mathext.GammaIncRegComp(float64(h.freedom)/2, max(0, h.chiSquare)/2) // below 0 it is a rounding error
	}
	_, _, most := h.total(3)
	switch {
	case h.pairs > 0 && most < minElo:
		a.Verdict = NoLoss
	case a.ResidualP < residualP/100:
		a.Verdict = Several
	case p >= h.config.Confidence && a.EValue >= enoughE:
		a.Verdict = Found
		if a.ResidualP < residualP {
			a.Verdict = Several
		}
	}
	return a
}

func elos(elo, lo, hi float64) (Elo, Elo, Elo) { return Elo(elo), Elo(lo), Elo(hi) }

// total returns the loss of the bad version against the good one in Elo, from their own pairs of Add, and an interval
// of z standard errors. Without these pairs all three are 0. If the version loses all games, the upper end is infinite.
func (h *Hunt) total(z float64) (elo, lo, hi float64) {
	scores := h.between(0, h.config.Versions-1).played
	if scores.N() == 0 {
		return 0, 0, 0
	}
	worst, best := wilson(scores.Mean(), float64(scores.N())/(4*h.variance), z)
	return loss(scores.Mean()), loss(best), loss(worst)
}

// roundOff is the largest score that may be a rounding error of 0.
const roundOff = 1e-12

// loss returns the loss in Elo at which a version has the score against the version before it. It is infinite for 0 and
// 1. It is the inverse of lost, for the score ½ minus the result of lost.
func loss(score float64) float64 {
	switch {
	case score < roundOff:
		return math.Inf(1)
	case score > 1-roundOff:
		return math.Inf(-1)
	}
	return 400 * math.Log10((1-score)/score)
}

// culpritLoss returns the loss in Elo at the posterior mean of the score, and the 95% interval of the loss, given the
// culprit.
func (h *Hunt) culpritLoss(k int) (elo, lo, hi float64) {
	lo, hi = minElo, math.Inf(1)
	sum := 0.0
	for g, p := range h.joint[k-1] {
		p /= h.culprit[k-1]
		if sum < 0.025 && sum+p >= 0.025 {
			lo = gridElo(float64(g) - 0.5)
		}
		if sum < 0.975 && sum+p >= 0.975 {
			hi = gridElo(float64(g) + 0.5)
		}
		sum += p
	}
	return loss(0.5 - h.meanLost(k-1)), lo, hi
}
