package ensemble_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gogi/ensemble"
	"gogi/ensemble/voting"
	"gogi/internal/testutil"
	"gogi/usi"
)

// after returns the position after these moves from the initial position.
func after(moves ...string) usi.Position {
	p := usi.Position{Start: "startpos"}
	for _, m := range moves {
		p.Moves = append(p.Moves, mustMove(m))
	}
	return p
}

// The time margin is for a late machine. The wait for a member must not use it up.
func TestTheMarginIsNotSpentOnAMember(t *testing.T) {
	clock := usi.Go{Clock: true, WTime: time.Minute, UseByoyomi: true, Byoyomi: time.Second}
	for _, test := range []struct {
		name     string
		args     usi.Go
		deadline time.Duration
		want     time.Duration
	}{
		{"a clock", clock, 1400 * time.Millisecond, 1200 * time.Millisecond},
		{"a time for the move", usi.Go{MoveTime: time.Second}, 1400 * time.Millisecond, 1200 * time.Millisecond},
		{"no margin", clock, time.Second, time.Second - ensemble.Level*2/3},
		{"no clock", usi.Go{Nodes: 100}, time.Second, time.Second - ensemble.Level*2/3},
	} {
		inBubble(t, test.name, func(t *testing.T) {
			deaf := says("5g5f", time.Minute)
			deaf.deaf = true
			c := council(t, ensemble.Config{}, says("7g7f", time.Millisecond), deaf)
			reply, _ := vote(t, c, usi.Request{Position: atStart, Go: test.args, Deadline: test.deadline})
			testutil.Check(t, reply.Text == "7g7f" && reply.Elapsed.Round(time.Microsecond) == test.want.Round(time.Microsecond),
				"%s after %v, want %v", reply.Text, reply.Elapsed, test.want)
		})
	}
}

// A member that still searches another position does not vote with its move there, even if the move is legal here.
func TestOldVariationsAreNoVotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := says("5g5f", 3*time.Second)
		deaf.deaf, deaf.shown = true, "2g2f"
		c := council(t, ensemble.Config{}, says("7g7f", time.Millisecond), deaf)
		if _, record := vote(t, c, usi.Request{Position: atStart, Deadline: time.Second}); kinds(record) !=
			"move 7g7f, move 2g2f" {
			t.Fatalf("of this search: %s", kinds(record))
		}
		c2 := usi.Request{Position: after("7g7f", "3c3d"), Deadline: time.Second}
		if _, record := vote(t, c, c2); record.Ballots[1].Kind != voting.KindNone {
			t.Errorf("of the last search: %s", kinds(record))
		}
	})
}

// ponderingSlowly is a member that ends a pondering search late, and shows the variation of that search until then.
type ponderingSlowly struct {
	timed
	begun bool // reports an info of the new search before the old one ends
}

func (p *ponderingSlowly) Ponder(context.Context, usi.Request) error { return nil }

func (p *ponderingSlowly) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	if p.begun && r.OnInfo != nil {
		r.OnInfo(usi.Info{})
	}
	return p.timed.Think(ctx, r)
}

func TestOldVariationsOfPonderingAreNoVotes(t *testing.T) {
	for _, test := range []struct {
		name  string
		reply string // the opponent's move; the member ponders on 3c3d
		begun bool
		want  voting.Kind
	}{
		{"hit", "3c3d", false, voting.KindMove},
		{"miss", "8c8d", false, voting.KindNone},
		{"miss, but the new search says something", "8c8d", true, voting.KindMove},
	} {
		inBubble(t, test.name, func(t *testing.T) {
			slow := &ponderingSlowly{timed: *says("5g5f", 3*time.Second), begun: test.begun}
			slow.deaf, slow.shown = true, "2g2f"
			c := council(t, ensemble.Config{}, says("4g4f", time.Millisecond), slow)
			testutil.OK(t, c.Ponder(t.Context(), usi.Request{Position: after("7g7f", "3c3d")}))
			_, record := vote(t, c, usi.Request{Position: after("7g7f", test.reply), Deadline: time.Second})
			testutil.Equal(t, record.Ballots[1].Kind, test.want, "%s", kinds(record))
		})
	}
}

// lateCritic votes at once, and does not end its check of another member's move.
type lateCritic struct{ timed }

func (c *lateCritic) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	if len(r.Position.Moves) == 0 {
		return c.scripted.Think(ctx, r)
	}
	return c.timed.Think(ctx, r)
}

