package arbiter_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/match/matchtest"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// adjudicate plays the moves of line over and over while the scores last. A score is from the view of the side that
// moves; "-" is no score. It returns the end: "white at 6" is White's win after six moves, "none" is no end.
func adjudicate(t *testing.T, rules match.Adjudication, start, line string, scores []string) string {
	t.Helper()
	p := testutil.Must(shogi.ParseSFEN(start))(t)
	list, a := matchtest.Moves(line), arbiter.NewAdjudicator(rules)
	for i, text := range scores {
		m := list[i%len(list)]
		testutil.OK(t, p.CheckLegal(m))
		p.Apply(m)
		score, err := strconv.Atoi(text)
		bound := kifu.NoBound
		switch number, _ := strings.CutPrefix(text, "≥"); {
		case number != text:
			score, bound = testutil.Must(strconv.Atoi(number))(t), kifu.AtLeast
		case strings.HasPrefix(text, "≤"):
			score, bound = testutil.Must(strconv.Atoi(strings.TrimPrefix(text, "≤")))(t), kifu.AtMost
		}
		v := a.Move(&p, &kifu.Move{Score: score, HasScore: err == nil, Bound: bound})
		if !v.Over() {
			continue
		}
		testutil.Check(t, v.Termination == match.ScoreAdjudication && v.Note != "", "%+v", v)
		return fmt.Sprintf("%v at %d", v.Outcome, i+1)
	}
	return "none"
}

const (
	rooks     = "2h1h 8b9b 1h2h 9b8b"
	kings     = "4k4/9/9/9/9/9/9/9/4K4 b - 1"
	kingMoves = "5i5h 5a5b 5h5i 5b5a"
)

func TestAdjudicator(t *testing.T) {
	two := match.Adjudication{ResignScore: 1000, ResignMoves: 3}
	one := match.Adjudication{ResignScore: 1000, ResignMoves: 3, OneSided: true}
	draw := match.Adjudication{DrawScore: 10, DrawMoves: 2}
	late := match.Adjudication{DrawScore: 10, DrawMoves: 2, DrawFrom: 5}
	for _, test := range []struct {
		name   string
		rules  match.Adjudication
		scores string // Black's first
		want   string
	}{
		{"off", match.Adjudication{}, "-9999 9999 -9999 9999 0 0 0 0 0 0", "none"},
		{"a score without moves is off", match.Adjudication{ResignScore: 1000, OneSided: true}, "-9999 9999 -9999 9999",
			"none"},

		{"both see Black lost", two, "-1000 1000 -1500 1200 -2000 1000", "white at 6"},
		{"both see White lost", two, "1000 -1000 1500 -1200 2000 -1000", "black at 6"},
		{"the loser agrees last", two, "0 1000 -1000 1000 -1000 1000 -1000", "white at 7"},
		{"the winner agrees last", two, "-1000 0 -1000 1000 -1000 1000 -1000 1000", "white at 8"},
		{"the loser does not agree", two, "-999 1000 -999 1000 -999 1000 -999 1000", "none"},
		{"the winner does not agree", two, "-1000 999 -1000 999 -1000 999 -1000 999", "none"},
		{"a better score starts the loser afresh", two, "-1000 1000 -1000 1000 -999 1000 -1000 1000 -1000 1000 -1000",
			"white at 11"},
		{"a worse score starts the winner afresh", two, "-1000 1000 -1000 1000 -1000 999 -1000 1000 -1000 1000 -1000 1000",
			"white at 12"},
		{"no score starts the loser afresh", two, "-1000 1000 -1000 1000 - 1000 -1000 1000 -1000 1000 -1000", "white at 11"},
		{"no score starts the winner afresh", two, "-1000 1000 -1000 1000 -1000 - -1000 1000 -1000 1000 -1000 1000",
			"white at 12"},
		{"both see themselves winning", two, "2000 2000 2000 2000 2000 2000 2000 2000", "none"},
		{"both see themselves losing", two, "-2000 -2000 -2000 -2000 -2000 -2000 -2000", "none"},
		{"mates count", two, "-999998 999997 -999996 999995 -999994 999993", "white at 6"},

		{"one-sided: Black gives up", one, "-1000 0 -1000 0 -1000", "white at 5"},
		{"one-sided: White gives up", one, "0 -1000 0 -1000 0 -1000", "black at 6"},
		{"one-sided: only the loser is heard", one, "2000 0 2000 0 2000 0 2000 0", "none"},
		{"one-sided: in a row", one, "-1000 0 -1000 0 0 0 -1000 0 -1000 0 -1000", "white at 11"},
		{"one-sided: no score is no row", one, "-1000 0 -1000 0 - 0 -1000 0 -1000 0", "none"},

		{"a lower bound is no loss", one, "≥-1000 0 ≥-2600 0 ≥-2600 0 ≥-2600", "none"},
		{"an upper bound is a loss", one, "≤-1000 0 -1000 0 ≤-2600", "white at 5"},
		{"a higher upper bound is none", one, "≤-999 0 ≤500 0 ≤-999 0 ≤-10", "none"},
		{"bounds of both sides prove it", two, "≤-1000 ≥1000 ≤-1500 1200 -2000 ≥1000", "white at 6"},
		{"an upper bound is no win", two, "-1000 ≤1000 -1500 ≤1200 -2000 ≤1000 -1000 ≤9999", "none"},
		{"no bound is level", draw, "≥10 ≤-10 ≥0 ≤3 ≥0 ≤0", "none"},
		{"a bound ends a level row", draw, "10 -10 ≥0 3 0 0 0", "draw at 7"},

		{"draw", draw, "10 -10 0 3", "draw at 4"},
		{"draw: both sides", draw, "0 50 0 50 0 50 0 50", "none"},
		{"draw: one is out once", draw, "10 -10 11 3 0 0 0", "draw at 7"},
		{"draw: out below", draw, "10 -11 0 -11 0 -10 0 10", "draw at 8"},
		{"draw: no score", draw, "0 - 0 0 0 - 0 0 0 0", "draw at 10"},
		{"draw from a ply", late, "0 0 0 0 0 0 0 0 0 0", "draw at 8"},
		{"draw of exact zeros", match.Adjudication{DrawMoves: 1}, "1 0 0", "draw at 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			testutil.Equal(t, adjudicate(t, test.rules, startSFEN, rooks, strings.Fields(test.scores)), test.want)
		})
	}
}

