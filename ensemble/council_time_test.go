package ensemble_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gogi/ensemble"
	"gogi/ensemble/voting"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

// timed is a member that answers after a delay.
type timed struct {
	scripted
	delay time.Duration
	deaf  bool   // ignores a stop
	shown string // the first move of its current variation
	dies  bool   // fails instead of answering, after delay
	kind  usi.FaultKind
	ended atomic.Int32 // number of searches that ended
}

func (m *timed) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	defer m.ended.Add(1)
	done := ctx.Done()
	if m.deaf {
		done = nil
	}
	var deadline <-chan time.Time
	if r.Deadline > 0 && !m.deaf {
		deadline = time.After(r.Deadline)
	}
	stopped := false
	select {
	case <-time.After(m.delay):
	case <-done:
		stopped = true
	case <-deadline:
		stopped = true
	}
	if m.dies {
		return usi.Reply{}, &usi.Fault{Kind: m.kind, Engine: "m", Doing: "thinking", Searching: true}
	}
	reply, err := m.scripted.Think(ctx, r)
	reply.Stopped = stopped
	return reply, err
}

func (m *timed) Snapshot() usi.Reply {
	mv, err := shogi.ParseMove(m.shown)
	if err != nil {
		return usi.Reply{}
	}
	line := usi.Info{Depth: 3, MultiPV: 1, HasScore: true, Score: usi.Score{Value: 5}, Nodes: 42, PV: []shogi.Move{mv}}
	return usi.Reply{Answer: usi.AnswerMove, Move: mv, Lines: []usi.Info{line}, Exact: line, Nodes: 42}
}

func says(move string, delay time.Duration) *timed {
	return &timed{scripted: scripted{moves: always(move)}, delay: delay}
}

// inBubble runs a subtest in a synctest bubble.
func inBubble(t *testing.T, name string, f func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

var atStart = usi.Position{Start: "startpos"}

// vote runs one vote and returns the reply with its record.
func vote(t *testing.T, c *ensemble.Council, r usi.Request) (usi.Reply, *voting.Record) {
	t.Helper()
	reply := testutil.Must(c.Think(t.Context(), r))(t)
	record := testutil.Must(voting.ParseRecord(reply.Detail))(t)
	return reply, record
}

// kinds lists the kinds of a record's ballots, in the order of the members.
func kinds(r *voting.Record) string {
	return strings.Join(lists.Map(r.Ballots, func(b voting.BallotRecord) string { return string(b.Kind) + " " + b.Move }),
		", ")
}

func TestTheSlowestMemberSetsThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := council(t, ensemble.Config{}, says("7g7f", time.Second), says("2g2f", 3*time.Second),
			says("2g2f", 2*time.Second))
		reply, record := vote(t, c, usi.Request{Position: atStart})
		testutil.Check(t, reply.Text == "2g2f" && reply.Elapsed == 3*time.Second && record.WallMS == 3000 &&
			record.Ballots[0].Arrived == 1000,
			"%s after %v; %s", reply.Text, reply.Elapsed, reply.Detail)
	})
}

// The decision, the weights and the log are the same in any order of the answers.
func TestTheOrderOfArrivalChangesNothing(t *testing.T) {
	moves := []string{"7g7f", "2g2f", "7g7f", "2g2f", "5g5f"}
	orders := [][]int{{1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}, {3, 5, 1, 2, 4}}
	var want string
	for _, order := range orders {
		synctest.Test(t, func(t *testing.T) {
			var members []ensemble.Player
			for i, m := range moves {
				member := says(m, time.Duration(order[i])*time.Second)
				member.score = 10 * i
				members = append(members, member)
			}
			c := council(t, ensemble.Config{Rule: voting.DefaultSpec(voting.Adoption)}, members...)
			reply, r := vote(t, c, usi.Request{Position: atStart})
			got := fmt.Sprint(reply.Text, r.Split, r.Tie, r.After, r.Counts, kinds(r))
			if want == "" {
				want = got
			}
			testutil.Check(t, got == want, "in order %v\n%s\nelse\n%s", order, got, want)
		})
	}
}

