package usi_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
	"gogi/usi"
)

// TestSecondBestmoves tests the lines that an engine sends to its second go, after the answer 7g7f to the first.
func TestSecondBestmoves(t *testing.T) {
	const ms = time.Millisecond
	type said struct {
		after time.Duration
		line  string
	}
	const info = "info depth 3 score cp 5 pv 2g2f"
	for name, test := range map[string]struct {
		says     []said
		deadline time.Duration
		move     string
		elapsed  time.Duration
		second   usi.StaleBestmove
		stopped  bool
		stops    int
	}{
		"an answer": {[]said{{0, "bestmove 2g2f"}}, time.Second, "2g2f", 0, usi.SecondNone, false, 0},
		"the same move again": {[]said{{3 * ms, "bestmove 7g7f"}, {400 * ms, "bestmove 2g2f"}}, time.Second,
			"2g2f", 400 * ms, usi.SecondDropped, false, 0},
		"another, which is illegal": {[]said{{3 * ms, "bestmove 8h2b+"}, {400 * ms, info},
			{400 * ms, "bestmove 2g2f"}}, time.Second, "2g2f", 400 * ms, usi.SecondDropped, false, 0},
		"right before the answer": {[]said{{0, "bestmove 7g7f\nbestmove 2g2f"}}, time.Second, "2g2f", 0,
			usi.SecondDropped, false, 0},
		"legal, but before the search": {[]said{{0, "bestmove 1g1f\n" + info + "\nbestmove 2g2f"}}, time.Second, "2g2f",
			0, usi.SecondDropped, false, 0},
		"an answer, and a second one": {[]said{{0, info + "\nbestmove 2g2f\nbestmove 1g1f"}}, time.Second, "2g2f", 0,
			usi.SecondNone, false, 0},
		"the two cannot be told apart": {[]said{{0, "bestmove 2g2f\nbestmove 1g1f"}}, time.Second, "2g2f", 0,
			usi.SecondNone, false, 0},
		"illegal, and nothing else": {[]said{{0, "bestmove 7g7f"}}, time.Second, "7g7f", 0, usi.SecondSuspected, false,
			1},
		"the answer has to be asked for": {[]said{{0, "bestmove 7g7f"}, {1200 * ms, "bestmove 2g2f"}}, time.Second, "2g2f",
			1200 * ms, usi.SecondDropped, true, 1},
		"illegal, on a long clock": {[]said{{0, "bestmove 7g7f"}}, time.Hour, "7g7f", 0, usi.SecondSuspected, false,
			1},
		"a long search on a long clock": {[]said{{0, "bestmove 7g7f"}, {ms, info}, {time.Minute, "bestmove 2g2f"}},
			time.Hour, "2g2f", time.Minute, usi.SecondDropped, false, 0},
		"a silent search on a long clock": {[]said{{0, "bestmove 7g7f"}, {2100 * ms, "bestmove 2g2f"}}, time.Hour, "2g2f",
			2100 * ms, usi.SecondDropped, false, 1},
		"illegal, after information": {[]said{{0, info + "\nbestmove 7g7f"}}, time.Second, "7g7f", 0, usi.SecondNone,
			false, 0},
		"illegal, after a while": {[]said{{700 * ms, "bestmove 7g7f"}}, time.Second, "7g7f", 700 * ms,
			usi.SecondSuspected, false, 1},
		"the same move again, much later": {[]said{{700 * ms, "bestmove 7g7f"}, {900 * ms, "bestmove 2g2f"}}, time.Second,
			"2g2f", 900 * ms, usi.SecondDropped, false, 0},
		"illegal, and nobody waits longer": {[]said{{0, "bestmove 7g7f"}}, 0, "7g7f", 0, usi.SecondSuspected, false, 0},
		"resigned": {[]said{{0, "bestmove resign"}}, time.Second, "resign", 0, usi.SecondNone, false,
			0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				searches := 0
				e, log := dialogue(t, func(line string, say func(string)) {
					if !strings.HasPrefix(line, "go") {
						return
					}
					if searches++; searches == 1 {
						say("bestmove 7g7f")
						return
					}
					for _, s := range test.says {
						time.AfterFunc(s.after, func() { say(s.line) })
					}
				})
				if r, err := e.Think(t.Context(), request()); err != nil || r.Second != usi.SecondNone {
					t.Fatalf("%+v, %v", r, err)
				}
				r := request("7g7f", "8c8d")
				r.Deadline = test.deadline
				got, err := e.Think(t.Context(), r)
				if err != nil || got.Text != test.move || got.Elapsed != test.elapsed || got.Second != test.second ||
					got.Stopped != test.stopped {
					t.Errorf("%s after %v, second %d, stopped %t, %v", got.Text, got.Elapsed, got.Second, got.Stopped, err)
				}
				synctest.Wait()
				n := strings.Count(log.String(), "stop")
				testutil.Check(t, n == test.stops, "stopped %d times, want %d", n, test.stops)
			})
		})
	}
}

// TestAFirstAnswerIsNoSecond requires that the first answer of a game has no answer before it.
func TestAFirstAnswerIsNoSecond(t *testing.T) {
	inDialogue(t, react(
		on("isready", 0, "readyok"),
		on("go nodes 1", 0, "bestmove 7g7f"),
		on("go", 0, "bestmove 5a5b"),
	), func(t *testing.T, e *usi.Engine, _ *transcript) {
		r := request()
		testutil.Must(e.Think(t.Context(), r))(t)
		testutil.OK(t, e.NewGame(t.Context(), usi.Game{}))
		r.Deadline, r.Go.Nodes = time.Second, 2
		got, err := e.Think(t.Context(), r)
		testutil.Check(t, err == nil && got.Second == usi.SecondNone && got.Text == "5a5b", "%+v, %v", got, err)
	})
}

// TestAnExitAfterASecondBestmove requires a crash if an engine exits in a search, whether gogi sees a second bestmove
// of the search before it or not, and whether the exit comes before or after stop.
func TestAnExitAfterASecondBestmove(t *testing.T) {
	for name, after := range map[string]time.Duration{"at once": 0, "later": time.Second,
		"after stop": 3500 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				var engine sync.WaitGroup
				engine.Go(func() {
					defer theirs.Close()
					searches := 0
					for in := bufio.NewScanner(theirs); searches < 2 && in.Scan(); {
						switch {
						case in.Text() == "usi":
							fmt.Fprint(theirs, "usiok\n")
						case strings.HasPrefix(in.Text(), "go"):
							searches++
							fmt.Fprint(theirs, "bestmove 7g7f\n")
						}
					}
					engine.Go(func() { _, _ = io.Copy(io.Discard, theirs) })
					time.Sleep(after)
				})
				e := testutil.Must(usi.Greet(t.Context(), ours,
					usi.Config{Name: "test", Limits: usi.Limits{Stop: 5 * time.Second}}))(t)
				testutil.Must(e.Think(t.Context(), request()))(t)
				r := request("7g7f", "8c8d")
				r.Deadline = time.Hour
				_, err := e.Think(t.Context(), r)
				fault, ok := errors.AsType[*usi.Fault](err)
				testutil.Check(t, ok && fault.Kind == usi.FaultCrash, "%v", err)
				_ = e.Close() // it has exited
				engine.Wait()
			})
		})
	}
}
