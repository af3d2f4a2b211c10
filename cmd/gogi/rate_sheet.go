package main

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"gogi/internal/format"
)

// sheet reads a CSV file with a header, row by row, so that its length does not
// matter. It closes with the file.
type sheet struct {
	name    string // of the file, for errors
	columns []string
	reader  *csv.Reader
}

// sheetRow is one row below the header; it is valid until the next.
type sheetRow struct {
	of    *sheet
	cells []string
	line  int
}

// readSheet gives each row of a file to see, after check has looked at the
// columns.
func readSheet(path string, check func(*sheet) error, see func(sheetRow) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	s, err := newSheet(path, file)
	if err == nil {
		err = check(s)
	}
	for err == nil {
		var row sheetRow
		if row, err = s.next(); err == nil {
			err = see(row)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func newSheet(name string, r io.Reader) (*sheet, error) {
	buffered := bufio.NewReader(r)
	// Spreadsheets write a byte order mark, which is no part of the first name.
	if mark, err := buffered.Peek(3); err == nil && string(mark) == "\uFEFF" {
		_, _ = buffered.Discard(3)
	}
	s := &sheet{name: name, reader: csv.NewReader(buffered)}
	s.reader.FieldsPerRecord = -1
	s.reader.ReuseRecord = true
	s.reader.TrimLeadingSpace = true
	header, err := s.reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:1: the file is empty; expected a header with the names of the columns", name)
	}
	if err != nil {
		return nil, s.broken(err)
	}
	for i, cell := range header {
		column := strings.TrimSpace(cell)
		if column != "" && slices.Contains(s.columns, column) {
			return nil, fmt.Errorf("%s:1, column %d: %s is there twice", name, i+1, format.Quoted(column))
		}
		s.columns = append(s.columns, column)
	}
	return s, nil
}

// next is io.EOF at the end.
func (s *sheet) next() (sheetRow, error) {
	cells, err := s.reader.Read()
	if errors.Is(err, io.EOF) {
		return sheetRow{}, err
	}
	if err != nil {
		return sheetRow{}, s.broken(err)
	}
	line, _ := s.reader.FieldPos(0)
	row := sheetRow{of: s, cells: cells, line: line}
	if len(cells) != len(s.columns) {
		return row, fmt.Errorf("%s:%d: the row has %s, expected %d as in the header", s.name, line, format.NumberOf(len(cells), "cell"), len(s.columns))
	}
	return row, nil
}

// broken puts an error of the CSV format where every error has its place.
func (s *sheet) broken(err error) error {
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("%s:%d: character %d: %w", s.name, parse.Line, parse.Column, parse.Err)
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// column is the place of the first of the names that the header has, whatever
// their case, or -1.
func (s *sheet) column(names ...string) int {
	for _, name := range names {
		if i := slices.IndexFunc(s.columns, func(c string) bool { return strings.EqualFold(c, name) }); i >= 0 {
			return i
		}
	}
	return -1
}

// at is the text of a cell; a column of -1 has only empty ones.
func (r sheetRow) at(column int) string {
	if column < 0 {
		return ""
	}
	return strings.TrimSpace(r.cells[column])
}

// unexpected is the error of a cell that holds something else than expected.
func (r sheetRow) unexpected(column int, expected string) error {
	found := "the cell is empty"
	if text := r.at(column); text != "" {
		found = "found " + format.Quoted(text)
	}
	return fmt.Errorf("%s:%d, column %s: %s, expected %s", r.of.name, r.line, r.of.columns[column], found, expected)
}

// whole is a cell's whole number from 0 to most.
func (r sheetRow) whole(column, most int) (int, error) {
	n, err := strconv.Atoi(r.at(column))
	if err != nil || n < 0 || n > most {
		return 0, r.unexpected(column, "a whole number from 0 to "+format.Count(most))
	}
	return n, nil
}

// decimal is a cell's number, as everybody writes them.
func (r sheetRow) decimal(column int) (float64, error) {
	v, err := strconv.ParseFloat(r.at(column), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, r.unexpected(column, "a number such as 12.5")
	}
	return v, nil
}
