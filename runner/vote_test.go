package runner

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
	"gogi/usi"
)

// TestVoteOfAMove: a move event has the ballot, evaluation and weight of each member, and whether the member
// voted for the played move.
func TestVoteOfAMove(t *testing.T) {
	before := testutil.Must(shogi.ParseSFEN("4k4/9/4+P4/9/9/9/9/9/4K4 b G 1"))(t)
	drop, step, absurd := shogi.NewDrop(shogi.Gold, shogi.NewSquare(5, 2)),
		shogi.NewMove(shogi.NewSquare(5, 3), shogi.NewSquare(5, 2)),
		shogi.NewMove(shogi.NewSquare(1, 1), shogi.NewSquare(1, 2))
	reply := &usi.Reply{Answer: usi.AnswerMove, Move: drop,
		Vote: &usi.Vote{By: "rule", Split: "1:1", Ballots: []usi.Ballot{
			{Member: "a", Kind: "move", Move: drop, Score: usi.Score{Value: 1, Mate: 1}, HasScore: true, Weight: 1.5},
			{Member: "b", Kind: "move", Move: step, Score: usi.Score{Value: -80}, HasScore: true, Weight: 0.5},
			{Member: "c", Kind: "illegal", Move: absurd},
			{Member: "d", Kind: "dead"},
		}}}
	got := testutil.Must(json.Marshal(NewEvents("run", true).vote(reply, &before)))(t)
	want := `{"by":"rule","split":"1:1","ballots":[` +
		`{"member":"a","kind":"move","move":"G*5b","piece":"G","score":999999,"weight":1.5,"played":true},` +
		`{"member":"b","kind":"move","move":"5c5b","piece":"+P","score":-80,"weight":0.5},` +
		`{"member":"c","kind":"illegal","move":"1a1b","weight":0},` +
		`{"member":"d","kind":"dead","weight":0}]}`
	testutil.Equal(t, string(got), want, "%s", got)
}

// TestVotesAreBounded: an event has a limited number of ballots, and the number of the others.
func TestVotesAreBounded(t *testing.T) {
	start := shogi.StartPos()
	reply := &usi.Reply{Vote: &usi.Vote{}}
	for i := range 100 {
		reply.Vote.Ballots = append(reply.Vote.Ballots, usi.Ballot{Member: fmt.Sprint(i)})
	}
	v := NewEvents("run", true).vote(reply, &start)
	if len(v.Ballots) != match.ShownBallots || v.Others != 100-match.ShownBallots ||
		v.Ballots[match.ShownBallots-1].Member != fmt.Sprint(match.ShownBallots-1) {
		t.Errorf("%d ballots, %d others", len(v.Ballots), v.Others)
	}
}

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
