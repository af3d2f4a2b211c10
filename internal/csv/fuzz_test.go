package csv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// FuzzRead reads files row by row with a condition: no text panics, rows come in the
// order of their lines, and an error names the file.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"a,b\n1,2\n3,4\n", "\ufeffa,b\r\n\"x\ny\",2\n", "a,a\n", "", "a\n\n1\n", "a,b\n1\n", "a,\"b\n", " a , b\n 1 , 2\n", "a,b\n1e400,NaN\n", "\xff,\x00\n1,2\n",
	} {
		for _, condition := range []string{"a=1", "b >= 2", "a != x", "a<", "=1", "a<=1e999"} {
			f.Add(text, condition)
		}
	}
	f.Fuzz(func(t *testing.T, text, condition string) {
		file := filepath.Join(t.TempDir(), "t.csv")
		testutil.OK(t, os.WriteFile(file, []byte(text), 0o600))
		where, errWhere := ParseCondition(condition)
		last := 0
		err := Read(file, func(s *Sheet) error { return nil }, func(row Row) error {
			if row.Line() <= last {
				t.Errorf("line %d after %d", row.Line(), last)
			}
			last = row.Line()
			for i := range row.Of.Columns {
				if n, err := row.Whole(i, 1000); err == nil && (n < 0 || n > 1000) {
					t.Errorf("%q is %d", row.At(i), n)
				}
				_, _ = row.Decimal(i)
			}
			if errWhere == nil && where.Check(row.Of) == nil {
				_, _ = where.Holds(row)
			}
			return nil
		})
		testutil.Check(t, err == nil || strings.Contains(err.Error(), file), "the error names no file: %v", err)
	})
}
