package voting_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gogi/ensemble/voting"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

// mateInOne is a position in which Black's gold, protected by a pawn, mates on 5b. With G*4b the mate takes three
// plies.
const mateInOne = "4k4/9/3PP4/9/9/9/9/9/4K4 b 2G 1"

func line(text string) []shogi.Move {
	return lists.Map(strings.Fields(text), mustMove)
}

// mating returns a ballot that claims a mate by a variation.
func mating(member int, pv string) voting.Ballot {
	moves := line(pv)
	return voting.Ballot{
		Member: member, Kind: voting.KindMove,
		Line: voting.Line{Move: moves[0], HasScore: true, Score: usi.Score{Mate: 1, Value: len(moves)}}, PV: moves,
	}
}

func moving(member int, move string) voting.Ballot {
	return voting.Ballot{Member: member, Kind: voting.KindMove, Line: voting.Line{Move: mustMove(move), HasScore: true}}
}

// TestMate requires that the council plays the shortest mate that a member proves. It does not play a mate without a
// proof.
func TestMate(t *testing.T) {
	three, one := "G*4b 5a6a G*6b", "G*5b"
	claim := func(change func(*voting.Ballot)) voting.Ballot {
		b := mating(0, one)
		change(&b)
		return b
	}
	other := "5c5b+"
	for name, x := range map[string]struct {
		ballots []voting.Ballot
		want    string
		by      voting.By
		backer  int
	}{
		"one against two": {[]voting.Ballot{mating(0, one), moving(1, other), moving(2, other)}, one, voting.ByMate,
			0},
		"of three plies": {[]voting.Ballot{moving(0, other), moving(1, other), mating(2, three)}, "G*4b",
			voting.ByMate, 2},
		"the shorter one": {[]voting.Ballot{mating(0, three), mating(1, three), mating(2, one)}, one, voting.ByMate,
			2},
		"against resignations": {[]voting.Ballot{mating(0, one), {Member: 1, Kind: voting.KindResign},
			{Member: 2, Kind: voting.KindResign}}, one, voting.ByMate, 0},
		"no mate at the end": {[]voting.Ballot{mating(0, "G*4b"), moving(1, other), moving(2, other)}, other,
			voting.ByRule, 1},
		"ends with the opponent": {[]voting.Ballot{mating(0, "G*4b 5a6a"), moving(1, other), moving(2, other)}, other,
			voting.ByRule, 1},
		"an illegal move in it": {[]voting.Ballot{mating(0, "G*4b 5a5b G*6b"), moving(1, other), moving(2, other)}, other,
			voting.ByRule, 1},
		"a variation of another": {[]voting.Ballot{claim(func(b *voting.Ballot) { b.Move = mustMove("G*1a") }),
			moving(1, other), moving(2, other)}, other, voting.ByRule, 1},
		"a claim alone": {[]voting.Ballot{claim(func(b *voting.Ballot) { b.PV = nil }), moving(1, other),
			moving(2, other)}, other, voting.ByRule, 1},
		"not said to be a mate": {[]voting.Ballot{claim(func(b *voting.Ballot) { b.Score = usi.Score{Value: 500} }),
			moving(1, other), moving(2, other)}, other, voting.ByRule, 1},
		"at most a mate": {[]voting.Ballot{claim(func(b *voting.Ballot) { b.Score.Bound = usi.UpperBound }),
			moving(1, other), moving(2, other)}, other, voting.ByRule, 1},
		"late": {[]voting.Ballot{claim(func(b *voting.Ballot) { b.Kind = voting.KindLate }),
			moving(1, other), moving(2, other)}, other, voting.ByRule, 1},
		"of unknown length": {[]voting.Ballot{claim(func(b *voting.Ballot) { b.Score.Value = 0 }), moving(1, other),
			moving(2, other)}, one, voting.ByMate, 0},
		"a pawn must not mate": {[]voting.Ballot{mating(0, "P*5b"), moving(1, other), moving(2, other)}, other,
			voting.ByRule, 1},
		"at least a mate (a bound)": {[]voting.Ballot{claim(func(b *voting.Ballot) { b.Score.Bound = usi.LowerBound }),
			moving(1, other), moving(2, other)}, one, voting.ByMate, 0},
	} {
		d := chamber(t, "majority", members(3), voting.Settings{}).Decide(position(t, mateInOne), x.ballots)
		testutil.Check(t, d.Move == mustMove(x.want) && d.By == x.by && d.BestBacker == x.backer,
			"%s: %s by %s, backer %d, want %s by %s, backer %d", name, d.Move, d.By, d.BestBacker, x.want, x.by, x.backer)
	}
}

