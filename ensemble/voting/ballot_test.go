package voting_test

import (
	"encoding/json"
	"math"
	"testing"

	"gogi/ensemble/voting"
	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

// TestBallotOfABound: a ballot has the last exact score of the search, also of another move, and never a bound that
// proves no mate. So no rule weighs a bound.
func TestBallotOfABound(t *testing.T) {
	p := shogi.StartPos()
	exact, other := "info depth 8 score cp 30 pv 7g7f 3c3d", "info depth 8 score cp 25 pv 2g2f 8c8d"
	for name, test := range map[string]struct {
		last, before string // info lines
		score        string // as usi.Score writes it; "": none
		depth        int
	}{
		"exact":                    {exact, "", "cp 30", 8},
		"bound of the same move":   {"info depth 9 score cp -2600 lowerbound pv 7g7f", exact, "cp 30", 8},
		"bound of another move":    {"info depth 9 score cp 400 lowerbound pv 7g7f", other, "cp 25", 9},
		"only a bound":             {"info depth 9 score cp 400 lowerbound pv 7g7f", "", "", 9},
		"at least a mate":          {"info depth 9 score mate 5 lowerbound pv 7g7f", exact, "mate 5", 9},
		"at most a mate of itself": {"info depth 9 score mate -4 upperbound pv 7g7f", exact, "mate -4", 9},
		"at most a mate":           {"info depth 9 score mate 5 upperbound pv 7g7f", exact, "cp 30", 8},
	} {
		second := usi.ParseInfo("info multipv 2 depth 9 score cp 90 upperbound pv 2g2f")
		r := usi.Reply{Answer: usi.AnswerMove, Move: testutil.Must(shogi.ParseMove("7g7f"))(t),
			Lines: []usi.Info{usi.ParseInfo(test.last), second}}
		if test.before != "" {
			r.Exact = usi.ParseInfo(test.before)
		}
		b := voting.NewBallot(0, &p, r)
		got := ""
		if b.HasScore {
			got = b.Score.String()
		}
		testutil.Check(t, got == test.score && b.Depth == test.depth, "%s: score %q at depth %d", name, got, b.Depth)
		for _, line := range b.Ranked[1:] {
			testutil.Check(t, !line.HasScore, "%s: %+v", name, line)
		}
	}
}

// TestOrderedAsMaps requires that an object with one key has the text that encoding/json gives to the same map, for
// texts of moves, other texts, whole numbers and all other numbers.
func TestOrderedAsMaps(t *testing.T) {
	for _, key := range []string{"7g7f", "P*3d", "2b8h+", "resign", "", "a<b", `"`, "é"} {
		for _, value := range []float64{1, 12, -3, 0, math.Copysign(0, -1), 0.1, 1e-7, 1 << 53, 1 << 62, -1 << 62,
			math.MaxInt64, math.MinInt64, 1e18, 1e21} {
			want := testutil.Must(json.Marshal(map[string]float64{key: value}))(t)
			got := testutil.Must(json.Marshal(voting.Ordered[float64]{{Key: key, Value: value}}))(t)
			testutil.Equal(t, string(got), string(want), "float64")
		}
		for _, value := range []int{0, 7, -120, math.MaxInt64, math.MinInt64} {
			want := testutil.Must(json.Marshal(map[string]int{key: value}))(t)
			got := testutil.Must(json.Marshal(voting.Ordered[int]{{Key: key, Value: value}}))(t)
			testutil.Equal(t, string(got), string(want), "int")
		}
	}
	_, err := json.Marshal(voting.Ordered[float64]{{Key: "7g7f", Value: math.NaN()}})
	testutil.Check(t, err != nil, "NaN is no JSON")
}
