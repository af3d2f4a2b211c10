package report_test

import (
	"math"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/tournament"
	"gogi/report"
)

// played returns the report of a tournament that pairs by results, after a number of pairs. In each pair, player a has
// points(a, b) against player b.
func played(t *testing.T, spec tournament.Spec, seen int, points func(a, b int) float64) *report.Report {
	t.Helper()
	run := report.Run{Name: "cup", Rules: "default", Pairs: spec.Pairs, Tournament: &spec}
	for _, name := range spec.Players {
		run.Players = append(run.Players, report.Player{Name: name})
	}
	g := testutil.Must(report.New(run))(t)
	s := testutil.Must(tournament.New(spec))(t)
	for i := 0; i < len(s.Drawn()) && i < seen; i++ {
		slot := s.Drawn()[i]
		x := points(slot.Players[0], slot.Players[1])
		testutil.OK(t, s.Learn(tournament.Outcome{Pair: slot.Pair, Players: slot.Players, Points: [2]float64{x, 2 - x}}))
		testutil.OK(t, g.Add(pairOf(spec, slot, x)))
	}
	return g.Report()
}

// pairOf returns the rows of a pair in which A has points of 2.
func pairOf(spec tournament.Spec, slot tournament.Slot, points float64) []match.Row {
	a, b := spec.Players[slot.Players[0]], spec.Players[slot.Players[1]]
	var rows []match.Row
	for leg, black := range []string{a, b} {
		r := match.Row{Pair: slot.Pair, Leg: leg, Black: black, White: b, PairA: a, PairB: b, Termination: match.Checkmate,
			MovesHash: uint64(2*slot.Pair + leg), OpeningHash: uint64(slot.Opening)}
		if leg == 1 {
			r.White = a
		}
		own := min(1, max(0, points-float64(1-leg))) // A's points of this game
		r.Points = [2]float64{own, 1 - own}
		if leg == 1 {
			r.Points = [2]float64{1 - own, own}
		}
		switch r.Points[0] {
		case 1:
			r.Outcome = match.BlackWins
		case 0:
			r.Outcome = match.WhiteWins
		default:
			r.Outcome, r.Termination = match.Draw, match.Repetition
		}
		rows = append(rows, r)
	}
	return rows
}

func lower(a, b int) float64 {
	if a < b {
		return 2
	}
	return 0
}

func spec(kind match.DesignKind, x match.Tournament, pairs int, players ...string) tournament.Spec {
	return tournament.Spec{Design: match.Design{Kind: kind, Swap: true, Tournament: x}, Players: players, Pairs: pairs,
		Legs: 2}
}

// TestTournamentIsNoTest: if results decide the pairings, the report has no figure of a fixed length for two players,
// and its claim is about the competition.
func TestTournamentIsNoTest(t *testing.T) {
	swiss := spec(match.DesignSwiss, match.Tournament{MatchPairs: 1}, 4, "a", "b", "c", "d")
	for seen, want := range map[int]string{
		3: "The Swiss is not over: 1 pair left at least.",
		4: "a won the Swiss, which is the result of a competition, and by itself no proof of strength.",
	} {
		r := played(t, swiss, seen, lower)
		v := r.Verdict()
		testutil.Check(t, v.Claim.String() == want && v.Kind == "none" && r.Finished == (seen == 4) &&
			r.Tournament.Left == 4-seen,
			"%d pairs: %+v, finished %v, %d left", seen, v, r.Finished, r.Tournament.Left)
		anytime := 0
		for _, i := range r.Intervals {
			if i.Method == "anytime" {
				anytime++
			} else if i.Lo != nil || i.Hi != nil || !strings.Contains(i.Why.String(), "results decided") {
				t.Errorf("%d pairs: %+v", seen, i)
			}
		}
		for _, test := range r.Tests {
			testutil.Check(t, test.P == nil, "%d pairs: %+v", seen, test)
		}
		testutil.Check(t, r.Elo.Estimate == nil && anytime == 1 && !r.Looks.FixedLength,
			"%d pairs: Elo %+v, %d anytime intervals, fixed length %v", seen, r.Elo, anytime, r.Looks.FixedLength)
	}
	shared := played(t, swiss, 4, func(int, int) float64 { return 1 })
	if got := shared.Verdict().Claim.String(); got != "4 players share the first place of the Swiss." ||
		shared.Tournament.PlaceOf(2) != "1–4" {
		t.Errorf("%s, place %s", got, shared.Tournament.PlaceOf(2))
	}
}