// TestAdjudicatorCountsFromTheStart: plies count from the move number of the start, as for the ply limit.
func TestAdjudicatorCountsFromTheStart(t *testing.T) {
	rules := match.Adjudication{DrawScore: 10, DrawMoves: 2, DrawFrom: 40}
	start := strings.TrimSuffix(kings, "1") + "39"
	testutil.Equal(t, adjudicate(t, rules, start, kingMoves, strings.Fields("0 0 0 0 0 0")), "draw at 5", "plies 39 to 44")
}

// TestAdjudicatorIsSilentAfterAnEntry: after a king of either side has entered the last three ranks, scores
// never end the game.
func TestAdjudicatorIsSilentAfterAnEntry(t *testing.T) {
	scores := strings.Fields(strings.Repeat("-2000 2000 ", 8))
	for _, test := range []struct {
		name, start, moves string
		want               string
	}{
		{"Black's king on the fourth rank", "k8/9/9/9/3K5/9/9/9/9 b - 1", "6e6d 9a9b 6d6e 9b9a", "white at 1"},
		{"Black's king enters", "k8/9/9/3K5/9/9/9/9/9 b - 1", "6d6c 9a9b 6c6d 9b9a", "none"},
		{"it leaves on its first move", "k8/9/3K5/9/9/9/9/9/9 b - 1", "6c6d 9a9b 6d6e 9b9a 6e6d 9a9b 6d6e 9b9a",
			"white at 1"},
		{"White's king stands there from the start", "9/9/9/9/9/9/k8/9/4K4 b - 1", "5i5h 9g9h 5h5i 9h9g", "none"},
		{"Black's king, White to move", "k8/9/3K5/9/9/9/9/9/9 w - 1", "9a9b 6c6b 9b9a 6b6c", "none"},
		{"White's king enters and leaves", "9/9/9/9/9/k8/9/9/4K4 w - 1", "9f9g 5i5h 9g9f 5h5i", "none"},
		{"White's king on the sixth rank", "9/9/9/9/k8/9/9/9/4K4 w - 1", "9e9f 5i5h 9f9e 5h5i", "black at 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			one := match.Adjudication{ResignScore: 1000, ResignMoves: 1, OneSided: true}
			testutil.Equal(t, adjudicate(t, one, test.start, test.moves, scores), test.want)
			if test.want != "none" {
				return
			}
			level := match.Adjudication{DrawScore: 5000, DrawMoves: 1}
			testutil.Equal(t, adjudicate(t, level, test.start, test.moves, scores), "none", "draw")
		})
	}
}

