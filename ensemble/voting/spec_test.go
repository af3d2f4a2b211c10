package voting_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gogi/ensemble/voting"
	"gogi/internal/testutil"
)

// TestSpecText requires that the text of a rule parses as the same rule.
func TestSpecText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t, rapid.IntRange(1, 9).Draw(t, "members"))
		again, err := voting.ParseSpec(spec.String())
		testutil.Require(t, err == nil && reflect.DeepEqual(again, spec), "%s: %+v, want %+v (%v)", spec, again, spec, err)
	})
}

// TestSpecTextIsShort requires that the text omits defaults and blanks, and has a fixed order.
func TestSpecTextIsShort(t *testing.T) {
	for text, want := range map[string]string{
		"majority":                              "majority",
		" adoption : ":                          "adoption",
		"adoption:decay=0.90,initial=1":         "adoption:decay=0.9",
		"adoption: order=recent , tally=count ": "adoption:tally=count,order=recent",
		"weighted:weights=1/2.50/0":             "weighted:weights=1/2.5/0",
		"evaluation:max=2e3":                    "evaluation",
	} {
		spec, err := voting.ParseSpec(text)
		testutil.Check(t, err == nil && spec.String() == want, "%q: %q, want %q (%v)", text, spec, want, err)
	}
}

// TestSettingsDiffer requires that the text keeps each of the tests' settings.
func TestSettingsDiffer(t *testing.T) {
	for name, list := range settings() {
		for _, setting := range list {
			spec, err := voting.ParseSpec(name + ":" + setting)
			testutil.Check(t, err == nil && strings.HasSuffix(spec.String(), setting), "%s:%s: %q (%v)", name, setting, spec,
				err)
		}
	}
}

func TestSpecErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                          `there is no rule ""`,
		"majorit":                   "expected one of majority, adoption,",
		"majority:initial=2":        "the rule has no keys",
		"optimistic:decay=1":        "the rule has no keys",
		"adoption:mode=bonus":       `no key "mode": expected one of initial, tally,`,
		"adoption:reward":           `"reward": expected KEY=VALUE`,
		"adoption:reward=all":       "expected one of top, voters",
		"adoption:decay=1.1":        "expected a number from 0 to 1",
		"adoption:decay=NaN":        "expected a number from 0 to 1",
		"adoption:initial=-1":       "expected a number from 0 to",
		"adoption:initial=Inf":      "expected a number from 0 to",
		"adoption:book=perhaps":     "expected true or false",
		"evaluation:window=1.5":     "expected a whole number from 0 to",
		"evaluation:window=-1":      "expected a whole number from 0 to",
		"weighted:weights=1/x":      `"x": expected a number from 0`,
		"weighted:weights=1//2":     "in a list such as 1/2/0.5",
		"linear_pool:min_depth=1e3": "expected a whole number",
	} {
		_, err := voting.ParseSpec(text)
		testutil.Fails(t, err, want, "%q", text)
	}
}

func TestSpecCheck(t *testing.T) {
	for text, want := range map[string]string{
		"weighted":                   "expected weights=1/2/0.5, one for each member",
		"weighted:weights=1/2":       "2 weights for 3 members",
		"weighted:weights=0/0/0":     "all weights are 0",
		"borda:weights=1/2/3/4":      "4 weights for 3 members",
		"adoption:initial=3,cap=2":   "cap=2 is below initial=3",
		"adoption:initial=2,cap=2":   "",
		"log_pool:weights=1/0.5/0":   "",
		"evaluation:initial=0,cap=0": "",
	} {
		spec := testutil.Must(voting.ParseSpec(text))(t)
		if err := spec.Check(3); want == "" && err != nil || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	testutil.Fails(t, testutil.Err(voting.NewSession(voting.DefaultSpec(voting.Majority), nil, voting.Settings{})), "",
		"a council without members")
}

func TestTieErrors(t *testing.T) {
	for _, text := range []string{"", "score,", "score;member", "Score"} {
		testutil.Fails(t, testutil.Err(voting.ParseTies(text)), "expected a list of score, member,", "%q", text)
	}
}

// TestTableOfRules requires that names and keys occur once, and that Spec has every key.
func TestTableOfRules(t *testing.T) {
	names := voting.RuleNames()
	testutil.Check(t, len(slices.Compact(slices.Sorted(slices.Values(names)))) == len(names), "a name is there twice: %v",
		names)
	known, used := voting.SpecKeys(), map[string]bool{}
	for name, keys := range voting.RuleKeys() {
		for i, key := range keys {
			if used[key] = true; !slices.Contains(known, key) || slices.Contains(keys[:i], key) {
				t.Errorf("%s: key %q is unknown or there twice", name, key)
			}
		}
	}
	for _, key := range known {
		testutil.Check(t, used[key], "no rule has the key %q", key)
	}
}

// TestDocumentedRules requires that docs/council.md has a row for each rule with its keys.
func TestDocumentedRules(t *testing.T) {
	text := testutil.Must(os.ReadFile("../../docs/council.md"))(t)
	_, rules, _ := strings.Cut(string(text), "\n## Rules\n")
	rules, _, _ = strings.Cut(rules, "\n## ")
	_, shared, _ := strings.Cut(rules, "also have")
	for name, keys := range voting.RuleKeys() {
		row := regexp.MustCompile("(?m)^\\|[^|]*`" + name + "`.*$").FindString(rules)
		testutil.Check(t, row != "", "rule %s has no row", name)
		for _, key := range keys {
			growing := name == voting.Adoption || name == voting.Evaluation
			testutil.Check(t, strings.Contains(row, "`"+key+"`") || growing && strings.Contains(shared, "`"+key+"`"),
				"rule %s: key %s is not named", name, key)
		}
	}
}

// TestAllWordsOfAVoteAreListed requires that Bys and Kinds list every cause of a decision and every kind of ballot.
// Other packages have a text for each.
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
	testutil.Check(t, len(bys)+len(kinds) == 0 && len(voting.Bys()) >= 8 && len(voting.Kinds()) >= 7,
		"not listed: %q, %q", bys, kinds)
}
