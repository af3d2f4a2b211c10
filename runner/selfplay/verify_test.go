package selfplay

import (
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
)

// clonePair returns a copy of a pair that the test can change.
func clonePair(r match.PairResult) match.PairResult {
	r.Games = slices.Clone(r.Games)
	for i := range r.Games {
		r.Games[i].Record.Moves = slices.Clone(r.Games[i].Record.Moves)
	}
	return r
}

// TestVerify: arbiter.Verify accepts a played pair and rejects a changed one.
func TestVerify(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	testutil.OK(t, p.play(t.Context(), 1, 0, 1, 2))
	audited := false
	for n := range 3 {
		r := p.pairs[n]
		testutil.OK(t, arbiter.Verify(p.Plan, &r), "pair %d was played, and", n)
		for i := range r.Games {
			facts := testutil.Must(arbiter.Facts(p.Plan, &r.Games[i]))(t)
			audited = audited || facts.Audited
		}
	}
	testutil.Check(t, audited, "no game was audited: expected some, to see that they are checked as such")
	last := func(r *match.PairResult) *match.Result { return &r.Games[1] }
	for name, lie := range map[string]struct {
		tell func(r *match.PairResult)
	}{
		"another winner": {func(r *match.PairResult) {
			g := last(r)
			g.Outcome = map[match.Outcome]match.Outcome{match.BlackWins: match.WhiteWins, match.WhiteWins: match.BlackWins,
				match.Draw: match.BlackWins}[g.Outcome]
			g.Record.Winner = g.Outcome.String()
		}},
		"another result": {func(r *match.PairResult) {
			g := last(r)
			g.Termination, g.Record.Result = match.Declaration, match.Declaration.String()
		}},
		"the last move cut": {func(r *match.PairResult) {
			g := last(r)
			g.Record.Moves = g.Record.Moves[:len(g.Record.Moves)-1]
		}},
		"a move twice": {func(r *match.PairResult) { m := last(r).Record.Moves; m[len(m)-1] = m[len(m)-2] }},
		"more after the end": {func(r *match.PairResult) {
			g := last(r)
			g.Record.Moves = append(g.Record.Moves, g.Record.Moves[0])
		}},
		"another beginning": {func(r *match.PairResult) {
			last(r).Record.Moves = slices.Clone(p.pairs[1].Games[1].Record.Moves)
		}},
		"another start":         {func(r *match.PairResult) { last(r).Record.Start = "4k4/9/9/9/9/9/9/9/4K4 b - 1" }},
		"chance that is chosen": {func(r *match.PairResult) { last(r).Record.Moves[0].Opening = false }},
		"another order":         {func(r *match.PairResult) { slices.Reverse(r.Games) }},
		"another pair":          {func(r *match.PairResult) { r.Pair.ID++ }},
		"a game left out":       {func(r *match.PairResult) { r.Games = r.Games[1:] }},
		"other scores": {func(r *match.PairResult) {
			for i := range r.Games {
				for j := range r.Games[i].Record.Moves {
					r.Games[i].Record.Moves[j].Score = 0
				}
			}
		}},
	} {
		r := clonePair(p.pairs[0])
		lie.tell(&r)
		testutil.Fails(t, arbiter.Verify(p.Plan, &r), "", "%s passes", name)
	}
}

// TestVerifyAfterRedrawing: Verify accepts a block with beginnings outside the window. The search that scored such a
// beginning drew its node limit, so Verify must repeat this draw to find the later beginnings.
func TestVerifyAfterRedrawing(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	p.Design.Window, p.Design.NodeJitter, p.Design.Games = 40, 0.5, 12
	b, err := p.block(t, 0) // block verifies the pair
	testutil.OK(t, err)
	testutil.Check(t, b.Redrawn.Unequal >= 3, "%d beginnings were beyond the window: expected some", b.Redrawn.Unequal)
	testutil.Check(t, !strings.Contains(b.Games[0].Result, "unfinished"), "%v", b.Games[0].Result)
}
