package tournament

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/match"
)

// canAll reports whether all players in left can be matched. It tries all matchings.
func canAll(g graph, left []int) bool {
	if len(left) == 0 {
		return true
	}
	for i := 1; i < len(left); i++ {
		rest := append(slices.Clone(left[1:i]), left[i+1:]...)
		if g.edge(left[0], left[i]) && canAll(g, rest) {
			return true
		}
	}
	return false
}

// firstByTrying returns the matching that firstMatching must find. It tries all matchings.
func firstByTrying(g graph, left []int, candidates func(int) []int) [][2]int {
	if len(left) == 0 {
		return nil
	}
	for _, to := range candidates(left[0]) {
		if !slices.Contains(left, to) || !g.edge(left[0], to) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(left), func(v int) bool { return v == left[0] || v == to })
		if canAll(g, rest) {
			return append([][2]int{{left[0], to}}, firstByTrying(g, rest, candidates)...)
		}
	}
	return nil
}

// TestMatching compares firstMatching with a search of all matchings, in graphs with and without odd cycles.
func TestMatching(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 2 * rapid.IntRange(1, 5).Draw(t, "half")
		edges := map[[2]int]bool{}
		for a := range n {
			for b := range a {
				edges[meeting(a, b)] = rapid.IntRange(0, 9).Draw(t, "edge") < 4
			}
		}
		g := graph{n, func(a, b int) bool { return edges[meeting(a, b)] }}
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		candidates := func(v int) []int { return below(v, n) }
		want := firstByTrying(g, all, candidates)
		got := firstMatching(g, candidates)
		testutil.Require(t, reflect.DeepEqual(got, want), "%v, by trying %v, of %v", got, want, edges)
	})
}

// TestSwissLaws: in every round each player plays once or has the bye. Two players meet again, or a player has
// another bye, only if no other round is possible.
func TestSwissLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "players")
		spec := Spec{
			Design: match.Design{Kind: match.DesignSwiss, Swap: true,
				Tournament: match.Tournament{MatchPairs: rapid.IntRange(1, 2).Draw(t, "pairs"), Lot: rapid.Bool().Draw(t, "lot")}},
			Seed: rapid.Uint64().Draw(t, "seed"), Players: names(n), Legs: 2,
		}
		rounds := rapid.IntRange(1, 2*n).Draw(t, "rounds")
		spec.Pairs = SwissPairs(spec.Design, n, rounds)
		s := begun(t, spec)
		playAll(t, s, dice(rapid.Uint64().Draw(t, "world")))
		table := s.Rounds()
		testutil.Require(t, len(table) == rounds, "%d rounds, want %d", len(table), rounds)
		met := map[[2]int]int{}
		for _, round := range table {
			seen, most := map[int]int{}, 0
			for _, m := range round.Matches {
				for _, p := range m.Players {
					seen[p]++
				}
				most = max(most, met[meeting(m.Players[0], m.Players[1])])
			}
			everybody := make([]int, 0, n+1)
			for i := -n % 2; i < n; i++ { // from -1, the bye, if n is odd
				if everybody = append(everybody, i); seen[i] != 1 {
					t.Fatalf("%s has player %d %d times: %+v", round.Name, i, seen[i], round.Matches)
				}
			}
			g := graph{0, func(a, b int) bool { return met[meeting(a, b)] < most }}
			testutil.Require(t, most <= 0 || !canAll(g, everybody),
				"%s has a meeting after %d, and there is a round with fewer", round.Name, most)
			for _, m := range round.Matches {
				met[meeting(m.Players[0], m.Players[1])]++
			}
		}
	})
}

