package usi_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gogi/internal/testutil"
	"gogi/usi"
)

func TestParseCheckmate(t *testing.T) {
	for line, want := range map[string]usi.Checkmate{
		"checkmate G*5b":           {Answer: usi.MateFound, Moves: pv("G*5b"), Text: "G*5b"},
		"checkmate  7g7f 3c3d":     {Answer: usi.MateFound, Moves: pv("7g7f", "3c3d"), Text: "7g7f 3c3d"},
		"checkmate nomate":         {Answer: usi.MateNone, Text: "nomate"},
		"checkmate timeout":        {Answer: usi.MateTimeout, Text: "timeout"},
		"checkmate none":           {Answer: usi.MateTimeout, Text: "none"},
		"checkmate notimplemented": {Answer: usi.MateNotImplemented, Text: "notimplemented"},
		"checkmate":                {},
		"checkmate 7g7f oops":      {Text: "7g7f oops"},
		"checkmate \x1b[31mred":    {Text: "red"},
	} {
		testutil.Diff(t, want, usi.ParseCheckmate(line), "%q", line)
	}
	for want, c := range map[string]usi.Checkmate{
		"checkmate 7g7f 3c3d":      {Answer: usi.MateFound, Moves: pv("7g7f", "3c3d")},
		"checkmate nomate":         {Answer: usi.MateNone},
		"checkmate notimplemented": {Answer: usi.MateNotImplemented},
		"checkmate timeout":        {Answer: usi.MateFound},
	} {
		testutil.Equal(t, c.String(), want, "%+v is said as %q", c, c)
	}
	testutil.Equal(t, (usi.Checkmate{}).String(), "checkmate timeout", "nothing is said")
}

const oneMoveMate = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1" // G*5b

func mateRequest(t *testing.T) usi.Request {
	t.Helper()
	p := testutil.Must(usi.ParsePosition(oneMoveMate))(t)
	return usi.Request{Position: p, Go: usi.Go{Nodes: 5, MateTime: 5 * time.Second}}
}

// TestMateAnswers tests answers to go mate. Engines without a mate search answer bestmove (trap 12).
func TestMateAnswers(t *testing.T) {
	for said, want := range map[string]usi.Checkmate{
		"info nodes 7 nps 1\ncheckmate G*5b": {Answer: usi.MateFound, Moves: pv("G*5b"), Text: "G*5b", Nodes: 7},
		"checkmate nomate":                   {Answer: usi.MateNone, Text: "nomate"},
		"checkmate notimplemented":           {Answer: usi.MateNotImplemented, Text: "notimplemented"},
		"checkmate what":                     {Text: "what"},
		"info depth 1 score mate 1 nodes 3 pv G*5b\nbestmove G*5b": {
			Answer: usi.MateFound, Moves: pv("G*5b"), Text: "G*5b", Nodes: 3,
		},
		"info depth 1 score mate 3 pv G*4b\nbestmove G*4b": {Answer: usi.MateTimeout, Text: "G*4b"},
		"info depth 1 score mate 3 pv 1a1b\nbestmove G*4b": {Answer: usi.MateTimeout, Text: "G*4b"},
		"info depth 1 score mate 1\nbestmove G*5b":         {Answer: usi.MateTimeout, Text: "G*5b"},
		"info depth 1 score cp 5 pv G*5b\nbestmove G*5b":   {Answer: usi.MateTimeout, Text: "G*5b"},
		"info score mate 1 pv G*5b\ninfo score cp 9 lowerbound\nbestmove G*5b": {
			Answer: usi.MateFound, Moves: pv("G*5b"), Text: "G*5b",
		},
		"info depth 1 score mate 1 lowerbound pv G*5b\nbestmove G*5b": {Answer: usi.MateTimeout, Text: "G*5b"},
		"info depth 1 score mate -2 pv 5i5h\nbestmove resign":         {Answer: usi.MateNone, Text: "resign"},
		"bestmove resign": {Answer: usi.MateTimeout, Text: "resign"},
		"readyok\nusiok\ncheckmate nomate\nbestmove 7g7f\ncheckmate G*5b\nbanner": {Answer: usi.MateNone, Text: "nomate"},
	} {
		t.Run(said, func(t *testing.T) {
			inDialogue(t, func(line string, say func(string)) {
				if strings.HasPrefix(line, "go mate") {
					time.Sleep(time.Second) // in synctest's time
					say(said)
				} else {
					polite(line, say)
				}
			}, func(t *testing.T, e *usi.Engine, log *transcript) {
				got, err := e.Mate(t.Context(), mateRequest(t))
				want.Elapsed = time.Second
				d := cmp.Diff(want, got)
				testutil.Check(t, err == nil && d == "", "%v (-want +got)\n%s", err, d)
				if want := "position " + oneMoveMate + "\ngo mate 5000"; !strings.HasSuffix(log.String(), want) {
					t.Errorf("sent:\n%s", log)
				}
				if r, err := e.Think(t.Context(), request()); err != nil || r.Move.String() != "7g7f" {
					t.Errorf("then Think gave %+v, %v", r, err)
				}
			})
		})
	}
}

