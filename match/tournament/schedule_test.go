package tournament

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
)

// specs generates designs of all kinds whose pairings depend on results.
func specs() *rapid.Generator[Spec] {
	return rapid.Custom(func(t *rapid.T) Spec {
		s := Spec{
			Design: match.Design{Kind: rapid.SampledFrom(match.DesignKinds()[3:]).Draw(t, "kind"), Swap: true},
			Seed:   rapid.Uint64().Draw(t, "seed"), Players: names(rapid.IntRange(2, 9).Draw(t, "players")), Legs: 2,
		}
		n := len(s.Players)
		switch s.Kind {
		case match.DesignAdaptive:
			s.Tournament.Block = rapid.IntRange(1, 12).Draw(t, "block")
			s.Pairs = rapid.IntRange(0, 60).Draw(t, "pairs")
			s.Anchor = rapid.SampledFrom([]string{"", s.Players[n-1]}).Draw(t, "anchor")
			return s
		case match.DesignKnockout:
			s.Tournament.Tiebreaks = rapid.IntRange(0, 3).Draw(t, "tiebreaks")
			s.Tournament.ThirdPlace = rapid.Bool().Draw(t, "third")
		}
		s.Tournament.Lot = rapid.Bool().Draw(t, "lot")
		s.Tournament.MatchPairs = rapid.IntRange(1, 3).Draw(t, "match pairs")
		s.Pairs = KnockoutPairs(s.Design, n)
		if s.Kind == match.DesignSwiss {
			s.Pairs = SwissPairs(s.Design, n, rapid.IntRange(0, n+2).Draw(t, "rounds"))
		}
		return s
	})
}

// A dice is a world in which a pair's result depends only on its number and players.
type dice uint64

func (d dice) play(slot Slot) Outcome {
	state := uint64(d) ^ uint64(slot.Pair)<<32 ^ uint64(slot.Players[0]*100+slot.Players[1])
	halves := float64(match.SplitMix(state) % 5)
	return Outcome{Pair: slot.Pair, Players: slot.Players, Points: [2]float64{halves / 2, 2 - halves/2}}
}

func begun(t interface{ Fatal(...any) }, spec Spec) *Schedule {
	return testutil.Must(New(spec))(t)
}

// open returns the pairs that can be played now.
func open(s *Schedule) []Slot {
	return lists.Filter(s.Drawn(), func(slot Slot) bool { return !s.Finished(slot.Pair) && slot.Pair < s.Target() })
}

// TestPathIsTheResults: the pairs are those of one slot without interruption. This holds for any number and order of
// pairs in play, for repeated results, and after restarts from the stored results.
func TestPathIsTheResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, world := specs().Draw(t, "spec"), dice(rapid.Uint64().Draw(t, "world"))
		alone := begun(t, spec)
		for list := open(alone); len(list) > 0; list = open(alone) {
			testutil.OK(t, alone.Learn(world.play(list[0])))
		}
		slots := rapid.IntRange(1, 8).Draw(t, "slots")
		s, stored := begun(t, spec), map[int]Outcome{}
		for list := open(s); len(list) > 0; list = open(s) {
			list = list[:min(len(list), slots)]
			o := world.play(list[rapid.IntRange(0, len(list)-1).Draw(t, "ends")])
			stored[o.Pair] = o
			for range 2 { // the second is a redelivery
				testutil.OK(t, s.Learn(o))
			}
			if rapid.IntRange(0, 9).Draw(t, "killed") == 0 {
				s = begun(t, spec)
				for _, id := range slices.Sorted(maps.Keys(stored)) {
					testutil.OK(t, s.Learn(stored[id]))
				}
			}
		}
		if !s.Over() || !alone.Over() || s.Left() != 0 {
			t.Fatalf("nothing can be played: over %v and %v, %d left", s.Over(), alone.Over(), s.Left())
		}
		if !reflect.DeepEqual(s.slots, alone.slots) || !reflect.DeepEqual(s.Standings(), alone.Standings()) ||
			!reflect.DeepEqual(s.Rounds(), alone.Rounds()) {
			t.Errorf("pairs\n%v, alone\n%v", s.slots, alone.slots)
		}
	})
}