// TestOwnMate requires that a variation that ends in the mate of its own side proves nothing.
func TestOwnMate(t *testing.T) {
	const threatened = "4k4/9/9/9/9/9/P3p4/9/4K4 b g 1"
	d := chamber(t, "majority", members(3), voting.Settings{}).Decide(position(t, threatened),
		[]voting.Ballot{mating(0, "9g9f G*5h"), moving(1, "5i4i"), moving(2, "5i4i")})
	testutil.Check(t, d.By == voting.ByRule && d.Move.String() == "5i4i", "%s by %s", d.Move, d.By)
}

// TestNoCheck requires that a position without a legal move and without check is no mate.
func TestNoCheck(t *testing.T) {
	const quiet = "8k/6G2/9/7G1/9/9/9/9/K8 b - 1" // after 2d2c the king at 1a cannot move
	d := chamber(t, "majority", members(3), voting.Settings{}).Decide(position(t, quiet),
		[]voting.Ballot{mating(0, "2d2c"), moving(1, "9i9h"), moving(2, "9i9h")})
	testutil.Check(t, d.By == voting.ByRule && d.Move.String() == "9i9h", "%s by %s", d.Move, d.By)
}

// TestDeclaration requires that only the council's own rule decides a declaration. Black has 28 points and twelve
// pieces in the promotion zone, which wins by CSARule27.
func TestDeclaration(t *testing.T) {
	const entered = "GGGGKSSSS/+R+R+B+B5/9/9/9/9/9/9/4k4 b - 1"
	p, start := position(t, entered), shogi.StartPos()
	quiet := mustMove("5a5b")
	all := []voting.Ballot{{Member: 0, Kind: voting.KindMove, Line: voting.Line{Move: quiet}},
		{Member: 1, Kind: voting.KindWin}, {Member: 2, Kind: voting.KindWin}}
	csa := chamber(t, "majority", members(3), voting.Settings{Declaration: shogi.CSARule27})
	if d := csa.Decide(p, all[:1]); d.Answer != usi.AnswerWin || d.By != voting.ByDeclaration {
		t.Errorf("a won declaration that nobody asked for: %v by %s", d.Answer, d.By)
	}
	if d, ok := csa.Before(p); !ok || d.By != voting.ByDeclaration {
		t.Errorf("before any ballot: %v %s", ok, d.By)
	}
	if d := chamber(t, "majority", members(3), voting.Settings{}).Decide(p, all); d.Move != quiet ||
		d.By != voting.ByRule {
		t.Errorf("without a rule of declarations: %s by %s", d.Move, d.By)
	}
	if d := csa.Decide(&start, ballots("w w A")); d.Move != mustMove("A") || d.By != voting.ByRule {
		t.Errorf("a false declaration of two: %s by %s", d.Move, d.By)
	}
}

// TestForced requires that one legal move needs no vote. Without a legal move the council resigns.
func TestForced(t *testing.T) {
	c := chamber(t, "majority", members(2), voting.Settings{})
	one := position(t, "8k/9/9/9/9/9/9/7R1/K8 w - 1")
	if d := c.Decide(one, []voting.Ballot{{Member: 0, Kind: voting.KindResign}}); d.By != voting.ByForced ||
		d.Move.String() != "1a1b" {
		t.Errorf("%s by %s", d.Move, d.By)
	}
	mated := position(t, "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1")
	if d := c.Decide(mated, nil); d.By != voting.ByForced || d.Answer != usi.AnswerResign {
		t.Errorf("%v by %s", d.Answer, d.By)
	}
}

// TestResignation requires that more than the quorum of the living members must resign. Dead members do not count, but
// late or silent ones do.
func TestResignation(t *testing.T) {
	for _, x := range []struct {
		quorum  float64
		ballots string
		resigns bool
	}{
		{0, "r A A", false},
		{0, "r r A", true},
		{0, "r x A", false}, // one of two is not more than half
		{0, "r r x A", true},
		{0, "r x x", true},
		{0, "r r - A", false},
		{0, "r r ~A A", false},
		{0, "r r ! A", false},
		{0, "rB rB A", true},
		{0, "r", true},
		{0, "x x x", false},
		{0.3, "r A A", true},
		{0.8, "r r r r A", false}, // 4 of 5 are not more than 80%
		{0.8, "r r r r r", true},
		{1, "r r A", false},
		{1, "r r r", true},
	} {
		s := newSession(t, "majority", len(strings.Fields(x.ballots)), voting.Settings{ResignQuorum: x.quorum})
		d := s.Decide(s.p, ballots(x.ballots))
		testutil.Check(t, (d.Answer == usi.AnswerResign) == x.resigns && x.resigns == (d.By == voting.ByResignation),
			"quorum %v, %s: %v by %s", x.quorum, x.ballots, d.Answer, d.By)
	}
}