// A check costs its time and a grace period, not the game. A late member does not object.
func TestALateCriticDoesNotHoldTheMove(t *testing.T) {
	for _, test := range []struct {
		name     string
		veto     ensemble.Veto
		deadline time.Duration
		want     time.Duration // at most
	}{
		{"a time, on a long clock", ensemble.Veto{Time: 100 * time.Millisecond}, time.Minute, 500 * time.Millisecond},
		{"a time, at the end of the clock", ensemble.Veto{Time: 800 * time.Millisecond}, time.Second, time.Second},
		{"a time, without a deadline", ensemble.Veto{Time: 100 * time.Millisecond}, 0, 500 * time.Millisecond},
		{"nodes", ensemble.Veto{Nodes: 10}, time.Second, time.Second},
	} {
		inBubble(t, test.name, func(t *testing.T) {
			late := &lateCritic{*says("2g2f", time.Hour)}
			late.deaf = true
			c := council(t, ensemble.Config{Veto: test.veto}, says("7g7f", 0), says("7g7f", 0), late)
			reply, record := vote(t, c, usi.Request{Position: atStart, Deadline: test.deadline})
			testutil.Check(t, reply.Text == "7g7f" && record.By == voting.ByRule && reply.Elapsed < test.want,
				"%s by %s after %v", reply.Text, record.By, reply.Elapsed)
			testutil.Check(t, slices.Contains(record.Events, "m3: late") && len(record.Veto) == 1 && !record.Veto[0].Objects,
				"events %q, veto %+v", record.Events, record.Veto)
		})
	}
}

// If the members get less of the clock to leave time for a check, the check gets that time.
func TestTheTimeForAVetoIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := council(t, ensemble.Config{Veto: ensemble.Veto{Time: 500 * time.Millisecond}}, says("7g7f", 0), says("7g7f", 0),
			says("2g2f", time.Second))
		reply, record := vote(t, c, usi.Request{Position: atStart, Go: usi.Go{MoveTime: time.Second},
			Deadline: 1600 * time.Millisecond})
		testutil.Check(t, reply.Text == "7g7f" && len(record.Veto) == 1,
			"%s after %v, veto %+v", reply.Text, reply.Elapsed, record.Veto)
	})
}

// TestABusyMemberHoldsNobody requires that turns stay short if the opponent is much faster than a member that does not
// answer.
func TestABusyMemberHoldsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := &ponderingSlowly{timed: *says("5g5f", time.Hour)}
		deaf.deaf = true
		c := council(t, ensemble.Config{}, says("7g7f", time.Millisecond), deaf)
		for range 30 {
			start := time.Now()
			vote(t, c, usi.Request{Position: atStart, Deadline: time.Second})
			testutil.OK(t, c.Ponder(t.Context(), usi.Request{Position: after("7g7f", "3c3d")}))
			took := time.Since(start)
			testutil.Require(t, took < time.Second, "a turn took %v", took)
		}
	})
}

// A leader that fails at once must not stop the other members.
func TestALeaderThatFailsDoesNotLead(t *testing.T) {
	illegal := says("5a5b", time.Millisecond)
	for name, first := range map[string]*timed{"dead": dying(time.Millisecond), "illegal": illegal} {
		inBubble(t, name, func(t *testing.T) {
			next, last := says("7g7f", time.Second), says("2g2f", 2*time.Second)
			last.shown = "5g5f"
			c := council(t, ensemble.Config{Stop: ensemble.StopLeader, Restarts: -1}, first, next, last)
			reply, record := vote(t, c, usi.Request{Position: atStart})
			if reply.Elapsed != time.Second || record.Ballots[1].Move != "7g7f" || record.Ballots[2].Move != "5g5f" {
				t.Errorf("after %v: %s", reply.Elapsed, kinds(record))
			}
		})
	}
}

// TestALostMemberIsMissedAtOnce requires that a member without restarts counts as lost in the vote in which it dies,
// even if it dies last.
func TestALostMemberIsMissedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sick := &mortal{players: []ensemble.Player{&slowToClose{*dying(time.Second)}}}
		c := openCouncil(t, ensemble.Config{MinAlive: 2, Restarts: -1}, sick,
			&mortal{players: []ensemble.Player{says("7g7f", time.Millisecond)}})
		_, err := c.Think(t.Context(), usi.Request{Position: atStart})
		fault, ok := errors.AsType[*usi.Fault](err)
		testutil.Check(t, ok && strings.Contains(fault.Note, "1 of 2 members are alive, the council needs 2; m1: "), "%v",
			err)
	})
}

// slowToClose is a player that takes a second to close.
type slowToClose struct{ timed }

func (*slowToClose) Close() error {
	<-time.After(time.Second) // in the time of the synctest bubble
	return nil
}

// Without a time, the deadline stops members that do not end. A member that always reaches it must not make a game take
// days: from the third move on, it is stopped when the others have answered. It answers each stop at once, so it is not
// at fault, and its votes count.
func TestAnEndlessMemberIsNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endless := &mortal{players: []ensemble.Player{says("2g2f", time.Hour)}}
		c := openCouncil(t, ensemble.Config{Restarts: 2}, endless,
			&mortal{players: []ensemble.Player{says("7g7f", time.Second)}})
		var took []time.Duration
		for range 5 {
			reply, record := vote(t, c, usi.Request{Position: atStart, Go: usi.Go{Nodes: 100}, Deadline: time.Minute})
			took = append(took, reply.Elapsed.Round(time.Second))
			testutil.Equal(t, kinds(record), "move 2g2f, move 7g7f", "what it says when it is stopped counts")
			synctest.Wait()
		}
		want := []time.Duration{time.Minute, time.Minute, time.Second, time.Second, time.Second}
		testutil.Check(t, slices.Equal(took, want) && endless.opened == 1,
			"the votes took %v, it was opened %d times", took, endless.opened)
	})
}
