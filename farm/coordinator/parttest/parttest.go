// Package parttest has the parts of a coordinator in memory, for their tests. [New] returns them without a bus, a
// stream and goroutines.
package parttest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/ledger"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results/farmstate"
	"gogi/shogi"
	"gogi/stats"
)

// Lease is the lifetime of a lease.
const Lease = 20 * time.Second

// Secret is the secret of the tokens.
var Secret = farm.Secret{7}

// A State is an entries.State in memory.
type State struct {
	Rows map[[2]string][]byte // by bucket and name
	Puts map[string]int       // number of changes by bucket
	Said []string             // What of all actions
	Full bool                 // every change fails
}

var errFull = errors.New("no space left on device")

// Put implements entries.State.
func (s *State) Put(_ context.Context, bucket, name string, body []byte, revision uint64,
	actions ...farmstate.Action) (uint64, error) {
	if s.Full {
		return 0, errFull
	}
	s.Rows[[2]string{bucket, name}] = body
	s.Puts[bucket]++
	return revision + 1, s.Log(context.Background(), actions...)
}

// Delete implements entries.State.
func (s *State) Delete(ctx context.Context, bucket, name string, actions ...farmstate.Action) error {
	delete(s.Rows, [2]string{bucket, name})
	return s.Log(ctx, actions...)
}

