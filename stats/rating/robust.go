package rating

import (
	"math"
	"slices"

	"gogi/stats/binomial"
	"gogi/stats/rating/crosstable"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
)

// A robust has the effect of dependent games on the standard errors of a fit (Liang and Zeger 1986). The covariance is
// a sandwich: the inverse of the information on both sides, and between them the sum of the squares of the clusters'
// slopes. If games depend on each other, these squares are larger than the squares for single games. Games outside of
// clusters are independent, and add their information to the middle.
//
// A player may prefer an opening against all opponents, so the clusters of one opening also depend on each other. There
// are therefore two ways to group the games: by cluster and by opening. Grouping by opening is valid under both kinds
// of dependence, but has few groups. gogi uses the way with the wider interval.
//
// With Model.DrawErrors, the middle also has the squares of the observed slopes of single games, because drawn games
// vary less than the model of half wins.
type robust struct {
	inverse matrix // covariance for independent games
	ways    []way
	freedom float64           // degrees of freedom of the shifts of sessions; infinite without shifts
	alone   []crosstable.Cell // independent games
	vary    bool              // the games in alone vary as observed, not as in the model
	suffix  string            // of the names of the methods
}

// A way is one way to group the games into clusters.
type way struct {
	sandwich matrix    // covariance by clusters
	clusters []float64 // number of clusters of each player
	all      float64   // number of all clusters
}

// newRobust returns the effect of dependent games and of draws on a fit. It returns nil if the model has the right
// errors, or if the games do not determine every parameter.
func newRobust(t crosstable.Table, l inner, x []float64, m Model) *robust {
	r := &robust{freedom: math.Inf(1), alone: t.Independent(), suffix: "_clusters"}
	if m.DrawErrors && m.Draws != Davidson {
		r.vary = slices.ContainsFunc(r.alone, func(c crosstable.Cell) bool { return c.Draws > 0 })
	}
	if len(t.Clusters) == 0 {
		r.suffix = "_draws"
		if !r.vary {
			return nil
		}
	}
	var err error
	if r.inverse, err = inverseOf(l.information(x), len(t.Names), l.shiftFree()); err != nil {
		return nil
	}
	if m.Sessions != nil {
		r.freedom = m.Sessions.Freedom
	}
	n := float64(len(t.Clusters)) + r.single()
	// The fit makes the squares of the slopes too small. This is as if there were one cluster less for each
	// parameter.
	r.add(t, l, x, m.Sessions, t.Clusters, n/max(1, n-float64(l.estimated())))
	if openings := byOpening(t); len(openings) > 1 && len(openings) < len(t.Clusters) {
		// Each player's slopes sum to 0 over all openings, so the number of independent openings is smaller
		// by one.
		n := float64(len(openings)) + r.single()
		r.add(t, l, x, m.Sessions, openings, n/(n-1))
	}
	return r
}

// single returns the number of independent games that count as clusters of their own.
func (r *robust) single() float64 {
	sum := 0.0
	for i := range r.alone {
		if r.vary {
			sum += r.alone[i].Games()
		}
	}
	return sum
}

// byOpening returns the clusters grouped by opening. A cluster without an opening forms its own group.
func byOpening(t crosstable.Table) (groups [][]crosstable.Cell) {
	place := map[int]int{}
	for n, cluster := range t.Clusters {
		opening := t.Openings[n]
		at, known := place[opening]
		if !known || opening == 0 {
			at = len(groups)
			place[opening], groups = at, append(groups, nil)
		}
		groups[at] = append(groups[at], cluster...)
	}
	return groups
}