// TestLawAdjudicator: the adjudicator agrees with wholeList, which applies the rules to the whole list of scores.
func TestLawAdjudicator(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rules := match.Adjudication{
			ResignScore: 100, ResignMoves: rapid.IntRange(0, 3).Draw(rt, "resign"), OneSided: rapid.Bool().Draw(rt, "one-sided"),
			DrawScore: 20, DrawMoves: rapid.IntRange(0, 3).Draw(rt, "draw"), DrawFrom: rapid.IntRange(0, 12).Draw(rt, "from"),
		}
		score := rapid.SampledFrom([]string{"-", "-150", "-100", "-99", "-20", "0", "20", "21", "100", "150"})
		scores := rapid.SliceOfN(score, 1, 40).Draw(rt, "scores")
		want := "none"
		for n := 1; n <= len(scores) && want == "none"; n++ {
			want = wholeList(rules, scores[:n])
		}
		testutil.Equal(rt, adjudicate(t, rules, startSFEN, rooks, scores), want)
	})
}

// wholeList applies the rules to all scores up to the last, Black's first.
func wholeList(a match.Adjudication, scores []string) string {
	holds := func(side, n int, ok func(ply, score int) bool) bool {
		for ply := len(scores); ply > 0 && n > 0; ply-- {
			if ply%2 == side {
				continue // the other side's: Black has the odd plies
			}
			score, err := strconv.Atoi(scores[ply-1])
			if err != nil || !ok(ply, score) {
				return false
			}
			n--
		}
		return n == 0
	}
	losing := func(_, score int) bool { return score <= -a.ResignScore }
	winning := func(_, score int) bool { return score >= a.ResignScore }
	level := func(ply, score int) bool {
		return ply >= a.DrawFrom && score >= -a.DrawScore && score <= a.DrawScore
	}
	const black, white = 0, 1
	resigns := func(loser int) bool {
		return a.ResignMoves > 0 && holds(loser, a.ResignMoves, losing) &&
			(a.OneSided || holds(1-loser, a.ResignMoves, winning))
	}
	mover := (len(scores) - 1) % 2
	names := [2]string{"white", "black"} // by loser
	switch {
	case resigns(mover):
		return fmt.Sprintf("%s at %d", names[mover], len(scores))
	case resigns(1 - mover):
		return fmt.Sprintf("%s at %d", names[1-mover], len(scores))
	case a.DrawMoves > 0 && holds(black, a.DrawMoves, level) && holds(white, a.DrawMoves, level):
		return fmt.Sprintf("draw at %d", len(scores))
	}
	return "none"
}

// TestDrawsAsInFastchess: `--draw SxN@P` with P = 2(movenumber - N) + 1 ends a game at the same ply as fastchess does
// with `-draw movenumber=… movecount=N score=S`, which docs/coming-from.md promises. The rule of fastchess is written
// here as its manual states it: from move movenumber on, if the last N scores of both sides were within S.
func TestDrawsAsInFastchess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count, number := rapid.IntRange(1, 8).Draw(t, "movecount"), rapid.IntRange(1, 40).Draw(t, "movenumber")
		scores := rapid.SliceOfN(rapid.SampledFrom([]int{0, 10, -10, 10, 0, 11, -300}), 120, 120).Draw(t, "scores")
		if rapid.Bool().Draw(t, "level") { // else a game is rarely level for long
			for i := range scores {
				scores[i] %= 11
			}
		}
		want, level := 0, 0
		for ply, score := range scores {
			if level++; score < -10 || score > 10 {
				level = 0
			}
			if want == 0 && ply+1 >= 2*number && level >= 2*count {
				want = ply + 1
			}
		}
		got := 0
		a := arbiter.NewAdjudicator(match.Adjudication{DrawScore: 10, DrawMoves: count, DrawFrom: max(0, 2*(number-count)+1)})
		p, list := testutil.Must(shogi.ParseSFEN(kings))(t), matchtest.Moves(kingMoves)
		for ply, score := range scores {
			if p.Apply(list[ply%len(list)]); a.Move(&p, &kifu.Move{Score: score, HasScore: true}).Over() {
				got = ply + 1
				break
			}
		}
		testutil.Check(t, got == want, "move %d, %d moves: ply %d, fastchess %d", number, count, got, want)
	})
}
