package position

import (
	"fmt"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// CheckShape accepts each shape at its limit. One more level or dot is an error with its line.
func TestShapeIsBounded(t *testing.T) {
	const deep = "3: lists and tables are nested too deeply: expected at most 200 within each other"
	for _, test := range []struct {
		want  string
		text  func(n int) string
		limit int
	}{
		{deep, func(n int) string { return "a = " + strings.Repeat("[", n) + strings.Repeat("]", n) }, maxNesting},
		{deep, func(n int) string { return "a = " + strings.Repeat("[", n) }, maxNesting},
		{deep, func(n int) string { return "a = " + strings.Repeat("{a=", n) + "1" + strings.Repeat("}", n) }, maxNesting},
		{"3: the line has 1001 dots: expected at most 1000",
			func(n int) string { return "a" + strings.Repeat(".a", n) + " = 1" }, maxDots},
	} {
		for _, n := range []int{test.limit, test.limit + 1} {
			got, want := "", test.want
			if line, err := CheckShape("# [[1]]\nb = [1.5]]\n" + test.text(n) + "\n"); err != nil {
				got = fmt.Sprintf("%d: %v", line, err)
			}
			if n == test.limit {
				want = ""
			}
			testutil.Equal(t, got, want, "%.9q, %d", test.text(n), n)
		}
	}
}