// TestWhatCounts requires that only moves in time count, and the moves that resigning members would have played.
func TestWhatCounts(t *testing.T) {
	for votes, want := range map[string]string{
		"A ~B ~B": "A", "A xB xB": "A", "A !B !B": "A", "A - -": "A", "A w w": "A", "A A rB rB A": "A", "A rB rB C C C": "C",
		"A rB B": "B",
	} {
		s := newSession(t, "majority", len(strings.Fields(votes)), voting.Settings{})
		if d := s.Decide(s.p, ballots(votes)); d.Move != mustMove(want) {
			t.Errorf("%s: %s, want %s", votes, d.Move, letters()[want])
		}
	}
}

// TestFallBack requires a move without ballots, never a resignation: the next move of the last variation, if it is
// legal, or else a legal move.
func TestFallBack(t *testing.T) {
	c := chamber(t, "majority", members(2), voting.Settings{})
	p := shogi.StartPos()
	list := ballots("A+10 A+20")
	list[0].PV, list[1].PV = line("7g7f 8c8d 2g2f"), line("7g7f 3c3d 2g2f 8c8d")
	d := c.Decide(&p, list)
	c.Observe(&p, list, &d)
	p.Apply(d.Move)
	expected, other := p, p
	expected.Apply(mustMove("3c3d"))
	other.Apply(mustMove("8c8d")) // the variation of the member that does not lead
	if d := c.Decide(&expected, ballots("x -")); d.By != voting.ByPlan || d.Move.String() != "2g2f" {
		t.Errorf("after the expected reply: %s by %s", d.Move, d.By)
	}
	if d := c.Decide(&other, ballots("x -")); d.By != voting.ByDefault || other.CheckLegal(d.Move) != nil {
		t.Errorf("after another reply: %s by %s", d.Move, d.By)
	}
	c.NewGame(1)
	if d := c.Decide(&expected, ballots("x -")); d.By != voting.ByDefault {
		t.Errorf("in a new game: by %s", d.By)
	}
}

// TestTies covers each level that decides between A and B. If two levels can decide, the first does.
func TestTies(t *testing.T) {
	for _, x := range []struct{ rule, ties, before, ballots, want, tie string }{
		{"majority", "", "", "A+5 A+10 B+0 B+20", "B", "score"}, // the default
		{"majority", "", "", "A+20 A+10 B+0 B+20", "A", "member"},
		{"majority", "score", "", "A+5 A+10 B+0 B+20", "B", "score"},
		{"majority", "member,score", "", "A+5 A+10 B+0 B+20", "A", "member"},
		{"majority", "score", "", "A B C", "A", "member"}, // the end of every chain
		{"majority", "score", "", "A B B", "B", ""},
		{"weighted:weights=1/2/2/3", "weight,member", "", "A B B A", "A", "weight"},
		{"weighted:weights=2/1/3/2", "weight,member", "", "A B B A", "B", "weight"},
		{"optimistic", "sum", "", "A+50 B+50 B+10", "B", "sum"},
		{"weighted:weights=2/1/1", "count", "", "A B B", "B", "count"},
		{"weighted:weights=1/3/4", "leader,member", "", "A A B", "B", "leader"},
		{"majority", "leader", "", "B A A B", "B", "leader"}, // the first of equal leaders
		{"majority", "previous,member", "C B B D", "A B B A", "B", "previous"},
		{"majority", "previous,member", "A B B A A", "B A B A x", "B", "member"}, // P1, P4 and P5 have one each
		{"adoption", "weight,score", "A A B C", "A+0 x B+9 B", "A", "weight"},
	} {
		if x.want == "B" && x.tie == "member" {
			x.want = first(x.ballots)
		}
		var chain []voting.Tie
		if x.ties != "" {
			var err error
			if chain, err = voting.ParseTies(x.ties); err != nil {
				t.Fatal(err)
			}
		}
		s := newSession(t, x.rule, len(strings.Fields(x.ballots)), voting.Settings{Ties: chain})
		if x.before != "" {
			s.vote(x.before)
		}
		if d := s.vote(x.ballots); d.Move != mustMove(x.want) || string(d.Tie) != x.tie {
			t.Errorf("%s, %s: %s then %s: %s by %q, want %s by %q", x.rule, x.ties, x.before, x.ballots, d.Move, d.Tie,
				letters()[x.want], x.tie)
		}
	}
}

