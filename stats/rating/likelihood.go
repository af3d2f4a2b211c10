package rating

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"gogi/stats/rating/crosstable"
	"gogi/stats/rating/newton"
)

// A ladder is the log-likelihood of even games, plus the prior. It is a concave function of x. x has the players' log
// strengths, then the logarithm of the first-move factor and the draw parameter if the model has them.
type ladder struct {
	players int
	table   crosstable.Table
	cells   []crosstable.Cell // cells of the table, with both colours in one cell if Black has no advantage.
	virtual []crosstable.Cell // draws of the prior. They count as half wins without a first-move effect.
	// pairs of players who met, with the pairs of the prior last. It is nil if each cell has its own pair.
	ends    []ends
	place   []int32 // index of each cell's pair in ends
	sd      float64
	outcome outcome
	first   int     // index of the first-move term in x, or -1
	draw    int     // index of the draw parameter in x, or -1
	drawAt  float64 // draw parameter if it is not estimated
}

func newLadder(t crosstable.Table, m Model) *ladder {
	l := &ladder{players: len(t.Names), table: t, cells: t.Cells, sd: m.Prior.SD, outcome: outcome{m.Draws}, first: -1,
		draw: -1}
	dim := l.players
	if m.FirstMove == Multiplicative {
		l.first = dim
		dim++
		l.meet(t)
	} else {
		l.cells = t.Folded()
	}
	if l.drawAt = l.outcome.noDraws(); m.Draws != HalfWin && t.Draws() > 0 {
		l.draw = dim
	}
	if v := m.Prior.VirtualDraws; v > 0 {
		l.virtual = make([]crosstable.Cell, 0, l.players*(l.players-1)/2)
		for a := range int32(l.players) {
			for b := range a {
				l.virtual = append(l.virtual, crosstable.Cell{Black: a, White: b, Draws: v})
			}
		}
	}
	return l
}

// An ends holds the numbers of two players who met.
type ends struct{ a, b int32 }

// meet sets l.ends and l.place. Both colours of a pair of players share one element of ends, so that the information
// has half as many links.
func (l *ladder) meet(t crosstable.Table) {
	place, count := t.Pairs()
	l.place, l.ends = place, make([]ends, count)
	for n, k := range place {
		l.ends[k] = ends{t.Cells[n].Black, t.Cells[n].White}
	}
}

// headStart returns the point x from which Newton's method starts. It calculates the strengths from the scores, which
// saves one or two steps of the method compared with the point of start.
func (l *ladder) headStart() []float64 {
	x := l.start()
	games, points := l.table.Totals()
	for i := range l.players {
		x[i] = math.Log((points[i] + 0.5) / (games[i] - points[i] + 0.5))
	}
	newton.SubtractMean(x[:l.players])
	return x
}

// start returns a point x with equal strengths and the observed draw rate. The draw rate is never 1, because a table
// with only draws is not fitted.
func (l *ladder) start() []float64 {
	x := make([]float64, l.dim())
	if l.draw >= 0 {
		rate := l.table.Draws() / l.table.Games()
		x[l.draw] = math.Log(2 * rate / (1 - rate))
	}
	return x
}

func (l *ladder) dim() int {
	dim := l.players
	for _, at := range []int{l.first, l.draw} {
		if at >= 0 {
			dim++
		}
	}
	return dim
}

// estimated returns the number of parameters. The common level of the strengths is no parameter.
func (l *ladder) estimated() int { return l.dim() - 1 }

// terms returns the first-move effect and the draw parameter of x.
func (l *ladder) terms(x []float64) (first, draw float64) {
	draw = l.drawAt
	if l.first >= 0 {
		first = x[l.first]
	}
	if l.draw >= 0 {
		draw = x[l.draw]
	}
	return first, draw
}

// logLik returns the log-likelihood of the games without the prior.
func (l *ladder) logLik(x []float64) float64 {
	first, draw := l.terms(x)
	if o, ok := l.odds(x); ok {
		return o.logLik(l.cells, x, first, draw)
	}
	sum := 0.0
	for n := range l.cells {
		c := &l.cells[n]
		sum += l.outcome.logLik(c, x[c.Black]-x[c.White]+first, draw)
	}
	return sum
}

