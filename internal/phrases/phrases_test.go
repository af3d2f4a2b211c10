package phrases

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
)

// TestSaid: what is said comes in the tongue that is asked for with all that is in it, JSON
// has the English, and what was read back is the same in all tongues.
func TestSaid(t *testing.T) {
	said := Of("no ratings: %s", Of("%s are too few (at least %d)", Number{N: 1234, Noun: "opening"}, 6))
	if got := said.String(); got != "no ratings: 1,234 openings are too few (at least 6)" {
		t.Error(got)
	}
	if got := said.In(Japanese); got != "レーティングなし：1,234開始局面では足りません（最低6）" {
		t.Error(got)
	}
	text, err := json.Marshal(struct {
		Why  Said `json:"why,omitzero"`
		None Said `json:"none,omitzero"`
	}{Why: said})
	if want := `{"why":"no ratings: 1,234 openings are too few (at least 6)"}`; err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	var back struct{ Why Said }
	if err := json.Unmarshal([]byte(`{"why":"100% odd %s"}`), &back); err != nil || back.Why.In(Japanese) != "100% odd %s" {
		t.Errorf("%q, %v", back.Why.In(Japanese), err)
	}
	if got := (List{"a", "b", "c"}).In(English) + (List{"a", "b"}).In(Japanese) + (List{"a"}).In(English); got != "a, b and ca、ba" {
		t.Error(got)
	}
}

type reason string

func (r reason) Error() string  { return string(r) }
func (r reason) Phrase() string { return string(r) }

// TestBecause: an error that is a phrase is said in every tongue, another one as it is.
func TestBecause(t *testing.T) {
	if got := Because(fmt.Errorf("run 3: %w", reason("no finished game"))).In(Japanese); got != "終わった対局がありません" {
		t.Error(got)
	}
	if got := Because(errors.New("50% of disk full")).In(Japanese); got != "50% of disk full" {
		t.Error(got)
	}
}

// TestEveryNounIsCounted: what any package counts has its Japanese counter, and no counter
// is nobody's.
func TestEveryNounIsCounted(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`phrases\.Number\{N: [^}]*, Noun: "([\w ]+)"\}`).FindAllStringSubmatch(string(text), -1) {
			used[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for noun := range used {
		if counters()[noun] == "" {
			t.Errorf("nobody knows how to count a %s", noun)
		}
	}
	for noun := range counters() {
		if !used[noun] {
			t.Errorf("nobody counts a %s", noun)
		}
	}
}
