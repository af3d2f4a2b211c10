package match

import (
	"fmt"
	"testing"
	"time"

	"gogi/internal/testutil"
)

// TestUses compares sums with limits. The figures of the engines come from their own info lines: Apery took 8,085 nodes
// where 100 were asked for, Fairy-Stockfish 10,008 of 10,000, and Apery used 24.1 ms of a byoyomi of 500 ms.
func TestUses(t *testing.T) {
	byoyomi := Limits{Clock: TimeControl{Byoyomi: 500 * time.Millisecond}}
	for _, test := range []struct {
		limits Limits
		moves  Side
		by     Searcher
		want   string // kind, mean and limit; "!" if the limit is not kept
	}{
		{Limits{Nodes: 100}, Side{Plies: 10, Nodes: 80850}, Alone, "nodes 8085/100!"},
		{Limits{Nodes: 10_000}, Side{Plies: 3, Nodes: 30_024}, Alone, "nodes 10008/10000"},
		{Limits{Nodes: 500}, Side{Plies: 4, Nodes: 2200}, Alone, "nodes 550/500"},
		{Limits{Nodes: 500}, Side{Plies: 4, Nodes: 2204}, Alone, "nodes 551/500!"},
		{Limits{Nodes: 500}, Side{Plies: 4, Nodes: 1800}, Alone, "nodes 450/500"},
		{Limits{Nodes: 500}, Side{Plies: 4, Nodes: 1796}, Alone, "nodes 449/500!"},
		{Limits{Nodes: 500}, Side{Plies: 4, Nodes: 1796}, MayBeLess, "nodes 449/500"},
		{Limits{Nodes: 500}, Side{Plies: 4, Nodes: 2204}, MayBeLess, "nodes 551/500!"},
		{Limits{Nodes: 500}, Side{Plies: 4}, Alone, "nodes –/500!"},
		{Limits{Depth: 10}, Side{Plies: 4, DepthSum: 22, DepthPlies: 2}, Alone, "depth 11/10"},
		{Limits{Depth: 10}, Side{Plies: 4, DepthSum: 6, DepthPlies: 3}, Alone, "depth 2/10!"},
		{Limits{MoveTime: time.Second}, Side{Plies: 2, Time: 2 * time.Second}, Alone, "movetime 1000/1000"},
		{Limits{MoveTime: time.Second}, Side{Plies: 2, Time: 58 * time.Millisecond}, Alone, "movetime 29/1000!"},
		{byoyomi, Side{Plies: 10, Time: 241 * time.Millisecond}, Alone, "byoyomi 24.1/500!"},
		{byoyomi, Side{Plies: 10, Time: time.Second}, Alone, "byoyomi 100/500"},
		{byoyomi, Side{Plies: 10, Time: 6 * time.Second}, Alone, "byoyomi 600/500"},
		{Limits{Clock: TimeControl{Main: 8 * time.Second, Increment: 80 * time.Millisecond}},
			Side{Plies: 10, Time: 150 * time.Millisecond}, Alone, "increment 15/80!"},
		{Limits{Clock: TimeControl{Main: 8 * time.Second}}, Side{Plies: 10, Time: time.Millisecond}, Alone, ""},
		{Limits{Nodes: 100, Depth: 5}, Side{Plies: 1, Nodes: 40, DepthSum: 5, DepthPlies: 1}, Alone,
			"nodes 40/100 depth 5/5"},
		{Limits{Nodes: 100, Depth: 5}, Side{Plies: 1, Nodes: 400, DepthSum: 3, DepthPlies: 1}, Alone,
			"nodes 400/100! depth 3/5"},
		{Limits{Nodes: 100, Clock: TimeControl{Main: time.Second}}, Side{Plies: 1, Nodes: 40}, Alone, "nodes 40/100"},
		{Limits{Nodes: 500}, Side{Plies: 4, Nodes: 1796}, Member, "nodes 449/500!"},
		{Limits{MoveTime: time.Second}, Side{Plies: 2, Time: 1800 * time.Millisecond}, Member, "movetime 900/1000"},
		{Limits{MoveTime: time.Second}, Side{Plies: 2, Time: 400 * time.Millisecond}, Member, "movetime 200/1000"},
		{Limits{MoveTime: time.Second}, Side{Plies: 2, Time: 398 * time.Millisecond}, Member, "movetime 199/1000!"},
		{Limits{MoveTime: time.Second}, Side{Plies: 2, Time: 2300 * time.Millisecond}, Member, "movetime 1150/1000!"},
		{byoyomi, Side{Plies: 10, Time: 241 * time.Millisecond}, Member, "byoyomi 24.1/500!"},
		{byoyomi, Side{Plies: 10, Time: 241 * time.Millisecond}, MayBeLess, "byoyomi 24.1/500"},
		{Limits{Self: true}, Side{Plies: 1, Nodes: 40}, Alone, ""},
		{Limits{Nodes: 100}, Side{}, Alone, ""},
	} {
		got := ""
		for _, u := range test.limits.Uses(test.moves, test.by) {
			mean := "–"
			if u.Mean != nil {
				mean = fmt.Sprint(*u.Mean)
			}
			if got != "" {
				got += " "
			}
			got += fmt.Sprintf("%s %s/%g", u.Kind, mean, u.Limit)
			if !u.Kept {
				got += "!"
			}
		}
		testutil.Equal(t, got, test.want, "%v, %+v, searcher %v", test.limits, test.moves, test.by)
	}
}

