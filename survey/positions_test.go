package survey

import (
	"reflect"
	"testing"

	"gogi/match"
	"gogi/usi"
)

// Positions of the walk are different ones, and a choice is left in each.
func TestWalkedPositions(t *testing.T) {
	t.Parallel()
	plan := &match.Plan{Seed: 3, Openings: []match.Opening{{Start: "startpos"}, {Start: "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"}}}
	var runs [2]chosenPositions
	for i := range runs {
		runs[i].seen = map[string]bool{}
		if err := runs[i].fromOpenings(t.Context(), plan, 30); err != nil {
			t.Fatal(err)
		}
	}
	another := chosenPositions{seen: map[string]bool{}}
	plan.Seed++
	if err := another.fromOpenings(t.Context(), plan, 30); err != nil {
		t.Fatal(err)
	}
	if reflect.DeepEqual(another.list, runs[0].list) {
		t.Error("another seed chose the same positions")
	}
	seen := map[string]bool{}
	plies := map[int]bool{}
	for i, p := range runs[0].list {
		if p.String() != runs[1].list[i].String() {
			t.Errorf("position %d is not the same again", i)
		}
		parsed, err := usi.ParsePosition(p.String())
		if err != nil {
			t.Fatal(err)
		}
		h, err := parsed.History()
		if err != nil || len(h.Position().LegalMoves(nil)) < 2 || seen[positionsKey(h.Position())] {
			t.Errorf("position %d: %s (%v)", i, p, err)
		}
		seen[positionsKey(h.Position())], plies[len(p.Moves)] = true, true
	}
	if len(runs[0].list) != 30 || len(plies) < 5 {
		t.Errorf("%d positions after %d different numbers of plies", len(runs[0].list), len(plies))
	}
}