// first returns the move of the first member.
func first(votes string) string { return votes[:1] }

// TestRandomTie requires that only the seed and the decision's number decide a random tie, not the order of the
// members.
func TestRandomTie(t *testing.T) {
	settings := voting.Settings{Ties: []voting.Tie{voting.TieRandom}}
	won := map[string]int{}
	changed := 0
	for seed := range uint64(200) {
		s := newSession(t, "majority", 2, settings)
		s.NewGame(seed)
		d := s.vote("A B")
		s.NewGame(seed)
		if e := s.Decide(s.p, ballots("B A")); e.Move != d.Move || e.Tie != voting.TieRandom {
			t.Fatalf("seed %d: %s, and with the members changed %s by %q", seed, d.Move, e.Move, e.Tie)
		}
		s.vote("A B")
		if e := s.vote("A B"); e.Move != d.Move {
			changed++
		}
		won[d.Move.String()]++
	}
	// 200 throws of a fair coin give a number outside 70 to 130 once in 40,000 runs.
	testutil.Check(t, won["7g7f"] >= 70 && won["7g7f"] <= 130 && changed >= 70 && changed <= 130,
		"won %v, another winner at the next decision %d times of 200", won, changed)
}

// TestExpectedReply requires that the members that voted for the move name the reply. If they name none, the leader
// names it.
func TestExpectedReply(t *testing.T) {
	s := newSession(t, "weighted:weights=1/1/1/1/9", 5, voting.Settings{})
	list := ballots("A A A B x")
	list[0].Ponder, list[1].Ponder, list[2].Ponder, list[3].Ponder = mustMove("8c8d"), mustMove("3c3d"), mustMove("3c3d"),
		mustMove("1c1d")
	if d := s.Decide(s.p, list); d.Ponder.String() != "3c3d" {
		t.Errorf("%s, want what two of three expect", d.Ponder)
	}
	list[1].Ponder, list[2].Ponder = mustMove("7g7f"), mustMove("8b3b") // illegal, and a legal one
	if d := s.Decide(s.p, list); d.Ponder.String() != "8c8d" {
		t.Errorf("%s, want the first named of equals", d.Ponder)
	}
	list[0].Ponder, list[2].Ponder = shogi.NoMove, shogi.NoMove
	if d := s.Decide(s.p, list); d.Ponder != shogi.NoMove {
		t.Errorf("%s, though the leader is dead", d.Ponder)
	}
	list[4] = ballot(4, "B")
	list[4].Ponder = mustMove("1c1d")
	for i := range 3 {
		list[i].Member = i
	}
	s = newSession(t, "weighted:weights=4/4/4/1/9", 5, voting.Settings{})
	if d := s.Decide(s.p, list); d.Move != mustMove("A") || d.Ponder.String() != "1c1d" {
		t.Errorf("%s %s, want the leader's reply", d.Move, d.Ponder)
	}
}

// TestPlain requires that Plain of a decision equals the choice of the rule majority.
func TestPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "members")
		settings, voters := drawLaws(t), drawVoters(t, n)
		// the council's own decisions set TiePrevious
		settings.Ties = slices.DeleteFunc(settings.Ties, func(x voting.Tie) bool { return x == voting.TiePrevious })
		c, plain := newChamber(t, drawSpec(t, n), voters, settings),
			newChamber(t, voting.DefaultSpec(voting.Majority), voters, settings)
		p := shogi.StartPos()
		for range 4 {
			list := drawBallots(t, &p, n)
			d, e := c.Decide(&p, list), plain.Decide(&p, list)
			c.Observe(&p, list, &d)
			plain.Observe(&p, list, &e)
			testutil.Require(t, e.By != voting.ByRule || d.Plain == e.Move, "plain is %s, majority plays %s", d.Plain, e.Move)
		}
	})
}

