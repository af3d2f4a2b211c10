package voting_test

import (
	"fmt"
	"math"
	"testing"

	"gogi/ensemble/voting"
	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

// TestByScore requires that the optimistic rule follows the best score, and the pessimistic rule the worst. Ballots
// without a score count only if no ballot has one.
func TestByScore(t *testing.T) {
	for _, x := range []struct{ ballots, optimistic, pessimistic string }{
		{"A+50 B+80 A+20", "B", "A"},
		{"A+50 B+80 A+90", "A", "A"},
		{"A B+10 C-10", "B", "C"},
		{"A B-700 A", "B", "B"},
		{"C B B", "C", "C"}, // no member has a score: the first member
		{"A#3 B+29999", "A", "B"},
		{"A#-3 B-29999", "B", "A"},
		{"A#9 B#5", "B", "A"},
		{"A#-9 B#-5", "A", "B"},
		{"A# B#25", "B", "A"}, // a mate of unknown length is the longest
		{"A# B+29999", "A", "B"},
		{"B+50 A+50", "B", "B"}, // equal: the first member
		{"~A+900 B+10 xA+900", "B", "B"},
	} {
		for rule, want := range map[string]string{"optimistic": x.optimistic, "pessimistic": x.pessimistic} {
			s := newSession(t, rule, len(ballots(x.ballots)), voting.Settings{})
			if d := s.vote(x.ballots); d.Move != mustMove(want) || d.By != voting.ByRule {
				t.Errorf("%s: %s: %s by %s, want %s", rule, x.ballots, d.Move, d.By, letters()[want])
			}
		}
	}
}

// TestByScoreCalibrated gives P2 a scale in which 500 equal 50 of P1.
func TestByScoreCalibrated(t *testing.T) {
	voters := members(2)
	voters[1].Slope = voting.DefaultSlope / 10
	start := shogi.StartPos()
	for rule, want := range map[string]string{"optimistic": "A", "pessimistic": "B"} {
		d := chamber(t, rule, voters, voting.Settings{}).Decide(&start, ballots("A+60 B+500"))
		if d.Move != mustMove(want) {
			t.Errorf("%s: %s, want %s", rule, d.Move, letters()[want])
		}
	}
}

// listing returns a ballot with a list of moves and centipawns, the vote first.
func listing(member int, lines ...any) voting.Ballot {
	b := voting.Ballot{Member: member, Kind: voting.KindMove, Source: voting.SourceBestmove, Line: voting.Line{Depth: 9}}
	for i := 0; i < len(lines); i += 2 {
		line := voting.Line{Move: mustMove(lines[i].(string)), HasScore: true, Score: usi.Score{Value: lines[i+1].(int)},
			Depth: 9}
		if i == 0 {
			b.Move, b.Score, b.HasScore = line.Move, line.Score, true
		}
		b.Ranked = append(b.Ranked, line)
	}
	return b
}

func values(d *voting.Decision) map[string]float64 {
	all := map[string]float64{}
	for letter := range letters() {
		for _, c := range d.Candidates {
			if c.Move == mustMove(letter) {
				all[letter] = c.Value
			}
		}
	}
	return all
}

// TestBorda uses a longest list of k = 3 lines. P1 lists A, B, C with 3, 2, 1 points. P2 lists B, A with 3, 2 points.
func TestBorda(t *testing.T) {
	shallow := listing(0, "A", 90, "B", 80, "C", 70)
	shallow.Ranked[2].Depth = 4
	full := listing(0, "A", 90, "B", 80, "C", 70)
	for _, x := range []struct {
		rule   string
		first  voting.Ballot
		want   map[string]float64
		winner string
		tie    voting.Tie
	}{
		{"borda", full, map[string]float64{"A": 3 + 2, "B": 2 + 3, "C": 1}, "A", voting.TieScore},
		{"borda:weights=1/2", full, map[string]float64{"A": 3 + 2*2, "B": 2 + 2*3, "C": 1}, "B", ""},
		// C has a depth of 4, below min_depth, so k = 2
		{"borda", shallow, map[string]float64{"A": 2 + 1, "B": 1 + 2}, "A", voting.TieScore},
		{"borda:min_depth=4", shallow, map[string]float64{"A": 3 + 2, "B": 2 + 3, "C": 1}, "A", voting.TieScore},
	} {
		s := newSession(t, x.rule, 2, voting.Settings{})
		d := s.Decide(s.p, []voting.Ballot{x.first, listing(1, "B", 50, "A", 40)})
		if got := values(&d); fmt.Sprint(got) != fmt.Sprint(x.want) || d.Move != mustMove(x.winner) || d.Tie != x.tie {
			t.Errorf("%s: %v, %s by %q, want %v, %s by %q", x.rule, got, d.Move, d.Tie, x.want, letters()[x.winner], x.tie)
		}
	}
}

// TestPools uses a slope of ln 3/100, which makes 100 centipawns odds of 3 to 1, 400 of 81 to 1, and 0 even chances. P1
// has A 400, B 0; P2 has B 100 and A -100:
//
//	linear  A (81/82 + 1/4)/2 = 0.61890   B (1/2 + 3/4)/2 = 0.625
//	log     A (ln 81 - ln 3)/2 = 1.64792  B (0 + ln 3)/2 = 0.54931
//
// With the weights 3 and 1 the linear pool has A (3·81/82 + 1/4)/4 = 0.80335 and B (3/2 + 3/4)/4 = 0.5625. If P2 does
// not list A, it rates A 0.02 below its B, at 0.73. A then has (81/82 + 0.73)/2 = 0.85890. With impute=0.75 it rates A
// at one in a million, which gives (81/82 + 0.000001)/2 = 0.49390.
func TestPools(t *testing.T) {
	voters := members(2)
	for i := range voters {
		voters[i].Slope = math.Log(3) / 100
	}
	start := shogi.StartPos()
	first, both, alone := listing(0, "A", 400, "B", 0), listing(1, "B", 100, "A", -100), listing(1, "B", 100)
	silent := voting.Ballot{Member: 1, Kind: voting.KindMove, Line: voting.Line{Move: mustMove("C")},
		Source: voting.SourceBook}
	for _, x := range []struct {
		rule   string
		second voting.Ballot
		want   map[string]float64
		winner string
	}{
		{"linear_pool", both, map[string]float64{"A": 0.61890, "B": 0.625}, "B"},
		{"log_pool", both, map[string]float64{"A": 1.64792, "B": 0.54931}, "A"},
		{"linear_pool:weights=3/1", both, map[string]float64{"A": 0.80335, "B": 0.5625}, "A"},
		{"linear_pool", alone, map[string]float64{"A": 0.85890, "B": 0.625}, "A"},
		{"linear_pool:impute=0.75", alone, map[string]float64{"A": 0.49390, "B": 0.625}, "B"},
		// P2 has no scores, so only P1's count. P1 rates C at 1/2 - 0.02.
		{"linear_pool", silent, map[string]float64{"A": 81.0 / 82, "B": 0.5, "C": 0.48}, "A"},
	} {
		d := chamber(t, x.rule, voters, voting.Settings{}).Decide(&start, []voting.Ballot{first, x.second})
		got := values(&d)
		for letter, want := range x.want {
			testutil.Check(t, math.Abs(got[letter]-want) <= 6e-6, "%s: %s has %.6f, want %.5f", x.rule, letter, got[letter],
				want)
		}
		if d.Move != mustMove(x.winner) || len(got) != len(x.want) {
			t.Errorf("%s: %s of %v, want %s", x.rule, d.Move, got, letters()[x.winner])
		}
	}
}

// TestPoolWithoutScores requires that the pool counts the ballots if no ballot has a score.
func TestPoolWithoutScores(t *testing.T) {
	newSession(t, "log_pool", 3, voting.Settings{}).wants("A B B", "B", "1 1 1")
}
