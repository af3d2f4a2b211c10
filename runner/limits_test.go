package runner

import (
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
)

// TestGoOnClock compares the command go with the protocol: byoyomi is sent even if it is 0, unless there is an
// increment.
func TestGoOnClock(t *testing.T) {
	const s = time.Second
	left, increments := [2]time.Duration{60 * s, 50 * s}, [2]time.Duration{2 * s, 3 * s}
	for want, l := range map[string]match.Limits{
		"go nodes 300":    {Nodes: 300},
		"go depth 7":      {Depth: 7},
		"go movetime 500": {MoveTime: s / 2},
		"go infinite":     {Self: true},
		"go btime 60000 wtime 50000 byoyomi 5000":        {Clock: match.TimeControl{Main: 60 * s, Byoyomi: 5 * s}},
		"go btime 60000 wtime 50000 byoyomi 0":           {Clock: match.TimeControl{Main: 60 * s}},
		"go btime 60000 wtime 50000 binc 2000 winc 3000": {Clock: match.TimeControl{Main: 60 * s, Increment: 2 * s}},
	} {
		testutil.Equal(t, GoOnClock(l, left, increments).String(), want, "%s", l)
	}
}
