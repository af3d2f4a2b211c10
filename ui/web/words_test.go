package web

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gogi/ensemble/voting"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/report"
	"gogi/report/text"
	"gogi/stats"
)

// phrase matches one translatable phrase of a template or a program, and heads matches a list of them.
var (
	phrase = regexp.MustCompile(`(?:\bt |\bsay\(|\bSay\(|showTitled\(w, r, "\w+", |i18n\.Of\(\s*|i18n\.Phrase\(|advice\.Of\(\s*|i18n\.Errorf\(\s*|i18n\.Say\((?:in|[cd]\.in|d\.Language|env\.Language|\w+\.Language), |Reason\(|\bWhat: |\bblock\(|\.(?:Elo)?Why = |\bwarning\(\s*|\bwarn\(|\.add\((?:Pass|Warn|Fail|k\.failure\(\)|failure|judgeMate\(answer\)), )("(?:[^"\\]|\\.)*")`)
	heads  = regexp.MustCompile(`(?:\br\.table\(|i18n\.Heads\([\w.]+, )("(?:[^"\\]|\\.)*"(?:, "(?:[^"\\]|\\.)*")*)`)
	quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

// broken matches the break of a line of code after a comma or an operator.
var broken = regexp.MustCompile(`([,=(])\n\t+`)

// joined returns code with one line for each call.
func joined(code string) string {
	return strings.ReplaceAll(broken.ReplaceAllString(code, "$1 "), "( ", "(")
}

// saidIn returns the phrases of a file.
func saidIn(t *testing.T, file string) []string {
	t.Helper()
	content, err := os.ReadFile(file)
	testutil.OK(t, err)
	var found []string
	code := joined(string(content))
	for _, m := range phrase.FindAllStringSubmatch(code, -1) {
		found = append(found, m[1])
	}
	for _, m := range heads.FindAllStringSubmatch(code, -1) {
		found = append(found, quoted.FindAllString(m[1], -1)...)
	}
	for i, text := range found {
		if found[i], err = strconv.Unquote(text); err != nil {
			t.Fatalf("%s: %s: %v", file, text, err)
		}
	}
	return found
}

// saidPhrases returns the phrases of the pages, of reports, of the terminal and of the commands, and the words of
// values. Each has the name of its source.
func saidPhrases(t *testing.T) map[string]string {
	t.Helper()
	said := map[string]string{}
	for _, pattern := range []string{
		"templates/*.gohtml", "*.go", "../../report/html/templates/*.gohtml", "../../report/html/*.go",
		"../../report/effects/*.gohtml", "../../report/effects/*.go",
		"../../stats/reasons.go", "../../stats/rating/crosstable/connect.go", "../../match/tournament/*.go",
		"../../report/*.go", "../../report/text/*.go", "../../report/stored/*.go",
		"../../report/compare/*.go", "../../report/review/*.go", "../../players/check/*.go", "../../report/calculator/*.go",
		"../../ensemble/votes/*.go", "../../report/verify/*.go", "../../configs/*.go", "../../configs/*/*.go",
		"../../players/*.go", "../../match/gate/*.go", "../../report/tuning/*.go", "../../cmd/gogi/cli/*.go",
		"../../report/ratings/*.go", "../../lab/regression/ranksum.go", "../../lab/counts/*.go", "../../lab/mm/*.go",
		"../../lab/orders/*.go", "../terminal/*.go", "../words/*.go", "../../cmd/gogi/*.go", "../../cmd/gogi/*/*.go",
		"../../farm/board/templates/*.gohtml", "../../farm/board/*.go",
	} {
		files, err := filepath.Glob(filepath.FromSlash(pattern))
		testutil.Require(t, err == nil && len(files) != 0, "%s: %d files, %v", pattern, len(files), err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, words := range saidIn(t, file) {
				said[words] = file
			}
		}
	}
	for _, tab := range tabs() {
		said[tab[1]] = "the tabs"
	}
	for _, d := range []stats.Decision{stats.Pass, stats.Fail, stats.Continue, stats.Inconclusive} {
		said[string(d)] = "a gate's decision"
	}
	for _, p := range []match.RunPhase{match.RunPlaying, match.RunPaused, match.RunDraining, match.RunStopping} {
		said[string(p)] = "a run's phase"
	}
	for _, word := range livePhases() {
		said[word] = "a phase"
	}
	for _, by := range voting.Bys() {
		said[by.Words()] = "what decided a vote"
	}
	for _, kind := range voting.Kinds() {
		said[kind.Words()] = "a ballot"
	}
	for _, end := range match.Terminations() {
		said[format.Words(end.String())] = "an end of a game"
	}
	for _, o := range orders(&match.Snapshot{}) {
		said[o.Phrase] = "an order"
	}
	return said
}

// TestPhrasebook requires that every phrase has a Japanese translation with the same verbs of package fmt, and that the
// phrasebook has no unused phrases.
func TestPhrasebook(t *testing.T) {
	book := testutil.Must(i18n.Book())(t)
	said := saidPhrases(t)
	testutil.Require(t, len(said) >= 200, "only %d phrases were found", len(said))
	for words, where := range said {
		there, ok := book[words]
		testutil.Check(t, ok || !speaks.MatchString(verb.ReplaceAllString(words, "")),
			"%s says %q, which has no Japanese", where, words)
		got, want := verbs(there), verbs(words)
		testutil.Check(t, !ok || slices.Equal(got, want), "%q has the verbs %v, its Japanese %v", words, want, got)
	}
	for words, there := range book {
		for _, text := range []string{words, there} {
			filled := fmt.Sprintf(text, filling(words)...)
			testutil.Check(t, len(verbs(words)) == 0 || !strings.Contains(filled, "%!"), "%q is filled as %q", text, filled)
		}
		if _, ok := said[words]; !ok {
			t.Errorf("nobody says %q", words)
		}
	}
}

// verb matches a verb of package fmt, with the characters before its letter. speaks matches a letter or a punctuation
// mark. A phrase without one is the same in all languages.
var (
	verb   = regexp.MustCompile(`%%|%[-+.\d]*(?:\[(\d)\])?([sdqgfv])`)
	speaks = regexp.MustCompile(`\pL|[;:.,]`)
)

// verbs returns the verbs of a phrase, in the order of their arguments.
func verbs(words string) []string {
	var list []string
	for _, m := range verb.FindAllStringSubmatch(words, -1) {
		n := strconv.Itoa(len(list) + 1)
		if m[1] != "" {
			n = m[1]
		}
		if m[2] != "" {
			list = append(list, n+m[2])
		}
	}
	slices.Sort(list)
	return list
}

// filling returns a value for each verb of a phrase.
func filling(words string) []any {
	var args []any
	for _, v := range verbs(words) {
		var arg any = "x"
		switch v[1:] {
		case "d":
			arg = 7
		case "f", "g":
			arg = 0.5
		}
		args = append(args, arg)
	}
	return args
}

// TestEndingsInJapanese requires that every way in which a game can end has its own Japanese word.
func TestEndingsInJapanese(t *testing.T) {
	seen := map[string]match.Termination{}
	for _, end := range match.Terminations() {
		said := text.Ending(end.String()).In(japanese)
		testutil.Check(t, said != strings.ReplaceAll(end.String(), "_", " "), "%s has no Japanese", end)
		other, ok := seen[said]
		testutil.Check(t, !ok, "%s and %s are both %s", end, other, said)
		seen[said] = end
	}
}

// TestVoidedInJapanese requires Japanese texts about voided pairs and withdrawn verdicts.
func TestVoidedInJapanese(t *testing.T) {
	t.Parallel()
	before, after := 3.0, 1.25
	v := report.Voiding{
		Why: "disk", By: "koto", Pairs: []int{1, 2, 3},
		Before: &report.Tested{LLR: &before, Decision: stats.Pass},
		After:  &report.Tested{LLR: &after, Decision: stats.Continue},
	}
	said := strings.Join(i18n.Each(japanese, v.Remarks()), "\n")
	for _, want := range []string{"koto", "3ペア", "disk", "3.000", "1.250", "取り消されました"} {
		testutil.Contains(t, said, want, "lacks")
	}
	for _, told := range []stats.Decision{stats.Pass, stats.Fail, stats.Inconclusive} {
		v.Before.Decision = told
		testutil.Contains(t, v.Remarks()[2].String(), string(told)+", is withdrawn", "%s", told)
	}
	v.After.Decision = stats.Inconclusive
	if said := i18n.Each(japanese, v.Remarks()); len(said) != 2 {
		t.Errorf("nothing was withdrawn: %s", said)
	}
	if said := text.Gate(&report.Gate{Decision: stats.Continue,
		Withdrawn: stats.Fail}).In(japanese); !strings.Contains(said, "未決（「不合格」は取り消し）") {
		t.Error(said)
	}
}
