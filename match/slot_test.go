package match_test

import (
	"slices"
	"testing"

	"gogi/match"
)

// TestInSlot: a player and the members of its council have the numbers of the slot, and the plan stays as it is.
func TestInSlot(t *testing.T) {
	t.Parallel()
	engine := match.Player{Env: []string{"CUDA_VISIBLE_DEVICES={gpu}", "CACHE=/tmp/{slot}/{slot}"}}
	inner := match.Player{Council: &match.Council{Members: []match.Player{engine}}}
	council := match.Player{Council: &match.Council{Members: []match.Player{engine, inner}}}
	before := slices.Clone(engine.Env)
	want := []string{"CUDA_VISIBLE_DEVICES=2", "CACHE=/tmp/5/5"}
	placed := council.InSlot(5, 2).Council.Members
	for i, got := range [][]string{engine.InSlot(5, 2).Env, placed[0].Env, placed[1].Council.Members[0].Env} {
		if !slices.Equal(got, want) {
			t.Errorf("%d: %v", i, got)
		}
	}
	if got := engine.InSlot(5, 0).Env[0]; got != "CUDA_VISIBLE_DEVICES=5" {
		t.Errorf("without slots_per_gpu: %s", got)
	}
	if !slices.Equal(engine.Env, before) || !slices.Equal(council.Council.Members[0].Env, before) {
		t.Errorf("the plan has changed: %v", engine.Env)
	}
}
