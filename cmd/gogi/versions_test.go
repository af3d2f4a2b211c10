package main

import (
	"slices"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

// TestOpeningsOfAHunt: blocks one after the other have all openings once, in the order of one run.
func TestOpeningsOfAHunt(t *testing.T) {
	t.Parallel()
	plan := &match.Plan{Players: []match.Player{{Name: "a"}, {Name: "b"}}, Design: match.Design{Kind: match.DesignMatch, Swap: true}, Seed: 7}
	for _, id := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		plan.Openings = append(plan.Openings, match.Opening{ID: id, Start: "startpos"})
	}
	var ids []string
	for _, block := range []int{3, 5} {
		plan.Pairs = block
		for _, o := range openingsFrom(plan, len(ids)) {
			ids = append(ids, o.ID)
		}
	}
	for n, id := range ids {
		testutil.Equal(t, id, plan.Pair(n).Opening.ID, "opening %d", n)
	}
	slices.Sort(ids)
	testutil.Equal(t, len(slices.Compact(ids)), 8, "different openings")
}

// TestNamesOfVersions: the shortest ends of paths that differ, without the characters that flags use.
func TestNamesOfVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ programs, want []string }{
		{[]string{"b/v1", "b/v2"}, []string{"v1", "v2"}},
		{[]string{"a/engine", "./b/engine"}, []string{"a/engine", "b/engine"}},
		{[]string{"v1.2", "v1=3"}, []string{"v1_2", "v1_3"}},
		{[]string{"a", "./a"}, nil},
	} {
		got, err := namesOf(c.programs)
		testutil.Check(t, slices.Equal(got, c.want) && (err != nil) == (c.want == nil), "%v: %v, %v", c.programs, got, err)
	}
}
