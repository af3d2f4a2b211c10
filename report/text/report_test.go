package text

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/match/tournament"
	"gogi/report"
	"gogi/stats"
)

// gather returns the report of a run, which may have an SPRT.
func gather(t *testing.T, o matchtest.Run, gate report.Registration, starts ...report.Start) *report.Report {
	t.Helper()
	run := report.Run{Name: "run", Rules: "default", Pairs: max(o.Planned, len(o.Pairs)), Gate: gate, Starts: starts}
	for _, name := range o.Players {
		run.Players = append(run.Players, report.Player{Name: name, Identity: "by hand", Limits: "nodes 10"})
	}
	g := testutil.Must(report.New(run))(t)
	for _, rows := range o.Rows() {
		testutil.OK(t, g.Add(rows))
	}
	return g.Report()
}

// TestPrint compares a whole printed report. Six pairs, all won, have p = 2·2⁻⁶. The lower end of the score's interval
// is 0.025^(1/6) = 54.1 %, +28.4 Elo. For twelve wins of twelve it is 0.025^(1/12) = 73.5 %, +177.5 Elo.
func TestPrint(t *testing.T) {
	var b bytes.Buffer
	Print(&b, gather(t, matchtest.Run{Players: []string{"x", "先手番"}, Pairs: slices.Repeat([]string{"WW"}, 6)},
		report.Registration{}), i18n.English)
	want := testutil.Must(os.ReadFile(filepath.Join("testdata", "report.txt")))(t)
	testutil.Equal(t, b.String(), string(want))
}

// TestFormsAgree: the terminal, the SPRT verdict and its Markdown show the same end of a run, with a slow machine in
// the first line. If an SPRT stopped the run, none of them has a figure for a fixed length.
func TestFormsAgree(t *testing.T) {
	o := matchtest.Run{Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WW"}, 60), Repeat: 2, Slowed: 59}
	late := report.Registration{Pairs: 60,
		Design: stats.SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}}
	r := gather(t, o, late, report.Start{Late: true, Changes: []match.Difference{{Path: []string{"pairs"}}}})
	var terminal, verdict bytes.Buffer
	Print(&terminal, r, i18n.English)
	v := r.GateVerdict(late)
	Verdict(&verdict, v, i18n.English)
	passed := *v
	passed.Why = nil
	for _, markdown := range []string{Markdown(v, i18n.English), Markdown(&passed, i18n.English)} {
		testutil.Check(t, !strings.Contains(markdown, "\n\n\n") && strings.Contains(markdown, "\n\n| | |"),
			"the table does not stand after one empty line:\n%s", markdown)
	}
	for name, text := range map[string]string{
		"terminal": terminal.String(), "verdict": verdict.String(), "Markdown": Markdown(v, i18n.English),
	} {
		first, _, _ := strings.Cut(text, "\n")
		testutil.Contains(t, first, "the machine slowed 59 of 60 pairs", "%s: the first line", name)
		for _, want := range append(i18n.Each(i18n.English, r.Looks.Remarks), "nconclusive", "corrected for early stopping",
			"at any time") {
			testutil.Check(t, strings.Contains(strings.ReplaceAll(text, "INC", "Inc"), want) ||
				strings.Contains(strings.ToLower(text), want),
				"%s: no word of %q in\n%s", name, want, text)
		}
		for _, no := range []string{"p = ", "Clopper", "binomial"} {
			testutil.Check(t, !strings.Contains(text, no), "%s: a stopped run has %q", name, no)
		}
	}
	testutil.Equal(t, len(r.Looks.Remarks), 3, "%q", r.Looks.Remarks)
}

// TestJudgedLine: without a decision, the pairs that the SPRT does not use are those after an unplayed pair. With a
// decision, they are those after it.
func TestJudgedLine(t *testing.T) {
	for decision, want := range map[stats.Decision]string{
		stats.Continue: "2 judged, 3 after an unplayed pair; ", stats.Pass: "2 judged, 3 after the decision; ",
	} {
		testutil.Contains(t, judgedLine(&report.Gate{Decision: decision, Pairs: 2, Beyond: 3}, stats.Pentanomial{}).String(),
			want, "")
	}
}

