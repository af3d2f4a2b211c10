package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
)

// TestMemberUses: each engine of a council is compared with its own limit, over the ballots with a bestmove of its own.
// An engine inside a council of a council has its own line. An unreadable record counts nothing.
func TestMemberUses(t *testing.T) {
	ballot := func(n int, name string, nodes, ms int, source string) string {
		return fmt.Sprintf(`{"m":%d,"name":%q,"kind":"move","n":%d,"ms":%d,"src":%q}`, n, name, nodes, ms, source)
	}
	vote := func(council string, ballots ...string) string {
		return fmt.Sprintf(`{"v":1,"type":"vote","council":%q,"members":["x","y","z"],"ballots":[%s]}`, council,
			strings.Join(ballots, ","))
	}
	inner := vote("D", ballot(0, "c", 40, 300, "bestmove"))
	nested := `{"m":2,"name":"D","kind":"move","ms":300,"src":"bestmove","vote":` + inner + `}`
	votes := [][]byte{
		[]byte(vote("C", ballot(0, "a", 8085, 20, "bestmove"), ballot(1, "b", 100, 400, "bestmove"), nested)),
		[]byte(vote("C", ballot(0, "a", 8085, 28, "bestmove"), ballot(1, "b", 3, 1, "variation"), nested)),
		[]byte("no record"),
	}
	nodes, byoyomi := match.Limits{Nodes: 100}, match.Limits{Clock: match.TimeControl{Byoyomi: 500 * time.Millisecond}}
	limits := func(l match.Limits, by match.Searcher) []match.MemberLimits {
		return []match.MemberLimits{{Name: "C/a", Limits: l, By: by}, {Name: "C/b", Limits: l, By: by},
			{Name: "C/D/c", Limits: l, By: by}}
	}
	margins := [][]string{{"Byoyomi_Margin 500"}, nil, nil}
	for name, test := range map[string]struct {
		limits []match.MemberLimits
		want   []string
	}{
		"nodes": {limits(nodes, match.Member), []string{
			"C/a took 8,085 nodes a move, 80.8 times its limit of 100:",
			"C/D/c took 40 nodes a move, 40.0% of its limit of 100:",
		}},
		"may be less": {limits(nodes, match.MayBeLess), []string{"C/a took 8,085 nodes"}},
		"byoyomi": {limits(byoyomi, match.Member),
			[]string{"C/a took 24 ms a move, 4.8% of its byoyomi of 500 ms: this run does not compare equal times. Likely causes: Byoyomi_Margin 500."}},
		"none": {nil, nil},
	} {
		var got []string
		r := Report{Players: []Player{{Name: "C", Members: MemberUses(test.limits, votes, margins)}}}
		for _, w := range r.LimitWarnings() {
			got = append(got, w.String())
		}
		testutil.Require(t, len(got) == len(test.want), "%s: %q, want %q", name, got, test.want)
		for i := range got {
			testutil.Check(t, strings.HasPrefix(got[i], test.want[i]), "%s: %q, want %q", name, got[i], test.want[i])
		}
	}
}
