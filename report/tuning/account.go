package tuning

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gogi/internal/lists"
	"gogi/match"
	"gogi/match/tune"
	"gogi/results"
)

// Account holds the stored data of a tune, and the results calculated from them. A tune is a run that
// optimises the parameters of an engine.
type Account struct {
	*tune.Walk
	Run        string
	Plan       *tune.Plan
	Stored     int        // number of stored pairs
	State      tune.State // the latest state
	Candidates []match.TuneCandidate
}

// Latest is the value of Read's parameter at that requests the latest state of a tune.
const Latest = -1

// Read reads all stored pairs of a tune, in order, and calculates all states of the tune again. A tune
// updates its parameter values after each block of pairs. The parameter at selects the state after that
// number of blocks, or Latest.
func Read(ctx context.Context, store *results.Store, info *results.RunInfo, at int) (*Account, error) {
	plan, err := PlanOf(info)
	if err != nil {
		return nil, err
	}
	states, err := results.TuneStates(ctx, store, info.ID)
	if err != nil {
		return nil, err
	}
	w, err := tune.NewWalk(plan.Settings, states, at)
	if err != nil {
		return nil, err
	}
	points := map[int][2][]match.Option{}
	err = results.TunePoints(ctx, store, info.ID, func(pair int, options [2][]match.Option) error {
		points[pair] = options
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = store.Pairs(ctx, info.ID, results.Filter{}, func(rows []match.Row) error {
		w.Pair(rows, points[rows[0].Pair])
		delete(points, rows[0].Pair)
		return nil
	})
	if err != nil {
		return nil, err
	}
	a := &Account{Run: info.Name, Plan: plan, Stored: info.Finished, State: w.End(), Walk: w}
	if a.Candidates, err = results.TuneCandidates(ctx, store, info.ID); err != nil {
		return nil, err
	}
	if at > a.State.Blocks {
		return nil, fmt.Errorf("run %s: block %d: %d of %d are learnt", info.Name, at, a.State.Blocks, plan.Settings.Blocks())
	}
	return a, nil
}

// PlanOf returns the tune's plan from a stored run.
func PlanOf(info *results.RunInfo) (*tune.Plan, error) {
	canonical, err := info.ParsePlan()
	if err != nil {
		return nil, err
	}
	if len(canonical.Tune) == 0 {
		return nil, fmt.Errorf("run %s is no tune", info.Name)
	}
	return tune.ParsePlan(string(canonical.Tune))
}

// Words returns options as one line of the form NAME=VALUE, separated by spaces.
func Words(options []match.Option) string {
	return strings.Join(lists.Map(options, func(o match.Option) string { return o.Name + "=" + o.Value }), " ")
}

// Summary returns the summary of the tune, in the state that the caller of Read requested.
func (a *Account) Summary() tune.Summary { return tune.Summarize(&a.Plan.Settings, &a.Asked) }

// Done reports whether the tune has processed the results of all blocks of pairs.
func (a *Account) Done() bool { return a.State.Blocks == a.Plan.Settings.Blocks() }

// Point returns the final values of the parameters as engine options. It uses the state that the caller of
// Read requested.
func (a *Account) Point() []match.Option {
	return a.Plan.Settings.Options(tune.Answer(&a.Plan.Settings, &a.Asked))
}

// Candidate returns the newest candidate of a tune: the parameter values that a validation match tests. plan
// is the plan of the tune. If there is no candidate yet, or if another is true, Candidate stores a new
// candidate and returns proposed = true. No validation game of a new candidate has been played yet.
func Candidate(ctx context.Context, store *results.Store, plan *match.Plan, a *Account,
	another bool) (c match.TuneCandidate, proposed bool, err error) {
	if n := len(a.Candidates); n > 0 && !another {
		return a.Candidates[n-1], false, nil
	}
	run, err := store.Begin(ctx, plan)
	if err != nil {
		return c, false, err
	}
	c, err = run.Propose(ctx, match.TuneCandidate{
		Blocks: a.Asked.Blocks, Point: a.Point(), Run: ValidationRun(a.Run, len(a.Candidates)+1),
	})
	return c, err == nil, errors.Join(err, run.Close())
}
