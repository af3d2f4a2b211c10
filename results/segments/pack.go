// Package segments stores many consecutive pairs as one packed value, column by column. Then a report of a million
// games reads a thousand values and not a million rows; SQLite and its driver cause two thirds of the cost of a row.
// [Pack] and [Segment.Unpack] convert; [Stored] reads the segments of a run.
//
// gogi calculates a segment from rows. Triggers of the schema delete a segment if one of its rows is added, changed or
// deleted.
package segments

import (
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"gogi/results/tables"
)

// version is the version of the format. It is the first byte of a segment.
const version = 1

// These are the encodings of a column. The first byte of a column is its encoding.
const (
	same       = iota // one value for all rows
	steps             // integers: differences from the previous integer, as zigzag varints
	numbers           // integers as zigzag varints
	wide              // integers of eight bytes each
	dictionary        // any values: the list of distinct values, and for each row an index into it
)

// These are the kinds of a single value.
const (
	null = iota
	integer
	float
	text
)

// errShort is the error if a segment ends too early.
var errShort = errors.New("the segment is cut off")

// Pack packs rows with the same number of columns. The values are those of SQLite: nil, int64, float64 or
// string. Pack returns an error for other values, and for rows of different lengths. Equal rows give equal
// bytes.
func Pack(rows [][]driver.Value) ([]byte, error) {
	columns := 0
	if len(rows) > 0 {
		columns = len(rows[0])
	}
	out := binary.AppendUvarint([]byte{version}, uint64(len(rows)))
	out = binary.AppendUvarint(out, uint64(columns))
	values := make([]driver.Value, len(rows))
	for c := range columns {
		for i, row := range rows {
			if len(row) != columns {
				return nil, fmt.Errorf("row %d has %d columns, expected %d", i, len(row), columns)
			}
			values[i] = row[c]
		}
		var err error
		if out, err = appendColumn(out, values); err != nil {
			return nil, fmt.Errorf("column %d: %w", c, err)
		}
	}
	return out, nil
}

// key is a value in a comparable form. It distinguishes 0 from -0 and from NULL, and NaNs with different
// bits.
type key struct {
	kind int
	bits uint64
	text string
}

func keyOf(v driver.Value) (key, error) {
	switch v := v.(type) {
	case nil:
		return key{kind: null}, nil
	case int64:
		return key{kind: integer, bits: uint64(v)}, nil
	case float64:
		return key{kind: float, bits: math.Float64bits(v)}, nil
	case string:
		return key{kind: text, text: v}, nil
	}
	return key{}, fmt.Errorf("a %T is no value of a segment", v)
}

func appendColumn(out []byte, values []driver.Value) ([]byte, error) {
	keys := make([]key, len(values))
	equal, integers := len(values) > 0, true
	for i, v := range values {
		var err error
		if keys[i], err = keyOf(v); err != nil {
			return nil, err
		}
		equal = equal && keys[i] == keys[0]
		integers = integers && keys[i].kind == integer
	}
	switch {
	case equal:
		return appendValue(append(out, same), keys[0]), nil
	case integers:
		return appendIntegers(out, values), nil
	}
	indices, different := distinct(keys)
	return appendDictionary(out, different, indices), nil
}

// distinct returns the distinct keys in the order of their first occurrence, and the index of each key in that list.
func distinct(keys []key) (indices []int, different []key) {
	known := map[key]int{}
	for _, k := range keys {
		at, seen := known[k]
		if !seen {
			at = len(different)
			known[k], different = at, append(different, k)
		}
		indices = append(indices, at)
	}
	return indices, different
}

func appendDictionary(out []byte, different []key, indices []int) []byte {
	out = binary.AppendUvarint(append(out, dictionary), uint64(len(different)))
	for _, k := range different {
		out = appendValue(out, k)
	}
	for _, i := range indices {
		out = binary.AppendUvarint(out, uint64(i))
	}
	return out
}

func appendValue(out []byte, k key) []byte {
	out = append(out, byte(k.kind))
	switch k.kind {
	case integer:
		return binary.AppendVarint(out, int64(k.bits))
	case float:
		return binary.LittleEndian.AppendUint64(out, k.bits)
	case text:
		return append(binary.AppendUvarint(out, uint64(len(k.text))), k.text...)
	}
	return out
}

// appendIntegers appends the values in the encoding that needs the fewest bytes.
func appendIntegers(out []byte, values []driver.Value) []byte {
	var ways [3][]byte
	before := int64(0)
	for _, v := range values {
		n, _ := v.(int64)
		ways[0] = binary.AppendVarint(ways[0], n-before) // may overflow; Unpack reverses the overflow
		ways[1] = binary.AppendVarint(ways[1], n)
		ways[2] = binary.LittleEndian.AppendUint64(ways[2], uint64(n))
		before = n
	}
	best := 0
	for i := range ways {
		if len(ways[i]) < len(ways[best]) {
			best = i
		}
	}
	return append(append(out, byte(steps+best)), ways[best]...)
}

// Segment has the rows of an unpacked segment. The zero value has no rows.
type Segment struct {
	rows    int
	columns []column
	varying []int // columns with different values
}

// column has the values of one column. They are integers, or a list of distinct values with an index for each row. If
// there is only one integer or index, it applies to every row.
type column struct {
	words  []int64
	values []driver.Value // none: the words are the values
}

// mostRows is the largest number of rows in a valid segment. It protects against damaged data.
const mostRows = 1 << 20

