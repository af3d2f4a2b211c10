package farm

import (
	"fmt"
	"slices"
	"strings"

	"gogi/match"
)

// leastDigest is the smallest number of digits of a digest that stand for the digest.
const leastDigest = 4

// ShortDigest returns the beginning of a plan's digest, which messages print and which stands for the test.
func ShortDigest(digest string) string { return digest[:min(len(digest), 12)] }

// Found returns the index of the test of a list that a user means: by its digest, by its name, or by the beginning of its
// digest. A later test comes before an earlier one with the same name, which an older farm accepted. Found returns a Refusal
// if no test or more than one is meant.
func Found(list []TestStatus, text string) (int, error) {
	named, begins := -1, []int{}
	for i := range list {
		switch t := &list[i]; {
		case t.Run == text:
			return i, nil
		case t.Name == text:
			named = i
		case len(text) >= leastDigest && strings.HasPrefix(t.Run, text):
			begins = append(begins, i)
		}
	}
	switch {
	case named >= 0:
		return named, nil
	case len(begins) == 1:
		return begins[0], nil
	case len(begins) > 1:
		var names []string
		for _, i := range begins {
			names = append(names, list[i].Name+" ("+ShortDigest(list[i].Run)+")")
		}
		return -1, Refusef("the plan hashes of %d tests begin with %s: %s; write more digits", len(begins), text, strings.Join(names, ", "))
	}
	return -1, Refusef("there is no test %q; gogi farm list lists the tests", text)
}

// FreeName returns name if no test has it, and otherwise the first free name of NAME-2, NAME-3, ….
func FreeName(name string, list []TestStatus) string {
	free := name
	for n := 2; hasName(list, free); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

func hasName(list []TestStatus, name string) bool {
	return slices.ContainsFunc(list, func(t TestStatus) bool { return t.Name == name })
}

// WithFreeSeed returns the plan with the first seed from its own seed with which no test of the list has this plan.
func WithFreeSeed(plan *match.Plan, list []TestStatus) *match.Plan {
	out := *plan
	for samePlan(&out, list) != nil {
		out.Seed++
	}
	return &out
}

func samePlan(plan *match.Plan, list []TestStatus) *TestStatus {
	digest := plan.Digest()
	if i := slices.IndexFunc(list, func(t TestStatus) bool { return t.Run == digest }); i >= 0 {
		return &list[i]
	}
	return nil
}

// CheckNew returns a Refusal if a test of the list has the plan or its name.
func CheckNew(plan *match.Plan, list []TestStatus) error {
	if t := samePlan(plan, list); t != nil {
		return Refusef("this plan is test %s already, which is %s: the same games would be played; another seed makes another test, such as --seed %d",
			t.Name, t.State, WithFreeSeed(plan, list).Seed)
	}
	for i := range list {
		if t := &list[i]; t.Name == plan.Run {
			return Refusef("there is a test %s already, which is %s, and a name belongs to one test for ever; choose another, such as --run %s",
				t.Name, t.State, FreeName(plan.Run, list))
		}
	}
	return nil
}
