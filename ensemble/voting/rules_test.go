package voting_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gogi/ensemble/voting"
	"gogi/internal/testutil"
	"gogi/shogi"
)

// TestAdoptionWorkedExample is a table of five players in four decisions, calculated by hand from the paper's Table 1:
//
//	t  ballots    sums           winner, V  adoptions after  order      gains       weights after
//	1  A A A A A  A 5            A, 5       1 1 1 1 1        1 2 3 4 5  all         2 2 2 2 2
//	2  A A A A B  A 8, B 2       A, 4       2 2 2 2 1        1 2 3 4 5  P1 to P4    3 3 3 3 2
//	3  B A A B A  A 8, B 6       A, 3       2 3 3 2 2        2 3 1 4 5  P2 P3 P1    4 4 4 3 2
//	4  A B C A B  A 7, B 6, C 4  A, 2       3 3 3 3 2        1 2 3 4 5  P1 P2       5 5 4 3 2
func TestAdoptionWorkedExample(t *testing.T) {
	s := newSession(t, "adoption", 5, voting.Settings{})
	for _, x := range []struct{ ballots, sums, split, winner, weights string }{
		{"A A A A A", "A 5", "5", "A", "2 2 2 2 2"},
		{"A A A A B", "A 8, B 2", "4:1", "A", "3 3 3 3 2"},
		{"B A A B A", "A 8, B 6", "3:2", "A", "4 4 4 3 2"},
		{"A B C A B", "A 7, B 6, C 4", "2:2:1", "A", "5 5 4 3 2"},
	} {
		d := s.Decide(s.p, ballots(x.ballots))
		if got := sums(&d); got != x.sums || d.Split() != x.split || d.Tie != "" {
			t.Errorf("%s: sums %s, split %s, tie %q, want %s, %s and none", x.ballots, got, d.Split(), d.Tie, x.sums, x.split)
		}
		s.wants(x.ballots, x.winner, x.weights)
	}
}

// sums lists the candidates with the sums of their backers' weights, best first.
func sums(d *voting.Decision) string {
	var parts []string
	for _, c := range d.Candidates {
		for letter, text := range letters() {
			if text == c.Move.String() {
				parts = append(parts, fmt.Sprintf("%s %v", letter, c.Weight))
			}
		}
	}
	return strings.Join(parts, ", ")
}

// decision is one line of a table of votes.
type decision struct{ ballots, winner, weights string }

