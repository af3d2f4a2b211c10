package rating

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gogi/internal/lists"
	"gogi/stats/binomial"

	"gogi/stats/rating/crosstable"
	"gogi/stats/rating/newton"
)

// A HandicapModel is the name of a model of handicaps. The model states how a handicap h > 0 changes the
// strength π of its receiver.
type HandicapModel string

// These are the handicap models of the paper "ハンディキャップのある対戦に対する Bradley-Terry モデルの適用" (2021), and some others.
const (
	NoEffect        HandicapModel = "none"
	FirstMoveOnly   HandicapModel = "first_move"       // a factor for Black in even games, no effect of handicaps
	Additive1       HandicapModel = "additive_1"       // π + f(h), f ≥ 0 non-decreasing
	Additive2       HandicapModel = "additive_2"       // π + θ1·h + θ2, θ1 ≥ 0, θ1 + θ2 ≥ 0
	Additive3       HandicapModel = "additive_3"       // π + θ3·h, θ3 ≥ 0
	Multiplicative1 HandicapModel = "multiplicative_1" // (1 + g(h))·π, g ≥ 0 non-decreasing
	Multiplicative2 HandicapModel = "multiplicative_2" // (1 + δ1·h + δ2)·π, δ1 ≥ 0, δ1 + δ2 ≥ 0
	Multiplicative3 HandicapModel = "multiplicative_3" // (1 + δ3·h)·π, δ3 ≥ 0
	LogLinear       HandicapModel = "log_linear"       // exp(β·h)·π, a fixed number of Elo points per step.
	LogFree         HandicapModel = "log_free"         // exp(b(h))·π, b free.
	LogFreeFirst    HandicapModel = "log_free_first"   // like log_free, with b(0) for Black in even games
)

// HandicapModels returns all models, in the order of the constants.
func HandicapModels() []HandicapModel {
	return []HandicapModel{
		NoEffect, FirstMoveOnly,
		Additive1, Additive2, Additive3,
		Multiplicative1, Multiplicative2, Multiplicative3,
		LogLinear, LogFree, LogFreeFirst,
	}
}

// A Param is an estimated parameter of a handicap model, with its interval.
type Param struct {
	// Name is "f(1)" for the value at the smallest handicap, "f(3)-f(2)" for an increment, or "slope" for the
	// change per step of handicap (θ1 and θ3, δ1 and δ3, β). For a model with a slope and "f(1)", f(1) is θ1
	// + θ2 or δ1 + δ2. The intercept θ2 or δ2 is therefore f(1) minus the slope. As in the paper, the letter
	// may be g or b instead of f.
	Name     string
	Value    float64           // for additive models, in units in which strengths sum to 50 per player.
	SE       float64           // 0 if the standard error is unknown, such as at a bound.
	Interval binomial.Interval // its method is "profile_likelihood". An end at the bound is 0.
	Note     string            // a special property of the estimate; mostly empty
}

// A Step is the estimated effect of one handicap.
type Step struct {
	Handicap int     `json:"handicap"`
	Games    int     `json:"games"`
	Points   float64 `json:"points"` // points of the receivers, or of Black in even games.
	Value    float64 `json:"-"`      // f(h), g(h), or b(h)
	// effect in Elo. It is 0 for additive models, because their effect depends on the strengths.
	Elo float64 `json:"-"`
}

// A HandicapFit is a handicap model fitted to games: the ratings of the players, and the effects of the
// handicaps.
type HandicapFit struct {
	Model   HandicapModel
	Players []crosstable.Player // best first. An additive model may have a strength of 0, whose Elo is -Inf.
	Params  []Param
	Steps   []Step // by handicap
	LogLik  float64
	// number of estimated parameters, including constrained ones, without the common level of strengths.
	Parameters int
	AIC        float64 // -2(LogLik - Parameters)
	AICc       float64 // AIC corrected for few games. It is +Inf if there are no more than Parameters + 1 games.
	BIC        float64
	Against    LRTest   // test against NoEffect. It is conservative if NoEffect is at a bound of the parameters.
	Notes      []string // parameters or strengths without a finite estimate

	fitted
	shape  shape
	ground *ground // likelihood of the games, the same as fitted.inner
}

// A HandicapComparison holds several models that were fitted to the same games.
type HandicapComparison struct {
	Fits     []*HandicapFit // in the order of the arguments.
	Best     HandicapModel  // the model with the least AIC
	Games    int            // number of games between rated players.
	Evidence float64        // sum of the games' weights ([crosstable.Count.Weight])
	SetAside []crosstable.Excluded
	// Following is the R² of a linear regression of the handicap on the players. The standard errors of
	// handicap parameters grow approximately as 1/√(1 - R²).
	Following float64
	Warnings  []Warning // reasons for doubt
}

