package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
	"gogi/internal/format"
	"gogi/match"
)

// Void makes the pairs of a worker in a test void, and evaluates the remaining pairs again. by is the name of the key
// or "farm". No result may be stored at the same time.
func (s *Judge) Void(ctx context.Context, by string, r *tests.Test, o *farm.Order) (farm.Purged, error) {
	out, err := s.void(ctx, by, r, o, tests.Selection{Worker: o.Worker})
	if err == nil && !o.Dry {
		err = tests.ClearDoubt(ctx, s.config.Tests, r, o.Worker)
	}
	return out, err
}

// void is Void for a selection of the worker's pairs.
func (s *Judge) void(ctx context.Context, by string, r *tests.Test, o *farm.Order,
	which tests.Selection) (out farm.Purged, err error) {
	if err := s.config.Tests.Open(ctx, r, time.Now()); err != nil {
		return out, err
	}
	out = farm.Purged{Before: r.Decision(), After: r.Decision(), Selfplay: r.Selfplays()}
	if out.Pairs, err = r.Store.By(ctx, which); err == nil && r.Tune != nil {
		out.Drawn, err = drawn(ctx, r, o.Worker, len(out.Pairs))
	}
	if err == nil && len(out.Pairs) == 0 {
		err = s.unknown(ctx, r, o.Worker)
	}
	if o.Dry || err != nil {
		return out, err
	}
	if err := s.config.Audits.Doubt(ctx, r, out.Pairs); err != nil {
		return out, err
	}
	if out.Pairs, err = r.Store.Void(ctx, which, o.Why, by); err != nil {
		return out, s.Fail(err)
	}
	now := time.Now()
	for _, pair := range out.Pairs {
		r.Ledger.Void(now, pair)
	}
	s.config.Audits.Void(r, out.Pairs)
	what := voidedText(r, o, &out, which.Only != nil)
	if _, err := s.config.Tests.Rejudge(ctx, r); err != nil {
		r.AddLine(now, by, what)
		s.config.Tests.SetAside(ctx, r, err)
		if r.State.Final() { // otherwise SetAside has stored the record
			err = errors.Join(err, s.config.Tests.Keep(ctx, r))
		}
		return out, fmt.Errorf("coordinator: %d %ss of %s are void, and test %s is set aside: %w", len(out.Pairs), r.Word(),
			o.Worker, r.Name, err)
	}
	out.After = r.Decision()
	out.Withdrawn = r.State == farm.Over && out.Before != out.After
	switch {
	case len(out.Pairs) == 0 && (r.Decided() != "" || r.State != farm.Over && r.Provisional == nil):
		return out, nil
	case len(out.Pairs) == 0: // they became void before, and then the process ended or an error came
		what = fmt.Sprintf("pairs of %s voided%s", o.Worker, farm.Because(o.Why))
	case out.Withdrawn:
		what += fmt.Sprintf("; the verdict %s is withdrawn", out.Before)
	}
	r.Voided = what
	if r.Decided() == "" && (r.State == farm.Over || r.Provisional != nil) {
		return out, tests.Withdraw(ctx, s.config.Tests, r, by, what)
	}
	r.Limit()
	s.config.Audits.Again(r)
	return out, s.config.Tests.Set(ctx, by, r, what, func() {})
}

// unknown returns an error if the farm has no worker and no key with a name, and the test no doubt about its pairs. The
// error lists the workers whose pairs the test has.
func (s *Judge) unknown(ctx context.Context, r *tests.Test, worker string) error {
	if s.config.Roster.Workers[worker] != nil || s.config.Roster.OwnerOf(worker) != "" || r.Doubted[worker] != "" {
		return nil
	}

	played := map[string]bool{}
	err := r.Store.Rows(ctx, func(rows []match.Row) error {
		played[rows[0].Worker] = true
		return nil
	})
	if err != nil {
		return err
	}
	return farm.Refusef("%q is no worker of this farm; the pairs of %s were played by: %s", worker, r.Name,
		cmp.Or(strings.Join(slices.Sorted(maps.Keys(played)), ", "), "no worker yet"))
}

// drawn counts the pairs of other workers among all pairs that a purge of one worker removes from a tune. all is
// the number of removed pairs.
func drawn(ctx context.Context, r *tests.Test, worker string, all int) (others int, err error) {
	others = all
	err = r.Store.Rows(ctx, func(rows []match.Row) error {
		if slices.ContainsFunc(rows, func(row match.Row) bool { return row.Worker == worker }) {
			others--
		}
		return nil
	})
	return others, err
}