func TestMateIsStopped(t *testing.T) {
	for name, c := range map[string]struct {
		atStop string
		cancel time.Duration
		fault  usi.FaultKind
	}{
		"by the deadline":      {atStop: "checkmate timeout"},
		"by the context":       {atStop: "checkmate timeout", cancel: time.Second},
		"answering bestmove":   {atStop: "bestmove 7g7f"},
		"and stays silent":     {fault: usi.FaultHang},
		"and says other lines": {atStop: "info string checkmate\nreadyok", fault: usi.FaultHang},
	} {
		t.Run(name, func(t *testing.T) {
			inDialogue(t, func(line string, say func(string)) {
				if line == "stop" && c.atStop != "" {
					say(c.atStop)
				}
			}, func(t *testing.T, e *usi.Engine, _ *transcript) {
				ctx, r := t.Context(), mateRequest(t)
				if c.cancel > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.cancel)
					defer cancel()
				} else {
					r.Deadline = time.Second
				}
				r.Go.MateTime = 0
				got, err := e.Mate(ctx, r)
				fault, failed := errors.AsType[*usi.Fault](err)
				testutil.Check(t, got.Stopped && failed == (c.fault != "") && (!failed || fault.Kind == c.fault && fault.Searching),
					"%+v, %v", got, err)
				testutil.Check(t, failed || got.Answer == usi.MateTimeout && got.Elapsed == time.Second, "%+v", got)
			})
		})
	}
}

func TestMateEndsPondering(t *testing.T) {
	inDialogue(t, react(on("stop", 0, "bestmove 9g9f"), on("go mate 5000", 0, "checkmate nomate")),
		func(t *testing.T, e *usi.Engine, log *transcript) {
			testutil.OK(t, e.Ponder(t.Context(), request("7g7f", "3c3d")))
			c, err := e.Mate(t.Context(), mateRequest(t))
			if err != nil || c.Answer != usi.MateNone || e.Counters().Stale != 0 ||
				!strings.Contains(log.String(), "\nstop\nposition "+oneMoveMate+"\ngo mate") {
				t.Errorf("%+v, %v, %+v\n%s", c, err, e.Counters(), log)
			}
		})
}

// TestStoppedPonderGivesItsMove requires that Think with an ended context returns only the move.
func TestStoppedPonderGivesItsMove(t *testing.T) {
	for name, early := range map[string]bool{"at stop": false, "early": true} {
		t.Run(name, func(t *testing.T) {
			inDialogue(t, func(line string, say func(string)) {
				if line == "stop" || early && strings.HasPrefix(line, "go ponder") {
					say("bestmove 2g2f")
				}
			}, func(t *testing.T, e *usi.Engine, log *transcript) {
				r := request("7g7f", "3c3d")
				testutil.OK(t, e.Ponder(t.Context(), r))
				synctest.Wait()
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				reply, err := e.Think(ctx, r)
				testutil.Check(t, err == nil && reply.Move.String() == "2g2f" && !reply.Hit && reply.Stopped != early, "%+v, %v",
					reply, err)
				if c := e.Counters(); c.PonderHits != 0 || c.PonderMiss != 0 || c.Stale != 0 ||
					strings.Contains(log.String(), "ponderhit") {
					t.Errorf("%+v, sent:\n%s", c, log)
				}
			})
		})
	}
}

