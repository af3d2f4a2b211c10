package ledger

import (
	"math"
	"slices"
	"time"
)

// pace is how long the pairs of a run take from their grant to the store, over all
// workers and by worker.
type pace struct {
	counts [600]int // by bucket: each is a twentieth longer than the one before, from 1 ms on
	total  int
	p99    time.Duration // as of a while ago
	fresh  int           // seen since then

	median time.Duration // of the workers' p95; 0: too few are known
	known  map[*holder]bool
	stale  int // seen since the median was taken
}

// paceSteps are buckets in a factor of e.
var paceSteps = 1 / math.Log(1.05) //nolint:gochecknoglobals // a constant that the language cannot compute

// enough is how many pairs must be known before a lease is called too old.
const enough = 100

// see takes the time of a pair that was stored.
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

// most is the 99th percentile; 0: too few pairs are known.
func (p *pace) most() time.Duration {
	if p.total < enough {
		return 0
	}
	return p.p99
}

// quantile is the upper end of the bucket that has it.
func (p *pace) quantile(q float64) time.Duration {
	left := int(math.Ceil(q * float64(p.total)))
	for i, n := range p.counts {
		if left -= n; left <= 0 {
			return time.Duration(math.Exp(float64(i+1)/paceSteps) * float64(time.Millisecond))
		}
	}
	return 0
}

// middle is the median of the workers' p95.
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

// times are the latest of a worker's pairs.
type times struct {
	ring [32]time.Duration
	seen int
	p95  time.Duration // 0: too few
}

// leastTimes are needed to speak of a worker's pace.
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

// mayHave reports whether a worker may be granted a pair that came back so long ago.
// The prefix waits for it, so it goes to the faster half of the workers; after a third
// of a lease to any but the slow, which are those above twice the median; and after two
// leases, in which no other has asked, to anybody.
func (h *holder) mayHave(waited, lease, median time.Duration) bool {
	p95 := h.times.p95
	switch {
	case median == 0 || waited >= 2*lease:
		return true
	case p95 == 0:
		return waited >= lease/3
	case p95 <= median:
		return true
	case p95 <= 2*median:
		return waited >= lease/3
	}
	return false
}
