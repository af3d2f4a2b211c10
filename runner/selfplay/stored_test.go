package selfplay

import (
	"context"
	"maps"
	"sync"
	"testing"

	"gogi/match"
	"gogi/match/arbiter"
	"gogi/runner"
	"gogi/usi"
)

// setter is the built-in engine as a runner.Player.
type setter struct{ Player }

func (s setter) Set(settings []usi.Setting) error { return s.Player.(configurable).Configure(settings) }

func (s setter) NewGame(ctx context.Context, g usi.Game) error {
	if err := s.Set(g.Options); err != nil {
		return err
	}
	return s.Player.NewGame(ctx, g)
}

type kept struct {
	sync.Mutex

	pairs map[int]match.PairResult
}

func (k *kept) Put(_ context.Context, l runner.Lease, r match.PairResult) (bool, error) {
	k.Lock()
	defer k.Unlock()
	k.pairs[l.Pair.ID] = r
	return true, nil
}

func (k *kept) PutAttempt(context.Context, runner.Lease, match.Attempt) error { return nil }

// The runner plays the pairs of a self-play design as the blocks were played, byte for byte, and
// what it plays passes the check of games of others.
func TestPairsAreTheBlocks(t *testing.T) {
	g := generator(t)
	g.Design.Window = 60 // so that some beginnings are drawn again
	plan := *g.Plan
	plan.Design = match.Design{Kind: match.DesignSelfplay, Selfplay: g.Design}
	plan.Pairs, plan.Concurrency, plan.Ponder, plan.Slowed = 6, 2, match.PonderOff, ""
	g.Plan.Ponder = match.PonderOff
	k := &kept{pairs: map[int]match.PairResult{}}
	err := runner.Run(t.Context(), runner.Config{
		Plan: &plan, Source: runner.NewPlanSource(&plan, func(int) bool { return false }), Sink: k,
		Open: func(ctx context.Context, _ match.Player, _ []int) (runner.Player, error) {
			p, err := openBuiltin(ctx)
			return setter{p}, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(k.pairs) != 6 {
		t.Fatalf("%d pairs", len(k.pairs))
	}
	digest, err := StoredDigest(&plan)
	if err != nil {
		t.Fatal(err)
	}
	redrawn, noise := 0, 0
	for n := range maps.Keys(k.pairs) {
		r := k.pairs[n]
		got, err := BlockOf(&plan, &r)
		if err != nil {
			t.Fatal(err)
		}
		want, err := g.Block(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		gotText, err := got.Encode(digest)
		if err != nil {
			t.Fatal(err)
		}
		old, _ := Digest(g.Plan, g.Design)
		wantText, err := want.Encode(old)
		if err != nil {
			t.Fatal(err)
		}
		if string(gotText) != string(wantText) {
			t.Errorf("block %d:\n%.600s\nexpected\n%.600s", n, gotText, wantText)
		}
		if err := arbiter.Verify(&plan, &r); err != nil {
			t.Errorf("block %d: %v", n, err)
		}
		redrawn += got.Redrawn.Unequal
		for i := range got.Games {
			for _, m := range got.Games[i].Moves {
				if m.Opening {
					noise++
				}
			}
		}
	}
	t.Logf("%d redrawn, %d given", redrawn, noise)
}
