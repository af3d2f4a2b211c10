package series

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/shogi"
)

// TestReturnedPairsComeAgain: if the lease of a pair is revoked, the pair goes to a slot that waits.
func TestReturnedPairsComeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := shogi.StartPos()
		w, err := newWaiting(&match.Plan{
			Design:  match.Design{Kind: match.DesignSwiss, Swap: true, Tournament: match.Tournament{MatchPairs: 1}},
			Players: []match.Player{{Name: "a"}, {Name: "b"}}, Pairs: 2,
			Openings: []match.Opening{{ID: "1", Start: "startpos", Moves: start.LegalMoves(nil)[:1]}},
		})
		testutil.OK(t, err)
		first, err := w.Next(t.Context())
		testutil.Require(t, err == nil && first.Pair.ID == 0, "%+v, %v", first.Pair, err)
		got := make(chan runner.Lease, 1)
		go func() {
			again, err := w.Next(t.Context())
			testutil.Check(t, err == nil, "%v", err)
			got <- again
		}()
		synctest.Wait()
		first.Return(runner.ErrRevoked)
		if again := <-got; !again.Pair.Equal(first.Pair) {
			t.Errorf("%+v, want %+v", again.Pair, first.Pair)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		cancel(gone)
		testutil.Is(t, testutil.Err(w.Next(ctx)), gone, "a wait whose context has ended")
		forged := match.PairResult{Pair: first.Pair}
		forged.Pair.Seed++
		testutil.Fails(t, w.learn(forged), "", "a pair that was never handed out is learnt")
	})
}