func (l *ladder) Value(x []float64) float64 {
	sum := l.logLik(x)
	for n := range l.virtual {
		c := &l.virtual[n]
		sum += outcome{HalfWin}.logLik(c, x[c.Black]-x[c.White], 0)
	}
	if l.sd > 0 {
		for _, t := range x[:l.players] {
			sum -= t * t / (2 * l.sd * l.sd)
		}
	}
	return sum
}

func (l *ladder) part(cells []crosstable.Cell) inner {
	p := *l
	p.cells, p.virtual, p.sd, p.ends, p.place = cells, nil, 0, nil, nil
	return &p
}

func (l *ladder) gradient(x []float64) []float64 {
	g, _ := l.curvature(x)
	return g
}

// A link is the contribution of the games between two players to the information.
type link struct {
	a, b int32
	xx   float64
}

// A curvature is the information: the matrix of the negative second derivatives. It consists of a sum over pairs of
// players, and a row for each of the two other terms.
type curvature struct {
	l           *ladder
	links       []link
	first, draw []float64 // rows of the terms, by players; nil if the model has no such term
	firstFirst  float64
	firstDraw   float64
	drawDraw    float64
}

func (l *ladder) Derivatives(x []float64) ([]float64, func([]float64) []float64) {
	g, info := l.curvature(x)
	diagonal := info.diagonal()
	return g, func(rhs []float64) []float64 {
		if l.sd > 0 {
			return newton.Conjugate(info.multiply, diagonal, rhs)
		}
		// A common shift of the strengths does not change the likelihood. The right side must therefore have
		// no shift, to the last digit, and the solution may have any shift.
		rhs = slices.Clone(rhs)
		newton.SubtractMean(rhs[:l.players])
		return newton.Conjugate(info.multiply, diagonal, rhs)
	}
}

func (l *ladder) curvature(x []float64) ([]float64, *curvature) {
	g := make([]float64, len(x))
	info := l.flat()
	l.eachSlope(x, func(n int, c *crosstable.Cell, s *slopes) {
		g[c.Black] += s.x
		g[c.White] -= s.x
		if l.place != nil {
			n = int(l.place[n])
		}
		info.links[n].xx += s.xx
		if l.first >= 0 {
			g[l.first] += s.x
			info.first[c.Black] += s.xx
			info.first[c.White] -= s.xx
			info.firstFirst += s.xx
			info.firstDraw += s.xd
		}
		if l.draw >= 0 {
			g[l.draw] += s.d
			info.draw[c.Black] += s.xd
			info.draw[c.White] -= s.xd
			info.drawDraw += s.dd
		}
	})
	virtual := info.links[len(info.links)-len(l.virtual):]
	for n := range l.virtual {
		c := &l.virtual[n]
		s := outcome{HalfWin}.slopes(c, x[c.Black]-x[c.White], 0)
		g[c.Black] += s.x
		g[c.White] -= s.x
		virtual[n] = link{c.Black, c.White, s.xx}
	}
	if l.sd > 0 {
		for i := range l.players {
			g[i] -= x[i] / (l.sd * l.sd)
		}
	}
	return g, info
}

// flat returns an information in which all values are 0. It has a link for each pair of players who met, and for each
// pair of the prior.
func (l *ladder) flat() *curvature {
	met := len(l.ends)
	if l.ends == nil {
		met = len(l.cells)
	}
	i := &curvature{l: l, links: make([]link, met+len(l.virtual))}
	for n := range met {
		if l.ends == nil {
			i.links[n] = link{a: l.cells[n].Black, b: l.cells[n].White}
		} else {
			i.links[n] = link{a: l.ends[n].a, b: l.ends[n].b}
		}
	}
	if l.first >= 0 {
		i.first = make([]float64, l.players)
	}
	if l.draw >= 0 {
		i.draw = make([]float64, l.players)
	}
	return i
}

// precision returns the part of the information that a Gaussian prior adds for each player.
func (i *curvature) precision() float64 {
	if i.l.sd > 0 {
		return 1 / (i.l.sd * i.l.sd)
	}
	return 0
}

func (i *curvature) diagonal() []float64 {
	d := make([]float64, i.l.dim())
	for p := range i.l.players {
		d[p] = i.precision()
	}
	for n := range i.links {
		k := &i.links[n]
		d[k.a] += k.xx
		d[k.b] += k.xx
	}
	if i.l.first >= 0 {
		d[i.l.first] = i.firstFirst
	}
	if i.l.draw >= 0 {
		d[i.l.draw] = i.drawDraw
	}
	return d
}

