package ledger

import (
	"math"
	"slices"
	"time"
)

// A pace records the times from the grant of a pair to its storage, for all workers together and for each
// worker.
type pace struct {
	counts [600]int // counts by bucket. The first bucket begins at 1 ms, and each is 5% wider than the one before.
	total  int
	p99    time.Duration // 99th percentile at its latest calculation
	fresh  int           // pairs added since that calculation

	median time.Duration    // median of the workers' 95th percentiles. It is 0 if fewer than two are known.
	known  map[*holder]bool // workers with a 95th percentile
	stale  int              // pairs added since the median was calculated
}

// paceSteps is the number of histogram buckets in which a duration grows by the factor e.
var paceSteps = 1 / math.Log(1.05)

// enough is the smallest number of known durations from which the method longest returns a percentile. With fewer
// durations no lease counts as too old.
const enough = 100

// see adds took, the time from the grant of a pair to its storage. h is the worker of the pair, and workers the
// number of workers of the run.
func (p *pace) see(h *holder, took time.Duration, workers int) {
	bucket := int(math.Log(max(1, float64(took)/float64(time.Millisecond))) * paceSteps)
	p.counts[min(bucket, len(p.counts)-1)]++
	p.total++
	if p.fresh++; p.fresh*8 > p.total || p.fresh >= 1000 {
		p.p99, p.fresh = p.quantile(0.99), 0
	}
	h.times.see(took)
	if h.times.p95 > 0 {
		if p.known == nil {
			p.known = map[*holder]bool{}
		}
		p.known[h] = true
	}
	if p.stale++; p.stale > workers/2 {
		p.median, p.stale = p.middle(), 0
	}
}

// longest returns the 99th percentile of the durations, or 0 if too few durations are known.
func (p *pace) longest() time.Duration {
	if p.total < enough {
		return 0
	}
	return p.p99
}

// quantile returns the upper end of the bucket that contains the quantile q.
func (p *pace) quantile(q float64) time.Duration {
	left := int(math.Ceil(q * float64(p.total)))
	for i, n := range p.counts {
		if left -= n; left <= 0 {
			return time.Duration(math.Exp(float64(i+1)/paceSteps) * float64(time.Millisecond))
		}
	}
	return 0
}

// middle returns the median of the workers' 95th percentiles of the durations.
func (p *pace) middle() time.Duration {
	if len(p.known) < 2 {
		return 0
	}
	all := make([]time.Duration, 0, len(p.known))
	for h := range p.known {
		all = append(all, h.times.p95)
	}
	slices.Sort(all)
	return all[(len(all)-1)/2]
}

// times holds the durations of a worker's latest pairs.
type times struct {
	ring [32]time.Duration
	seen int
	p95  time.Duration // the 95th percentile, or 0 if too few durations are known
}

// leastTimes is the least number of a worker's pairs from which a percentile is calculated.
const leastTimes = 5

func (t *times) see(took time.Duration) {
	t.ring[t.seen%len(t.ring)] = took
	t.seen++
	if n := min(t.seen, len(t.ring)); n >= leastTimes {
		sorted := t.ring
		slices.Sort(sorted[:n])
		t.p95 = sorted[int(math.Ceil(0.95*float64(n)))-1]
	}
}

// mayHave reports whether a worker may get a pair that another worker returned or lost. waited is the time since
// then. The stored prefix cannot grow without this pair, so at first only the faster half of the workers may get
// it. After a third of a lease the others may get it too, except workers slower than twice the median. After two
// leases every worker may get it.
func (h *holder) mayHave(waited, lease, median time.Duration) bool {
	p95 := h.times.p95
	switch {
	case median == 0 || waited >= 2*lease:
		return true
	case p95 > 0 && p95 <= median:
		return true
	}
	return p95 <= 2*median && waited >= lease/3
}
