package rating

import (
	"math"
	"slices"

	"gogi/stats/rating/crosstable"
	"gogi/stats/rating/newton"

	"gonum.org/v1/gonum/mat"
)

// A family is the way in which the terms of a model change a strength π = exp(θ).
type family int

const (
	added      family = iota // log(π + Σ b·e^r)
	multiplied               // θ + log(1 + Σ b·e^r)
	logLinear                // θ + Σ b·r
)

// A ground is the log-likelihood of games in which terms change the strengths of the two sides. Each cell has its own
// rows of coefficients b. x has the players' log strengths, and one coordinate w for each term. In a log-linear model w
// is the term itself. Otherwise the sign of the term is fixed, and w is its logarithm. An additive term is measured in
// a unit in which strengths sum to 50 per player. s is the logarithm of this unit, which depends on all players, and r
// is w plus s.
//
// With logarithms the search needs no bounds. If the best value of a parameter is 0, its logarithm moves towards -∞
// until the likelihood does not rise any more.
type ground struct {
	players int
	cells   []crosstable.Cell
	family  family
	black   [][]float64 // coefficients of each cell's Black; nil if there are none
	white   [][]float64
	rows    func(crosstable.Cell) (black, white []float64) // returns the rows of black and white for a cell
	terms   int
}

// part returns the likelihood of other cells with the same terms.
func (g *ground) part(cells []crosstable.Cell) inner {
	p := *g
	p.set(cells)
	return &p
}

func (g *ground) set(cells []crosstable.Cell) {
	g.cells, g.black, g.white = cells, make([][]float64, len(cells)), make([][]float64, len(cells))
	for n, c := range cells {
		g.black[n], g.white[n] = g.rows(c)
	}
}

// A side holds the log strength of one side of a cell, and the derivatives of this strength by the player's θ
// and by each r.
type side struct {
	log   float64
	theta float64
	r     []float64
}

func (g *ground) side(theta float64, r, row []float64) side {
	s := side{log: theta, theta: 1, r: make([]float64, len(r))}
	if row == nil {
		return s
	}
	if g.family == logLinear {
		s.log += newton.Dot(row, r)
		copy(s.r, row)
		return s
	}
	base := 1.0
	if g.family == added {
		base = math.Exp(theta)
	}
	total := base
	for k, b := range row {
		if b != 0 {
			s.r[k] = b * math.Exp(r[k])
			total += s.r[k]
		}
	}
	if !(total > 0) || math.IsInf(total, 1) {
		s.log = math.Inf(-1)
		return s
	}
	for k := range s.r {
		s.r[k] /= total
	}
	if s.log = math.Log(total); g.family == multiplied {
		s.log += theta
	} else {
		s.theta = base / total
	}
	return s
}

// raw returns the values r of the terms (see ground): w plus s in the additive family, and w in the others. share has
// each player's share of the sum of strengths in the additive family, and is nil in the others.
func (g *ground) raw(x []float64) (r, share []float64) {
	theta := x[:g.players]
	r = append([]float64(nil), x[g.players:]...)
	if g.family != added {
		return r, nil
	}
	sum := 0.0
	share = make([]float64, g.players)
	for i, t := range theta {
		share[i] = math.Exp(t)
		sum += share[i]
	}
	for i := range share {
		share[i] /= sum
	}
	for k := range r {
		r[k] += math.Log(sum / (50 * float64(g.players)))
	}
	return r, share
}

func (g *ground) sides(n int, x, r []float64) (side, side) {
	c := g.cells[n]
	return g.side(x[c.Black], r, g.black[n]), g.side(x[c.White], r, g.white[n])
}

func (g *ground) Value(x []float64) float64 {
	r, _ := g.raw(x)
	sum := 0.0
	for n := range g.cells {
		b, w := g.sides(n, x, r)
		if math.IsInf(b.log, -1) || math.IsInf(w.log, -1) {
			return math.Inf(-1)
		}
		sum += outcome{HalfWin}.logLik(&g.cells[n], b.log-w.log, 0)
	}
	return sum
}

func (g *ground) logLik(x []float64) float64 { return g.Value(x) }
func (g *ground) Settle(step []float64)      { newton.SubtractMedian(step[:g.players]) }
func (g *ground) shiftFree() bool            { return true }
func (g *ground) prior([]float64) matrix     { return nil }
func (g *ground) estimated() int             { return g.players - 1 + g.terms }

// Raised returns a copy of x in which the terms near 0 are a thousandth of a typical strength, if the likelihood would
// rise with them. See [newton.Bounded].
func (g *ground) Raised(x, weights []float64) []float64 {
	if g.family == logLinear {
		return nil
	}
	least := 1e-3
	if g.family == added {
		least *= 50
	}
	raised := slices.Clone(x)
	for k := g.players; k < len(x); k++ { // a term of exactly 0 has no slope by its logarithm
		raised[k] = max(x[k], math.Log(least)-30)
	}
	found := false
	for k, slope := range g.gradient(raised)[g.players:] {
		k += g.players
		held := weights != nil && weights[k] != 0
		if value := math.Exp(raised[k]); held || value >= least || !(slope/value*least > 1e-9) {
			raised[k] = x[k]
			continue
		}
		raised[k] = math.Log(least)
		found = true
	}
	if !found {
		return nil
	}
	return raised
}

