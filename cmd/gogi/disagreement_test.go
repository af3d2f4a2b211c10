package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/survey"
)

// measured writes a file and measures; the report is that of --json.
func measured(t *testing.T, text string, args ...string) (*survey.Report, *session, string) {
	t.Helper()
	s := &session{dir: t.TempDir()}
	s.tag = filepath.Base(filepath.Dir(s.dir)) + "-" + filepath.Base(s.dir)
	text = strings.NewReplacer("DIR", s.dir, "TAG", s.tag).Replace(text)
	if err := os.WriteFile(filepath.Join(s.dir, "c.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := s.gogi(t, append([]string{"disagreement", "c.toml", "--json"}, args...)...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	s.noneLeft(t)
	var d survey.Report
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	return &d, s, out
}

func TestDisagreement(t *testing.T) {
	t.Parallel()
	var engines strings.Builder
	for i, options := range []string{"", "", "options = {EvalNoise = 30}\n"} {
		fmt.Fprintf(&engines, "[[engine]]\nname = \"m%d\"\ncmd = \"builtin\"\n%s", i+1, options)
	}
	text := engines.String() + "[[council]]\nname = \"C\"\nrule = \"majority\"\nmembers = [\"m1\", \"m2\", \"m3\"]\n"
	d, s, out := measured(t, text, "--positions", "40", "--nodes", "100", "--concurrency", "1")
	parallel, errs, code := s.gogi(t, "disagreement", "c.toml", "--json", "--positions", "40", "--nodes", "100", "--concurrency", "3")
	if code != 0 {
		t.Fatal(errs)
	}
	if parallel != out {
		t.Errorf("three at a time:\n%s\none at a time:\n%s", parallel, out)
	}
	same, differ := d.Pairs[0], d.Pairs[1]
	if same.A != "m1" || same.B != "m2" || same.K != 0 || same.N != 40 || differ.K == 0 || differ.K == 40 || differ.K != d.Pairs[2].K {
		t.Errorf("pairs %+v", d.Pairs)
	}
	if *same.Lo != 0 || *same.Hi < 0.08 || *same.Hi > 0.1 { // 1-(0.025)^(1/40)
		t.Errorf("0 of 40: [%v, %v]", *same.Lo, *same.Hi)
	}
	if want := 2 * float64(differ.K) / 40 / 3; *d.MeanPair < want-1e-9 || *d.MeanPair > want+1e-9 {
		t.Errorf("mean %v, want %v", *d.MeanPair, want)
	}
	if d.Unanimous.K != 40-differ.K || len(d.Splits) != 2 || d.Splits[0].Count+d.Splits[1].Count != 40 {
		t.Errorf("%d of %d unanimous, splits %+v", d.Unanimous.K, d.Unanimous.N, d.Splits)
	}
	other, _, _ := measured(t, text, "--positions", "5", "--nodes", "100", "--seed", "7")
	if other.Seed != 7 {
		t.Errorf("with --seed 7: %+v", other)
	}
	report, _, _ := s.gogi(t, "disagreement", "c.toml", "--positions", "5", "--nodes", "100")
	for _, want := range []string{"C · 5 positions (64 openings played on, seed 1) · nodes 100", "m1 – m2   0 of 5 ", "all members agree"} {
		if !strings.Contains(report, want) {
			t.Errorf("without %q:\n%s", want, report)
		}
	}
}

// A fault is tried again; who fails twice has no answer, and is left out of the
// pairs.
func TestDisagreementOfMembersThatFail(t *testing.T) {
	t.Parallel()
	d, s, _ := measured(t, fakes("limits = {nodes = 10}", "-moves first", "-moves first -script exit@go:3 -mark MARK",
		"-script exit@go:1 -mark MARK", "-script malformed@go"), "--positions", "9", "--concurrency", "1")
	for i, want := range []survey.Member{{Name: "m1", Answered: 9}, {Name: "m2", Answered: 9}, {Name: "m3", Failed: 9}, {Name: "m4", Failed: 9}} {
		got := d.Members[i]
		if got.Answered != want.Answered || got.Failed != want.Failed {
			t.Errorf("%s answered %d times and failed %d times", got.Name, got.Answered, got.Failed)
		}
	}
	if !strings.Contains(d.Members[2].First, "exit status 7") || !strings.Contains(d.Members[3].First, "P@5e") {
		t.Errorf("members %+v", d.Members)
	}
	if d.Pairs[0].N != 9 || d.Pairs[0].K != 0 || d.Pairs[1].N != 0 || d.Pairs[1].Rate != nil || d.Unanimous.N != 0 || *d.MeanPair != 0 {
		t.Errorf("pairs %+v, unanimous %+v", d.Pairs, d.Unanimous)
	}
	for name, times := range map[string]int{"m2.mark": 4, "m3.mark": 18} {
		if text, err := os.ReadFile(filepath.Join(s.dir, name)); err != nil || strings.Count(string(text), "exit@go") != times {
			t.Errorf("%s (%v): %s", name, err, text)
		}
	}
}

// Positions can come from games that were played.
func TestDisagreementOnARun(t *testing.T) {
	t.Parallel()
	text := "games = 2\nplayers = [\"m1\", \"m2\"]\nlimits = {nodes = 10}\nrules = {max_plies = 60}\n" + fakes("", "-moves first", "-moves key")
	d, s, _ := measured(t, text, "--positions", "3")
	if d.Source != "64 openings played on" || d.Limits != "nodes 10" {
		t.Errorf("%+v", d)
	}
	if _, errs, code := s.gogi(t, "match", "-q", "c.toml"); code != 0 {
		t.Fatal(errs)
	}
	out, errs, code := s.gogi(t, "disagreement", "c.toml", "--json", "--db", "gogi.db", "--run", "c", "--positions", "20")
	if code != 0 || !strings.Contains(out, `"source": "run c"`) || !strings.Contains(out, `"n": 20`) {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
	for want, args := range map[string][]string{
		"only ":                        {"--db", "gogi.db", "--positions", "121"}, // two games of 60 plies,
		"--run is about a database":    {"--run", "c"},
		"expected numbers from 1":      {"--positions", "0"},
		`there is no council "nobody"`: {"--council", "nobody"},
	} {
		if _, errs, code := s.gogi(t, append([]string{"disagreement", "c.toml"}, args...)...); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%q: exit code %d, %s", args, code, errs)
		}
	}
}
