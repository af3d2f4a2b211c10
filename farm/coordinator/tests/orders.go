package tests

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/roster"
	"gogi/internal/format"
	"gogi/match"
	"gogi/match/gate"
)

const (
	// MaxPlan is the maximum size of an encoded plan in bytes.
	MaxPlan = 256 << 10
	// MaxPairs is the maximum number of pairs of a test. With an SPRT the coordinator keeps the worker of each stored pair
	// in memory, see PlayedBy.
	MaxPairs = 10_000_000
)

// Check returns the rejection of a plan that the farm cannot play or that the owner may not submit, or nil. It needs no
// lock.
func Check(plan *match.Plan, in *farm.Submission, who roster.Key) error {
	legsErr := farm.CheckLegs(plan)
	_, tuneErr := settingsOf(plan)
	switch {
	case legsErr != nil:
		return farm.Refusef("%v", legsErr)
	case plan.Design.Kind.ByResults():
		return farm.Refusef("--design %s: a farm cannot play it, because its pairs depend on results; use match, round_robin or gauntlet, or gogi match on one machine", plan.Design.Kind)
	case tuneErr != nil:
		return farm.Refusef("%v", tuneErr)
	case plan.Pairs > MaxPairs:
		return farm.Refusef("the test has %d pairs: expected at most %d", plan.Pairs, MaxPairs)
	case len(in.Plan) > MaxPlan:
		return farm.Refusef("the plan has %d bytes, of which each opening takes some: expected at most %d; take fewer openings, such as --openings builtin-1000", len(in.Plan), MaxPlan)
	case len(in.Note) > 10_000 || len(in.Needs) > 20:
		return farm.Refusef("a note of %d bytes and %d needs: expected at most 10000 and 20", len(in.Note), len(in.Needs))
	}
	if level, ok := in.Needs[roster.NeedTrust]; ok {
		if err := roster.CheckLevel(level); err != nil {
			return err
		}
	}
	if !plan.Gate.IsZero() {
		if _, err := gate.New(plan.Gate, plan.Pairs); err != nil {
			return farm.Refusef("%v", err)
		}
	}
	if err := mayShare(in.Share); err != nil {
		return err
	}
	return mayPriority(who, float64(in.Priority))
}

// Submit adds a test, which waits for an approval. queued is the number of tests of its owner that may wait; 0 means
// any number. rule is the rule by which results of the test quarantine workers, or "".
func (s *Tests) Submit(ctx context.Context, who roster.Key, in *farm.Submission, plan *match.Plan, queued int,
	rule string) (*Test, error) {
	digest := plan.Digest()
	number, waiting := 0, 0
	for _, r := range s.All {
		number = max(number, r.Number+1)
		if r.Owner == who.Owner && (r.State == farm.Submitted || r.State == farm.Approved) {
			waiting++
		}
	}
	if err := farm.CheckNew(plan, s.Names()); err != nil {
		return nil, err
	}
	if err := match.CheckRunName(plan.Run); err != nil {
		return nil, farm.Refusef("run: %v", err)
	}
	if queued > 0 && waiting >= queued {
		return nil, farm.Refusef("%s has %s waiting, and may have %d", who.Owner, format.NumberOf(waiting, "test"), queued)
	}

	r, err := newTest(digest, Record{
		Submission: *in, Name: plan.Run, Owner: who.Owner, By: who.Name, Number: number, State: farm.Submitted, Rule: rule,
	}, 0)
	if err != nil {
		return nil, farm.Refusef("%v", err)
	}
	r.AddLine(time.Now(), who.Name, string(farm.Submitted))
	r.noteSources(who.Name)
	if r.Compares() {
		r.AddLine(time.Now(), "farm", ruleText)
	}

	if err := s.Keep(ctx, r); err != nil {
		return nil, err
	}
	return r, s.enter(ctx, r)
}

func mayShare(share float64) error {
	if !(share > 0) || share > 1000 {
		return farm.Refusef("a share of %v: expected more than 0, 1000 at most", share)
	}
	return nil
}

func mayPriority(who roster.Key, p float64) error {
	switch {
	case p != math.Trunc(p) || math.Abs(p) > mostPriority || math.IsNaN(p):
		return farm.Refusef("a priority of %v: expected a whole number from %d to %d", p, -mostPriority, mostPriority)
	case math.Abs(p) > ownPriority && !who.May(roster.Run):
		return who.Deny("set a priority of %v: from %d to %d", p, -ownPriority, ownPriority)
	}
	return nil
}

