package farm

import (
	"fmt"
	"slices"
	"strings"

	"gogi/match"
)

// leastDigest is the smallest number of digits of a digest that stand for the digest in requests that change nothing.
// orderDigest is this number for orders. Messages print as many.
const (
	leastDigest = 4
	orderDigest = 12
)

// ShortDigest returns the beginning of a plan's digest, which messages print and which stands for the test.
func ShortDigest(digest string) string { return digest[:min(len(digest), orderDigest)] }

// Found returns the index of the test of a list that a user means: by its digest, by its name, or by the beginning of
// its digest. A later test comes before an earlier one with the same name, which an older farm accepted. Found returns
// a Refusal if no test or more than one is meant.
func Found(list []TestStatus, text string) (int, error) {
	named, begins, exact := meant(list, text)
	switch {
	case exact || named >= 0 || len(begins) == 0:
		return known(named, text)
	case len(begins) == 1:
		return begins[0], nil
	}
	return -1, Refusef("the plan hashes of %d tests begin with %s: %s; write more digits", len(begins), text,
		candidates(list, begins))
}

// FoundForOrder is Found for requests that change a test. A beginning of a digest needs orderDigest digits there, and
// no other test may have it as its name. Otherwise a typing error, or a test that somebody has named like the hash of
// another test, could change the wrong test.
func FoundForOrder(list []TestStatus, text string) (int, error) {
	named, begins, exact := meant(list, text)
	long := len(text) >= orderDigest
	switch {
	case exact || len(begins) == 0:
	case named >= 0 && long:
		return -1,
			Refusef("%s is the name of a test and the beginning of a plan hash: %s; write the name or the whole plan hash", text,
				candidates(list, append(begins, named)))
	case named < 0 && !long:
		return -1, Refusef("%s is too short for an order: %s; write the name, or at least %d digits of the plan hash", text,
			candidates(list, begins), orderDigest)
	}
	return Found(list, text)
}

// meant returns the test with the digest or the name text, or -1, and the other tests whose digests begin with text.
// exact is true for a whole digest.
func meant(list []TestStatus, text string) (named int, begins []int, exact bool) {
	named = -1
	for i := range list {
		switch t := &list[i]; {
		case t.Run == text:
			return i, nil, true
		case t.Name == text:
			named = i
		case len(text) >= leastDigest && strings.HasPrefix(t.Run, text):
			begins = append(begins, i)
		}
	}
	return named, begins, false
}

// known returns the index of a test, or a Refusal for -1.
func known(i int, text string) (int, error) {
	if i < 0 {
		return -1, Refusef("there is no test %q; gogi farm list lists the tests", text)
	}
	return i, nil
}

// candidates returns the names of tests with the beginnings of their plan hashes.
func candidates(list []TestStatus, which []int) string {
	names := make([]string, len(which))
	for i, n := range which {
		names[i] = list[n].Name + " (" + ShortDigest(list[n].Run) + ")"
	}
	return strings.Join(names, ", ")
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
