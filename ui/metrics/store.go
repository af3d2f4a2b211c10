package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gogi/ensemble/voting"
	"gogi/match"
	"gogi/runner/series"
)

// Store wraps s, the store of a series, so that the run counts the pairs that are stored in s.
func (r *Run) Store(s series.TuneStore) series.TuneStore {
	if r == nil {
		return s
	}
	return watchedStore{s, r, r.set.puts.WithLabelValues(text(r.about.Run))}
}

type watchedStore struct {
	series.TuneStore

	run  *Run
	took prometheus.Observer
}

// Add stores a pair, and counts it unless it was already stored.
func (w watchedStore) Add(ctx context.Context, p match.PairResult) (added bool, err error) {
	return w.add(p, func() (bool, error) { return w.TuneStore.Add(ctx, p) })
}

// AddStates does the same as Add for a pair of a tune, which is stored with states.
func (w watchedStore) AddStates(ctx context.Context, p match.PairResult, states []match.TuneState) (added bool,
	err error) {
	return w.add(p, func() (bool, error) { return w.TuneStore.AddStates(ctx, p, states) })
}

func (w watchedStore) add(p match.PairResult, put func() (bool, error)) (added bool, err error) {
	began := time.Now()
	if added, err = put(); err == nil {
		w.took.Observe(time.Since(began).Seconds())
	}
	if added {
		w.run.stored(p)
	}
	return added, err
}

// stored counts the plies and ballots of a pair.
func (r *Run) stored(p match.PairResult) {
	votes := map[[3]string]int{}
	for i := range p.Games {
		record := &p.Games[i].Record
		countVotes(votes, record.FinalVote())
		for _, m := range record.Moves {
			countVotes(votes, m.Detail)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range p.Games {
		r.addPlies(len(p.Games[i].Record.Moves))
	}
	for at, n := range votes {
		r.votes[at] += n
	}
}

// countVotes reads the record of a council's vote, and counts each of its ballots in votes. The key of votes is the
// council, the member and the result label.
func countVotes(votes map[[3]string]int, detail []byte) {
	if len(detail) == 0 {
		return
	}
	record, err := voting.ParseRecord(detail)
	if err != nil {
		return // the player is not a council
	}
	for i := range record.Ballots {
		b := &record.Ballots[i]
		votes[[3]string{record.Council, record.Members[b.Member], result(b, record.Played)}]++
	}
}

// result returns the result label of a ballot. played is the move of the council, or "resign" or "win".
func result(b *voting.BallotRecord, played string) string {
	choice := ""
	switch b.Kind {
	case voting.KindMove:
		choice = b.Move
	case voting.KindResign:
		choice = "resign"
	case voting.KindWin:
		choice = "win"
	case voting.KindIllegal, voting.KindNone, voting.KindLate, voting.KindDead:
		return "absent"
	}
	if choice == played {
		return "agreed"
	}
	return "overruled"
}
