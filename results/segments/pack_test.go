package segments

import (
	"bytes"
	"database/sql/driver"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/results/tables"
)

// unpacked unpacks data into a new segment.
func unpacked(blob []byte) (*Segment, error) {
	s := &Segment{}
	return s, s.Unpack(blob)
}

// rowsOf reads a segment whole.
func rowsOf(s *Segment, columns int) (rows [][]driver.Value, err error) {
	targets, into := make([]any, columns), make([]any, columns)
	for c := range targets {
		targets[c] = &into[c]
	}
	err = s.Each(targets, func() error {
		row := make([]driver.Value, columns)
		for c := range row {
			row[c] = into[c]
		}
		rows = append(rows, row)
		return nil
	})
	return rows, err
}

// plain returns rows in the form for Equal.
func plain(rows [][]driver.Value) [][]any {
	return lists.Map(rows, func(row []driver.Value) []any {
		return lists.Map(row, func(v driver.Value) any { return v })
	})
}

// sameBits reports whether two values are equal bit by bit, including NaN and the sign of zero.
func sameBits(a, b driver.Value) bool {
	x, isFloat := a.(float64)
	y, alsoFloat := b.(float64)
	if isFloat && alsoFloat {
		return math.Float64bits(x) == math.Float64bits(y)
	}
	return a == b
}

// drawColumn draws a column of one of the kinds that a game has, or of several kinds.
func drawColumn(t *rapid.T, n int) []driver.Value {
	extremes := []int64{0, 1, -1, math.MaxInt64, math.MinInt64, math.MaxUint32, 1 << 53}
	integers := rapid.OneOf(rapid.SampledFrom(extremes), rapid.Int64(), rapid.Int64Range(-3, 300))
	floats := rapid.OneOf(rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 0.5, 1, math.NaN(), math.Inf(1)}),
		rapid.Float64())
	texts := rapid.OneOf(rapid.SampledFrom([]string{"", "\x00", "0", strings.Repeat("歩", 5000)}), rapid.String())
	boxed := func(kind int) driver.Value {
		switch kind {
		case 0:
			return integers.Draw(t, "integer")
		case 1:
			return floats.Draw(t, "float")
		case 2:
			return texts.Draw(t, "text")
		}
		return nil
	}
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	column := make([]driver.Value, n)
	next := integers.Draw(t, "first")
	for i := range column {
		switch kind {
		case 4: // like pair numbers and times
			column[i], next = next, next+int64(rapid.IntRange(0, 2).Draw(t, "step"))
		case 5:
			column[i] = boxed(rapid.IntRange(0, 3).Draw(t, "any"))
		default:
			column[i] = boxed(kind)
		}
	}
	return column
}

// TestPackAndUnpack: Unpack returns packed data unchanged, and Pack packs them to the same bytes again. The same
// segment is used for all data.
func TestPackAndUnpack(t *testing.T) {
	var s Segment
	rapid.Check(t, func(t *rapid.T) {
		n, columns := rapid.IntRange(0, 20).Draw(t, "rows"), rapid.IntRange(1, 8).Draw(t, "columns")
		want := make([][]driver.Value, n)
		for range columns {
			for i, v := range drawColumn(t, n) {
				want[i] = append(want[i], v)
			}
		}
		blob := testutil.Must(Pack(want))(t)
		if err := s.Unpack(blob); err != nil || s.Len() != n {
			t.Fatalf("%v, %d rows of %d", err, s.Len(), n)
		}
		got, err := rowsOf(&s, columns)
		testutil.Require(t, err == nil && len(got) == n, "%v, %d rows of %d", err, len(got), n)
		for i := range want {
			for c := range want[i] {
				testutil.Check(t, sameBits(want[i][c], got[i][c]), "row %d, column %d: %v instead of %v", i, c, got[i][c],
					want[i][c])
			}
		}
		testutil.Check(t, s.Equal(plain(want)), "its own rows are other rows")
		if n > 0 {
			row, c := rapid.IntRange(0, n-1).Draw(t, "row"), rapid.IntRange(0, columns-1).Draw(t, "column")
			other := drawColumn(t, 1)[0]
			equal := sameBits(want[row][c], other)
			want[row] = slices.Clone(want[row])
			want[row][c] = other
			testutil.Check(t, s.Equal(plain(want)) == equal && !s.Equal(plain(want[1:])), "%v in row %d, column %d", other,
				row, c)
		}
		if again, err := Pack(got); err != nil || !bytes.Equal(again, blob) {
			t.Errorf("packed again it is another segment (%v)", err)
		}
	})
}

