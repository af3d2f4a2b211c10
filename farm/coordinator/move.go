package coordinator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gogi/farm"
	"gogi/match"
)

// pairs is a Store that can give back what it has stored, as results can.
type pairs interface {
	Pair(ctx context.Context, id int) (match.PairResult, error)
	// Voids are the playings of these pairs that were taken out.
	Voids(ctx context.Context, ids []int) ([]farm.Void, error)
	// Sum is the SHA-256 (hex) of the pairs from a number to below another one, as a stable
	// dump has them, and how many of them are stored.
	Sum(ctx context.Context, from, below int) (sum string, stored int, err error)
}

// The bounds of an answer to pull, and of what push may bring: a message's, less what is
// around the pairs.
const (
	movedBytes = farm.MaxBody / 2
	movedPairs = 256
)

// pull gives the stored pairs of a test from a number on, as many as fit.
func (c *Coordinator) pull(ctx context.Context, _ asker, body []byte) (any, error) {
	var o farm.Pull
	if err := farm.Decode(body, &o); err != nil {
		return nil, refuse(exitRefused, "%v", err)
	}
	if len(o.Have) > farm.MaxSpans {
		return nil, refuse(exitRefused, "%d spans of pairs that are there already: expected at most %d", len(o.Have), farm.MaxSpans)
	}
	var page []int
	var voided []int
	out := farm.Pulled{Next: max(o.From, 0)}
	give, err := c.giving(ctx, o.Run, func(r *run) {
		out.Test, out.Plan = r.status(), r.Plan
		for have := o.Have; out.Next < r.plan.Pairs && len(page) < movedPairs; out.Next++ {
			for len(have) > 0 && have[0].Last < out.Next {
				have = have[1:]
			}
			if r.ledger.IsStored(out.Next) && (len(have) == 0 || out.Next < have[0].First) {
				page = append(page, out.Next)
			}
			if r.ledger.Take(out.Next) > 0 {
				voided = append(voided, out.Next)
			}
		}
		out.More = out.Next < r.plan.Pairs
	})
	if err != nil {
		return nil, err
	}
	states, err := statesOf(ctx, give)
	if err != nil {
		return nil, err
	}
	size := 0
	for _, id := range page {
		text, err := encoded(ctx, give, id)
		if err != nil {
			return nil, err
		}
		if size += len(text); size > movedBytes && len(out.Pairs) > 0 {
			out.Next, out.More = id, true
			break
		}
		out.Pairs = append(out.Pairs, text)
	}
	for _, st := range states {
		if st.Pairs > o.From && st.Pairs <= out.Next {
			out.States = append(out.States, st)
		}
	}
	if len(voided) > 0 {
		out.Voids, err = give.Voids(ctx, slices.DeleteFunc(voided, func(id int) bool { return id >= out.Next }))
	}
	return out, err
}

// giving is the store of a test, which can give back, after see was shown the test.
func (c *Coordinator) giving(ctx context.Context, name string, see func(*run)) (pairs, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.find(name)
	if r == nil {
		return nil, refuse(exitRefused, "there is no test %q", name)
	}
	if err := c.open(ctx, r, time.Now()); err != nil {
		return nil, err
	}
	give, ok := r.store.(pairs)
	if !ok {
		return nil, refuse(exitRefused, "the stores of this farm give nothing back")
	}
	see(r)
	return give, nil
}

func encoded(ctx context.Context, give pairs, id int) ([]byte, error) {
	p, err := give.Pair(ctx, id)
	if err != nil {
		return nil, err
	}
	return match.EncodePair(p)
}