// TestKeys covers each key of the rules with changing weights. All numbers were calculated by hand. In the comments, a
// lists the members' adoptions after a decision.
func TestKeys(t *testing.T) {
	for rule, votes := range map[string][]decision{
		// A1: the initial weights. With initial=0 B wins the tie of 0:0 by its score.
		"adoption":           {{"A+1 A+1 B+2", "A", "2 2 1"}},
		"adoption:initial=0": {{"A+1 A+1 B+2", "B", "0 0 1"}}, // a = 0 0 1, V = 1
		// A2: P1 is adopted alone twice. Its weight of 3 then beats two others, except with tally=count.
		"adoption:reward=voters": {{"A B C", "A", "2 1 1"}, {"A B C", "A", "3 1 1"}, {"A B B", "A", "4 1 1"}},
		"adoption:tally=count,reward=voters": {
			{"A B C", "A", "2 1 1"},
			{"A B C", "A", "3 1 1"},
			{"A B B", "B", "3 2 2"},
			{"B A C", "B", "4 2 2"}, // 1:1:1, so the weight breaks the tie
		},
		// A3: P1 and P3 have equal records after the second vote, a = 1 2 1, and V = 2.
		"adoption:order=member": {{"A A B", "A", "2 2 1"}, {"C B B", "B", "3 3 1"}},
		"adoption:order=recent": {{"A A B", "A", "2 2 1"}, {"C B B", "B", "2 3 2"}},
		// P1 reaches P3 in a = 1 2 1, but P3 was before it: 2 3 1.
		"adoption:order=before,initial=1": {{"A B B", "B", "1 2 2"}, {"A A B", "A", "1 3 3"}},
		"adoption:order=member,initial=1": {{"A B B", "B", "1 2 2"}, {"A A B", "A", "2 3 2"}},
		// A5: no member searched.
		"adoption:book=true":  {{"A A B", "A", "2 2 1"}},
		"adoption:book=false": {{"A A B", "A", "1 1 1"}, {"A A+5 B", "A", "2 2 1"}, {"A A ~B+5", "A", "2 2 1"}},
		// A7: a = 2 1 1 and V = 2. P1 ranks first, and is dead.
		"adoption:absent=keep": {{"A B C", "A", "2 1 1"}, {"A B C", "A", "3 1 1"}, {"x B B", "B", "3 2 1"}},
		"adoption:absent=drop": {{"A B C", "A", "2 1 1"}, {"A B C", "A", "3 1 1"}, {"x B B", "B", "3 2 2"}},
		// A9: 1 + 1; 1 + 1/2 + 1; 1 + 3/4 + 1.
		"adoption:decay=0.5": {{"A", "A", "2"}, {"A", "A", "2.5"}, {"A", "A", "2.75"}},
		"adoption:cap=2.5":   {{"A A", "A", "2 2"}, {"A A", "A", "2.5 2.5"}, {"A A", "A", "2.5 2.5"}},

		// E1: as A1.
		"evaluation":           {{"A+1 A+1 B+2", "A", "1 1 2"}},
		"evaluation:initial=0": {{"A+1 A+1 B+2", "B", "0 0 1"}},
		// E2: P2 leads with 50; then P1 with 100.
		"evaluation:mode=accumulate": {{"A+0 A+50 A+0", "A", "1 2 1"}, {"A+0 A+0 A+0", "A", "1 3 1"},
			{"A+100 A+0 A+0", "A", "2 3 1"}},
		"evaluation:mode=bonus": {{"A+0 A+50 A+0", "A", "1 2 1"}, {"A+0 A+0 A+0", "A", "1 2 1"},
			{"A+100 A+0 A+0", "A", "2 1 1"}, {"A A A", "A", "1 1 1"}},
		// E3: sums 100 10 10; 100 20 15 if P1 does not search; 101 20 15 if P1 alone searches.
		"evaluation:searched=any": {{"A+100 A+10 A+10", "A", "2 1 1"}, {"A A+10 A+5", "A", "2 2 1"},
			{"A+1 A A", "A", "3 2 1"}},
		"evaluation:searched=majority": {{"A+100 A+10 A+10", "A", "2 1 1"}, {"A A+10 A+5", "A", "2 2 1"},
			{"A+1 A A", "A", "2 2 1"}},
		"evaluation:searched=all": {{"A+100 A+10 A+10", "A", "2 1 1"}, {"A A+10 A+5", "A", "2 1 1"},
			{"A+1 A A", "A", "2 1 1"}},
		"evaluation:searched=leader": {{"A+100 A+10 A+10", "A", "2 1 1"}, {"A A+10 A+5", "A", "2 1 1"},
			{"A+1 A A", "A", "3 1 1"}},
		"evaluation:searched=majority,max=50": {{"A+1 A", "A", "1 1"}, {"A+1 A+0", "A", "2 1"}}, // one of two is no majority
		// A late member has no part in the vote.
		"evaluation:max=60": {{"A+1 ~A+50", "A", "2 1"}, {"A+1 A+2", "A", "3 1"}},
		// E4: sums 100 50, or 0 50 for the last decision only.
		"evaluation:window=0": {{"A+100 A+0", "A", "2 1"}, {"A+0 A+50", "A", "3 1"}},
		"evaluation:window=1": {{"A+100 A+0", "A", "2 1"}, {"A+0 A+50", "A", "2 2"}},
		// The evaluations leave the window even if the member is dead: 0+0 against 10+20.
		"evaluation:window=2": {{"A+100 A+0", "A", "2 1"}, {"x A+10", "A", "2 2"}, {"A+0 A+20", "A", "2 3"}},
		// E5: a mate counts 2000. After 1500 and 600 P2 has 2100. With max=32000 P2 cannot catch up.
		"evaluation:max=2000":  {{"A#3 A+0", "A", "2 1"}, {"A+0 A+1500", "A", "3 1"}, {"A+0 A+600", "A", "3 2"}},
		"evaluation:max=32000": {{"A#3 A+0", "A", "2 1"}, {"A+0 A+1500", "A", "3 1"}, {"A+0 A+600", "A", "4 1"}},
		// A9 for this rule.
		"evaluation:decay=0.5":          {{"A+1", "A", "2"}, {"A+1", "A", "2.5"}},
		"evaluation:cap=1.5,mode=bonus": {{"A+1", "A", "1.5"}},
	} {
		t.Run(rule, func(t *testing.T) {
			s := newSession(t, rule, len(strings.Fields(votes[0].ballots)), voting.Settings{})
			for _, v := range votes {
				s.wants(v.ballots, v.winner, v.weights)
			}
		})
	}
}

