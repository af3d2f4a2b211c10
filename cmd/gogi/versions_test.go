package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/usi"
)

// TestOpeningsOfAHunt: consecutive blocks have each opening once, in the order of one run. A block skips the openings
// that its versions have played. It repeats them if the set has no others.
func TestOpeningsOfAHunt(t *testing.T) {
	t.Parallel()
	plan := &match.Plan{Players: []match.Player{{Name: "a"}, {Name: "b"}},
		Design: match.Design{Kind: match.DesignMatch, Swap: true}, Seed: 7}
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

// TestCausedBy: an error belongs to an engine if all of its causes are failures of this engine.
func TestCausedBy(t *testing.T) {
	t.Parallel()
	dev, other := &usi.Fault{Kind: usi.FaultStart, Engine: "dev"}, errors.New("other")
	for _, c := range []struct {
		err  error
		ours bool
	}{
		{dev, true},
		{&usi.Fault{Kind: usi.FaultCrash, Engine: "dev", Searching: true}, true},
		{&usi.Fault{Kind: usi.FaultConnection, Engine: "dev"}, false},
		{&usi.Fault{Kind: usi.FaultStart, Engine: "base"}, false},
		{fail.Engine("dev", other), true},
		{fail.Engine("base", other), false},
		{other, false},
		{os.ErrNotExist, false},
		{&cli.Exit{Code: cli.Unplayed, Err: fmt.Errorf("%w; 3 pairs are unplayed", dev)}, true},
		{fail.Usage(errors.Join(fmt.Errorf("dev: %w", fail.Engine("dev", other)), dev)), true},
		{errors.Join(dev, other), false},
		{errors.Join(dev, fail.Engine("base", other)), false},
		{fmt.Errorf("%w: %w", other, dev), false},
		{&cli.Exit{Code: cli.Unplayed}, false},
	} {
		testutil.Equal(t, causedBy("dev", c.err), c.ours, "%v", c.err)
	}
}
