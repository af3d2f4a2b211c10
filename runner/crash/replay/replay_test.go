package replay_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner/crash"
	"gogi/runner/crash/replay"
	"gogi/usi"
	"gogi/usi/process"
	"gogi/usi/usitest"
)

func TestMain(m *testing.M) { usitest.RunTests(m) }

func player(args ...string) match.Player {
	return match.Player{Name: "A", Command: usitest.Command(args...), Greeting: 10 * time.Second, Ready: 2 * time.Second}
}

// record plays the beginning of a game with an engine until it fails, or until it is blamed, and returns the crash
// dump.
func record(t *testing.T, p match.Player, blame string, deadline time.Duration) *crash.Bundle {
	t.Helper()
	records := crash.Begin(filepath.Join(t.TempDir(), "db"), "run", "")
	proc := testutil.Must(process.Start(process.Spec{Command: p.Command}, nil))(t)
	path := ""
	e, err := usi.Greet(t.Context(), proc, usi.Config{
		Name: p.Name, Limits: usi.Limits{Ready: p.Ready}, Tap: records.NewRecorder(p, "", proc),
	})
	if err == nil {
		path, err = play(t.Context(), e, blame, deadline)
		testutil.OK(t, e.Close())
	}
	if f, ok := errors.AsType[*usi.Fault](err); ok {
		path = f.Record
	} else if err != nil {
		t.Fatal(err)
	}
	testutil.OK(t, records.Close())
	return testutil.Must(crash.Open(path))(t)
}

// play asks for three moves and blames the last one.
func play(ctx context.Context, e *usi.Engine, blame string, deadline time.Duration) (string, error) {
	if err := e.NewGame(ctx, usi.Game{}); err != nil {
		return "", err
	}
	p := usi.Position{Start: "startpos"}
	for range 3 {
		reply, err := e.Think(ctx, usi.Request{Position: p, Go: usi.Go{Nodes: 5}, Deadline: deadline})
		if err != nil {
			return "", err
		}
		if reply.Answer != usi.AnswerMove {
			break
		}
		p.Moves = append(p.Moves, reply.Move)
	}
	if blame == "" {
		return "", errors.New("the engine did not fail")
	}
	return e.Blame(blame, "as the test says"), nil
}

// TestReplay: every kind of failure is found again with the failing engine, and not with a good engine. Another failure
// does not count as the recorded one.
func TestReplay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script   string
		blame    string
		deadline time.Duration
		kind     string
		other    string // a script of an engine that fails otherwise
	}{
		"a signal":             {script: "abort@go:3", kind: "crash", other: "exit@go:3"},
		"an exit":              {script: "exit@go:3", kind: "crash", other: "abort@go:2"},
		"an exit before ready": {script: "exit@isready", kind: "crash", other: "abort@isready"},
		"an exit when greeted": {script: "exit@usi", kind: "crash", other: "abort@usi"},
		"closed output":        {script: "closestdout@go:2", kind: "crash", other: "exit@go:2"},
		"a hang":               {script: "hang@go:3", kind: "hang", deadline: 100 * time.Millisecond, other: "exit@go:2"},
		"a silent start":       {script: "hang@isready", kind: "start", other: "exit@isready"},
		"an illegal move":      {script: "illegal@go:3", blame: "illegal_move", kind: "illegal_move", other: "exit@go:2"},
		"no move":              {script: "malformed@go:3", blame: "illegal_move", kind: "illegal_move", other: "exit@go:2"},
		"a declaration": {script: "win@go:3", blame: "false_declaration", kind: "false_declaration",
			other: "exit@go:2"},
		"too late": {script: "late@go:3", blame: "time_forfeit", deadline: 100 * time.Millisecond, kind: "time_forfeit",
			other: "exit@go:2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := record(t, player("-script", c.script), c.blame, c.deadline)
			testutil.Require(t, b.Kind == c.kind, "recorded %s: %s", b.Kind, b.Note)
			for script, want := range map[string]replay.Outcome{c.script: replay.Happened, "": replay.Absent,
				c.other: replay.Unclear} {
				r := once(t, b, replay.Options{Fast: true}, "-script", script)
				testutil.Check(t, r.Outcome == want && r.Note != "", "engine with %q: %s (%s), want %s", script, r.Outcome, r.Note,
					want)
			}
		})
	}
}

