package planning_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/configs"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/players/planning"
)

// TestRepeat: a repeated plan has the changes of the flags and nothing else, and no flag reads a file or starts a
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
		Run: "new", Seed: &seed, Games: &games, TC: []string{"8+0.08"}, SPRT: "0,40", MaxPlies: &plies, Resign: "off", Option: []string{"strong.Hash=64"},
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
	file := filepath.Join(t.TempDir(), "openings.txt")
	testutil.OK(t, os.WriteFile(file, []byte("startpos moves 7g7f\n"), 0o600))
	if _, err := planning.Repeat(old, configs.Flags{Openings: file}); err == nil {
		t.Error("a file of this machine was read")
	}
	for flag, flags := range map[string]configs.Flags{
		"--engine": {Engine: []string{"x=/bin/sh"}}, "--openings": {Openings: "/etc/passwd"}, "--opening-plies": {OpeningPlies: &plies}, "--mate": {Mate: "x"},
		"--concurrency": {Concurrency: "3"}, "no engine": {Option: []string{"nobody.Hash=1"}}, "names a file": {Option: []string{"strong.EvalFile=x"}},
		"--option": {Option: []string{"Hash"}}, "--sprt": {SPRT: "x"}, "--tc": {TC: []string{"x"}},
	} {
		if _, err := planning.Repeat(old, flags); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%s: %v", flag, err)
		}
	}
	other := testutil.Must(planning.Builtin())(t)
	taken := testutil.Must(planning.TakeEngine(other, "strong", old, "strong"))(t)
	if taken.Players[0].Command[0] != "/nowhere/engine" || taken.Players[0].Limits != other.Players[0].Limits || other.Players[0].Command[0] == "/nowhere/engine" {
		t.Errorf("%+v", taken.Players[0])
	}
	if _, err := planning.TakeEngine(other, "strong", old, "weak"); err == nil {
		t.Error("two players have one name")
	}
}