// sum tells what pairs of a test are, in short, for whoever has a copy.
func (c *Coordinator) sum(ctx context.Context, _ asker, body []byte) (any, error) {
	var o farm.SumOf
	if err := farm.Decode(body, &o); err != nil {
		return nil, refuse(exitRefused, "%v", err)
	}
	if o.From < 0 || o.Below <= o.From || o.Below-o.From > farm.MaxSummed {
		return nil, refuse(exitRefused, "pairs from %d to below %d: expected 1 to %d of them", o.From, o.Below, farm.MaxSummed)
	}
	give, err := c.giving(ctx, o.Run, func(*run) {})
	if err != nil {
		return nil, err
	}
	var out farm.Sum
	out.SHA256, out.Pairs, err = give.Sum(ctx, o.From, o.Below)
	return out, err
}

// statesOf are the states of a run that is a tune.
func statesOf(ctx context.Context, s pairs) ([]match.TuneState, error) {
	if t, ok := s.(TuneStore); ok {
		return t.States(ctx)
	}
	return nil, nil
}

// push stores pairs that were played elsewhere, on the word of whoever brings them: his
// own test, or any where he may run all. They are verified as results are, and carry his
// key's name; only an admin, who moves a farm, is believed who else has played them.
func (c *Coordinator) push(ctx context.Context, who asker, body []byte) (any, error) {
	var o farm.Push
	if err := farm.Decode(body, &o); err != nil {
		return nil, refuse(exitRefused, "%v", err)
	}
	c.mu.Lock()
	r, err := c.pushable(who, o.Run)
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	played, err := c.brought(who, r.plan, o.Pairs) // which takes its time, and nobody waits for it
	if err != nil {
		return nil, err
	}
	c.judging.Lock() // as what comes through the stream: one after the other
	defer c.judging.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, err = c.pushable(who, r.digest); err != nil { // it may be another's by now
		return nil, err
	}
	if err := c.open(ctx, r, time.Now()); err != nil {
		return nil, err
	}
	return c.take(ctx, who, r, played)
}

// pushable is a test that somebody may push pairs into. mu is held.
func (c *Coordinator) pushable(who asker, name string) (*run, error) {
	r := c.find(name)
	if r == nil {
		return nil, refuse(exitRefused, "there is no test %q", name)
	}
	if err := own(who, r, "push pairs into"); err != nil {
		return nil, err
	}
	return r, is(r, farm.Approved, farm.Running, farm.Paused, farm.Stopped, farm.Over)
}

// brought are pairs of a plan that somebody brings, read and verified: one that cannot have
// been played refuses them all.
func (c *Coordinator) brought(who asker, plan *match.Plan, texts [][]byte) ([]match.PairResult, error) {
	played := make([]match.PairResult, len(texts))
	for i := range texts {
		var err error
		if played[i], err = match.DecodePair(texts[i], farm.MaxPair); err == nil {
			err = c.verifies(plan, &played[i])
		}
		if err != nil {
			return nil, refuse(exitRefused, "a pair that was brought cannot have been played: %v", err)
		}
		if p := &played[i].Played; p.Worker == "" || !who.may(rightAdmin) {
			*p = match.Provenance{Worker: who.Name, Owner: who.Owner, Scale: p.Scale}
		}
	}
	return played, nil
}

// take stores what is not stored yet. mu is held.
func (c *Coordinator) take(ctx context.Context, who asker, r *run, played []match.PairResult) (any, error) {
	var out farm.Pushed
	for i := range played {
		id := played[i].Pair.ID
		switch {
		case id >= r.plan.Pairs: // the run that was brought went on beyond the test
			continue
		case r.ledger.IsStored(id):
			out.There++
			continue
		}
		if err := r.tune.brought(r.plan, &played[i]); err != nil {
			return nil, refuse(exitRefused, "%v; of those before it %d were new", err, out.Added)
		}
		added, err := r.add(ctx, played[i], r.ledger.Take(id), r.tune != nil)
		if err != nil {
			return nil, c.fail(fmt.Errorf("coordinator: storing: %w", err))
		}
		if !added {
			out.There++
			continue
		}
		out.Added++
		c.counted(ctx, time.Now(), r, &played[i])
	}
	if out.Added == 0 {
		return out, nil
	}
	return out, c.set(ctx, who, r, fmt.Sprintf("%d pairs pushed", out.Added), func() {})
}
