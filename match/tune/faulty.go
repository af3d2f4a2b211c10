package tune

import (
	"fmt"

	"gogi/stats/binomial"
)

// Faults counts failures of the engine by parameter values, over the latest blocks of pairs. A point (a set of
// parameter values) fails if it loses a game by a fault of the engine, or if the engine does not start with it.
type Faults struct {
	settings *Settings
	blocks   [][]pointPlayed // the points of the latest blocks, at most faultBlocks
}

// pointPlayed is one of the two points (sets of parameter values) that a pair plays.
type pointPlayed struct {
	failed bool
	above  []float64 // by parameter: 1 above the centre, −1 below it, 0 at it
}

// Failures reports whether the engine failed at each of a pair's two points. Index 0 is the point plus, index 1
// the point minus.
type Failures [2]bool

const (
	faultBlocks = 10   // number of latest blocks whose failures count
	faultShare  = 0.05 // largest share of the pairs of these blocks that may have a failure
)

// NewFaults returns a Faults without blocks for a tune with these settings.
func NewFaults(s *Settings) *Faults { return &Faults{settings: s} }

// Block adds the duels (pairs of points) of a block of pairs, and for each duel the points for which the engine
// failed. If too many pairs of the latest blocks have a failure, it returns a *Faulty.
func (f *Faults) Block(duels []Duel, failed []Failures) error {
	var block []pointPlayed
	for j := range duels {
		for side, sign := range []float64{1, -1} {
			p := pointPlayed{failed: failed[j][side], above: make([]float64, len(duels[j].Flips))}
			for i, flip := range duels[j].Flips {
				if duels[j].Kind == KindDuel || side == 0 {
					p.above[i] = sign * flip
				}
			}
			block = append(block, p)
		}
	}
	f.blocks = append(f.blocks, block)
	if len(f.blocks) > faultBlocks {
		f.blocks = f.blocks[1:]
	}
	if len(f.blocks) < faultBlocks {
		return nil
	}
	return f.judge()
}

func (f *Faults) judge() error {
	pairs, bad := 0, 0
	for _, block := range f.blocks {
		for j := 0; j+1 < len(block); j += 2 {
			pairs++
			if block[j].failed || block[j+1].failed {
				bad++
			}
		}
	}
	if float64(bad) <= faultShare*float64(pairs) {
		return nil
	}
	worst := &Faulty{Bad: bad, Pairs: pairs, P: 1}
	for i := range f.settings.Params {
		for _, side := range []float64{1, -1} {
			if p := f.fisher(i, side); p < worst.P {
				worst.Param, worst.Above, worst.P = f.settings.Params[i].Name, side > 0, p
			}
		}
	}
	worst.P = min(1, worst.P*float64(2*len(f.settings.Params)))
	return worst
}

// fisher returns the one-sided p value of R. A. Fisher's exact test. side is 1 for the points above the centre of
// parameter i, and −1 for the points below it. The null hypothesis is that the points on this side fail no more often
// than those on the other side.
func (f *Faults) fisher(i int, side float64) float64 {
	var n, k [2]int // number of points and of failures: on this side, on the other side
	for _, block := range f.blocks {
		for _, p := range block {
			if p.above[i] == 0 {
				continue
			}
			at := 0
			if p.above[i] != side {
				at = 1
			}
			n[at]++
			if p.failed {
				k[at]++
			}
		}
	}
	sum := 0.0
	all, failures := n[0]+n[1], k[0]+k[1]
	for x := k[0]; x <= min(failures, n[0]); x++ {
		sum += binomial.Hypergeometric(all, n[0], failures, x)
	}
	return min(1, sum)
}

// Faulty is the error that the engine fails too often with the tune's parameter values. The user must decide whether
// the tune continues.
type Faulty struct {
	Bad, Pairs int     // number of pairs with a failure, and number of all pairs
	Param      string  // the parameter with the most failures on one side; "" if none differs
	Above      bool    // whether most of its failures are above its centre
	P          float64 // p value of Fisher's exact test times the number of sides of all parameters (Bonferroni)
}

// Error returns a text with the failure and what the user can do.
func (f *Faulty) Error() string {
	return f.What() +
		`: narrow the bounds of its parameters, or set faults = "forfeit" (--faults forfeit), so that a failure loses the pair`
}

// What returns the text of the failure only.
func (f *Faulty) What() string {
	text := fmt.Sprintf("in %d of the last %d pairs an engine failed or did not start", f.Bad, f.Pairs)
	if f.Param != "" && f.P < 0.05 {
		side := "below"
		if f.Above {
			side = "above"
		}
		text += fmt.Sprintf(", most with %s %s its current value (p = %.2g)", f.Param, side, f.P)
	}
	return text
}
