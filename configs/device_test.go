package configs_test

import (
	"strings"
	"testing"

	"gogi/internal/testutil"
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
	plan := testutil.Must(councilPlan(t, strings.Replace(shared, `["A", "B"]`, `["B"]`, 1)+"rule = \"majority\"\n"))(t)
	testutil.Equal(t, plan.Players[1].Device, "gpu{gpu}", "the device of A")
	testutil.Equal(t, plan.Players[1].InSlot(3, 2).Device, "gpu1", "in slot 3, with two slots on each GPU")
}
