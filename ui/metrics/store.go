package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gogi/ensemble/voting"
	"gogi/match"
	"gogi/runner/series"
)

// Store is the store that a series plays into, with an eye on what is put there.
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

// Add stores a pair, and counts what it shows if it was not stored before.
func (w watchedStore) Add(ctx context.Context, p match.PairResult) (added bool, err error) {
	return w.add(p, func() (bool, error) { return w.TuneStore.Add(ctx, p) })
}

// AddStates is Add for a pair of a tune.
func (w watchedStore) AddStates(ctx context.Context, p match.PairResult, states []match.TuneState) (added bool, err error) {
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

// stored counts what the games of a pair show.
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
		r.sawPlies(len(p.Games[i].Record.Moves))
	}
	for at, n := range votes {
		r.votes[at] += n
	}
}

// countVotes adds the ballots of a decision, if it is a council's.
func countVotes(votes map[[3]string]int, detail []byte) {
	if len(detail) == 0 {
		return
	}
	record, err := voting.ParseRecord(detail)
	if err != nil {
		return // the move of a player that keeps something else
	}
	for i := range record.Ballots {
		b := &record.Ballots[i]
		votes[[3]string{record.Council, record.Members[b.Member], result(b, record.Played)}]++
	}
}

// result is what became of a ballot.
func result(b *voting.BallotRecord, played string) string {
	said := ""
	switch b.Kind {
	case voting.KindMove:
		said = b.Move
	case voting.KindResign:
		said = "resign"
	case voting.KindWin:
		said = "win"
	case voting.KindIllegal, voting.KindNone, voting.KindLate, voting.KindDead:
		return "absent"
	}
	if said == played {
		return "agreed"
	}
	return "overruled"
}