// swissOf plays a Swiss tournament in which the lower start number wins every game.
func swissOf(t *testing.T, players, rounds int) *Schedule {
	t.Helper()
	spec := Spec{Design: match.Design{Kind: match.DesignSwiss, Swap: true, Tournament: match.Tournament{MatchPairs: 1}},
		Players: names(players), Legs: 2}
	spec.Pairs = SwissPairs(spec.Design, players, rounds)
	s := begun(t, spec)
	for list := open(s); len(list) > 0; list = open(s) {
		o := Outcome{Pair: list[0].Pair, Players: list[0].Players}
		better := 0
		if o.Players[1] < o.Players[0] {
			better = 1
		}
		o.Points[better] = 2
		testutil.OK(t, s.Learn(o))
	}
	return s
}

// TestSwissByHand: the pairings of a Swiss tournament of five are calculated by hand. In round 1 the upper half meets
// the lower half (0–2, 1–3), and 4 has the bye. Then 0, 1 and 4 have 2 points: 0 meets 1, 4 meets the next player, 2,
// and 3 has the bye. Then 0 has 4 points and the others have 2. Player 0 has met 1 and 2, so it meets 3. If 1 met 2, 4
// would have a second bye. So 1 meets 4, and 2 has the bye.
func TestSwissByHand(t *testing.T) {
	s := swissOf(t, 5, 3)
	var got []string
	for _, r := range s.Rounds() {
		text := ""
		for _, m := range r.Matches {
			text += fmt.Sprintf("%d–%d %g–%g; ", m.Players[0], m.Players[1], m.Points[0], m.Points[1])
		}
		got = append(got, text)
	}
	want := []string{"0–2 2–0; 1–3 2–0; 4–-1 2–0; ", "0–1 2–0; 2–4 2–0; 3–-1 2–0; ", "0–3 2–0; 1–4 2–0; 2–-1 2–0; "}
	testutil.Require(t, slices.Equal(got, want), "%q\nwant %q", got, want)
	// Player 0 has 6 points, 1 and 2 have 4, 3 and 4 have 2. Buchholz of 1: 3 (2) + 0 (6) + 4 (2) = 10. Buchholz of 2: 0
	// (6) + 4 (2) + bye, its own 4 = 12. Sonneborn–Berger of 1: it beat 3 and 4, so 2 + 2 = 4. Sonneborn–Berger of 2: it
	// beat 4 and had the bye, so 2 + 4 = 6.
	standings := map[int]Standing{}
	for _, x := range s.Standings() {
		standings[x.Number] = x
	}
	for _, w := range []Standing{
		{Player: names(5)[0], Number: 0, Start: 1, Place: 1, Points: 6, Pairs: 3, Buchholz: new(4 + 4 + 2.),
			Berger: new(4 + 4 + 2.)},
		{Player: names(5)[2], Number: 2, Start: 3, Place: 2, Points: 4, Pairs: 2, Byes: 1, Buchholz: new(12.),
			Berger: new(6.)},
		{Player: names(5)[1], Number: 1, Start: 2, Place: 3, Points: 4, Pairs: 3, Buchholz: new(10.), Berger: new(4.)},
		{Player: names(5)[3], Number: 3, Start: 4, Place: 4, Points: 2, Pairs: 2, Byes: 1, Buchholz: new(4 + 6 + 2.),
			Berger: new(2.)},
		{Player: names(5)[4], Number: 4, Start: 5, Place: 5, Points: 2, Pairs: 2, Byes: 1, Buchholz: new(2 + 4 + 4.),
			Berger: new(2.)},
	} {
		testutil.Same(t, standings[w.Number], w)
	}
}

