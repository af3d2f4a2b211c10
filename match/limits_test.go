package match_test

import (
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
)

func TestLimitsCheck(t *testing.T) {
	clock := func(main, byoyomi, increment time.Duration) match.Limits {
		return match.Limits{Clock: match.TimeControl{Main: main, Byoyomi: byoyomi, Increment: increment}}
	}
	const (
		none     = "no limit: give a clock, such as tc = \"8+0.08\" (--tc 8+0.08), or one of main, byoyomi, increment, movetime, nodes, depth or self"
		negative = "a limit is negative"
		self     = `self means "go infinite" and excludes every other limit`
	)
	for _, test := range []struct {
		name   string
		limits match.Limits
		want   string // "": no error
	}{
		{"nothing", match.Limits{}, none},
		{"tolerances alone", match.Limits{Margin: second, Stall: second}, none},
		{"main", clock(second, 0, 0), ""},
		{"main and byoyomi", clock(second, second, 0), ""},
		{"main and increment", clock(second, 0, second), ""},
		{"byoyomi", clock(0, second, 0), ""},
		{"increment", clock(0, 0, second), ""},
		{"both", clock(second, 2*second, 500*ms), "byoyomi 2s and increment 500ms exclude each other (USI cannot say both)"},
		{"nodes", match.Limits{Nodes: 1}, ""},
		{"depth", match.Limits{Depth: 1}, ""},
		{"movetime", match.Limits{MoveTime: ms}, ""},
		{"self", match.Limits{Self: true}, ""},
		{"all that go together", match.Limits{MoveTime: ms, Nodes: 1, Depth: 1, Margin: ms, Stall: ms}, ""},
		{"clock and nodes", match.Limits{Clock: match.TimeControl{Main: second}, Nodes: 5}, ""},
		{"clock and movetime", match.Limits{Clock: match.TimeControl{Main: 8 * second}, MoveTime: second},
			"movetime 1s and a clock (8+0) exclude each other"},
		{"self and nodes", match.Limits{Self: true, Nodes: 1}, self},
		{"self and depth", match.Limits{Self: true, Depth: 1}, self},
		{"self and movetime", match.Limits{Self: true, MoveTime: ms}, self},
		{"self and a clock", match.Limits{Self: true, Clock: match.TimeControl{Byoyomi: second}}, self},
		{"negative main", clock(-second, second, 0), negative},
		{"negative byoyomi", clock(second, -second, 0), negative},
		{"negative increment", clock(second, 0, -second), negative},
		{"negative movetime", match.Limits{MoveTime: -ms}, negative},
		{"negative depth", match.Limits{Depth: -1}, negative},
		{"negative margin", match.Limits{Nodes: 1, Margin: -1}, negative},
		{"negative stall", match.Limits{Nodes: 1, Stall: -1}, negative},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if err := test.limits.Check(); err != nil {
				got = err.Error()
			}
			testutil.Equal(t, got, test.want)
		})
	}
}

func TestTimeControlString(t *testing.T) {
	for want, c := range map[string]match.TimeControl{
		"none":    {},
		"300+2":   {Main: 300 * second, Increment: 2 * second},
		"300/10":  {Main: 300 * second, Byoyomi: 10 * second},
		"0/1":     {Byoyomi: second},
		"0+0.5":   {Increment: 500 * ms},
		"8+0.08":  {Main: 8 * second, Increment: 80 * ms},
		"600+0":   {Main: 10 * time.Minute},
		"0.001/1": {Main: ms, Byoyomi: second},
	} {
		if got := c.String(); got != want || c.IsZero() != (want == "none") {
			t.Errorf("%+v: %q, zero %t; want %q", c, got, c.IsZero(), want)
		}
	}
}

func TestLimitsString(t *testing.T) {
	for want, l := range map[string]match.Limits{
		"":                                {},
		"nodes 20000":                     {Nodes: 20000, Margin: ms, Stall: second},
		"8+0.08":                          {Clock: match.TimeControl{Main: 8 * second, Increment: 80 * ms}},
		"self-limited":                    {Self: true},
		"movetime 1.5s":                   {MoveTime: 1500 * ms},
		"byoyomi 1s, nodes 100, depth 12": {Clock: match.TimeControl{Byoyomi: second}, Nodes: 100, Depth: 12},
		"nodes 18446744073709551615":      {Nodes: 1<<64 - 1},
	} {
		testutil.Equal(t, l.String(), want)
	}
}
