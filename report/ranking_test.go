package report

import (
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/stats"
)

// ranked returns a finished report of three players with swapped colours and these points of 8 games each.
func ranked(points [3]float64, unshown []string) *Report {
	r := &Report{Pairs: 12, Planned: 12, Games: 24, Finished: true, Looks: OptionalStopping{FixedLength: true},
		Pentanomial: stats.Pentanomial{WL: 4}}
	for i, name := range []string{"a", "b", "c"} {
		r.Players = append(r.Players, Player{Name: name, Games: 8, Points: points[i]})
	}
	r.A, r.B = "a", "b"
	r.Ranking = r.Rank()
	r.Ranking.Unshown = unshown
	return r
}

// TestRank: the order is by points, for any order of the players. Players with equal points share a place.
func TestRank(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		points [3]float64
		want   string
	}{
		{[3]float64{2, 7, 3}, "1 b, 2 c, 3 a"},
		{[3]float64{4, 4, 4}, "1 a, 1 b, 1 c"},
		{[3]float64{1.5, 5, 5}, "1 b, 1 c, 3 a"},
	} {
		var got []string
		for _, p := range ranked(test.points, nil).Ranking.Players {
			got = append(got, string(rune('0'+p.Place))+" "+p.Player)
		}
		testutil.Equal(t, strings.Join(got, ", "), test.want, "%v", test.points)
	}
	for design, want := range map[match.DesignKind]bool{match.DesignSwiss: true, match.DesignKnockout: true,
		match.DesignRoundRobin: false} {
		r := ranked([3]float64{1, 2, 3}, nil)
		r.Tournament = &Tournament{Design: design}
		testutil.Equal(t, r.Rank().Selected, want, "%s: the leader was chosen by results", design)
	}
	two := &Report{Players: []Player{{Name: "a"}, {Name: "b"}}}
	testutil.Check(t, two.Rank() == nil, "two players are ranked")
}

// TestRankingVerdict: the headline is about the leader, who may be the third player, and not about the first two.
func TestRankingVerdict(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		points   [3]float64
		unshown  []string
		finished bool
		kind     string
		claim    string
	}{
		{[3]float64{3, 2, 7}, []string{}, true, "shown",
			"c leads with 7 of 8 points, and is stronger than every other player under the conditions of this run."},
		{[3]float64{4, 2, 6}, []string{"a"}, true, "open",
			"c leads with 6 of 8 points, but the games do not show that it is stronger than a."},
		{[3]float64{4, 2, 6}, nil, true, "open", "c leads with 6 of 8 points."},
		{[3]float64{5, 2, 5}, []string{"c"}, true, "open", "a and c share the first place; points of each: 5."},
		{[3]float64{3, 2, 7}, []string{}, false, "none", "There is no verdict yet: 12 of 12 pairs are played."},
	} {
		r := ranked(test.points, test.unshown)
		r.Finished = test.finished
		v := r.Verdict()
		testutil.Check(t, v.Kind == test.kind && v.Claim.String() == test.claim, "%v: %s, %s", test.points, v.Kind, v.Claim)
	}
}

// TestLeastPairs: LeastPairs returns the smallest n for which 2^-n is within the level.
func TestLeastPairs(t *testing.T) {
	t.Parallel()
	for alpha, want := range map[float64]int{0.05: 5, 0.5: 1, 0.25: 2, 0.01: 7, 0.05 / 8: 8} {
		n := LeastPairs(alpha)
		testutil.Check(t, n == want, "at %g: %d pairs, want %d", alpha, n, want)
	}
}