// multiply sets out to the information times v.
func (i *curvature) multiply(v, out []float64) {
	clear(out)
	for n := range i.links {
		k := &i.links[n]
		r := k.xx * (v[k.a] - v[k.b])
		out[k.a] += r
		out[k.b] -= r
	}
	for p, precision := 0, i.precision(); precision > 0 && p < i.l.players; p++ {
		out[p] += precision * v[p]
	}
	i.border(i.l.first, i.first, v, out)
	i.border(i.l.draw, i.draw, v, out)
	if first, draw := i.l.first, i.l.draw; first >= 0 {
		out[first] += i.firstFirst * v[first]
		if draw >= 0 {
			out[first] += i.firstDraw * v[draw]
			out[draw] += i.firstDraw * v[first]
		}
	}
	if draw := i.l.draw; draw >= 0 {
		out[draw] += i.drawDraw * v[draw]
	}
}

// border adds the products of v with the row and the column of one term to out. term is the index of the term in x,
// and row has the values of its row by player. border does nothing if term is negative.
func (i *curvature) border(term int, row, v, out []float64) {
	if term < 0 {
		return
	}
	sum := 0.0
	for p, r := range row {
		sum += r * v[p]
		out[p] += r * v[term]
	}
	out[term] += sum
}

func (l *ladder) information(x []float64) matrix {
	_, i := l.curvature(x)
	m := mat.NewSymDense(l.dim(), nil)
	for p, d := range i.diagonal() {
		m.SetSym(p, p, d)
	}
	for _, k := range i.links {
		m.SetSym(int(k.a), int(k.b), m.At(int(k.a), int(k.b))-k.xx)
	}
	for p, v := range i.first {
		m.SetSym(p, l.first, v)
	}
	for p, v := range i.draw {
		m.SetSym(p, l.draw, v)
	}
	if l.first >= 0 && l.draw >= 0 {
		m.SetSym(l.first, l.draw, i.firstDraw)
	}
	return m
}

func (l *ladder) shiftFree() bool { return l.sd <= 0 }

func (l *ladder) prior(x []float64) matrix {
	if l.sd <= 0 && len(l.virtual) == 0 {
		return nil
	}
	alone := *l
	alone.cells, alone.ends, alone.place = nil, nil, nil
	return alone.information(x)
}

func (l *ladder) Settle(step []float64) {
	if l.shiftFree() {
		newton.SubtractMedian(step[:l.players])
	}
}

// expected returns, for each cell of l.table, the probabilities of a win of Black, a draw and a loss of Black with the
// parameters x.
func (l *ladder) expected(x []float64) [][3]float64 {
	first, draw := l.terms(x)
	p := make([][3]float64, len(l.table.Cells))
	for n, c := range l.table.Cells {
		p[n][0], p[n][1], p[n][2] = l.outcome.probabilities(x[c.Black]-x[c.White]+first, draw)
	}
	return p
}

// An LRTest is the result of a likelihood-ratio test. The test compares a model with a larger model that
// contains it.
type LRTest struct {
	// Statistic is twice the difference of the log-likelihoods, and not negative. If games depend on each
	// other, this number is divided by the design effect.
	Statistic float64
	DF        int // additional parameters of the larger model
	// p value by χ² (Wilks), or by F with clusters. It is an approximation for many games, and 1 if DF is 0.
	P float64
}

// LikelihoodRatio tests the fit null against the fit full of a larger model to the same games. For example,
// full has a first-move effect and null has none. It returns an error if the larger model does not contain
// the smaller model, and if the games differ. It also returns an error for fits with a prior, because they do
// not maximise the likelihood.
func LikelihoodRatio(null, full *Fit) (LRTest, error) {
	switch {
	case null.Model.Prior.exists() || full.Model.Prior.exists():
		return LRTest{}, errors.New("a prior keeps a fit from the maximum of the likelihood")
	case null.Model.Draws != full.Model.Draws:
		return LRTest{}, errors.New("the fits have different draw models")
	case null.Model.FirstMove != NoFirstMove && null.Model.FirstMove != full.Model.FirstMove:
		return LRTest{}, errors.New("the larger model does not contain the smaller one")
	case null.Games != full.Games || len(null.Players) != len(full.Players):
		return LRTest{}, errors.New("the fits are not of the same games")
	}
	return full.errs.ratio(null.LogLik, full.LogLik, len(full.Players), full.Parameters-null.Parameters), nil
}