// TestLeftIsRight: a design is never over while pairs are open. It needs the number of pairs that it returned,
// except for tie-breaks, and no pair beyond its target.
func TestLeftIsRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, world := specs().Draw(t, "spec"), dice(rapid.Uint64().Draw(t, "world"))
		s := begun(t, spec)
		least := s.Left()
		played := 0
		for list := open(s); len(list) > 0; list = open(s) {
			before := s.Left()
			testutil.Require(t, !s.Over() && before >= 1, "over %v, %d left, %d open", s.Over(), before, len(list))
			testutil.OK(t, s.Learn(world.play(list[len(list)-1])))
			played++
			if after := s.Left(); after != before-1 && (spec.Kind != match.DesignKnockout || after != before) {
				t.Fatalf("%d left, then %d", before, after)
			}
		}
		testutil.Check(t, played >= least && played <= spec.Pairs &&
			(spec.Kind == match.DesignKnockout || played == spec.Pairs),
			"%d pairs of %d, %d said at the beginning", played, spec.Pairs, least)
	})
}

// TestTargetMoves: a design with a raised target draws the same pairs as one planned with this target. A design
// with a lowered target draws a part of them.
func TestTargetMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, world := specs().Draw(t, "spec"), dice(rapid.Uint64().Draw(t, "world"))
		if spec.Kind == match.DesignKnockout {
			return
		}
		unit := 1
		if spec.Kind == match.DesignSwiss {
			unit = SwissPairs(spec.Design, len(spec.Players), 1)
		}
		first, second := spec, spec
		first.Pairs = unit * rapid.IntRange(0, 20).Draw(t, "first")
		second.Pairs = unit * rapid.IntRange(0, 20).Draw(t, "second")
		s, whole := begun(t, first), begun(t, second)
		playAll(t, s, world)
		testutil.OK(t, s.SetTarget(second.Pairs))
		playAll(t, s, world)
		playAll(t, whole, world)
		for id := range second.Pairs {
			a, _ := s.Slot(id)
			b, ok := whole.Slot(id)
			testutil.Require(t, ok && a == b, "pair %d is %+v, and planned so %+v", id, a, b)
		}
		if !s.Over() {
			t.Errorf("%d left of %d", s.Left(), second.Pairs)
		}
	})
}

func playAll(t interface{ Fatal(...any) }, s *Schedule, world dice) {
	for list := open(s); len(list) > 0; list = open(s) {
		testutil.OK(t, s.Learn(world.play(list[0])))
	}
}

// TestStrangers: Learn rejects a result that cannot be of the design, and its state does not change.
func TestStrangers(t *testing.T) {
	spec := Spec{Design: match.Design{Kind: match.DesignSwiss, Swap: true, Tournament: match.Tournament{MatchPairs: 1}},
		Players: names(4), Pairs: 4, Legs: 2}
	s := begun(t, spec)
	won := Outcome{Pair: 0, Players: [2]int{0, 2}, Points: [2]float64{2, 0}}
	for want, o := range map[string]Outcome{
		"pair 0 is of p0 and p1, but the results before it lead to p0 and p2": {Pair: 0, Players: [2]int{0, 1},
			Points: [2]float64{2, 0}},
		"pair -1 of players [0 1] is none": {Pair: -1, Players: [2]int{0, 1}},
		"pair 0 of players [0 4] is none":  {Pair: 0, Players: [2]int{0, 4}},
		"pair 0 of players [-1 2] is none": {Pair: 0, Players: [2]int{-1, 2}},
	} {
		testutil.Fails(t, s.Learn(o), want, "%+v", o)
	}
	testutil.Require(t, !s.Finished(0) && s.Left() == 4, "a refused result counts")
	testutil.OK(t, s.Learn(won))
	lost := (Outcome{Pair: 0, Players: [2]int{0, 2}, Points: [2]float64{0, 2}})
	testutil.Check(t, s.Learn(lost) != nil, "a pair came again with another result, and that was no error")
	// A void can leave a stored pair of the second round before the first round is finished. Learn keeps it, and finds the
	// contradiction when it draws the second round.
	testutil.OK(t, s.Learn(Outcome{Pair: 2, Players: [2]int{0, 2}, Points: [2]float64{2, 0}}))
	err := s.Learn(Outcome{Pair: 1, Players: [2]int{1, 3}, Points: [2]float64{2, 0}})
	var found *Contradiction
	testutil.Check(t, errors.As(err, &found) && *found == (Contradiction{2, [2]string{"p0", "p2"}, [2]string{"p0", "p1"}}),
		"%v", err)
}

