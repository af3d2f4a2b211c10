package book

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gogi/shogi"
)

// dbHeader is the first line of a file in the format db.
const dbHeader = "#YANEURAOU-DB2016 1.00"

// maxLine is the largest length of a text line that gogi reads, in bytes.
const maxLine = 1 << 20

// eachLine calls f for every line of a text, with its number from 1 and without its line end. It skips a byte
// order mark. If f returns an error, eachLine stops and adds the line number to the error.
func eachLine(r io.Reader, f func(n int, line string) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 1<<16), maxLine)
	n := 0
	for s.Scan() {
		n++
		line := bytes.TrimSuffix(s.Bytes(), []byte("\r"))
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if err := f(n, string(line)); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := s.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("line %d has more than %d bytes: expected a line of a book", n+1, maxLine)
	} else if err != nil {
		return fmt.Errorf("after line %d: %w", n, err)
	}
	return nil
}

// dbReader reads a file in the format db line by line.
type dbReader struct {
	book    *Book
	entry   *Entry
	before  string // the line of the previous position, without its number
	comment *string
}

// readDB reads a book in the format db. It accepts a missing header, because old files have none, and each
// header of version 1. It returns an error for another header.
func readDB(r io.Reader) (*Book, error) {
	d := &dbReader{book: &Book{}}
	if err := eachLine(r, d.line); err != nil {
		return nil, err
	}
	return d.book, nil
}

func (d *dbReader) line(n int, line string) error {
	switch text := strings.TrimSpace(line); {
	case text == "":
	case n == 1 && strings.HasPrefix(text, "#YANEURAOU"):
		if !strings.HasPrefix(text, strings.TrimSuffix(dbHeader, "00")) { // YaneuraOu skips the line without a comparison
			return fmt.Errorf("the header is %q: expected %q", text, dbHeader)
		}
	case strings.HasPrefix(text, "#"), strings.HasPrefix(text, "//"):
		d.remark(strings.TrimPrefix(strings.TrimPrefix(text, "#"), "//"))
	case strings.HasPrefix(text, "sfen "):
		return d.position(strings.TrimPrefix(text, "sfen "))
	case d.entry == nil:
		return fmt.Errorf("%q stands before the first position: expected %q or a line that begins with \"sfen \"", text,
			dbHeader)
	default:
		return d.move(text)
	}
	return nil
}

// remark adds a comment to the last move, or to the last position if that has no move yet.
func (d *dbReader) remark(text string) {
	if d.comment == nil {
		return
	}
	if *d.comment != "" {
		*d.comment += "\n"
	}
	*d.comment += text
}

func (d *dbReader) position(sfen string) error {
	text, anyPly := numbered(sfen)
	p, err := shogi.ParseSFEN(text)
	if err != nil {
		return err
	}
	key := strings.Join(strings.Fields(text)[:3], " ")
	if d.entry != nil && key < d.before {
		d.book.Unsorted = true
	}
	d.before = key
	d.entry = &Entry{Position: p, AnyPly: anyPly}
	d.comment = &d.entry.Comment
	d.book.Entries = append(d.book.Entries, d.entry)
	return nil
}

// numbered replaces the move number 0 of a SFEN with 1, because 0 is the number of no move. unknown reports whether the
// SFEN has the number 0 or none.
func numbered(sfen string) (text string, unknown bool) {
	fields := strings.Fields(sfen)
	switch {
	case len(fields) == 3:
		return sfen, true
	case len(fields) == 4 && strings.Trim(fields[3], "0") == "":
		return strings.Join(fields[:3], " ") + " 1", true
	}
	return sfen, false
}

// move reads "move ponder score depth [count [remark]]"; missing fields have no value.
func (d *dbReader) move(text string) (err error) {
	words := strings.SplitN(text, " ", 6)
	var m Move
	if m.Move, err = shogi.ParseMove(words[0]); err != nil {
		return err
	}
	word := func(i int) string {
		if i >= len(words) || words[i] == "none" {
			return ""
		}
		return words[i]
	}
	if w := word(1); w != "" && w != "resign" && w != "win" {
		if m.Ponder, err = shogi.ParseMove(w); err != nil {
			return fmt.Errorf("the expected answer: %w", err)
		}
	}
	if w := word(2); w != "" {
		m.HasScore = true
		if m.Score, err = whole(w, "score", -1<<31); err != nil {
			return err
		}
	}
	if m.Depth, err = whole(word(3), "depth", 0); err != nil {
		return err
	}
	if m.Count, err = whole(word(4), "count", 0); err != nil {
		return err
	}
	if w := word(5); w != "" {
		m.Comment = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(w), "#"), "//")
	}
	d.entry.Moves = append(d.entry.Moves, m)
	d.comment = &d.entry.Moves[len(d.entry.Moves)-1].Comment
	return nil
}

// whole parses an integer that is not below low. It returns 0 for "". what names the integer in the error.
func whole(word, what string, low int) (int, error) {
	if word == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(word, 10, 32)
	if err != nil || int(n) < low {
		return 0, fmt.Errorf("the %s is %q: expected a whole number from %d or none", what, word, low)
	}
	return int(n), nil
}

// writeDB writes the positions that have moves, sorted by the bytes of their texts with their move numbers. YaneuraOu
// needs this order to search in the file. A position under several move numbers has an entry for each number.
func writeDB(w io.Writer, b *Book) error {
	list, err := keyedBy(b.byPly(), func(e *Entry) (string, error) { return e.SFEN(), nil }, strings.Compare)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, dbHeader)
	for _, e := range list {
		fmt.Fprintf(out, "sfen %s\n", e.SFEN())
		writeRemark(out, e.Comment)
		for _, m := range e.Moves {
			fmt.Fprintf(out, "%v %v %s %s", m.Move, m.Ponder, orNone(m.Score, m.HasScore), orNone(m.Depth, m.Depth > 0))
			if m.Count > 0 {
				fmt.Fprintf(out, " %d", m.Count)
			}
			fmt.Fprintln(out)
			writeRemark(out, m.Comment)
		}
	}
	return out.Flush()
}

func orNone(n int, has bool) string {
	if !has {
		return "none"
	}
	return strconv.Itoa(n)
}

// writeRemark writes each line of a comment as a comment line.
func writeRemark(w io.Writer, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(w, "#%s\n", strings.Map(func(r rune) rune {
			if r < ' ' {
				return ' '
			}
			return r
		}, line))
	}
}
