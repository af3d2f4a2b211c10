package runner

import (
	"context"
	"io"
	"sync"

	"gogi/match"
)

// PlanSource is a Source with the unfinished pairs of a plan. It hands out each pair once, in order. If a
// slot returns a pair unplayed, only a new PlanSource hands it out again.
type PlanSource struct {
	plan     *match.Plan
	finished func(id int) bool

	mu     sync.Mutex
	next   int
	target int // pairs
}

// NewPlanSource returns a source of the pairs 0 to plan.Pairs-1 for which finished is false.
func NewPlanSource(plan *match.Plan, finished func(id int) bool) *PlanSource {
	return &PlanSource{plan: plan, finished: finished, target: plan.Pairs}
}

// Next returns the next pair without waiting, or io.EOF after the last.
func (s *PlanSource) Next(ctx context.Context) (Lease, error) {
	if err := context.Cause(ctx); err != nil {
		return Lease{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.next < s.target && s.finished(s.next) {
		s.next++
	}
	if s.next >= s.target {
		return Lease{}, io.EOF
	}
	pair := s.plan.Pair(s.next)
	s.next++
	return Lease{Pair: pair, Return: func(error) {}}, nil
}

// SetTarget limits the source to the pairs 0 to pairs-1. Slots still play the pairs that were handed out
// before.
func (s *PlanSource) SetTarget(pairs int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.target = pairs
}