// voidedText returns the text about a purge for a test's log. numbers is true if it has the numbers of the pairs.
func voidedText(r *tests.Test, o *farm.Order, p *farm.Purged, numbers bool) string {
	if numbers {
		return fmt.Sprintf("%ss %v of %s voided%s", r.Word(), p.Pairs, o.Worker, farm.Because(o.Why))
	}
	others := ""
	if p.Drawn > 0 {
		others = fmt.Sprintf(", with %d of others that the tune drew after them,", p.Drawn)
	}
	return fmt.Sprintf("%s of %s%s voided%s", format.NumberOf(len(p.Pairs)-p.Drawn, r.Word()), o.Worker, others,
		farm.Because(o.Why))
}

// VoidDue makes pairs void in tests with an SPRT, unless the verdict is final: the pairs of workers for whom
// tests.VoidReason has a reason, and pairs in disputes that are settled. No result may be stored at the same time.
func (s *Judge) VoidDue(ctx context.Context) {
	s.config.Tests.VoidDue = false
	for _, r := range s.config.Tests.InOrder() {
		if r.Match.Gate.IsZero() || r.Provisional == nil && (r.Ledger == nil || r.State.Final()) {
			continue
		}
		s.voidBarred(ctx, r)
		s.voidDisputed(ctx, r)
	}
}

// voidBarred makes the pairs of workers void for whom tests.VoidReason has a reason.
func (s *Judge) voidBarred(ctx context.Context, r *tests.Test) {
	// the pairs of a doubted worker may have become void just before a crash
	names := slices.AppendSeq(slices.Clone(r.PlayedBy.Workers()), maps.Keys(r.Doubted))
	if r.Provisional != nil {
		names = append(names, r.Provisional.By...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		why := tests.VoidReason(s.config.Tests, r, name)
		if why == "" || r.State == farm.Failed {
			continue
		}
		_, err := s.Void(ctx, "farm", r, &farm.Order{Run: r.Digest, Worker: name, Why: why})
		s.config.Tests.VoidDue = s.config.Tests.VoidDue || err != nil
		entries.Warn(s.config.Log, err, "the pairs of a worker were not made void", "run", r.Name, "worker", name)
	}
}

// voidDisputed makes the pairs of settled disputes void in a test.
func (s *Judge) voidDisputed(ctx context.Context, r *tests.Test) {
	settled, err := s.config.Audits.Settled(ctx, time.Now(), r)
	for i := 0; i < len(settled) && err == nil; i++ {
		of := settled[i]
		o := &farm.Order{Run: r.Digest, Worker: of.Worker, Why: of.Why}
		_, err = s.void(ctx, "farm", r, o, tests.Selection{Worker: of.Worker, Only: append([]int{}, of.Pairs...)})
		if err == nil {
			r.Counts.Differed += len(of.Pairs)
		}
	}
	s.config.Tests.VoidDue = s.config.Tests.VoidDue || err != nil
	entries.Warn(s.config.Log, err, "pairs whose results workers dispute were not made void", "run", r.Name)
}

// AddPushed stores the pushed pairs that are not stored yet. No other result may be stored at the same time.
func (s *Judge) AddPushed(ctx context.Context, who roster.Key, r *tests.Test,
	played []match.PairResult) (out farm.Pushed, err error) {
	for i := range played {
		id := played[i].Pair.ID
		switch {
		case id >= r.Match.Pairs: // the other run has more pairs than the test
			continue
		case r.Ledger.IsStored(id):
			out.There++
			continue
		}
		if err := r.Tune.LearnPushed(r.Match, &played[i]); err != nil {
			return out, farm.Refusef("%v; of those before it %d were new", err, out.Added)
		}
		added, err := r.Add(ctx, played[i], r.Ledger.Take(id), r.Tune != nil)
		if err != nil {
			return out, s.Fail(fmt.Errorf("coordinator: storing: %w", err))
		}
		if !added {
			out.There++
			continue
		}
		out.Added++
		s.CountPair(ctx, time.Now(), r, &played[i])
	}
	if out.Added == 0 {
		return out, nil
	}
	return out, s.config.Tests.Set(ctx, who.Name, r, format.NumberOf(out.Added, "pair")+" pushed", func() {})
}

// ReadPushed decodes pushed pairs, and verifies them with verify, such as CheckBrought. If one pair is impossible, it
// rejects all pairs.
func ReadPushed(who roster.Key, plan *match.Plan, texts [][]byte,
	verify func(*match.Plan, *match.PairResult) error) ([]match.PairResult, error) {
	played := make([]match.PairResult, len(texts))
	for i := range texts {
		var err error
		if played[i], err = match.DecodePair(texts[i], farm.MaxPair); err == nil {
			err = verify(plan, &played[i])
		}
		if err != nil {
			return nil, farm.Refusef("a pushed pair is impossible: %v", err)
		}
		if p := &played[i].Played; p.Worker == "" || !who.May(roster.Admin) {
			*p = match.Provenance{Worker: who.Name, Owner: who.Owner, Scale: p.Scale}
		}
	}
	return played, nil
}
