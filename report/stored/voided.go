package stored

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gogi/internal/format"
	"gogi/match"
	"gogi/match/gate"
	"gogi/report"
	"gogi/results"
	"gogi/stats"
)

// maxBody is the largest unpacked size of one voided pair.
const maxBody = 64 << 20

// voidings returns the voidings of a run, oldest first. Each has the state of the run's sequential test before and
// after the voiding.
func voidings(ctx context.Context, store *results.Store, info *results.RunInfo,
	r report.Registration) ([]report.Voiding, error) {
	taken, err := store.Voided(ctx, info.ID)
	if err != nil || len(taken) == 0 {
		return nil, err
	}
	list := together(taken)
	if r.Design.IsZero() {
		return list, nil
	}
	plays, err := everyPlay(ctx, store, info, taken)
	if err != nil {
		return nil, err
	}
	for i := range list {
		v := &list[i]
		if v.Before, err = tested(r, plays, v.At.Add(-time.Microsecond)); err != nil {
			return nil, err
		}
		if v.After, err = tested(r, plays, v.At); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// together joins the pairs that a user voided together into one Voiding.
func together(taken []results.Voided) []report.Voiding {
	var list []report.Voiding
	for _, t := range taken {
		i := slices.IndexFunc(list, func(v report.Voiding) bool { return v.At.Equal(t.At) && v.Why == t.Why && v.By == t.By })
		if i < 0 {
			i = len(list)
			list = append(list, report.Voiding{At: t.At, Why: t.Why, By: t.By})
		}
		list[i].Pairs = append(list[i].Pairs, t.Pair)
	}
	slices.SortStableFunc(list, func(a, b report.Voiding) int { return a.At.Compare(b.At) })
	return list
}

// play is one result of a pair of the run's first two players. A pair that was voided and played again has several
// results.
type play struct {
	pair         int
	stored, gone time.Time // gone is the time of the voiding. It is zero for a pair that counts.
	evidence     stats.Play
}

// everyPlay returns all results of pairs: first the voided ones in the order of voiding, then those that count.
func everyPlay(ctx context.Context, store *results.Store, info *results.RunInfo, taken []results.Voided) ([]play,
	error) {
	stored, err := results.StoredTimes(ctx, store, info.ID)
	if err != nil {
		return nil, err
	}
	canonical, err := info.ParsePlan()
	if err != nil {
		return nil, fmt.Errorf("the plan of run %s: %w", info.Name, err)
	}
	plan, err := canonical.Replayable()
	if err != nil {
		return nil, fmt.Errorf("the plan of run %s: %w", info.Name, err)
	}
	var plays []play
	for _, t := range taken {
		pair, err := match.DecodePair(t.Body, maxBody)
		if err != nil {
			return nil, fmt.Errorf("pair %d of run %s, which was voided: %w", t.Pair, info.Name, err)
		}
		if pair.Pair.Players != [2]int{0, 1} {
			continue
		}
		evidence, err := gate.OfResult(plan, pair)
		if err != nil {
			return nil, err
		}
		plays = append(plays, play{pair: t.Pair, stored: t.Stored, gone: t.At, evidence: evidence})
	}
	err = store.Pairs(ctx, info.ID, results.Filter{}, func(rows []match.Row) error {
		if rows[0].PairA == info.Players[0] && rows[0].PairB == info.Players[1] {
			plays = append(plays, play{pair: rows[0].Pair, stored: stored[rows[0].Pair], evidence: gate.OfRows(rows)})
		}
		return nil
	})
	return plays, err
}

// tested returns the state of the test at a moment, from the pairs that counted at this moment.
func tested(r report.Registration, plays []play, moment time.Time) (*report.Tested, error) {
	test, err := gate.New(r.Design, max(r.Pairs, r.Longest))
	if err != nil {
		return nil, err
	}
	seen := map[int]bool{} // if the clock was set back, two plays of one pair must not both count
	for _, p := range plays {
		if seen[p.pair] || !p.gone.IsZero() && !p.gone.After(moment) {
			continue
		}
		seen[p.pair] = true
		if p.stored.After(moment) {
			continue
		}
		if err := test.Add(p.pair, p.evidence); err != nil {
			return nil, err
		}
	}
	now := test.State().Judgement
	return &report.Tested{LLR: format.Finite(now.LLR), Pairs: now.Units, Decision: now.Decision}, nil
}
