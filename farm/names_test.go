package farm_test

import (
	"testing"

	"gogi/farm"
	"gogi/internal/testutil"
	"gogi/match/matchtest"
)

// TestFound: a test is found by its digest, its name, and a beginning of its digest that no other test has. An
// ambiguous beginning names the candidates.
func TestFound(t *testing.T) {
	t.Parallel()
	list := []farm.TestStatus{
		{Name: "lmr7", Run: "0123456789abcdef"}, {Name: "lmr8", Run: "0123999999abcdef"},
		{Name: "0123", Run: "ff00000000000000"}, {Name: "lmr7", Run: "aa00000000000000"},
	}
	for text, want := range map[string]int{"lmr7": 3, "lmr8": 1, "01234": 0, "0123456789abcdef": 0, "0123": 2, "ff00": 2} {
		testutil.Equal(t, testutil.Must(farm.Found(list, text))(t), want, "%s", text)
	}
	list[2].Name = "x"
	testutil.Fails(t, testutil.Err(farm.Found(list, "0123")),
		"the plan hashes of 2 tests begin with 0123: lmr7 (0123456789ab), lmr8 (0123999999ab); write more digits")
	for _, text := range []string{"012", "", "lmr", "ff1"} {
		testutil.Fails(t, testutil.Err(farm.Found(list, text)), "there is no test", "%s", text)
	}
}

// TestFoundForOrder: an order needs the name of a test, or 12 digits of its plan hash. A text that means two tests is
// an error that lists both, also if a stranger has named a test like the hash of another one.
func TestFoundForOrder(t *testing.T) {
	t.Parallel()
	list := []farm.TestStatus{
		{Name: "lmr7", Run: "0123456789abcdef"}, {Name: "lmr8", Run: "0123999999abcdef"},
		{Name: "0123", Run: "ff00000000000000"}, {Name: "lmr9", Run: "0123456789abffff"},
		{Name: "0123999999ab", Run: "ee00000000000000"}, {Name: "ff0000000000", Run: "ff0000000000aaaa"},
	}
	for text, want := range map[string]int{"lmr7": 0, "0123456789abcdef": 0, "0123456789abc": 0, "0123": 2,
		"0123999999abcdef": 1, "ee00000000000000": 4, "ee0000000000": 4} {
		testutil.Equal(t, testutil.Must(farm.FoundForOrder(list, text))(t), want, "%s", text)
	}
	for text, want := range map[string]string{
		"01234":        "01234 is too short for an order: lmr7 (0123456789ab), lmr9 (0123456789ab); write the name, or at least 12 digits of the plan hash",
		"0123456789a":  "0123456789a is too short for an order: lmr7 (0123456789ab), lmr9 (0123456789ab)",
		"ee0000000":    "ee0000000 is too short for an order: 0123999999ab (ee0000000000)",
		"0123456789ab": "the plan hashes of 2 tests begin with 0123456789ab: lmr7 (0123456789ab), lmr9 (0123456789ab); write more digits",
		"0123999999ab": "0123999999ab is the name of a test and the beginning of a plan hash: lmr8 (0123999999ab), 0123999999ab (ee0000000000); write the name or the whole plan hash",
		"ff0000000000": "ff0000000000 is the name of a test and the beginning of a plan hash: 0123 (ff0000000000), ff0000000000 (ff0000000000)",
		"012":          "there is no test", "": "there is no test", "lmr": "there is no test",
		"0123456789ac": "there is no test",
	} {
		testutil.Fails(t, testutil.Err(farm.FoundForOrder(list, text)), want, "%s", text)
	}
}

// TestNewPlan: the farm and a dry run reject a plan or a name that a test has, and a repeated plan gets the first seed
// with which no test has it.
func TestNewPlan(t *testing.T) {
	t.Parallel()
	plan := matchtest.Plan("a")
	plan.Seed = 7
	second := *plan
	second.Seed, second.Run = 8, "b"
	list := []farm.TestStatus{{Name: "a", Run: plan.Digest(), State: farm.Stopped},
		{Name: "b", Run: second.Digest(), State: farm.Over}}
	testutil.Fails(t, farm.CheckNew(plan, list),
		"this plan is test a already, which is stopped: the same games would be played; another seed makes another test, such as --seed 9")
	free := farm.WithFreeSeed(plan, list)
	testutil.Check(t, free.Seed == 9 && plan.Seed == 7, "seeds %d and %d, want 9 and 7", free.Seed, plan.Seed)
	testutil.Equal(t, farm.WithFreeSeed(plan, list[:1]).Seed, 8, "the next seed is free")
	testutil.Fails(t, farm.CheckNew(free, list), "choose another, such as --run a-2")
	free.Run = farm.FreeName("a", list)
	testutil.OK(t, farm.CheckNew(free, list))
}
