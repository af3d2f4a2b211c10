package trust

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gogi/internal/lists"
)

// Kind is a quantity of a pair, such as its points. Residuals compares this quantity between one worker and the
// others.
type Kind int

// The kinds of compared quantities.
const (
	Score   Kind = iota // points of the plan's first player in the pair
	OnTime              // games of the pair that were lost on time.
	Crashes             // games of the pair that ended by a crash.
	Slowed              // the machine delayed a move of the pair
	// the ratio of the two players' nodes per second, if it differs from the usual ratio by more than speedMargin
	Speeds
	kinds
)

// resultKinds is the number of kinds about results. These kinds come first, and only they can quarantine a
// worker. The other kinds can only put a worker on probation.
const resultKinds = Slowed

// speedMargin is the tolerated difference between the logarithms of a worker's speed ratio and of the usual ratio.
// Machines with different processors differ by a few percent without a fault. A tenth of speed is about 9 Elo.
const speedMargin = 0.10

// String returns the name of the kind.
func (k Kind) String() string {
	names := [kinds]string{"results", "losses on time", "crashes", "slowed moves", "speed of one side"}
	if k < 0 || k >= kinds {
		return fmt.Sprintf("kind %d", int(k))
	}
	return names[k]
}

// MarshalText returns the text of String.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Pair has the data of a finished pair that Residuals compares.
type Pair struct {
	Worker  string
	Points  float64 // points of the plan's first player in all games of the pair, from 0 to 2.
	OnTime  int     // games lost on time, by either player.
	Crashes int     // games that ended by a crash.
	Slowed  bool
	Ratio   float64 // nodes per second of the first player divided by those of the second. It is 0 if unknown.
}

// blockPairs is the number of consecutive pairs that are compared with each other. The comparison loses a
// part of the evidence: 1/blockPairs for a worker with few pairs in the block. A longer block loses less, but
// gives its evidence later.
const blockPairs = 64

// bets returns the values of λ for [Residuals]. A λ is an assumed effect of a worker on the logarithm of the
// likelihood, per point, event or sign. λ = δ/variance is best to find an effect of δ points per pair. The variance
// of a pair's points is about 0.35. For faults all values are positive, because only more faults than usual are a
// reason to accuse a worker.
func bets(k Kind) []float64 {
	switch k {
	case Score, Speeds:
		return []float64{-2, -1, -0.5, -0.25, -0.125, 0.125, 0.25, 0.5, 1, 2}
	case OnTime, Crashes, Slowed, kinds:
	}
	return []float64{0.5, 1, 2, 4}
}

// Residuals compares each worker with the rest of a run, in plan order. An order of arrival would depend on the
// length of games, and so on their results.
//
// Consecutive pairs form blocks. If the worker has no effect on a pair, every assignment of a block's results to
// its workers is equally likely. For a fixed λ, take the product of exp(λx) over the worker's n pairs in the
// block; x is the compared quantity of a pair. Divide it by the mean of such products over all choices of n pairs
// of the block. The mean of this quotient is exactly 1, for any distribution of the results. The quotient is
// therefore an e-value, by permutation of pairs.
//
// The products of these e-values over blocks are nonnegative martingales. The mean of these products over λ and
// over the kinds of quantities is also one. This e-process may be read after every block (Ville's inequality; see
// Ramdas, Grünwald, Vovk and Shafer, Game-theoretic statistics and safe anytime-valid inference, Statistical
// Science 38, 2023). The zero value is ready to use.
type Residuals struct {
	block  []Pair
	usual  []float64 // ratios of the earlier blocks
	median float64   // median of usual; 0 if there are none
	found  map[string]*worker
}

// worker is the evidence about one worker.
type worker struct {
	pairs int
	// log has the logarithm of the martingale by kind and bet.
	log [kinds][]float64
}

