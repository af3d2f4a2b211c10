package voting_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gogi/ensemble/voting"
	"gogi/internal/testutil"
)

// TestSpecText: what a rule is written as is read as the same rule.
func TestSpecText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t, rapid.IntRange(1, 9).Draw(t, "members"))
		again, err := voting.ParseSpec(spec.String())
		if err != nil || !reflect.DeepEqual(again, spec) {
			t.Fatalf("%s: %+v, want %+v (%v)", spec, again, spec, err)
		}
	})
}

// TestSpecTextIsShort: defaults and blanks are left out, the order is fixed.
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
		if err != nil || spec.String() != want {
			t.Errorf("%q: %q, want %q (%v)", text, spec, want, err)
		}
	}
}

// TestSettingsDiffer: each of the tests' settings is one that the text keeps.
func TestSettingsDiffer(t *testing.T) {
	for name, list := range settings() {
		for _, setting := range list {
			spec, err := voting.ParseSpec(name + ":" + setting)
			if err != nil || !strings.HasSuffix(spec.String(), setting) {
				t.Errorf("%s:%s: %q (%v)", name, setting, spec, err)
			}
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
		if err := spec.Check(3); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := voting.NewSession(voting.DefaultSpec(voting.Majority), nil, voting.Settings{}); err == nil {
		t.Error("a council without members")
	}
}

func FuzzParseSpec(f *testing.F) {
	for name, list := range settings() {
		f.Add(name)
		f.Add(name + ":" + strings.Join(list, ","))
	}
	f.Add("weighted:weights=1/2/0.5")
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := voting.ParseSpec(text)
		if err != nil {
			return
		}
		again, err := voting.ParseSpec(spec.String())
		if err != nil || again.String() != spec.String() {
			t.Errorf("%q is %q, then %q (%v)", text, spec, again, err)
		}
	})
}

func FuzzParseTies(f *testing.F) {
	f.Add("score,member")
	f.Add(strings.Join(voting.TieNames(), " , "))
	f.Fuzz(func(t *testing.T, text string) {
		chain, err := voting.ParseTies(text)
		if err != nil {
			return
		}
		if len(chain) != strings.Count(text, ",")+1 {
			t.Errorf("%q: %d levels", text, len(chain))
		}
		for _, level := range chain {
			if !slices.Contains(voting.TieNames(), string(level)) {
				t.Errorf("%q: level %q", text, level)
			}
		}
	})
}

func TestTieErrors(t *testing.T) {
	for _, text := range []string{"", "score,", "score;member", "Score"} {
		testutil.Fails(t, testutil.Err(voting.ParseTies(text)), "expected a list of score, member,", "%q", text)
	}
}
