package tune

import (
	"cmp"
	"math"
)

// Draw selects the duel of a pair: the two points (sets of parameter values) that play each other. It calculates
// them from an earlier state of the tune. st must be the state after n blocks, where n is the value of s.DrawnFrom
// for the block of the pair. Equal arguments give the same duel.
func Draw(s *Settings, st *State, pair int) Duel {
	if s.Method == Fishtest {
		return s.drawFishtest(st, pair)
	}
	return s.drawSPSA(st, pair)
}

func (s *Settings) newDuel(pair int) Duel {
	n := len(s.Params)
	all := make([]float64, 5*n)
	return Duel{
		Pair: pair, Kind: KindDuel, Plus: all[:n:n], Minus: all[n : 2*n : 2*n],
		Flips: all[2*n : 3*n : 3*n], C: all[3*n : 4*n : 4*n], At: all[4*n:],
	}
}

func (s *Settings) drawSPSA(st *State, pair int) Duel {
	d, random := s.newDuel(pair), s.random(pair)
	if s.isProbe(pair) {
		d.Kind = KindProbe
	}
	stage, t, k := s.place(pair)
	on, falling := s.active(stage), t.c(k)*st.Factor
	for i := range s.Params {
		p, u, sign := &s.Params[i], random.Float64(), flip(random)
		d.At[i] = st.Theta[i]
		if p.Kind == Choice {
			s.drawChoice(&d, st, i, on[i])
			continue
		}
		if !on[i] {
			d.Plus[i] = p.rounded(st.Theta[i], u)
			d.Minus[i] = d.Plus[i]
			continue
		}
		d.Flips[i], d.C[i] = sign, s.size(p, p.Spread(s.Method)*falling)
		s.perturb(&d, i, st.Theta[i], u)
	}
	return d
}

// bounded limits a perturbation so that both points of a duel are within the range and differ.
func (p *Param) bounded(c float64) float64 {
	return min(max(c, p.leastCEnd()), (p.Max-p.Min)/2)
}

// widest is the greatest perturbation of a parameter, as a share of its range, in a tune that starts wide.
const widest = 1 / 8.0

// size limits a perturbation to a share of the range, if the tune starts wide, and calls bounded.
func (s *Settings) size(p *Param, c float64) float64 {
	if s.Wide > 0 {
		c = min(c, (p.Max-p.Min)*widest)
	}
	return p.bounded(c)
}

// perturb sets parameter i in both points of a duel. Plus gets the middle plus the perturbation and Minus the middle
// minus the perturbation. The middle is the value of at, moved if necessary so that both points are within the range.
// In a probe, Minus gets the value of at itself. u decides how an int is rounded (see rounded).
func (s *Settings) perturb(d *Duel, i int, at, u float64) {
	p, c := &s.Params[i], d.C[i]
	middle := min(max(at, p.Min+c), p.Max-c)
	d.At[i] = middle
	d.Plus[i] = p.rounded(middle+d.Flips[i]*c, u)
	if d.Kind == KindProbe {
		d.Minus[i] = p.rounded(at, u)
		return
	}
	d.Minus[i] = p.rounded(middle-d.Flips[i]*c, u)
}

// Learn returns the state after one more block. block has the outcomes of all pairs of the block, in the
// order of the pairs.
func Learn(s *Settings, st State, block []Outcome) State {
	next := st.clone()
	if s.Method == Fishtest {
		next.learnFishtest(s, block)
	} else {
		next.learnSPSA(s, block)
	}
	next.Blocks++
	s.endStage(&next)
	return next
}

func (st *State) learnSPSA(s *Settings, block []Outcome) {
	for j := range block {
		o := &block[j]
		st.count(s, o)
		if o.Kind == KindProbe {
			st.control(s, o.Score)
		} else {
			st.step(s, o)
		}
		st.average(s, o.Pair)
		st.Pairs++
	}
}

// step moves the centre (the current estimate) by R·c·(W − L) in the direction of the perturbation, with R = a/((A+k)^α
// c²) and a = r_end c_end² (A+N)^α.
func (st *State) step(s *Settings, o *Outcome) {
	_, t, k := s.place(o.Pair)
	gain := s.Gain() * t.gain(k) / (t.c(k) * t.c(k))
	early := 1 / (k + earliest*t.n)
	for i := range s.Params {
		if o.Flips[i] == 0 {
			continue
		}
		p, e := &s.Params[i], &st.Each[i]
		move := float64(gain*o.C[i]) * float64(o.Score*o.Flips[i])
		e.duel(o, i)
		e.drift(early * o.C[i] * o.Score * o.Flips[i])
		st.Theta[i] = min(max(st.Theta[i]+move, p.Min), p.Max)
	}
}

