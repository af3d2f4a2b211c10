// Package csv reads CSV files with a header. [Read] reads the rows of a file, and [New] makes a
// [Sheet] from a reader. Errors name the line, the column and the expected value.
package csv

import (
	"bufio"
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

// A Sheet is a reader of a CSV file whose first line is a header. It reads one row at a time, so the memory
// use does not grow with the file. Its rows are valid only while the file is open.
type Sheet struct {
	Name    string // name of the file, for errors
	Columns []string
	rows    *csv.Reader
}

// A Row is one line of the table, not the header. It is valid until the next row is read.
type Row struct {
	Of    *Sheet
	cells []string
	line  int
}

// Read reads a CSV file. It reads the header first, and calls check once with the sheet, so that check can
// reject missing columns. Then it calls see with each row. It stops at the first error and returns it.
func Read(path string, check func(*Sheet) error, see func(Row) error) error {
	file, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // the file was only read
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

// New reads the header and returns a Sheet. It returns an error for an empty file, and for a header that has
// the same name twice.
func New(name string, r io.Reader) (*Sheet, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	// Spreadsheets write a byte order mark, which is not part of the first name.
	if mark, err := buffered.Peek(3); err == nil && string(mark) == "\uFEFF" {
		_, _ = buffered.Discard(3)
	}
	s := &Sheet{Name: name, rows: csv.NewReader(buffered)}
	s.rows.FieldsPerRecord = -1
	s.rows.ReuseRecord = true
	s.rows.TrimLeadingSpace = true
	header, err := s.rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:1: the file is empty; expected a header with the names of the columns", name)
	}
	if err != nil {
		return nil, s.broken(err)
	}
	for i, cell := range header {
		column := strings.TrimSpace(cell)
		if column != "" && slices.Contains(s.Columns, column) {
			return nil, fmt.Errorf("%s:1, column %d: %s is there twice", name, i+1, format.Quoted(column))
		}
		s.Columns = append(s.Columns, column)
	}
	return s, nil
}

// next returns the next row, or io.EOF at the end.
func (s *Sheet) next() (Row, error) {
	cells, err := s.rows.Read()
	if err != nil {
		return Row{}, s.broken(err)
	}
	line, _ := s.rows.FieldPos(0)
	if len(cells) != len(s.Columns) {
		return Row{}, fmt.Errorf("%s:%d: the row has %s, expected %d as in the header", s.Name, line,
			format.NumberOf(len(cells), "cell"), len(s.Columns))
	}
	return Row{Of: s, cells: cells, line: line}, nil
}

// broken returns the error for an unreadable part of the file, with its place. It returns io.EOF unchanged.
func (s *Sheet) broken(err error) error {
	if errors.Is(err, io.EOF) {
		return err
	}
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("%s:%d: character %d: %w", s.Name, parse.Line, parse.Column, parse.Err)
	}
	return fmt.Errorf("%s: %w", s.Name, err)
}

// Column returns the index of the first of names that the header has, without regard to case. It returns -1
// if the header has none of them.
func (s *Sheet) Column(names ...string) int {
	for _, name := range names {
		if i := slices.IndexFunc(s.Columns, func(c string) bool { return strings.EqualFold(c, name) }); i >= 0 {
			return i
		}
	}
	return -1
}

// NoColumn returns the error for a header without the column that has this name. The error lists the columns.
func (s *Sheet) NoColumn(name string) error {
	return fmt.Errorf("%s:1: no column %s; the header has %s", s.Name, format.Quoted(name),
		sanitize.Printable(strings.Join(s.Columns, ", "), 200))
}

// Line returns the number of the row's line in the file. The header is line 1.
func (r Row) Line() int { return r.line }

// At returns the text of a cell without blanks around it. It returns "" for a negative column.
func (r Row) At(column int) string {
	if column < 0 {
		return ""
	}
	return strings.TrimSpace(r.cells[column])
}

// Bytes returns the result of At as bytes.
func (r Row) Bytes(column int) []byte { return []byte(r.At(column)) }

// Unexpected returns an error with the place of a cell, the text in it, and the description of the expected
// text.
func (r Row) Unexpected(column int, expected string) error {
	found := "the cell is empty"
	if text := r.At(column); text != "" {
		found = "found " + format.Quoted(text)
	}
	return fmt.Errorf("%s:%d, column %s: %s, expected %s", r.Of.Name, r.line, r.Of.Columns[column], found, expected)
}

// Whole returns the whole number in a cell. It returns an error if the number is below 0 or above most.
func (r Row) Whole(column, most int) (int, error) {
	n, err := strconv.Atoi(r.At(column))
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