// Is returns nil if a test is in one of the given states, and otherwise a rejection.
func Is(r *Test, states ...farm.State) error {
	if slices.Contains(states, r.State) {
		return nil
	}
	return farm.Refusef("test %s is %s", r.Name, r.State)
}

// Anybody allows every key.
func Anybody(roster.Key, *Test) error { return nil }

// MayApprove returns nil if a key may approve a test, and a rejection otherwise. The key needs the right "approve"
// and must belong to another owner than the test.
func MayApprove(who roster.Key, r *Test) error {
	switch {
	case !who.May(roster.Approve):
		return who.Deny("approve tests")
	case r.Owner == who.Owner || r.By == who.Name:
		return who.Deny("approve this test, because its owner is %s, too; a key of another owner may", r.Owner)
	}
	return nil
}

// MayReject returns nil if a key may reject a test, and a rejection otherwise.
func MayReject(who roster.Key, _ *Test) error {
	if !who.May(roster.Approve) {
		return who.Deny("reject tests")
	}
	return nil
}

// MayControl returns a check that accepts the owner of a test, and keys with the right "run". what names the action
// in the rejection.
func MayControl(what string) func(roster.Key, *Test) error {
	return func(who roster.Key, r *Test) error {
		if r.Owner == who.Owner && who.May(roster.Submit) || who.May(roster.Run) {
			return nil
		}
		return who.Deny("%s a test of %s", what, r.Owner)
	}
}

// TurnTo returns an action that sets the state of a test.
func (s *Tests) TurnTo(state farm.State) func(context.Context, roster.Key, *Test, *farm.Order) error {
	return func(ctx context.Context, who roster.Key, r *Test, o *farm.Order) error {
		return s.Turn(ctx, r, state, who.Name, o.Why)
	}
}

// Reject stops a test that waits.
func (s *Tests) Reject(ctx context.Context, who roster.Key, r *Test, o *farm.Order) error {
	return s.Turn(ctx, r, farm.Stopped, who.Name, "rejected"+farm.Because(o.Why))
}

// Resume resumes a paused test, or a test that was stopped after it had run. It also allows grants of the
// pairs that were given up because they crashed engines.
func (s *Tests) Resume(ctx context.Context, who roster.Key, r *Test, o *farm.Order) error {
	if r.State != farm.Stopped || !r.Granted {
		if err := Is(r, farm.Paused); err != nil {
			return err
		}
	}
	given := r.Condemned
	r.Condemned = nil
	if err := s.Turn(ctx, r, farm.Running, who.Name, o.Why); err != nil {
		r.Condemned = given
		return err
	}
	r.Ledger.Forgive(time.Now())
	r.Tune.Forgive()
	return nil
}

// Priority sets the priority of a test.
func (s *Tests) Priority(ctx context.Context, who roster.Key, r *Test, o *farm.Order) error {
	if err := mayPriority(who, o.Number); err != nil {
		return err
	}
	return s.Set(ctx, who.Name, r, fmt.Sprintf("priority %v", o.Number), func() { r.Priority = int(o.Number) })
}

// Share sets the share of a test.
func (s *Tests) Share(ctx context.Context, who roster.Key, r *Test, o *farm.Order) error {
	if !who.May(roster.Run) {
		return who.Deny("set shares")
	}
	if err := mayShare(o.Number); err != nil {
		return err
	}
	return s.Set(ctx, who.Name, r, fmt.Sprintf("share %v", o.Number), func() { r.Share = o.Number })
}

// Set calls change, which changes the record of a test. Then it adds the line what to the test's log, and stores
// both. by is the name of the user's key. After an error nothing has changed.
func (s *Tests) Set(ctx context.Context, by string, r *Test, what string, change func()) error {
	before := r.Record
	change()
	r.AddLine(time.Now(), by, what)
	if err := s.Keep(ctx, r); err != nil {
		r.Record = before
		return err
	}
	s.Changed(r)
	return nil
}

// mostPriority is the highest priority. Keys without the right "run" may use priorities up to ownPriority.
const (
	mostPriority = 10
	ownPriority  = 2
)
