// Package csv reads CSV files with a header. [Read] reads the rows of a file, [New] makes a
// [Sheet] from a reader, and [ParseConditions] parses filters on columns. Errors name the line,
// the column and the expected value.
package csv

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gogi/internal/disk"
	"gogi/internal/format"
	"gogi/internal/sanitize"
)

// Sheet reads a CSV file with a header row by row, so that long files do not need more memory. Its rows are
// valid only while the file is open.
type Sheet struct {
	Name    string // name of the file, for errors
	Columns []string
	lines   *bufio.Reader
	line    int         // lines read
	ends    []int       // ends of the cells in a plain row
	quoted  *csv.Reader // reader of the rest, from the first line with quotes or over the buffer's size; nil before that line
	before  int         // number of lines that quoted does not count
}

// Row is one row below the header. It is valid until the next row is read.
type Row struct {
	Of    *Sheet
	plain []byte   // text of a row without quotes, as in the file
	cells []string // cells of any other row
	line  int
}

// Read reads a CSV file. It calls check with the header, and then calls see with each row. It stops at the
// first error.
func Read(path string, check func(*Sheet) error, see func(Row) error) error {
	file, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	s, err := New(path, file)
	if err == nil {
		err = check(s)
	}
	for err == nil {
		var row Row
		if row, err = s.next(); err == nil {
			err = see(row)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// New returns a Sheet after reading the header. It returns an error for an empty file, and for a header that
// has a name twice.
func New(name string, r io.Reader) (*Sheet, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	// Spreadsheets write a byte order mark, which is not part of the first name.
	if mark, err := buffered.Peek(3); err == nil && string(mark) == "\uFEFF" {
		_, _ = buffered.Discard(3)
	}
	s := &Sheet{Name: name, lines: buffered}
	strict := strictReader(buffered) // it takes no more from the buffer than it needs
	header, err := strict.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:1: the file is empty; expected a header with the names of the columns", name)
	}
	if err != nil {
		return nil, s.broken(err)
	}
	s.line, _ = strict.FieldPos(0)
	for i, cell := range header {
		s.line += strings.Count(cell, "\n")
		column := strings.TrimSpace(cell)
		if column != "" && slices.Contains(s.Columns, column) {
			return nil, fmt.Errorf("%s:1, column %d: %s is there twice", name, i+1, format.Quoted(column))
		}
		s.Columns = append(s.Columns, column)
	}
	return s, nil
}

// strictReader returns a reader for CSV with quotes.
func strictReader(r io.Reader) *csv.Reader {
	strict := csv.NewReader(r)
	strict.FieldsPerRecord = -1
	strict.ReuseRecord = true
	strict.TrimLeadingSpace = true
	return strict
}

// next returns the next row, or io.EOF at the end. A plain line has no quotes and fits the buffer: next cuts
// it at its commas. From the first other line on, next uses the strict reader.
func (s *Sheet) next() (Row, error) {
	for s.quoted == nil {
		line, err := s.lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) || bytes.IndexByte(line, '"') >= 0 {
			if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
				return Row{}, s.broken(err)
			}
			s.before = s.line
			s.quoted = strictReader(io.MultiReader(bytes.NewReader(bytes.Clone(line)), s.lines))
			break
		}
		if len(line) == 0 {
			return Row{}, io.EOF
		}
		s.line++
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(line) > 0 {
			return s.cut(line)
		}
	}
	cells, err := s.quoted.Read()
	if errors.Is(err, io.EOF) {
		return Row{}, err
	}
	if err != nil {
		return Row{}, s.broken(err)
	}
	line, _ := s.quoted.FieldPos(0)
	return s.whole(Row{Of: s, cells: cells, line: s.before + line}, len(cells))
}

// cut returns the row of a plain line, cut at its commas.
func (s *Sheet) cut(line []byte) (Row, error) {
	s.ends = s.ends[:0]
	for i, b := range line {
		if b == ',' {
			s.ends = append(s.ends, i)
		}
	}
	s.ends = append(s.ends, len(line))
	return s.whole(Row{Of: s, plain: line, line: s.line}, len(s.ends))
}

// whole returns an error if a row does not have as many cells as the header.
func (s *Sheet) whole(row Row, cells int) (Row, error) {
	if cells != len(s.Columns) {
		return row, fmt.Errorf("%s:%d: the row has %s, expected %d as in the header", s.Name, row.line, format.NumberOf(cells, "cell"), len(s.Columns))
	}
	return row, nil
}

// broken adds the file name, the line and the character to an error of the CSV format.
func (s *Sheet) broken(err error) error {
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("%s:%d: character %d: %w", s.Name, s.before+parse.Line, parse.Column, parse.Err)
	}
	return fmt.Errorf("%s: %w", s.Name, err)
}

// Column returns the index of the first of the names that the header has. It ignores case. It returns -1 if
// the header has none of the names.
func (s *Sheet) Column(names ...string) int {
	for _, name := range names {
		if i := slices.IndexFunc(s.Columns, func(c string) bool { return strings.EqualFold(c, name) }); i >= 0 {
			return i
		}
	}
	return -1
}

// NoColumn returns the error for a name that is not in the header.
func (s *Sheet) NoColumn(name string) error {
	return fmt.Errorf("%s:1: no column %s; the header has %s", s.Name, format.Quoted(name), sanitize.Printable(strings.Join(s.Columns, ", "), 200))
}

// Line returns the number of the row's line in the file. The header is line 1.
func (r Row) Line() int { return r.line }

// At returns the text of a cell. It returns "" if column is -1.
func (r Row) At(column int) string { return string(r.Bytes(column)) }

// Bytes returns the text of a cell without a copy. The bytes are valid until the next row, and the caller
// must not change them.
func (r Row) Bytes(column int) []byte {
	switch {
	case column < 0:
		return nil
	case r.plain == nil:
		return []byte(strings.TrimSpace(r.cells[column]))
	}
	start := 0
	if column > 0 {
		start = r.Of.ends[column-1] + 1
	}
	return bytes.TrimSpace(r.plain[start:r.Of.ends[column]])
}

// Unexpected returns the error for a cell with other text than expected.
func (r Row) Unexpected(column int, expected string) error {
	found := "the cell is empty"
	if text := r.At(column); text != "" {
		found = "found " + format.Quoted(text)
	}
	return fmt.Errorf("%s:%d, column %s: %s, expected %s", r.Of.Name, r.line, r.Of.Columns[column], found, expected)
}

// Whole returns the whole number in a cell. It returns an error if the number is not from 0 to most.
func (r Row) Whole(column, most int) (int, error) {
	n, err := strconv.Atoi(string(r.Bytes(column)))
	if err != nil || n < 0 || n > most {
		return 0, r.Unexpected(column, "a whole number from 0 to "+format.Count(most))
	}
	return n, nil
}

// Decimal returns the number in a cell, with an optional decimal point. It returns an error for other text.
func (r Row) Decimal(column int) (float64, error) {
	v, err := strconv.ParseFloat(r.At(column), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, r.Unexpected(column, "a number such as 12.5")
	}
	return v, nil
}