// TestDefaults requires the defaults that the sources give.
func TestDefaults(t *testing.T) {
	want := voting.Spec{
		Initial: 1, Tally: "weight", Reset: "game", Reward: "top", Order: "member", Book: true, Absent: "keep",
		Overrides: "skip",
		Ponder:    false, Decay: 1, Cap: 0, Placebo: "off", Mode: "accumulate", Searched: "any", Window: 0, Max: 2000,
		Scale: "cp",
		Apply: "after", Impute: 0.02, MinDepth: 5,
	}
	for _, name := range voting.RuleNames() {
		want.Name = name
		if got := voting.DefaultSpec(name); fmt.Sprint(got) != fmt.Sprint(want) ||
			fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
			t.Errorf("%#v, want %#v", got, want)
		}
	}
	testutil.Slices(t, voting.DefaultTies(), []voting.Tie{"score", "member"}, "ties")
}

// TestReset covers A6 and E7: a new game resets the weights, except with reset=never.
func TestReset(t *testing.T) {
	for rule, want := range map[string]string{
		"adoption": "2 2", "adoption:reset=never": "3 3", "evaluation": "2 1", "evaluation:reset=never": "3 1",
	} {
		s := newSession(t, rule, 2, voting.Settings{})
		s.vote("A+5 A+0")
		s.NewGame(2)
		// Under evaluation P1 leads by its old 5. Without that, P2 would lead by its new 3.
		s.vote(map[bool]string{true: "A+0 A+3", false: "A+5 A+0"}[rule == "evaluation:reset=never"])
		testutil.Equal(t, strings.Trim(fmt.Sprint(s.Weights()), "[]"), want, "%s: weights", rule)
	}
}

// TestResetOfTheRecord requires that with reset=never the adoption record lasts, too. After the first game P1's vote
// was adopted twice and P2's once. In the second game the votes of P2 and P3 are adopted, and two members gain. The
// ranking is then 2 2 1, so P1 and P2 gain. A record of the second game alone would be 0 1 1.
func TestResetOfTheRecord(t *testing.T) {
	for rule, want := range map[string]string{"adoption:reset=never": "4 3 1", "adoption": "1 2 2"} {
		s := newSession(t, rule, 3, voting.Settings{})
		s.vote("A+0 A+0 B+0")
		s.vote("A+9 B+0 C+0")
		s.NewGame(2)
		s.wants("B+0 A+9 A+9", "A", want)
	}
}

// TestOverridesKey covers A8: P1 alone finds the mate. By default no weight changes. With overrides=count P1's vote is
// adopted, V = 1.
func TestOverridesKey(t *testing.T) {
	for rule, want := range map[string]string{"adoption": "1 1 1", "adoption:overrides=count": "2 1 1"} {
		s := newSession(t, rule, 3, voting.Settings{})
		s.p = position(t, mateInOne)
		list := []voting.Ballot{mating(0, "G*5b"), moving(1, "5c5b+"), moving(2, "5c5b+")}
		d := s.Decide(s.p, list)
		s.Observe(s.p, list, &d)
		if d.By != voting.ByMate || strings.Trim(fmt.Sprint(s.Weights()), "[]") != want {
			t.Errorf("%s: by %s, weights %v, want %s", rule, d.By, s.Weights(), want)
		}
	}
}

// TestPonderKey covers A10: all members play A. P1 and P2 expect the council's expected reply, a = 2 2 1, and two more
// members gain.
func TestPonderKey(t *testing.T) {
	for rule, want := range map[string]string{"adoption": "2 2 2", "adoption:ponder=true": "3 3 2"} {
		s := newSession(t, rule, 3, voting.Settings{})
		list := ballots("A+1 A+1 A+1")
		for i, reply := range []string{"3c3d", "3c3d", "8c8d"} {
			list[i].Ponder = mustMove(reply)
		}
		d := s.Decide(s.p, list)
		s.Observe(s.p, list, &d)
		got := strings.Trim(fmt.Sprint(s.Weights()), "[]")
		testutil.Check(t, got == want && d.Ponder.String() == "3c3d", "%s: weights %s, want %s; ponder %s", rule, got, want,
			d.Ponder)
	}
}

