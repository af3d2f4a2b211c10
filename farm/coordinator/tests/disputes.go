package tests

import (
	"context"
	"slices"
	"time"
)

// A Dispute is a pair that became void because a second worker got another result and no third worker decided.
type Dispute struct {
	Pair    int       `cbor:"pair"`
	Worker  string    `cbor:"worker"` // the worker that played the pair
	Owner   string    `cbor:"owner"`  // the owner of that worker
	By      string    `cbor:"by"`     // the worker that got another result
	ByOwner string    `cbor:"by_owner"`
	Proved  bool      `cbor:"proved"` // By is trusted, and got its result twice
	At      time.Time `cbor:"at"`     // when the pair became void
}

const (
	// DisputeKept is the time for which a dispute has consequences for its worker.
	DisputeKept = 7 * 24 * time.Hour
	// maxDisputes limits the stored disputes of a test. The latest ones are stored.
	maxDisputes = 256
)

// Recent reports whether a dispute still has consequences for its worker.
func (d *Dispute) Recent(now time.Time) bool { return now.Sub(d.At) < DisputeKept }

// InDispute reports whether a pair became void because of a dispute.
func (r *Test) InDispute(pair int) bool {
	return slices.ContainsFunc(r.Disputes, func(d Dispute) bool { return d.Pair == pair })
}

// apart reports whether a worker gets no lease of a pair, because a result of the worker for the pair was disputed, or
// one of an untrusted worker of the same owner. It could play the same game again.
func apart(s *Tests, now time.Time, r *Test, worker string, pair int) bool {
	return slices.ContainsFunc(r.Disputes, func(d Dispute) bool {
		return d.Pair == pair && d.Recent(now) &&
			(d.Worker == worker || d.Owner == s.config.Roster.OwnerOf(worker) && !s.config.Roster.Trusted(worker))
	})
}

// AddDisputes adds disputes to the record of a test before their pairs become void. A dispute about the same pair of
// the same worker replaces the earlier one.
func AddDisputes(ctx context.Context, s *Tests, r *Test, disputes []Dispute) error {
	if len(disputes) == 0 {
		return nil
	}

	before := r.Record
	all := slices.DeleteFunc(slices.Clone(r.Disputes), func(d Dispute) bool {
		return slices.ContainsFunc(disputes, func(n Dispute) bool { return n.Pair == d.Pair && n.Worker == d.Worker })
	})
	all = append(all, disputes...)
	r.Disputes = all[max(0, len(all)-maxDisputes):]
	if err := s.Keep(ctx, r); err != nil {
		r.Record = before
		return err
	}
	return nil
}

// Absolve deletes the disputes about pairs of a worker. The caller stores the test if the result is true.
func (r *Test) Absolve(worker string) (changed bool) {
	return r.deleteDisputes(func(d Dispute) bool { return d.Worker == worker })
}

// Retract deletes the disputes that results of a worker in quarantine have caused. The caller stores the test if the
// result is true.
func (r *Test) Retract(worker string) (changed bool) {
	return r.deleteDisputes(func(d Dispute) bool { return d.By == worker })
}

func (r *Test) deleteDisputes(which func(Dispute) bool) (changed bool) {
	before := len(r.Disputes)
	r.Disputes = slices.DeleteFunc(r.Disputes, which)
	return len(r.Disputes) < before
}
