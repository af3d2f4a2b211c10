// Package mirror copies tests between a farm and a database outside the farm. A [Replica] copies tests,
// replays every pair by the rules and compares checksums with the farm, so it reports every difference.
// [Pull] copies a test without checking it, and [Push] sends pairs to the farm.
package mirror

import (
	"cmp"
	"context"
	"fmt"
	"reflect"

	"gogi/farm"
	"gogi/match"
	"gogi/results"
)

// An Ask is a function that sends a request with a verb, such as pull, to the coordinator and decodes the
// answer into out. It returns the errors of farm.Transport.Request.
type Ask func(ctx context.Context, verb string, in, out any) error

// A Moved counts the pairs of a test that Pull, Push or a Replica has copied.
type Moved struct {
	Run    string `json:"run"`
	Added  int    `json:"added"`          // number of pairs that were new
	Voided int    `json:"voided"`         // pairs that the farm made void since the last copy
	Stored int    `json:"stored"`         // pairs that the copy has now
	Pairs  int    `json:"pairs"`          // planned pairs
	Tune   bool   `json:"tune,omitempty"` // the run is a tune
}

// Pull copies the pairs of a farm's test that the database does not have yet, and returns the test's plan.
// The run in the database gets the name of the test. If another run has that name, Pull appends a part of the
// plan hash to the name.
func Pull(ctx context.Context, store *results.Store, ask Ask, test string) (Moved, *match.Plan, error) {
	return pull(ctx, store, ask, test, func(*match.Plan, *match.PairResult) error { return nil })
}

// pull copies a test as Pull does, and calls verify with each pair. An error of verify ends the copy.
func pull(ctx context.Context, store *results.Store, ask Ask, test string,
	verify func(*match.Plan, *match.PairResult) error) (Moved, *match.Plan, error) {
	// The first request gets only the plan, which is needed to open the run and find the pairs that it has.
	var page farm.Pulled
	if err := ask(ctx, "pull", farm.Pull{Run: test, From: noPair}, &page); err != nil {
		return Moved{}, nil, err
	}
	plan, err := match.DecodePlan(page.Plan)
	if err != nil {
		return Moved{}, nil, err
	}
	if plan.Run, err = store.NameOf(ctx, plan.Run, plan.Digest()); err != nil {
		return Moved{}, nil, err
	}
	run, err := store.Begin(ctx, plan)
	if err != nil {
		return Moved{}, nil, err
	}
	c := &copying{run: run, plan: plan, verify: verify,
		out: Moved{Run: plan.Run, Pairs: plan.Pairs, Tune: plan.Tune != ""}}
	err = c.all(ctx, store, ask, test, &page.Test)
	if closed := run.Close(); err == nil {
		err = closed
	}
	return c.out, plan, err
}

// noPair is a number above all pair numbers. A Pull from this number returns no pairs.
const noPair = 1 << 40

// copying is the state of one call of pull.
type copying struct {
	run    *results.Run
	plan   *match.Plan
	verify func(*match.Plan, *match.PairResult) error
	out    Moved

	there  map[int]bool // pairs that the copy has
	prefix int          // number of stored pairs before the first gap
	// states has the stored states of a tune, by the number of blocks. owed has the states whose pairs are
	// not all stored yet.
	states map[int]match.TuneState
	owed   []match.TuneState
}

// look reads from the database which pairs and states are stored.
func (c *copying) look(ctx context.Context) (err error) {
	if c.there, err = c.run.Finished(ctx); err != nil {
		return err
	}
	states, err := c.run.States(ctx)
	c.states = map[int]match.TuneState{}
	for _, s := range states {
		c.states[s.Blocks] = s
	}
	c.prefix, c.owed = 0, nil
	c.advance()
	return err
}

func (c *copying) advance() {
	for c.there[c.prefix] {
		c.prefix++
	}
}

// owe adds the states that the copy does not have to the list owed, because their pairs must be stored first.
// states are those of one answer of the farm. A state that differs from the stored one is an error.
func (c *copying) owe(states []match.TuneState) error {
	for _, s := range states {
		have, ok := c.states[s.Blocks]
		if ok && !reflect.DeepEqual(have, s) {
			return fmt.Errorf("run %s: the stored state after %d blocks differs from the farm's: pull into another database",
				c.plan.Run, s.Blocks)
		}
		if !ok {
			c.owed = append(c.owed, s)
		}
	}
	return nil
}

// resting returns the states in the list owed whose pairs are all stored, and removes them from the list. The
// caller stores them.
func (c *copying) resting() (states []match.TuneState) {
	n := 0
	for n < len(c.owed) && c.owed[n].Pairs <= c.prefix {
		n++
	}
	states, c.owed = c.owed[:n], c.owed[n:]
	return states
}

