package configs_test

import (
	"strings"
	"testing"
	"time"

	"gogi/configs"
	"gogi/configs/identity"
	"gogi/internal/testutil"
	"gogi/match"
)

// Who is asked for mates does not play, and is one of the plan's engines.
func TestMateSolver(t *testing.T) {
	const two = "games = 2\nlimits = {nodes = 1}\n%s\n[[engine]]\nname = \"A\"\ncmd = \"builtin\"\n[[engine]]\nname = \"B\"\ncmd = \"builtin\"\n"
	const third = "[[engine]]\nname = \"S\"\ncmd = \"builtin\"\noptions = {MateNodes = 9}\n"
	env := identity.Env{Self: "/gogi", BuiltinVersion: "1", NumCPU: 2, WorkDir: t.TempDir()}
	for _, test := range []struct {
		key, flag, more string
		name            string // of the solver; "": none
		why             string
	}{
		{"", "", "", "", ""},
		{`mate = "off"`, "", "", "", ""},
		{`mate = "builtin"`, "", "", "mate solver", ""},
		{`mate = {engine = "S", every = 3, time = "2s", nodes = 7}`, "", third, "S", ""},
		{"", "S", third, "S", ""},
		{`mate = {engine = "x", every = 3}`, "S", third, "S", ""},
		{`mate = "x"`, "", third, "", `mate: there is no engine "x"`},
		{`mate = {every = 3}`, "", third, "", "there is nobody to ask"},
		{`mate = {engine = "S", nodes = 0}`, "", third, "", "mate.nodes: 0 is outside 1"},
		{"mate = \"S\"\nponder = \"standard\"", "", third, "", "who ponders"},
		{"mate = \"B\"\nplayers = [\"A\", \"B\"]", "", "", "", "B plays itself"},
	} {
		file, err := configs.Parse([]byte(strings.Replace(two, "%s", test.key, 1)+test.more), "m.toml")
		if err == nil {
			err = file.Apply(configs.Flags{Mate: test.flag})
		}
		testutil.OK(t, err)
		plan, _, err := file.Plan("", env)
		if test.why != "" {
			testutil.Fails(t, err, test.why, "%s", test.key)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.key, err)
			continue
		}
		name := ""
		if plan.Mate.Solver != nil {
			name = plan.Mate.Solver.Name
		}
		engines := 2
		if test.name != "" {
			engines = 3
		}
		if name != test.name || len(plan.Players) != 2 || len(plan.Engines()) != engines || plan.Mate.IsZero() != (test.name == "") {
			t.Errorf("%s: asks %q, %d players, %d engines", test.key, name, len(plan.Players), len(plan.Engines()))
		}
		if strings.Contains(test.key, "2s") && (plan.Mate.Every != 3 || plan.Mate.Time != 2*time.Second || plan.Mate.Nodes != 7 ||
			plan.Mate.Solver.Options[0] != (match.Option{Name: "MateNodes", Value: "9"})) {
			t.Errorf("%s: %+v", test.key, plan.Mate)
		}
	}
}
