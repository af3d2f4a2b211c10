package rating

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gogi/stats/rating/crosstable"
	"gogi/stats/rating/newton"
)

// minorant is the MM algorithm's state: strengths, first-move factor, and draw
// parameter themselves, not their logarithms.
//
// Each step replaces the likelihood by a function that touches it from below
// (Hunter 2004): -log D is minorised by a line in D, and Davidson's √(π_i π_j) by
// the mean of its tangents in π_i and π_j. What is left separates into terms
// s·log γ - c·γ, one for each strength, with the maximum s/c.
type minorant struct {
	l           *ladder
	of          [][]place // cells of each player
	gamma       []float64
	first, draw float64
}

// place is a cell that a player appears in.
type place struct {
	cell    crosstable.Cell
	virtual bool
}

// pull is a cell's part of the minorant: s log γ - c γ for Black and White, and
// the slope of the draw parameter.
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

// logs is the state as the ladder's x.
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

// pull is taken at strengths gamma.
func (m *minorant) pull(p *place, gamma []float64) pull {
	c, first, o := &p.cell, m.first, m.l.outcome
	if p.virtual {
		first, o = 1, outcome{HalfWin}
	}
	u := o.pull(c, first*gamma[c.Black], gamma[c.White], m.draw)
	u.blackC *= first // of γ, where the outcome's is of first·γ
	return u
}

// pull of one cell whose Black has the strength a and White b.
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

// player is the best γ of one player while the others are as in gamma.
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

// shrunk maximises s log γ - c γ - (log γ)²/2σ² by Newton's method in log γ.
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

// sweep updates every player once: with the others' new values at once
// (cyclic), or all from the old ones (Jacobi).
func (m *minorant) sweep(cyclic bool) {
	old := m.gamma
	if !cyclic {
		old = slices.Clone(m.gamma)
	}
	for i := range m.gamma {
		m.gamma[i] = m.player(i, old)
	}
}

// level gives the strengths the geometric mean 1, which costs no likelihood and
// improves a Gaussian prior.
func (m *minorant) level() {
	mean := 0.0
	for _, g := range m.gamma {
		mean += math.Log(g) / float64(len(m.gamma))
	}
	for i := range m.gamma {
		m.gamma[i] *= math.Exp(-mean)
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
		// The maximum of d log(λ² - 1) - cλ.
		m.draw += math.Sqrt(1 + m.draw*m.draw)
	}
}

// step is a cyclic sweep over all parameters.
func (m *minorant) step() {
	m.sweep(true)
	m.level()
	if m.l.first >= 0 {
		m.updateFirst()
	}
	if m.l.draw >= 0 {
		m.updateDraw()
	}
}

// minorise steps until nothing moves by more than rounding, which grows with
// the number of terms in a sum.
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

// MMIterates are the strengths after each of the first n steps of the MM
// algorithm (Hunter 2004) for the plain Bradley–Terry model from equal
// strengths, a draw being half a win. Strengths are in the order of the names
// and have the sum 1. Cyclic steps use each new value at once; the others
// (Jacobi) do not. It fails where [Rate] does without a prior, and for n < 1.
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
