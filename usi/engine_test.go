package usi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
	"gogi/usi"
)

// script is the engine's side of a dialogue. It gets every line and answers.
type script func(line string, say func(string))

// dialogue starts a scripted engine and does the handshake. It runs in a synctest bubble, where time passes only when
// all goroutines wait.
func dialogue(t *testing.T, s script) (*usi.Engine, *transcript) {
	t.Helper()
	ours, theirs := net.Pipe()
	log := &transcript{}
	var engine sync.WaitGroup
	engine.Go(func() {
		lines := bufio.NewScanner(theirs)
		for lines.Scan() {
			log.add(lines.Text())
			if lines.Text() == "usi" {
				fmt.Fprint(theirs, "id name Test\noption name Hash type spin default 16 min 1 max 64\nusiok\n")
				continue
			}
			s(lines.Text(), func(line string) { fmt.Fprint(theirs, line+"\n") })
		}
	})
	e := testutil.Must(usi.Greet(t.Context(), ours, usi.Config{Name: "test"}))(t)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		theirs.Close()
		engine.Wait()
	})
	return e, log
}

// inDialogue runs a test in a bubble with the engine of a dialogue.
func inDialogue(t *testing.T, s script, test func(t *testing.T, e *usi.Engine, log *transcript)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		e, log := dialogue(t, s)
		test(t, e, log)
	})
}

type transcript struct {
	mu    sync.Mutex
	lines []string
}

func (t *transcript) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}

// reaction is the answer of an engine, after a time, to commands with a prefix.
type reaction struct {
	to    string
	after time.Duration
	lines []string
}

func on(to string, after time.Duration, lines ...string) reaction { return reaction{to, after, lines} }

// react is a script of reactions. It uses the first one that fits.
func react(list ...reaction) script {
	return func(line string, say func(string)) {
		i := slices.IndexFunc(list, func(r reaction) bool { return strings.HasPrefix(line, r.to) })
		if i < 0 {
			return
		}
		time.Sleep(list[i].after) // in synctest's time
		for _, text := range list[i].lines {
			say(text)
		}
	}
}

// polite answers all commands at once.
func polite(line string, say func(string)) {
	switch {
	case line == "isready":
		say("readyok")
	case strings.HasPrefix(line, "go "):
		say("info depth 3 score cp 50 nodes 100 pv 7g7f 3c3d")
		say("info nodes 120 nps 5")
		say("bestmove 7g7f ponder 3c3d")
	}
}

func request(moves ...string) usi.Request {
	p, err := usi.ParsePosition("startpos moves " + strings.Join(moves, " "))
	if err != nil {
		panic(err)
	}
	return usi.Request{Position: p, Go: usi.Go{Nodes: 100}}
}

func TestThink(t *testing.T) {
	inDialogue(t, polite, func(t *testing.T, e *usi.Engine, log *transcript) {
		testutil.OK(t, e.Configure([]usi.Setting{{Name: "usi_hash", Value: "32"}}))
		testutil.OK(t, e.NewGame(t.Context(), usi.Game{}))
		r := testutil.Must(e.Think(t.Context(), request()))(t)
		if r.Move.String() != "7g7f" || r.Ponder.String() != "3c3d" || r.Nodes != 120 || r.Best().Score.Value != 50 ||
			r.Best().Depth != 3 || r.Stopped {
			t.Errorf("reply %+v", r)
		}
		testutil.OK(t, e.GameOver(t.Context(), usi.Win))
		synctest.Wait()
		want := "usi\nsetoption name Hash value 32\nisready\nusinewgame\nposition startpos\ngo nodes 100\ngameover win"
		testutil.Equal(t, log.String(), want, "sent: %s", log)
	})
}

func TestElapsedIsFromGoToBestmove(t *testing.T) {
	inDialogue(t, react(on("go", 300*time.Millisecond, "bestmove 7g7f")),
		func(t *testing.T, e *usi.Engine, _ *transcript) {
			r, err := e.Think(t.Context(), request())
			testutil.Check(t, err == nil && r.Elapsed == 300*time.Millisecond, "elapsed %v, %v", r.Elapsed, err)
		})
}

