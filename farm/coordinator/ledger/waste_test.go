package ledger_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gogi/farm/coordinator/ledger"
	"gogi/internal/testutil"
)

// slots simulates a run until every pair before the stop is stored.
type slots struct {
	rand   *rand.Rand
	ledger *ledger.Ledger
	lease  time.Duration
	now    time.Time
	ends   []end
	held   [][]ledger.Lease // by slot
	slow   float64          // the part of the slots that are three times slower
	lost   float64          // the part of the pairs that are lost
}

type end struct {
	at   time.Time
	slot int
	pair int // -1 is a heartbeat of all slots
}

// add inserts an end; ends are in order of time, the latest first.
func (s *slots) add(e end) {
	i, _ := slices.BinarySearchFunc(s.ends, e, func(a, b end) int { return b.at.Compare(a.at) })
	s.ends = slices.Insert(s.ends, i, e)
}

// mean is the mean length of a pair. The length is log-normal with a σ of 0.35.
const mean = time.Minute

// waste returns the number of pairs granted beyond the stop, for each slot.
func (s *slots) waste(stop int) float64 {
	s.now = time.Unix(0, 0)
	s.ledger = ledger.New(ledger.Config{
		Pairs: 50 * stop, Finished: func(int) bool { return false }, Epochs: ledger.NewEpochs(1), Lease: s.lease, Now: s.now,
	})
	for i := range s.held {
		s.ledger.Enter(name(i), "s")
		s.next(i)
	}
	s.add(end{s.now.Add(s.lease / 3), 0, -1})
	for {
		e := s.ends[len(s.ends)-1]
		s.ends = s.ends[:len(s.ends)-1]
		s.now = e.at
		if e.pair < 0 {
			s.beat()
			continue
		}
		s.held[e.slot] = nil
		if s.rand.Float64() >= s.lost {
			s.ledger.Stored(s.now, e.pair)
		}
		if state := s.ledger.State(); state.Prefix >= stop {
			return float64(state.Prefix+state.Reach-stop) / float64(len(s.held))
		}
		s.next(e.slot)
	}
}

func (s *slots) next(slot int) {
	for _, l := range s.ledger.Grant(s.now, name(slot), "s", 1) {
		s.held[slot] = []ledger.Lease{l}
		takes := float64(mean) * math.Exp(0.35*s.rand.NormFloat64()-0.35*0.35/2)
		if float64(slot) < s.slow*float64(len(s.held)) {
			takes *= 3
		}
		s.add(end{s.now.Add(time.Duration(takes)), slot, l.Pair})
	}
}

func (s *slots) beat() {
	for slot, held := range s.held {
		s.ledger.Beat(s.now, name(slot), "s", ledger.Listed{Held: held})
	}
	s.ledger.Expire(s.now)
	s.add(end{s.now.Add(s.lease / 3), 0, -1})
}

// TestWasteOfAStop measures the pairs granted beyond the stop of a test without a window, for each slot. The expected
// figures come from an independent simulation in the design of the farm. The lengths are log-normal (σ 0.35). The slow
// slots are 2% of all. The lost pairs are 0.2% of all, with leases of one and of five mean lengths.
func TestWasteOfAStop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		slots      int
		slow, lost float64
		lease      time.Duration
		want       float64
	}{
		{"plain, 100", 100, 0, 0, mean, 1.75},
		{"plain, 1000", 1000, 0, 0, mean, 2.7},
		{"slow, 100", 100, 0.02, 0, mean, 3.2},
		{"slow, 1000", 1000, 0.02, 0, mean, 4.9},
		{"lost, 100", 100, 0, 0.002, mean, 1.7},
		{"lost, 1000", 1000, 0, 0.002, mean, 2.7},
		{"lost and a long lease, 100", 100, 0, 0.002, 5 * mean, 4.2},
		{"lost and a long lease, 1000", 1000, 0, 0.002, 5 * mean, 5.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sum, n := 0.0, 1+400/c.slots
			for i := range n {
				s := slots{rand: rand.New(rand.NewPCG(uint64(i), 9)), lease: c.lease, held: make([][]ledger.Lease, c.slots),
					slow: c.slow, lost: c.lost}
				sum += s.waste(10 * c.slots)
			}
			got := sum / float64(n)
			t.Logf("%.2f pairs a slot, expected about %.2f", got, c.want)
			testutil.Check(t, got >= 0.6*c.want && got <= 1.4*c.want,
				"%.2f pairs a slot beyond the stop, expected %.2f within two fifths", got, c.want)
		})
	}
}

// BenchmarkGrant measures a grant, its share of a heartbeat, and the end of a pair. The run has ten million pairs, of
// which workers hold a hundred thousand.
func BenchmarkGrant(b *testing.B) {
	now := time.Unix(0, 0)
	l := ledger.New(ledger.Config{
		Pairs: 10_000_000, Finished: func(int) bool { return false }, Epochs: ledger.NewEpochs(1), Lease: lease, Now: now,
	})
	held := make([][]ledger.Lease, 1000)
	for i := range held {
		l.Enter(name(i), "s")
		held[i] = l.Grant(now, name(i), "s", 100)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		w := i % len(held)
		now = now.Add(time.Millisecond)
		l.Stored(now, held[w][0].Pair)
		held[w] = append(held[w][1:], l.Grant(now, name(w), "s", 1)...)
		if i/len(held)%7 == 0 { // every seven seconds
			l.Beat(now, name(w), "s", ledger.Listed{Held: held[w]})
			l.Expire(now)
		}
	}
}
