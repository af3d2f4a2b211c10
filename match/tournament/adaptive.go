package tournament

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"gogi/stats/binomial"
	"gogi/stats/rating"
	"gogi/stats/rating/crosstable"
)

// adaptive selects pairs between the players whose ranking is least certain. It selects a block of pairs at a time. For
// this it uses the results of all earlier blocks except the previous one, so that slots do not wait for the last pair
// of that block. The selected pairs do not depend on the number of pairs played at the same time.
//
// The results give a Bradley–Terry posterior (Posterior). adaptive compares neighbours in the ranking, or, with an
// anchor, each player with the anchor. Each comparison has the probability that its order is wrong as its weight. Each
// pair of the block goes to the two players whose games have the greatest expected benefit. The benefit is the sum,
// over the comparisons, of the share by which the variance decreases, times the weight. Later pairs of the block take
// the expected information of earlier pairs into account.
type adaptive struct {
	blocks int            // number of blocks selected so far
	met    map[[2]int]int // number of pairs of two players; the key has the smaller player number first
}

// lag is the number of previous blocks whose results are not used to select a block.
const lag = 1

func (a *adaptive) left(s *Schedule) int { return s.spec.Pairs - s.played }

func (a *adaptive) draw(s *Schedule) ([]Slot, error) {
	size := s.spec.Tournament.Block
	first := a.blocks * size
	known := max(0, (a.blocks-lag)*size) // pairs whose results count
	if first >= s.spec.Pairs || !s.finished(max(0, known-size), known) {
		return nil, nil
	}
	sight, err := newSight(s, s.before(known))
	if err != nil {
		return nil, err
	}
	for _, slot := range s.drawn {
		if slot.Pair >= known {
			sight.expect(slot.Players)
		}
	}
	var slots []Slot
	for id := first; id < first+size; id++ { // whole blocks: the target may move
		players := sight.best()
		sight.expect(players)
		slots = append(slots, Slot{Pair: id, Players: players, Opening: a.met[players]})
		a.met[players]++
	}
	a.blocks++
	return slots, nil
}

// finished reports whether every pair n with from <= n < to has a result.
func (s *Schedule) finished(from, to int) bool {
	for id := from; id < to; id++ {
		if !s.Finished(id) {
			return false
		}
	}
	return true
}

// before returns the results of all pairs whose numbers are less than known, in the order of their numbers.
func (s *Schedule) before(known int) []Outcome {
	var list []Outcome
	for id := range known {
		list = append(list, s.results[id])
	}
	return list
}

// spreads are the possible standard deviations of the prior of a player's log strength, in Elo. gogi uses the most
// likely one (empirical Bayes). With a prior that is wider than the players' real differences, gogi would play too many
// pairs between players of equal strength.
var spreads = [...]float64{6.25, 12.5, 25, 50, 100, 200, 400}

// Posterior is the distribution of the players' log strengths given the results, under the Bradley–Terry
// model. A draw counts as half a win, and the width of the Gaussian prior is estimated from the results.
// Posterior has the most likely values and their covariance (Laplace's approximation). The values are rounded
// to a precision far finer than their uncertainty, so that machines that round sums differently select the
// same pairs.
type Posterior struct {
	Mean       []float64   // in natural units, by player
	Covariance [][]float64 // covariance of Mean
	Spread     float64     // standard deviation of the prior, in Elo; 0 without games
}

// PosteriorOf returns the Posterior given some results. players is the number of players.
func PosteriorOf(results []Outcome, players int) (*Posterior, error) {
	games := tally(results)
	if len(games) == 0 {
		widest := spreads[len(spreads)-1] / binomial.EloPerNat
		p := blank(players, widest)
		return p, nil
	}
	var best *Posterior
	most := math.Inf(-1)
	for _, spread := range spreads {
		p, evidence, err := posteriorWithin(games, players, spread)
		if err != nil {
			return nil, fmt.Errorf("tournament: rating %d pairs: %w", len(results), err)
		}
		if evidence > most+1e-6 {
			best, most = p, evidence
		}
	}
	return best, nil
}

// blank returns the Posterior without results, which is the prior.
func blank(players int, sd float64) *Posterior {
	p := &Posterior{Mean: make([]float64, players), Covariance: make([][]float64, players)}
	for i := range p.Covariance {
		p.Covariance[i] = make([]float64, players)
		p.Covariance[i][i] = sd * sd
	}
	return p
}