// add adds a way to group the games. It multiplies the squares of the slopes by scale.
func (r *robust) add(t crosstable.Table, l inner, x []float64, s *Sessions, clusters [][]crosstable.Cell,
	scale float64) {
	w := way{clusters: make([]float64, len(t.Names)), all: float64(len(clusters)) + r.single()}
	for _, cluster := range clusters {
		for _, i := range playersOf(cluster) {
			w.clusters[i]++
		}
	}
	for _, c := range r.alone {
		if r.vary {
			w.clusters[c.Black] += c.Games()
			w.clusters[c.White] += c.Games()
		}
	}
	var half, sandwich mat.Dense
	middle := r.filling(l, x, clusters, scale)
	s.shift(middle, t)
	inverse := mat.DenseCopyOf(r.inverse) // a product of symmetric matrices would be many times as slow
	half.Mul(inverse, mat.DenseCopyOf(middle))
	sandwich.Mul(&half, inverse)
	w.sandwich = mat.NewSymDense(len(x), nil)
	for i := range len(x) {
		for j := range i + 1 {
			w.sandwich.SetSym(i, j, sandwich.At(i, j))
		}
	}
	r.ways = append(r.ways, w)
}

// covariance returns the sandwich covariance of the way whose variances have the larger sum.
func (r *robust) covariance() matrix {
	widest := r.ways[0].sandwich
	for _, w := range r.ways[1:] {
		if mat.Trace(w.sandwich) > mat.Trace(widest) {
			widest = w.sandwich
		}
	}
	return widest
}

// variance returns the larger of the variances of a linear function of x in all ways. With observed variances of single
// games it includes the cluster that effect adds, because a few games may all be drawn.
func (r *robust) variance(weights []float64) float64 {
	v, most := mat.NewVecDense(len(weights), weights), 0.0
	for i := range r.ways {
		variance := mat.Inner(v, r.ways[i].sandwich, v)
		if r.vary {
			effect, _ := r.ways[i].effect(r.inverse, weights)
			variance = effect * mat.Inner(v, r.inverse, v)
		}
		most = max(most, variance)
	}
	return most
}

func playersOf(cells []crosstable.Cell) []int {
	var list []int
	seen := map[int32]bool{}
	for _, c := range cells {
		for _, i := range []int32{c.Black, c.White} {
			if !seen[i] {
				seen[i] = true
				list = append(list, int(i))
			}
		}
	}
	return list
}

// filling returns the middle matrix of the sandwich. It multiplies the squares of the slopes by scale.
func (r *robust) filling(l inner, x []float64, clusters [][]crosstable.Cell, scale float64) matrix {
	m := mat.NewSymDense(len(x), nil)
	for _, cluster := range clusters {
		addSquare(m, scale, l.part(cluster).gradient(x))
	}
	switch {
	case r.vary:
		r.addSingle(m, l, x, scale)
	case len(r.alone) > 0:
		m.AddSym(m, l.part(r.alone).information(x))
	}
	if known := l.prior(x); known != nil {
		m.AddSym(m, known)
	}
	return m
}

// addSingle adds the squares of the slopes of the independent games to m, multiplied by scale. With the expected score
// p, the slope of a won game is 1 - p times a vector that all games of a cell share. That of a lost game is -p times,
// and that of a draw ½ - p times this vector.
func (r *robust) addSingle(m matrix, l inner, x []float64, scale float64) {
	for _, c := range r.alone {
		results := c
		c.Wins, c.Draws, c.Losses = 1, 0, 0
		won := l.part([]crosstable.Cell{c}).gradient(x)
		c.Wins, c.Losses = 0, 1
		lost := l.part([]crosstable.Cell{c}).gradient(x)
		shared := make([]float64, len(x))
		most := 0
		for i := range shared {
			shared[i] = won[i] - lost[i]
			if math.Abs(shared[i]) > math.Abs(shared[most]) {
				most = i
			}
		}
		if shared[most] == 0 {
			continue
		}
		win, loss := won[most]/shared[most], lost[most]/shared[most]
		squares := results.Wins*win*win + results.Draws*(win+loss)*(win+loss)/4 + results.Losses*loss*loss
		addSquare(m, scale*squares, shared)
	}
}

// shift adds the shifts of sessions to the middle matrix of a sandwich. A shift changes the slopes of its two players
// by the same points.
func (s *Sessions) shift(m matrix, t crosstable.Table) {
	if s == nil {
		return
	}
	for _, shift := range s.Shifts {
		a, knownA := slices.BinarySearch(t.Names, shift.A)
		b, knownB := slices.BinarySearch(t.Names, shift.B)
		if knownA && knownB { // both have a rating
			m.SetSym(a, a, m.At(a, a)+shift.Variance)
			m.SetSym(b, b, m.At(b, b)+shift.Variance)
			m.SetSym(a, b, m.At(a, b)-shift.Variance)
		}
	}
}

