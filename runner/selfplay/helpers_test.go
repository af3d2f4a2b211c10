package selfplay

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/players/builtin"
	"gogi/runner"
	"gogi/shogi/kifu/packed"
	"gogi/usi"
)

// builtinEngine makes the built-in engine a runner.Player.
type builtinEngine struct{ *builtin.Engine }

func (b builtinEngine) Set(settings []usi.Setting) error {
	for _, s := range settings {
		if err := b.SetOption(s); err != nil {
			return err
		}
	}
	return nil
}

func (b builtinEngine) NewGame(ctx context.Context, g usi.Game) error {
	if err := b.Set(g.Options); err != nil {
		return err
	}
	return b.Engine.NewGame(ctx, g)
}

func (b builtinEngine) GameOver(context.Context, usi.Outcome) error { return nil }
func (b builtinEngine) Close() error                                { return nil }

func openBuiltin(ctx context.Context) (runner.Player, error) {
	b := builtinEngine{builtin.New()}
	if err := b.Set([]usi.Setting{{Name: "USI_Hash", Value: "1"}}); err != nil {
		return nil, err
	}
	return b, b.Ready(ctx)
}

// testDesign returns a design with every setting that a design can have.
func testDesign() match.Selfplay {
	return match.Selfplay{
		Games: 4, RandomMin: 3, RandomMax: 7, Window: 900, TemperaturePlies: 8, Temperature: 60, Lines: 4,
		NoisePlies: 20, Noise: 0.1, NodeJitter: 0.2, Audit: 0.4,
	}
}

// testPlan returns a plan of short games of the built-in engine.
func testPlan(t testing.TB) *match.Plan {
	t.Helper()
	rules := testutil.Must(match.RulesByName(match.DefaultRules))(t)
	rules.MaxPlies = 60
	return &match.Plan{
		Run: "selfplay", Seed: 7, Rules: rules, Openings: []match.Opening{{ID: "1", Start: "startpos"}},
		Adjudication: match.Adjudication{ResignScore: 1500, ResignMoves: 3},
		Design:       match.Design{Kind: match.DesignSelfplay, Selfplay: testDesign()},
		Players: []match.Player{{
			Name: "A", Builtin: true, Limits: match.Limits{Nodes: 60, Stall: match.DefaultStall},
			Identity: match.Identity{Fixed: "test"},
		}},
		Concurrency: 1, Ponder: match.PonderOff,
	}
}

// player plays pairs of a plan and keeps them in memory.
type player struct {
	Plan   *match.Plan
	Design *match.Selfplay // of the plan
	Open   func(ctx context.Context) (runner.Player, error)

	mu    sync.Mutex
	pairs map[int]match.PairResult
}

func newPlayer(t testing.TB) *player {
	t.Helper()
	plan := testPlan(t)
	return &player{Plan: plan, Design: &plan.Design.Selfplay, Open: openBuiltin, pairs: map[int]match.PairResult{}}
}

func (p *player) Put(_ context.Context, l runner.Lease, r match.PairResult) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pairs[l.Pair.ID] = r
	return true, nil
}

func (p *player) PutAttempt(context.Context, runner.Lease, match.Attempt) error { return nil }

// play forgets its pairs and plays pairs with these numbers, as many at a time as there are slots.
func (p *player) play(ctx context.Context, slots int, numbers ...int) error {
	clear(p.pairs)
	wanted := map[int]bool{}
	plan := *p.Plan
	for _, n := range numbers {
		wanted[n] = true
		plan.Pairs = max(plan.Pairs, n+1)
	}
	plan.Concurrency = slots
	return runner.Run(ctx, runner.Config{
		Plan: &plan, Source: runner.NewPlanSource(&plan, func(n int) bool { return !wanted[n] }), Sink: p,
		Open: func(ctx context.Context, _ match.Player, _ []int) (runner.Player, error) { return p.Open(ctx) },
	})
}

// block plays a pair and returns it as a block. The pair must pass arbiter.Verify.
func (p *player) block(t testing.TB, number int) (*Block, error) {
	t.Helper()
	if err := p.play(t.Context(), 1, number); err != nil {
		return nil, err
	}
	r := p.pairs[number]
	testutil.OK(t, arbiter.Verify(p.Plan, &r), "block %d", number)
	return BlockOf(p.Plan, &r)
}

// source plays the first pairs and returns a Source of their blocks.
func (p *player) source(t testing.TB, slots, blocks int) Source {
	t.Helper()
	var numbers []int
	for n := range blocks {
		numbers = append(numbers, n)
	}
	testutil.OK(t, p.play(t.Context(), slots, numbers...))
	pairs := maps.Clone(p.pairs)
	canonical := testutil.Must(match.ParseCanonical(p.Plan.Canonical()))(t)
	return testutil.Must(Stored(canonical, p.Plan.Openings, func(_ context.Context, n int) (match.PairResult, error) {
		r, ok := pairs[n]
		if !ok {
			return r, fs.ErrNotExist
		}
		return r, nil
	}))(t)
}

// games returns the games of the first blocks of a source.
func games(t *testing.T, from Source, blocks int) (list []Game) {
	t.Helper()
	for n := range blocks {
		b, _, err := from.Read(t.Context(), n)
		testutil.OK(t, err)
		list = append(list, b.Games...)
	}
	return list
}

func testData(t testing.TB, name string) Data {
	t.Helper()
	format := testutil.Must(packed.Find(name))(t)
	return Data{Format: format, Positions: 200, Shuffle: true, Seed: 3, Distinct: 1}
}

// files returns the shards and the manifest of a folder, by name.
func files(t *testing.T, path string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(path, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(name) == lockName {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(path, name) // name is within path
		all[rel] = string(data)
		return err
	})
	testutil.OK(t, err)
	return all
}

// same compares the names and the contents of files.
func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		testutil.Check(t, got[name] == text, "%s: %d bytes, expected %d equal ones", name, len(got[name]), len(text))
	}
	for name := range got {
		_, ok := want[name]
		testutil.Check(t, ok, "%s is there", name)
	}
}