func TestDeadlineStopsTheSearch(t *testing.T) {
	inDialogue(t, react(on("stop", 200*time.Millisecond, "bestmove 2g2f")),
		func(t *testing.T, e *usi.Engine, log *transcript) {
			r := request()
			r.Deadline = time.Second
			reply, err := e.Think(t.Context(), r)
			testutil.Check(t, err == nil && reply.Stopped && reply.Elapsed == 1200*time.Millisecond &&
				reply.Move.String() == "2g2f",
				"reply %+v, %v", reply, err)
			testutil.Equal(t, strings.Count(log.String(), "stop"), 1, "sent: %s", log)
		})
}

func TestCancelStopsTheSearch(t *testing.T) {
	inDialogue(t, react(on("stop", 0, "bestmove 2g2f")), func(t *testing.T, e *usi.Engine, _ *transcript) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		reply, err := e.Think(ctx, request())
		testutil.Check(t, err == nil && reply.Stopped && reply.Elapsed == time.Minute, "reply %+v, %v", reply, err)
	})
}

func TestHangIsAFaultWithTheLatestVariation(t *testing.T) {
	inDialogue(t, react(on("go", 0, "info depth 4 score cp 10 nodes 9 pv 2g2f 8c8d")),
		func(t *testing.T, e *usi.Engine, _ *transcript) {
			r := request()
			r.Deadline = time.Second
			began := time.Now()
			reply, err := e.Think(t.Context(), r)
			fault, ok := errors.AsType[*usi.Fault](err)
			testutil.Require(t, ok && fault.Kind == usi.FaultHang && fault.Searching && fault.Elapsed == 1500*time.Millisecond,
				"error %v", err)
			testutil.Equal(t, time.Since(began), 1500*time.Millisecond, "took")
			testutil.Check(t, reply.Move.String() == "2g2f" && reply.Stopped, "reply %+v", reply)
			if err := e.NewGame(t.Context(), usi.Game{}); !errors.Is(err, error(fault)) {
				t.Errorf("a failed engine answered %v", err)
			}
		})
}

func TestChatterDoesNotExtendTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quit := make(chan struct{})
		e, _ := dialogue(t, func(line string, say func(string)) {
			if strings.HasPrefix(line, "go") {
				go func() {
					for {
						select {
						case <-quit:
							return
						case <-time.After(100 * time.Millisecond):
							say("info depth 1 score cp 1 nodes 1 pv 7g7f")
						}
					}
				}()
			}
		})
		defer close(quit)
		r := request()
		r.Deadline = time.Second
		began := time.Now()
		_, err := e.Think(t.Context(), r)
		fault, ok := errors.AsType[*usi.Fault](err)
		testutil.Check(t, ok && fault.Kind == usi.FaultHang, "error %v", err)
		testutil.Equal(t, time.Since(began), 1500*time.Millisecond, "took")
	})
}

func TestStaleBestmoveDoesNotLeak(t *testing.T) {
	inDialogue(t, react(
		on("isready", 0, "bestmove 9g9f", "readyok"),
		on("usinewgame", 0, "bestmove 1g1f"),
		on("go", time.Second, "bestmove 7g7f"),
	), func(t *testing.T, e *usi.Engine, _ *transcript) {
		testutil.OK(t, e.NewGame(t.Context(), usi.Game{}))
		synctest.Wait()
		r, err := e.Think(t.Context(), request())
		testutil.Check(t, err == nil && r.Move.String() == "7g7f", "reply %+v, %v", r, err)
		testutil.Equal(t, e.Counters().Stale, 2, "stale bestmoves counted")
	})
}

func TestSlowReadyAndItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nth := 0
		e, _ := dialogue(t, func(line string, say func(string)) {
			if line != "isready" {
				return
			}
			if nth++; nth > 1 {
				return
			}
			for range 100 { // keep-alive lines of a loading network
				time.Sleep(5 * time.Second) // in synctest's time
				say("")
			}
			say("readyok")
		})
		testutil.OK(t, e.Ready(t.Context()), "a slow start failed")
		err := e.Ready(t.Context())
		want := "usi: test: waiting for readyok: start: silent for 10m0s (if this engine loads slowly, raise its ready_timeout in the match file)"
		testutil.Check(t, err != nil && err.Error() == want, "error %v, want %s", err, want)
	})
}

func TestDeafEngineHitsTheWriteDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		began := time.Now()
		_, err := usi.Greet(t.Context(), ours, usi.Config{Name: "deaf"})
		fault, ok := errors.AsType[*usi.Fault](err)
		testutil.Check(t, ok && fault.Kind == usi.FaultNotRead, "error %v", err)
		testutil.Equal(t, time.Since(began), 2*time.Second, "took")
	})
}

// deadProcess is a connection whose process has ended.
type deadProcess struct{ io.Reader }

func (deadProcess) Write(p []byte) (int, error) { return len(p), nil }
func (deadProcess) Close() error                { return nil }
func (deadProcess) Diagnosis() string           { return "exit status 3; stderr: no \x1b[31meval\x1b[0m file" }
func (deadProcess) LastWords() string           { return "not asked for" }

// quietProcess is a connection whose process has ended without a word on stderr.
type quietProcess struct{ deadProcess }

func (quietProcess) Diagnosis() string { return "exit status 0" }

// TestCrashBeforeUsiok: a program that ends without a reason before usiok is perhaps no engine.
func TestCrashBeforeUsiok(t *testing.T) {
	_, err := usi.Greet(t.Context(), quietProcess{deadProcess{strings.NewReader("id name x\n")}}, usi.Config{Name: "dead"})
	testutil.Fails(t, err,
		"exit status 0; hint: it ended before usiok, so it may be no USI engine; gogi check examines it")
}

func TestCrashCarriesTheDiagnosis(t *testing.T) {
	_, err := usi.Greet(t.Context(), deadProcess{strings.NewReader("id name x\n")}, usi.Config{Name: "dead"})
	want := "usi: dead: waiting for usiok: crash: exit status 3; stderr: no eval file"
	testutil.Check(t, err != nil && err.Error() == want, "error %v, want %s", err, want)
	fault, ok := errors.AsType[*usi.Fault](err)
	testutil.Check(t, ok && fault.Awaiting == "usiok", "fault %+v: want it to await usiok", fault)
}

// talking is a connection to a running process that writes to stderr.
type talking struct {
	net.Conn
	words string
}

func (talking) Diagnosis() string   { return "not asked for" }
func (t talking) LastWords() string { return t.words }

func TestASilentEnginesLastWordsAreTold(t *testing.T) {
	for words, want := range map[string]string{
		"":                        "silent for 1m0s (a UCI engine does not answer usi; if this engine starts slowly, raise its greeting_timeout in the match file)",
		"stderr: loading \x1b[0m": "silent for 1m0s (a UCI engine does not answer usi; if this engine starts slowly, raise its greeting_timeout in the match file); stderr: loading",
	} {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			defer theirs.Close()
			go io.Copy(io.Discard, theirs)
			_, err := usi.Greet(t.Context(), talking{ours, words}, usi.Config{Name: "slow"})
			fault, ok := errors.AsType[*usi.Fault](err)
			testutil.Check(t, ok && fault.Kind == usi.FaultStart && fault.Note == want && fault.Awaiting == "usiok",
				"%+v, want the note %q", fault, want)
		})
	}
}

