package crosstable

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"

	"gogi/internal/lists"
	"gogi/internal/testutil"
)

// TestConnectAgainstHunter: the groups are the strongly connected components that the program of the fixture found.
func TestConnectAgainstHunter(t *testing.T) {
	var fixture struct {
		NoMLE map[string]struct {
			W   [][]float64
			SCC [][]int
		} `json:"no_mle"`
	}
	testutil.OK(t, json.Unmarshal(testutil.Must(os.ReadFile("../testdata/mm_hunter.json"))(t), &fixture))
	testutil.Require(t, len(fixture.NoMLE) != 0, "no case")
	for name, c := range fixture.NoMLE {
		connection := testutil.Must(New(winsOf(c.W)))(t).Connection()
		if name == "all_loser" || name == "all_winner" {
			kind := map[string]AsideKind{"all_loser": LostAll, "all_winner": WonAll}[name]
			testutil.Check(t, len(connection.SetAside) == 1 && connection.SetAside[0].Kind == kind, "%s: %+v", name, connection)
			continue
		}
		var groups [][]int
		for _, g := range connection.Groups {
			group := lists.Map(g, func(p string) int { return testutil.Must(strconv.Atoi(p))(t) })
			groups = append(groups, group)
		}
		testutil.Check(t, connection.Why != "" && slices.EqualFunc(groups, c.SCC, slices.Equal),
			"%s: groups %v (%s), want %v", name, groups, connection.Why, c.SCC)
	}
}

// winsOf returns the games of a matrix of wins, with a row for each winner. The names of the players are numbers from
// 1.
func winsOf(w [][]float64) []Count {
	var counts []Count
	for i, row := range w {
		for j, wins := range row {
			if i != j {
				counts = append(counts, Count{Black: strconv.Itoa(i + 1), White: strconv.Itoa(j + 1), BlackWins: int(wins)})
			}
		}
	}
	return counts
}

// TestWithinGroups: games that one group won completely against another say nothing about the strengths within the
// groups, so WithinGroups drops them.
func TestWithinGroups(t *testing.T) {
	table := testutil.Must(New([]Count{
		{Black: "a", White: "b", BlackWins: 1, WhiteWins: 1},
		{Black: "c", White: "d", Draws: 3},
		{Black: "a", White: "c", BlackWins: 5},
		{Black: "d", White: "b", WhiteWins: 2},
	}))(t)
	inside := table.WithinGroups()
	testutil.Check(t, len(inside.Names) == 4 && inside.Played() == 5, "%+v", inside)
}
