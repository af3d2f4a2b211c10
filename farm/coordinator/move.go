package coordinator

import (
	"context"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/judge"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
	"gogi/match"
)

// These are the limits of the pairs in a reply to pull and in a push. movedBytes is half the size of a message,
// because a message also has other fields.
const (
	movedBytes = farm.MaxBody / 2
	movedPairs = 256
)

// pull returns the stored pairs of a test from a number on, as many as fit in a reply.
func (c *Coordinator) pull(ctx context.Context, _ roster.Key, o *farm.Pull) (any, error) {
	if len(o.Have) > farm.MaxSpans {
		return nil, farm.Refusef("%d spans of known pairs: expected at most %d", len(o.Have), farm.MaxSpans)
	}
	var page, voided []int
	out := farm.Pulled{Next: max(o.From, 0)}
	store, err := c.storeOf(ctx, o.Run, func(r *tests.Test) {
		out.Test, out.Plan = r.Status(), r.Plan
		for have := o.Have; out.Next < r.Match.Pairs && len(page) < movedPairs; out.Next++ {
			for len(have) > 0 && have[0].Last < out.Next {
				have = have[1:]
			}
			if r.Ledger.IsStored(out.Next) && (len(have) == 0 || out.Next < have[0].First) {
				page = append(page, out.Next)
			}
			if r.Ledger.Take(out.Next) > 0 {
				voided = append(voided, out.Next)
			}
		}
		out.More = out.Next < r.Match.Pairs
	})
	if err != nil {
		return nil, err
	}
	states, err := store.States(ctx)
	if err != nil {
		return nil, err
	}
	size := 0
	for _, id := range page {
		p, err := store.Pair(ctx, id)
		if err != nil {
			return nil, err
		}
		text, err := match.EncodePair(p)
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
		out.Voids, err = store.Voids(ctx, slices.DeleteFunc(voided, func(id int) bool { return id >= out.Next }))
	}
	return out, err
}

// storeOf opens a test and returns its store. It calls see with the test while it holds mu, so that see can read
// the test's state.
func (c *Coordinator) storeOf(ctx context.Context, name string, see func(*tests.Test)) (tests.Store, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, err := c.tests.Found(name)
	if err != nil {
		return nil, err
	}
	if err := c.tests.Open(ctx, r, time.Now()); err != nil {
		return nil, err
	}
	see(r)
	return r.Store, nil
}

// sum returns the checksum of a range of pairs. A mirror compares it with its copy.
func (c *Coordinator) sum(ctx context.Context, _ roster.Key, o *farm.SumOf) (any, error) {
	if o.From < 0 || o.Below <= o.From || o.Below-o.From > farm.MaxSummed {
		return nil, farm.Refusef("pairs from %d to below %d: expected 1 to %d of them", o.From, o.Below, farm.MaxSummed)
	}
	store, err := c.storeOf(ctx, o.Run, func(*tests.Test) {})
	if err != nil {
		return nil, err
	}
	var out farm.Sum
	out.SHA256, out.Pairs, err = store.Sum(ctx, o.From, o.Below)
	return out, err
}

// push stores pairs that were played outside the farm. The owner of the test and keys with the right "run" may
// push. The coordinator verifies the pairs like results, and stores them under the name of the key. Only an admin,
// who moves a whole farm, may name the workers that played the pairs.
func (c *Coordinator) push(ctx context.Context, who roster.Key, o *farm.Push) (any, error) {
	c.mu.Lock()
	r, err := c.pushable(who, o.Run)
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	played, err := judge.ReadPushed(who, r.Match, o.Pairs, c.verifies) // verification is slow, so no lock is held
	if err != nil {
		return nil, err
	}
	c.judging.Lock() // pushes and results of the stream are stored one after the other
	defer c.judging.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, err = c.pushable(who, r.Digest); err != nil { // the run may have changed
		return nil, err
	}
	if err := c.tests.Open(ctx, r, time.Now()); err != nil {
		return nil, err
	}
	return c.judge.AddPushed(ctx, who, r, played)
}

// pushable returns a test, or a rejection if the key may not push pairs into the test. The caller holds mu.
func (c *Coordinator) pushable(who roster.Key, name string) (*tests.Test, error) {
	r, err := c.tests.FoundForOrder(name)
	if err != nil {
		return nil, err
	}
	if err := tests.MayControl("push pairs into")(who, r); err != nil {
		return nil, err
	}
	if c.roster.Barred(who.Name) {
		return nil, farm.Refusef("%s is in quarantine: %s", who.Name, c.roster.Workers[who.Name].Quarantine)
	}
	if r.WasDoubted(who.Name) {
		return nil, farm.Refusef("audits of %s differ from the pairs that you pushed; let the workers play its pairs", r.Name)
	}
	return r, tests.Is(r, farm.Approved, farm.Running, farm.Paused, farm.Stopped, farm.Over)
}
