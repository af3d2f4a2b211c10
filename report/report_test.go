package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gogi/internal/fakerun"
	"gogi/internal/phrases"
	"gogi/match"
)

// reportOf is the report of a run.
func reportOf(t *testing.T, o fakerun.Run) *Report {
	t.Helper()
	g, err := New(runOf(o))
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range o.Rows() {
		if err := g.Add(rows); err != nil {
			t.Fatal(err)
		}
	}
	return g.Report()
}

// gated is a design that was written down beforehand.
func gated(elo0, elo1 float64) Registration {
	return Registration{Registered: true, Pairs: 1000, Design: match.Gate{Elo0: elo0, Elo1: elo1, Alpha: 0.05, Beta: 0.1, Model: match.GateLogistic}}
}

func runOf(o fakerun.Run) Run {
	run := Run{Name: "run", Rules: "default", Pairs: max(o.Planned, len(o.Pairs))}
	for _, name := range o.Players {
		run.Players = append(run.Players, Player{Name: name, Identity: "by hand", Limits: "nodes 10"})
	}
	return run
}

// TestVerdict: a claim only where the exact test over pairs, which for n pairs
// that are all won twice gives 2^(1-n), is at most 5 %, and nothing else explains
// the result.
func TestVerdict(t *testing.T) {
	two := []string{"x", "y"}
	pairs := func(text string, n int) []string { return slices.Repeat([]string{text}, n) }
	for name, test := range map[string]struct {
		run               fakerun.Run
		kind, claim, with string
	}{
		"p is 1/32":          {fakerun.Run{Players: two, Pairs: pairs("WW", 6)}, "shown", "x is stronger than y", "p\u00a0=\u00a00.031"},
		"the other one":      {fakerun.Run{Players: two, Pairs: pairs("LL", 6)}, "shown", "y is stronger than x", ""},
		"p is 1/16":          {fakerun.Run{Players: two, Pairs: pairs("WW", 5)}, "open", "do not show whether x or y", "does not prove them equal"},
		"even":               {fakerun.Run{Players: two, Pairs: pairs("WL", 50)}, "open", "do not show whether x or y", "does not prove them equal"},
		"only draws":         {fakerun.Run{Players: two, Pairs: pairs("DD", 50)}, "open", "do not show whether x or y", "0 won, 100 drawn, 0 lost"},
		"colour decides":     {fakerun.Run{Players: two, Pairs: append(pairs("WL", 90), pairs("WW", 10)...)}, "shown", "x is stronger", "p\u00a0=\u00a00.002"},
		"at the edge":        {fakerun.Run{Players: two, Pairs: pairs("WD", 6)}, "shown", "x is stronger", "differ about an even score"},
		"unfinished":         {fakerun.Run{Players: two, Pairs: pairs("WW", 20), Planned: 21}, "none", "no verdict yet: 20 of 21 pairs", ""},
		"no swap":            {fakerun.Run{Players: two, Pairs: pairs("W", 20)}, "none", "x always had Black", ""},
		"nothing":            {fakerun.Run{Players: two, Planned: 3}, "none", "no pair of x against y is finished", ""},
		"five openings ×4":   {fakerun.Run{Players: two, Pairs: pairs("WW", 20), Repeat: 4}, "open", "do not show whether x or y", "20 pairs from 5 openings; 15 repeat an earlier one move for move"},
		"nearly copies":      {fakerun.Run{Players: two, Pairs: pairs("WW", 20), Repeat: 4, Varied: true}, "open", "do not show whether x or y", "20 pairs from 5 openings"},
		"ten openings ×2":    {fakerun.Run{Players: two, Pairs: pairs("WW", 20), Repeat: 2}, "shown", "x is stronger", "exact test over 10 openings"},
		"faults alone":       {fakerun.Run{Players: two, Pairs: pairs("LL", 8), Fault: true}, "open", "y is ahead of x by faults alone", "16 of 16 games ended by"},
		"faults beside wins": {fakerun.Run{Players: two, Pairs: append(pairs("WW", 9), "LL"), Fault: true}, "shown", "x is stronger", "2 of 20 games ended by"},
		"several pairings":   {fakerun.Run{Players: []string{"x", "y", "z"}, Pairs: pairs("WW", 18)}, "shown", "x is stronger than y", "Only x against y is judged"},
		"half slowed":        {fakerun.Run{Players: two, Pairs: pairs("WW", 20), Slowed: 10}, "shown", "x is stronger than y under the conditions of this run.", "10 pairs had a move"},
		"mostly slowed":      {fakerun.Run{Players: two, Pairs: pairs("WW", 20), Slowed: 11}, "open", "x is stronger than y under the conditions of this run, but the machine slowed 11 of 20 pairs", ""},
	} {
		t.Run(name, func(t *testing.T) {
			v := reportOf(t, test.run).Verdict()
			if v.Kind != test.kind || !strings.Contains(v.Claim.String(), test.claim) {
				t.Errorf("%s: %q, want %s: …%s…", v.Kind, v.Claim, test.kind, test.claim)
			}
			if all := strings.Join(phrases.Each(phrases.English, append(v.Reasons, v.Caveats...)), " "); !strings.Contains(all, test.with) {
				t.Errorf("no word of %q in %q", test.with, all)
			}
		})
	}
}

