package check

import (
	"context"
	"testing"
	"time"

	"gogi/match"
	"gogi/players"
	"gogi/usi/usitest"
)

// TestBusyMachine: an engine that never gets ready where nothing does is not blamed, and
// there is nothing else to examine.
func TestBusyMachine(t *testing.T) {
	t.Parallel()
	for script, check := range map[string]string{"hang@usi": "usiok", "hang@isready": "readyok"} {
		impatient := func(p *match.Player) { p.Greeting, p.Ready = time.Minute, time.Second }
		if check == "usiok" {
			impatient = func(p *match.Player) { p.Greeting = time.Second }
		}
		x := checkFake(t, Options{waits: patient, control: timeless(5 * time.Second)}, impatient, "-script", script)
		x.found(t, check, Warn, "undecided: no "+check+" in time, but the machine is busy: a process that does nothing took 5 s")
		if x.sheet.Stuck != check || x.sheet.Count(Fail) > 0 {
			t.Errorf("%s: stuck at %q, %d failed", script, x.sheet.Stuck, x.sheet.Count(Fail))
		}
	}
}

// control0 is the control of examinations with the fake engine as the process that does nothing.
func control0(script ...string) *nothing {
	return &nothing{opener: &players.Opener{}, player: match.Player{Name: "control", Command: usitest.Command(script...)}}
}

// TestControl: a control stamps starts and answers, is killed where it does not come, and
// leaves nothing behind.
func TestControl(t *testing.T) {
	t.Parallel()
	n := control0()
	if s := n.startOnce(t.Context()); !s.Answered || !s.Start || s.Took <= 0 {
		t.Errorf("a start: %+v", s)
	}
	for range 2 { // the same process
		end := n.answering(t.Context(), 0)
		first := n.resting
		<-first.asked
		if s := end(); !s.Answered || s.Start || s.Took <= 0 || n.resting != first {
			t.Errorf("an answer: %+v", s)
		}
	}
	if s := n.answering(t.Context(), time.Hour)(); s.known() {
		t.Errorf("before its time: %+v", s)
	}
	if n.resting == nil {
		t.Error("who was not asked is gone")
	}
	if err := n.close(); err != nil || n.resting != nil {
		t.Errorf("its end: %v", err)
	}
	n = control0("-script", "hang@usi:2")
	late := n.answering(t.Context(), 0)
	dying := n.resting
	<-dying.asked
	dying.proc.Kill()
	if s := late(); !s.known() || s.Answered || n.resting != nil {
		t.Errorf("one that died of it: %+v", s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	end := control0("-script", "hang@usi").starting(ctx)
	cancel()
	if s := end(); s.Answered {
		t.Errorf("one that hangs: %+v", s)
	}
	if s := (&nothing{opener: &players.Opener{}, player: match.Player{Command: []string{"/nonexistent"}}}).startOnce(t.Context()); s.known() {
		t.Errorf("one that is not there: %+v", s)
	}
}
