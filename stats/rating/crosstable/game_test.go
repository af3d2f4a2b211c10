package crosstable

import (
	"math"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// TestImpossibleCounts: a count that cannot have been played gives an error with the reason.
func TestImpossibleCounts(t *testing.T) {
	for _, c := range []struct {
		count Count
		want  string
	}{
		{Count{Black: "a", White: "a"}, "both sides"},
		{Count{Black: "a"}, "no name"},
		{Count{Black: "a", White: "b", Draws: -1}, "negative"},
		{Count{Black: "a", White: "b", Weight: -1}, "weigh"},
		{Count{Black: "a", White: "b", Weight: math.Inf(1)}, "weigh"},
		{Count{Black: "a", White: "b", Weight: math.NaN()}, "weigh"},
		{Count{Black: "a", White: "b", Cluster: -1}, "cluster"},
		{Count{Black: "a", White: "b", Handicap: HeaviestHandicap + 1}, "handicap"},
		{Count{Black: "a", White: "b", Receiver: "c"}, "does not play"},
	} {
		_, err := New([]Count{c.count})
		testutil.Check(t, err != nil && strings.Contains(err.Error(), c.want), "%+v: %v; want an error with %q", c.count, err,
			c.want)
	}
}

// TestTable compares the sums of a small table with those calculated by hand.
func TestTable(t *testing.T) {
	table := testutil.Must(New([]Count{
		{Black: "c", White: "a", BlackWins: 1, Draws: 1, Weight: 0.5},
		{Black: "a", White: "c", BlackWins: 3, WhiteWins: 1},
		{Black: "a", White: "b", Draws: 2, Cluster: 1},
		{Black: "d", White: "a"},
	}))(t)
	if table.Games() != 7 || table.Played() != 8 || table.Draws() != 2.5 {
		t.Errorf("games %v, played %v, draws %v", table.Games(), table.Played(), table.Draws())
	}
	games, points := table.Totals()
	for i, want := range [][2]float64{{8, 4.5}, {2, 1}, {6, 2.5}, {0, 0}} {
		if games[i] != want[0] || points[i] != want[1] {
			t.Errorf("%s: %v of %v, want %v", table.Names[i], points[i], games[i], want)
		}
	}
	if folded := table.Folded(); len(folded) != 2 || folded[1].Wins != 3 || folded[1].Losses != 1.5 ||
		folded[1].Draws != 0.5 {
		t.Errorf("folded %+v", folded)
	}
	alone := table.Independent()
	testutil.Check(t, len(alone) == 2, "independent %+v", alone)
	active, aside := table.Active()
	testutil.Check(t, len(active.Names) == 3 && len(aside) == 1 && aside[0].Player == "d" && aside[0].Kind == NoGame,
		"active %v, aside %v", active.Names, aside)
	pair := table.Only([]bool{true, false, true, false})
	testutil.Check(t, len(pair.Cells) == 2 && pair.Played() == 6 && len(pair.Clusters) == 0, "a and c: %+v", pair)
}
