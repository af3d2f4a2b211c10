package ensemble_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"gogi/ensemble"
	"gogi/ensemble/voting"
	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

// scripted is a member that returns the move of its script at once.
type scripted struct {
	moves func(p usi.Position) string
	score int
	calls int
	last  usi.Request
}

func (s *scripted) NewGame(context.Context, usi.Game) error     { return nil }
func (s *scripted) GameOver(context.Context, usi.Outcome) error { return nil }
func (s *scripted) Close() error                                { return nil }
func (s *scripted) Think(_ context.Context, r usi.Request) (usi.Reply, error) {
	s.calls++
	s.last = r
	b := usi.ParseBestmove("bestmove " + s.moves(r.Position))
	reply := usi.Reply{Answer: b.Answer, Move: b.Move, Ponder: b.Ponder, Text: b.Text, Nodes: 100,
		Elapsed: time.Microsecond}
	if b.Answer == usi.AnswerMove {
		reply.Lines = []usi.Info{{Depth: 5, MultiPV: 1, HasScore: true, Score: usi.Score{Value: s.score}, Nodes: 100,
			PV: []shogi.Move{b.Move}}}
		reply.Exact = reply.Lines[0]
	}
	return reply, nil
}

func always(move string) func(usi.Position) string {
	return func(usi.Position) string { return move }
}

// council opens a council of scripted members.
func council(tb testing.TB, config ensemble.Config, players ...ensemble.Player) *ensemble.Council {
	tb.Helper()
	for i, p := range players {
		config.Members = append(config.Members, ensemble.Member{
			Voter: voting.Voter{Name: fmt.Sprintf("m%d", i+1)},
			Open:  func(context.Context) (ensemble.Player, error) { return p, nil },
		})
	}
	if config.Rule.Name == "" {
		config.Rule = voting.DefaultSpec(voting.Majority)
	}
	config.Name = "C"
	c := testutil.Must(ensemble.Open(tb.Context(), config))(tb)
	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Error(err)
		}
	})
	testutil.OK(tb, c.NewGame(tb.Context(), usi.Game{Seed: 7}))
	return c
}

func TestCouncilVotes(t *testing.T) {
	c := council(t, ensemble.Config{},
		&scripted{moves: always("7g7f ponder 3c3d"), score: 50}, &scripted{moves: always("2g2f"), score: 70},
		&scripted{moves: always("7g7f"), score: 60})
	r := testutil.Must(c.Think(t.Context(),
		usi.Request{Position: usi.Position{Start: "startpos"}, Go: usi.Go{Nodes: 100}}))(t)
	testutil.Check(t, r.Text == "7g7f" && r.Nodes == 300 && r.Ponder.String() == "3c3d" && r.Best().Score.Value == 60,
		"%+v", r)
	record := testutil.Must(voting.ParseRecord(r.Detail))(t)
	testutil.Check(t, record.Split == "2:1" && record.By == voting.ByRule && len(record.Ballots) == 3, "%s", r.Detail)
}

// The council asks its book before the members. If the book has a move, the members get no request. Otherwise they
// vote.
func TestCouncilBook(t *testing.T) {
	t.Parallel()
	first, err := shogi.ParseMove("2g2f")
	testutil.OK(t, err)
	drawn := map[uint64]bool{}
	book := func(p *shogi.Position, random *rand.Rand) shogi.Move {
		if p.Ply() > 1 {
			return shogi.NoMove
		}
		drawn[random.Uint64()] = true
		return first
	}
	asked := 0
	member := &scripted{moves: func(p usi.Position) string { asked++; return "7g7f" }, score: 5}
	second := &scripted{moves: func(p usi.Position) string { return "3c3d" }}
	c := council(t, ensemble.Config{Book: book, Shadows: []voting.Spec{voting.DefaultSpec(voting.Majority)}}, member)
	for range 2 {
		testutil.OK(t, c.NewGame(t.Context(), usi.Game{Seed: 7}))
		r, err := c.Think(t.Context(), usi.Request{Position: usi.Position{Start: "startpos"}, Go: usi.Go{Nodes: 100}})
		testutil.Require(t, err == nil && r.Text == "2g2f" && r.Move == first && asked == 0 && r.Nodes == 0,
			"%+v, %v, %d asked", r, err, asked)
		record, err := voting.ParseRecord(r.Detail)
		if err != nil || record.By != voting.ByBook || len(record.Ballots) != 0 || record.Played != "2g2f" ||
			record.Shadow[0].Played != "2g2f" {
			t.Errorf("%s, %v", r.Detail, err)
		}
	}
	testutil.Equal(t, len(drawn), 1, "the same game draws otherwise")
	c = council(t, ensemble.Config{Book: book}, second)
	r, err := c.Think(t.Context(),
		usi.Request{Position: usi.Position{Start: "startpos", Moves: []shogi.Move{first}}, Go: usi.Go{Nodes: 100}})
	testutil.Check(t, err == nil && r.Text == "3c3d", "%+v, %v", r, err)
}