func TestADeafMemberVotesWithItsVariation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := says("5g5f", 10*time.Second)
		deaf.deaf, deaf.shown = true, "2g2f"
		c := council(t, ensemble.Config{}, says("7g7f", time.Second), deaf, says("2g2f", time.Second))
		reply, record := vote(t, c, usi.Request{Position: atStart, Deadline: 2 * time.Second})
		testutil.Check(t, reply.Text == "2g2f" && reply.Elapsed < 2*time.Second && reply.Elapsed >= 1900*time.Millisecond,
			"%s after %v", reply.Text, reply.Elapsed)
		b := record.Ballots[1]
		testutil.Check(t, b.Source == voting.SourceVariation && b.Kind == voting.KindMove && *b.CP == 5 &&
			slices.Contains(record.Events, "m2: late"),
			"%+v, events %q", b, record.Events)
		testutil.Equal(t, deaf.ended.Load(), 0, "the deaf member answered: the test shows nothing")
	})
}

func TestASilentMemberHasNoVote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := says("5g5f", 10*time.Second)
		silent.deaf = true
		c := council(t, ensemble.Config{}, silent, says("7g7f", time.Second))
		reply, record := vote(t, c, usi.Request{Position: atStart, Deadline: 2 * time.Second})
		if reply.Text != "7g7f" || record.Ballots[0].Kind != voting.KindNone {
			t.Errorf("%s: %s", reply.Text, kinds(record))
		}
		// The member is still busy at the next move, so it has no vote again.
		next := after("7g7f", "3c3d")
		reply, record = vote(t, c, usi.Request{Position: next, Deadline: 2 * time.Second})
		if record.Ballots[0].Kind != voting.KindNone || reply.Elapsed >= 2*time.Second {
			t.Errorf("%s after %v", kinds(record), reply.Elapsed)
		}
	})
}

func TestStopPolicies(t *testing.T) {
	for _, test := range []struct {
		name   string
		config ensemble.Config
		after  time.Duration
		want   string
	}{
		{"all", ensemble.Config{}, 5 * time.Second, "move 7g7f, move 7g7f, move 7g7f, move 2g2f, move 2g2f"},
		{"decided", ensemble.Config{Stop: ensemble.StopDecided}, 3 * time.Second,
			"move 7g7f, move 7g7f, move 7g7f, late 2g2f, late 2g2f"},
		{"quorum of 40%", ensemble.Config{Stop: ensemble.StopQuorum, Quorum: 0.4}, 2 * time.Second,
			"move 7g7f, move 7g7f, late 7g7f, late 2g2f, late 2g2f"},
		{"leader", ensemble.Config{Stop: ensemble.StopLeader}, time.Second,
			"move 7g7f, move 7g7f, move 7g7f, move 2g2f, move 2g2f"},
	} {
		inBubble(t, test.name, func(t *testing.T) {
			var members []ensemble.Player
			for i, m := range []string{"7g7f", "7g7f", "7g7f", "2g2f", "2g2f"} {
				member := says(m, time.Duration(i+1)*time.Second)
				member.shown = m
				members = append(members, member)
			}
			c := council(t, test.config, members...)
			reply, record := vote(t, c, usi.Request{Position: atStart})
			if reply.Elapsed != test.after || kinds(record) != test.want || record.Early != (test.after < 5*time.Second) {
				t.Errorf("after %v: %s\nearly %t", reply.Elapsed, kinds(record), record.Early)
			}
			synctest.Wait()
			for i, m := range members {
				testutil.Equal(t, m.(*timed).ended.Load(), 1, "member %d still thinks: it was not stopped", i+1)
			}
		})
	}
}

// mortal is a member whose processes fail one after the other.
type mortal struct {
	opened  int
	players []ensemble.Player // the last one is used again
}

