package voting_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gogi/ensemble/voting"
	"gogi/internal/testutil"
)

// TestEveryRuleIsMade: each name of the table makes a rule that votes, and no other name does.
func TestEveryRuleIsMade(t *testing.T) {
	for _, name := range voting.RuleNames() {
		spec := voting.DefaultSpec(name)
		if name == voting.Weighted {
			spec.Weights = []float64{1, 1}
		}
		rule, err := voting.NewRule(spec, members(2), false)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rule.NewGame(1)
		if list := rule.Candidates(ballots("A+1 B+2")); len(list) != 2 {
			t.Errorf("%s: %d candidates of two votes", name, len(list))
		}
	}
	for _, name := range []string{"", "majorit", "Majority"} {
		_, err := voting.NewRule(voting.Spec{Name: name}, members(2), false)
		testutil.Fails(t, err, "expected one of majority, adoption,", "rule %q", name)
	}
}

// TestTableOfRules: names and keys are there once, and every key is one of Spec.
func TestTableOfRules(t *testing.T) {
	if names := voting.RuleNames(); len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		t.Errorf("a name is there twice: %v", names)
	}
	known, used := voting.SpecKeys(), map[string]bool{}
	for name, keys := range voting.RuleKeys() {
		for i, key := range keys {
			if used[key] = true; !slices.Contains(known, key) || slices.Contains(keys[:i], key) {
				t.Errorf("%s: key %q is unknown or there twice", name, key)
			}
		}
	}
	for _, key := range known {
		if !used[key] {
			t.Errorf("no rule has the key %q", key)
		}
	}
}

// TestDocumentedRules: the document has a row for each rule, which names its keys.
func TestDocumentedRules(t *testing.T) {
	text := testutil.Must(os.ReadFile("../../docs/council.md"))(t)
	_, rules, _ := strings.Cut(string(text), "\n## Rules\n")
	rules, _, _ = strings.Cut(rules, "\n## ")
	_, shared, _ := strings.Cut(rules, "also have")
	for name, keys := range voting.RuleKeys() {
		row := regexp.MustCompile("(?m)^\\|[^|]*`" + name + "`.*$").FindString(rules)
		if row == "" {
			t.Errorf("rule %s has no row", name)
		}
		for _, key := range keys {
			growing := name == voting.Adoption || name == voting.Evaluation
			if !strings.Contains(row, "`"+key+"`") && !(growing && strings.Contains(shared, "`"+key+"`")) {
				t.Errorf("rule %s: key %s is not named", name, key)
			}
		}
	}
}