// posteriorWithin returns the Posterior for a prior with the given width. It also returns the log likelihood
// of the results under this prior, up to a constant, by Laplace's approximation.
func posteriorWithin(games []crosstable.Count, players int, spread float64) (*Posterior, float64, error) {
	sd := spread / binomial.EloPerNat
	fit, err := rating.Rate(games, rating.Model{Prior: rating.Prior{SD: sd}})
	if err != nil {
		return nil, 0, err
	}
	matrix, err := fit.Covariance()
	if err != nil {
		return nil, 0, err
	}
	p, evidence := blank(players, sd), fit.LogLik
	p.Spread = spread
	numbers := make([]int, len(fit.Players)) // a player without games keeps the prior
	for place, rated := range fit.Players {
		if numbers[place], err = strconv.Atoi(rated.Name); err != nil {
			return nil, 0, err
		}
		x := rated.Elo / binomial.EloPerNat
		p.Mean[numbers[place]] = rounded(x)
		evidence -= x*x/(2*sd*sd) + math.Log(sd)
	}
	for a, i := range numbers {
		for b, j := range numbers {
			p.Covariance[i][j] = rounded(matrix.Matrix[a][b])
		}
	}
	return p, evidence + logDet(matrix.Matrix)/2, nil
}

// logDet returns the logarithm of the determinant of a positive definite matrix, or -∞ for another matrix.
func logDet(matrix [][]float64) float64 {
	var c mat.Cholesky
	if !c.Factorize(mat.NewSymDense(len(matrix), slices.Concat(matrix...))) {
		return math.Inf(-1)
	}
	return c.LogDet()
}

func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// tally returns the sums of the results for each two players.
func tally(results []Outcome) []crosstable.Count {
	points := map[[2]int][2]float64{}
	for _, o := range results {
		key, swapped := meeting(o.Players[0], o.Players[1]), 0
		if key != o.Players {
			swapped = 1
		}
		sum := points[key]
		sum[swapped] += o.Points[0]
		sum[1-swapped] += o.Points[1]
		points[key] = sum
	}
	var games []crosstable.Count
	for key, sum := range points {
		wins := [2]int{int(math.Floor(sum[0] + 1e-9)), int(math.Floor(sum[1] + 1e-9))}
		c := crosstable.Count{
			Black: fmt.Sprintf("%07d", key[0]), White: fmt.Sprintf("%07d", key[1]), BlackWins: wins[0], WhiteWins: wins[1],
			Draws: int(math.Round(sum[0]+sum[1])) - wins[0] - wins[1],
		}
		if c.Games() > 0 { // rules may give neither player points
			games = append(games, c)
		}
	}
	slices.SortFunc(games, func(x, y crosstable.Count) int {
		return cmp.Or(cmp.Compare(x.Black, y.Black), cmp.Compare(x.White, y.White))
	})
	return games
}

// sight has the Posterior and other data for selecting the pairs of a block.
type sight struct {
	*Posterior
	legs    float64
	anchor  int
	order   []int     // players, best first
	place   []int     // in order, by player
	asked   [][2]int  // the comparisons: the two players of each
	wrong   []float64 // probability that the order of each comparison is wrong
	options [][2]int  // the pairs that may be selected
}

// window limits the work of choosing a pair, in places of the ranking. The two players of a pair are at most
// window places apart. A comparison asks which of two players is stronger: two neighbours in the ranking, or a
// player and the anchor. gogi evaluates a pair only for comparisons of players that are at most window places
// from a player of the pair.
const window = 8

func newSight(s *Schedule, results []Outcome) (*sight, error) {
	p, err := PosteriorOf(results, len(s.spec.Players))
	if err != nil {
		return nil, err
	}
	w := &sight{Posterior: p, legs: float64(s.spec.Legs), anchor: slices.Index(s.spec.Players, s.spec.Anchor)}
	w.order = p.Ranking()
	w.place = make([]int, len(w.order))
	for place, player := range w.order {
		w.place[player] = place
	}
	w.ask()
	return w, nil
}

// ask sets asked, the comparisons that gogi evaluates, and options, the pairs that it may select.
func (w *sight) ask() {
	for i, a := range w.order {
		if w.anchor >= 0 {
			if a != w.anchor {
				w.asked = append(w.asked, [2]int{a, w.anchor})
				w.options = append(w.options, meeting(a, w.anchor))
			}
			continue
		}
		for j := i + 1; j < min(len(w.order), i+1+window); j++ {
			if j == i+1 {
				w.asked = append(w.asked, [2]int{a, w.order[j]})
			}
			w.options = append(w.options, meeting(a, w.order[j]))
		}
	}
	for _, c := range w.asked {
		w.wrong = append(w.wrong, w.Posterior.Wrong(c[0], c[1]))
	}
}