// TestSpecsRefused: New rejects a design that cannot be played.
func TestSpecsRefused(t *testing.T) {
	design := func(kind match.DesignKind, x match.Tournament) match.Design {
		return match.Design{Kind: kind, Swap: true, Tournament: x}
	}
	for want, spec := range map[string]Spec{
		`design "gauntlet" does not pair by results`: {Design: design(match.DesignGauntlet, match.Tournament{}),
			Players: names(3)},
		"a match of 0 pairs": {Design: design(match.DesignSwiss, match.Tournament{}), Players: names(3)},
		"1 players": {Design: design(match.DesignSwiss, match.Tournament{MatchPairs: 1}),
			Players: names(1)},
		"3 pairs are no whole rounds of 2": {Design: design(match.DesignSwiss, match.Tournament{MatchPairs: 1}),
			Players: names(4), Pairs: 3},
		"a knockout of 4 players has up to 6": {Design: design(match.DesignKnockout,
			match.Tournament{MatchPairs: 1, Tiebreaks: 1}), Players: names(4), Pairs: 3},
		"-1 pairs": {Design: design(match.DesignAdaptive, match.Tournament{Block: 1}), Players: names(4), Pairs: -1},
	} {
		testutil.Fails(t, testutil.Err(New(spec)), want, "%+v", spec)
	}
}

// TestOutcomeOf: points go to A and B, independent of their colours.
func TestOutcomeOf(t *testing.T) {
	rows := []match.Row{
		{Pair: 7, Leg: 0, Black: "p1", White: "p0", PairA: "p1", PairB: "p0",
			Points: [2]float64{shogi.Black: 1, shogi.White: 0}},
		{Pair: 7, Leg: 1, Black: "p0", White: "p1", PairA: "p1", PairB: "p0",
			Points: [2]float64{shogi.Black: 0.4, shogi.White: 0.6}},
	}
	numbers := map[string]int{"p0": 0, "p1": 1}
	o, err := OutcomeOf(rows, numbers)
	testutil.Check(t, err == nil && o == (Outcome{7, [2]int{1, 0}, [2]float64{1.6, 0.4}}), "%+v, %v", o, err)
	rows[0].PairB = "p2"
	testutil.Fails(t, testutil.Err(OutcomeOf(rows, numbers)), "", "a stranger's pair has an outcome")
	testutil.Fails(t, testutil.Err(OutcomeOf(nil, numbers)), "", "a pair without games has an outcome")
}

// TestOf: a plan and its canonical text lead to the same pairs.
func TestOf(t *testing.T) {
	plan := &match.Plan{
		Design: match.Design{Kind: match.DesignAdaptive, Swap: true, Anchor: "b", Tournament: match.Tournament{Block: 5}},
		Seed:   1 << 63, Players: []match.Player{{Name: "a"}, {Name: "b"}, {Name: "c"}}, Pairs: 40,
	}
	canonical := testutil.Must(match.ParseCanonical(plan.Canonical()))(t)
	want := Spec{Design: plan.Design, Seed: 1 << 63, Players: []string{"a", "b", "c"}, Pairs: 40, Legs: 2}
	if got := OfCanonical(canonical, 40); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(Of(plan), want) {
		t.Errorf("%+v and %+v, want %+v", got, Of(plan), want)
	}
}

// TestLot: the seed decides the start numbers, and all orders are equally frequent.
func TestLot(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(6000) {
		spec := Spec{Design: match.Design{Tournament: match.Tournament{Lot: true}}, Seed: seed * 7919, Players: names(3)}
		order := startNumbers(spec)
		testutil.Require(t, slices.Equal(order, startNumbers(spec)), "a lot that is drawn again differs")
		seen[fmt.Sprint(order)]++
	}
	testutil.Require(t, len(seen) == 6, "%v", seen)
	for order, n := range seen { // 1,000 ± 29
		testutil.Check(t, n >= 850 && n <= 1150, "%s came up %d times of 6000", order, n)
	}
}