// TestUnfinishedMatchesBreakNoTies: a match of two pairs counts in the tie-breaks once both are played.
func TestUnfinishedMatchesBreakNoTies(t *testing.T) {
	spec := Spec{Design: match.Design{Kind: match.DesignSwiss, Swap: true, Tournament: match.Tournament{MatchPairs: 2}},
		Players: names(4), Legs: 2}
	spec.Pairs = SwissPairs(spec.Design, 4, 1)
	s := begun(t, spec)
	slots := open(s) // two pairs of 0–2, and of 1–3
	for _, x := range []struct {
		of     [2]int
		points [2]float64
		want   [4][2]float64 // Buchholz and Sonneborn–Berger of each player
	}{
		{[2]int{0, 2}, [2]float64{2, 0}, [4][2]float64{}},
		{[2]int{1, 3}, [2]float64{2, 0}, [4][2]float64{}},
		{[2]int{0, 2}, [2]float64{1, 1}, [4][2]float64{0: {1, 0.75}, 2: {3, 0.75}}},
	} {
		i := slices.IndexFunc(slots, func(slot Slot) bool { return meeting(slot.Players[0], slot.Players[1]) == x.of })
		points := x.points
		if slots[i].Players != x.of {
			points[0], points[1] = points[1], points[0]
		}
		testutil.OK(t, s.Learn(Outcome{Pair: slots[i].Pair, Players: slots[i].Players, Points: points}))
		slots = slices.Delete(slots, i, i+1)
		for _, standing := range s.Standings() {
			if got := [2]float64{*standing.Buchholz, *standing.Berger}; got != x.want[standing.Number] {
				t.Errorf("after %v of %v: player %d has %v, want %v", x.points, x.of, standing.Number, got, x.want[standing.Number])
			}
		}
	}
}

// TestSwissOfMany: 12 rounds of 201 players can be paired, and the strongest player wins all games.
func TestSwissOfMany(t *testing.T) {
	s := swissOf(t, 201, 12)
	place := s.Standings()[0]
	testutil.Check(t, place.Number == 0 && place.Points == 24, "%+v", place)
}

// knockoutOf plays a knockout. points returns A's points, from 0 to 2, in pair j of a match.
func knockoutOf(t *testing.T, players int, x match.Tournament, points func(players [2]int, j int) float64) *Schedule {
	t.Helper()
	spec := Spec{Design: match.Design{Kind: match.DesignKnockout, Swap: true, Tournament: x}, Players: names(players),
		Legs: 2}
	spec.Pairs = KnockoutPairs(spec.Design, players)
	s := begun(t, spec)
	for list := open(s); len(list) > 0; list = open(s) {
		slot := list[len(list)-1]
		a := points(slot.Players, slot.Pair%length(x))
		testutil.OK(t, s.Learn(Outcome{Pair: slot.Pair, Players: slot.Players, Points: [2]float64{a, 2 - a}}))
	}
	return s
}

// better returns A's points if the lower number always wins.
func better(players [2]int, _ int) float64 {
	if players[0] < players[1] {
		return 2
	}
	return 0
}

// TestBracket: if the better seed always wins, the first two seeds meet in the final and the places follow the seeds.
// The first seeds have the byes.
func TestBracket(t *testing.T) {
	for players := 2; players <= 33; players++ {
		for _, third := range []bool{false, true} {
			s := knockoutOf(t, players, match.Tournament{MatchPairs: 1, ThirdPlace: third}, better)
			rounds, total := s.Rounds(), 0
			first := map[int]bool{}
			for i, r := range rounds {
				total += len(r.Matches)
				for _, m := range r.Matches {
					testutil.Require(t, m.Winner == s.spec.name(min(m.Players[0], m.Players[1])) && m.How == ByPoints && m.Pairs == 1,
						"%d players, %s: %+v", players, r.Name, m)
					if i == 0 {
						first[m.Players[0]], first[m.Players[1]] = true, true
					}
				}
			}
			want := players - 1
			if third && players > 3 {
				want++
			}
			if planned := s.spec.Pairs; total != want || len(s.Drawn()) != want || planned != want {
				t.Errorf("%d players: %d matches in %d pairs of %d that were planned, want %d", players, total, len(s.Drawn()),
					planned, want)
			}
			final := rounds[len(rounds)-1]
			testutil.Check(t, final.Name.String() == "final" &&
				meeting(final.Matches[0].Players[0], final.Matches[0].Players[1]) == [2]int{0, 1},
				"%d players: %+v", players, final)
			byes := 1
			for ; byes < players; byes *= 2 {
			}
			for seed := range byes - players {
				testutil.Check(t, !first[seed], "%d players: seed %d has no bye", players, seed)
			}
			checkPlaces(t, s, players, third)
		}
	}
}

