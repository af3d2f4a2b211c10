package text

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/fakerun"
	"gogi/internal/phrases"
	"gogi/match"
	"gogi/report"
)

// gather is the report of a run, which may have a gate.
func gather(t *testing.T, o fakerun.Run, gate report.Registration, starts ...report.Start) *report.Report {
	t.Helper()
	run := report.Run{Name: "run", Rules: "default", Pairs: max(o.Planned, len(o.Pairs)), Gate: gate, Starts: starts}
	for _, name := range o.Players {
		run.Players = append(run.Players, report.Player{Name: name, Identity: "by hand", Limits: "nodes 10"})
	}
	g, err := report.New(run)
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

// TestPrint: a whole report as a person reads it. Six pairs, all won, have p = 2·2⁻⁶; the
// interval of the score has its lower end at 0.025^(1/6) = 54.1 %, +28.4 Elo, and
// that of twelve wins of twelve at 0.025^(1/12) = 73.5 %, +177.5 Elo.
func TestPrint(t *testing.T) {
	var b bytes.Buffer
	Print(&b, gather(t, fakerun.Run{Players: []string{"x", "先手番"}, Pairs: slices.Repeat([]string{"WW"}, 6)}, report.Registration{}), phrases.English)
	want, err := os.ReadFile(filepath.Join("testdata", "report.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("%s", b.String())
	}
}

// aboutRun is what is known of a run of these players beside its games.
func aboutRun(players ...string) report.About {
	a := report.About{Digest: "abcdef", Rules: "default", Created: time.Unix(0, 0), Plan: &match.CanonicalPlan{Design: "match", Swap: true}}
	for range players {
		a.Engines = append(a.Engines, report.Engine{})
	}
	return a
}

// TestFormsAgree: what became of a run stands in the terminal, in the block of a pull request,
// in the gate's verdict and in its Markdown alike, a slow machine in the first line;
// and none of them has a figure for a fixed length where a test stopped the run.
func TestFormsAgree(t *testing.T) {
	o := fakerun.Run{Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WW"}, 60), Repeat: 2, Slowed: 59}
	late := report.Registration{Pairs: 60, Design: match.Gate{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.1, Model: match.GateLogistic}}
	r := gather(t, o, late, report.Start{Late: true, Changes: []match.Difference{{Path: []string{"pairs"}}}})
	var terminal, block, verdict bytes.Buffer
	Print(&terminal, r, phrases.English)
	if err := Block(&block, r, aboutRun("x", "y"), phrases.English); err != nil {
		t.Fatal(err)
	}
	v := r.GateVerdict(late)
	Verdict(&verdict, v, phrases.English)
	passed := *v
	passed.Why = nil
	for _, markdown := range []string{Markdown(v, phrases.English), Markdown(&passed, phrases.English)} {
		if strings.Contains(markdown, "\n\n\n") || !strings.Contains(markdown, "\n\n| | |") {
			t.Errorf("the table does not stand after one empty line:\n%s", markdown)
		}
	}
	for name, text := range map[string]string{
		"terminal": terminal.String(), "block": strings.TrimPrefix(block.String(), "```\n"), "verdict": verdict.String(), "Markdown": Markdown(v, phrases.English),
	} {
		first, _, _ := strings.Cut(text, "\n")
		if !strings.Contains(first, "the machine slowed 59 of 60 pairs") {
			t.Errorf("%s: the first line is %q", name, first)
		}
		for _, want := range append(phrases.Each(phrases.English, r.Looks.Remarks), "nconclusive", "allowing for the stop", "at any time") {
			if !strings.Contains(strings.ReplaceAll(text, "INC", "Inc"), want) && !strings.Contains(strings.ToLower(text), want) {
				t.Errorf("%s: no word of %q in\n%s", name, want, text)
			}
		}
		for _, no := range []string{"p = ", "Clopper", "binomial"} {
			if strings.Contains(text, no) {
				t.Errorf("%s: a stopped run has %q", name, no)
			}
		}
	}
	if len(r.Looks.Remarks) != 3 {
		t.Errorf("%q", r.Looks.Remarks)
	}
}

// TestBlockTellsOfBooks: how many moves a player's book gave, once.
func TestBlockTellsOfBooks(t *testing.T) {
	r := gather(t, fakerun.Run{Players: []string{"x", "y"}, Pairs: []string{"WW"}}, report.Registration{})
	from := 3
	r.Players[0].BookMoves = &from
	said := FromBook(&r.Players[0])
	for in, want := range map[phrases.Tongue]string{phrases.English: "\nbook    x: 3 of ", phrases.Japanese: "\n定跡    " + said.In(phrases.Japanese) + "\n"} {
		var b bytes.Buffer
		if err := Block(&b, r, aboutRun("x", "y"), in); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) || strings.Count(b.String(), "book ")+strings.Count(b.String(), "定跡") != 1 {
			t.Errorf("%q is not there once:\n%s", want, b.String())
		}
	}
}

// TestBlockFits: no line of the looks is cut.
func TestBlockFits(t *testing.T) {
	late := report.Registration{Pairs: 60, Design: match.Gate{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.1, Model: match.GateLogistic}}
	change := report.Start{Late: true, Changes: []match.Difference{{Path: []string{"pairs"}}}}
	for _, pairs := range []int{4, 60} {
		r := gather(t, fakerun.Run{Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WW"}, pairs)}, late, slices.Repeat([]report.Start{change}, 12)...)
		var b bytes.Buffer
		if err := Block(&b, r, aboutRun("x", "y"), phrases.English); err != nil {
			t.Fatal(err)
		}
		for _, remark := range phrases.Each(phrases.English, r.Looks.Remarks) {
			if !strings.Contains(b.String(), "looks   "+remark+"\n") {
				t.Errorf("%q is cut in\n%s", remark, b.String())
			}
		}
	}
}