// Unpack replaces the rows by those in the data that Pack returns. It uses the memory of the earlier rows again. For
// invalid data and for an unknown version it returns an error and does not panic; the segment then has no defined rows.
func (s *Segment) Unpack(blob []byte) error {
	if len(blob) == 0 || blob[0] != version {
		return errors.New("it is no segment, or one of a newer gogi")
	}
	r := reader{rest: blob[1:]}
	s.rows = r.count(mostRows)
	columns := r.count(len(blob))
	s.columns = slices.Grow(s.columns[:0], columns)[:columns]
	s.varying = s.varying[:0]
	for c := range s.columns {
		r.column(&s.columns[c], s.rows)
		if len(s.columns[c].words) > 1 {
			s.varying = append(s.varying, c)
		}
	}
	if r.err == nil && len(r.rest) > 0 {
		r.err = fmt.Errorf("%d bytes follow the segment", len(r.rest))
	}
	return r.err
}

// reader reads the parts of a segment. After an error it returns only zeros.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.rest = nil
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.rest) {
		r.fail(errShort)
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.fail(errShort)
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// count reads a number. It fails if the number exceeds most.
func (r *reader) count(most int) int {
	v, n := binary.Uvarint(r.rest)
	switch {
	case n <= 0:
		r.fail(errShort)
		return 0
	case v > uint64(most):
		r.fail(fmt.Errorf("a number is %d, expected at most %d", v, most))
		return 0
	}
	r.rest = r.rest[n:]
	return int(v)
}

func (r *reader) kind() byte {
	if taken := r.bytes(1); taken != nil {
		return taken[0]
	}
	return 0
}

func (r *reader) value() driver.Value {
	switch kind := r.kind(); kind {
	case null:
		return nil
	case integer:
		return r.varint()
	case float:
		if b := r.bytes(8); b != nil {
			return math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
	case text:
		return string(r.bytes(r.count(len(r.rest))))
	default:
		r.fail(fmt.Errorf("a value is of kind %d, which no gogi writes", kind))
	}
	return nil
}

// column replaces a column by the next one.
func (r *reader) column(c *column, rows int) {
	c.words, c.values = c.words[:0], c.values[:0]
	switch kind := r.kind(); kind {
	case same:
		c.words, c.values = append(c.words, 0), append(c.values, r.value())
	case steps, numbers, wide:
		c.words = r.words(c.words, rows)
		r.integers(kind, c.words)
	case dictionary:
		for range r.count(rows) {
			c.values = append(c.values, r.value())
		}
		if c.words = r.words(c.words, rows); len(c.values) == 0 {
			r.fail(errShort)
		}
		for i := range c.words {
			c.words[i] = int64(r.count(len(c.values) - 1))
		}
	default:
		r.fail(fmt.Errorf("a column is of kind %d, which no gogi writes", kind))
	}
}

// words returns a list of rows numbers, which uses the memory of old. It fails if fewer bytes are left, because each
// number needs at least one byte.
func (r *reader) words(old []int64, rows int) []int64 {
	if rows > len(r.rest) {
		r.fail(errShort)
		return nil
	}
	return slices.Grow(old, rows)[:rows]
}

func (r *reader) integers(kind byte, words []int64) {
	if kind == wide {
		b := r.bytes(8 * len(words))
		for i := range len(b) / 8 {
			words[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
		}
		return
	}
	before := int64(0)
	for i := range words {
		words[i] = r.varint()
		if kind == steps {
			words[i] += before
			before = words[i]
		}
	}
}

// Len returns the number of rows.
func (s *Segment) Len() int { return s.rows }

// Equal reports whether the segment has exactly these rows.
func (s *Segment) Equal(rows [][]any) bool {
	if len(rows) != s.rows {
		return false
	}
	for i, row := range rows {
		if len(row) != len(s.columns) {
			return false
		}
		for c := range row {
			if !s.columns[c].has(i, row[c]) {
				return false
			}
		}
	}
	return true
}

// has reports whether the column has a value in a row.
func (c *column) has(row int, value any) bool {
	word := c.words[min(row, len(c.words)-1)]
	if len(c.values) == 0 {
		n, ok := value.(int64)
		return ok && n == word
	}
	stored, err := keyOf(c.values[word])
	found, wrong := keyOf(value)
	return err == nil && wrong == nil && stored == found
}

// Each calls yield once for each row, after it has assigned the row's values to targets. targets has one pointer
// for each column, like the target of tables.Assign. yield must not change the targets, because Each does not
// assign a value again that equals the value of the previous row. Each returns an error for a wrong number of
// targets, and for a value that does not fit its target. If yield returns an error, Each returns it unchanged.
func (s *Segment) Each(targets []any, yield func() error) error {
	if s.rows > 0 && len(targets) != len(s.columns) {
		return fmt.Errorf("the segment has %d columns, expected %d", len(s.columns), len(targets))
	}
	for i := range s.rows {
		if err := s.assign(targets, i); err != nil {
			return err
		}
		if err := yield(); err != nil {
			return err
		}
	}
	return nil
}

// assign assigns the values of a row that differ from those of the previous row.
func (s *Segment) assign(targets []any, row int) error {
	if row == 0 {
		for c := range s.columns {
			if err := s.columns[c].assign(targets[c], 0); err != nil {
				return err
			}
		}
		return nil
	}
	for _, c := range s.varying {
		if words := s.columns[c].words; words[row] != words[row-1] {
			if err := s.columns[c].assign(targets[c], row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *column) assign(target any, row int) error {
	if len(c.values) == 0 {
		return tables.AssignInt(target, c.words[row])
	}
	return tables.Assign(target, c.values[c.words[row]])
}