// TestUCIEngine: an engine that rejects the command usi fails after two seconds. An engine that loads slowly may print
// such a line for another reason and still answer, and a silent engine has its whole time.
func TestUCIEngine(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"Stockfish 16 by the Stockfish developers\nUnknown command: 'usi'. Type help for more information.\n": 2 * time.Second,
		"Stockfish 16 by the Stockfish developers\n":                                                          time.Minute,
	} {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			defer theirs.Close()
			go io.Copy(io.Discard, theirs)
			go io.WriteString(theirs, text)
			begun := time.Now()
			_, err := usi.Greet(t.Context(), ours, usi.Config{Name: "dev"})
			testutil.Equal(t, time.Since(begun), want, "time")
			if want == 2*time.Second {
				testutil.Fails(t, err,
					`it answers usi with "Unknown command: 'usi'. Type help for more information.": a UCI engine does not speak USI`)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		go io.Copy(io.Discard, theirs)
		go func() {
			time.Sleep(time.Second)
			io.WriteString(theirs, "unknown command: usi\nusiok\n")
		}()
		e := testutil.Must(usi.Greet(t.Context(), ours, usi.Config{Name: "late"}))(t)
		testutil.OK(t, e.Close())
		theirs.Close()
	})
}

// elsewhere is a connection to a process that has bound itself to other CPUs.
type elsewhere struct{ deadProcess }

func (elsewhere) AffinityChanged() string { return "on CPU 1" }

func TestStrayedAsksTheConnection(t *testing.T) {
	for want, of := range map[string]func(deadProcess) usi.Connection{
		"on CPU 1": func(p deadProcess) usi.Connection { return elsewhere{p} }, "": func(p deadProcess) usi.Connection {
			return p
		},
	} {
		silent, writer := io.Pipe() // the process continues
		t.Cleanup(func() { testutil.OK(t, writer.Close()) })
		conn := of(deadProcess{io.MultiReader(strings.NewReader("usiok\n"), silent)})
		e := testutil.Must(usi.Greet(t.Context(), conn, usi.Config{Name: "e"}))(t)
		testutil.Equal(t, e.AffinityChanged(), want)
	}
}

func TestGreetingSurvivesGarbage(t *testing.T) {
	text := "banner\r\n\x1b[31m#[Chess] 0w>\n\xff\xfe\nid name Sj\x1b[31maak\r\n\noption name A B type spin default 1\noption name Bad type what\n" +
		strings.Repeat("x", 1<<20) + "\nusiok\n"
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		go io.Copy(io.Discard, theirs)
		go io.WriteString(theirs, text)
		e := testutil.Must(usi.Greet(t.Context(), ours, usi.Config{Name: "odd"}))(t)
		g := e.Greeting()
		testutil.Check(t, g.Name == "Sjaak" && len(g.Options) == 1 && g.Options[0].Name == "A B" && len(g.Bad) == 1,
			"greeting %+v", g)
		testutil.OK(t, e.Close())
		theirs.Close()
	})
}

// TestPonderMissRunsOnTheClock requires that an engine that ends a ponder search slowly uses up the time of its move.
// After that time it counts as hanging, and the error has the time of the wait.
func TestPonderMissRunsOnTheClock(t *testing.T) {
	for _, c := range []struct {
		slow, elapsed time.Duration // 0 elapsed: it hangs
		cancel        time.Duration
	}{
		{slow: 0, elapsed: 100 * time.Millisecond},
		{slow: 700 * time.Millisecond, elapsed: 800 * time.Millisecond}, // longer than Limits.Stop
		{slow: 4800 * time.Millisecond, elapsed: 4900 * time.Millisecond},
		{slow: 5100 * time.Millisecond},
		{slow: 5100 * time.Millisecond, cancel: time.Second},
	} {
		inDialogue(t, react(
			on("stop", c.slow, "bestmove 9g9f"),
			on("go ponder", 0),
			on("go", 100*time.Millisecond, "bestmove 7g7f"),
		), func(t *testing.T, e *usi.Engine, _ *transcript) {
			testutil.OK(t, e.Ponder(t.Context(), request("7g7f", "3c3d")))
			missed := request("7g7f", "8c8d")
			missed.Deadline = 5 * time.Second
			ctx, limit := t.Context(), missed.Deadline
			if c.cancel > 0 {
				var stop context.CancelFunc
				ctx, stop = context.WithTimeout(ctx, c.cancel)
				defer stop()
				limit = c.cancel + 500*time.Millisecond
			}
			r, err := e.Think(ctx, missed)
			fault, failed := errors.AsType[*usi.Fault](err)
			switch {
			case c.elapsed > 0 && (err != nil || r.Elapsed != c.elapsed || r.Stopped):
				t.Errorf("%v: %+v, %v", c.slow, r, err)
			case c.elapsed == 0 && (!failed || fault.Kind != usi.FaultHang || !fault.Searching || fault.Elapsed != limit):
				t.Errorf("%v: %+v, %+v", c.slow, r, err)
			}
		})
	}
}