// TestShortestWay: increasing times, hashes and repeated words take few bytes.
func TestShortestWay(t *testing.T) {
	var times, hashes, few [][]driver.Value
	for i := range 500 {
		n := int64(i)
		times = append(times, []driver.Value{1_800_000_000_000_000 + 50*n})
		hashes = append(hashes, []driver.Value{int64(uint64(n+1) * 0x9e3779b97f4a7c15)})
		few = append(few, []driver.Value{[]string{"resignation", "repetition"}[i%2]})
	}
	for name, c := range map[string]struct {
		rows [][]driver.Value
		most int
	}{"times": {times, 520}, "hashes": {hashes, 4020}, "words": {few, 540}} {
		blob, err := Pack(c.rows)
		testutil.Check(t, err == nil && len(blob) <= c.most, "%s: %d bytes, expected at most %d (%v)", name, len(blob),
			c.most, err)
	}
}

// TestUnpackGarbage: for any invalid data, Unpack returns an error or other rows. It never panics or uses much memory.
func TestUnpackGarbage(t *testing.T) {
	blob := testutil.Must(Pack([][]driver.Value{
		{int64(7), int64(1 << 40), 0.5, "resignation", nil, int64(-1 << 62)},
		{int64(7), int64(1<<40 + 3), 1.0, "repetition", "x", int64(1 << 61)},
		{int64(7), int64(1<<40 + 5), 0.5, "", nil, int64(3)},
	}))(t)
	for n := range blob {
		testutil.Fails(t, testutil.Err(unpacked(blob[:n])), "", "cut off after %d bytes: no error", n)
	}
	testutil.Fails(t, testutil.Err(unpacked(append(bytes.Clone(blob), 0))), "", "a byte too many: no error")
	testutil.Fails(t, testutil.Err(unpacked(append([]byte{version + 1}, blob[1:]...))), "", "another version: no error")
	testutil.Fails(t, testutil.Err(unpacked([]byte{version, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, same, null})), "",
		"too many rows: no error")
	rapid.Check(t, func(t *rapid.T) {
		other := bytes.Clone(blob)
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			other[rapid.IntRange(0, len(other)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		}
		if s, err := unpacked(other); err == nil {
			_, _ = rowsOf(s, 6) // any rows are valid
		}
	})
}

func TestMisuse(t *testing.T) {
	for name, rows := range map[string][][]driver.Value{
		"lengths": {{int64(1)}, {int64(1), int64(2)}}, "a blob": {{[]byte("x")}},
	} {
		testutil.Fails(t, testutil.Err(Pack(rows)), "", "%s: no error", name)
	}
	blob := testutil.Must(Pack([][]driver.Value{{int64(1), "x"}, {int64(2), "x"}}))(t)
	s := testutil.Must(unpacked(blob))(t)
	testutil.Fails(t, testutil.Err(rowsOf(s, 3)), "", "three targets for two columns: no error")
	var n int
	testutil.Fails(t, s.Each([]any{&n, &n}, func() error { return nil }), "", "a text for an integer: no error")
	enough := errors.New("enough")
	var word string
	if err := s.Each([]any{&n, &word}, func() error { return enough }); !errors.Is(err, enough) || n != 1 {
		t.Errorf("after row %d: %v", n, err)
	}
}

// TestOpen: a segment can only be opened for the pairs for which it was stored.
func TestOpen(t *testing.T) {
	blob := testutil.Must(Pack([][]driver.Value{{int64(1)}, {int64(9)}}))(t)
	sum := testutil.Must(tables.SumOf("segments", int64(3), int64(5), blob))(t)
	var s Segment
	if err := s.Open(3, 5, []driver.Value{blob, sum}); err != nil || s.Len() != 2 {
		t.Errorf("%v", err)
	}
	flipped := bytes.Clone(blob)
	flipped[len(flipped)-1] ^= 2
	for name, err := range map[string]error{
		"another run": openError(4, 5, blob, sum), "another block": openError(3, 6, blob, sum),
		"a flipped bit": openError(3, 5, flipped, sum), "another sum": openError(3, 5, blob, sum+1),
		"no blob": openError(3, 5, nil, sum),
	} {
		testutil.Check(t, errors.Is(err, errDamaged), "%s: %v", name, err)
	}
}

func openError(run, block int64, blob []byte, sum int64) error {
	return new(Segment).Open(run, block, []driver.Value{blob, sum})
}
