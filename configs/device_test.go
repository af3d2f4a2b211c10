package configs_test

import (
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

// TestDevice holds that an engine's device is in the plan, and that only an engine that can wait for its device has one.
func TestDevice(t *testing.T) {
	shared := strings.Replace(councilFile, "name = \"A\"\n", "name = \"A\"\ndevice = \"gpu{gpu}\"\n", 1)
	testutil.Require(t, shared != councilFile, "no engine A in\n%s", councilFile)
	for name, c := range map[string]struct{ text, want string }{
		"council": {shared + "rule = \"majority\"\n", `council C: its member A has the device gpu{gpu}, but members search at the same time; remove device`},
		"ponder": {"ponder = \"standard\"\n" + strings.Replace(shared, `["A", "B"]`, `["B"]`, 1) + "rule = \"majority\"\n",
			`ponder: A shares the device gpu{gpu}, so it cannot search during the opponent's time; remove device, or set ponder = "off"`},
	} {
		_, err := councilPlan(t, c.text)
		testutil.Fails(t, err, c.want, "%s", name)
	}
	solver := strings.Replace(councilFile, "players", "mate = {engine = \"S\", time = \"1s\"}\nplayers", 1) + "rule = \"majority\"\n[[engine]]\nname = \"S\"\ncmd = \"builtin\"\ndevice = \"gpu0\"\n"
	testutil.Fails(t, testutil.Err(councilPlan(t, solver)), "mate: the solver S has the device gpu0", "solver")
	plan := testutil.Must(councilPlan(t, strings.Replace(shared, `["A", "B"]`, `["B"]`, 1)+"rule = \"majority\"\n"))(t)
	testutil.Equal(t, plan.Players[1].Device, "gpu{gpu}", "the device of A")
	plan.Ponder = match.PonderStandard // as a farm's form could change a stored plan
	testutil.Fails(t, plan.Check(), "ponder: A shares the device", "the plan itself")
	testutil.Equal(t, plan.Players[1].InSlot(3, 2).Device, "gpu1", "in slot 3, with two slots on each GPU")
}