func (m *mortal) open(context.Context) (ensemble.Player, error) {
	p := m.players[min(m.opened, len(m.players)-1)]
	m.opened++
	if p == nil {
		return nil, errors.New("no such file")
	}
	return p, nil
}

func dying(after time.Duration) *timed {
	return &timed{dies: true, delay: after, kind: usi.FaultCrash}
}

func openCouncil(t *testing.T, config ensemble.Config, members ...*mortal) *ensemble.Council {
	t.Helper()
	config.Name, config.Rule = "C", voting.DefaultSpec(voting.Majority)
	for i, m := range members {
		config.Members = append(config.Members,
			ensemble.Member{Voter: voting.Voter{Name: fmt.Sprintf("m%d", i+1)}, Open: m.open})
	}
	c := testutil.Must(ensemble.Open(t.Context(), config))(t)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	testutil.OK(t, c.NewGame(t.Context(), usi.Game{}))
	return c
}

func TestADeadMemberIsStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sick := &mortal{players: []ensemble.Player{dying(time.Millisecond), says("2g2f", time.Second)}}
		well := &mortal{players: []ensemble.Player{says("7g7f", 2*time.Second)}}
		c := openCouncil(t, ensemble.Config{}, sick, well)
		reply, record := vote(t, c, usi.Request{Position: atStart})
		if reply.Text != "7g7f" || record.Ballots[0].Kind != voting.KindDead || sick.opened != 2 {
			t.Fatalf("%s: %s, opened %d times", reply.Text, kinds(record), sick.opened)
		}
		testutil.Slices(t, []string{"m1: crash (thinking)", "m1: started again"}, record.Events, "events")
		next := after("7g7f", "3c3d")
		_, record = vote(t, c, usi.Request{Position: next})
		if record.Ballots[0].Kind != voting.KindMove || record.Ballots[0].Move != "2g2f" {
			t.Errorf("after its restart: %s", kinds(record))
		}
	})
}

func TestAllDieAndAreAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &mortal{players: []ensemble.Player{dying(time.Second), says("7g7f", time.Second)}}
		b := &mortal{players: []ensemble.Player{dying(time.Second), dying(time.Second), says("7g7f", time.Second)}}
		c := openCouncil(t, ensemble.Config{}, a, b)
		reply, _ := vote(t, c, usi.Request{Position: atStart, Deadline: 10 * time.Second})
		testutil.Check(t, reply.Text == "7g7f" && reply.Elapsed >= 2*time.Second, "%s after %v", reply.Text, reply.Elapsed)
	})
}

func TestTooFewAlive(t *testing.T) {
	for _, test := range []struct {
		name   string
		config ensemble.Config
	}{
		{"both are needed", ensemble.Config{MinAlive: 2, Restarts: -1}},
		{"it cannot be started again", ensemble.Config{MinAlive: 2, Restarts: 2}},
	} {
		inBubble(t, test.name, func(t *testing.T) {
			sick := &mortal{players: []ensemble.Player{dying(time.Millisecond), nil}}
			c := openCouncil(t, test.config, sick, &mortal{players: []ensemble.Player{says("7g7f", time.Second)}})
			_, err := c.Think(t.Context(), usi.Request{Position: atStart})
			fault, ok := errors.AsType[*usi.Fault](err)
			if !ok || fault.Kind != usi.FaultCrash || !fault.Searching ||
				!strings.Contains(fault.Note, "1 of 2 members are alive, the council needs 2; m1: ") {
				t.Errorf("%v", err)
			}
		})
	}
}

// A council that is closed while it restarts a member cancels the restart.
func TestCloseWhileRestarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sick := &mortal{players: []ensemble.Player{dying(time.Millisecond), &unready{}}}
		c := openCouncil(t, ensemble.Config{Restarts: 1000}, sick,
			&mortal{players: []ensemble.Player{says("7g7f", time.Second)}})
		vote(t, c, usi.Request{Position: atStart})
		synctest.Wait() // the restart waits in NewGame
		before := sick.opened
		testutil.OK(t, c.Close())
		testutil.Check(t, sick.opened <= before+1, "opened %d times more while closing", sick.opened-before)
	})
}