// TestUseLimits: clocks by colour have no common time for a move. The members of a council share the limit of nodes, or
// each has it; with a check of the vote the number of searches is open.
func TestUseLimits(t *testing.T) {
	member := CanonicalPlayer{Name: "m", Limits: "nodes 3", Margin: "0s", Stall: "0s"}
	two := []CanonicalPlayer{member, member}
	player := func(limits string, c *CanonicalCouncil) CanonicalPlayer {
		return CanonicalPlayer{Limits: limits, Margin: "0s", Stall: "0s", Council: c}
	}
	for _, test := range []struct {
		plan CanonicalPlan
		want Limits
	}{
		{CanonicalPlan{Players: []CanonicalPlayer{player("nodes 7", nil)}}, Limits{Nodes: 7}},
		{CanonicalPlan{Players: []CanonicalPlayer{player("movetime 1s", nil)}}, Limits{MoveTime: time.Second}},
		{CanonicalPlan{Players: []CanonicalPlayer{player("movetime 1s", nil)}, Clocks: map[string]string{"black": "0/1"}},
			Limits{Clock: TimeControl{Main: 1}}},
		{CanonicalPlan{Players: []CanonicalPlayer{player("minds 3", nil)}}, Limits{}},
		{CanonicalPlan{Players: []CanonicalPlayer{player("nodes 7", &CanonicalCouncil{Members: two})}}, Limits{Nodes: 14}},
		{CanonicalPlan{Players: []CanonicalPlayer{player("nodes 7", &CanonicalCouncil{Members: two, Split: true})}},
			Limits{Nodes: 7}},
		{CanonicalPlan{Players: []CanonicalPlayer{player("nodes 7", &CanonicalCouncil{Members: two, Veto: &Veto{Nodes: 2}})}},
			Limits{}},
		{CanonicalPlan{Players: []CanonicalPlayer{player("nodes 7",
			&CanonicalCouncil{Members: two, Own: []bool{false, true}})}}, Limits{}},
	} {
		testutil.Equal(t, test.plan.UseLimits(0), test.want, "%+v", test.plan.Players)
	}
}

// TestMemberLimits: each engine of a council has the limits of the council, its share of them, or its own. Where the
// council itself may end a search, less than a limit is no fault.
func TestMemberLimits(t *testing.T) {
	member := func(name string, c *CanonicalCouncil) CanonicalPlayer {
		return CanonicalPlayer{Name: name, Limits: "nodes 3", Margin: "0s", Stall: "0s", Council: c}
	}
	two := []CanonicalPlayer{member("a", nil), member("b", nil)}
	for _, test := range []struct {
		limits  string
		council *CanonicalCouncil
		want    string
	}{
		{"nodes 8", nil, "[]"},
		{"nodes 8", &CanonicalCouncil{Members: two}, "[{C/a nodes 8 1} {C/b nodes 8 1}]"},
		{"nodes 8", &CanonicalCouncil{Members: two, Stop: "all"}, "[{C/a nodes 8 1} {C/b nodes 8 1}]"},
		{"nodes 8", &CanonicalCouncil{Members: two, Stop: "quorum"}, "[{C/a nodes 8 2} {C/b nodes 8 2}]"},
		{"nodes 8", &CanonicalCouncil{Members: two, Jitter: 0.1}, "[{C/a nodes 8 2} {C/b nodes 8 2}]"},
		{"nodes 8", &CanonicalCouncil{Members: two, Split: true}, "[{C/a nodes 4 1} {C/b nodes 4 1}]"},
		{"byoyomi 1s", &CanonicalCouncil{Members: two, Split: true}, "[{C/a byoyomi 500ms 1} {C/b byoyomi 500ms 1}]"},
		{"nodes 8", &CanonicalCouncil{Members: two, Own: []bool{false, true}}, "[{C/a nodes 8 1} {C/b nodes 3 1}]"},
		{"nodes 8", &CanonicalCouncil{Members: []CanonicalPlayer{member("D", &CanonicalCouncil{Members: two, Split: true}),
			member("c", nil)}}, "[{C/D/a nodes 4 1} {C/D/b nodes 4 1} {C/c nodes 8 1}]"},
	} {
		plan := CanonicalPlan{Players: []CanonicalPlayer{{Name: "C", Limits: test.limits, Margin: "0s", Stall: "0s",
			Council: test.council}}}
		testutil.Equal(t, fmt.Sprint(plan.MemberLimits(0)), test.want, "%s, %+v", test.limits, test.council)
	}
}
