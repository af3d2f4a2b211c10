package text

import (
	"bytes"
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/tournament"
	"gogi/report"
	"gogi/results"
)

// TestMatchLines: how a match of a tournament is put, by how it was won.
func TestMatchLines(t *testing.T) {
	t.Parallel()
	for want, m := range map[string]report.Meeting{
		"a has a bye":            {A: "a", Points: [2]float64{2, 0}, Bye: true},
		"a against ?":            {A: "a"},
		"a 1.5–0.5 b":            {A: "a", B: "b", Points: [2]float64{1.5, 0.5}, Pairs: 1},
		"a 3.0–1.0 b  (2 pairs)": {A: "a", B: "b", Points: [2]float64{3, 1}, Pairs: 2, Winner: "a", How: tournament.ByPoints},
		"a 1.0–3.0 b  (2 pairs)  b by a tie-break":              {A: "a", B: "b", Points: [2]float64{1, 3}, Pairs: 2, Winner: "b", How: tournament.ByTiebreak},
		"a 1.0–1.0 b  a as the better seed: no pair decided it": {A: "a", B: "b", Points: [2]float64{1, 1}, Pairs: 1, Winner: "a", How: tournament.BySeed},
	} {
		testutil.Equal(t, Match(m).String(), want)
	}
}

// TestTournamentForms: a terminal and a pull request have the standings, and no figures of the first two
// players, who may not have met.
func TestTournamentForms(t *testing.T) {
	t.Parallel()
	half := 0.5
	rep := &report.Report{
		Run: "cup", Finished: true, Games: 2, Pairs: 1, Planned: 9, A: "a", B: "b", Players: []report.Player{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Tournament: &report.Tournament{
			Design: match.DesignKnockout, Over: true,
			Rounds:    []report.Round{{Name: i18n.Of("final"), Matches: []report.Meeting{{A: "a", B: "c", Points: [2]float64{2, 0}, Pairs: 1, Winner: "a", How: tournament.ByPoints}}}},
			Standings: []report.Standing{{Place: 1, Player: "a", Start: 1, Pairs: 1, Points: 2, Reached: i18n.Of("winner")}, {Place: 2, Player: "c", Start: 3, Pairs: 1, Reached: i18n.Of("final")}},
		},
	}
	var screen, block bytes.Buffer
	Print(&screen, rep, i18n.English)
	testutil.OK(t, Block(&block, rep, report.About{Plan: &match.CanonicalPlan{}, RunInfo: &results.RunInfo{Engines: make([]results.Engine, 3), Digest: strings.Repeat("0", 64)}}, i18n.English))
	for out, wants := range map[string][]string{
		screen.String(): {"a won the knockout", "final\n  a 2.0–0.0 c", "winner"},
		block.String():  {"place   1 | a | 2.0 points | 1 pair | winner", "place   2 | c | 0.0 points | 1 pair | final"},
	} {
		for _, want := range wants {
			testutil.Contains(t, out, want, "no")
		}
		if strings.Contains(out, "a against b") {
			t.Errorf("a and b never met:\n%s", out)
		}
	}
	rep.Tournament = &report.Tournament{
		Design: match.DesignAdaptive, Anchor: "c", Spread: 50, Over: true,
		Ratings: []report.Rated{{Player: "a", Pairs: 1, Elo: 12.34, Within: 5, Above: &half}, {Player: "c", Pairs: 1}},
	}
	screen.Reset()
	Print(&screen, rep, i18n.English)
	for _, want := range []string{"+12.3", "50.0%", "Elo from c, by Bradley–Terry with a prior of 50 Elo", "They are no 95% intervals"} {
		testutil.Contains(t, screen.String(), want, "no")
	}
}