// A ModelError reports that the games do not determine a handicap model, with the reason.
type ModelError struct {
	Model HandicapModel
	Err   error
}

// Error returns the name of the model and the error.
func (e *ModelError) Error() string { return fmt.Sprintf("model %s: %v", e.Model, e.Err) }

// Unwrap returns the error of the model.
func (e *ModelError) Unwrap() error { return e.Err }

// CompareHandicapTable fits handicap models to the same games. level is the level of the profile-likelihood
// intervals of the parameters. If models is empty, it fits all models. A draw is half a win. The parameters
// stay within the ranges of the models, so a parameter may end at 0. All models exclude the same players
// ([crosstable.Table.Connection]).
//
// CompareHandicapTable returns a [*ModelError] for a model that the games do not determine. It returns an
// error for unknown models and for a level outside (0, 1). It also returns an error if there are no unique
// ratings, and if no game has a handicap.
func CompareHandicapTable(all crosstable.Table, level float64, models ...HandicapModel) (*HandicapComparison, error) {
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return nil, err
	}
	t, aside, err := all.Rated()
	if err != nil {
		return nil, err
	}
	levels := t.Levels()
	if len(levels) == 0 {
		return nil, errors.New("no game between players who can be rated has a handicap")
	}
	if len(models) == 0 {
		models = HandicapModels()
	}
	null, err := fitHandicap(t, NoEffect, nil)
	if err != nil {
		return nil, err
	}
	c := &HandicapComparison{Games: int(t.Played()), Evidence: t.Games(), SetAside: aside}
	for _, m := range models {
		f, err := fitHandicap(t, m, null)
		if err != nil {
			return nil, &ModelError{m, err}
		}
		f.SetAside = aside
		f.describe(level)
		c.Fits = append(c.Fits, f)
	}
	c.judge(t)
	return c, nil
}

// A shape has the terms of a model: how they change a strength, their names, and their coefficients for each handicap.
type shape struct {
	model  HandicapModel
	family family
	names  []string
	rows   map[int][]float64 // coefficients by handicap; handicap 0 is for Black in even games
}

func shapeOf(m HandicapModel, levels []int) (shape, error) {
	s := shape{model: m, family: logLinear, rows: map[int][]float64{}}
	switch m {
	case NoEffect:
	case FirstMoveOnly:
		s.names = []string{"first_move"}
		s.rows[0] = []float64{1}
	case Additive1:
		s.family = added
		s.increments("f", levels)
	case Additive2:
		s.family = added
		s.line("f", levels)
	case Additive3:
		s.family = added
		s.ray(levels)
	case Multiplicative1:
		s.family = multiplied
		s.increments("g", levels)
	case Multiplicative2:
		s.family = multiplied
		s.line("g", levels)
	case Multiplicative3:
		s.family = multiplied
		s.ray(levels)
	case LogLinear:
		s.ray(levels)
	case LogFree:
		s.free(levels)
	case LogFreeFirst:
		s.free(append([]int{0}, levels...))
	default:
		return s, fmt.Errorf("unknown handicap model %q", string(m))
	}
	return s, nil
}

// increments adds a term for each handicap: how much its effect exceeds the effect of the next smaller handicap. letter
// is the letter of the effect in the paper, f or g.
func (s *shape) increments(letter string, levels []int) {
	for k, h := range levels {
		name := fmt.Sprintf("%s(%d)", letter, h)
		if k > 0 {
			name += fmt.Sprintf("-%s(%d)", letter, levels[k-1])
		}
		s.names = append(s.names, name)
		row := make([]float64, len(levels))
		for j := range k + 1 {
			row[j] = 1
		}
		s.rows[h] = row
	}
}

// line adds two terms: the effect at h = 1, and the slope of the effect over h. letter is the letter of the effect in
// the paper, f or g.
func (s *shape) line(letter string, levels []int) {
	s.names = []string{letter + "(1)", "slope"}
	for _, h := range levels {
		s.rows[h] = []float64{1, float64(h - 1)}
	}
}

// ray adds one term: the slope of an effect that is proportional to the handicap.
func (s *shape) ray(levels []int) {
	s.names = []string{"slope"}
	for _, h := range levels {
		s.rows[h] = []float64{float64(h)}
	}
}

// free adds a separate term for the effect of each handicap.
func (s *shape) free(levels []int) {
	for k, h := range levels {
		s.names = append(s.names, fmt.Sprintf("b(%d)", h))
		row := make([]float64, len(levels))
		row[k] = 1
		s.rows[h] = row
	}
}

