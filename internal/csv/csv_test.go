package csv

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.csv")
	testutil.OK(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// TestRead: Read accepts cells as spreadsheets write them, and its errors name the place.
func TestRead(t *testing.T) {
	t.Parallel()
	var got []float64
	err := Read(written(t, "\ufeff\"a b\", n\r\n\r\nx,\" 4 \"\r\n"), func(s *Sheet) error {
		testutil.Check(t, s.Column("nothing", "N") == 1 && s.Column("A B") == 0 && s.Column("x") == -1, "%q", s.Columns)
		return nil
	}, func(r Row) error {
		v, err := r.Decimal(1)
		got = append(got, v)
		if n, errWhole := r.Whole(1, 4); n != 4 || errWhole != nil || r.At(-1) != "" || r.Line() != 3 {
			t.Errorf("%d, %v, line %d", n, errWhole, r.Line())
		}
		testutil.Fails(t, testutil.Err(r.Whole(1, 3)),
			"table.csv:3, column n: found \"4\", expected a whole number from 0 to 3")
		return err
	})
	testutil.Check(t, err == nil && len(got) == 1 && got[0] == 4, "%v, %v", got, err)
	for text, want := range map[string]string{
		"": "table.csv:1: the file is empty", "a,a\n": `table.csv:1, column 2: "a" is there twice`,
		"a,b\n1\n":     "table.csv:2: the row has 1 cell, expected 2",
		"a,b\n1,\"2\n": "table.csv:2: character",
	} {
		err := Read(written(t, text), func(*Sheet) error { return nil }, func(Row) error { return nil })
		testutil.Fails(t, err, want, "%q", text)
	}
}

// TestLines requires that each row has the number of its line.
func TestLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"plain", "a,b\n1, 2 \n\n,\r\n3,4", "2:1|2 4:| 5:3|4"},
		{"quoted later", "a,b\n1,2\n\n\"x\ny\",\"3,4\"\n5,6\n", "2:1|2 4:x\ny|3,4 6:5|6"},
		{"quoted header", "\"a\n\",b\n1,2\n", "3:1|2"},
		{"return at the end", "a,b\n1,2\r", "2:1|2"},
	} {
		s := testutil.Must(New("t.csv", strings.NewReader(c.text)))(t)
		var rows []string
		for {
			row, err := s.next()
			if errors.Is(err, io.EOF) {
				break
			}
			testutil.OK(t, err, "%s", c.name)
			rows = append(rows, fmt.Sprintf("%d:%s|%s", row.Line(), row.At(0), row.At(1)))
		}
		testutil.Equal(t, strings.Join(rows, " "), c.want, "%s", c.name)
	}
	for text, want := range map[string]string{
		"a,b\n1,2\n3\n": "t.csv:3: ", "a,b\n1,2\n\"3\"\n": "t.csv:3: ", "a,b\n1,2\n3\"4,5\n": "t.csv:3: character",
	} {
		s, err := New("t.csv", strings.NewReader(text))
		for err == nil {
			_, err = s.next()
		}
		testutil.Contains(t, err.Error(), want, "%q: %v", text, err)
	}
}

// FuzzRead reads files row by row. No text causes a panic, rows come in the order of their lines, and an error names
// the file.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"a,b\n1,2\n3,4\n", "\ufeffa,b\r\n\"x\ny\",2\n", "a,a\n", "", "a\n\n1\n", "a,b\n1\n", "a,\"b\n", " a , b\n 1 , 2\n",
		"a,b\n1e400,NaN\n", "\xff,\x00\n1,2\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(t.TempDir(), "t.csv")
		testutil.OK(t, os.WriteFile(file, []byte(text), 0o600))
		last := 0
		err := Read(file, func(s *Sheet) error { return nil }, func(row Row) error {
			testutil.Check(t, row.Line() > last, "line %d after %d", row.Line(), last)
			last = row.Line()
			for i := range row.Of.Columns {
				if n, err := row.Whole(i, 1000); err == nil && (n < 0 || n > 1000) {
					t.Errorf("%q is %d", row.At(i), n)
				}
				_, _ = row.Decimal(i)
			}
			return nil
		})
		testutil.Check(t, err == nil || strings.Contains(err.Error(), file), "the error names no file: %v", err)
	})
}
