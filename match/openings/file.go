package openings

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"gogi/internal/disk"
	"gogi/usi"
)

// headMark is the beginning of the first line of a file that File writes.
const headMark = "# gogi book make: "

// File is a file of openings, to which gogi adds each opening as soon as it is made. Each write is a whole line,
// so that gogi can continue the file after a crash.
type File struct {
	f *os.File
}

// OpenFile opens or creates a file of openings and returns the openings in it. head is the text of the openings'
// design (Design.String). OpenFile returns an error if the file was made with another design. It removes an
// incomplete last line from the file.
func OpenFile(name, head string) (*File, []Opening, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, nil, disk.CannotWrite(name, err)
	}
	made, err := readMade(f, head)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return &File{f}, made, nil
}

// readMade returns the openings up to the last whole line of a file, and sets the file offset to the end of this line.
// It returns an error if the file does not begin with head.
func readMade(f *os.File, head string) (made []Opening, err error) {
	data, err := os.ReadFile(f.Name())
	if err != nil {
		return nil, err
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	if bytes.HasPrefix(whole, []byte(headMark)) && bytes.Count(whole, []byte("\n")) == 1 {
		whole = nil // only an incomplete first line, and no openings
	}
	if err := f.Truncate(int64(len(whole))); err != nil {
		return nil, err
	}
	if _, err := f.Seek(int64(len(whole)), 0); err != nil {
		return nil, err
	}
	if len(whole) == 0 {
		_, err := fmt.Fprintln(f, headMark+head)
		return nil, err
	}
	n := 0
	for line := range strings.Lines(string(whole)) {
		n++
		line = strings.TrimSpace(line)
		if n == 1 {
			if line != headMark+head {
				return nil, fmt.Errorf("it begins with %q, which is another set of openings: expected %q, or another file", line,
					headMark+head)
			}
			continue
		}
		o, err := parseOpening(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		made = append(made, o)
	}
	return made, nil
}

// parseOpening reads a line that Opening.String wrote.
func parseOpening(line string) (o Opening, err error) {
	text, values, _ := strings.Cut(line, " # ")
	if _, err := fmt.Sscanf(values, "%d %d %d", &o.Attempt, &o.Black, &o.White); err != nil {
		return o, fmt.Errorf("%q says no attempt and values behind #", line)
	}
	o.Line, err = usi.ParsePosition(text)
	return o, err
}

// Add writes an opening as a line at the end of the file.
func (f *File) Add(o Opening) error {
	_, err := fmt.Fprintln(f.f, o)
	return err
}

// Close closes the file after the last Add.
func (f *File) Close() error { return f.f.Close() }