// A game that was lost on time while the machine slowed it is blamed on the machine, and not
// on an engine; one that a crash ended is an engine's wherever it was played.
func TestSlowedLosses(t *testing.T) {
	g, err := New(Run{Name: "run", Rules: "default", Pairs: 2, Players: []Player{{Name: "x"}, {Name: "y"}}})
	if err != nil {
		t.Fatal(err)
	}
	run := fakerun.Run{Players: []string{"x", "y"}, Pairs: []string{"LL", "LL"}, Slowed: 1}
	for _, rows := range run.Rows() {
		rows[0].Termination, rows[1].Termination = match.TimeForfeit, match.Crash
		if err := g.Add(rows); err != nil {
			t.Fatal(err)
		}
	}
	r := g.Report()
	all := strings.Join(phrases.Each(phrases.English, r.Verdict().Caveats), " ")
	if r.SlowedLosses != 1 || !strings.Contains(all, "1 of 4 games were lost on time while the machine slowed them") || !strings.Contains(all, "--slowed void") ||
		!strings.Contains(all, "3 of 4 games ended by an engine's fault") {
		t.Errorf("%d: %s", r.SlowedLosses, all)
	}
}

// TestDuplicates: of twenty pairs from five openings, four of each, the first of the four
// brings two new games and the other three none. The games of one pair may be alike, too.
func TestDuplicates(t *testing.T) {
	run := fakerun.Run{Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WL"}, 20), Repeat: 4}
	if got := reportOf(t, run).Duplicates; got != 30 {
		t.Errorf("%d of 40 games repeat others, want 30", got)
	}
	run.Repeat = 1
	if got := reportOf(t, run).Duplicates; got != 0 {
		t.Errorf("%d games repeat others, want none", got)
	}
	g, err := New(runOf(run))
	if err != nil {
		t.Fatal(err)
	}
	rows := run.Rows()[0]
	rows[1].MovesHash = rows[0].MovesHash
	if err := g.Add(rows); err != nil || g.Report().Duplicates != 1 {
		t.Errorf("%d of two equal games, %v", g.Report().Duplicates, err)
	}
}

// TestReportsInBetween: a report may be asked for after any pair, and more than once,
// without changing a later one.
func TestReportsInBetween(t *testing.T) {
	o := fakerun.Run{Players: []string{"x", "y", "z"}, Pairs: []string{"WW", "WD", "LL", "WL", "DD", "LL", "WW"}, Repeat: 2, Fault: true}
	run := runOf(o)
	run.Gate = gated(0, 50)
	g, err := New(run)
	if err != nil {
		t.Fatal(err)
	}
	for i, rows := range o.Rows() {
		if err := g.Add(rows); err != nil {
			t.Fatal(err)
		}
		once, again := asJSON(t, g.Report()), asJSON(t, g.Report())
		o := o
		o.Pairs, o.Planned = o.Pairs[:i+1], len(o.Pairs)
		fresh := run
		alone, err := New(fresh)
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range o.Rows() {
			if err := alone.Add(rows); err != nil {
				t.Fatal(err)
			}
		}
		if want := asJSON(t, alone.Report()); once != again || once != want {
			t.Fatalf("after pair %d: %s, asked again %s, by a report that was asked once %s", i, once, again, want)
		}
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A run without two players has no report, and says so.
func TestRunWithoutPlayers(t *testing.T) {
	if _, err := New(Run{Name: "r", Players: []Player{{Name: "x"}}}); err == nil || !strings.Contains(err.Error(), `run "r" has 1 players`) {
		t.Errorf("%v", err)
	}
}
