package planning_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/configs"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/players/planning"
)

// TestRepeat: a repeated plan has the changes of the flags and no other changes. No flag reads a file or starts a
// program of this machine.
func TestRepeat(t *testing.T) {
	old := testutil.Must(planning.Builtin())(t)
	old.Run, old.Openings = "old", old.Openings[:300]
	old.Adjudication = match.Adjudication{ResignScore: 500, ResignMoves: 3, DrawScore: 5, DrawMoves: 9, DrawFrom: 30}
	old.Players[0].Command, old.Players[0].Builtin = []string{"/nowhere/engine"}, false
	old.Players[0].Identity = match.Identity{Files: []match.FileHash{{Role: match.BinaryRole,
		SHA256: strings.Repeat("a", 64)}, {Role: "option EvalFile", SHA256: strings.Repeat("b", 64)}}}
	digest := old.Digest()
	if same := testutil.Must(planning.Repeat(old, configs.Flags{}))(t); same.Digest() != digest {
		t.Error("no change is a change")
	}
	seed, games, plies := uint64(9), 4000, 200
	got := testutil.Must(planning.Repeat(old, configs.Flags{
		Run: "new", Seed: &seed, Games: &games, TC: []string{"8+0.08"}, SPRT: "0,40", MaxPlies: &plies, Resign: "off",
		Option: []string{"strong.Hash=64"},
	}))(t)
	want := *old
	want.Players = append([]match.Player(nil), old.Players...)
	want.Run, want.Seed, want.Pairs, want.Gate, want.Rules.MaxPlies = "new", 9, 2000, got.Gate, 200
	want.Adjudication.ResignScore, want.Adjudication.ResignMoves = 0, 0
	for i := range want.Players {
		want.Players[i].Limits = got.Players[i].Limits
	}
	want.Players[0].Options = append(want.Players[0].Options, match.Option{Name: "Hash", Value: "64"})
	if got.Digest() != want.Digest() || got.Gate.Elo1 != 40 || !strings.Contains(got.Players[0].Limits.String(),
		"8") || old.Digest() != digest {
		t.Errorf("%+v", got)
	}
	clock := old.Players[1].Limits
	got = testutil.Must(planning.Repeat(old, configs.Flags{Nodes: []string{"strong=777"}, Margin: []string{"250ms"}}))(t)
	own := got.Players[0].Limits
	testutil.Check(t, own.Nodes == 777 && own.Clock.IsZero() && own.Margin == 250*time.Millisecond,
		"the limits of strong: %+v", own)
	clock.Margin = own.Margin
	testutil.Equal(t, got.Players[1].Limits, clock, "a flag for one player keeps the search limit of the other")
	both := testutil.Must(planning.Repeat(got, configs.Flags{TC: []string{"5+0.1"}, Nodes: []string{"weak=9"}}))(t)
	testutil.Check(t, both.Players[0].Limits.Clock.Main == 5*time.Second && both.Players[0].Limits.Nodes == 0 &&
		both.Players[1].Limits.Nodes == 9,
		"a flag without a name replaces the limits of all: %+v", both.Players)
	colours := *old
	colours.ColourClocks[1] = &match.TimeControl{Main: time.Minute}
	got = testutil.Must(planning.Repeat(&colours, configs.Flags{TC: []string{"black=2+1"}}))(t)
	testutil.Check(t, *got.ColourClocks[1] == match.TimeControl{Main: time.Minute} &&
		got.ColourClocks[0].Increment == time.Second, "%v", got.ColourClocks)
	file := filepath.Join(t.TempDir(), "openings.txt")
	testutil.OK(t, os.WriteFile(file, []byte("startpos moves 7g7f\n"), 0o600))
	testutil.Fails(t, testutil.Err(planning.Repeat(old, configs.Flags{Openings: file})), "",
		"a file of this machine was read")
	for flag, flags := range map[string]configs.Flags{
		"--engine": {Engine: []string{"x=/bin/sh"}}, "--openings": {Openings: "/etc/passwd"},
		"--opening-plies": {OpeningPlies: &plies}, "--mate": {Mate: "x"},
		"--concurrency": {Concurrency: "3"}, "no engine": {Option: []string{"nobody.Hash=1"}},
		"names a file": {Option: []string{"strong.EvalFile=x"}},
		"--option":     {Option: []string{"Hash"}}, "--sprt": {SPRT: "x"}, "--tc": {TC: []string{"x"}},
	} {
		testutil.Fails(t, testutil.Err(planning.Repeat(old, flags)), flag)
	}
	other := testutil.Must(planning.Builtin())(t)
	taken := testutil.Must(planning.TakeEngine(other, "strong", old, "strong"))(t)
	if taken.Players[0].Command[0] != "/nowhere/engine" || taken.Players[0].Limits != other.Players[0].Limits ||
		other.Players[0].Command[0] == "/nowhere/engine" {
		t.Errorf("%+v", taken.Players[0])
	}
	testutil.Fails(t, testutil.Err(planning.TakeEngine(other, "strong", old, "weak")), "", "two players have one name")
}

