package ensemble_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gogi/ensemble"
	"gogi/ensemble/voting"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/usi"
)

// thinker is a member that logs what the council sends to it.
type thinker struct {
	scripted
	log    []string
	dies   bool // at the next Think
	fallen bool // fails at each Ponder
}

func (m *thinker) Ponder(_ context.Context, r usi.Request) error {
	m.log = append(m.log, "ponder "+r.Position.Moves[len(r.Position.Moves)-1].String())
	if m.fallen {
		return &usi.Fault{Kind: usi.FaultCrash, Engine: "m", Doing: "pondering"}
	}
	return nil
}

func (m *thinker) Rest(context.Context, time.Duration) error {
	m.log = append(m.log, "stop")
	return nil
}

func (m *thinker) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	m.log = append(m.log, "think")
	if m.dies {
		return usi.Reply{}, &usi.Fault{Kind: usi.FaultCrash, Engine: "m", Doing: "thinking", Searching: true}
	}
	reply, err := m.scripted.Think(ctx, r)
	reply.Hit = len(r.Position.Moves) > 0
	return reply, err
}

// spreading plays the first decision of three members. Two expect 3c3d and one expects 8c8d. They ponder on these
// moves, and the opponent plays reply. spreading returns the second decision's record and the members' logs since the
// first decision.
func spreading(t *testing.T, config ensemble.Config, reply string, dies ...int) (record *voting.Record, logs []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		members := []*thinker{{}, {}, {}}
		players := make([]ensemble.Player, 3)
		for i, m := range members {
			m.moves, players[i] = always("7g7f ponder "+[]string{"3c3d", "8c8d", "3c3d"}[i]), m
		}
		c := council(t, config, players...)
		first, record1 := vote(t, c, usi.Request{Position: atStart})
		testutil.Require(t, first.Ponder == mustMove("3c3d") && record1.Pondered == nil, "the first decision: %s",
			first.Detail)
		testutil.OK(t, c.Ponder(t.Context(), usi.Request{Position: after("7g7f", "3c3d")}))
		synctest.Wait()
		for i, m := range members {
			m.moves, m.dies = always("2g2f"), slices.Contains(dies, i)
		}
		_, record = vote(t, c, usi.Request{Position: after("7g7f", reply), Deadline: time.Second})
		synctest.Wait()
		for _, m := range members {
			logs = append(logs, fmt.Sprint(m.log[1:]))
		}
		testutil.OK(t, c.Close())
	})
	replayedFrom(t, record)
	return record, logs
}

// replayedFrom fails the test if a vote on the recorded ballots gives another move.
func replayedFrom(t *testing.T, record *voting.Record) {
	t.Helper()
	alone := *record
	alone.Own = 1
	v, err := new(voting.Replayer).Next(&alone)
	if err != nil || v.Decision.Word() != record.Played {
		t.Errorf("replay: %s (%v)", v.Decision.Word(), err)
	}
}

func TestSpread(t *testing.T) {
	spread, all := ensemble.Config{Spread: ensemble.Spread{On: true}},
		ensemble.Config{Spread: ensemble.Spread{On: true, Votes: true}}
	for _, test := range []struct {
		name   string
		config ensemble.Config
		reply  string
		dies   []int
		want   string // the members' logs, hits and spared members
	}{
		{"the second reply", spread, "8c8d", nil, "[[ponder 3c3d stop] [ponder 8c8d think] [ponder 3c3d stop]] [1] [0 2]"},
		{"the first reply", spread, "3c3d", nil, "[[ponder 3c3d think] [ponder 8c8d stop] [ponder 3c3d think]] [0 2] [1]"},
		{"another reply", spread, "4a3b", nil, "[[ponder 3c3d think] [ponder 8c8d think] [ponder 3c3d think]] [] []"},
		{"all vote", all, "8c8d", nil, "[[ponder 3c3d think] [ponder 8c8d think] [ponder 3c3d think]] [1] []"},
		{"the member with the hit dies", spread, "8c8d", []int{1},
			"[[ponder 3c3d stop think] [ponder 8c8d think] [ponder 3c3d stop think]] [1] []"},
		{"off", ensemble.Config{}, "8c8d", nil, "[[ponder 3c3d think] [ponder 3c3d think] [ponder 3c3d think]] [] []"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.config.Restarts = -1
			record, logs := spreading(t, test.config, test.reply, test.dies...)
			testutil.Equal(t, fmt.Sprint(logs, record.Hits, record.Spared), test.want, "%s", record.Events)
			if on := test.config.Spread.On; on != (fmt.Sprint(record.Pondered) == "[{0 3c3d} {1 8c8d} {2 3c3d}]") ||
				record.Played != "2g2f" {
				t.Errorf("pondered %v, played %s", record.Pondered, record.Played)
			}
			for _, b := range record.Ballots {
				testutil.Check(t, !slices.Contains(record.Spared, b.Member), "the spared member %d has a ballot", b.Member)
			}
		})
	}
}

