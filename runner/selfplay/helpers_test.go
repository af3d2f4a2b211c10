package selfplay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/players/builtin"
	"gogi/shogi"
	"gogi/shogi/kifu/packed"
	"gogi/usi"
)

// builtin is the built-in engine as a Player.
type builtinEngine struct{ *builtin.Engine }

func (b builtinEngine) Configure(settings []usi.Setting) error {
	for _, s := range settings {
		if err := b.SetOption(s); err != nil {
			return err
		}
	}
	return nil
}

func (b builtinEngine) GameOver(context.Context, usi.Outcome) error { return nil }
func (b builtinEngine) Close() error                                { return nil }

func openBuiltin(ctx context.Context) (Player, error) {
	b := builtinEngine{builtin.New()}
	if err := b.Configure([]usi.Setting{{Name: "USI_Hash", Value: "1"}}); err != nil {
		return nil, err
	}
	return b, b.Ready(ctx)
}

// testPlan is of short games of the built-in engine.
func testPlan(t testing.TB) *match.Plan {
	t.Helper()
	rules := testutil.Must(match.RulesByName(match.DefaultRules))(t)
	rules.MaxPlies = 60
	return &match.Plan{
		Run: "selfplay", Seed: 7, Rules: rules, Openings: []match.Opening{{ID: "1", Start: "startpos"}},
		Adjudication: match.Adjudication{ResignScore: 1500, ResignMoves: 3},
		Players: []match.Player{{
			Name: "A", Builtin: true, Limits: match.Limits{Nodes: 60, Stall: match.DefaultStall},
			Identity: match.Identity{Fixed: "test"},
		}},
	}
}

// testDesign has everything that a design can have.
func testDesign() Design {
	return Design{
		Games: 4, RandomMin: 3, RandomMax: 7, Window: 900, TemperaturePlies: 8, Temperature: 60, Lines: 4,
		NoisePlies: 20, Noise: 0.1, NodeJitter: 0.2, Audit: 0.4,
	}
}

func generator(t testing.TB) *Generator {
	t.Helper()
	return &Generator{Plan: testPlan(t), Design: testDesign(), Open: openBuiltin}
}

func openFolder(t *testing.T, g *Generator, path string) *Folder {
	t.Helper()
	f := testutil.Must(OpenFolder(path, g.Plan, g.Design))(t)
	t.Cleanup(func() { _ = f.Close() }) // a second time where the test has closed it
	return f
}

func testData(t testing.TB, name string) Data {
	t.Helper()
	format := testutil.Must(packed.Find(name))(t)
	return Data{Format: format, Positions: 200, Shuffle: true, Seed: 3, Rule: shogi.CSARule27, Distinct: 1}
}

// files are the blocks, shards and the manifest of a folder, by name.
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

// same compares what files are there and what is in them.
func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: %d bytes, expected %d equal ones", name, len(got[name]), len(text))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is there", name)
		}
	}
}

// made plays blocks and makes the data.
func made(ctx context.Context, g *Generator, f *Folder, blocks, slots int, data Data) (*Manifest, error) {
	r := Run{Folder: f, Generator: g, Blocks: blocks, Slots: slots}
	if _, err := r.Play(ctx); err != nil {
		return nil, err
	}
	if r.Missing() != 0 {
		return nil, fmt.Errorf("%d blocks are missing", r.Missing())
	}
	return f.Make(ctx, blocks, data)
}
