package match_test

import (
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

// keyedPlan returns a plan with two players at fixed nodes and known options in effect.
func keyedPlan(t *testing.T) *match.Plan {
	t.Helper()
	p := storedPlan(t)
	p.ColourClocks = [2]*match.TimeControl{}
	for i := range p.Players {
		e := &p.Players[i]
		e.Identity.Fixed = ""
		e.Identity.Files = append(e.Identity.Files,
			match.FileHash{Role: "EvalDir/nn.bin", Path: "/a/eval/nn.bin", SHA256: "22"})
		e.Effect = []match.Option{{Name: "Threads", Value: "1"}, {Name: "Hash", Value: "16"},
			{Name: "EvalDir", Value: "/a/eval"}}
	}
	return p
}

// allKeys returns the exact keys of the players black and white, and the key of the conditions.
func allKeys(t *testing.T, p *match.Plan, black, white int) [3]match.Key {
	t.Helper()
	c := testutil.Must(match.ParseCanonical(p.Canonical()))(t)
	return [3]match.Key{p.Keys(black).Exact, p.Keys(white).Exact, c.Conditions()}
}

func TestKeysStay(t *testing.T) {
	t.Parallel()
	want := allKeys(t, keyedPlan(t), 0, 1)
	for name, change := range map[string]func(p *match.Plan) (black int){
		"the same":        func(*match.Plan) int { return 0 },
		"names":           func(p *match.Plan) int { p.Players[0].Name, p.Run = "Z", "other"; return 0 },
		"roster":          func(p *match.Plan) int { slices.Reverse(p.Players); return 1 },
		"concurrency":     func(p *match.Plan) int { p.Concurrency, p.Pairs, p.Seed = 7, 9, 5; return 0 },
		"margin at nodes": func(p *match.Plan) int { p.Players[0].Limits.Margin = second; return 0 },
		"stall and restart": func(p *match.Plan) int {
			p.Players[0].Limits.Stall, p.Players[0].Restart = second, "game"
			return 0
		},
		"profile's name":   func(p *match.Plan) int { p.Players[0].Profile = ""; return 0 },
		"order of options": func(p *match.Plan) int { slices.Reverse(p.Players[0].Effect); return 0 },
		"a GPU": func(p *match.Plan) int {
			p.Players[0].Env = append(p.Players[0].Env, "CUDA_VISIBLE_DEVICES={gpu}")
			return 0
		},
		"an opening's name":  func(p *match.Plan) int { p.Openings[0].ID = "x"; return 0 },
		"a gate and a swiss": func(p *match.Plan) int { p.Gate.Elo1, p.Design.Kind = 5, match.DesignSwiss; return 0 },
		"paths": func(p *match.Plan) int {
			e := &p.Players[0]
			e.Command[0], e.Dir, e.Effect[2].Value = "/b/engine", "/b", "/b/eval"
			for i := range e.Identity.Files {
				e.Identity.Files[i].Path = strings.Replace(e.Identity.Files[i].Path, "/a", "/b", 1)
			}
			return 0
		},
	} {
		p := keyedPlan(t)
		black := change(p)
		testutil.Equal(t, allKeys(t, p, black, 1-black), want, "%s changed a key", name)
	}
}

func TestKeysChange(t *testing.T) {
	t.Parallel()
	seen := map[[3]match.Key]string{allKeys(t, keyedPlan(t), 0, 1): "the plan"}
	for name, change := range map[string]func(p *match.Plan){
		"colours":            func(p *match.Plan) { slices.Reverse(p.Players) },
		"an option":          func(p *match.Plan) { p.Players[0].Effect[1].Value = "17" },
		"the other's option": func(p *match.Plan) { p.Players[1].Effect[1].Value = "17" },
		"another option": func(p *match.Plan) {
			p.Players[0].Effect = append(p.Players[0].Effect, match.Option{Name: "X"})
		},
		"a byte of the binary": func(p *match.Plan) { p.Players[0].Identity.Files[0].SHA256 = "01A" },
		"a byte of the net":    func(p *match.Plan) { p.Players[0].Identity.Files[1].SHA256 = "23" },
		"nodes":                func(p *match.Plan) { p.Players[0].Limits.Nodes++ },
		"depth":                func(p *match.Plan) { p.Players[0].Limits.Depth++ },
		"an argument":          func(p *match.Plan) { p.Players[0].Command[1] = "--flags" },
		"the environment":      func(p *match.Plan) { p.Players[0].Env[0] = "OMP=2" },
		"plies":                func(p *match.Plan) { p.Rules.MaxPlies++ },
		"declaration":          func(p *match.Plan) { p.Rules.ImpasseDraw = !p.Rules.ImpasseDraw },
		"adjudication":         func(p *match.Plan) { p.Adjudication.ResignMoves++ },
		"pondering":            func(p *match.Plan) { p.Ponder = match.PonderEarly },
		"slowed moves":         func(p *match.Plan) { p.Slowed = match.PolicyVoid },
		"a clock":              func(p *match.Plan) { p.ColourClocks[0] = &match.TimeControl{Main: second} },
		"a clock with another margin": func(p *match.Plan) {
			p.ColourClocks[0], p.Players[0].Limits.Margin = &match.TimeControl{Main: second}, second
		},
	} {
		p := keyedPlan(t)
		change(p)
		key := allKeys(t, p, 0, 1)
		testutil.Check(t, seen[key] == "", "%s: the key is that of %s", name, seen[key])
		seen[key] = name
	}
}

func TestInferredKeys(t *testing.T) {
	t.Parallel()
	p := keyedPlan(t)
	whole := p.Keys(0)
	p.Players[0].Effect = nil
	inferred := p.Keys(0)
	testutil.Check(t, inferred.Exact == match.Key{} && inferred.Sent == whole.Sent && whole.Exact != whole.Sent,
		"%v and %v", inferred, whole)
	// The exact key of a council is known if the options of all its engines are known.
	council := match.Player{Name: "C", Limits: p.Players[1].Limits,
		Council: &match.Council{Rule: "majority", Members: []match.Player{keyedPlan(t).Players[0], keyedPlan(t).Players[1]}}}
	p.Players[1] = council
	known := p.Keys(1)
	p.Players[1].Council.Members[1].Effect[1].Value = "17"
	other := p.Keys(1)
	testutil.Check(t, known.Exact != match.Key{} && other.Exact != known.Exact && other.Sent == known.Sent,
		"an option of a member: %v, %v", known, other)
	p.Players[1].Council.Members[1].Effect = nil
	testutil.Equal(t, p.Keys(1).Exact, match.Key{}, "a member is unknown")
	// Without a program only the names distinguish players, as in imported games.
	named := func(name string) match.Key {
		q := match.CanonicalPlayer{Name: name}
		return q.Keys(nil).Sent
	}
	testutil.Check(t, named("a") != named("b"), "imported players are one")
}
