package match_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
)

func over(leg int, black, white, outcome, termination string, points [2]float64) match.EndedGame {
	return match.EndedGame{Leg: leg, GameEnd: match.GameEnd{match.GameView{black, white, outcome, termination}, points}}
}

// TestStandings counts four pairs by hand, in any order.
func TestStandings(t *testing.T) {
	won, lost, repeated := [2]float64{1, 0}, [2]float64{0, 1}, [2]float64{.4, .6}
	pairs := [][]match.EndedGame{
		{over(0, "a", "b", "black", "resignation", won), over(1, "b", "a", "white", "time_forfeit", lost)},
		{over(0, "a", "b", "black", "resignation", won), over(1, "b", "a", "black", "resignation", won)},
		{over(0, "a", "b", "draw", "repetition", repeated), over(1, "b", "a", "draw", "repetition", repeated)},
		{over(1, "b", "a", "draw", "repetition", repeated)}, // its first game is missing
	}
	want := match.Standings{
		Games: []match.GameCount{
			{match.GameEnd{match.GameView{"a", "b", "black", "resignation"}, won}, 2},
			{match.GameEnd{match.GameView{"a", "b", "draw", "repetition"}, repeated}, 1},
			{match.GameEnd{match.GameView{"b", "a", "black", "resignation"}, won}, 1},
			{match.GameEnd{match.GameView{"b", "a", "draw", "repetition"}, repeated}, 2},
			{match.GameEnd{match.GameView{"b", "a", "white", "time_forfeit"}, lost}, 1},
		},
		Pairs: []match.PairCount{{"a", "b", [2]float64{1, 1}, 2}, {"a", "b", [2]float64{2, 0}, 1}},
	}
	for range 20 {
		rand.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		var s match.Standings
		for _, p := range pairs {
			s.Add(p)
		}
		testutil.Diff(t, want, s)
		testutil.Equal(t, s.Total(), 7, "games")
		black, white := match.Record{Wins: 2, Draws: 1, Points: 2.4}, match.Record{Wins: 1, Draws: 2, Losses: 1, Points: 2.2}
		testutil.Equal(t, s.Of("a"), [2]match.Record{black, white}, "a")
		got := black.Plus(white)
		testutil.Check(t, got.Wins == 3 && got.Draws == 3 && got.Losses == 1, "together %+v", got)
	}
}

// TestRate: Rate uses only time stamps. It covers the last ten minutes, or the time since the beginning if that is
// shorter.
func TestRate(t *testing.T) {
	began := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	s := match.Snapshot{Began: began, Latest: began}
	if _, _, ok := s.Rate(); ok {
		t.Error("a rate of no time")
	}
	s.Latest = began.Add(2 * time.Minute)
	s.Recent = []match.RateSample{{From: began, Games: 6, Pairs: 3}, {From: began.Add(time.Minute), Games: 2, Pairs: 1}}
	if games, pairs, ok := s.Rate(); !ok || games != 4 || pairs != 2 {
		t.Errorf("%v games and %v pairs a minute, %v", games, pairs, ok)
	}
	// An hour later the same numbers cover the last 9:50 and the 5 s of the current interval.
	s.Latest = began.Add(time.Hour + 5*time.Second)
	minutes := (9*time.Minute + 55*time.Second).Minutes()
	if games, _, _ := s.Rate(); games != 8/minutes {
		t.Errorf("%v games a minute", games)
	}
}

func TestRunEvent(t *testing.T) {
	blitz := match.TimeControl{Main: 5 * time.Second}
	plan := &match.Plan{
		Players: []match.Player{{Name: "a", Limits: match.Limits{Nodes: 100}},
			{Name: "b", Limits: match.Limits{Depth: 3}}},
		ColourClocks: [2]*match.TimeControl{nil, &blitz}, Rules: match.Rules{Name: "wcsc"}, Pairs: 3, Concurrency: 7,
		Design: match.Design{Kind: match.DesignMatch, Swap: true},
	}
	stored := &match.Standings{}
	e := match.RunEvent(plan, 1, stored)
	testutil.Diff(t, []string{"black nodes 100; white 5+0, nodes 100", "black depth 3; white 5+0, depth 3"}, e.Limits)
	if e.Digest != plan.Digest() || e.Rules != "wcsc" || e.Slots != 7 || e.Pairs != 3 || e.Games != 6 ||
		*e.Finished != 1 || e.Standings != nil {
		t.Errorf("%+v", e)
	}
	stored.Add([]match.EndedGame{over(0, "a", "b", "draw", "repetition", [2]float64{.5, .5})})
	if e := match.RunEvent(plan, 1, stored); e.Standings != stored {
		t.Error("what is stored is not told")
	}
}