// unready is a player that never gets ready.
type unready struct{ scripted }

func (*unready) NewGame(ctx context.Context, _ usi.Game) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestNoBallots requires that without ballots the council plays a legal move and does not resign.
func TestNoBallots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := says("7g7f", time.Second)
		m.deaf = true
		c := council(t, ensemble.Config{}, m)
		m.delay = time.Hour
		reply, record := vote(t, c, usi.Request{Position: atStart, Deadline: time.Second})
		testutil.Check(t, reply.Answer == usi.AnswerMove && record.By == voting.ByDefault, "%s by %s", reply.Text, record.By)
		<-time.After(time.Hour) // lets the deaf member end
	})
}

func TestACouncilOfCouncils(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := council(t, ensemble.Config{}, says("2g2f", time.Second), says("2g2f", time.Second),
			says("7g7f", time.Second))
		deaf := says("7g7f", time.Hour)
		deaf.deaf, deaf.shown = true, "7g7f"
		slow := council(t, ensemble.Config{}, deaf)
		outer := council(t, ensemble.Config{}, inner, slow, says("2g2f", time.Second))
		reply, record := vote(t, outer, usi.Request{Position: atStart, Deadline: 10 * time.Second})
		if reply.Text != "2g2f" || kinds(record) != "move 2g2f, move 7g7f, move 2g2f" || reply.Nodes != 300+42+100 {
			t.Errorf("%s with %d nodes: %s", reply.Text, reply.Nodes, kinds(record))
		}
		testutil.Check(t, reply.Elapsed < 10*time.Second-ensemble.Level/2+time.Millisecond, "took %v", reply.Elapsed)
		testutil.OK(t, testutil.Err(voting.ParseRecord(record.Ballots[0].Detail)), "the inner vote")
		<-time.After(time.Hour) // lets the deaf member end
	})
}

// A council that another council does not wait for votes with the variations that its members have shown.
func TestACouncilThatIsNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(shown string) *timed {
			m := says("5g5f", time.Minute)
			m.shown = shown
			return m
		}
		inner := council(t, ensemble.Config{}, slow("7g7f"), slow("2g2f"), slow("2g2f"), slow(""))
		outer := council(t, ensemble.Config{Stop: ensemble.StopLeader}, says("7g7f", time.Second), inner)
		_, record := vote(t, outer, usi.Request{Position: atStart})
		if kinds(record) != "move 7g7f, move 2g2f" || record.Ballots[1].Nodes != 3*42 || *record.Ballots[1].CP != 5 {
			t.Errorf("%s, %+v", kinds(record), record.Ballots[1])
		}
	})
}

// After moves are taken back, the decisions after that point have no effect on the weights.
func TestTakeBack(t *testing.T) {
	a, b := &scripted{moves: always("7g7f"), score: 9}, &scripted{moves: always("2g2f")}
	spec := voting.DefaultSpec(voting.Evaluation)
	c := council(t, ensemble.Config{Rule: spec}, a, b)
	_, first := vote(t, c, usi.Request{Position: atStart})
	testutil.Require(t, fmt.Sprint(first.Before, first.After) == "[1 1] [2 1]", "%v %v", first.Before, first.After)
	_, again := vote(t, c, usi.Request{Position: atStart})
	testutil.Check(t, again.Own == 1 && fmt.Sprint(again.Before, again.After) == "[1 1] [2 1]",
		"asked again: %v %v", again.Before, again.After)
	next := after("7g7f", "3c3d")
	a.moves, b.moves = always("2g2f"), always("2g2f")
	_, second := vote(t, c, usi.Request{Position: next})
	testutil.Check(t, second.Own == 2 && fmt.Sprint(second.Before) == "[2 1]", "next move: %v", second.Before)
	other := after("2g2f", "3c3d")
	_, left := vote(t, c, usi.Request{Position: other})
	testutil.Check(t, left.Own == 1 && fmt.Sprint(left.Before) == "[1 1]", "another line: own %d %v", left.Own,
		left.Before)
}

