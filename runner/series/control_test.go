package series_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/control"
	"gogi/runner"
	"gogi/runner/events"
	"gogi/runner/series"
	"gogi/stats"
	"gogi/usi"
)

// controlled is a match whose players make a move only when the test allows it.
type controlled struct {
	*series.Series
	t      *testing.T
	memory *memory
	moves  chan struct{} // each value allows one move; after close, all moves
	hub    chan *events.Hub
	ended  chan series.Ending // one value
}

// slow is a player that waits for permission before each move.
type slow struct {
	player
	moves <-chan struct{}
}

func (p slow) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	select {
	case <-p.moves:
		return p.player.Think(ctx, r)
	case <-ctx.Done():
		return usi.Reply{Stopped: true}, nil
	}
}

func control1(t *testing.T, p *match.Plan, c series.Config) *controlled {
	t.Helper()
	m := newMemory(p)
	run := &controlled{
		Series: begin(t, m), t: t, memory: m, moves: make(chan struct{}), hub: make(chan *events.Hub, 1),
		ended: make(chan series.Ending, 1),
	}
	c.Open = func(_ context.Context, p match.Player, _ []int) (runner.Player, error) {
		return slow{player{resigns: p.Name == "weak"}, run.moves}, nil
	}
	c.Watch = append(c.Watch, func(h *events.Hub) { run.hub <- h })
	go func() {
		ending, err := run.Play(t.Context(), c)
		testutil.Check(t, err == nil, "%v", err)
		run.ended <- ending
	}()
	synctest.Wait()
	return run
}

// now returns the state of the run as a subscriber sees it.
func (c *controlled) now() *match.Snapshot {
	synctest.Wait()
	h := <-c.hub
	c.hub <- h
	return h.State().State
}

func (c *controlled) playing() (n int) {
	return lists.Count(c.now().Slots, func(s match.SlotState) bool { return s.Phase == match.SlotPlaying })
}

// tell executes a command in text form, such as "target 8".
func (c *controlled) tell(words string) error {
	verb, number, _ := strings.Cut(words, " ")
	order, err := control.Parse(verb, number)
	if err != nil {
		return err
	}
	return c.Control(c.t.Context(), order)
}

func (c *controlled) must(words string) {
	c.t.Helper()
	testutil.OK(c.t, c.tell(words), "%s", words)
}

// pairs allows n pairs to be played to their end. Each pair has three moves.
func (c *controlled) pairs(n int) {
	c.t.Helper()
	for range 3 * n {
		select {
		case c.moves <- struct{}{}:
		case <-time.After(time.Hour):
			c.t.Fatal("nobody thinks")
		}
		synctest.Wait()
	}
}

// end waits for the end of the session.
func (c *controlled) end() series.Ending {
	c.t.Helper()
	select {
	case e := <-c.ended:
		return e
	case <-time.After(time.Hour):
		c.t.Fatal("the session does not end")
		return series.Ending{}
	}
}

// TestPauseAndResume: a paused run finishes the pairs in play and begins no other pair. After a resume it plays all
// remaining pairs.
func TestPauseAndResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := control1(t, plan(6, 2), series.Config{})
		c.must("pause")
		testutil.Equal(t, c.playing(), 2, "games in play right after the pause")
		c.pairs(2)
		now := c.now()
		testutil.Check(t, now.Finished == 2 && c.playing() == 0 && now.Phase == match.RunPaused && !now.Over, "paused: %+v",
			now)
		c.must("resume")
		testutil.Equal(t, c.playing(), 2, "games in play after the pause")
		close(c.moves)
		e := c.end()
		testutil.Check(t, e.Left == 0 && e.Why == nil && !e.Ordered, "%+v", e)
		testutil.Slices(t, []string{"paused 6 2", "playing 6 2"}, c.memory.told, "the log")
		err := c.tell("pause")
		testutil.Check(t, errors.Is(err, control.ErrOver), "after the end: %v", err)
	})
}