func TestPonder(t *testing.T) {
	inDialogue(t, react(
		on("ponderhit", time.Second, "bestmove 2g2f"),
		on("stop", 0, "bestmove 9g9f"),
		on("go ponder", 0),
		on("go", 0, "bestmove 7g7f"),
	), func(t *testing.T, e *usi.Engine, log *transcript) {
		expected := request("7g7f", "3c3d")
		expected.Go = usi.Go{Clock: true, BTime: time.Minute, WTime: time.Minute, UseByoyomi: true}

		testutil.OK(t, e.Ponder(t.Context(), expected))
		time.Sleep(5 * time.Second) // in synctest's time
		r, err := e.Think(t.Context(), expected)
		testutil.Check(t, err == nil && r.Hit && r.Move.String() == "2g2f" && r.Elapsed == time.Second, "hit: %+v, %v", r,
			err)

		testutil.OK(t, e.Ponder(t.Context(), expected))
		r, err = e.Think(t.Context(), request("7g7f", "8c8d"))
		testutil.Check(t, err == nil && !r.Hit && r.Move.String() == "7g7f", "miss: %+v, %v", r, err)
		c := e.Counters()
		testutil.Check(t, c.PonderHits == 1 && c.PonderMiss == 1 && c.Stale == 0, "counters %+v", c)
		testutil.Contains(t, log.String(), "go ponder btime 60000 wtime 60000 byoyomi 0\nponderhit\n", "sent: %s", log)
	})
}

func TestEarlyBestmoveWhilePonderingIsHeld(t *testing.T) {
	inDialogue(t, react(on("go ponder", 0, "bestmove 2g2f")), func(t *testing.T, e *usi.Engine, log *transcript) {
		testutil.OK(t, e.Ponder(t.Context(), request("7g7f", "3c3d")))
		synctest.Wait()
		r, err := e.Think(t.Context(), request("7g7f", "3c3d"))
		testutil.Check(t, err == nil && r.Elapsed == 0 && r.Move.String() == "2g2f", "reply %+v, %v", r, err)
		testutil.Check(t, e.Counters().Early == 1 && !strings.Contains(log.String(), "ponderhit"), "counters %+v, sent:\n%s",
			e.Counters(), log)
	})
}

func TestEarlyPonderSendsTheClocksWithTheHit(t *testing.T) {
	inDialogue(t, react(on("ponderhit", 0, "bestmove 2g2f")), func(t *testing.T, e *usi.Engine, log *transcript) {
		r := request("7g7f", "3c3d")
		r.Go = usi.Go{Early: true, Clock: true, BTime: time.Second, WTime: time.Second, UseByoyomi: true}
		testutil.OK(t, e.Ponder(t.Context(), r))
		testutil.Must(e.Think(t.Context(), r))(t)
		testutil.Contains(t, log.String(), "go ponder\nponderhit btime 1000 wtime 1000 byoyomi 0", "sent: %s", log)
	})
}

