package series

import (
	"fmt"
	"testing"

	"gogi/internal/testutil"
)

// TestWarnings: a warning is false without its reason. A warning by a test at 1% is false in 1% of the reports.
func TestWarnings(t *testing.T) {
	const depend, times = "! Pairs from one opening depend on each other: x.\n",
		"! a took 3 ms a move: this run does not compare equal times.\n"
	for _, test := range []struct {
		Condition
		text, want string
	}{
		{Condition{Openings: 10, Pairs: 50}, "",
			"[{report: false warning: Pairs from one opening depend on each other 0.01 at most false}]"},
		{Condition{Openings: 10, Pairs: 50}, depend,
			"[{report: false warning: Pairs from one opening depend on each other 0.01 at most true}]"},
		{Condition{Openings: 10, Pairs: 50, Repeat: true}, depend,
			"[{report: warning: Pairs from one opening depend on each other 1 at least true}]"},
		{Condition{Pairs: 50}, depend, "[{report: warning: Pairs from one opening depend on each other 1 at least false}]"},
		{Condition{Pairs: 50}, times, "[{report: warning: this run does not compare equal times 1 at least false}]"},
		{Condition{Pairs: 50, Wait: 1}, times, "[{report: warning: this run does not compare equal times 1 at least true}]"},
		{Condition{Pairs: 50}, "! Something 12 else\n! 3 of 9 games repeat an earlier game\n",
			"[{report: warning: Something ## else 1 at least false}]"},
	} {
		b := &bench{Condition: test.Condition}
		b.warnings(test.text)
		testutil.Equal(t, fmt.Sprint(b.claims), test.want)
	}
}