// TestOrderedEnds: drain and stop also end a paused run. Stop drops the games in play.
func TestOrderedEnds(t *testing.T) {
	for _, words := range [][]string{{"drain"}, {"pause", "drain"}, {"stop"}, {"pause", "stop"}, {"drain", "stop"}} {
		synctest.Test(t, func(t *testing.T) {
			c := control1(t, plan(6, 2), series.Config{})
			for _, w := range words {
				c.must(w)
			}
			left := 6
			if words[len(words)-1] == "drain" {
				c.pairs(2)
				left = 4
			}
			e := c.end()
			testutil.Check(t, e.Left == left && e.Ordered && errors.Is(e.Why, series.ErrStopped) == (left == 6), "%q: %+v",
				words, e)
			now := c.now()
			testutil.Check(t, now.Over && now.Finished == 6-left, "%q: %+v", words, now)
		})
	}
}

// TestNothingWaitsForEver: if the SPRT decides while the run is paused, the run ends.
func TestNothingWaitsForEver(t *testing.T) {
	p := plan(400, 1)
	p.Gate = stats.SPRT{Elo0: 0, Elo1: 200, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
	enough := 0
	synctest.Test(t, func(t *testing.T) { // count the pairs that the SPRT needs
		c := control1(t, p, series.Config{})
		close(c.moves)
		c.end()
		enough = len(c.memory.pairs)
	})
	testutil.Require(t, enough >= 3 && enough <= 100, "the gate took %d pairs", enough)
	synctest.Test(t, func(t *testing.T) {
		c := control1(t, p, series.Config{})
		c.pairs(enough - 1)
		c.must("pause")
		c.pairs(1)
		if e := c.end(); e.Left != 0 || e.Why != nil || len(c.memory.pairs) != enough {
			t.Errorf("%+v after %d pairs, want %d", e, len(c.memory.pairs), enough)
		}
	})
}

// TestSlotsAndTarget: more slots and more games take effect at once, also if slots had found no more pairs. An invalid
// command is rejected with a reason and changes nothing.
func TestSlotsAndTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := errors.New("no room")
		c := control1(t, plan(3, 1), series.Config{Fits: func(n int) error {
			if n > 4 {
				return room
			}
			return nil
		}})
		c.must("concurrency 4")
		testutil.Equal(t, c.playing(), 3, "games in play of 3 pairs")
		c.must("target 12")
		if now := c.now(); c.playing() != 4 || now.Pairs != 6 || now.Games != 12 || now.Wanted != 4 {
			t.Errorf("%d games in play: %+v", c.playing(), now)
		}
		for words, want := range map[string]string{
			"concurrency 5": "no room", "concurrency 5000": "want at most", "target 7": "half a pair", "target 0": "at least 1",
			"pause 3": "takes no number", "explode": "want one of", "target x": "whole number",
		} {
			err := c.tell(words)
			testutil.Check(t, err != nil && strings.Contains(err.Error(), want), "%s: %v, want %q in it", words, err, want)
		}
		c.must("concurrency 1")
		c.must("target 10")
		close(c.moves)
		e := c.end()
		testutil.Check(t, e.Left == 0 && len(c.memory.pairs) == 5, "%+v, %d pairs", e, len(c.memory.pairs))
		want := []string{"playing 3 4", "playing 6 4", "playing 6 1", "playing 5 1"}
		testutil.Slices(t, c.memory.told, want, "the log")
	})
}

// TestControlIsLoggedFirst: if the log cannot store a command, the command has no effect.
func TestControlIsLoggedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := control1(t, plan(2, 1), series.Config{})
		c.memory.refuse = errors.New("disk full")
		testutil.Fails(t, c.tell("stop"), "", "stopped without a word in the log")
		c.memory.refuse = nil
		now := c.now()
		testutil.Check(t, now.Phase == match.RunPlaying, "%+v", now)
		close(c.moves)
		e := c.end()
		testutil.Check(t, e.Left == 0, "%+v", e)
	})
}

func TestGatesKeepTheirLength(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan(30, 1)
		p.Gate = stats.SPRT{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
		c := control1(t, p, series.Config{})
		testutil.Fails(t, c.tell("target 80"), "maximum changes only between sessions")
		c.must("stop")
		c.end()
	})
}
