package tests

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
)

// A Provisional is the stored part of a verdict that is not final. The verdict uses pairs of workers that the farm
// does not trust, and audits have not yet confirmed a sample of these pairs.
type Provisional struct {
	End  int      `cbor:"end"`  // the verdict uses the pairs below End
	By   []string `cbor:"by"`   // the workers and keys whose pairs these are
	Text string   `cbor:"text"` // why the verdict is not final, and what to do
}

// Why returns why the verdict is not final, or "" for nil.
func (p *Provisional) Why() string {
	if p == nil {
		return ""
	}
	return cmp.Or(p.Text, "the audits of its pairs are being chosen")
}

// MustProve reports whether audits must confirm a sample of a worker's pairs. This is so if the farm does not trust
// the worker, or if the test's log accuses it.
func (s *Tests) MustProve(r *Test, name string) bool {
	return !s.config.Roster.Trusted(name) || slices.Contains(r.Logged, name)
}

// Doubt makes the pairs of a worker in a test void at the next tick, if the test has an SPRT and its verdict is not
// final. If the test is stopped, the pairs become void when it runs again. why is what an audit has found. The worker
// may be honest: its engines may have kept data of earlier pairs.
func Doubt(ctx context.Context, s *Tests, r *Test, worker, why string) {
	why += fmt.Sprintf(". The engines of %s may have kept data of earlier pairs, so the audit accuses no worker", worker)
	all := map[string]string{worker: why}
	maps.Copy(all, r.Doubted)
	r.Doubted, s.VoidDue = all, true
	if r.WasDoubted(worker) { // earlier pairs of the worker, which are void
		entries.Warn(s.config.Log, s.Keep(ctx, r), "the doubt about a worker's pairs was not stored", "run", r.Name)
	}
	s.LogOnce(ctx, time.Now(), r, doubted+worker, why)
}

// ClearDoubt ends the doubt about a worker's pairs of a test after they have become void. After an error the doubt
// stays.
func ClearDoubt(ctx context.Context, s *Tests, r *Test, worker string) error {
	if r.Doubted[worker] == "" {
		return nil
	}

	before := r.Record
	r.Doubted = maps.Clone(r.Doubted)
	delete(r.Doubted, worker)
	err := s.Keep(ctx, r)
	if err != nil {
		r.Record = before
	}
	return err
}

// VoidReason returns why the pairs of a worker in a test must become void, or "": the worker is in quarantine, or
// audits have contradicted its pairs, see Doubt.
func VoidReason(s *Tests, r *Test, worker string) string {
	if w := s.config.Roster.Workers[worker]; w != nil && w.Quarantine != "" {
		return w.Quarantine
	}
	return r.Doubted[worker]
}

// doubted begins the subject of the log's line about a worker's doubted pairs.
const doubted = "doubted "

// WasDoubted reports whether audits have contradicted pairs of a worker or key that it played with engines that may
// have kept data of earlier pairs.
func (r *Test) WasDoubted(worker string) bool { return slices.Contains(r.Logged, doubted+worker) }

// Mark stores text, the reason why a verdict is provisional, in the games' database and in the test's record. An
// empty text makes the verdict final. If the store lacks pairs of the verdict, it withdraws the verdict instead. After
// an error nothing has changed in the record.
func (s *Tests) Mark(ctx context.Context, now time.Time, r *Test, text string) error {
	if text != "" && text == r.Provisional.Text {
		return nil
	}
	err := s.Open(ctx, r, now)
	if err == nil && text == "" && r.Decided() == "" {
		err := Withdraw(ctx, s, r, "farm", fmt.Sprintf("the verdict %s is withdrawn, because pairs of it are void", r.Verdict))
		entries.Warn(s.config.Log, err, "a verdict was not withdrawn", "run", r.Name)
		return err
	}
	if err == nil {
		err = r.Store.SetProvisional(ctx, text)
	}
	before := r.Record
	if text == "" {
		r.Provisional = nil
		r.AddLine(now, "farm", "the verdict "+r.Verdict+" is final")
	} else {
		p := *r.Provisional
		p.Text = text
		r.Provisional = &p
	}
	if err == nil {
		err = s.Keep(ctx, r)
	}
	if err != nil {
		r.Record = before
		entries.Warn(s.config.Log, err, "the state of a provisional verdict was not stored", "run", r.Name)
	}
	return err
}

// Withdraw withdraws the verdict of a test that lacks pairs. A test that has ended runs again. by is the name of the
// user's key or "farm", and why the reason.
func Withdraw(ctx context.Context, s *Tests, r *Test, by, why string) error {
	state := r.State
	if state == farm.Over {
		state = farm.Running
	}
	return s.Turn(ctx, r, state, by, why)
}

// provisional decides whether the verdict of a run that ends now is final. It returns nil if it is final, and
// otherwise the reason to store. In a farm without audits every verdict is final.
func provisional(s *Tests, r *Test) *Provisional {
	if r.Gate == nil || s.config.Exact == nil {
		return nil
	}
	p := &Provisional{End: r.Gate.State().Judgement.Units}
	seen := map[string]bool{"": true}
	prove := false
	for _, name := range r.PlayedBy.Between(0, p.End) {
		if !seen[name] {
			seen[name] = true
			p.By = append(p.By, name)
			void := VoidReason(s, r, name) != ""
			prove = prove || void || s.MustProve(r, name)
			s.VoidDue = s.VoidDue || void
		}
	}
	if !prove {
		return nil
	}
	return p
}
