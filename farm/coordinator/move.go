package coordinator

import (
	"context"
	"fmt"
	"time"

	"gogi/farm"
	"gogi/match"
)

// pairs is a Store that can give back what it has stored, as results can.
type pairs interface {
	Pair(ctx context.Context, id int) (match.PairResult, error)
}

// The bounds of an answer to pull, and of what push may bring: a message's, less what is
// around the pairs.
const (
	movedBytes = farm.MaxBody / 2
	movedPairs = 256
)

// pull gives the stored pairs of a test from a number on, as many as fit.
func (c *Coordinator) pull(ctx context.Context, who asker, body []byte) (any, error) {
	var o farm.Pull
	if err := farm.Decode(body, &o); err != nil {
		return nil, refuse(exitRefused, "%v", err)
	}
	c.mu.Lock()
	r := c.find(o.Run)
	if r == nil {
		c.mu.Unlock()
		return nil, refuse(exitRefused, "there is no test %q", o.Run)
	}
	err := c.open(ctx, r, time.Now())
	store, out := r.store, farm.Pulled{Test: r.status(), Plan: r.Plan}
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	give, ok := store.(pairs)
	if !ok {
		return nil, refuse(exitRefused, "the stores of this farm give nothing back")
	}
	finished, err := store.Finished(ctx)
	if err != nil {
		return nil, err
	}
	size := 0
	for id := max(o.From, 0); id < r.plan.Pairs && size < movedBytes && len(out.Pairs) < movedPairs; id++ {
		out.Next = id + 1
		if !finished[id] {
			continue
		}
		p, err := give.Pair(ctx, id)
		if err != nil {
			return nil, err
		}
		text, err := match.EncodePair(p)
		if err != nil {
			return nil, err
		}
		out.Pairs = append(out.Pairs, text)
		size += len(text)
	}
	out.More = out.Next < r.plan.Pairs
	return out, nil
}

// push stores pairs that were played elsewhere, on the word of whoever brings them: his
// own test, or any where he may run all. They are verified as results are, and carry his
// key's name; only an admin, who moves a farm, is believed who else has played them.
func (c *Coordinator) push(ctx context.Context, who asker, body []byte) (any, error) {
	var o farm.Push
	if err := farm.Decode(body, &o); err != nil {
		return nil, refuse(exitRefused, "%v", err)
	}
	c.judging.Lock() // as what comes through the stream: one after the other
	defer c.judging.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.find(o.Run)
	if r == nil {
		return nil, refuse(exitRefused, "there is no test %q", o.Run)
	}
	if err := own(who, r, "push pairs into"); err != nil {
		return nil, err
	}
	if err := is(r, farm.Approved, farm.Running, farm.Paused, farm.Stopped, farm.Over); err != nil {
		return nil, err
	}
	if err := c.open(ctx, r, time.Now()); err != nil {
		return nil, c.fail(err)
	}
	return c.take(ctx, who, r, o.Pairs)
}

// take stores what is not stored yet; a pair that cannot have been played refuses them all.
func (c *Coordinator) take(ctx context.Context, who asker, r *run, texts [][]byte) (any, error) {
	var out farm.Pushed
	played := make([]match.PairResult, len(texts))
	for i := range texts {
		var err error
		if played[i], err = match.DecodePair(texts[i], pairBytes); err == nil {
			err = verifyBrought(r.plan, &played[i])
		}
		if err != nil {
			return nil, refuse(exitRefused, "a pair that was brought cannot have been played: %v", err)
		}
		if p := &played[i].Played; p.Worker == "" || !who.may(rightAdmin) {
			*p = match.Provenance{Worker: who.Name, Owner: who.Owner}
		}
	}
	for i := range played {
		id := played[i].Pair.ID
		if r.ledger.IsStored(id) {
			out.There++
			continue
		}
		added, err := r.store.Add(ctx, played[i], r.ledger.Take(id))
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

// verifyBrought is verify for a pair that was played elsewhere, where clocks may have been
// the plan's.
func verifyBrought(plan *match.Plan, r *match.PairResult) error {
	if err := match.Verify(plan, r); err != nil {
		return err
	}
	return verifyVotes(r)
}
