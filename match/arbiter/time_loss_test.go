package arbiter_test

import (
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match/arbiter"
)

// TestOverstep tests who is responsible for a loss on time, and the text about it. Half of the margin is the threshold
// for the player's responsibility.
func TestOverstep(t *testing.T) {
	lost := func(d arbiter.Delays) arbiter.TimeLoss {
		return arbiter.TimeLoss{Took: 1104*ms + 300*time.Microsecond, Limit: second, Margin: 100 * ms, Delays: d}
	}
	stalled := func(d arbiter.Delays) arbiter.TimeLoss {
		return arbiter.TimeLoss{Took: 61 * second, Limit: time.Minute, Stall: true, Delays: d}
	}
	silent, mute := lost(arbiter.Delays{Known: true}), stalled(arbiter.Delays{Known: true})
	silent.Silent, mute.Silent = true, true
	for _, test := range []struct {
		o    arbiter.TimeLoss
		want arbiter.Cause
		text string
	}{
		{lost(arbiter.Delays{Known: true, Waited: 30 * ms, Late: 20 * ms}), arbiter.CausePlayer,
			"took 1.104s, 104ms over its limit (margin 100ms); this move was not slowed: it waited 30ms for a CPU, gogi was 20ms late"},
		{lost(arbiter.Delays{Known: true, Waited: 30 * ms, Late: 21 * ms}), arbiter.CauseMachine,
			"slowed by the machine: took 1.104s, 104ms over its limit (margin 100ms); it waited 30ms for a CPU, gogi was 21ms late"},
		{lost(arbiter.Delays{Known: true, Stopped: 40 * ms, Late: 20 * ms}), arbiter.CauseMachine,
			"slowed by the machine: took 1.104s, 104ms over its limit (margin 100ms); it waited 0s for a CPU, it was stopped for 40ms, gogi was 20ms late"},
		{lost(arbiter.Delays{Stopped: 60 * ms}), arbiter.CauseMachine,
			"slowed by the machine: took 1.104s, 104ms over its limit (margin 100ms); it was stopped for 60ms, gogi was 0s late"},
		{lost(arbiter.Delays{Known: true, Waited: 20 * ms, Late: 31 * ms}), arbiter.CauseRunner,
			"slowed by gogi: took 1.104s, 104ms over its limit (margin 100ms); it waited 20ms for a CPU, gogi was 31ms late"},
		{lost(arbiter.Delays{Late: 51 * ms}), arbiter.CauseRunner,
			"slowed by gogi: took 1.104s, 104ms over its limit (margin 100ms); gogi was 51ms late"},
		{lost(arbiter.Delays{Late: ms}), arbiter.CauseUnknown,
			"took 1.104s, 104ms over its limit (margin 100ms); whether its machine slowed it is not known: gogi was 1ms late"},
		{silent, arbiter.CausePlayer,
			"no move after 1.104s, 104ms over its limit (margin 100ms); this move was not slowed: it waited 0s for a CPU, gogi was 0s late"},
		{stalled(arbiter.Delays{Known: true, Waited: 7500 * ms}), arbiter.CausePlayer,
			"no move within 1m0s; this move was not slowed: it waited 7.5s for a CPU, gogi was 0s late"},
		{stalled(arbiter.Delays{Known: true, Waited: 7501 * ms}), arbiter.CauseMachine,
			"slowed by the machine: no move within 1m0s; it waited 7.501s for a CPU, gogi was 0s late"},
		{arbiter.TimeLoss{Took: second + ms, Limit: second, Delays: arbiter.Delays{Known: true}}, arbiter.CausePlayer,
			"took 1.001s, 1ms over its limit (margin 0s); this move was not slowed: it waited 0s for a CPU, gogi was 0s late"},
		{mute, arbiter.CausePlayer,
			"no move within 1m0s, nor when told to stop; this move was not slowed: it waited 0s for a CPU, gogi was 0s late"},
	} {
		if got := test.o.Cause(); got != test.want ||
			test.o.Slowed() != (test.want == arbiter.CauseMachine || test.want == arbiter.CauseRunner) {
			t.Errorf("%+v: %s, slowed %t, want %s", test.o, got, test.o.Slowed(), test.want)
		}
		testutil.Equal(t, test.o.String(), test.text)
	}
}