// on returns the likelihood of the games in a table, as a function of these terms.
func (s shape) on(t crosstable.Table) *ground {
	g := &ground{players: len(t.Names), family: s.family, terms: len(s.names)}
	g.rows = func(c crosstable.Cell) (black, white []float64) {
		if row := s.rows[int(c.Handicap)]; c.ByWhite {
			return nil, row
		} else {
			return row, nil
		}
	}
	g.set(t.Cells)
	return g
}

func fitHandicap(t crosstable.Table, m HandicapModel, null *HandicapFit) (*HandicapFit, error) {
	levels := t.Levels()
	s, err := shapeOf(m, levels)
	if err != nil {
		return nil, err
	}
	if (m == Additive2 || m == Multiplicative2) && len(levels) < 2 {
		return nil, errors.New("one handicap alone does not tell its slope from its intercept")
	}
	if (m == FirstMoveOnly || m == LogFreeFirst) && t.Sum(evenGames) == 0 {
		return nil, errors.New("there is no even game to show the first-move effect")
	}
	g := s.on(t)
	at, err := g.summit(g.starts(null))
	if err != nil {
		return nil, err
	}
	f := &HandicapFit{
		Model: m, shape: s, ground: g, LogLik: at.Value, Parameters: g.estimated(),
		fitted: fitted{table: t, at: at, inner: g, draws: HalfWin, errs: newRobust(t, g, at.X, Model{DrawErrors: true})},
	}
	f.AIC, f.AICc, f.BIC = Criteria(f.LogLik, f.Parameters, t.Games())
	if null != nil {
		f.Against = f.errs.ratio(null.LogLik, f.LogLik, g.players, g.terms)
	}
	return f, nil
}

func evenGames(c *crosstable.Cell) float64 {
	if c.Handicap > 0 {
		return 0
	}
	return c.Games()
}

// Criteria returns three information criteria of a model with k parameters: AIC (Akaike), AICc (AIC corrected
// for few games), and BIC (Bayesian). AICc is infinite if there are no more than k + 1 games.
func Criteria(logLik float64, k int, games float64) (aic, aicc, bic float64) {
	n := float64(k)
	aic, aicc, bic = 2*(n-logLik), math.Inf(1), n*math.Log(games)-2*logLik
	if games > n+1 {
		aicc = aic + 2*n*(n+1)/(games-n-1)
	}
	return aic, aicc, bic
}

// starts returns several starting points, because additive models may have several local maxima. Each has the
// strengths of the fit without handicaps (null). All its terms are equal; they are small in the first point and large
// in the last.
func (g *ground) starts(null *HandicapFit) [][]float64 {
	base := make([]float64, g.players+g.terms)
	if null != nil {
		copy(base, null.at.X[:g.players])
	}
	if g.family == logLinear {
		return [][]float64{base}
	}
	unit := 1.0
	if g.family == added {
		unit = 50
	}
	var list [][]float64
	for _, size := range []float64{0.01, 0.1, 0.5, 2} {
		x := slices.Clone(base)
		for k := range g.terms {
			x[g.players+k] = math.Log(unit * size)
		}
		list = append(list, x)
	}
	return list
}

// summit climbs from each start and returns the highest maximum.
func (g *ground) summit(starts [][]float64) (newton.Peak, error) {
	best, failure := newton.Peak{Value: math.Inf(-1)}, errors.New("no start")
	for _, x := range starts {
		at, err := newton.Climb(g, x, nil)
		switch {
		case err != nil:
			failure = err
		case at.Value > best.Value:
			best = at
		}
	}
	if best.X == nil {
		return newton.Peak{}, failure
	}
	return best, nil
}

// describe sets the fields of the fit that follow from the maximum.
func (f *HandicapFit) describe(level float64) {
	f.describePlayers()
	f.describeSteps()
	errs := f.errors()
	for k, name := range f.shape.names {
		p := f.param(k, name, errs[k], level)
		f.Params = append(f.Params, p)
		if p.Note != "" {
			f.Notes = append(f.Notes, p.Name+" "+p.Note)
		}
	}
}

// describePlayers sets the ratings. Players whose strength tends to 0 get the Elo -Inf. The mean of the other
// players is 0.
func (f *HandicapFit) describePlayers() {
	players, rank := crosstable.Ranking(f.table, f.at.X)
	drifts := make([]bool, len(players))
	mean, finite := 0.0, 0.0
	for place, i := range rank {
		if drifts[place] = slices.Contains(f.at.Drifting, i); !drifts[place] {
			mean += players[place].Elo
			finite++
		}
	}
	for place := range players {
		p := &players[place]
		p.Elo -= mean / max(1, finite)
		if drifts[place] {
			f.Notes = append(f.Notes, p.Name+
				" has no finite rating: the likelihood only rises to a limit as its strength leaves the others'")
			p.Elo = math.Copysign(math.Inf(1), p.Elo)
		}
		if drifts[place] && p.Elo < 0 {
			p.Strength = 0
		}
	}
	f.Players = players
}

