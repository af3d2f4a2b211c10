package farmverbs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"gogi/farm"
	"gogi/internal/format"
	"gogi/internal/verb"
	"gogi/match"
	"gogi/recount"
	"gogi/results"
)

// PullCommand brings a test's pairs into a database here.
type PullCommand struct {
	owner
	Test string `arg:"" name:"test" help:"Its name, or its plan's digest."`
	DB   string `name:"db" default:"gogi.db" placeholder:"FILE" help:"The database, in which gogi match goes on with it."`
}

// Run brings what is not there yet.
func (c *PullCommand) Run(ctx context.Context, env *verb.Env) error {
	got, err := c.pull(ctx, c.Test, c.DB)
	if err != nil {
		return err
	}
	if c.JSON {
		return format.JSON(env.Out, got)
	}
	fmt.Fprintf(env.Out, "%s: %s into %s, which has %d of %d now\n", got.Run, format.NumberOf(got.Added, "pair"), c.DB, got.Stored, got.Pairs)
	if next := got.next(c.DB); next != "" {
		fmt.Fprintln(env.Out, next)
	}
	return nil
}

// moved is what a pull or a push has done.
type moved struct {
	Run    string `json:"run"`
	Added  int    `json:"added"`
	Stored int    `json:"stored"` // there, then
	Pairs  int    `json:"pairs"`  // planned
	Tuned  bool   `json:"tune"`
}

// pull copies a test's pairs into a database.
func (o *owner) pull(ctx context.Context, test, db string) (out moved, err error) {
	err = o.with(func(t farm.Transport, name string) (err error) {
		store, err := results.Open(ctx, db)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		out, err = pullInto(ctx, store, func(from int, page *farm.Pulled) error {
			return request(ctx, t, name, "pull", farm.Pull{Run: test, From: from}, page)
		})
		return err
	})
	return out, err
}

// pairLimit bounds what a pair takes when it is unpacked.
const pairLimit = 16 << 20

// pulling is a pull at work.
type pulling struct {
	out    moved
	run    *results.Run
	there  map[int]bool // pairs that are in the database
	prefix int          // of them without a gap
	states map[int]match.TuneState
	owed   []match.TuneState // of a tune, and not in the database yet
}

func pullInto(ctx context.Context, store *results.Store, next func(from int, page *farm.Pulled) error) (_ moved, err error) {
	p := &pulling{}
	defer func() {
		if p.run != nil {
			err = errors.Join(err, p.run.Close())
		}
	}()
	for page := (farm.Pulled{More: true}); page.More; {
		from := page.Next
		page = farm.Pulled{}
		if err := next(from, &page); err != nil {
			return p.out, err
		}
		if p.run == nil {
			if err := p.begin(ctx, store, page.Plan); err != nil {
				return p.out, err
			}
		}
		if err := p.take(ctx, &page); err != nil {
			return p.out, err
		}
	}
	p.out.Stored = len(p.there)
	return p.out, nil
}

// begin opens the run in the database.
func (p *pulling) begin(ctx context.Context, store *results.Store, text []byte) error {
	plan, err := match.DecodePlan(text)
	if err != nil {
		return err
	}
	if p.run, err = store.Begin(ctx, plan); err != nil {
		return err
	}
	p.out = moved{Run: plan.Run, Pairs: plan.Pairs, Tuned: plan.Tune != ""}
	if p.there, err = p.run.Finished(ctx); err != nil {
		return err
	}
	states, err := p.run.States(ctx)
	p.states = map[int]match.TuneState{}
	for _, s := range states {
		p.states[s.Blocks] = s
	}
	p.advance()
	return err
}

func (p *pulling) advance() {
	for p.there[p.prefix] {
		p.prefix++
	}
}