func TestBudgets(t *testing.T) {
	ask := func(config ensemble.Config, r usi.Request) (gos []usi.Go) {
		var members []ensemble.Player
		for range 3 {
			members = append(members, &scripted{moves: always("7g7f")})
		}
		c := council(t, config, members...)
		vote(t, c, r)
		for _, m := range members {
			gos = append(gos, m.(*scripted).last.Go)
		}
		return gos
	}
	whole := usi.Request{Position: atStart,
		Go: usi.Go{Nodes: 1000, Clock: true, BTime: 9 * time.Second, UseByoyomi: true, Byoyomi: 3 * time.Second}}
	sum := func(gos []usi.Go) (n uint64) {
		for _, g := range gos {
			n += g.Nodes
		}
		return n
	}
	each := ask(ensemble.Config{}, whole)
	testutil.Check(t, sum(each) == 3000 && each[2].Byoyomi == 3*time.Second, "each: %+v", each)
	split := ask(ensemble.Config{Split: true}, whole)
	if sum(split) != 1000 || split[0].Nodes != 334 || split[2].Nodes != 333 || split[1].Byoyomi != time.Second ||
		split[1].BTime != 3*time.Second {
		t.Errorf("split: %+v", split)
	}
	jitter := ask(ensemble.Config{Jitter: 0.3}, whole)
	if n := sum(jitter); n < 2999 || n > 3001 || jitter[0].Nodes == jitter[1].Nodes {
		t.Errorf("jitter: %d, %d, %d nodes", jitter[0].Nodes, jitter[1].Nodes, jitter[2].Nodes)
	}
	again := ask(ensemble.Config{Jitter: 0.3}, whole)
	testutil.Check(t, again[0].Nodes == jitter[0].Nodes, "the jitter is not a function of the seed")
}

// critic answers the first position and evaluates the next one.
type critic struct {
	scripted
	after string // the scores of its search after the voted move, as searched reads them
}

func (c *critic) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	if len(r.Position.Moves) == 0 {
		return c.scripted.Think(ctx, r)
	}
	return searched(c.after), nil
}

func TestVeto(t *testing.T) {
	for _, test := range []struct {
		name  string
		after [2]string // for the opponent, in the critics' searches
		want  string
		by    voting.By
	}{
		{"both object", [2]string{cp(200), cp(300)}, "2g2f", voting.ByVeto},
		{"one objects", [2]string{cp(200), cp(0)}, "7g7f", voting.ByRule},
		{"within the margin", [2]string{cp(40), cp(40)}, "7g7f", voting.ByRule},
		{"a bound that proves it", [2]string{cp(200), cp(0) + ", score cp 150 lowerbound"}, "2g2f", voting.ByVeto},
		{"a bound that disproves it", [2]string{cp(200), cp(300) + ", score cp 40 upperbound"}, "7g7f", voting.ByRule},
		{"bounds that prove nothing", [2]string{cp(200) + ", score cp -900 lowerbound",
			cp(300) + ", score cp 900 upperbound"}, "2g2f", voting.ByVeto},
		{"only such a bound", [2]string{cp(200), "score cp 900 upperbound"}, "7g7f", voting.ByRule},
	} {
		t.Run(test.name, func(t *testing.T) {
			yes := func() ensemble.Player { return &scripted{moves: always("7g7f"), score: 30} }
			c := council(t, ensemble.Config{Veto: ensemble.Veto{Nodes: 50}}, yes(), yes(), yes(),
				&critic{scripted{moves: always("2g2f"), score: 20}, test.after[0]},
				&critic{scripted{moves: always("2g2f"), score: 20}, test.after[1]})
			reply, record := vote(t, c, usi.Request{Position: atStart, Go: usi.Go{Nodes: 100}})
			testutil.Check(t, reply.Text == test.want && record.By == test.by && len(record.Veto) == 2 && reply.Nodes == 514,
				"%s by %s with %d nodes: %+v", reply.Text, record.By, reply.Nodes, record.Veto)
			testutil.Check(t, test.by != voting.ByVeto || record.Vetoed == "7g7f", "vetoed %q", record.Vetoed)
		})
	}
}

