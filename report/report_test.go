package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/stats"
)

// reportOf returns the report of a run.
func reportOf(t *testing.T, o matchtest.Run) *Report {
	t.Helper()
	g := testutil.Must(New(runOf(o)))(t)
	for _, rows := range o.Rows() {
		testutil.OK(t, g.Add(rows))
	}
	return g.Report()
}

// gated returns a design that was registered before the games.
func gated(elo0, elo1 float64) Registration {
	return Registration{Registered: true, Pairs: 1000,
		Design: stats.SPRT{Elo0: elo0, Elo1: elo1, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}}
}

func runOf(o matchtest.Run) Run {
	run := Run{Name: "run", Rules: "default", Pairs: max(o.Planned, len(o.Pairs))}
	for _, name := range o.Players {
		run.Players = append(run.Players, Player{Name: name, Identity: "by hand", Limits: "nodes 10"})
	}
	return run
}

// TestVerdict: the report claims a difference only if the exact test over pairs is at most 5 %, and nothing else
// explains the result. For n pairs that are all won twice the test gives 2^(1-n).
func TestVerdict(t *testing.T) {
	two := []string{"x", "y"}
	pairs := func(text string, n int) []string { return slices.Repeat([]string{text}, n) }
	for name, test := range map[string]struct {
		run               matchtest.Run
		kind, claim, with string
	}{
		"p is 1/32": {matchtest.Run{Players: two, Pairs: pairs("WW", 6)}, "shown", "x is stronger than y",
			"p\u00a0=\u00a00.031"},
		"the other one": {matchtest.Run{Players: two, Pairs: pairs("LL", 6)}, "shown", "y is stronger than x", ""},
		"p is 1/16": {matchtest.Run{Players: two, Pairs: pairs("WW", 5)}, "open", "do not show whether x or y",
			"does not prove them equal"},
		"even": {matchtest.Run{Players: two, Pairs: pairs("WL", 50)}, "open", "do not show whether x or y",
			"does not prove them equal"},
		"only draws": {matchtest.Run{Players: two, Pairs: pairs("DD", 50)}, "open", "do not show whether x or y",
			"0 won, 100 drawn, 0 lost"},
		"colour decides": {matchtest.Run{Players: two, Pairs: append(pairs("WL", 90), pairs("WW", 10)...)}, "shown",
			"x is stronger", "p\u00a0=\u00a00.002"},
		"at the edge": {matchtest.Run{Players: two, Pairs: pairs("WD", 6)}, "shown", "x is stronger",
			"differ about an even score"},
		"unfinished": {matchtest.Run{Players: two, Pairs: pairs("WW", 20), Planned: 21}, "none",
			"no verdict yet: 20 of 21 pairs", ""},
		"no swap": {matchtest.Run{Players: two, Pairs: pairs("W", 20)}, "none", "x always had Black", ""},
		"nothing": {matchtest.Run{Players: two, Planned: 3}, "none", "no pair of x against y is finished", ""},
		"five openings ×4": {matchtest.Run{Players: two, Pairs: pairs("WW", 20), Repeat: 4}, "open",
			"do not show whether x or y", "20 pairs from 5 openings; 15 repeat an earlier one move for move"},
		"nearly copies": {matchtest.Run{Players: two, Pairs: pairs("WW", 20), Repeat: 4, Varied: true}, "open",
			"do not show whether x or y", "20 pairs from 5 openings"},
		"ten openings ×2": {matchtest.Run{Players: two, Pairs: pairs("WW", 20), Repeat: 2}, "shown", "x is stronger",
			"exact test over 10 openings"},
		"faults alone": {matchtest.Run{Players: two, Pairs: pairs("LL", 8), Fault: true}, "open",
			"y is ahead of x by faults alone", "16 of 16 games ended by"},
		"faults beside wins": {matchtest.Run{Players: two, Pairs: append(pairs("WW", 9), "LL"), Fault: true}, "shown",
			"x is stronger", "2 of 20 games ended by"},
		"several pairings": {matchtest.Run{Players: []string{"x", "y", "z"}, Pairs: pairs("WW", 18)}, "shown",
			"x is stronger than y", "Only x against y is tested"},
		"half slowed": {matchtest.Run{Players: two, Pairs: pairs("WW", 20), Slowed: 10}, "shown",
			"x is stronger than y under the conditions of this run.", "10 pairs had a move"},
		"mostly slowed": {matchtest.Run{Players: two, Pairs: pairs("WW", 20), Slowed: 11}, "open",
			"x is stronger than y under the conditions of this run, but the machine slowed 11 of 20 pairs", ""},
	} {
		t.Run(name, func(t *testing.T) {
			v := reportOf(t, test.run).Verdict()
			testutil.Check(t, v.Kind == test.kind && strings.Contains(v.Claim.String(), test.claim),
				"%s: %q, want %s: …%s…", v.Kind, v.Claim, test.kind, test.claim)
			testutil.Contains(t, strings.Join(i18n.Each(i18n.English, append(v.Reasons, v.Caveats...)), " "), test.with,
				"no word")
		})
	}
}