// Add adds the next pair of the run in plan order. If the next pair is not known yet, the caller must wait for it
// and must not add later pairs.
func (r *Residuals) Add(p Pair) error {
	if p.Worker == "" || p.Points < 0 || p.Points > 2 || math.IsNaN(p.Points) || p.OnTime < 0 || p.Crashes < 0 ||
		p.Ratio < 0 || math.IsNaN(p.Ratio) || math.IsInf(p.Ratio, 0) {
		return fmt.Errorf("trust: %+v is not a pair of a worker", p)
	}
	if r.block = append(r.block, p); len(r.block) == blockPairs {
		r.judge()
		r.block = r.block[:0]
	}
	return nil
}

// judge evaluates a complete block, and updates the martingales.
func (r *Residuals) judge() {
	hands := r.deal()
	if len(hands) == 1 { // a single worker cannot be compared
		hands[0].pairs += len(r.block)
		r.learn()
		return
	}
	for k := range Speeds {
		x := make([]float64, len(r.block))
		for i := range r.block {
			x[i] = value(k, &r.block[i])
		}
		if same(x) {
			continue // all choices of pairs are equal, so every e-value is 1
		}
		for i, bet := range bets(k) {
			place(k, i, bet, x, hands)
		}
	}
	r.judgeSpeeds(hands)
	for _, h := range hands {
		h.pairs += len(h.places)
	}
	r.learn()
}

// judgeSpeeds multiplies the martingales of the speed ratios. The null hypothesis is that a worker's log
// ratios are distributed like those of the others, shifted by at most speedMargin. judgeSpeeds therefore
// shifts the worker's own ratios back by the margin, against the direction of the bet. An e-value rises with
// each of the worker's own values. Under the null hypothesis it is therefore at most the e-value of an
// exchangeable block, whose mean is 1.
func (r *Residuals) judgeSpeeds(hands []hand) {
	if r.median == 0 {
		return
	}
	x, own := make([]float64, len(r.block)), make([]float64, len(r.block))
	for j := range r.block {
		x[j] = r.sideOf(&r.block[j], 0)
	}
	for _, h := range hands {
		for i, bet := range bets(Speeds) {
			copy(own, x)
			for _, j := range h.places {
				own[j] = r.sideOf(&r.block[j], math.Copysign(speedMargin, bet))
			}
			place(Speeds, i, bet, own, []hand{h})
		}
	}
}

// sideOf returns 1 if the logarithm of a pair's speed ratio is above that of the usual ratio plus shift. It
// returns -1 if the logarithm is below, and 0 if it is equal or unknown. The usual ratio is that of earlier
// blocks.
func (r *Residuals) sideOf(p *Pair, shift float64) float64 {
	if p.Ratio == 0 {
		return 0
	}
	return float64(cmp.Compare(p.Ratio, r.median*math.Exp(shift)))
}

// hand is a worker with the indices of its pairs in a block.
type hand struct {
	*worker
	places []int
}

// deal assigns the pairs of the block to their workers.
func (r *Residuals) deal() (hands []hand) {
	at := map[*worker]int{}
	for i, p := range r.block {
		w := r.of(p.Worker)
		n, ok := at[w]
		if !ok {
			n, at[w] = len(hands), len(hands)
			hands = append(hands, hand{worker: w})
		}
		hands[n].places = append(hands[n].places, i)
	}
	return hands
}

func (r *Residuals) of(name string) *worker {
	if r.found == nil {
		r.found = map[string]*worker{}
	}
	w := r.found[name]
	if w == nil {
		w = &worker{}
		for k := range kinds {
			w.log[k] = make([]float64, len(bets(k)))
		}
		r.found[name] = w
	}
	return w
}

// place updates the evidence about each worker after a block of pairs. It multiplies martingale i of kind k by the
// e-value of the worker's pairs in the block. bet is the λ of this martingale. x has the compared quantity of each pair
// in the block.
func place(k Kind, i int, bet float64, x []float64, hands []hand) {
	g := make([]float64, len(x))
	for j := range x {
		g[j] = math.Exp(bet * x[j])
	}
	most := 0
	for _, h := range hands {
		most = max(most, len(h.places))
	}
	means := logMeanProducts(g, most)
	for _, h := range hands {
		own := lists.Sum(h.places, func(j int) float64 { return bet * x[j] })
		h.log[k][i] += own - means[len(h.places)]
	}
}