func (f *HandicapFit) describeSteps() {
	for _, h := range append([]int{0}, f.table.Levels()...) {
		s := Step{Handicap: h}
		for _, c := range f.table.Cells {
			if int(c.Handicap) != h {
				continue
			}
			s.Games += int(c.Played)
			if c.ByWhite {
				s.Points += c.Played - c.Scored
			} else {
				s.Points += c.Scored
			}
		}
		for k, b := range f.shape.rows[h] {
			s.Value += b * f.term(k)
		}
		switch f.shape.family {
		case multiplied:
			s.Elo = binomial.EloPerNat * math.Log1p(s.Value)
		case logLinear:
			s.Elo = binomial.EloPerNat * s.Value
		case added:
		}
		f.Steps = append(f.Steps, s)
	}
}

// atBound is the largest value of a term that counts as 0, because the likelihood cannot distinguish such a value from
// 0.
const atBound = 1e-8

// term returns the value of a term. A term that tends to 0, because the likelihood rises as it becomes smaller, is 0.
func (f *HandicapFit) term(k int) float64 {
	i := f.ground.players + k
	w := f.at.X[i]
	if f.shape.family == logLinear {
		return w
	}
	v := math.Exp(w)
	if v < atBound || slices.Contains(f.at.Drifting, i) && f.ground.gradient(f.at.X)[i] < 0 {
		return 0
	}
	return v
}

// errors returns the standard errors of the terms, from the observed information. If the information does not determine
// an error, errors returns 0 for it and adds a note to the fit.
func (f *HandicapFit) errors() []float64 {
	errs := make([]float64, f.ground.terms)
	if f.errs == nil && len(f.table.Clusters) > 0 {
		f.Notes = append(f.Notes, "the games do not determine every parameter: errors are those of independent games")
	}
	if f.errs != nil && len(f.at.Drifting) == 0 {
		for k := range errs {
			term := make([]float64, len(f.at.X))
			term[f.ground.players+k] = 1
			errs[k] = f.scaled(k, f.errs.variance(term))
		}
		return errs
	}
	info := f.ground.information(f.at.X)
	kept := slices.DeleteFunc(indices(len(f.at.X)), func(i int) bool { return slices.Contains(f.at.Drifting, i) })
	players := lists.Count(kept, func(i int) bool { return i < f.ground.players })
	// The players whose strength tends to 0 do not influence the others, so a common shift of the others
	// still changes nothing.
	inverse, err := inverseOf(submatrix(info, kept), players, true)
	if err != nil {
		f.Notes = append(f.Notes, "the games do not determine every parameter of this model: "+err.Error())
		return errs
	}
	for n, i := range kept {
		if k := i - f.ground.players; k >= 0 {
			errs[k] = f.scaled(k, inverse.At(n, n))
		}
	}
	return errs
}

// scaled returns a term's standard error from the variance of its coordinate. If the coordinate is the
// logarithm of the term, scaled uses the delta method.
func (f *HandicapFit) scaled(k int, variance float64) float64 {
	se := math.Sqrt(max(0, variance))
	if f.shape.family != logLinear {
		se *= f.term(k)
	}
	return se
}

func (f *HandicapFit) param(k int, name string, se, level float64) Param {
	p := Param{Name: name, Value: f.term(k), SE: se}
	p.Interval = binomial.Interval{Method: f.errs.method("profile_likelihood"), Level: level}
	weights := make([]float64, len(f.at.X))
	weights[f.ground.players+k] = 1
	lo, hi, err := newton.Profile(f.ground, f.at, weights, f.errs.quantile(weights, level))
	if err != nil {
		lo, hi = math.Inf(-1), math.Inf(1)
		p.Note = "has no profile interval: " + err.Error()
	}
	p.Interval.Lo, p.Interval.Hi = lo, hi
	positive := f.shape.family != logLinear
	if positive {
		p.Interval.Lo, p.Interval.Hi = math.Exp(lo), math.Exp(hi)
		if p.Interval.Lo < atBound {
			p.Interval.Lo = 0
		}
	}
	if positive && p.Value == 0 { // the likelihood is flat in the logarithm there, and the search may not find this end
		p.Interval.Lo = 0
	}
	switch {
	case positive && p.Value == 0:
		p.Note = "is 0, the end of its range: the constraint is active"
		p.SE = 0
	case slices.Contains(f.at.Drifting, f.ground.players+k):
		p.Note = "has no finite estimate: the likelihood rises to a limit"
		p.SE = 0
	}
	return p
}

func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
