package rating

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gogi/internal/lists"
	"gogi/stats/binomial"
	"gogi/stats/rating/crosstable"
	"gogi/stats/rating/newton"
)

// A Goodness measures how well a fitted model describes its games, with p values.
type Goodness struct {
	// twice the difference between two log-likelihoods: with a separate rate for each pairing, and of the fit
	Deviance float64
	Pearson  float64 // X², the sum of (observed - expected)²/expected
	DF       int     // degrees of freedom of both statistics. It is 0 or less for a fit with as many parameters as rates.
	P        float64 // p value of the deviance by χ². It is correct only if each pairing has many games.
	// Bootstrap is the p value of X² by parametric bootstrap. It is correct also for few games. A bootstrap
	// of the deviance would not be correct: the deviance depends on how even the pairings are, and fitted
	// ratings are farther apart than true ratings.
	Bootstrap float64
	// Worst is the p value of the largest of all [Residual]s, by the same bootstrap.
	Worst   float64
	Samples int // bootstrap samples used
	Failed  int // number of samples without an estimate, which are left out
}

// enough is the smallest share of bootstrap samples that must have an estimate. With fewer, the bootstrap returns an
// error.
const enough = 0.9

// A Replay has the parameters of a simulation. The simulation plays all games of a fit again, with the
// probabilities of the fit. The same seed gives the same games.
type Replay struct {
	Samples int // maximum number of samples, not negative; 0 for no simulation
	Seed    uint64
	// Exceed ends a test after this number of samples that are at least as extreme as the games. The p value
	// is then their share of the samples (Besag and Clifford 1991). A model that fits therefore needs few
	// samples. With 0 the test uses all samples.
	Exceed int
}

// Goodness compares the fit with the results of each pairing (Black, White). If r has samples, Goodness also
// simulates all games with the probabilities of the fit, and fits each sample, to estimate the distribution
// of X². P and Bootstrap are the probabilities of a deviance and of an X² at least as large as the observed
// ones. Games that depend on each other ([crosstable.Count.Cluster]) are simulated in pairs of swapped
// colours, with the observed correlation.
//
// With [HalfWin], one parameter has the share of draws: the probability of a draw is that of Davidson's model with the
// same expected score. Goodness returns an error for a negative number of samples, and if more than a tenth of the
// samples have no estimate.
func (f *Fit) Goodness(r Replay) (Goodness, error) {
	return f.goodness(r, func(t crosstable.Table) (fitted, error) {
		if f.Model.Prior.exists() {
			again, err := rate(t, f.withoutErrors())
			if err != nil {
				return fitted{}, err
			}
			return again.fitted, nil
		}
		l := newLadder(t.WithinGroups(), f.Model)
		at, err := newton.Climb(l, l.headStart(), nil) // if some strengths diverge, at has the supremum
		return fitted{table: l.table, inner: l, at: at, draws: f.draws}, err
	})
}

// withoutErrors returns the model for a sample of the bootstrap, of which only the estimates matter.
func (f *Fit) withoutErrors() Model {
	m := f.Model
	m.DrawErrors = false
	return m
}

// Goodness compares the handicap model with the results of each pairing, as [Fit.Goodness] does. A pairing
// consists of Black, White, handicap and receiver.
func (f *HandicapFit) Goodness(r Replay) (Goodness, error) {
	return f.goodness(r, func(t crosstable.Table) (fitted, error) { return f.refit(t.WithinGroups()) })
}

// refit fits the model to another table. Every model except the additive models has only one maximum. For such models,
// the current terms are a sufficient starting point.
func (f *HandicapFit) refit(t crosstable.Table) (fitted, error) {
	g := f.shape.on(t)
	x := slices.Clone(f.at.X)
	for k := range g.terms {
		if f.shape.family != logLinear {
			x[g.players+k] = max(x[g.players+k], math.Log(0.05))
		}
	}
	at, err := newton.Climb(g, x, nil)
	return fitted{table: t, inner: g, at: at, draws: f.draws}, err
}

