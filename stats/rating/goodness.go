package rating

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gogi/stats"
)

// Goodness is how well a fit describes the games that it was fitted to.
type Goodness struct {
	Deviance  float64 // twice the log-likelihood short of one rate of its own for each pairing
	Pearson   float64 // X², the sum of (observed - expected)²/expected
	DF        int     // of both; 0 or less where the fit has as many parameters as there are rates
	P         float64 // of the deviance by χ²; right only when each pairing played many games
	Bootstrap float64 // p value of the deviance by parametric bootstrap; right for few games too
	Samples   int     // that the bootstrap used
	Failed    int     // samples without an estimate, left out
}

// enough is the part of the samples that must have an estimate.
const enough = 0.9

// Goodness compares the fit with the observed results of each pairing (Black,
// White). With samples > 0 it also plays all games again as the fit predicts,
// and fits them, to learn how large a deviance chance makes; P and Bootstrap are
// the probabilities of one at least as large. It fails for half-win fits of
// games with draws, which are no probability model, for negative samples, and
// when more than a tenth of the samples have no estimate.
func (f *Fit) Goodness(samples int, seed uint64) (Goodness, error) {
	return goodness(f, samples, seed, func(t table) (replica, error) {
		return rate(t, f.Model)
	})
}

// Goodness is that of the handicap model, by each pairing (Black, White,
// handicap, receiver); see [Fit.Goodness].
func (f *HandicapFit) Goodness(samples int, seed uint64) (Goodness, error) {
	return goodness(f, samples, seed, func(t table) (replica, error) {
		t, _, err := t.rated()
		if err != nil {
			return nil, err
		}
		return f.refit(t)
	})
}

// refit fits the model again. Every model but the additive ones has one peak,
// so the terms themselves are start enough for a sample.
func (f *HandicapFit) refit(t table) (*HandicapFit, error) {
	if len(t.names) != len(f.table.names) {
		return nil, errors.New("a player has no estimate")
	}
	g := f.shape.on(t)
	x := slices.Clone(f.at.x)
	for k := range g.terms {
		if f.shape.family != logLinear {
			x[g.players+k] = max(x[g.players+k], math.Log(0.05))
		}
	}
	at, err := climb(g, x, nil)
	return &HandicapFit{ground: g, table: t, at: at, shape: f.shape}, err
}

// replica is a fit that can be held against its games.
type replica interface {
	games() table
	probabilities() [][3]float64
	draws() Draws
	freedom() int // estimated parameters
}

func (f *Fit) games() table                        { return f.table }
func (f *Fit) probabilities() [][3]float64         { return f.inner.expected(f.at.x) }
func (f *Fit) draws() Draws                        { return f.Model.Draws }
func (f *Fit) freedom() int                        { return f.Parameters }
func (f *HandicapFit) games() table                { return f.table }
func (f *HandicapFit) probabilities() [][3]float64 { return f.ground.expected(f.at.x) }
func (f *HandicapFit) draws() Draws                { return HalfWin }
func (f *HandicapFit) freedom() int                { return f.ground.estimated() }

func goodness(f replica, samples int, seed uint64, fit func(table) (replica, error)) (Goodness, error) {
	if err := canSimulate(f, samples); err != nil {
		return Goodness{}, err
	}
	var g Goodness
	g.Deviance, g.Pearson = deviance(f)
	outcomes := 2
	if f.games().draws() > 0 {
		outcomes = 3
	}
	g.DF = len(f.games().cells)*(outcomes-1) - f.freedom()
	g.P = chiSquared(g.Deviance, g.DF)
	larger := 0
	failed, err := resample(f, samples, seed, func(t table) error {
		r, err := fit(t)
		if err != nil {
			return err
		}
		if d, _ := deviance(r); d >= g.Deviance*(1-1e-9) {
			larger++
		}
		return nil
	})
	g.Samples, g.Failed = samples-failed, failed
	g.Bootstrap = float64(larger+1) / float64(g.Samples+1)
	return g, err
}

func canSimulate(f replica, samples int) error {
	switch {
	case samples < 0:
		return fmt.Errorf("%d bootstrap samples are impossible", samples)
	case f.draws() == HalfWin && f.games().draws() > 0:
		return errors.New("counting draws as half wins is no model of how likely they are: use davidson or rao_kupper")
	}
	return nil
}

// resample plays the games again and again, and hands each sample to use. It
// counts those where use fails.
func resample(f replica, samples int, seed uint64, use func(table) error) (failed int, err error) {
	random := rand.New(rand.NewPCG(seed, 0x676f6769))
	p := f.probabilities()
	for range samples {
		if use(play(random, f.games(), p)) != nil {
			failed++
		}
	}
	if float64(failed) > (1-enough)*float64(samples) {
		return failed, fmt.Errorf("%d of %d bootstrap samples have no estimate: the games are too few", failed, samples)
	}
	return failed, nil
}

// play draws each cell's outcomes. One random number a game is exact, and fast
// enough beside the fit.
func play(random *rand.Rand, t table, p [][3]float64) table {
	cells := slices.Clone(t.cells)
	for n := range cells {
		c := &cells[n]
		games := int(c.games())
		c.wins, c.draws, c.losses = 0, 0, 0
		for range games {
			switch u := random.Float64(); {
			case u < p[n][0]:
				c.wins++
			case u < p[n][0]+p[n][1]:
				c.draws++
			default:
				c.losses++
			}
		}
	}
	return table{t.names, cells}
}