func (g *ground) expected(x []float64) [][3]float64 {
	r, _ := g.raw(x)
	p := make([][3]float64, len(g.cells))
	for n := range g.cells {
		b, w := g.sides(n, x, r)
		p[n][0], p[n][1], p[n][2] = outcome{HalfWin}.probabilities(b.log-w.log, 0)
	}
	return p
}

func (g *ground) gradient(x []float64) []float64 {
	r, share := g.raw(x)
	gradient := make([]float64, len(x))
	for n, c := range g.cells {
		b, w := g.sides(n, x, r)
		s := outcome{HalfWin}.slopes(&c, b.log-w.log, 0).x
		gradient[c.Black] += s * b.theta
		gradient[c.White] -= s * w.theta
		for k := range g.terms {
			gradient[g.players+k] += s * (b.r[k] - w.r[k])
		}
	}
	total := 0.0
	for _, v := range gradient[g.players:] {
		total += v
	}
	for i, v := range share {
		gradient[i] += total * v
	}
	return gradient
}

// slopes returns the gradient and the information matrix of the log likelihood at x.
func (g *ground) slopes(x []float64) ([]float64, matrix) {
	r, share := g.raw(x)
	gradient, info := make([]float64, len(x)), mat.NewSymDense(len(x), nil)
	at := make([]int, 2+g.terms)
	for k := range g.terms {
		at[2+k] = g.players + k
	}
	for n, c := range g.cells {
		b, w := g.sides(n, x, r)
		at[0], at[1] = int(c.Black), int(c.White)
		s := outcome{HalfWin}.slopes(&c, b.log-w.log, 0)
		g.addCell(gradient, info, at, b, w, s)
	}
	if g.family == added {
		g.rescale(gradient, info, share)
	}
	return gradient, info
}

// addCell adds a cell's derivatives by θ of Black, θ of White, and each r. The parameter at holds the indices of these
// coordinates.
func (g *ground) addCell(gradient []float64, info matrix, at []int, b, w side, s slopes) {
	local := make([]float64, len(at))
	local[0], local[1] = b.theta, -w.theta
	for k := range g.terms {
		local[2+k] = b.r[k] - w.r[k]
	}
	for i, v := range local {
		gradient[at[i]] += s.x * v
		for j := range i + 1 {
			info.SetSym(at[i], at[j], info.At(at[i], at[j])+s.xx*v*local[j]-s.x*(g.bend(b, 0, i, j)-g.bend(w, 1, i, j)))
		}
	}
}

// bend returns the second derivative of a side's log strength by the local coordinates i and j. theta is the index of
// the side's own θ. In both families with a curvature the log strength is a logarithm of a sum of exponentials.
func (g *ground) bend(s side, theta, i, j int) float64 {
	slope := func(i int) float64 {
		switch {
		case i >= 2:
			return s.r[i-2]
		case i == theta && g.family == added:
			return s.theta
		}
		return 0
	}
	if g.family == logLinear {
		return 0
	}
	second := -slope(i) * slope(j)
	if i == j {
		second += slope(i)
	}
	return second
}

// rescale converts derivatives by r to derivatives by w = r - s. s is the logarithm of the mean strength. Its
// gradient is the share p of each player, and its second derivatives are diag(p) - ppᵀ.
func (g *ground) rescale(gradient []float64, info matrix, share []float64) {
	n, dim := g.players, len(gradient)
	total, both := 0.0, 0.0
	row := make([]float64, dim) // sums of rows of the information over the terms
	for k := n; k < dim; k++ {
		total += gradient[k]
		for i := range dim {
			row[i] += info.At(i, k)
		}
	}
	for k := n; k < dim; k++ {
		both += row[k]
	}
	for i := range n {
		gradient[i] += total * share[i]
		for j := range i + 1 {
			v := info.At(i, j) + row[i]*share[j] + row[j]*share[i] + (both+total)*share[i]*share[j]
			if i == j {
				v -= total * share[i]
			}
			info.SetSym(i, j, v)
		}
		for k := n; k < dim; k++ {
			info.SetSym(i, k, info.At(i, k)+share[i]*row[k])
		}
	}
}

func (g *ground) information(x []float64) matrix {
	_, info := g.slopes(x)
	return info
}

func (g *ground) Derivatives(x []float64) ([]float64, func([]float64) []float64) {
	gradient, info := g.slopes(x)
	// Fill the null space, which is the common shift of the strengths.
	n, fill := g.players, 0.0
	for i := range n {
		fill += math.Abs(info.At(i, i)) / float64(n)
	}
	for i := range n {
		for j := range i + 1 {
			info.SetSym(i, j, info.At(i, j)+fill/float64(n))
		}
	}
	return gradient, newton.Definite(info)
}