// goodness calculates the goodness of f from simulated samples. The function fit fits a sample. goodness also uses
// samples in which a player wins every game.
func (f *fitted) goodness(again Replay, fit func(crosstable.Table) (fitted, error)) (Goodness, error) {
	if err := f.canSimulate(again.Samples); err != nil {
		return Goodness{}, err
	}
	var g Goodness
	g.Deviance, g.Pearson = f.deviance()
	outcomes := 2
	if f.table.Draws() > 0 {
		outcomes = 3
	}
	g.DF = len(f.table.Cells)*(outcomes-1) - f.inner.estimated()
	if f.halves() {
		g.DF-- // for the share of draws
	}
	g.P = chiSquared(g.Deviance, g.DF)
	if again.Samples == 0 {
		g.Bootstrap, g.Worst = 1, 1
		return g, nil
	}
	worst := f.largestResidual()
	all, single := monteCarlo{exceed: again.Exceed}, monteCarlo{exceed: again.Exceed}
	failed, err := f.resample(again, func(t crosstable.Table) (bool, error) {
		r, err := fit(t)
		if err != nil {
			return false, err
		}
		r.known = r.probabilities()
		_, x := r.deviance()
		all.see(reaches(x, g.Pearson))
		single.see(reaches(r.largestResidual(), worst))
		return all.ended() && single.ended(), nil
	})
	g.Samples, g.Failed = max(all.samples, single.samples), failed
	g.Bootstrap, g.Worst = all.p(), single.p()
	return g, err
}

// reaches reports whether a sample's statistic is at least as large as the observed statistic, apart from rounding. If
// a fit has a parameter for every rate, both statistics are 0 up to rounding errors.
func reaches(sample, observed float64) bool { return sample >= observed*(1-1e-9)-1e-9 }

// A monteCarlo counts simulated samples, to estimate the p value of one statistic. extreme is the number of samples
// whose statistic is at least as large as the observed one. exceed is [Replay].Exceed.
type monteCarlo struct{ exceed, samples, extreme int }

func (m *monteCarlo) ended() bool { return m.exceed > 0 && m.extreme >= m.exceed }

func (m *monteCarlo) see(extreme bool) {
	if m.ended() {
		return
	}
	m.samples++
	if extreme {
		m.extreme++
	}
}

func (m *monteCarlo) p() float64 {
	if m.ended() {
		return float64(m.extreme) / float64(m.samples)
	}
	return float64(m.extreme+1) / float64(m.samples+1)
}

func (f *fitted) largestResidual() float64 {
	largest := 0.0
	for _, r := range f.residuals() {
		largest = max(largest, r.Z)
	}
	return largest
}

func (f *fitted) canSimulate(samples int) error {
	switch {
	case samples > newton.MaxSamples:
		return newton.CheckSamples(samples)
	case samples < 0:
		return fmt.Errorf("%d bootstrap samples are impossible", samples)
	}
	return nil
}

// resample simulates the games repeatedly. It calls use with each sample until use returns true, or until all samples
// are simulated. failed is the number of samples for which use returned an error. If these are more than a tenth of
// the samples, resample returns an error.
func (f *fitted) resample(again Replay, use func(crosstable.Table) (enough bool, err error)) (failed int, err error) {
	s := newStage(f)
	random := rand.New(rand.NewPCG(again.Seed, 0x676f6769))
	played := 0
	for ended := false; played < again.Samples && !ended; played++ {
		if ended, err = use(s.play(random)); err != nil {
			failed++
		}
	}
	if float64(failed) > (1-enough)*float64(played) {
		return failed, fmt.Errorf("%d of %d bootstrap samples have no estimate: the games are too few", failed, played)
	}
	return failed, nil
}