// TestARestartedMemberHasNoHit requires that a member has no hit if it crashed while pondering and was restarted.
func TestARestartedMemberHasNoHit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &thinker{}, &thinker{fallen: true}
		a.moves, b.moves = always("7g7f ponder 3c3d"), always("7g7f ponder 8c8d")
		c := council(t, ensemble.Config{Spread: ensemble.Spread{On: true}, Restarts: 1}, a, b)
		vote(t, c, usi.Request{Position: atStart})
		testutil.OK(t, c.Ponder(t.Context(), usi.Request{Position: after("7g7f", "3c3d")}))
		synctest.Wait()
		a.moves, b.moves = always("2g2f"), always("2g2f")
		_, record := vote(t, c, usi.Request{Position: after("7g7f", "8c8d")})
		testutil.Equal(t, fmt.Sprint(record.Hits, record.Spared, len(record.Ballots)), "[] [] 2", "events %s", record.Events)
		testutil.Contains(t, fmt.Sprint(record.Events), "started again", "the member did not crash")
	})
}

// TestSpreadTeachesTheAsked requires that a spared member keeps its weight.
func TestSpreadTeachesTheAsked(t *testing.T) {
	for rule, want := range map[string]string{"adoption:reward=voters": "[2 3 2]", "evaluation": "[2 2 1]"} {
		config := ensemble.Config{Spread: ensemble.Spread{On: true}, Rule: testutil.Must(voting.ParseSpec(rule))(t)}
		record, _ := spreading(t, config, "8c8d")
		testutil.Equal(t, fmt.Sprint(record.After), want, "%s after %v", rule, record.Before)
	}
}

// TestStopAfterSpread covers a GUI that stops the search on the first reply, and then sends the position after the
// second. The member that ponders on the second reply has the hit.
func TestStopAfterSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &thinker{}, &thinker{}
		a.moves, b.moves = always("7g7f ponder 3c3d"), always("7g7f ponder 8c8d")
		c := council(t, ensemble.Config{Spread: ensemble.Spread{On: true}}, a, b)
		vote(t, c, usi.Request{Position: atStart})
		testutil.OK(t, c.Ponder(t.Context(), usi.Request{Position: after("7g7f", "3c3d")}))
		stopped, cancel := context.WithCancel(t.Context())
		cancel()
		a.moves, b.moves = always("2g2f"), always("2g2f")
		testutil.Must(c.Think(stopped, usi.Request{Position: after("7g7f", "3c3d")}))(t)
		_, record := vote(t, c, usi.Request{Position: after("7g7f", "8c8d")})
		if want := "[think ponder 8c8d think]"; fmt.Sprint(b.log) != want ||
			fmt.Sprint(record.Hits, record.Spared) != "[1] [0]" {
			t.Errorf("%v, want %s; hits %v, spared %v", b.log, want, record.Hits, record.Spared)
		}
	})
}

// TestAsk requires that the first members decide if their moves are equal. If they differ, or if one of the first
// members fails, the council asks the others.
func TestAsk(t *testing.T) {
	for _, test := range []struct {
		name, votes string
		dies        bool
		want        string // each member's number of searches, the split and the unasked members
	}{
		{"equal", "7g7f 7g7f 2g2f 2g2f", false, "[1 1 0 0] 2 [2 3]"},
		{"different", "7g7f 2g2f 2g2f 2g2f", false, "[1 1 1 1] 3:1 []"},
		{"one dies", "7g7f 7g7f 2g2f 2g2f", true, "[1 1 1 1] 2:1 []"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var players []ensemble.Player
			var members []*thinker
			for i := range 4 {
				m := &thinker{dies: test.dies && i == 1}
				m.moves = always(test.votes[5*i : 5*i+4])
				members, players = append(members, m), append(players, m)
			}
			_, record := vote(t, council(t, ensemble.Config{Ask: 2, Restarts: -1}, players...),
				usi.Request{Position: atStart, Go: usi.Go{Nodes: 10}})
			asked := lists.Map(members, func(m *thinker) int { return len(m.log) })
			testutil.Equal(t, fmt.Sprintf("%v %s %v", asked, record.Split, record.Unasked), test.want, "%s", test.name)
			replayed(t, record)
		})
	}
}