// checkPlaces checks that the places follow the player numbers. Players who leave in the same round share a place.
func checkPlaces(t *testing.T, s *Schedule, players int, third bool) {
	t.Helper()
	standings := s.Standings()
	for i, x := range standings {
		want := i + 1
		for level := 2; level < players; level *= 2 { // 3–4, 5–8, 9–16, …
			if i >= level && i < 2*level && !(third && level == 2) {
				want = level + 1
			}
		}
		testutil.Require(t, x.Number == i && x.Place == want,
			"%d players, third %v: %+v at %d, want place %d", players, third, x, i+1, want)
	}
	if standings[0].Reached.String() != "winner" || standings[1].Reached.String() != "final" {
		t.Errorf("%+v", standings[:2])
	}
}

// TestTiebreaks: a tied match of two pairs continues pair by pair until one pair is decisive. After the last pair the
// better seed wins.
func TestTiebreaks(t *testing.T) {
	x := match.Tournament{MatchPairs: 2, Tiebreaks: 3}
	for _, test := range []struct {
		points []float64 // of player 1 against player 0
		winner int
		how    Decision
	}{
		{[]float64{2, 0.5}, 1, ByPoints},
		{[]float64{0, 1.5}, 0, ByPoints},
		{[]float64{2, 0, 1.5}, 1, ByTiebreak},
		{[]float64{1, 1, 1, 0.5}, 0, ByTiebreak},
		{[]float64{1, 1, 1, 1, 1.5}, 1, ByTiebreak},
		{[]float64{0, 2, 1, 1, 1}, 0, BySeed},
	} {
		s := knockoutOf(t, 2, x, func(players [2]int, j int) float64 {
			testutil.Require(t, players == [2]int{0, 1}, "%v", players)
			return 2 - test.points[j]
		})
		m := s.Rounds()[0].Matches[0]
		testutil.Check(t, m.Winner == s.spec.name(test.winner) && m.How == test.how && m.Pairs == len(test.points) &&
			s.Over(),
			"%v: %+v", test.points, m)
	}
	// If all games are drawn, the player with the first start number wins.
	spec := Spec{Design: match.Design{Kind: match.DesignKnockout, Swap: true,
		Tournament: match.Tournament{MatchPairs: 1, Lot: true}}, Seed: 5, Players: names(8), Pairs: 7, Legs: 2}
	s := begun(t, spec)
	for list := open(s); len(list) > 0; list = open(s) {
		testutil.OK(t, s.Learn(Outcome{Pair: list[0].Pair, Players: list[0].Players, Points: [2]float64{1, 1}}))
	}
	if first := s.Standings()[0]; first.Number != s.start[0] || first.Start != 1 {
		t.Errorf("%+v won, the first start number is %d", first, s.start[0])
	}
}

// TestOpenings: two players never play the same opening twice. All matches of a Swiss round have the same openings,
// pair for pair, and no two rounds share an opening.
func TestOpenings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, world := specs().Draw(t, "spec"), dice(rapid.Uint64().Draw(t, "world"))
		s := begun(t, spec)
		playAll(t, s, world)
		met := map[[2]int]map[int]bool{}
		for _, slot := range s.Drawn() {
			key := meeting(slot.Players[0], slot.Players[1])
			if met[key] == nil {
				met[key] = map[int]bool{}
			}
			testutil.Require(t, !met[key][slot.Opening], "%v play opening %d again", slot.Players, slot.Opening)
			met[key][slot.Opening] = true
		}
		if spec.Kind != match.DesignSwiss {
			return
		}
		length, matches := spec.Tournament.MatchPairs, len(spec.Players)/2
		for _, slot := range s.Drawn() {
			round := slot.Pair / (length * matches)
			want := round*length + slot.Pair%length
			testutil.Require(t, slot.Opening == want, "%+v, want opening %d", slot, want)
		}
	})
}