func addSquare(m matrix, scale float64, slope []float64) {
	var at []int
	for i, s := range slope {
		if s != 0 {
			at = append(at, i)
		}
	}
	for n, i := range at {
		for _, j := range at[:n+1] {
			m.SetSym(i, j, m.At(i, j)+scale*slope[i]*slope[j])
		}
	}
}

// effect returns the design effect of a linear function of x, and the number of its clusters. The design
// effect is the variance divided by the variance for independent games. effect adds one cluster with the
// variance that the model predicts. Otherwise a few clusters with even results would give an effect near 0.
func (w *way) effect(inverse matrix, weights []float64) (effect, clusters float64) {
	clusters = math.Inf(1)
	largest := 0.0
	for i := range w.clusters {
		largest = max(largest, math.Abs(weights[i]))
	}
	for i, n := range w.clusters {
		if math.Abs(weights[i]) > largest/2 {
			clusters = min(clusters, n)
		}
	}
	if math.IsInf(clusters, 1) { // the function is a term, which depends on all games
		clusters = w.all
	}
	v := mat.NewVecDense(len(weights), weights)
	naive, varied := mat.Inner(v, inverse, v), mat.Inner(v, w.sandwich, v)
	if !(naive > 0) || !(varied >= 0) || math.IsInf(varied/naive, 0) {
		return 1, clusters // the games hardly determine the direction
	}
	return (clusters*varied/naive + 1) / (clusters + 1), clusters
}

// quantile returns half the width of an interval of a linear function of x. The unit is the standard error of this
// function for independent games.
func (r *robust) quantile(weights []float64, level float64) float64 {
	if r == nil {
		return binomial.ZWithin(level)
	}
	widest := 0.0
	for i := range r.ways {
		effect, clusters := r.ways[i].effect(r.inverse, weights)
		freedom := max(1, clusters-1)
		if slices.ContainsFunc(weights[:len(r.ways[i].clusters)], func(w float64) bool { return w != 0 }) {
			freedom = min(freedom, r.freedom) // shifts of sessions change the function, because it is no term
		}
		widest = max(widest, math.Sqrt(effect)*binomial.TWithin(level, freedom))
	}
	return widest
}

// method returns the name of a method of intervals, with a suffix if its width is not that of the model.
func (r *robust) method(name string) string {
	if r == nil {
		return name
	}
	return name + r.suffix
}

// ratio returns a likelihood-ratio test of df terms, which are the coordinates from first on. null and full are the
// log-likelihoods of the two models. If games depend on each other, the statistic is divided by the mean design effect
// of the terms (Rao and Scott 1984).
func (r *robust) ratio(null, full float64, first, df int) LRTest {
	t := LRTest{Statistic: math.Max(0, 2*(full-null)), DF: df}
	if r == nil || df < 1 {
		t.P = chiSquared(t.Statistic, df)
		return t
	}
	statistic := t.Statistic
	for i := range r.ways {
		mean, least := r.ways[i].effects(r.inverse, first, df)
		if p := aboveF(statistic/mean/float64(df), float64(df), max(1, least-1)); i == 0 || p > t.P {
			t.Statistic, t.P = statistic/mean, p
		}
	}
	return t
}

// aboveF returns the probability that a variable with an F distribution with d1 and d2 degrees of freedom is above x.
// It has digits below 1e-16, which 1 − CDF lacks.
func aboveF(x, d1, d2 float64) float64 { return mathext.RegIncBeta(d2/2, d1/2, d2/(d2+d1*x)) }

// effects returns the mean design effect of df terms, which are the coordinates from first on. least is the
// smallest number of clusters of a term.
func (w *way) effects(inverse matrix, first, df int) (mean, least float64) {
	least = math.Inf(1)
	for k := range df {
		weights := make([]float64, inverse.SymmetricDim())
		weights[first+k] = 1
		effect, clusters := w.effect(inverse, weights)
		mean += effect / float64(df)
		least = min(least, clusters)
	}
	return mean, least
}