func (f *fitted) deviance() (deviance, pearson float64) {
	p := f.probabilities()
	for n, c := range f.table.Cells {
		for k, observed := range []float64{c.Wins, c.Draws, c.Losses} {
			expected := c.Games() * p[n][k]
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

// Bootstrap simulates the games with the probabilities of the fit, rates each sample, and returns percentile
// intervals of the ratings in Elo, in the order of [Fit].Players ("bootstrap_percentile"). The same seed gives
// the same result. Bootstrap leaves out a sample in which a player has no estimate. It returns an error for
// fewer than 2 or more than [newton.MaxSamples] samples, for a level outside (0, 1), and the errors of
// [Fit.Goodness].
func (f *Fit) Bootstrap(samples int, level float64, seed uint64) ([]binomial.Interval, error) {
	err := binomial.CheckOpen("confidence level", level)
	for _, also := range []func(int) error{newton.CheckSamples, f.canSimulate} {
		err = cmp.Or(err, also(samples))
	}
	if err != nil {
		return nil, err
	}
	ratings := make([][]float64, len(f.Players))
	if _, err := f.resample(Replay{Samples: samples, Seed: seed}, func(t crosstable.Table) (bool, error) {
		r, err := rate(t, f.withoutErrors())
		if err != nil {
			return false, err
		}
		if len(r.Players) != len(f.Players) {
			return false, errors.New("a player has no estimate")
		}
		for place, p := range r.Players {
			i := r.rank[place]
			ratings[i] = append(ratings[i], p.Elo)
		}
		return false, nil
	}); err != nil {
		return nil, err
	}
	return lists.Map(f.rank, func(i int) binomial.Interval { return newton.Percentiles(ratings[i], level) }), nil
}

// A Residual is the difference between the points in the games of two players and the points that the fit
// expects.
type Residual struct {
	A, B     string  // A scored more than expected
	Games    int     // sum of the games' weights, rounded
	Points   float64 // points of A. A draw is half a point.
	Expected float64
	Z        float64 // the excess divided by its standard deviation under the fit, for independent games.
	// two-sided p value by the normal approximation, adjusted for all pairs. For few games use [Goodness].Worst.
	PHolm float64
}

// Residuals returns the residuals of all pairs of players that met, with both colours together. The largest
// residuals come first. Residuals that agree to nine digits are in the order of names. The z values are
// slightly too small, because the games of a pair influence the fit.
func (f *Fit) Residuals() []Residual {
	list := f.residuals()
	digits := func(r Residual) float64 { return math.Round(r.Z * 1e9) }
	slices.SortFunc(list, func(a, b Residual) int {
		return cmp.Or(cmp.Compare(digits(b), digits(a)), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	p := make([]float64, len(list))
	for i, r := range list {
		p[i] = normalTwoSided(r.Z)
	}
	adjusted, err := binomial.Holm.Adjust(p)
	for i := 0; err == nil && i < len(list); i++ {
		list[i].PHolm = adjusted[i]
	}
	return list
}

// residuals returns the residuals of all pairs of players that met, without adjusted p values.
func (f *fitted) residuals() []Residual {
	t := f.table
	place, count := t.Pairs()
	list, games, variances := make([]Residual, count), make([]float64, count), make([]float64, count)
	probabilities := f.probabilities()
	for n := range t.Cells {
		c, r, p := &t.Cells[n], &list[place[n]], probabilities[n]
		mean := p[0] + p[1]/2
		square := p[0] + p[1]/4
		a, b, points, expected := c.Black, c.White, c.Points(), c.Games()*mean
		if a > b {
			a, b, points, expected = b, a, c.Games()-points, c.Games()-expected
		}
		r.A, r.B = t.Names[a], t.Names[b]
		r.Points += points
		r.Expected += expected
		games[place[n]] += c.Games()
		variances[place[n]] += c.Games() * (square - mean*mean)
	}
	for i := range list {
		r := &list[i]
		r.Games = int(math.Round(games[i]))
		if variances[i] > 0 {
			r.Z = math.Abs(r.Points-r.Expected) / math.Sqrt(variances[i])
		}
		if r.Points < r.Expected { // B scored more than expected
			r.A, r.B = r.B, r.A
			r.Points, r.Expected = games[i]-r.Points, games[i]-r.Expected
		}
	}
	return list
}