func deviance(f replica) (deviance, pearson float64) {
	p := f.probabilities()
	for n, c := range f.games().cells {
		for k, observed := range []float64{c.wins, c.draws, c.losses} {
			expected := c.games() * p[n][k]
			if observed > 0 {
				deviance += 2 * observed * math.Log(observed/expected)
			}
			if d := observed - expected; expected > 0 {
				pearson += d * d / expected
			}
		}
	}
	return max(0, deviance), pearson
}

// Bootstrap is the result of a parametric bootstrap.
type Bootstrap struct {
	Samples   int              // used
	Failed    int              // without an estimate, left out
	Players   []stats.Interval // of the ratings in Elo, in the order of [Fit].Players ("bootstrap_percentile")
	FirstMove stats.Interval   // of [Fit].FirstMove; the zero value for a model without the effect
}

// Bootstrap plays the games again as the fit predicts them, rates them, and
// takes the percentiles. It repeats with its seed. A sample in which a player
// has no estimate is left out. It fails for less than 2 samples, for a level
// outside (0, 1), and as [Fit.Goodness] does.
func (f *Fit) Bootstrap(samples int, level float64, seed uint64) (Bootstrap, error) {
	if err := checkLevel(level); err != nil {
		return Bootstrap{}, err
	}
	if samples < 2 {
		return Bootstrap{}, fmt.Errorf("%d bootstrap samples have no percentiles", samples)
	}
	if err := canSimulate(f, samples); err != nil {
		return Bootstrap{}, err
	}
	ratings := make([][]float64, len(f.Players))
	var first []float64
	failed, err := resample(f, samples, seed, func(t table) error {
		r, err := rate(t, f.Model)
		if err != nil {
			return err
		}
		if len(r.Players) != len(f.Players) {
			return errors.New("a player has no estimate")
		}
		for place, p := range r.Players {
			i := r.rank[place]
			ratings[i] = append(ratings[i], p.Elo)
		}
		first = append(first, r.FirstMove)
		return nil
	})
	if err != nil {
		return Bootstrap{}, err
	}
	b := Bootstrap{Samples: samples - failed, Failed: failed}
	for _, i := range f.rank {
		b.Players = append(b.Players, percentiles(ratings[i], level))
	}
	if f.Model.FirstMove != NoFirstMove {
		b.FirstMove = percentiles(first, level)
	}
	return b, nil
}

// percentiles is the central interval of a sample, between order statistics by
// the line that R calls type 7.
func percentiles(sample []float64, level float64) stats.Interval {
	slices.Sort(sample)
	at := func(q float64) float64 {
		h := q * float64(len(sample)-1)
		k := min(int(h), len(sample)-1)
		next := min(k+1, len(sample)-1)
		return sample[k] + (h-float64(k))*(sample[next]-sample[k])
	}
	return stats.Interval{Method: "bootstrap_percentile", Level: level, Lo: at((1 - level) / 2), Hi: at((1 + level) / 2)}
}

// Residual is how far two players' games are from what the fit expects.
type Residual struct {
	A, B     string // A scored more than expected
	Games    int
	Points   float64 // of A; a draw is half a point
	Expected float64
	Z        float64 // the excess by its standard deviation under the fit
	PHolm    float64 // two-sided, normal approximation, adjusted for all pairs
}

// Residuals are those of all pairs that met, both colours together, the worst
// first. Their z are a little small, as the pair itself took part in the fit.
func (f *Fit) Residuals() []Residual {
	sums := f.excesses()
	list := make([]Residual, 0, len(sums))
	for pair, s := range sums {
		list = append(list, s.residual(f.table.names[pair[0]], f.table.names[pair[1]]))
	}
	slices.SortFunc(list, func(a, b Residual) int {
		return cmp.Or(cmp.Compare(b.Z, a.Z), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	p := make([]float64, len(list))
	for i, r := range list {
		p[i] = normalTwoSided(r.Z)
	}
	for i, adjusted := range holm(p) {
		list[i].PHolm = adjusted
	}
	return list
}

// excess is what one of two players scored, and what the fit expects.
type excess struct{ games, points, expected, variance float64 }

// excesses are those of the player with the smaller number, by pair.
func (f *Fit) excesses() map[[2]int32]excess {
	sums := map[[2]int32]excess{}
	p := f.probabilities()
	for n := range f.table.cells {
		c := &f.table.cells[n]
		mean := p[n][0] + p[n][1]/2
		square := p[n][0] + p[n][1]/4
		e := excess{c.games(), c.points(), c.games() * mean, c.games() * (square - mean*mean)}
		pair := [2]int32{c.black, c.white}
		if c.black > c.white {
			pair = [2]int32{c.white, c.black}
			e.points, e.expected = e.games-e.points, e.games-e.expected
		}
		s := sums[pair]
		sums[pair] = excess{s.games + e.games, s.points + e.points, s.expected + e.expected, s.variance + e.variance}
	}
	return sums
}

// residual is told from the side that scored more than expected.
func (e excess) residual(a, b string) Residual {
	r := Residual{A: a, B: b, Games: int(e.games), Points: e.points, Expected: e.expected}
	if r.Points < r.Expected {
		r.A, r.B = b, a
		r.Points, r.Expected = e.games-e.points, e.games-e.expected
	}
	if e.variance > 0 {
		r.Z = (r.Points - r.Expected) / math.Sqrt(e.variance)
	}
	return r
}
