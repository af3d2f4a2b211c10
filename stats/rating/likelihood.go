package rating

import (
	"math"
	"slices"

	"gogi/stats/rating/ascent"
	"gogi/stats/rating/crosstable"

	"gonum.org/v1/gonum/mat"
)

// ladder is the log-likelihood of even games, with its prior, as a function of
// x: the players' log strengths, then the log of the first-move factor and the
// draw parameter where the model has them. It is concave.
type ladder struct {
	players int
	table   crosstable.Table
	cells   []crosstable.Cell // of the table; both colours in one where Black has no advantage
	virtual []crosstable.Cell // the prior's draws, half wins without a first-move effect
	sd      float64
	outcome outcome
	first   int     // place of the first-move term in x, or -1
	draw    int     // place of the draw parameter in x, or -1
	drawAt  float64 // the draw parameter where it is not estimated
}

func newLadder(t crosstable.Table, m Model) *ladder {
	l := &ladder{players: len(t.Names), table: t, cells: t.Cells, sd: m.Prior.SD, outcome: outcome{m.Draws}, first: -1, draw: -1}
	dim := l.players
	if m.FirstMove == Multiplicative {
		l.first = dim
		dim++
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

// headStart is start with strengths by score, which saves Newton a step or two.
func (l *ladder) headStart() []float64 {
	x := l.start()
	games, points := l.table.Totals()
	for i := range l.players {
		x[i] = math.Log((points[i] + 0.5) / (games[i] - points[i] + 0.5))
	}
	ascent.SubtractMean(x[:l.players])
	return x
}

// start is equal strengths, and the draws as frequent as they are.
func (l *ladder) start() []float64 {
	x := make([]float64, l.dim())
	if l.draw >= 0 {
		rate := min(l.table.Draws()/l.table.Games(), 0.99)
		switch l.outcome.draws {
		case Davidson:
			x[l.draw] = math.Log(2 * rate / (1 - rate))
		case RaoKupper:
			x[l.draw] = math.Log((1 + rate) / (1 - rate))
		case HalfWin:
		}
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

// estimated is the number of parameters, the level of strengths not counted.
func (l *ladder) estimated() int { return l.dim() - 1 }

// terms are the first-move effect and the draw parameter in x.
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

// logLik is the likelihood of the games alone.
func (l *ladder) logLik(x []float64) float64 {
	first, draw := l.terms(x)
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
	p.cells, p.virtual, p.sd = cells, nil, 0
	return &p
}

func (l *ladder) gradient(x []float64) []float64 {
	g, _ := l.curvature(x)
	return g
}

// link is the part of the information that a cell adds between two players.
type link struct {
	black, white int32
	first        bool
	xx, xd       float64
}

// curvature is the matrix of second derivatives, sign turned, as a sum over
// cells.
type curvature struct {
	l        *ladder
	links    []link
	drawDraw float64
}

func (l *ladder) Derivatives(x []float64) ([]float64, func([]float64) []float64) {
	g, info := l.curvature(x)
	diagonal := info.diagonal()
	return g, func(rhs []float64) []float64 {
		if l.sd > 0 {
			return ascent.Conjugate(info.multiply, diagonal, rhs)
		}
		// The likelihood does not see a common shift, so a right side must have
		// none, to the last digit, and a solution may have any.
		rhs = slices.Clone(rhs)
		ascent.SubtractMean(rhs[:l.players])
		return ascent.Conjugate(info.multiply, diagonal, rhs)
	}
}

func (l *ladder) curvature(x []float64) ([]float64, *curvature) {
	first, draw := l.terms(x)
	g := make([]float64, len(x))
	info := &curvature{l: l, links: make([]link, 0, len(l.cells)+len(l.virtual))}
	for n := range l.cells {
		c := &l.cells[n]
		s := l.outcome.slopes(c, x[c.Black]-x[c.White]+first, draw)
		g[c.Black] += s.x
		g[c.White] -= s.x
		if l.first >= 0 {
			g[l.first] += s.x
		}
		if l.draw >= 0 {
			g[l.draw] += s.d
			info.drawDraw += s.dd
		}
		info.links = append(info.links, link{c.Black, c.White, l.first >= 0, s.xx, s.xd})
	}
	for n := range l.virtual {
		c := &l.virtual[n]
		s := outcome{HalfWin}.slopes(c, x[c.Black]-x[c.White], 0)
		g[c.Black] += s.x
		g[c.White] -= s.x
		info.links = append(info.links, link{c.Black, c.White, false, s.xx, 0})
	}
	if l.sd > 0 {
		for i := range l.players {
			g[i] -= x[i] / (l.sd * l.sd)
		}
	}
	return g, info
}

// precision is what a Gaussian prior adds for each player.
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
	for _, k := range i.links {
		d[k.black] += k.xx
		d[k.white] += k.xx
		if k.first {
			d[i.l.first] += k.xx
		}
	}
	if i.l.draw >= 0 {
		d[i.l.draw] = i.drawDraw
	}
	return d
}

// multiply sets out to the information times v.
func (i *curvature) multiply(v, out []float64) {
	first, draw := 0.0, 0.0
	if i.l.first >= 0 {
		first = v[i.l.first]
	}
	if i.l.draw >= 0 {
		draw = v[i.l.draw]
	}
	clear(out)
	firstOut, drawOut := 0.0, i.drawDraw*draw
	for n := range i.links {
		k := &i.links[n]
		t := v[k.black] - v[k.white]
		if k.first {
			t += first
		}
		r := k.xx*t + k.xd*draw
		out[k.black] += r
		out[k.white] -= r
		if k.first {
			firstOut += r
		}
		drawOut += k.xd * t
	}
	for p, precision := 0, i.precision(); precision > 0 && p < i.l.players; p++ {
		out[p] += precision * v[p]
	}
	if i.l.first >= 0 {
		out[i.l.first] = firstOut
	}
	if i.l.draw >= 0 {
		out[i.l.draw] = drawOut
	}
}

func (l *ladder) information(x []float64) matrix {
	_, i := l.curvature(x)
	m := mat.NewSymDense(l.dim(), nil)
	add := func(a, b int32, v float64) { m.SetSym(int(a), int(b), m.At(int(a), int(b))+v) }
	first, draw := int32(l.first), int32(l.draw)
	for p := range int32(l.players) {
		add(p, p, i.precision())
	}
	for _, k := range i.links {
		add(k.black, k.black, k.xx)
		add(k.white, k.white, k.xx)
		add(k.black, k.white, -k.xx)
		if k.first {
			add(first, first, k.xx)
			add(k.black, first, k.xx)
			add(k.white, first, -k.xx)
		}
		if l.draw >= 0 {
			add(k.black, draw, k.xd)
			add(k.white, draw, -k.xd)
			if k.first {
				add(first, draw, k.xd)
			}
		}
	}
	if l.draw >= 0 {
		add(draw, draw, i.drawDraw)
	}
	return m
}

func (l *ladder) shiftFree() bool { return l.sd <= 0 }

func (l *ladder) Settle(step []float64) {
	if l.shiftFree() {
		ascent.SubtractMedian(step[:l.players])
	}
}

// expected are the probabilities of each cell's outcomes.
func (l *ladder) expected(x []float64) [][3]float64 {
	first, draw := l.terms(x)
	p := make([][3]float64, len(l.table.Cells))
	for n, c := range l.table.Cells {
		p[n][0], p[n][1], p[n][2] = l.outcome.probabilities(x[c.Black]-x[c.White]+first, draw)
	}
	return p
}