// TestMembersAreReadToTheEnd requires that MaxPV of a request does not cut the members' variations, because the proof
// of a mate needs the whole variation.
func TestMembersAreReadToTheEnd(t *testing.T) {
	m := &scripted{moves: always("7g7f")}
	c := council(t, ensemble.Config{}, m)
	_, err := c.Think(t.Context(), usi.Request{Position: usi.Position{Start: "startpos"}, MaxPV: 1})
	testutil.Check(t, err == nil && m.last.MaxPV == 0, "asked for %d plies, %v", m.last.MaxPV, err)
}

// BenchmarkCouncil measures a vote of 7 instant members.
func BenchmarkCouncil(b *testing.B) {
	members := make([]ensemble.Player, 7)
	for i := range members {
		members[i] = &scripted{moves: always([]string{"7g7f", "2g2f"}[i%2]), score: 10 * i}
	}
	r := usi.Request{Position: usi.Position{Start: "startpos"}, Go: usi.Go{Nodes: 100}}
	c := council(b, ensemble.Config{}, members...)
	b.ReportAllocs()
	for b.Loop() {
		testutil.Must(c.Think(b.Context(), r))(b)
	}
}

// TestCouncilAllocations allows a vote of seven instant members at most 75 allocations, 14 of which are the members'
// own. It fails if every record makes the text of a rule again, and if a request makes a closure for each member.
func TestCouncilAllocations(t *testing.T) {
	if testutil.Raced {
		t.Skip("the race detector allocates as well")
	}
	members := make([]ensemble.Player, 7)
	for i := range members {
		members[i] = &scripted{moves: always("7g7f"), score: 10 * i}
	}
	c := council(t, ensemble.Config{}, members...)
	r := usi.Request{Position: usi.Position{Start: "startpos"}, Go: usi.Go{Nodes: 100}}
	if n := testing.AllocsPerRun(100, func() {
		testutil.Must(c.Think(t.Context(), r))(t)
	}); n > 75 {
		t.Errorf("%v allocations", n)
	}
}

// TestClampsAreRecorded requires that the record has the members' clamps.
func TestClampsAreRecorded(t *testing.T) {
	config := ensemble.Config{Name: "C", Rule: voting.DefaultSpec(voting.Majority)}
	for _, v := range []voting.Voter{{Name: "A", Clamp: 700}, {Name: "B", Clamp: 700}} {
		config.Members = append(config.Members,
			ensemble.Member{Voter: v, Open: func(context.Context) (ensemble.Player, error) {
				return &scripted{moves: always("7g7f")}, nil
			}})
	}
	c := testutil.Must(ensemble.Open(t.Context(), config))(t)
	defer c.Close()
	_, record := vote(t, c, usi.Request{Position: atStart})
	testutil.Check(t, fmt.Sprint(record.Clamps) == "[700 700]" && record.Version == 2,
		"version %d, clamps %v", record.Version, record.Clamps)
}

// mustMove parses a move in USI notation.
func mustMove(text string) shogi.Move {
	m, err := shogi.ParseMove(text)
	if err != nil {
		panic(err)
	}
	return m
}

// TestReplyHasVote requires that the reply has each member's ballot and its weight before the rule learns from the
// vote. A forced move has no ballots.
func TestReplyHasVote(t *testing.T) {
	c := council(t, ensemble.Config{Rule: voting.DefaultSpec("adoption")},
		&scripted{moves: always("7g7f"), score: 30}, &scripted{moves: always("7g7f"), score: 10},
		&scripted{moves: always("2g2f"), score: -5})
	reply, record := vote(t, c, usi.Request{Position: atStart})
	testutil.Require(t, fmt.Sprint(record.Before) != fmt.Sprint(record.After), "the rule learnt nothing: %v", record.After)
	testutil.Require(t, reply.Vote.By == "rule" && reply.Vote.Split == "2:1" && len(reply.Vote.Ballots) == 3, "%+v",
		reply.Vote)
	for i, want := range []string{"m1 move 7g7f 30", "m2 move 7g7f 10", "m3 move 2g2f -5"} {
		b := reply.Vote.Ballots[i]
		if got := fmt.Sprintf("%s %s %s %d", b.Member, b.Kind, b.Move, b.Score.Value); got != want || !b.HasScore ||
			b.Weight != record.Before[i] {
			t.Errorf("%s, weight %v of %v, want %s", got, b.Weight, record.Before[i], want)
		}
	}
	forced := usi.Position{Start: "sfen 4k4/9/9/9/9/9/9/7r1/r7K b - 1"}
	if reply, _ := vote(t, c, usi.Request{Position: forced}); reply.Vote.By != "forced" || len(reply.Vote.Ballots) != 0 {
		t.Errorf("a forced move: %+v", reply.Vote)
	}
}
