package tune

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/mat"
)

// The method "surface" fits E(z) = gᵀz + ½ zᵀHz to all duels. z is the centre minus the start, in units
// of each parameter's perturbation. A duel at z ± δ has the expected difference 2 δᵀ(g + H z), which is
// linear in g and H. To make H visible, each duel is played around a middle that is drawn at the distance
// of a perturbation from the centre. Coefficients are shrunk to zero, those of H more, the cross terms
// most, by the common factor that makes the data most likely (D. J. C. MacKay, Neural Computation 4
// (1992) 415). The centre is the fitted surface's maximum within the box of tried points.

// surfaceReach limits how far the maximum of the fitted surface may be from the mean centre of all duels. The unit is
// the perturbation. No duel was played beyond this distance.
const surfaceReach = 1.5

// These are the standard deviations that gogi assumes before any data for a slope, a curvature and a cross term, in W −
// L per perturbation.
const (
	priorSlope = 0.02
	priorCurve = 0.004
	priorCross = 0.001
)

// refit is the factor by which the number of pairs grows between two fits of the surface.
const refit = 1.02

func (s *Settings) drawSurface(st *State, pair int) Duel {
	d, random := s.newDuel(pair), s.random(pair)
	stage, _, _ := s.place(pair)
	on := s.active(stage)
	for i := range s.Params {
		p, u, sign, off := &s.Params[i], random.Float64(), flip(random), 2*random.Float64()-1
		if p.Kind == Choice {
			s.drawChoice(&d, st, i, on[i])
			continue
		}
		if !on[i] {
			d.At[i] = st.Theta[i]
			d.Plus[i] = p.rounded(st.Theta[i], u)
			d.Minus[i] = d.Plus[i]
			continue
		}
		d.Flips[i], d.C[i] = sign, p.bounded(p.Spread(s.Method))
		s.perturb(&d, i, st.Theta[i]+off*d.C[i], u)
	}
	return d
}

// model gives access to the sums in State.Model. They are the sums of a regression with d slopes and d(d+1)/2
// curvatures.
type model struct {
	d, p    int
	n, yy   *float64
	fitted  *float64  // number of pairs at the last fit
	at      []float64 // Σ of the middles
	xy      []float64
	xx      []float64 // upper triangle, row by row
	scratch []float64
}

func (st *State) model(d int) model {
	p := d + d*(d+1)/2
	size := 3 + d + p + p*(p+1)/2
	if len(st.Model) != size {
		st.Model = make([]float64, size)
	}
	m := model{d: d, p: p, n: &st.Model[0], yy: &st.Model[1], fitted: &st.Model[2], scratch: make([]float64, p)}
	rest := st.Model[3:]
	m.at, rest = rest[:d], rest[d:]
	m.xy, m.xx = rest[:p], rest[p:]
	return m
}

// numeric returns the indices of the parameters with a slope, which are the tuned ints and floats.
func (s *Settings) numeric() []int {
	var list []int
	for i, p := range s.Params {
		if p.Kind != Choice && !p.Unused {
			list = append(list, i)
		}
	}
	return list
}

func (st *State) learnSurface(s *Settings, block []Outcome) {
	which := s.numeric()
	m := st.model(len(which))
	for j := range block {
		o := &block[j]
		st.count(s, o)
		m.add(s, which, o)
		for _, i := range which {
			if o.Flips[i] != 0 {
				st.Each[i].duel(o, i)
			}
		}
		st.Pairs++
	}
	last := st.Pairs == s.Pairs
	if *m.n < *m.fitted*refit && !last {
		return
	}
	*m.fitted = *m.n
	z := m.top(s, which)
	for a, i := range which {
		p := &s.Params[i]
		st.Theta[i] = min(max(p.Start+z[a]*p.bounded(p.Spread(s.Method)), p.Min), p.Max)
	}
}

func (m *model) add(s *Settings, which []int, o *Outcome) {
	z, delta, x := make([]float64, m.d), make([]float64, m.d), m.scratch
	for a, i := range which {
		c := s.Params[i].bounded(s.Params[i].Spread(s.Method))
		z[a], delta[a] = (o.At[i]-s.Params[i].Start)/c, o.Flips[i]
		m.at[a] += z[a]
		x[a] = 2 * delta[a]
	}
	next := m.d
	for a := range m.d {
		x[next] = 2 * delta[a] * z[a]
		next++
		for b := a + 1; b < m.d; b++ {
			x[next] = 2 * (delta[a]*z[b] + delta[b]*z[a])
			next++
		}
	}
	*m.n++
	*m.yy += o.Score * o.Score
	k := 0
	for a := range m.p {
		m.xy[a] += float64(x[a] * o.Score)
		for b := a; b < m.p; b++ {
			m.xx[k] += float64(x[a] * x[b])
			k++
		}
	}
}