// TestOrderOfArrival requires the same decisions, weights and records for any order of the ballots. Decide changes
// nothing.
func TestOrderOfArrival(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "members")
		spec, settings, voters := drawSpec(t, n), drawLaws(t), drawVoters(t, n)
		one, other := newChamber(t, spec, voters, settings), newChamber(t, spec, voters, settings)
		p := shogi.StartPos()
		for own := range rapid.IntRange(1, 8).Draw(t, "decisions") {
			list := drawBallots(t, &p, n)
			shuffled := rapid.Permutation(list).Draw(t, "arrival")
			kept := slices.Clone(shuffled)
			d, before := one.Decide(&p, list), one.Weights()
			e := other.Decide(&p, shuffled)
			if again := other.Decide(&p, shuffled); !reflect.DeepEqual(e, again) || !slices.Equal(before, one.Weights()) {
				t.Fatalf("%s: Decide changed something: %+v, then %+v", spec, e, again)
			}
			one.Observe(&p, list, &d)
			other.Observe(&p, shuffled, &e)
			testutil.Require(t, reflect.DeepEqual(shuffled, kept), "the ballots were changed")
			if !reflect.DeepEqual(d, e) || !slices.Equal(one.Weights(), other.Weights()) {
				t.Fatalf("%s: %+v, weights %v; in another order %+v, weights %v", spec, d, one.Weights(), e, other.Weights())
			}
			head := voting.Record{Members: names(voters), Own: own + 1}
			a, b := voting.MakeRecord(head, &d, list), voting.MakeRecord(head, &e, shuffled)
			testutil.Require(t, reflect.DeepEqual(a, b), "%s: records %+v and %+v", spec, a, b)
			if !play(t, &p, d.Move) {
				return
			}
		}
	})
}

func names(voters []voting.Voter) []string {
	return lists.Map(voters, func(v voting.Voter) string { return v.Name })
}

// TestOneMember requires that a council of one plays as its member does.
func TestOneMember(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newChamber(t, drawSpec(t, 1), drawVoters(t, 1), drawLaws(t))
		p := shogi.StartPos()
		for range rapid.IntRange(1, 10).Draw(t, "decisions") {
			list := drawBallots(t, &p, 1)
			list[0].Ranked = nil // a pool weighs the lines, and may prefer a move that the member did not play
			if before, ok := c.Before(&p); ok {
				if !play(t, &p, before.Move) {
					return
				}
				continue
			}
			d := c.Decide(&p, list)
			c.Observe(&p, list, &d)
			switch list[0].Kind {
			case voting.KindMove:
				if d.Answer != usi.AnswerMove || d.Move != list[0].Move || d.Ponder != list[0].Ponder || d.BestBacker != 0 {
					t.Fatalf("%+v of %+v", d, list[0])
				}
			case voting.KindResign:
				if d.Answer != usi.AnswerResign {
					t.Fatalf("%+v of %+v", d, list[0])
				}
			default:
				if d.Answer != usi.AnswerMove || d.By != voting.ByPlan && d.By != voting.ByDefault || p.CheckLegal(d.Move) != nil {
					t.Fatalf("%+v of %+v", d, list[0])
				}
			}
			if !play(t, &p, d.Move) {
				return
			}
		}
	})
}

// TestDecided requires that later ballots do not change a decided vote, unless they prove a mate.
func TestDecided(t *testing.T) {
	for _, rule := range []string{voting.Majority, voting.Weighted, voting.Adoption, voting.Evaluation} {
		t.Run(rule, func(t *testing.T) {
			early := 0
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(2, 7).Draw(t, "members")
				c := newChamber(t, drawSpec(t, n, rule), drawVoters(t, n), drawLaws(t))
				early += checkDecided(t, c, n)
			})
			if early == 0 { // about every sixth vote is decided early
				t.Error("no vote was ever decided early: the test shows nothing")
			}
		})
	}
}

