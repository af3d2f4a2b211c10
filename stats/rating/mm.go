package rating

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gogi/stats/rating/crosstable"
	"gogi/stats/rating/newton"
)

// A minorant is the state of the MM algorithm: strengths, first-move factor and draw parameter, not as
// logarithms.
//
// Each step replaces the likelihood with a function that is at most the likelihood and equals it at the
// current state (Hunter 2004). A tangent in D minorises -log D. The mean of the tangents in π_i and π_j
// minorises Davidson's √(π_i π_j). The resulting function is a sum of terms s·log γ - c·γ, one for each
// strength γ. Each term has its maximum at γ = s/c.
type minorant struct {
	l           *ladder
	of          [][]place // cells of each player
	gamma       []float64
	first, draw float64
}

// A place is a cell in which a player appears.
type place struct {
	cell    crosstable.Cell
	virtual bool
}

// A pull is the contribution of a cell to the minorant: s and c of s log γ - c γ for Black and White, and the
// slope of the draw parameter.
type pull struct{ blackS, blackC, whiteS, whiteC, drawC float64 }

func newMinorant(l *ladder) *minorant {
	m := &minorant{l: l, of: make([][]place, l.players), gamma: make([]float64, l.players)}
	for i := range m.gamma {
		m.gamma[i] = 1
	}
	m.set(l.start())
	add := func(cells []crosstable.Cell, virtual bool) {
		for _, c := range cells {
			m.of[c.Black] = append(m.of[c.Black], place{c, virtual})
			m.of[c.White] = append(m.of[c.White], place{c, virtual})
		}
	}
	add(l.cells, false)
	add(l.virtual, true)
	return m
}

func (m *minorant) set(x []float64) {
	for i := range m.gamma {
		m.gamma[i] = math.Exp(x[i])
	}
	first, draw := m.l.terms(x)
	m.first, m.draw = math.Exp(first), math.Exp(draw)
}

// logs returns the state in the form of the ladder's x.
func (m *minorant) logs() []float64 {
	x := make([]float64, m.l.dim())
	for i, g := range m.gamma {
		x[i] = math.Log(g)
	}
	newton.SubtractMean(x[:m.l.players])
	if m.l.first >= 0 {
		x[m.l.first] = math.Log(m.first)
	}
	if m.l.draw >= 0 {
		x[m.l.draw] = math.Log(m.draw)
	}
	return x
}

// pull returns the contribution of a cell at the strengths gamma.
func (m *minorant) pull(p *place, gamma []float64) pull {
	c, first, o := &p.cell, m.first, m.l.outcome
	if p.virtual {
		first, o = 1, outcome{HalfWin}
	}
	u := o.pull(c, first*gamma[c.Black], gamma[c.White], m.draw)
	u.blackC *= first // now for γ; the outcome's value is for first·γ
	return u
}

// pull returns the contribution of one cell if Black has the strength a and White has the strength b.
func (o outcome) pull(c *crosstable.Cell, a, b, draw float64) pull {
	n := c.Games()
	switch o.draws {
	case Davidson:
		ratio := math.Sqrt(b / a)
		all := a + b + draw*math.Sqrt(a*b)
		return pull{
			c.Points(), n * (1 + draw/2*ratio) / all,
			n - c.Points(), n * (1 + draw/2/ratio) / all,
			n * math.Sqrt(a*b) / all,
		}
	case RaoKupper:
		up, down := (c.Wins+c.Draws)/(a+draw*b), (c.Losses+c.Draws)/(draw*a+b)
		return pull{
			c.Wins + c.Draws, up + down*draw,
			c.Losses + c.Draws, up*draw + down,
			up*b + down*a,
		}
	case HalfWin:
	}
	return pull{c.Points(), n / (a + b), n - c.Points(), n / (a + b), 0}
}

// player returns the best γ of one player for the other players' strengths in gamma.
func (m *minorant) player(i int, gamma []float64) float64 {
	s, c := 0.0, 0.0
	for n := range m.of[i] {
		p := &m.of[i][n]
		u := m.pull(p, gamma)
		if int(p.cell.Black) == i {
			s, c = s+u.blackS, c+u.blackC
		} else {
			s, c = s+u.whiteS, c+u.whiteC
		}
	}
	if m.l.sd > 0 {
		return m.shrunk(s, c, gamma[i])
	}
	return s / c
}

