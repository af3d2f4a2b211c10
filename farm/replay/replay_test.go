package replay_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"gogi/farm/replay"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/shogi"
	"gogi/usi"
)

func plan() *match.Plan {
	p := &match.Plan{
		Run: "r", Pairs: 12, Seed: 3, Design: match.Design{Kind: match.DesignMatch, Swap: true}, Concurrency: 2,
		Ponder: match.PonderOff,
		Slowed: match.PolicyCount, Rules: match.RulesProfiles()[match.DefaultRules],
		Openings: []match.Opening{{ID: "1", Start: "startpos"}},
	}
	for _, name := range []string{"a", "b"} {
		p.Players = append(p.Players, match.Player{Name: name, Builtin: true, Identity: match.Identity{Fixed: name},
			Limits: match.Limits{Nodes: 1}, Restart: match.RestartNever})
	}
	return p
}

// walker plays the move that its seed and the ply choose, and resigns in the end.
type walker struct{ seed uint64 }

func (w *walker) NewGame(_ context.Context, g usi.Game) error {
	w.seed = g.Seed
	return nil
}

func (w *walker) Think(_ context.Context, r usi.Request) (usi.Reply, error) {
	at, err := shogi.ParseSFEN(r.Position.Start)
	if err != nil {
		at = shogi.StartPos()
	}
	for _, m := range r.Position.Moves {
		at.Apply(m)
	}
	moves := at.LegalMoves(nil)
	if len(r.Position.Moves) > 12 {
		return usi.Reply{Answer: usi.AnswerResign, Text: "resign"}, nil
	}
	return usi.Reply{Answer: usi.AnswerMove, Move: moves[(w.seed+uint64(len(r.Position.Moves)))%uint64(len(moves))]}, nil
}

func (*walker) GameOver(context.Context, usi.Outcome) error { return nil }
func (*walker) Close() error                                { return nil }

func open(context.Context, match.Player, []int) (runner.Player, error) { return &walker{}, nil }

// kept is a sink that stores the pairs that are played.
type kept map[int]match.PairResult

func (k kept) Put(_ context.Context, _ runner.Lease, r match.PairResult) (bool, error) {
	k[r.Pair.ID] = r
	return true, nil
}

func (kept) PutAttempt(context.Context, runner.Lease, match.Attempt) error { return nil }

// TestPlay: an unchanged game is equal. A game with another move, end or length is reported, with the worker that
// played it.
func TestPlay(t *testing.T) {
	t.Parallel()
	p, stored := plan(), kept{}
	err := runner.Run(t.Context(),
		runner.Config{Plan: p, Source: runner.NewPlanSource(p, func(int) bool { return false }), Sink: stored, Open: open,
			Concurrency: 1})
	testutil.Require(t, err == nil && len(stored) == p.Pairs, "%v %v", len(stored), err)
	again := func() replay.Report {
		told := 0
		r, err := replay.Play(t.Context(), replay.Config{
			Plan: p, Pairs: []int{2, 5, 7, 11}, Open: open, Concurrency: 2, Progress: func(n int) { told = max(told, n) },
			Stored: func(_ context.Context, id int) (match.PairResult, error) { return stored[id], nil },
			Kept:   func(p match.Provenance) bool { return p.Worker == "earlier" },
		})
		testutil.Require(t, err == nil && r.Played == 4 && told == 4, "%v %v %v", r, told, err)
		return r
	}
	if r := again(); len(r.Different) != 0 {
		t.Errorf("the same games differ: %v", r.Different)
	}
	change := func(id int, f func(*match.Result)) {
		r := stored[id]
		r.Played.Worker = "w"
		r.Games = slices.Clone(r.Games)
		f(&r.Games[1])
		stored[id] = r
	}
	change(3, func(g *match.Result) { g.Record.Moves = nil }) // not in the list of pairs
	change(5, func(g *match.Result) {
		g.Record.Moves = slices.Clone(g.Record.Moves)
		g.Record.Moves[3].Move = g.Record.Moves[5].Move
	})
	change(7, func(g *match.Result) { g.Record.Moves = g.Record.Moves[:8] })
	change(11, func(g *match.Result) { g.Termination = match.Crash })
	type short struct{ pair, leg, ply int }
	var got []short
	for _, d := range again().Different {
		testutil.Check(t, d.Worker == "w", "pair %d is said to be of %q", d.Pair, d.Worker)
		got = append(got, short{d.Pair, d.Leg, d.Ply})
	}
	want := []short{{5, 1, 4}, {7, 1, 9}, {11, 1, 14}}
	testutil.Check(t, reflect.DeepEqual(got, want), "different are %v, want %v", got, want)

	for i, id := range []int{5, 7, 11} {
		r := stored[id]
		r.Played.Worker = "earlier"
		stored[id] = r
		found := again()
		for j, d := range found.Different {
			testutil.Equal(t, d.Kept, j <= i, "pair %d, when %d pairs are of an earlier worker", d.Pair, i+1)
		}
		testutil.Equal(t, found.Proves(), i < 2, "%d pairs of an earlier worker", i+1)
	}
}

// TestSample: a sample has the right size and order, and no repetition. The same seed draws the same sample. All pairs
// are equally likely.
func TestSample(t *testing.T) {
	t.Parallel()
	all := make([]int, 200)
	for i := range all {
		all[i] = 3 * i
	}
	for share, want := range map[float64]int{1e-9: 1, 0.01: 2, 0.0101: 3, 0.5: 100, 1: 200} {
		s := replay.Sample(all, share, 7)
		if len(s) != want || !slices.IsSorted(s) || len(slices.Compact(slices.Clone(s))) != want ||
			!slices.Equal(s, replay.Sample(all, share, 7)) {
			t.Errorf("a share of %v draws %v", share, s)
		}
	}
	drawn := map[int]int{}
	for seed := range uint64(2000) {
		for _, pair := range replay.Sample(all, 0.1, seed) {
			drawn[pair]++
		}
	}
	for _, pair := range all { // 200 ± 13.4 each: five standard deviations
		n := drawn[pair]
		testutil.Check(t, n >= 133 && n <= 267, "pair %d was drawn %d of 2000 times, want about 200", pair, n)
	}
	if s := replay.Sample(nil, 0.5, 1); len(s) != 0 {
		t.Errorf("of nothing it draws %v", s)
	}
}