// take stores a page. A tune's states are stored with the pair after which nothing that
// they rest on is missing.
func (p *pulling) take(ctx context.Context, page *farm.Pulled) error {
	for _, s := range page.States {
		have, ok := p.states[s.Blocks]
		if ok && !reflect.DeepEqual(have, s) {
			return fmt.Errorf("the farm's tune has gone back since it was pulled (the state after %d blocks is another one): pull it into another database", s.Blocks)
		}
		if !ok {
			p.owed = append(p.owed, s)
		}
	}
	for _, text := range page.Pairs {
		r, err := match.DecodePair(text, pairLimit)
		if err != nil {
			return err
		}
		if p.there[r.Pair.ID] {
			continue
		}
		p.there[r.Pair.ID] = true
		p.advance()
		whole := 0
		for whole < len(p.owed) && p.owed[whole].Pairs <= p.prefix {
			whole++
		}
		added, err := p.run.AddStates(ctx, r, p.owed[:whole])
		if err != nil {
			return err
		}
		if p.owed = p.owed[whole:]; added {
			p.out.Added++
		}
	}
	return nil
}

// PushCommand brings a run's pairs to the farm.
type PushCommand struct {
	owner
	verb.Stored
}

// Run brings what the farm does not have. The farm verifies every pair.
func (c *PushCommand) Run(ctx context.Context, env *verb.Env) error {
	var out moved
	err := c.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		return c.with(func(t farm.Transport, name string) (err error) {
			out, err = push(ctx, store, info, func(some [][]byte) (done farm.Pushed, err error) {
				err = request(ctx, t, name, "push", farm.Push{Run: info.Digest, Pairs: some}, &done)
				return done, err
			})
			return err
		})
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return format.JSON(env.Out, out)
	}
	fmt.Fprintf(env.Out, "%s: %s of %d here were new to the farm\n", out.Run, format.NumberOf(out.Added, "pair"), out.Stored)
	return nil
}

// pushBytes is how much one message brings, if not one pair is longer.
const pushBytes = farm.MaxBody / 2

func push(ctx context.Context, store *results.Store, info *results.RunInfo, send func([][]byte) (farm.Pushed, error)) (moved, error) {
	out := moved{Run: info.Name, Pairs: info.Pairs}
	var some [][]byte
	size := 0
	flush := func() error {
		if len(some) == 0 {
			return nil
		}
		done, err := send(some)
		out.Added += done.Added
		some, size = nil, 0
		return err
	}
	err := store.Pairs(ctx, info.ID, results.Filter{}, func(rows []match.Row) error {
		out.Stored++
		p, err := store.Pair(ctx, info.ID, rows[0].Pair)
		if err != nil {
			return err
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

// VerifyCommand pulls a test and plays all of its moves again.
type VerifyCommand struct {
	owner
	Test string `arg:"" name:"test" help:"Its name, or its plan's digest."`
}

// Help is what the verb's --help says below its flags' summary.
func (*VerifyCommand) Help() string {
	return `The pairs are pulled into a database of their own, which is removed, and looked at as gogi
verify does: by this program, on this machine, not by the coordinator.

Exit codes: 0 nothing differs, 12 something does, 4 refused, 6 the farm is away, 1 else.`
}

// Run prints what was found.
func (c *VerifyCommand) Run(ctx context.Context, env *verb.Env) (err error) {
	dir, err := os.MkdirTemp("", "gogi-verify-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db := filepath.Join(dir, "pulled.db")
	got, err := c.pull(ctx, c.Test, db)
	if err != nil {
		return err
	}
	return (&verb.Stored{Name: got.Run, DB: db}).With(ctx, func(store *results.Store, info *results.RunInfo) error {
		found, err := recount.Run(ctx, store, info, verb.Percent(env.Err, c.JSON))
		if err != nil {
			return err
		}
		if c.JSON {
			err = recount.JSON(env.Out, found)
		} else {
			recount.Text(env.Out, found)
		}
		if err == nil && !found.Same() {
			err = &verb.Exit{Code: verb.Differs, Err: fmt.Errorf("run %s is not what the farm says", found.Run)}
		}
		return err
	})
}
