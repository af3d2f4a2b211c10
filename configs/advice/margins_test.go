package advice

import (
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

// TestTimeMargin: names of other families are recognised by their words, margins of a search are not, and neither is
// the harmless Minimum Thinking Time of Stockfish.
func TestTimeMargin(t *testing.T) {
	for name, want := range map[string]bool{
		"NetworkDelay2": true, "network_delay": true, "Byoyomi_Margin": true, "Time_Margin": true, "FischerMargin": true,
		"MarginMs":        true,
		"MinThinkingTime": true, "SuddenDeathMargin": true, "Fischer_Time_Margin": true, "Network_Latency": true,
		"Safety margin":         true,
		"Minimum Thinking Time": false, "FutilityMargin": false, "ParamsMarginal": false, "RazorMargin1": false,
		"Slow Mover": false, "Resign_Margin": false,
	} {
		_, _, ok := TimeMargin(name)
		testutil.Equal(t, ok, want, "%s", name)
	}
	got := Margins([]match.Option{{Name: "Threads", Value: "1"}, {Name: "Move Overhead", Value: "30"},
		{Name: "Time_Margin", Value: "4500"}, {Name: "NetworkDelay", Value: "0"},
		{Name: "RoundUpToFullSecond", Value: "false"}})
	testutil.Equal(t, strings.Join(got, ", "), "Move Overhead 30, Time_Margin 4500")
}