func TestGameOverEndsPondering(t *testing.T) {
	inDialogue(t, react(
		on("stop", 100*time.Millisecond, "bestmove 9g9f"),
		on("isready", 0, "readyok"),
		on("go nodes", 0, "bestmove 7g7f"),
	), func(t *testing.T, e *usi.Engine, log *transcript) {
		testutil.OK(t, e.Ponder(t.Context(), request("7g7f", "3c3d")))
		testutil.OK(t, e.GameOver(t.Context(), usi.Lose))
		testutil.OK(t, e.NewGame(t.Context(), usi.Game{}))
		r, err := e.Think(t.Context(), request())
		testutil.Check(t, err == nil && r.Move.String() == "7g7f", "reply %+v, %v", r, err)
		testutil.Contains(t, log.String(), "stop\ngameover lose\nisready", "sent: %s", log)
	})
}

func TestMultiPVLinesAreKeptByIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := 0
		e, _ := dialogue(t, react(
			on("go", 0, "info depth 1 multipv 1 score cp 9 pv 7g7f", "info depth 2 multipv 1 score cp 18 nodes 7 pv 2g2f",
				"info depth 2 multipv 2 score cp -3 nodes 7 pv 3i4h", "info string pv 1g1f score cp 999", "info currmove 1g1f",
				"bestmove 2g2f"),
		))
		r := request()
		r.OnInfo = func(usi.Info) { seen++ }
		reply, err := e.Think(t.Context(), r)
		if err != nil || len(reply.Lines) != 2 || reply.Best().Score.Value != 18 || reply.Lines[1].Score.Value != -3 ||
			reply.Nodes != 7 {
			t.Errorf("reply %+v, %v", reply, err)
		}
		testutil.Check(t, seen == 5, "OnInfo saw %d lines", seen)
	})
}

// TestOptionsOfAGame requires that changed options of a game are sent before its isready. An undeclared option or a
// value out of range is an error, and the engine gets no line.
func TestOptionsOfAGame(t *testing.T) {
	inDialogue(t, polite, func(t *testing.T, e *usi.Engine, log *transcript) {
		with := func(name, value string) usi.Game { return usi.Game{Options: []usi.Setting{{Name: name, Value: value}}} }
		for _, g := range []usi.Game{with("hash", "32"), with("Hash", "32"), {}, with("Hash", "8")} {
			testutil.OK(t, e.NewGame(t.Context(), g))
		}
		const game, over = "isready\nusinewgame\n", "gameover draw\n"
		want := "usi\nsetoption name Hash value 32\n" + game + over + game + over + game + over +
			"setoption name Hash value 8\n" + game
		synctest.Wait()
		testutil.Equal(t, log.String()+"\n", want)
		for _, g := range []usi.Game{with("Hash", "65"), with("Bash", "1")} {
			testutil.Fails(t, e.NewGame(t.Context(), g), "", "%v: no error", g.Options)
		}
		synctest.Wait()
		testutil.Equal(t, log.String()+"\n", want+over, "sent after an error")
	})
}

// TestOrderOfCommands requires the order of the protocol, whichever methods are called: isready, usinewgame, searches,
// gameover. Some engines support no other order.
func TestOrderOfCommands(t *testing.T) {
	inDialogue(t, polite, func(t *testing.T, e *usi.Engine, log *transcript) {
		for _, step := range []func() error{
			func() error { return e.Ready(t.Context()) },
			func() error { return e.NewGame(t.Context(), usi.Game{}) }, // without a second isready
			func() error { return testutil.Err(e.Think(t.Context(), request())) },
			func() error { return e.NewGame(t.Context(), usi.Game{}) }, // without GameOver
			func() error { return e.Ready(t.Context()) },               // within a game
			func() error { return e.Configure([]usi.Setting{{Name: "Hash", Value: "8"}}) },
			func() error { return e.NewGame(t.Context(), usi.Game{}) }, // the option needs another isready
			func() error { return e.GameOver(t.Context(), usi.Win) },
			func() error { return e.NewGame(t.Context(), usi.Game{}) },
			func() error { return e.Ready(t.Context()) },
			func() error { return testutil.Err(e.Think(t.Context(), request())) },
			func() error { return e.NewGame(t.Context(), usi.Game{}) }, // the search needs another isready
		} {
			testutil.OK(t, step())
		}
		synctest.Wait()
		testutil.Equal(t, log.String(), `usi
isready
usinewgame
position startpos
go nodes 100
gameover draw
isready
usinewgame
gameover draw
isready
setoption name Hash value 8
isready
usinewgame
gameover win
isready
usinewgame
gameover draw
isready
position startpos
go nodes 100
isready
usinewgame`)
	})
}