// TestRandomOrder covers A3 with order=random: P1 and P3 are equal, and the seed alone decides which of them gains.
func TestRandomOrder(t *testing.T) {
	outcomes := map[string]int{}
	for seed := range uint64(100) {
		var first string
		for range 2 {
			s := newSession(t, "adoption:order=random", 3, voting.Settings{})
			s.NewGame(seed)
			s.vote("A B B") // a = 0 1 1, V = 2
			s.vote("A A B") // a = 1 2 1, V = 2: P2 and one of the others gain
			got := fmt.Sprint(s.Weights())
			if first == "" {
				first = got
				outcomes[got]++
			} else if got != first {
				t.Fatalf("seed %d: weights %s and %s", seed, first, got)
			}
		}
	}
	// 100 throws of a fair coin give a number outside 30 to 70 once in 10,000 runs.
	n := outcomes["[2 3 2]"]
	testutil.Check(t, n >= 30 && n <= 70 && n+outcomes["[1 3 3]"] == 100, "weights by seed: %v", outcomes)
}

// TestApplyKey covers E6: P3 leads by the ballots of this decision.
func TestApplyKey(t *testing.T) {
	ties := voting.Settings{Ties: []voting.Tie{voting.TieMember}}
	for _, mode := range []string{"accumulate", "bonus"} {
		newSession(t, "evaluation:mode="+mode, 3, ties).wants("A+0 B+0 C+100", "A", "1 1 2")
		s := newSession(t, "evaluation:apply=before,mode="+mode, 3, ties)
		if d := s.vote("A+0 B+0 C+100"); d.Move != mustMove("C") || d.Candidates[0].Weight != 2 {
			t.Errorf("apply=before,mode=%s: %s with %v", mode, d.Move, d.Candidates[0].Weight)
		}
	}
}

// TestScaleKey covers E8: P2's centipawns are worth a tenth. P1's 300 are a win probability of 1/(1+e^-0.5) = 62%. P2's
// 2000 are 1/(1+e^-0.33) = 58%.
func TestScaleKey(t *testing.T) {
	voters := members(2)
	voters[1].Slope = voting.DefaultSlope / 10
	start := shogi.StartPos()
	for rule, want := range map[string]string{"evaluation": "[1 2]", "evaluation:scale=winprob": "[2 1]"} {
		c := chamber(t, rule, voters, voting.Settings{})
		list := ballots("A+300 A+2000")
		d := c.Decide(&start, list)
		c.Observe(&start, list, &d)
		testutil.Equal(t, fmt.Sprint(c.Weights()), want, "%s: weights", rule)
	}
}

// TestPlacebo requires that a placebo has the weights of the rule, but assigns them to other members.
func TestPlacebo(t *testing.T) {
	moved := map[string]bool{}
	wandered := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]string{"game", "decision"}).Draw(t, "placebo")
		seed := rapid.Uint64().Draw(t, "seed")
		// The tally counts ballots and there is never a tie, so all sessions make the same decisions.
		honest := drawnChamber(t, "adoption:reward=voters,tally=count", 5)
		placebo := drawnChamber(t, "adoption:reward=voters,tally=count,placebo="+kind, 5)
		again := drawnChamber(t, "adoption:reward=voters,tally=count,placebo="+kind, 5)
		start := shogi.StartPos()
		var owners [][]float64
		for _, c := range []*voting.Session{honest, placebo, again} {
			c.NewGame(seed)
		}
		for _, line := range []string{"A A A A B", "A A A B C", "A A A B C", "A A B C D", "A A B C D"} {
			for _, c := range []*voting.Session{honest, placebo, again} {
				d := c.Decide(&start, ballots(line))
				c.Observe(&start, ballots(line), &d)
			}
			testutil.Require(t, slices.Equal(placebo.Weights(), again.Weights()), "the placebo is not reproducible")
			testutil.Require(t, slices.Equal(slices.Sorted(slices.Values(honest.Weights())),
				slices.Sorted(slices.Values(placebo.Weights()))),
				"weights %v, placebo %v: not the same numbers", honest.Weights(), placebo.Weights())
			moved[kind] = moved[kind] || !slices.Equal(honest.Weights(), placebo.Weights())
			owners = append(owners, placebo.Weights())
		}
		// After the last votes P1 has 6, and after the votes before them 5. The test compares the two places of this
		// weight.
		before, after := slices.Index(owners[3], 5), slices.Index(owners[4], 6)
		wandered[kind] = wandered[kind] || before != after
	})
	testutil.Check(t, moved["game"] && moved["decision"], "weights always kept their owners: %v", moved)
	testutil.Check(t, !wandered["game"] && wandered["decision"],
		"the owners changed within a game: %v, want it of decision only", wandered)
}