// TestAHangIsWaitedForAsLong: a replay waits for a hanging engine as long as the recorded game did. An engine that ends
// the search within this time does not hang.
func TestAHangIsWaitedForAsLong(t *testing.T) {
	t.Parallel()
	b := record(t, player("-script", "hang@go:3"), "", 100*time.Millisecond)
	for waited, want := range map[time.Duration]replay.Outcome{0: replay.Happened, time.Minute: replay.Absent} {
		longer := *b
		longer.Time = b.Time.Add(waited)
		slow := func() (replay.Process, error) {
			return process.Start(process.Spec{Command: usitest.Command("-script", "late@go:3", "-late", "1s")}, nil)
		}
		r, err := replay.Once(t.Context(), &longer, slow, replay.Options{Fast: true})
		testutil.Check(t, err == nil && r.Outcome == want, "waited for %v more: %+v, %v; want %s", waited, r, err, want)
	}
}

func once(t *testing.T, b *crash.Bundle, o replay.Options, args ...string) replay.Result {
	t.Helper()
	return testutil.Must(replay.Once(t.Context(), b, starter(args...), o))(t)
}

func starter(args ...string) replay.Starter {
	return func() (replay.Process, error) {
		return process.Start(process.Spec{Command: usitest.Command(args...)}, nil)
	}
}

// TestLaterAnswers: a replay waits for an engine that answers later than the recorded one. The engine gets its third go
// after its second answer, and crashes as recorded.
func TestLaterAnswers(t *testing.T) {
	t.Parallel()
	b := record(t, player("-script", "exit@go:3"), "", 0)
	r := once(t, b, replay.Options{}, "-think", "50ms", "-script", "exit@go:3")
	testutil.Check(t, r.Outcome == replay.Happened, "%+v", r)
}

// TestMany: Many counts the outcomes, and stops with its context.
func TestMany(t *testing.T) {
	t.Parallel()
	b := record(t, player("-script", "exit@go:3"), "", 0)
	n := 0
	start := func() (replay.Process, error) {
		n++
		return starter("-script", map[bool]string{true: "exit@go:3", false: ""}[n%2 == 0])()
	}
	var seen []string
	tally, err := replay.Many(t.Context(), b, start, replay.Options{Fast: true}, 3, func(r replay.Result) {
		seen = append(seen, string(r.Outcome))
	})
	testutil.Check(t, err == nil && tally == (replay.Tally{Happened: 1, Absent: 2}) &&
		strings.Join(seen, " ") == "absent happened absent",
		"%+v, %v, %v", tally, err, seen)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	testutil.Is(t, testutil.Err(replay.Many(ctx, b, starter(), replay.Options{}, 3, func(replay.Result) {})), why)
	nothing := func() (replay.Process, error) { return nil, errors.New("no such file") }
	if r, err := replay.Once(t.Context(), b, nothing, replay.Options{}); err != nil ||
		r != (replay.Result{Outcome: replay.Unclear, Note: "no such file"}) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestTally(t *testing.T) {
	t.Parallel()
	for want, tally := range map[string]replay.Tally{
		"happened: it happens again: 1 of 1 times": {Happened: 1},
		// R: binom.test(3, 10)$conf.int is 0.0667 to 0.6525
		"happened: it happens again: 3 of 10 times (by chance between 7% and 65% of times, 95% Clopper–Pearson)": {Happened: 3, Absent: 7},
		"happened: it happens again: 1 of 3 times, and something else went wrong 1 time":                         {1, 1, 1},
		"absent: it did not happen: the engine came through, once":                                               {Absent: 1},
		// 0.7411^10 = 0.05
		"absent: it did not happen in 10 replays: had it a chance of 26% or more each time, it would have shown with 95%": {Absent: 10},
		"unclear: cannot tell: in 1 of 3 replays something else went wrong, and it happened in none":                      {Absent: 2, Unclear: 1},
	} {
		testutil.Equal(t, fmt.Sprintf("%s: %s", tally.Outcome(), tally), want)
	}
}