func (c *copying) all(ctx context.Context, store *results.Store, ask Ask, test string, status *farm.TestStatus) error {
	// remark stores a remark on the verdict before the pairs, so that a reader sees no verdict without the remark. The
	// remark ends after the pairs, because pairs may become void.
	remark := func(t *farm.TestStatus) error {
		if t.Provisional == "" {
			return nil
		}
		return c.run.SetProvisional(ctx, t.Provisional)
	}
	err := c.look(ctx)
	if err == nil {
		err = remark(status)
	}
	if err != nil {
		return err
	}
	have := spans(c.there, c.plan.Pairs)
	page := farm.Pulled{More: true}
	for page.More {
		from := page.Next
		page = farm.Pulled{}
		if err := ask(ctx, "pull", farm.Pull{Run: test, From: from, Have: have}, &page); err != nil {
			return err
		}
		if err := remark(&page.Test); err != nil {
			return err
		}
		again, err := c.takeOut(ctx, store, page.Voids)
		if err != nil {
			return err
		}
		if again { // the farm may have stored other playings of the void pairs
			if err := c.look(ctx); err != nil {
				return err
			}
			have, page.Next, page.More = spans(c.there, c.plan.Pairs), from, true
			continue
		}
		if err := c.owe(page.States); err != nil {
			return err
		}
		if err := c.add(ctx, page.Pairs); err != nil {
			return err
		}
	}
	c.out.Stored = len(c.there)
	return c.run.SetProvisional(ctx, page.Test.Provisional)
}

// add stores the pairs of a page.
func (c *copying) add(ctx context.Context, texts [][]byte) error {
	for _, text := range texts {
		p, err := match.DecodePair(text, farm.MaxPair)
		if err == nil {
			err = c.verify(c.plan, &p)
		}
		if err != nil {
			return err
		}
		if c.there[p.Pair.ID] {
			continue
		}
		c.there[p.Pair.ID] = true
		c.advance()
		added, err := c.run.AddStates(ctx, p, c.resting())
		if err != nil {
			return err
		}
		if added {
			c.out.Added++
		}
	}
	return nil
}

// takeOut voids in the copy each result that the farm has voided. It processes all pairs with one reason at once,
// because each call of Void reads the run's games. some is true if the copy had any of these results.
func (c *copying) takeOut(ctx context.Context, store *results.Store, voids []farm.Void) (some bool, err error) {
	type reason struct{ why, by string }
	out := map[reason]map[int]bool{}
	for _, v := range voids {
		there, err := c.has(ctx, store, v)
		if err != nil {
			return some, err
		}
		if !there {
			continue
		}
		r := reason{cmp.Or(v.Why, "the farm has made it void"), cmp.Or(v.By, "the farm")}
		if out[r] == nil {
			out[r] = map[int]bool{}
		}
		out[r][v.Pair] = true
	}
	for r, pairs := range out {
		gone, err := c.run.Void(ctx, r.why, r.by, func(g match.Row) bool { return pairs[g.Pair] })
		if err != nil {
			return some, err
		}
		c.out.Voided, some = c.out.Voided+len(gone), true
	}
	return some, nil
}

// has reports whether the database has the result of a pair that the farm has made void.
func (c *copying) has(ctx context.Context, store *results.Store, v farm.Void) (bool, error) {
	if !c.there[v.Pair] {
		return false, nil
	}
	p, err := store.Pair(ctx, c.run.ID(), v.Pair)
	if err != nil {
		return false, err
	}
	same := p.Played.Worker == v.Worker && p.Played.Epoch == v.Epoch && len(p.Games) > 0 &&
		p.Games[0].Started.Equal(v.Started)
	return same, nil
}

// spans returns the numbers of a set that are below n, as at most farm.MaxSpans spans. If the set needs more
// spans, the farm sends the pairs beyond the last span again, and add skips them.
func spans(set map[int]bool, n int) (list []farm.Span) {
	for id := 0; id < n; id++ {
		if !set[id] {
			continue
		}
		if last := len(list) - 1; last >= 0 && list[last].Last == id-1 {
			list[last].Last = id
			continue
		}
		if len(list) == farm.MaxSpans {
			break
		}
		list = append(list, farm.Span{First: id, Last: id})
	}
	return list
}

// pushBytes is the maximum size of a message of Push. Only a message with a single longer pair is larger.
const pushBytes = farm.MaxBody / 2

// Push sends a run's pairs to the farm's test of the same plan. The farm verifies them.
func Push(ctx context.Context, store *results.Store, info *results.RunInfo, ask Ask) (Moved, error) {
	out := Moved{Run: info.Name, Pairs: info.Pairs}
	var some [][]byte
	size := 0
	flush := func() error {
		if len(some) == 0 {
			return nil
		}
		var done farm.Pushed
		err := ask(ctx, "push", farm.Push{Run: info.Digest, Pairs: some}, &done)
		out.Added += done.Added
		some, size = nil, 0
		return err
	}
	err := store.Pairs(ctx, info.ID, results.Filter{}, func(rows []match.Row) error {
		out.Stored++
		p, err := store.Pair(ctx, info.ID, rows[0].Pair)
		if err != nil {
			return fmt.Errorf("pair %d: %w", rows[0].Pair, err)
		}
		text, err := match.EncodePair(p)
		if err != nil {
			return err
		}
		if size+len(text) > pushBytes {
			if err := flush(); err != nil {
				return err
			}
		}
		some, size = append(some, text), size+len(text)
		return nil
	})
	if err == nil {
		err = flush()
	}
	return out, err
}