// lister returns three lines.
type lister struct{ scripted }

func (l *lister) Think(context.Context, usi.Request) (usi.Reply, error) {
	r := usi.Reply{Answer: usi.AnswerMove, Move: mustMove("7g7f"), Nodes: 10}
	for i, m := range []string{"7g7f", "2g2f", "5g5f"} {
		r.Lines = append(r.Lines, usi.Info{MultiPV: i + 1, Depth: 9, HasScore: true, Score: usi.Score{Value: 12 - i},
			PV: []shogi.Move{mustMove(m), mustMove("3c3d")}})
	}
	return r, nil
}

func TestNoiseOnScores(t *testing.T) {
	ballots := func(noise float64) (moves []string, noisy int) {
		c := council(t, ensemble.Config{Noise: noise}, &lister{}, &lister{}, &lister{}, &lister{}, &lister{}, &lister{},
			&lister{}, &lister{})
		_, record := vote(t, c, usi.Request{Position: atStart})
		for _, b := range record.Ballots {
			moves = append(moves, b.Move)
			if b.Source == voting.SourceNoise {
				noisy++
				testutil.Check(t, b.Ponder == "3c3d" && *b.CP <= 11, "%+v is not of its own line", b)
			}
		}
		return moves, noisy
	}
	if _, n := ballots(0); n != 0 {
		t.Errorf("%d ballots changed without noise", n)
	}
	moves, n := ballots(15)
	testutil.Check(t, n != 0 && n != len(moves), "%d of %d ballots changed", n, len(moves))
	again, _ := ballots(15)
	testutil.Check(t, slices.Equal(again, moves), "%q, then %q", moves, again)
}

// ponderingMember sends the positions on which it ponders to told.
type ponderingMember struct {
	scripted
	told chan string
}

func (p *ponderingMember) Ponder(_ context.Context, r usi.Request) error {
	p.told <- r.Position.String()
	return nil
}

func (p *ponderingMember) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	reply, err := p.scripted.Think(ctx, r)
	reply.Hit = len(r.Position.Moves) > 0
	return reply, err
}

func TestCouncilPonders(t *testing.T) {
	a, b := &ponderingMember{told: make(chan string, 1)}, &ponderingMember{told: make(chan string, 1)}
	a.moves, b.moves = always("7g7f ponder 8c8d"), always("7g7f ponder 8c8d")
	other := &scripted{moves: always("7g7f ponder 3c3d")}
	c := council(t, ensemble.Config{}, a, b, other)
	reply, _ := vote(t, c, usi.Request{Position: atStart})
	testutil.Require(t, reply.Ponder == mustMove("8c8d"), "the voted reply is %v", reply.Ponder)
	next := after("7g7f", "8c8d")
	testutil.OK(t, c.Ponder(t.Context(), usi.Request{Position: next}))
	for _, m := range []*ponderingMember{a, b} {
		testutil.Equal(t, <-m.told, next.String(), "ponders on")
		m.moves = always("2g2f")
	}
	other.moves = always("2g2f")
	if reply, _ := vote(t, c, usi.Request{Position: next}); !reply.Hit {
		t.Error("no hit")
	}
}

