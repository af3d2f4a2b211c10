package board

import (
	"testing"

	"gogi/farm"
	"gogi/internal/testutil"
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
