package tune

import (
	"cmp"
	"math"
)

// drawFishtest perturbs all pairs of a block in the same direction, and rounds the two points independently, as the
// server and the worker of fishtest do. It limits values to their range. It rounds the value v of an int to floor(v +
// U), with a random U in [0, 1).
func (s *Settings) drawFishtest(st *State, pair int) Duel {
	d, own := s.newDuel(pair), s.random(pair)
	first, _ := s.PairsOf(s.BlockOf(pair))
	shared := s.random(first)
	stage, t, _ := s.place(pair)
	on := s.active(stage)
	for i := range s.Params {
		p, sign := &s.Params[i], flip(shared)
		d.At[i] = st.Theta[i]
		if p.Kind == Choice {
			s.drawChoice(&d, st, i, on[i])
			continue
		}
		if on[i] {
			// fishtest's "iter": the pairs that the drawing state has learnt
			learnt := max(st.Pairs-s.stageBegins(stage)*s.Block, 0)
			d.Flips[i], d.C[i] = sign, fishtestC(s, p, t, float64(learnt))
		}
		d.Plus[i] = p.clipped(st.Theta[i]+d.Flips[i]*d.C[i], own.Float64())
		d.Minus[i] = p.clipped(st.Theta[i]-d.Flips[i]*d.C[i], own.Float64())
	}
	return d
}

// clipped returns a value clipped to the parameter's range. It rounds an int by u, as rounded does.
func (p *Param) clipped(x, u float64) float64 { return p.rounded(min(max(x, p.Min), p.Max), u) }

func fishtestC(s *Settings, p *Param, t schedule, iter float64) float64 {
	return p.Spread(s.Method) * t.c(iter+1)
}

// fishtestR returns fishtest's step gain R = a/(A + iter)^α/c² with a = r_end c_end² (A + N)^α. iter starts at 1.
func (s *Settings) fishtestR(p *Param, t schedule, iter, c float64) float64 {
	rate, end := cmp.Or(p.REnd, s.Gain()), p.Spread(s.Method)
	return rate * end * end * math.Pow(t.a+t.n, t.alpha) / math.Pow(t.a+iter+1, t.alpha) / (c * c)
}

// learnFishtest moves each parameter by R·c·result·flip. R is fishtest's step gain (fishtestR), c the perturbation,
// flip its sign, and result the sum of W − L over the block.
func (st *State) learnFishtest(s *Settings, block []Outcome) {
	if len(block) == 0 {
		return
	}
	stage, t, _ := s.place(block[0].Pair)
	drawn := s.DrawnFrom(s.BlockOf(block[0].Pair))
	learnt := min(drawn*s.Block, s.Pairs) - s.stageBegins(stage)*s.Block
	result := 0.0
	for j := range block {
		st.count(s, &block[j])
		result += block[j].Score
	}
	weight := s.weight(block[0].Pair)
	for i := range s.Params {
		o, p := &block[0], &s.Params[i]
		if o.Flips[i] == 0 {
			continue
		}
		move := s.fishtestR(p, t, float64(learnt), o.C[i]) * o.C[i] * result * o.Flips[i]
		for j := range block {
			st.Each[i].duel(&block[j], i)
		}
		st.Each[i].drift(weight * move)
		st.Theta[i] = min(max(st.Theta[i]+move, p.Min), p.Max)
	}
	for j := range block {
		if s.Average > 0 {
			st.average(s, block[j].Pair)
		}
		st.Pairs++
	}
}