// TestSummary: the default report has the figures of [TestPrint], whose comment derives them. It has at most 20 lines
// of at most 110 columns.
func TestSummary(t *testing.T) {
	var b bytes.Buffer
	Summary(&b, gather(t, matchtest.Run{Players: []string{"x", "先手番"}, Pairs: slices.Repeat([]string{"WW"}, 6)},
		report.Registration{}), i18n.English, "my games.db")
	for _, want := range []string{
		"run · x against 先手番 · 12 games (6 pairs) · finished\n\n  x is stronger than 先手番",
		"\n  Score   100.0%   12 wins, 0 draws, 0 losses\n",
		"\n  Wins    100.0% of decisive games   [73.5%, 100.0%]  exact binomial (Clopper-Pearson), 12 of 12\n",
		"\n  Elo     +∞   [+28.4, +∞]   95% confidence interval\n",
		"\n  Test    p = 0.031 two-sided, exact test over 6 pairs\n",
		"\n  Pairs   LL 0 · LD 0 · WL 0 · DD 0 · WD 0 · WW 6   6 pairs from 6 openings",
		"Black scored 50.0%\n",
		"\n  Faults  none\n",
		"\nMore: gogi report run --db 'my games.db' -v | --html FILE | --json      gogi games run --db 'my games.db'\n",
	} {
		testutil.Contains(t, b.String(), want, "")
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	testutil.Check(t, len(lines) <= 20, "the summary has %d lines", len(lines))
	for _, line := range lines {
		n := format.Width(line)
		testutil.Check(t, n <= 110, "%d columns: %s", n, line)
	}
}

// TestSummaryOfAnSPRT: after an SPRT stopped the run, the summary has no figure that holds only for a fixed length. It
// has one line for each warning of the verbose report.
func TestSummaryOfAnSPRT(t *testing.T) {
	o := matchtest.Run{Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WW"}, 60), Repeat: 2, Slowed: 59}
	gate := report.Registration{Pairs: 60,
		Design: stats.SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}}
	late := report.Start{Late: true, Changes: []match.Difference{{Path: []string{"pairs"}}}}
	r := gather(t, o, gate, late)
	var b bytes.Buffer
	Summary(&b, r, i18n.English, defaultDB)
	title, _, _ := strings.Cut(b.String(), "\n")
	testutil.Contains(t, title, "stopped by the SPRT · the machine slowed 59 of 60 pairs", "the title")
	for _, no := range []string{"p = ", "Clopper", "decisive"} {
		testutil.Check(t, !strings.Contains(b.String(), no), "a stopped run has %q:\n%s", no, b.String())
	}
	for _, want := range []string{
		"(biased by the early stop)", "\n  LLR     ", "elo0 0, elo1 100, alpha 0.05, beta 0.1, logistic;",
		"corrected for early stopping",
		"\n  ! the gate was written down or changed after the first game",
		"\n  ! 59 of 60 pairs contain a move that the machine delayed.",
	} {
		testutil.Contains(t, b.String(), want, "")
	}
	for _, no := range []string{"! stopped by", "! target changed"} {
		testutil.Check(t, !strings.Contains(b.String(), no), "a fact that changes no verdict is printed as a warning: %s", no)
	}
}

func TestPrintWorkers(t *testing.T) {
	t.Parallel()
	f := func(v float64) *float64 { return &v }
	r := view{in: i18n.English, Report: &report.Report{Workers: []report.Worker{
		{Name: "attic\x1b[2J", Pairs: 4100, Share: 0.2, Score: f(0.452), Difference: f(-0.051),
			Bounds: report.Bounds{Lo: f(-0.062), Hi: f(-0.04)}, TimeLosses: 3, Crashes: 1, Slowed: 20, Log10E: f(8.24),
			StandsOut: "results"},
		{Name: "", Pairs: 1, Share: 0.001, Score: f(1)},
	}}}
	var b strings.Builder
	r.printWorkers(&b)
	t.Log("\n" + b.String())
	for _, want := range []string{"4,100", "-5.1 [-6.2, -4.0]", "10^8.2 !", "(this process)",
		"attic differs from the others by its results; gogi db void"} {
		testutil.Contains(t, b.String(), want, "lacks")
	}
	testutil.Check(t, !strings.Contains(b.String(), "\x1b"), "a worker's name reaches the terminal as it is")
	for i := range 20 {
		r.Workers = append(r.Workers, report.Worker{Name: fmt.Sprint("w", i), Pairs: 1})
	}
	b.Reset()
	r.printWorkers(&b)
	testutil.Check(t, strings.Contains(b.String(), "and 10 more workers, see --json") &&
		!strings.Contains(b.String(), "w10"),
		"many:\n%s", b.String())
	b.Reset()
	view{&report.Report{}, i18n.English}.printWorkers(&b)
	testutil.Check(t, b.Len() == 0, "no farm: %q", b.String())
}

// TestMatchLines: the text of a tournament's match shows its score and how it was won.
func TestMatchLines(t *testing.T) {
	t.Parallel()
	for want, m := range map[string]tournament.Meeting{
		"a has a bye":            {A: "a", Points: [2]float64{2, 0}, Bye: true},
		"a against ?":            {A: "a"},
		"a 1.5–0.5 b":            {A: "a", B: "b", Points: [2]float64{1.5, 0.5}, Pairs: 1},
		"a 3.0–1.0 b  (2 pairs)": {A: "a", B: "b", Points: [2]float64{3, 1}, Pairs: 2, Winner: "a", How: tournament.ByPoints},
		"a 1.0–3.0 b  (2 pairs)  b by a tie-break": {A: "a", B: "b", Points: [2]float64{1, 3}, Pairs: 2,
			Winner: "b", How: tournament.ByTiebreak},
		"a 1.0–1.0 b  a as the better seed: no pair decided it": {A: "a", B: "b", Points: [2]float64{1, 1}, Pairs: 1,
			Winner: "a", How: tournament.BySeed},
	} {
		testutil.Equal(t, Match(m).String(), want)
	}
}

// TestTournamentForms: the terminal shows the standings. It has no figures of the first two players against each other,
// because they may not have met.
func TestTournamentForms(t *testing.T) {
	t.Parallel()
	half := 0.5
	rep := &report.Report{
		Run: "cup", Finished: true, Games: 2, Pairs: 1, Planned: 9, A: "a", B: "b",
		Players: []report.Player{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Tournament: &report.Tournament{
			Design: match.DesignKnockout, Over: true,
			Rounds: []tournament.Round{{Name: i18n.Of("final"),
				Matches: []tournament.Meeting{{A: "a", B: "c", Points: [2]float64{2, 0}, Pairs: 1, Winner: "a",
					How: tournament.ByPoints}}}},
			Standings: []tournament.Standing{{Place: 1, Player: "a", Start: 1, Pairs: 1, Points: 2, Reached: i18n.Of("winner")},
				{Place: 2, Player: "c", Start: 3, Pairs: 1, Reached: i18n.Of("final")}},
		},
	}
	var screen bytes.Buffer
	Print(&screen, rep, i18n.English)
	for _, want := range []string{"a won the knockout", "final\n  a 2.0–0.0 c", "winner"} {
		testutil.Contains(t, screen.String(), want, "no")
	}
	testutil.Check(t, !strings.Contains(screen.String(), "a against b"), "a and b never met:\n%s", screen.String())
	rep.Tournament = &report.Tournament{
		Design: match.DesignAdaptive, Anchor: "c", Spread: 50, Over: true,
		Ratings: []report.Rated{{Player: "a", Pairs: 1, Elo: 12.34, Within: 5, Above: &half}, {Player: "c", Pairs: 1}},
	}
	screen.Reset()
	Print(&screen, rep, i18n.English)
	for _, want := range []string{"+12.3", "50.0%", "Elo from c, by Bradley–Terry with a prior of 50 Elo",
		"They are no 95% intervals"} {
		testutil.Contains(t, screen.String(), want, "no")
	}
}

// TestSlowedAlone: a run that played one game at a time is not advised to lower --concurrency.
func TestSlowedAlone(t *testing.T) {
	for slot, want := range map[int]string{0: "End other programs, or use --nodes.", 1: "Lower --concurrency."} {
		g := testutil.Must(report.New(report.Run{Name: "run", Pairs: 2,
			Players: []report.Player{{Name: "x"}, {Name: "y"}}}))(t)
		for i, rows := range (matchtest.Run{Players: []string{"x", "y"}, Pairs: []string{"WW", "WW"}, Slowed: 1}).Rows() {
			for k := range rows {
				rows[k].Slot = i * slot
			}
			testutil.OK(t, g.Add(rows))
		}
		var b bytes.Buffer
		Summary(&b, g.Report(), i18n.English, "gogi.db")
		testutil.Contains(t, b.String(), "! 1 of 2 pairs contain a move that the machine delayed. "+want, "slots 0 and %d",
			slot)
	}
}