// TestSlowedLosses: if the machine delayed a move of a game, a loss on time counts as a fault of the machine, not of an
// engine. A crash always counts as a fault of the engine.
func TestSlowedLosses(t *testing.T) {
	g := testutil.Must(New(Run{Name: "run", Rules: "default", Pairs: 2, Players: []Player{{Name: "x"}, {Name: "y"}}}))(t)
	run := matchtest.Run{Players: []string{"x", "y"}, Pairs: []string{"LL", "LL"}, Slowed: 1}
	for _, rows := range run.Rows() {
		rows[0].Termination, rows[1].Termination = match.TimeForfeit, match.Crash
		testutil.OK(t, g.Add(rows))
	}
	r := g.Report()
	all := strings.Join(i18n.Each(i18n.English, r.Verdict().Caveats), " ")
	if r.SlowedLosses != 1 || !strings.Contains(all, "1 of 4 games were lost on time while the machine slowed them") ||
		!strings.Contains(all, "--slowed void") ||
		!strings.Contains(all, "3 of 4 games ended by an engine's fault") {
		t.Errorf("%d: %s", r.SlowedLosses, all)
	}
}

// TestDuplicates: twenty pairs come from five openings, four from each. The first of the four has two new games, and
// the other three have none. The games of one pair may be equal, too.
func TestDuplicates(t *testing.T) {
	run := matchtest.Run{Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WL"}, 20), Repeat: 4}
	testutil.Equal(t, reportOf(t, run).Duplicates, 30, "of 40 games repeat others")
	run.Repeat = 1
	testutil.Equal(t, reportOf(t, run).Duplicates, 0, "games repeat others, want none")
	g := testutil.Must(New(runOf(run)))(t)
	rows := run.Rows()[0]
	rows[1].MovesHash = rows[0].MovesHash
	if err := g.Add(rows); err != nil || g.Report().Duplicates != 1 {
		t.Errorf("%d of two equal games, %v", g.Report().Duplicates, err)
	}
}

// TestReportsInBetween: a caller may request a report after any pair, and more than once, without a change of later
// reports.
func TestReportsInBetween(t *testing.T) {
	o := matchtest.Run{Players: []string{"x", "y", "z"}, Pairs: []string{"WW", "WD", "LL", "WL", "DD", "LL", "WW"},
		Repeat: 2, Fault: true}
	run := runOf(o)
	run.Gate = gated(0, 50)
	g := testutil.Must(New(run))(t)
	for i, rows := range o.Rows() {
		testutil.OK(t, g.Add(rows))
		once, again := asJSON(t, g.Report()), asJSON(t, g.Report())
		o := o
		o.Pairs, o.Planned = o.Pairs[:i+1], len(o.Pairs)
		fresh := run
		alone := testutil.Must(New(fresh))(t)
		for _, rows := range o.Rows() {
			testutil.OK(t, alone.Add(rows))
		}
		if want := asJSON(t, alone.Report()); once != again || once != want {
			t.Fatalf("after pair %d: %s, asked again %s, by a report that was asked once %s", i, once, again, want)
		}
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text := testutil.Must(json.Marshal(v))(t)
	return string(text)
}

// TestRunWithoutPlayers: New returns an error for a run without two players.
func TestRunWithoutPlayers(t *testing.T) {
	testutil.Fails(t, testutil.Err(New(Run{Name: "r", Players: []Player{{Name: "x"}}})), `run "r" has 1 players`)
}

// TestWorstOverrun: the worst overrun of a player is the largest of its games, whichever game has it.
func TestWorstOverrun(t *testing.T) {
	for at := range 4 {
		o := matchtest.Run{Players: []string{"x", "y"}, Pairs: []string{"WL", "LW"}}
		g := testutil.Must(New(runOf(o)))(t)
		for pair, rows := range o.Rows() {
			for leg := range rows {
				for colour := range rows[leg].Sides {
					rows[leg].Sides[colour].WorstOverrun = time.Millisecond
					if 2*pair+leg == at {
						rows[leg].Sides[colour].WorstOverrun = 70 * time.Millisecond
					}
				}
			}
			testutil.OK(t, g.Add(rows))
		}
		for _, p := range g.Report().Players {
			testutil.Equal(t, p.WorstOverrunMS, 70., "game %d has it, player %s", at, p.Name)
		}
	}
}
