package voting_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"gogi/ensemble/voting"
	"gogi/internal/testutil"
)

// TestAllWordsOfAVoteAreListed: what can decide a vote, and what a ballot can be, for those who have words
// for all of them.
func TestAllWordsOfAVoteAreListed(t *testing.T) {
	constants := func(kind string) (list []string) {
		files := testutil.Must(filepath.Glob("*.go"))(t)
		for _, file := range files {
			text := testutil.Must(os.ReadFile(file))(t)
			for _, m := range regexp.MustCompile(`(?m)^\s+\w+\s+`+kind+`\s+= "(\w+)"`).FindAllStringSubmatch(string(text), -1) {
				list = append(list, m[1])
			}
		}
		return list
	}
	bys, kinds := constants("By"), constants("Kind")
	for _, by := range voting.Bys() {
		if i := slices.Index(bys, string(by)); i >= 0 {
			bys = slices.Delete(bys, i, i+1)
		}
	}
	for _, kind := range voting.Kinds() {
		if i := slices.Index(kinds, string(kind)); i >= 0 {
			kinds = slices.Delete(kinds, i, i+1)
		}
	}
	if len(bys)+len(kinds) > 0 || len(voting.Bys()) < 8 || len(voting.Kinds()) < 7 {
		t.Errorf("not listed: %q, %q", bys, kinds)
	}
}