func drawnChamber(t *rapid.T, rule string, n int) *voting.Session {
	spec := testutil.Must(voting.ParseSpec(rule))(t)
	c := testutil.Must(voting.NewSession(spec, members(n), voting.Settings{}))(t)
	c.NewGame(1)
	return c
}

// TestBothColours requires that a council learns the same as White in turned positions, because scores are from the
// mover's view.
func TestBothColours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "members")
		spec, settings := drawSpec(t, n), drawLaws(t)
		for slices.Contains(settings.Ties, voting.TieRandom) { // TieRandom hashes the move
			settings.Ties = slices.DeleteFunc(settings.Ties, func(x voting.Tie) bool { return x == voting.TieRandom })
		}
		voters := drawVoters(t, n)
		black, white := newChamber(t, spec, voters, settings), newChamber(t, spec, voters, settings)
		p := shogi.StartPos()
		for range rapid.IntRange(1, 8).Draw(t, "decisions") {
			q := testutil.Must(shogi.ParseSFEN(turned(p.SFEN())))(t)
			list := drawBallots(t, &p, n)
			mirrored := turnedBallots(list)
			d, e := black.Decide(&p, list), white.Decide(&q, mirrored)
			black.Observe(&p, list, &d)
			white.Observe(&q, mirrored, &e)
			listed := len(d.Candidates) > 0 && len(d.Candidates[0].Backers) == 0 // a move without votes: its number decides
			if d.By == voting.ByDefault || listed {
				return
			}
			testutil.Require(t, turnedMove(d.Move) == e.Move && d.By == e.By && d.Tie == e.Tie,
				"%s: %s by %s as Black, %s by %s as White", spec, d.Move, d.By, e.Move, e.By)
			testutil.Require(t, slices.Equal(black.Weights(), white.Weights()),
				"%s: weights %v as Black, %v as White", spec, black.Weights(), white.Weights())
			if !play(t, &p, d.Move) {
				return
			}
		}
	})
}

func newChamber(t *rapid.T, spec voting.Spec, voters []voting.Voter, settings voting.Settings) *voting.Session {
	c := testutil.Must(voting.NewSession(spec, voters, settings))(t)
	c.NewGame(7)
	return c
}

// play makes the move and any reply. It returns false if the game is over.
func play(t *rapid.T, p *shogi.Position, m shogi.Move) bool {
	if m == shogi.NoMove {
		return false
	}
	p.Apply(m)
	replies := p.LegalMoves(nil)
	if len(replies) == 0 {
		return false
	}
	p.Apply(rapid.SampledFrom(replies).Draw(t, "opponent"))
	return p.HasLegalMove()
}

func turnedBallots(list []voting.Ballot) []voting.Ballot {
	list = slices.Clone(list)
	for i := range list {
		b := &list[i]
		b.Move, b.Ponder = turnedMove(b.Move), turnedMove(b.Ponder)
		b.PV, b.Ranked = slices.Clone(b.PV), slices.Clone(b.Ranked)
		for j := range b.PV {
			b.PV[j] = turnedMove(b.PV[j])
		}
		for j := range b.Ranked {
			b.Ranked[j].Move = turnedMove(b.Ranked[j].Move)
		}
	}
	return list
}

// TestEvaluationWithoutABallot requires that a member without a request keeps the evaluations in its window.
func TestEvaluationWithoutABallot(t *testing.T) {
	start := shogi.StartPos()
	c := chamber(t, "evaluation:window=2", members(2), voting.Settings{})
	for _, x := range []struct{ votes, want string }{{"A+10 B+50", "[1 2]"}, {"A+5", "[2 2]"}, {"A+10 B+0", "[2 3]"}} {
		d := c.Decide(&start, ballots(x.votes))
		c.Observe(&start, ballots(x.votes), &d)
		testutil.Equal(t, fmt.Sprint(c.Weights()), x.want, "%s", x.votes)
	}
}
