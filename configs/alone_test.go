package configs_test

import (
	"strings"
	"testing"

	"gogi/configs"
	"gogi/configs/identity"
	"gogi/internal/testutil"
	"gogi/match"
)

// A plan of one player needs only the player's part of the file. The rest need not form a valid match.
func TestPlanPlayer(t *testing.T) {
	t.Parallel()
	const one = "[[engine]]\nname = \"a\"\ncmd = \"builtin\"\n"
	const council = one + "[[council]]\nname = \"c\"\nrule = \"majority\"\nmembers = [\"a\"]\n"
	for _, test := range []struct{ text, name, wrong string }{
		{"limits = {nodes = 5}\n" + one, "a", ""},
		{"limits = {nodes = 5}\nponder = \"standard\"\n" + council, "c", ""},
		{"limits = {nodes = 5}\ngames = 7\ndesign = \"gauntlet\"\nplayers = [\"nobody\"]\ngate = \"0,4\"\n" +
			"limits_by_colour = {black = \"1+1\"}\n" + council, "a", ""},
		{"limits = {nodes = 5}\n" + council, "nobody", `there is no engine "nobody" (expected "a" or "c")`},
		{one, "a", "engine a: limits"},
	} {
		f := testutil.Must(configs.Parse([]byte(test.text), "one.toml"))(t)
		plan, warnings, err := f.PlanPlayer(test.name, t.TempDir(), identity.Env{Self: "/bin/true", WorkDir: "/"})
		if test.wrong != "" {
			testutil.Fails(t, err, test.wrong, "%s", test.text)
			continue
		}
		if err != nil {
			t.Errorf("%s\n%v", test.text, err)
			continue
		}
		testutil.Check(t, len(plan.Players) == 1 && plan.Players[0].Name == test.name && plan.Players[0].Limits.Nodes == 5 &&
			len(warnings) == 0,
			"%s\nplayers %+v, warnings %v", test.text, plan.Players, warnings)
		if plan.Design != (match.Design{}) || plan.Pairs != 0 || !plan.Gate.IsZero() || plan.ColourClocks[0] != nil ||
			len(plan.Openings) == 0 {
			t.Errorf("%s\na plan of games: %+v", test.text, plan)
		}
		testutil.Equal(t, strings.Contains(test.text, "ponder"), (plan.Ponder == match.PonderStandard), "%s pondering %s",
			test.text, plan.Ponder)
	}
}

func TestPlanCouncil(t *testing.T) {
	t.Parallel()
	const engines = "[[engine]]\nname = \"a\"\ncmd = \"builtin\"\n[[engine]]\nname = \"opponent\"\ncommand = [\"ssh\", \"host\", \"engine\"]\n"
	const pair = engines + "[[council]]\nname = \"in\"\nrule = \"majority\"\nmembers = [\"a\"]\n" +
		"[[council]]\nname = \"out\"\nrule = \"majority\"\nmembers = [\"in\", \"opponent\"]\n"
	for _, test := range []struct{ text, name, want, wrong string }{
		{pair, "", "out", ""},
		{pair, "in", "in", ""},
		{"games = 7\ndesign = \"gauntlet\"\nplayers = [\"nobody\"]\ngate = \"0,4\"\n" + pair, "", "out", ""},
		{"limits = {margin = \"1s\"}\n" + pair, "", "out", ""},
		{"limits = {nodes = 5}\n" + pair, "", "out", ""},
		{engines, "", "", "there is no council"},
		{pair, "a", "", `there is no council "a": expected one of in, out`},
		{pair + "[[council]]\nname = \"x\"\nrule = \"majority\"\nmembers = [\"a\"]\n", "", "",
			"expected the name of one of out, x"},
		{engines + "[[council]]\nname = \"x\"\nrule = \"majority\"\nmembers = [\"x\"]\n", "", "",
			"every council is a member"},
	} {
		f := testutil.Must(configs.Parse([]byte(test.text), "c.toml"))(t)
		plan, _, err := f.PlanCouncil(test.name, t.TempDir(),
			identity.Env{Self: "/bin/true", WorkDir: "/", Path: "/bin:/usr/bin"})
		if test.wrong != "" {
			testutil.Fails(t, err, test.wrong, "%s", test.text)
			continue
		}
		if err != nil {
			if strings.Contains(err.Error(), "ssh") {
				t.Skip("ssh is not installed")
			}
			t.Errorf("%s\n%v", test.text, err)
			continue
		}
		testutil.Check(t, len(plan.Players) == 1 && plan.Players[0].Name == test.want && plan.Players[0].Council != nil,
			"%s\nplayers %+v", test.text, plan.Players)
		testutil.Equal(t, strings.Contains(test.text, "nodes = 5"), (plan.Players[0].Limits.Nodes == 5), "limits %v",
			plan.Players[0].Limits)
	}
}
