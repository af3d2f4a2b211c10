package i18n

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// TestSaid: a message is printed in the requested language with all its values. JSON has the English text. A message
// that was read from JSON is the same in all languages.
func TestSaid(t *testing.T) {
	said := Of("no ratings: %s", Of("%s are too few (at least %d)", Number{N: 1234, Noun: "opening"}, 6))
	testutil.Equal(t, said.String(), "no ratings: 1,234 openings are too few (at least 6)")
	testutil.Equal(t, said.In(Japanese), "レーティングなし：1,234開始局面では足りません（最低6）")
	text, err := json.Marshal(struct {
		Why  Message `json:"why,omitzero"`
		None Message `json:"none,omitzero"`
	}{Why: said})
	want := `{"why":"no ratings: 1,234 openings are too few (at least 6)"}`
	testutil.Check(t, err == nil && string(text) == want, "%s, %v", text, err)
	var back struct{ Why Message }
	if err := json.Unmarshal([]byte(`{"why":"100% odd %s"}`), &back); err != nil ||
		back.Why.In(Japanese) != "100% odd %s" {
		t.Errorf("%q, %v", back.Why.In(Japanese), err)
	}
	testutil.Equal(t, (List{"a", "b", "c"}).In(English)+(List{"a", "b"}).In(Japanese)+(List{"a"}).In(English),
		"a, b and ca、ba")
}

type reason string

func (r reason) Error() string  { return string(r) }
func (r reason) Phrase() string { return string(r) }

// TestBecause: an error that is a phrase is printed in every language, and another error unchanged.
func TestBecause(t *testing.T) {
	testutil.Equal(t, Because(fmt.Errorf("run 3: %w", reason("no finished game"))).In(Japanese), "終わった対局がありません")
	testutil.Equal(t, Because(errors.New("50% of disk full")).In(Japanese), "50% of disk full")
}

// TestEveryNounIsCounted: every noun that a package counts has a Japanese counter, and every counter is used.
func TestEveryNounIsCounted(t *testing.T) {
	used := map[string]bool{}
	testutil.OK(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`i18n\.Number\{N: [^}]*, Noun: "([\w ]+)"\}`).FindAllStringSubmatch(string(text),
			-1) {
			used[m[1]] = true
		}
		return err
	}))
	testutil.Equal(t, Number{1, "ply"}.In(English)+", "+Number{2, "ply"}.In(English), "1 ply, 2 plies")
	for noun := range used {
		testutil.Check(t, counters()[noun] != "", "nobody knows how to count a %s", noun)
	}
	for noun := range counters() {
		testutil.Check(t, used[noun], "nobody counts a %s", noun)
	}
}
