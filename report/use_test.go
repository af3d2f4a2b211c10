package report

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
)

// TestLimitWarnings: the report names a player that does not keep its limit, and the options that are likely causes. It
// says nothing about the other player. x makes 24 ms a move of 500 ms, and 8,085 nodes of 100.
func TestLimitWarnings(t *testing.T) {
	byoyomi := match.Limits{Clock: match.TimeControl{Byoyomi: 500 * time.Millisecond}}
	for name, test := range map[string]struct {
		asked Asked
		moves match.Side
		want  string // "": no warning
	}{
		"nodes": {Asked{Limits: match.Limits{Nodes: 100}}, match.Side{Plies: 2, Nodes: 16170},
			"x took 8,085 nodes a move, 80.8 times its limit of 100: this run does not compare equal nodes."},
		"fewer": {Asked{Limits: match.Limits{Nodes: 100}}, match.Side{Plies: 2, Nodes: 120},
			"x took 60 nodes a move, 60.0% of its limit of 100: this run does not compare equal nodes."},
		"no word": {Asked{Limits: match.Limits{Nodes: 100}}, match.Side{Plies: 2},
			"x reports no nodes, so nothing shows whether it keeps its limit of 100 nodes."},
		"book": {Asked{Limits: match.Limits{Nodes: 100}, By: match.MayBeLess}, match.Side{Plies: 2, Nodes: 120}, ""},
		"kept": {Asked{Limits: match.Limits{Nodes: 100}}, match.Side{Plies: 2, Nodes: 202}, ""},
		"depth": {Asked{Limits: match.Limits{Depth: 6}}, match.Side{Plies: 2, DepthPlies: 2, DepthSum: 5},
			"x reached depth 2.5 on average, 41.7% of its limit of 6: this run does not compare equal depths."},
		"time": {Asked{Limits: byoyomi, Margins: []string{"Byoyomi_Margin 500", "Time_Margin 4500"}},
			match.Side{Plies: 2, Time: 48 * time.Millisecond},
			"x took 24 ms a move, 4.8% of its byoyomi of 500 ms: this run does not compare equal times. Likely causes: Byoyomi_Margin 500, Time_Margin 4500."},
		"slow": {Asked{Limits: match.Limits{MoveTime: 100 * time.Millisecond}, Margins: []string{"MarginMs 500"}},
			match.Side{Plies: 2, Time: 240 * time.Millisecond},
			"x took 120 ms a move, 120.0% of its movetime of 100 ms: this run does not compare equal times."},
	} {
		t.Run(name, func(t *testing.T) {
			run := Run{Name: "run", Pairs: 1, Gate: gated(0, 10),
				Players: []Player{{Name: "x", Asked: test.asked}, {Name: "y", Asked: Asked{Limits: match.Limits{Nodes: 50}}}}}
			g := testutil.Must(New(run))(t)
			rows := matchtest.Run{Players: []string{"x", "y"}, Pairs: []string{"WW"}}.Rows()[0]
			for i := range rows {
				rows[i].Sides[i], rows[i].Sides[1-i] = test.moves, match.Side{Plies: 3, Nodes: 153}
			}
			testutil.OK(t, g.Add(rows))
			r := g.Report()
			var got []string
			for _, w := range r.LimitWarnings() {
				got = append(got, w.String())
			}
			if test.want == "" {
				testutil.Equal(t, len(got), 0, "%q", got)
				return
			}
			testutil.Check(t, len(got) == 1 && strings.HasPrefix(got[0], test.want), "%q, want %q", got, test.want)
			caveats := ""
			for _, c := range r.Verdict().Caveats {
				caveats += c.String()
			}
			testutil.Contains(t, caveats, test.want, "the page")
			text := string(testutil.Must(json.Marshal(r))(t))
			testutil.Contains(t, text, `"kept":false`, "JSON")
			testutil.Equal(t, strings.Count(text, `"kept":true`), 1, "y keeps its limit: %s", text)
		})
	}
}
