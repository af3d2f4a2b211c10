package regression

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/csv"
	"gogi/internal/testutil"
)

// chosen returns the names of the rows that all conditions choose.
func chosen(t *testing.T, conditions ...string) (string, error) {
	t.Helper()
	where, err := ParseConditions(conditions)
	if err != nil {
		return "", err
	}
	var names []string
	err = csv.Read(written(t, "name,points,kind\nA,10,x\nB,2.50,y\nC,,x\nD,-3,\n"), where.Check, func(r csv.Row) error {
		holds, err := where.Hold(r)
		if holds {
			names = append(names, r.At(0))
		}
		return err
	})
	return strings.Join(names, ""), err
}

func TestConditions(t *testing.T) {
	t.Parallel()
	for conditions, want := range map[string]string{
		"points>2.5": "A", "points >= 2.5": "AB", "points<2.5": "D", "points<=10": "ABD", "points=2.5": "B",
		"POINTS=10.0": "A",
		"points!=10":  "BCD", "kind=x": "AC", "kind!=x": "BD", "kind=": "D", "points=": "C", "kind=x|points>0": "A",
		"name!=A|name!=B": "CD",
	} {
		got, err := chosen(t, strings.Split(conditions, "|")...)
		testutil.Check(t, err == nil && got == want, "%s: %s, %v, want %s", conditions, got, err, want)
	}
	for condition, want := range map[string]string{
		"points": "expected COLUMN=VALUE", "=3": "expected COLUMN=VALUE", "": "expected",
		"rank>3": `:1: no column "rank"; the header has name, points, kind`,
		"kind>3": `column kind: found "x", expected a number to compare with 3`, "points>many": "the value is no number",
		"points!3": "expected COLUMN=VALUE",
	} {
		testutil.Fails(t, testutil.Err(chosen(t, condition)), want, "%s", condition)
	}
}

// FuzzConditions reads files row by row with a condition. No text causes a panic.
func FuzzConditions(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n3,4\n", "a,b\n1\n", "a,b\n1e400,NaN\n", "\xff,\x00\n1,2\n"} {
		for _, condition := range []string{"a=1", "b >= 2", "a != x", "a<", "=1", "a<=1e999"} {
			f.Add(text, condition)
		}
	}
	f.Fuzz(func(t *testing.T, text, condition string) {
		where, err := ParseCondition(condition)
		if err != nil {
			return
		}
		file := filepath.Join(t.TempDir(), "t.csv")
		testutil.OK(t, os.WriteFile(file, []byte(text), 0o600))
		// an error is no failure
		_ = csv.Read(file, where.Check, func(row csv.Row) error { return testutil.Err(where.Holds(row)) })
	})
}