// dying is a connection to an engine that answers each command with its lines. It ends after a command without lines.
// words is its text on stderr.
type dying struct {
	net.Conn
	words string
}

func (s dying) Diagnosis() string { return "exit status 1" + s.words }
func (s dying) LastWords() string { return strings.TrimPrefix(s.words, "; ") }

func scripted(t *testing.T, words string, answers map[string]string) dying {
	t.Helper()
	ours, theirs := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer theirs.Close()
		for in := bufio.NewScanner(theirs); in.Scan(); {
			answer, known := answers[in.Text()]
			_, _ = theirs.Write([]byte(answer)) // the test notices a missing answer
			if !known || strings.HasSuffix(answer, "bye") {
				return
			}
		}
	}()
	t.Cleanup(func() { <-done })
	return dying{ours, words}
}

// TestAFailedStartQuotesStdout requires that the error of an engine that fails to start contains its last lines on
// stdout. If the engine lacks its evaluation file, the error also names the option for the file.
func TestAFailedStartQuotesStdout(t *testing.T) {
	const greeting = "id name Y\noption name EvalDir type string default eval\nusiok\n"
	hint := func(dir string) string {
		return "; hint: it reads its evaluation file from EvalDir = " + dir +
			", seen from its working directory; put the file there, or set the option EvalDir"
	}
	for name, test := range map[string]struct {
		greeting, ready, words string
		dir                    string // value of the option; "" if it is not set
		want                   string
	}{
		"evaluation file": {greeting, "info string loading\ninfo string Error! : failed to read eval/nn.bin\nbye", "", "",
			"exit status 1; stdout: info string loading | info string Error! : failed to read eval/nn.bin | bye" + hint("eval")},
		"in a set folder":   {greeting, "no nn.bin bye", "", "nets", "exit status 1; stdout: no nn.bin bye" + hint("nets")},
		"of something else": {greeting, "bye", "", "", "exit status 1; stdout: bye"},
		"without a word":    {greeting, "", "", "", "exit status 1" + hint("eval")},
		"on stderr": {greeting, "\nbye", "; stderr: cannot open nn.bin", "",
			"exit status 1; stderr: cannot open nn.bin; stdout: bye" + hint("eval")},
		"of another engine":  {"usiok\n", "no eval file: bye", "", "", "exit status 1; stdout: no eval file: bye"},
		"the last five only": {"usiok\n", "1\n2\n3\n4\n5\n6\nbye", "", "", "exit status 1; stdout: 3 | 4 | 5 | 6 | bye"},
	} {
		answers := map[string]string{"usi": test.greeting, "setoption name EvalDir value nets": ""}
		if test.ready != "" {
			answers["isready"] = test.ready
		}
		conn := scripted(t, test.words, answers)
		e, err := usi.Greet(t.Context(), conn, usi.Config{Name: "y"})
		testutil.OK(t, err, name)
		if test.dir != "" {
			testutil.OK(t, e.Configure([]usi.Setting{{Name: "EvalDir", Value: test.dir}}), name)
		}
		fault, ok := errors.AsType[*usi.Fault](e.NewGame(t.Context(), usi.Game{}))
		testutil.Check(t, ok && fault.Kind == usi.FaultCrash && fault.Awaiting == "readyok" && fault.Note == test.want,
			"%s: %+v\nwant %s", name, fault, test.want)
		_ = e.Close()
	}
}
