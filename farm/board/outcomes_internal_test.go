package board

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"gogi/farm"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
)

// TestComparison: the addresses are those that the hosts document for a comparison of two commits.
func TestComparison(t *testing.T) {
	for repository, want := range map[string]string{
		"https://github.com/yaneurao/YaneuraOu":     "https://github.com/yaneurao/YaneuraOu/compare/b...d",
		"https://github.com/yaneurao/YaneuraOu.git": "https://github.com/yaneurao/YaneuraOu/compare/b...d",
		"https://gitlab.com/group/engine.git":       "https://gitlab.com/group/engine/-/compare/b...d",
		"https://git.example/engine":                "",
		"file:///srv/engine":                        "",
		"https://github.com.evil.example/a/b":       "",
	} {
		testutil.Equal(t, comparison(repository, "b", "d"), want, "%s", repository)
	}
}

// TestTotals: only connected machines count.
func TestTotals(t *testing.T) {
	got := totalsOf([]farm.WorkerStatus{{Here: true, Slots: 4}, {Slots: 8}, {Here: true, Slots: 2}},
		map[string]*Outcome{"a": {PerMinute: 1.5}, "b": {PerMinute: 2}})
	testutil.Equal(t, got, totals{Machines: 2, Slots: 6, PerMinute: 3.5})
}

// TestBenchesOfAPage requires that the page of a test with builds from git commits says in both languages whose numbers
// the benches are, and that its Japanese labels have no English words.
func TestBenchesOfAPage(t *testing.T) {
	source := func(bench uint64) *match.Source {
		return &match.Source{Repository: "https://git.example/e", Commit: "c", Bench: bench}
	}
	page := testPage{
		Test: farm.TestStatus{Name: "lmr", Benches: []farm.BenchCheck{
			{Engine: "dev", Nodes: 7, Message: 7, Worker: "w1", Owner: "ann", Trusted: true},
			{Engine: "base", Nodes: 9, Worker: "w2", Owner: "mal"}, {Engine: "old", Nodes: 9, Worker: "w3"},
		}},
		Change: &change{Command: "git diff", Dev: source(7), Base: source(9)},
	}
	for in, want := range map[i18n.Language][]string{
		i18n.English: {
			"dev 7 nodes, base 9 nodes;", "dev: the commit message has the same number (read by machine w1 of ann)",
			"base: the commit message has no bench (read by machine w2 of mal, which the farm does not trust)",
			"old: the commit message has no bench (read by w3)",
		},
		i18n.Japanese: {"dev：コミットメッセージの数と同じ（読んだのはannのマシンw1）", "base：コミットメッセージにベンチがない（読んだのはmalのマシンw2。ファームはこのマシンを信頼していない）"},
	} {
		var body bytes.Buffer
		testutil.OK(t, templates()[in]["test"].ExecuteTemplate(&body, "layout", frame{Title: "lmr", In: in, Page: &page}))
		for _, text := range want {
			testutil.Contains(t, body.String(), text, "in %s", in)
		}
		label := regexp.MustCompile(`<dt>[^<]*[a-zA-Z]{3}[^<]*</dt>`)
		if found := label.FindAllString(body.String(), -1); in == i18n.Japanese && len(found) > 0 {
			t.Errorf("English labels: %s", strings.Join(found, " "))
		}
	}
}

// oneTest is a farm with one test, which a reader without a key sees.
type oneTest struct {
	Farm

	test farm.TestStatus
}

func (f oneTest) StatusFor(context.Context, string) farm.Status {
	return farm.Status{Tests: []farm.TestStatus{f.test}}
}

// TestLLROnce: the list of tests and the page of a test show the LLR and its bounds once, with one bar that has the
// class of the verdict.
func TestLLROnce(t *testing.T) {
	sprt := farm.TestStatus{Run: "0123456789abcdef", Name: "lmr", Owner: "ann", State: farm.Running, Lower: -2.95,
		Upper: 2.95, Stored: 14, Pairs: 200}
	for want, change := range map[string]func(*farm.TestStatus){
		`class="[a-z ]*"[^>]*>(LLR )?0\.00 \[−2\.95, 2\.95\]`: func(s *farm.TestStatus) { s.Verdict = "continue" },
		`class="[a-z ]*"[^>]*>(LLR )?−1\.25 \[−2\.95, 2\.95\]`: func(s *farm.TestStatus) {
			s.Verdict, s.LLR = "continue", -1.25
		},
		`pass <span class="(ratio )?pass"[^>]*>(LLR )?3\.10 \[`: func(s *farm.TestStatus) {
			s.Verdict, s.LLR = "pass", 3.1
		},
		`fail <span class="(ratio )?fail"[^>]*>(LLR )?−3\.10 \[`: func(s *farm.TestStatus) {
			s.Verdict, s.LLR = "fail", -3.1
		},
		`<span class="(ratio )?undecided"[^>]*>(LLR )?1\.00 \[−2`: func(s *farm.TestStatus) {
			s.Verdict, s.LLR = "inconclusive", 1
		},
	} {
		shown := sprt
		change(&shown)
		pages := New(Config{Farm: oneTest{test: shown}})
		for _, path := range []string{"/farm", "/farm/t/lmr"} {
			answer := httptest.NewRecorder()
			pages.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
			body := answer.Body.String()
			number := format.Minus(fmt.Sprintf("%.2f [", shown.LLR))
			testutil.Equal(t, strings.Count(body, `<svg class="llr"`), 1, "%s: bars of %+v", path, shown)
			testutil.Equal(t, strings.Count(body, number), 2, "%s: %q in the text and in the name of the bar", path, number)
			testutil.Check(t, regexp.MustCompile(want).MatchString(body), "%s lacks %q:\n%s", path, want, body)
		}
	}
}

// TestPairsOfTheLLR: while a test runs, its page says that the LLR is of fewer pairs than the other figures.
func TestPairsOfTheLLR(t *testing.T) {
	for stored, want := range map[int]string{14: "The LLR is of 3 pairs in plan order. The other figures are of all 14 stored pairs.", 3: "3 pairs in plan order."} {
		pages := New(Config{Farm: oneTest{test: farm.TestStatus{Run: "0123", Name: "lmr", State: farm.Running,
			Verdict: "continue", Prefix: 3, Stored: stored}}})
		answer := httptest.NewRecorder()
		pages.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/farm/t/lmr", nil))
		testutil.Check(t, strings.Contains(answer.Body.String(), ">"+want+"<"), "the page lacks %q:\n%s", want, answer.Body)
	}
}

// TestProvisionalLooksOpen: a provisional verdict may change, so the pages show it without the colour of a decision.
func TestProvisionalLooksOpen(t *testing.T) {
	for want, s := range map[string]farm.TestStatus{
		"": {Verdict: "continue"}, "pass": {Verdict: "pass"}, "fail": {Verdict: "fail"},
		"undecided": {Verdict: "inconclusive"},
	} {
		testutil.Equal(t, classOf(s), want)
	}
	provisional := farm.TestStatus{Verdict: "pass", Provisional: "2 of 3 audits are missing"}
	testutil.Equal(t, classOf(provisional), "undecided")
	testutil.Equal(t, decisionOf(provisional, i18n.English), "pass (provisional)")
}