// checkDecided returns 1 if the vote is decided early, and requires that no other ballots change the decision.
func checkDecided(t *rapid.T, c *voting.Session, n int) int {
	p := shogi.StartPos()
	for range rapid.IntRange(0, 6).Draw(t, "decisions") {
		list := drawBallots(t, &p, n)
		d := c.Decide(&p, list)
		c.Observe(&p, list, &d)
	}
	list := unproven(drawBallots(t, &p, n))
	cut := rapid.IntRange(1, n-1).Draw(t, "answered")
	if m := rapid.SampledFrom(p.LegalMoves(nil)).Draw(t, "agreed"); rapid.Bool().Draw(t, "agree") {
		for i := range cut {
			list[i].Kind, list[i].Move, list[i].Ranked = voting.KindMove, m, nil
		}
	}
	pending := lists.Map(list[cut:], func(b voting.Ballot) int { return b.Member })
	if !c.Decided(list[:cut], pending) {
		return 0
	}
	d := c.Decide(&p, list[:cut])
	for range 10 {
		others := unproven(drawBallots(t, &p, n))
		copy(others, list[:cut])
		for i := cut; i < n; i++ { // the dangerous ballots are for moves that already have votes
			if m := rapid.SampledFrom(list[:cut]).Draw(t, "ally").Move; m != shogi.NoMove {
				others[i].Move = m
			}
		}
		if e := c.Decide(&p, others); e.Answer != d.Answer || e.Move != d.Move {
			t.Fatalf("%s: decided on %v %s, with all ballots %v %s", c.Rule(), d.Answer, d.Move, e.Answer, e.Move)
		}
	}
	return 1
}

// unproven returns ballots without variations, so that none proves a mate.
func unproven(list []voting.Ballot) []voting.Ballot {
	for i := range list {
		list[i].PV = nil
	}
	return list
}

// TestDecidedExamples requires that Decided is not too careful, either.
func TestDecidedExamples(t *testing.T) {
	for _, x := range []struct {
		rule, ballots string
		pending       int
		want          bool
	}{
		{"majority", "A A", 1, true},
		{"majority", "A A", 2, false}, // 2:2 is possible
		{"majority", "A A A B", 1, true},
		{"majority", "A A B", 1, false},
		{"majority", "A A A A B B", 1, true},
		{"majority", "A A r", 1, true}, // two of four are no quorum
		{"majority", "A A r r", 1, false},
		{"majority", "A A A r", 1, true},
		{"majority", "A B", 0, true},
		{"weighted:weights=5/1/1/1", "A", 3, false}, // 5:3, but three of four may resign
		{"weighted:weights=5/1/1/1", "A B B", 1, true},
		{"weighted:weights=1/1/1/5", "A A A", 1, false},
		{"optimistic", "A+900 A+900", 1, false},
		{"borda", "A A A", 1, false},
		{"linear_pool", "A A A", 1, false},
		{"evaluation:apply=before", "A A A", 1, false},
		{"adoption:tally=count", "A A A", 1, false},
	} {
		list := ballots(x.ballots)
		var pending []int
		for i := range x.pending {
			pending = append(pending, len(list)+i)
		}
		c := chamber(t, x.rule, members(len(list)+x.pending), voting.Settings{})
		testutil.Equal(t, c.Decided(list, pending), x.want, "%s: %s and %d to come: decided", x.rule, x.ballots, x.pending)
	}
}

// TestSplit requires the numbers of each move's backers, largest first.
func TestSplit(t *testing.T) {
	for votes, want := range map[string]string{"A B A C A B B": "3:3:1", "A": "1", "x -": "", "A A ~B": "2"} {
		s := newSession(t, "majority", len(strings.Fields(votes)), voting.Settings{})
		if d := s.Decide(s.p, ballots(votes)); d.Split() != want {
			t.Errorf("%s: %q, want %q", votes, d.Split(), want)
		}
	}
}

// TestPoints requires the order of scores: up to ±30000 for centipawns, and mates beyond.
func TestPoints(t *testing.T) {
	var last float64
	for i, word := range []string{"A#-1", "A#-7", "A#-999", "A-40000", "A-1", "A+0", "A+1", "A+30000", "A#", "A#999",
		"A#7", "A#1"} {
		b := ballot(0, word)
		if p := voting.Points(b.Score, b.HasScore); i > 0 && p <= last {
			t.Errorf("%s has %v points, not more than the %v before it", word, p, last)
		} else {
			last = p
		}
	}
	for word, want := range map[string]float64{"A#5": 31995, "A#-5": -31995, "A#": 31000, "A#1000": 31000, "A#5000": 31000,
		"A#-5000": -31000, "A+99999": 30000, "A-99999": -30000} {
		b := ballot(0, word)
		got := voting.Points(b.Score, b.HasScore)
		testutil.Check(t, got == want, "%s: %v points, want %v", word, got, want)
	}
	none := ballot(0, "A")
	testutil.Equal(t, fmt.Sprint(voting.Points(none.Score, none.HasScore)), "-Inf", "without a score")
}