// priors returns the variances of the coefficients before any data.
func (m *model) priors() []float64 {
	v := make([]float64, 0, m.p)
	for range m.d {
		v = append(v, priorSlope*priorSlope)
	}
	for a := range m.d {
		v = append(v, priorCurve*priorCurve)
		for b := a + 1; b < m.d; b++ {
			v = append(v, priorCross*priorCross)
		}
	}
	return v
}

// top returns the maximum of the fitted surface, in perturbations from the start. which has the indices of the
// parameters with a slope.
func (m *model) top(s *Settings, which []int) []float64 {
	var best []float64
	most := math.Inf(-1)
	for _, factor := range []float64{1.0 / 16, 0.25, 1, 4} {
		for _, curve := range []float64{0.5, 1, 2, 4} {
			if beta, evidence := m.fit(factor, -curve*priorCurve); evidence > most {
				best, most = beta, evidence
			}
		}
	}
	z := make([]float64, m.d)
	if best == nil {
		return z
	}
	return m.climb(s, which, best)
}

// fit returns the coefficients of a ridge regression, and the log likelihood of the data up to a constant. Without data
// the surface has no slope and the given curvature. factor multiplies the prior variances.
func (m *model) fit(factor, curve float64) (beta []float64, evidence float64) {
	noise := cmp.Or(*m.yy / *m.n, 1)
	a, priors := m.square(), m.priors()
	mean, rhs := m.curved(curve), make([]float64, m.p)
	rest := *m.yy // the sum of squares around the mean
	for i := range m.p {
		expected := 0.0
		for j := range m.p {
			expected += a.At(i, j) * mean[j]
		}
		rest += mean[i] * (expected - 2*m.xy[i])
		rhs[i] = (m.xy[i] - expected) / noise
	}
	a.ScaleSym(1/noise, a)
	for i := range m.p {
		a.SetSym(i, i, a.At(i, i)+1/(priors[i]*factor))
	}
	var c mat.Cholesky
	solution := mat.NewVecDense(m.p, nil)
	if !c.Factorize(a) || c.SolveVecTo(solution, mat.NewVecDense(m.p, rhs)) != nil {
		return nil, math.Inf(-1)
	}
	beta = solution.RawVector().Data
	evidence = -rest/noise/2 - c.LogDet()/2
	for i := range m.p {
		evidence += 0.5*beta[i]*rhs[i] - 0.5*math.Log(priors[i]*factor)
		beta[i] += mean[i]
	}
	return beta, evidence
}

// curved returns the coefficients of a surface without slope that has the same curvature in all parameters.
func (m *model) curved(curve float64) []float64 {
	beta := make([]float64, m.p)
	k := m.d
	for a := range m.d {
		beta[k] = curve
		k += m.d - a
	}
	return beta
}

// square returns the symmetric matrix of the sums of products.
func (m *model) square() *mat.SymDense {
	a, k := mat.NewSymDense(m.p, nil), 0
	for i := range m.p {
		for j := i; j < m.p; j++ {
			a.SetSym(i, j, m.xx[k])
			k++
		}
	}
	return a
}

// sweeps is the number of sweeps of coordinate ascent. It is enough for a dozen parameters.
const sweeps = 60

// climb returns the maximum of a fitted surface within the allowed ranges. It changes one coordinate at a time. which
// has the indices of the parameters with a slope, and beta the coefficients of the surface.
func (m *model) climb(s *Settings, which []int, beta []float64) []float64 {
	h := make([][]float64, m.d)
	for i := range h {
		h[i] = make([]float64, m.d)
	}
	k := m.d
	for i := range m.d {
		for j := i; j < m.d; j++ {
			h[i][j], h[j][i] = beta[k], beta[k]
			k++
		}
	}
	z, lo, hi := make([]float64, m.d), make([]float64, m.d), make([]float64, m.d)
	for a, i := range which {
		p := &s.Params[i]
		c := p.bounded(p.Spread(s.Method))
		mean := m.at[a] / *m.n
		lo[a] = max(mean-surfaceReach, (p.Min-p.Start)/c)
		hi[a] = max(min(mean+surfaceReach, (p.Max-p.Start)/c), lo[a])
		z[a] = min(max(mean, lo[a]), hi[a])
	}
	for range sweeps {
		for a := range z {
			slope := beta[a]
			for b := range z {
				if b != a {
					slope += h[a][b] * z[b]
				}
			}
			z[a] = highest(slope, h[a][a], lo[a], hi[a])
		}
	}
	return z
}

// highest returns the z between lo and hi with the greatest slope·z + ½ curve·z².
func highest(slope, curve, lo, hi float64) float64 {
	if curve < 0 {
		return min(max(-slope/curve, lo), hi)
	}
	if slope*(hi-lo)+curve*(hi*hi-lo*lo)/2 > 0 {
		return hi
	}
	return lo
}
