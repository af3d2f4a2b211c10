package board

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"gogi/farm"
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
	got := totalsOf([]farm.WorkerStatus{{Here: true, Slots: 4}, {Slots: 8}, {Here: true, Slots: 2}}, map[string]*Outcome{"a": {PerMinute: 1.5}, "b": {PerMinute: 2}})
	testutil.Equal(t, got, totals{Machines: 2, Slots: 6, PerMinute: 3.5})
}

// TestBenchesOfAPage requires that the page of a test with builds from git commits says in both languages whose numbers the
// benches are, and that its Japanese labels have no English words.
func TestBenchesOfAPage(t *testing.T) {
	source := func(bench uint64) *match.Source {
		return &match.Source{Repository: "https://git.example/e", Commit: "c", Bench: bench}
	}
	page := testPage{
		Test: farm.TestStatus{Name: "lmr", Benches: []farm.BenchCheck{
			{Engine: "dev", Nodes: 7, Message: 7, Worker: "w1", Owner: "ann", Trusted: true}, {Engine: "base", Nodes: 9, Worker: "w2", Owner: "mal"}, {Engine: "old", Nodes: 9, Worker: "w3"},
		}},
		Change: &change{Command: "git diff", Dev: source(7), Base: source(9)},
	}
	for in, want := range map[i18n.Language][]string{
		i18n.English: {
			"dev 7 nodes, base 9 nodes;", "dev: the commit message has the same number (read by machine w1 of ann)",
			"base: the commit message has no bench (read by machine w2 of mal, which the farm does not trust)", "old: the commit message has no bench (read by w3)",
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