func TestForcedMovesAskNobody(t *testing.T) {
	m := &scripted{moves: always("7g7f")}
	c := council(t, ensemble.Config{}, m)
	// A gold checks White's king in the corner. The king can only capture it.
	forced := usi.Position{Start: "sfen k8/1G7/9/9/9/9/9/9/8K w - 1"}
	reply, record := vote(t, c, usi.Request{Position: forced})
	testutil.Check(t, m.calls == 0 && record.By == voting.ByForced && reply.Text == "9a8b",
		"%s by %s after %d calls", reply.Text, record.By, m.calls)
}

// TestTakeBackOfLastingWeights requires that weights with reset=never learn a decision once, even if the game goes
// back.
func TestTakeBackOfLastingWeights(t *testing.T) {
	spec := voting.DefaultSpec(voting.Evaluation)
	spec.Reset = "never"
	c := council(t, ensemble.Config{Rule: spec}, &scripted{moves: always("7g7f"), score: 9},
		&scripted{moves: always("2g2f")})
	vote(t, c, usi.Request{Position: atStart})
	testutil.OK(t, c.NewGame(t.Context(), usi.Game{}))
	for _, when := range []string{"at first", "taken back"} {
		_, r := vote(t, c, usi.Request{Position: atStart})
		testutil.Check(t, fmt.Sprint(r.Before, r.After) == "[2 1] [3 1]", "%s: %v %v", when, r.Before, r.After)
	}
}

// waiting is a member that reports how long it waited.
type waiting struct {
	scripted
	total time.Duration
}

func (w *waiting) Waited() (time.Duration, bool) { return w.total, true }

// Waited includes the wait of a member that did not wait before.
func TestWaited(t *testing.T) {
	a, b := &waiting{scripted: scripted{moves: always("7g7f")}}, &waiting{scripted: scripted{moves: always("7g7f")}}
	c := council(t, ensemble.Config{}, a, b)
	a.total = time.Hour
	before, ok := c.Waited()
	a.total, b.total = a.total+time.Second, 5*time.Second
	after, _ := c.Waited()
	testutil.Check(t, ok && after-before == 5*time.Second, "%v between", after-before)
}

// straying is a member that does not stay on its CPUs.
type straying struct {
	scripted
	where string
}

func (s *straying) AffinityChanged() string { return s.where }

// TestStrayed requires that AffinityChanged names the members that changed their CPUs, and no other members.
func TestStrayed(t *testing.T) {
	a, b, d := &straying{}, &straying{where: "on 1"}, &straying{where: "on 2"}
	for _, m := range []*straying{a, b, d} {
		m.moves = always("7g7f")
	}
	c := council(t, ensemble.Config{}, a, &scripted{moves: always("7g7f")}, b, d)
	if got := c.AffinityChanged(); !strings.HasSuffix(got, ": on 2") || strings.Count(got, "member ") != 2 ||
		!strings.Contains(got, ": on 1; member ") {
		t.Errorf("%q", got)
	}
}

// A member that hangs costs no more than its share of the main time.
func TestAHangLeavesMainTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := says("5g5f", time.Hour)
		deaf.deaf = true
		c := council(t, ensemble.Config{}, deaf, says("7g7f", time.Second))
		r := usi.Request{
			Position: atStart, Deadline: 102*time.Second + 100*time.Millisecond,
			Go: usi.Go{Clock: true, BTime: 100 * time.Second, WTime: time.Second, UseInc: true, BInc: 2 * time.Second,
				WInc: 2 * time.Second},
		}
		reply, _ := vote(t, c, r)
		// 40 s of the main time and the increment.
		testutil.Check(t, reply.Text == "7g7f" && reply.Elapsed >= 42*time.Second &&
			reply.Elapsed <= 42*time.Second+100*time.Millisecond,
			"%s after %v", reply.Text, reply.Elapsed)
	})
}