// Difference returns the log strength of a minus that of b, in natural units, and the variance of this
// difference.
func (p *Posterior) Difference(a, b int) (mean, variance float64) {
	c := p.Covariance
	return p.Mean[a] - p.Mean[b], c[a][a] + c[b][b] - 2*c[a][b]
}

// FromMean returns a player's log strength minus the mean of all players, in natural units, and the variance
// of this difference.
func (p *Posterior) FromMean(player int) (mean, variance float64) {
	n := float64(len(p.Mean))
	mean, variance = p.Mean[player], p.Covariance[player][player]
	for i, row := range p.Covariance {
		mean -= p.Mean[i] / n
		variance -= 2 * row[player] / n
		for _, x := range row {
			variance += x / n / n
		}
	}
	return mean, variance
}

// Ranking returns the players, the strongest first. Equal players are in the order of their numbers.
func (p *Posterior) Ranking() []int {
	order := make([]int, len(p.Mean))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Mean[b], p.Mean[a]) })
	return order
}

// Wrong returns the probability that the player with the lower estimated strength is really the stronger one of
// the two. It is at most 0.5.
func (p *Posterior) Wrong(a, b int) float64 {
	mean, variance := p.Difference(a, b)
	if variance <= 0 {
		return 0
	}
	return math.Erfc(math.Abs(mean)/math.Sqrt(2*variance)) / 2
}

// information returns the expected information of a pair about the difference in strength of its two players.
func (w *sight) information(a, b int) float64 {
	q := 1 / (1 + math.Exp(w.Mean[b]-w.Mean[a]))
	return w.legs * q * (1 - q)
}

// expect reduces the covariance by the expected information of a pair, with the formula of Sherman and Morrison.
func (w *sight) expect(players [2]int) {
	a, b := players[0], players[1]
	toward := make([]float64, len(w.Mean)) // covariance of each with the difference of a and b
	for i, row := range w.Covariance {
		toward[i] = row[a] - row[b]
	}
	info := w.information(a, b)
	factor := info / (1 + info*(toward[a]-toward[b]))
	for i, row := range w.Covariance {
		for j := range row {
			row[j] -= factor * toward[i] * toward[j]
		}
	}
}

// best returns the pair with the greatest value. If values are equal, it returns the first pair by player
// numbers.
func (w *sight) best() [2]int {
	var chosen [2]int
	most := -1.0
	for _, o := range w.options {
		// The rounding makes values equal that differ only in the last bits of a sum.
		value := math.Round(w.value(o)*1e9) / 1e9
		if value > most || value == most && slices.Compare(o[:], chosen[:]) < 0 {
			chosen, most = o, value
		}
	}
	return chosen
}

// value returns the expected benefit of a pair. For each comparison, it takes the share by which the pair is expected
// to reduce the variance, times the probability that the order is wrong. value returns the sum of these products.
func (w *sight) value(pair [2]int) float64 {
	a, b := pair[0], pair[1]
	_, between := w.Difference(a, b)
	info := w.information(a, b)
	factor, sum := info/(1+info*between), 0.0
	for _, n := range w.near(a, b) {
		i, j := w.asked[n][0], w.asked[n][1]
		_, variance := w.Difference(i, j)
		if variance <= 0 {
			continue
		}
		c := w.Covariance
		toward := c[i][a] - c[i][b] - c[j][a] + c[j][b]
		sum += w.wrong[n] * factor * toward * toward / variance
	}
	return sum
}

// near returns the indices in asked of the comparisons that gogi evaluates for a game between a and b. With an anchor
// it is the comparison of the other player with the anchor. Otherwise they are the comparisons of players that are at
// most window places from a or b.
func (w *sight) near(a, b int) []int {
	var list []int
	if w.anchor >= 0 {
		place := w.place[a]
		if a == w.anchor {
			place = w.place[b]
		}
		if place > w.place[w.anchor] {
			place--
		}
		return append(list, place)
	}
	from, to := min(w.place[a], w.place[b])-window, max(w.place[a], w.place[b])+window
	for n := max(0, from); n < min(len(w.asked), to); n++ {
		list = append(list, n)
	}
	return list
}
