package main

import (
	"slices"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

// TestOpeningsOfAHunt: consecutive blocks have each opening once, in the order of one run. A block skips the openings
// that its versions have played. It repeats them if the set has no others.
func TestOpeningsOfAHunt(t *testing.T) {
	t.Parallel()
	plan := &match.Plan{Players: []match.Player{{Name: "a"}, {Name: "b"}}, Design: match.Design{Kind: match.DesignMatch, Swap: true}, Seed: 7}
	for _, id := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		plan.Openings = append(plan.Openings, match.Opening{ID: id, Start: id})
	}
	used := map[uint64]bool{}
	block := func(offset, pairs int) (ids []string, next int) {
		plan.Pairs = pairs
		list, next := openingsFrom(plan, offset, used)
		for _, o := range list {
			ids = append(ids, o.ID)
		}
		return ids, next
	}
	ids, next := block(0, 3)
	more, next := block(next, 5)
	testutil.Equal(t, next, 8)
	ids = append(ids, more...)
	for n, id := range ids {
		testutil.Equal(t, id, plan.Pair(n).Opening.ID, "opening %d", n)
	}
	slices.Sort(ids)
	testutil.Equal(t, len(slices.Compact(ids)), 8, "different openings")
	for i := range plan.Openings[2:] {
		used[plan.Openings[i+2].Hash()] = true
	}
	few, _ := block(5, 2)
	slices.Sort(few)
	testutil.Slices(t, few, []string{"1", "2"}, "the openings that are left")
	again, _ := block(5, 4)
	testutil.Equal(t, len(again), 4, "more pairs than openings are left")
}

// TestNamesOfVersions: the names are the shortest ends of the paths that differ, without the characters that flags use.
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