// TestKnockoutReport: a knockout ends with its final, even if the plan has more pairs.
func TestKnockoutReport(t *testing.T) {
	cup := spec(match.DesignKnockout, match.Tournament{MatchPairs: 1, Tiebreaks: 2}, 9, "a", "b", "c", "d")
	r := played(t, cup, 9, lower)
	if !r.Finished || r.Pairs != 3 || r.Planned != 9 || r.UpTo() != "up to " {
		t.Errorf("finished %v after %d of %s%d", r.Finished, r.Pairs, r.UpTo(), r.Planned)
	}
	semi, final := r.Tournament.Rounds[0], r.Tournament.Rounds[1]
	want := tournament.Meeting{A: "a", B: "b", Players: [2]int{0, 1}, Points: [2]float64{2, 0}, Pairs: 1, Winner: "a",
		How: tournament.ByPoints}
	testutil.Check(t, semi.Name.String() == "semifinals" && len(semi.Matches) == 2 && final.Matches[0] == want,
		"%+v", r.Tournament.Rounds)
	s := r.Tournament.Standings[0]
	testutil.Check(t, s.Player == "a" && s.Reached.String() == "winner" && s.Buchholz == nil, "%+v", s)
	begun := played(t, cup, 1, lower)
	m := begun.Tournament.Rounds[1].Matches[0]
	testutil.Check(t, m.A == "a" && m.B == "" && !begun.Finished, "%+v", m)
}

// TestAdaptiveReport: the ratings are relative to the anchor, and the standings follow them.
func TestAdaptiveReport(t *testing.T) {
	ladder := spec(match.DesignAdaptive, match.Tournament{Block: 4}, 40, "a", "b", "c")
	ladder.Anchor = "b"
	r := played(t, ladder, 40, func(a, b int) float64 { return 1 + lower(a, b)/4 }) // 1.5 or 1
	ratings := r.Tournament.Ratings
	if len(ratings) != 3 || ratings[0].Player != "a" || r.Tournament.Standings[0].Player != "a" ||
		r.Tournament.Standings[0].Place != 1 {
		t.Fatalf("%+v, %+v", ratings, r.Tournament.Standings)
	}
	for i, x := range ratings {
		switch {
		case x.Player == "b" && (x.Elo != 0 || x.Within != 0):
			t.Errorf("the anchor: %+v", x)
		case x.Player != "b" && !(x.Within > 0 && math.Abs(x.Elo) < 400):
			t.Errorf("%+v", x)
		case i < 2 && (x.Above == nil || *x.Above < 0.5), i == 2 && x.Above != nil:
			t.Errorf("above the next: %+v", x)
		}
	}
	claim := r.Verdict().Claim.String()
	testutil.Check(t, strings.HasPrefix(claim, "a is rated highest."), "%v", claim)
}

// TestTournamentAstray: a pair that does not follow from the results ends the tournament table, but not the report.
func TestTournamentAstray(t *testing.T) {
	swiss := spec(match.DesignSwiss, match.Tournament{MatchPairs: 1}, 4, "a", "b", "c", "d")
	run := report.Run{Name: "cup", Pairs: 4, Tournament: &swiss,
		Players: []report.Player{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}}
	g := testutil.Must(report.New(run))(t)
	testutil.OK(t, g.Add(pairOf(swiss, tournament.Slot{Pair: 0, Players: [2]int{0, 1}}, 2)))
	r := g.Report()
	if r.Games != 2 || r.Finished ||
		!strings.Contains(r.Verdict().Claim.String(), "The Swiss cannot be followed: tournament: pair 0 is of a and b") {
		t.Errorf("%d games, finished %v: %+v", r.Games, r.Finished, r.Verdict())
	}
}