func TestExact(t *testing.T) {
	for name, c := range map[string]struct {
		said  string
		depth int // depth of Exact; 0 if there is none
		move  string
	}{
		"the last line":        {"info depth 1 score cp 1 pv 7g7f\ninfo depth 2 score cp 2 pv 2g2f", 2, "2g2f"},
		"before a lower bound": {"info depth 1 score cp 1 pv 7g7f\ninfo depth 2 score cp 9 lowerbound pv 2g2f", 1, "7g7f"},
		"before many bounds":   {"info depth 1 score cp 1 pv 7g7f\ninfo depth 2 score cp 9 lowerbound pv 2g2f\ninfo depth 2 score cp 5 upperbound nodes 3 pv 9g9f", 1, "7g7f"},
		"after a bound":        {"info depth 2 score cp 9 upperbound pv 2g2f\ninfo depth 2 score cp 1 pv 7g7f", 2, "7g7f"},
		"twice":                {"info depth 1 score cp 1 pv 7g7f\ninfo depth 2 score cp 9 lowerbound pv 2g2f\ninfo depth 2 score cp 5 pv 2g2f\ninfo depth 3 score cp 5 upperbound pv 9g9f", 2, "2g2f"},
		"without a variation":  {"info depth 1 score cp 1 pv 7g7f\ninfo depth 2 score cp 9 nodes 5", 1, "7g7f"},
		"variation is no move": {"info depth 1 score cp 1 pv 7g7f\ninfo depth 2 score mate -4 pv resign", 1, "7g7f"},
		"of the best line": {"info depth 1 multipv 1 score cp 1 pv 7g7f\ninfo depth 2 multipv 2 score cp 9 pv 2g2f", 1,
			"7g7f"},
		"a drop":                  {"info depth 1 score cp 1 pv P*5e\ninfo depth 2 score cp 9 lowerbound pv 2g2f", 1, "P*5e"},
		"bounds alone":            {"info depth 1 score cp 1 lowerbound pv 7g7f", 0, "7g7f"},
		"lines without a score":   {"info depth 1 pv 7g7f\ninfo string pv 2g2f score cp 1", 0, ""},
		"another multipv's alone": {"info depth 1 multipv 2 score cp 1 pv 7g7f", 0, "7g7f"},
	} {
		t.Run(name, func(t *testing.T) {
			inDialogue(t, react(on("go", 0, c.said)), func(t *testing.T, e *usi.Engine, _ *transcript) {
				r := request()
				r.Deadline = time.Second
				snapshot := make(chan usi.Reply, 1)
				time.AfterFunc(time.Second/2, func() { snapshot <- e.Snapshot() })
				reply, err := e.Think(t.Context(), r)
				fault, ok := errors.AsType[*usi.Fault](err)
				testutil.Require(t, ok && fault.Kind == usi.FaultHang, "%v", err)
				for _, got := range []usi.Reply{reply, <-snapshot} {
					testutil.Check(t, got.Exact.Depth == c.depth && got.Text == c.move &&
						(got.Answer == usi.AnswerMove) == (c.move != ""),
						"got %+v", got)
				}
			})
		})
	}
}

func TestExactIsOfThisSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		e, _ := dialogue(t, func(line string, say func(string)) {
			if !strings.HasPrefix(line, "go") {
				return
			}
			if n++; n == 1 {
				say("info depth 1 score cp 1 pv 7g7f\ninfo depth 2 score cp 9 lowerbound pv 2g2f")
			} else {
				say("info depth 2 score cp 9 lowerbound pv 2g2f")
			}
			say("bestmove 2g2f")
		})
		testutil.Equal(t, e.Snapshot().Answer, usi.AnswerInvalid, "a snapshot of nothing has an answer")
		for want := 1; want >= 0; want-- {
			reply, err := e.Think(t.Context(), request())
			testutil.Check(t, err == nil && reply.Exact.Depth == want && reply.Best().Depth == 2, "%+v, %v", reply, err)
		}
	})
}