// earliest decides how fast the weights of pairs fall in ParamSums.Drift. After this share of a stage, a pair weighs
// half as much as the first pair. Later pairs weigh less, because the centre is then near the best values, and the
// results show less about the effect of a parameter.
const earliest = 0.05

func (e *ParamSums) drift(move float64) {
	e.Drift += move
	e.DriftSquares += float64(move * move)
}

// duel adds the outcome of a duel to the sums of parameter i.
func (e *ParamSums) duel(o *Outcome, i int) {
	e.N++
	e.FY += float64(o.Flips[i] * o.Score)
	e.YY += float64(o.Score * o.Score)
}

// weight returns how much the step of a pair counts in the final values. It is 1 before the averaged part of the
// pair's stage (Settings.Average), and falls almost to 0 within this part.
func (s *Settings) weight(pair int) float64 {
	_, t, k := s.place(pair)
	first := t.n * (1 - s.Average)
	if k <= first || s.Average == 0 {
		return 1
	}
	return (t.n - k + 1) / (t.n - first)
}

// average adds the centre to a batch of values, from which the final values are averaged. A pair's number determines
// its batch.
func (st *State) average(s *Settings, pair int) {
	stage, t, k := s.place(pair)
	first := math.Floor(t.n * (1 - s.Average))
	if k <= first {
		return
	}
	b := min(int((k-first-1)*batches/(t.n-first)), batches-1)
	for i, on := range s.active(stage) {
		if on {
			st.Each[i].Mean[b] += st.Theta[i]
			st.Each[i].Of[b]++
		}
	}
}

// These constants define the controller, which adapts the size of all perturbations. Its rate falls during the tune. It
// keeps the factor within the range of the simulations.
const (
	controlFirst  = 0.003
	controlLater  = 2.0
	controlOffset = 500
	factorMost    = 3.0 // as a multiple of the factor at the start
	factorLeast   = 1 / 6.0
)

// firstFactor returns the factor of all perturbations before the first probe.
func (s *Settings) firstFactor() float64 { return cmp.Or(s.Wide, 1) }

// mostFactor returns the greatest factor by which perturbations can be enlarged during the tune.
func (s *Settings) mostFactor() float64 { return factorMost * s.firstFactor() }

// control adapts the factor of all perturbations, so that the perturbed values lose about s.Spread Elo to the centre.
// score is W − L of a probe. If a probe loses ℓ Elo, the logarithm of the factor falls by η(ℓ − T)/T. T is s.Spread,
// and η is the rate of the controller.
func (st *State) control(s *Settings, score float64) {
	st.Probes++
	st.ProbeSum += score
	if s.Spread == 0 {
		return
	}
	rate := min(controlFirst, controlLater/float64(st.Probes+controlOffset))
	loss := -EloPerPair * score
	f := st.Factor * math.Exp(-rate*(loss-s.Spread)/s.Spread)
	st.Factor = min(max(f, factorLeast), s.mostFactor())
}

// count adds a duel to the counts that gogi prints.
func (st *State) count(s *Settings, o *Outcome) {
	if o.Forfeit {
		st.Forfeits++
	}
	if o.Kind == KindDuel && o.Equal(s.Params) {
		st.Equal++
	}
	st.countLevels(s, o)
}

// endStage sets the parameters of a stage to the values that Answer returns, after the last block of the stage. It
// does nothing at the end of the tune.
func (s *Settings) endStage(st *State) {
	stage := s.stageOf(st.Blocks - 1)
	if st.Blocks >= s.Blocks() || s.stageOf(st.Blocks) == stage {
		return // after the last block, the answer is Answer's
	}
	answer := Answer(s, st)
	for i, on := range s.active(stage) {
		if on {
			st.Theta[i] = answer[i]
		}
	}
}

// Answer returns the current final values of the tune, not rounded. A final value is the mean of the centre (the
// current estimate) over the last part of the tune, whose length is Settings.Average. Before this part begins, it
// is the current centre. For a choice parameter, it is the best level that is clearly better than the start level,
// or the start level.
func Answer(s *Settings, st *State) []float64 {
	answer := append([]float64(nil), st.Theta...)
	for i := range s.Params {
		if s.Params[i].Kind == Choice {
			answer[i] = s.level(st, i)
			continue
		}
		sum, of := 0.0, 0.0
		for b := range batches {
			sum += st.Each[i].Mean[b]
			of += st.Each[i].Of[b]
		}
		if of > 0 {
			answer[i] = sum / of
		}
	}
	return answer
}