// Each implements entries.State.
func (s *State) Each(_ context.Context, bucket string, f func(name string, body []byte, revision uint64) error) error {
	for key, body := range s.Rows {
		if key[0] == bucket {
			if err := f(key[1], body, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// Log implements entries.State.
func (s *State) Log(_ context.Context, actions ...farmstate.Action) error {
	for _, a := range actions {
		s.Said = append(s.Said, a.What)
	}
	return nil
}

// Actions implements entries.State. It returns no actions.
func (s *State) Actions(context.Context, farmstate.Filter) ([]farmstate.Action, error) {
	return nil, nil
}

// Keys are the valid keys by name.
type Keys map[string]roster.Key

// Key implements roster.Keys.
func (k Keys) Key(name string) (roster.Key, bool) {
	key, ok := k[name]
	return key, ok
}

// A Store is a tests.Store in memory. Its other methods panic.
type Store struct {
	tests.Store
	mu sync.Mutex // Add has several callers at once

	Pairs map[int]match.PairResult
	Why   string // of SetProvisional
	Err   error  // of By
}

// Add implements tests.Store.
func (s *Store) Add(_ context.Context, r match.PairResult, _ int, _ ...match.TuneState) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, there := s.Pairs[r.Pair.ID]
	s.Pairs[r.Pair.ID] = r
	return !there, nil
}

// Finished implements tests.Store.
func (s *Store) Finished(context.Context) (map[int]bool, error) {
	all := map[int]bool{}
	for id := range s.Pairs {
		all[id] = true
	}
	return all, nil
}

// Takes implements tests.Store.
func (s *Store) Takes(context.Context) (map[int]int, error) { return map[int]int{}, nil }

// Rows implements tests.Store. It shows no pair.
func (s *Store) Rows(context.Context, func([]match.Row) error) error { return nil }

// Pair implements tests.Store.
func (s *Store) Pair(_ context.Context, id int) (match.PairResult, error) {
	r, ok := s.Pairs[id]
	if !ok {
		return r, fmt.Errorf("pair %d is not stored", id)
	}
	return r, nil
}

// By implements tests.Store.
func (s *Store) By(_ context.Context, which tests.Selection) (pairs []int, err error) {
	for id, p := range s.Pairs {
		if which.Has(p.Played.Worker, id) {
			pairs = append(pairs, id)
		}
	}
	slices.Sort(pairs)
	return pairs, s.Err
}

// Void implements tests.Store.
func (s *Store) Void(ctx context.Context, which tests.Selection, _, _ string) ([]int, error) {
	pairs, err := s.By(ctx, which)
	for _, id := range pairs {
		delete(s.Pairs, id)
	}
	return pairs, err
}

// SetProvisional implements tests.Store.
func (s *Store) SetProvisional(_ context.Context, why string) error {
	s.Why = why
	return nil
}

// Close implements tests.Store.
func (s *Store) Close() error { return nil }

// A Farm has the lower parts of a coordinator.
type Farm struct {
	State  *State
	Keys   Keys
	Barred map[string]string // the arguments of the latest calls of Bar
	Hints  []string          // the subjects of the published hints
	Stores map[string]*Store // by the name of the run
	Roster *roster.Roster
	Tests  *tests.Tests
	Epochs *ledger.Epochs
	Log    *slog.Logger
}

// New returns a farm with the keys of ann (red, submit), ben (blue, approve and run), and the workers red1, red2,
// blue1, blue2 and gold1 of the owners red, blue and gold.
func New() *Farm {
	f := &Farm{
		State: &State{Rows: map[[2]string][]byte{}, Puts: map[string]int{}}, Barred: map[string]string{},
		Stores: map[string]*Store{},
		Keys: Keys{
			"ann": {Name: "ann", Owner: "red", Rights: []string{roster.Submit}},
			"ben": {Name: "ben", Owner: "blue", Rights: []string{roster.Submit, roster.Approve, roster.Run}},
		},
		Epochs: ledger.NewEpochs(1), Log: slog.New(slog.DiscardHandler),
	}
	for name, owner := range map[string]string{"red1": "red", "red2": "red", "blue1": "blue", "blue2": "blue",
		"gold1": "gold"} {
		f.Keys[name] = roster.Key{Name: name, Owner: owner, Rights: []string{roster.Work}}
	}
	f.Roster = roster.New(roster.Config{
		State: f.State, Keys: f.Keys, Log: f.Log, Bar: func(worker, why string) { f.Barred[worker] = why },
	})
	f.Tests = tests.New(tests.Config{
		State: f.State, Roster: f.Roster, Epochs: f.Epochs, Lease: Lease, Log: f.Log,
		Sign:  func([]byte) ([]byte, error) { return []byte("signed"), nil },
		Exact: func(*match.Plan) bool { return true },
		Send: func(subject string, _ []byte) error {
			f.Hints = append(f.Hints, subject)
			return nil
		},
		Open: func(_ context.Context, p *match.Plan) (tests.Store, error) {
			if f.Stores[p.Run] == nil {
				f.Stores[p.Run] = &Store{Pairs: map[int]match.PairResult{}}
			}
			return f.Stores[p.Run], nil
		},
	})
	return f
}

// Join begins a session of a worker with some slots, and returns it.
func (f *Farm) Join(t *testing.T, worker string, slots int) *roster.Session {
	t.Helper()
	s, _ := f.Roster.Join(worker, f.Keys[worker].Owner,
		farm.Hello{Session: worker + "-1", Start: 1, Protocol: farm.Protocol, Slots: slots})
	f.Tests.Join(worker, s.ID)
	return s
}

// Plan returns the plan of a match whose engines resign at once. With g it has an SPRT.
func Plan(run string, pairs int, g stats.SPRT) *match.Plan {
	p := &match.Plan{
		Run: run, Pairs: pairs, Seed: 1, Design: match.Design{Kind: match.DesignMatch, Swap: true}, Concurrency: 1,
		Ponder: match.PonderOff,
		Slowed: match.PolicyCount, Rules: match.RulesProfiles()[match.DefaultRules], Gate: g,
		Openings: []match.Opening{{ID: "1", Start: "startpos", Moves: []shogi.Move{}}},
	}
	for _, engine := range []string{"dev", "base"} {
		p.Players = append(p.Players, match.Player{
			Name: engine, Command: []string{"/bin/" + engine}, Identity: match.Identity{Fixed: engine},
			Limits:  match.Limits{Nodes: 100},
			Restart: match.RestartNever,
		})
	}
	return p
}

// Submit submits a test of ann.
func (f *Farm) Submit(t *testing.T, p *match.Plan) *tests.Test {
	t.Helper()
	in := &farm.Submission{Plan: testutil.Must(match.EncodePlan(p))(t), Share: 1}
	plan := testutil.Must(match.DecodePlan(in.Plan))(t)
	return testutil.Must(f.Tests.Submit(t.Context(), f.Keys["ann"], in, plan, 0, ""))(t)
}

// Run submits a test, which runs then.
func (f *Farm) Run(t *testing.T, p *match.Plan) *tests.Test {
	t.Helper()
	r := f.Submit(t, p)
	testutil.OK(t, f.Tests.Turn(t.Context(), r, farm.Running, "ben", ""))
	return r
}