// TestCommits: the two players of a match are replaced by engines that workers build. The rest of the plan stays.
func TestCommits(t *testing.T) {
	old := testutil.Must(planning.Builtin())(t)
	digest := old.Digest()
	dev, base := strings.Repeat("d", 40), strings.Repeat("b", 40)
	c := planning.Commits{Repo: "https://git.example/a", BaseRepo: "file:///b", Recipe: "small", Dev: dev + ":12",
		Base: base + ":34"}
	plan := testutil.Must(c.Apply(old, "text"))(t)
	for i, want := range []match.Player{
		{Name: "dev", Identity: match.Identity{Source: &match.Source{Repository: "https://git.example/a", Commit: dev,
			Recipe: "text", Bench: 12}}},
		{Name: "base", Identity: match.Identity{Source: &match.Source{Repository: "file:///b", Commit: base, Recipe: "text",
			Bench: 34}}},
	} {
		want.Command, want.Limits, want.Restart = []string{want.Name}, old.Players[i].Limits, old.Players[i].Restart
		testutil.Diff(t, want, plan.Players[i], "(-want +got)")
	}
	testutil.OK(t, plan.Check())
	testutil.Check(t, old.Digest() == digest && plan.Pairs == old.Pairs, "the old plan has changed")
	c.BaseRepo, c.Dev = "", base+":34"
	plan.Players[0].Options = []match.Option{{Name: "EvalDir", Value: "/e"}}
	plan.Players[0].Identity.Files = []match.FileHash{{Role: match.BinaryRole, SHA256: "1"},
		{Role: "EvalDir/nn.bin", Path: "/e/nn.bin", SHA256: "2"}}
	again := testutil.Must(c.Apply(plan, "text"))(t)
	testutil.Check(t, len(again.Players[0].Options) == 1 && len(again.Players[0].Identity.Files) == 1 &&
		again.Players[1].Identity.Source.Repository == c.Repo, "%+v", again.Players)
	for want, change := range map[string]func(c *planning.Commits, p *match.Plan){
		"expected all of them":  func(c *planning.Commits, _ *match.Plan) { c.Recipe = "" },
		"--base: commit":        func(c *planning.Commits, _ *match.Plan) { c.Base = "main:1" },
		"expected COMMIT:NODES": func(c *planning.Commits, _ *match.Plan) { c.Dev = dev },
		"--dev: repository":     func(c *planning.Commits, _ *match.Plan) { c.Repo = "--upload-pack=x" },
		"no match of two":       func(_ *planning.Commits, p *match.Plan) { p.Tune = "x" },
	} {
		wrong, plan := c, *plan
		change(&wrong, &plan)
		testutil.Fails(t, testutil.Err(wrong.Apply(&plan, "text")), want)
	}
}