// value returns the quantity of a pair that the kind compares. It returns 0 for Speeds, which sideOf handles.
func value(k Kind, p *Pair) float64 {
	switch k {
	case Score:
		return p.Points
	case OnTime:
		return float64(min(p.OnTime, 2))
	case Crashes:
		return float64(min(p.Crashes, 2))
	case Slowed:
		if p.Slowed {
			return 1
		}
	case Speeds, kinds:
	}
	return 0
}

// usualRatios is the number of ratios after which gogi no longer updates the median.
const usualRatios = 1024

// learn adds the ratios of a block to the usual ratios, for the comparison of later blocks.
func (r *Residuals) learn() {
	if len(r.usual) >= usualRatios {
		return
	}
	for _, p := range r.block {
		if p.Ratio > 0 {
			r.usual = append(r.usual, p.Ratio)
		}
	}
	if len(r.usual) > 0 {
		r.median = median(r.usual)
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func same(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v != x[0] })
}

// logMeanProducts returns a logarithm for each k up to most. It is the logarithm of the mean, over all
// choices of k of the values, of the product of the chosen values. This mean is the elementary symmetric
// polynomial of degree k divided by the number of choices. mean[j] after n values is the mean over choices of
// j of these n. The n-th value is in the choice with probability j/n.
func logMeanProducts(g []float64, most int) []float64 {
	scale := slices.Max(g)
	mean := make([]float64, most+1)
	mean[0] = 1
	for n := 1; n <= len(g); n++ {
		for j := min(most, n); j > 0; j-- {
			in := float64(j) / float64(n)
			without := 0.0
			if j < n {
				without = (1 - in) * mean[j]
			}
			mean[j] = without + in*mean[j-1]*g[n-1]/scale
		}
	}
	for k, m := range mean {
		mean[k] = math.Log(m) + float64(k)*math.Log(scale)
	}
	return mean
}

// Evidence shows how strongly the pairs of one worker differ from the pairs of the other workers.
type Evidence struct {
	Worker string
	Pairs  int // number of compared pairs
	// natural logarithm of the e-value over all kinds of results. 1 / e-value is a p value that is always valid.
	LogE float64
	Kind Kind // the kind of results with the strongest evidence
	// Machine is the logarithm of the e-value of delayed moves and speeds together. MachineKind is Slowed or
	// Speeds, the kind with the stronger evidence. They never quarantine a worker.
	Machine     float64
	MachineKind Kind
	Of          [kinds]float64 // logarithm of the e-value of each kind
}

// Evidence returns, for every worker, how strongly its pairs differ from the pairs of the others. The list is
// sorted by name.
func (r *Residuals) Evidence() []Evidence {
	var list []Evidence
	for _, name := range slices.Sorted(maps.Keys(r.found)) {
		w := r.found[name]
		e := Evidence{Worker: name, Pairs: w.pairs, MachineKind: resultKinds}
		for k := range kinds {
			e.Of[k] = logMean(w.log[k])
			most := &e.Kind
			if k >= resultKinds {
				most = &e.MachineKind
			}
			if e.Of[k] > e.Of[*most] {
				*most = k
			}
		}
		e.LogE, e.Machine = logMean(e.Of[:resultKinds]), logMean(e.Of[resultKinds:])
		list = append(list, e)
	}
	return list
}

// logMean returns the logarithm of the mean of some numbers. logs has the logarithms of these numbers.
func logMean(logs []float64) float64 {
	most := slices.Max(logs)
	sum := lists.Sum(logs, func(l float64) float64 { return math.Exp(l - most) })
	return most + math.Log(sum/float64(len(logs)))
}