// The members' limits leave the time of a veto, because the members would use it up.
func TestVetoHasItsTime(t *testing.T) {
	m := &scripted{moves: always("7g7f")}
	c := council(t, ensemble.Config{Veto: ensemble.Veto{Time: 200 * time.Millisecond}}, m)
	vote(t, c, usi.Request{Position: atStart, Go: usi.Go{UseByoyomi: true, Byoyomi: time.Second}})
	testutil.Equal(t, m.last.Go.Byoyomi, 800*time.Millisecond, "byoyomi")
	vote(t, c, usi.Request{Position: atStart, Go: usi.Go{MoveTime: 300 * time.Millisecond}})
	testutil.Equal(t, m.last.Go.MoveTime, 150*time.Millisecond, "movetime")
}

// TestNoTimerOfAnEarlierSearch: the council has one timer. If a vote, a check or an examination has ended before its
// limit, the limit must not end the next vote.
func TestNoTimerOfAnEarlierSearch(t *testing.T) {
	second := func(t *testing.T, c *ensemble.Council, p usi.Position) {
		t.Helper()
		reply, record := vote(t, c, usi.Request{Position: p})
		testutil.Check(t, reply.Elapsed == 5*time.Second && len(record.Events) == 0, "after %v, events %q", reply.Elapsed,
			record.Events)
	}
	inBubble(t, "a stopped vote", func(t *testing.T) {
		a, b := says("7g7f", 10*time.Second), says("2g2f", 10*time.Second)
		c := council(t, ensemble.Config{}, a, b)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		reply := testutil.Must(c.Think(ctx, usi.Request{Position: atStart}))(t)
		testutil.Equal(t, reply.Elapsed, time.Second)
		a.delay, b.delay = 5*time.Second, 5*time.Second
		second(t, c, atStart)
	})
	inBubble(t, "a check", func(t *testing.T) {
		members := []*timed{says("7g7f", 0), says("7g7f", 0), says("2g2f", 0)}
		c := council(t, ensemble.Config{Veto: ensemble.Veto{Time: 100 * time.Millisecond}}, members[0], members[1],
			members[2])
		_, record := vote(t, c, usi.Request{Position: atStart})
		testutil.Equal(t, len(record.Veto), 1)
		members[2].moves = always("7g7f")
		for _, m := range members {
			m.delay = 5 * time.Second
		}
		second(t, c, atStart)
	})
	inBubble(t, "an examination", func(t *testing.T) {
		a, b := examines("7g7f", scores(cp(0), cp(0))), examines("2g2f", scores(cp(0), cp(0)))
		c := council(t, examining, a, b)
		_, record := vote(t, c, usi.Request{Position: atStart, Go: usi.Go{MoveTime: time.Second}, Deadline: 2 * time.Second})
		testutil.Equal(t, len(record.Examined), 2)
		for _, e := range []*examiner{a, b} {
			e.after["3c3d"], e.delay, e.moves = "hangs", 5*time.Second, always("2g2f")
		}
		second(t, c, after("7g7f", "3c3d"))
	})
}

// TestBallotsAreInTheMembersOrder: a record has the ballots in the order of the members, whoever was asked first or is
// gone.
func TestBallotsAreInTheMembersOrder(t *testing.T) {
	ordered := func(t *testing.T, record *voting.Record) {
		t.Helper()
		members := lists.Map(record.Ballots, func(b voting.BallotRecord) int { return b.Member })
		testutil.Slices(t, members, []int{0, 1, 2, 3}, "members")
	}
	inBubble(t, "a member is gone", func(t *testing.T) {
		c := council(t, ensemble.Config{Restarts: -1}, says("7g7f", 0), dying(0), says("7g7f", 0), says("7g7f", 0))
		vote(t, c, usi.Request{Position: atStart})
		_, record := vote(t, c, usi.Request{Position: atStart})
		ordered(t, record)
	})
	inBubble(t, "the last members are asked first", func(t *testing.T) {
		config := withWeights(ensemble.Config{Ask: 2}, 1, 2, 3, 4)
		c := council(t, config, says("7g7f", 0), says("7g7f", 0), says("7g7f", 0), says("2g2f", 0))
		_, record := vote(t, c, usi.Request{Position: atStart})
		ordered(t, record)
	})
}