// shrunk returns the γ that maximises s log γ - c γ - (log γ)²/2σ². It uses Newton's method in log γ.
func (m *minorant) shrunk(s, c, gamma float64) float64 {
	precision, t := 1/(m.l.sd*m.l.sd), math.Log(gamma)
	for range 100 {
		step := (s - c*math.Exp(t) - precision*t) / (c*math.Exp(t) + precision)
		t += max(-1, min(1, step))
		if math.Abs(step) < 1e-15 {
			break
		}
	}
	return math.Exp(t)
}

// sweep updates every player once. A cyclic sweep uses each new value at once. The other kind of sweep
// (Jacobi) uses only the old values.
func (m *minorant) sweep(cyclic bool) {
	old := m.gamma
	if !cyclic {
		old = slices.Clone(m.gamma)
	}
	for i := range m.gamma {
		m.gamma[i] = m.player(i, old)
	}
}

func (m *minorant) updateFirst() {
	s, c := 0.0, 0.0
	for n := range m.l.cells {
		cell := &m.l.cells[n]
		u := m.l.outcome.pull(cell, m.first*m.gamma[cell.Black], m.gamma[cell.White], m.draw)
		s += u.blackS
		c += u.blackC * m.gamma[cell.Black]
	}
	m.first = s / c
}

func (m *minorant) updateDraw() {
	draws, c := 0.0, 0.0
	for n := range m.l.cells {
		cell := &m.l.cells[n]
		u := m.l.outcome.pull(cell, m.first*m.gamma[cell.Black], m.gamma[cell.White], m.draw)
		draws += cell.Draws
		c += u.drawC
	}
	if m.draw = draws / c; m.l.outcome.draws == RaoKupper {
		// The new value maximises d log(λ² - 1) - cλ.
		m.draw += math.Sqrt(1 + m.draw*m.draw)
	}
}

// step makes a cyclic sweep over all parameters. It then scales the strengths to the geometric mean 1. The
// scaling does not change the likelihood, and it improves a Gaussian prior.
func (m *minorant) step() {
	m.sweep(true)
	newton.SetGeometricMean(m.gamma)
	if m.l.first >= 0 {
		m.updateFirst()
	}
	if m.l.draw >= 0 {
		m.updateDraw()
	}
}

// minorise repeats steps until no parameter changes by more than rounding errors. These grow with the number
// of terms in a sum.
func (l *ladder) minorise() (newton.Peak, error) {
	m := newMinorant(l)
	x := m.logs()
	terms := len(l.cells) + len(l.virtual)
	limit := 1000 + int(1e9/float64(1+terms))
	settled := 5e-15 + 1e-16*float64(terms)/float64(l.players)
	for n := range limit {
		m.step()
		next := m.logs()
		moved := 0.0
		for i := range x {
			moved = max(moved, math.Abs(next[i]-x[i])/(1+math.Abs(x[i])))
		}
		if x = next; math.IsNaN(moved) || math.IsInf(moved, 0) {
			break
		}
		if moved < settled {
			return newton.Peak{X: x, Value: l.Value(x), Iterations: n + 1}, nil
		}
	}
	return newton.Peak{}, errors.New("the MM algorithm did not converge: the players are hardly connected, or there is no maximum; Newton tells")
}

// MMIterates returns the strengths after each of the first n steps of the MM algorithm (Hunter 2004) for the
// plain Bradley–Terry model. It starts from equal strengths. A draw is half a win. The strengths are in the
// order of the names and sum to 1. Cyclic steps use each new value at once, and other steps (Jacobi) use only
// old values. MMIterates returns an error for n < 1, and if [Rate] without a prior returns an error.
func MMIterates(counts []crosstable.Count, n int, cyclic bool) ([][]float64, error) {
	if n < 1 {
		return nil, fmt.Errorf("%d iterations are none", n)
	}
	t, err := crosstable.New(counts)
	if err != nil {
		return nil, err
	}
	if t, _, err = t.Rated(); err != nil {
		return nil, err
	}
	m := newMinorant(newLadder(t, Model{Draws: HalfWin}))
	iterates := make([][]float64, n)
	for i := range iterates {
		m.sweep(cyclic)
		iterates[i] = m.normalised()
	}
	return iterates, nil
}

func (m *minorant) normalised() []float64 {
	sum := 0.0
	for _, g := range m.gamma {
		sum += g
	}
	shares := make([]float64, len(m.gamma))
	for i, g := range m.gamma {
		shares[i] = g / sum
	}
	return shares
}
