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

// Sheet reads a CSV file with a header, row by row, so that its length does not
// matter. It closes with the file.
type Sheet struct {
	Name    string // name of the file, for errors
	Columns []string
	lines   *bufio.Reader
	line    int         // lines read
	ends    []int       // ends of the cells in a plain row
	quoted  *csv.Reader // reader of the rest, from the first line that is not plain; nil: none yet
	before  int         // lines that it does not know of
}

// Row is one row below the header; it is valid until the next.
type Row struct {
	Of    *Sheet
	plain []byte   // a row without quotes as in the file
	cells []string // cells of any other row
	line  int
}

// Read gives each row of a file to see, after check has looked at the columns.
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

// New reads the header. It fails for an empty file and for a name that is there twice.
func New(name string, r io.Reader) (*Sheet, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	// Spreadsheets write a byte order mark, which is no part of the first name.
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

// strictReader returns the format as its specification has it.
func strictReader(r io.Reader) *csv.Reader {
	strict := csv.NewReader(r)
	strict.FieldsPerRecord = -1
	strict.ReuseRecord = true
	strict.TrimLeadingSpace = true
	return strict
}

// next returns io.EOF at the end. It cuts a plain line, one without quotes that fits the buffer, at its
// commas. From the first other line on, the strict reader reads the file.
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

// cut returns the row of a plain line.
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

// whole refuses a row that has other cells than the header.
func (s *Sheet) whole(row Row, cells int) (Row, error) {
	if cells != len(s.Columns) {
		return row, fmt.Errorf("%s:%d: the row has %s, expected %d as in the header", s.Name, row.line, format.NumberOf(cells, "cell"), len(s.Columns))
	}
	return row, nil
}

// broken adds the usual place to an error of the CSV format.
func (s *Sheet) broken(err error) error {
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("%s:%d: character %d: %w", s.Name, s.before+parse.Line, parse.Column, parse.Err)
	}
	return fmt.Errorf("%s: %w", s.Name, err)
}

// Column returns the index of the first of the names in the header, ignoring case, or -1.
func (s *Sheet) Column(names ...string) int {
	for _, name := range names {
		if i := slices.IndexFunc(s.Columns, func(c string) bool { return strings.EqualFold(c, name) }); i >= 0 {
			return i
		}
	}
	return -1
}

// NoColumn is the error of a header without a name.
func (s *Sheet) NoColumn(name string) error {
	return fmt.Errorf("%s:1: no column %s; the header has %s", s.Name, format.Quoted(name), sanitize.Printable(strings.Join(s.Columns, ", "), 200))
}

// Line returns the row's place in the file, from 1 for the header.
func (r Row) Line() int { return r.line }

// At returns the text of a cell; a column of -1 has only empty ones.
func (r Row) At(column int) string { return string(r.Bytes(column)) }

// Bytes returns those of [Row.At], valid until the next row and not to be changed.
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

// Unexpected is the error of a cell that holds something else than expected.
func (r Row) Unexpected(column int, expected string) error {
	found := "the cell is empty"
	if text := r.At(column); text != "" {
		found = "found " + format.Quoted(text)
	}
	return fmt.Errorf("%s:%d, column %s: %s, expected %s", r.Of.Name, r.line, r.Of.Columns[column], found, expected)
}

// Whole returns a cell's whole number from 0 to most.
func (r Row) Whole(column, most int) (int, error) {
	n, err := strconv.Atoi(string(r.Bytes(column)))
	if err != nil || n < 0 || n > most {
		return 0, r.Unexpected(column, "a whole number from 0 to "+format.Count(most))
	}
	return n, nil
}

// Decimal returns a cell's number, as everybody writes them.
func (r Row) Decimal(column int) (float64, error) {
	v, err := strconv.ParseFloat(r.At(column), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, r.Unexpected(column, "a number such as 12.5")
	}
	return v, nil
}
