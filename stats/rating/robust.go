package rating

import (
	"math"

	"gogi/stats/rating/crosstable"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// robust is what the dependence of games within clusters does to a fit's errors
// (Liang and Zeger 1986): between the inverse of the information on both sides
// stand the squares of the clusters' own slopes, which the games of a cluster
// make larger together than each would alone. Games outside of clusters enter
// with their information, as if each were independent.
type robust struct {
	inverse  matrix    // the covariance that independent games would have
	sandwich matrix    // the covariance by clusters
	clusters []float64 // of each player
}

// newRobust is nil where no games depend on each other, or where the games do
// not determine every parameter.
func newRobust(t crosstable.Table, l inner, x []float64) *robust {
	if len(t.Clusters) == 0 {
		return nil
	}
	inverse, err := inverseOf(l.information(x), len(t.Names), l.shiftFree())
	if err != nil {
		return nil
	}
	r := &robust{inverse: inverse, clusters: make([]float64, len(t.Names))}
	for _, cluster := range t.Clusters {
		for _, i := range playersOf(cluster) {
			r.clusters[i]++
		}
	}
	var half, sandwich mat.Dense
	half.Mul(inverse, filling(t, l, x))
	sandwich.Mul(&half, inverse)
	r.sandwich = mat.NewSymDense(len(x), nil)
	for i := range len(x) {
		for j := range i + 1 {
			r.sandwich.SetSym(i, j, sandwich.At(i, j))
		}
	}
	return r
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

// filling is the middle of the sandwich. The fit makes the slopes' squares too
// small by as many clusters as it has parameters.
func filling(t crosstable.Table, l inner, x []float64) matrix {
	m := mat.NewSymDense(len(x), nil)
	n := float64(len(t.Clusters))
	scale := n / max(1, n-float64(l.estimated()))
	for _, cluster := range t.Clusters {
		addSquare(m, scale, l.part(cluster).gradient(x))
	}
	if alone := t.Independent(); len(alone) > 0 {
		m.AddSym(m, l.part(alone).information(x))
	}
	return m
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

// effect is by how much the variance of a linear function of x is larger than
// with independent games (the design effect), and the clusters that it rests on.
// One more cluster, as the model has them, keeps ten pairs that all came out even
// from claiming certainty.
func (r *robust) effect(weights []float64) (effect, clusters float64) {
	clusters = math.Inf(1)
	if r == nil {
		return 1, clusters
	}
	largest := 0.0
	for i := range r.clusters {
		largest = max(largest, math.Abs(weights[i]))
	}
	for i, n := range r.clusters {
		if math.Abs(weights[i]) > largest/2 {
			clusters = min(clusters, n)
		}
	}
	if math.IsInf(clusters, 1) { // a term, on which all games bear
		clusters = 0
		for _, n := range r.clusters {
			clusters += n / 2
		}
	}
	w := mat.NewVecDense(len(weights), weights)
	naive, varied := mat.Inner(w, r.inverse, w), mat.Inner(w, r.sandwich, w)
	if !(naive > 0) || !(varied >= 0) || math.IsInf(varied/naive, 0) {
		return 1, clusters // the games hardly determine the direction at all
	}
	return (clusters*varied/naive + 1) / (clusters + 1), clusters
}

// quantile is how many standard errors, as independent games have them, an
// interval of a linear function of x reaches to each side.
func (r *robust) quantile(weights []float64, level float64) float64 {
	effect, clusters := r.effect(weights)
	if math.IsInf(clusters, 1) {
		return normalQuantile(level)
	}
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: max(1, clusters-1)}
	return math.Sqrt(effect) * student.Quantile((1+level)/2)
}

// method is what an interval by the profile is called.
func (r *robust) method() string {
	if r == nil {
		return "profile_likelihood"
	}
	return "profile_likelihood_clusters"
}

// ratio is a likelihood-ratio test of the terms, coordinates from first on. Where
// games depend on each other the statistic is divided by the mean design effect
// of the terms (Rao and Scott 1984).
func (r *robust) ratio(null, full float64, first, df int) LRTest {
	t := LRTest{Statistic: math.Max(0, 2*(full-null)), DF: df}
	if r == nil || df < 1 {
		t.P = chiSquared(t.Statistic, df)
		return t
	}
	mean, least := 0.0, math.Inf(1)
	for k := range df {
		weights := make([]float64, r.inverse.SymmetricDim())
		weights[first+k] = 1
		effect, clusters := r.effect(weights)
		mean += effect / float64(df)
		least = min(least, clusters)
	}
	t.Statistic /= mean
	t.P = distuv.F{D1: float64(df), D2: max(1, least-1)}.Survival(t.Statistic / float64(df))
	return t
}
