package book

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gogi/internal/disk"
	"gogi/internal/lists"
)

// These are names of formats that other files of this package use.
const (
	usiName  = "usi"
	sfenName = "sfen"
)

// Format is a file format of opening books.
type Format struct {
	Name       string   // name on the command line
	Extensions []string // extensions of its files, with the dot; the first is for writing
	Keeps      string   // description of the stored data of a move
	read       func(data []byte) (*Book, error)
	write      func(w io.Writer, b *Book) error
}

// Formats returns all formats, in the order in which gogi lists them.
func Formats() []Format {
	return []Format{
		{"db", []string{".db"}, "scores, depths, counts, answers, comments", ofText(readDB), writeDB},
		{"ybb", []string{".ybb"}, "scores, depths", readYBB, writeYBB},
		{"apery", []string{".bin"}, "counts, scores; positions as hashes", readApery, writeApery},
		{usiName, []string{".usi"}, "moves, as lines", ofText(readLines), writeUSI},
		{sfenName, []string{".sfen", ".txt"}, "positions, one a line", ofText(readLines), writeSFEN},
	}
}

func ofText(read func(io.Reader) (*Book, error)) func([]byte) (*Book, error) {
	return func(data []byte) (*Book, error) { return read(bytes.NewReader(data)) }
}

// Names returns the names of the formats.
func Names() []string {
	return lists.Map(Formats(), func(f Format) string { return f.Name })
}

// FormatOf returns the format with this name. If the name is "", it returns the format for the extension of
// file.
func FormatOf(name, file string) (Format, error) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		for _, e := range f.Extensions {
			if name == "" && strings.EqualFold(filepath.Ext(file), e) {
				return f, nil
			}
		}
	}
	if name == "sbk" || name == "" && strings.EqualFold(filepath.Ext(file), ".sbk") {
		return Format{}, fmt.Errorf("%s: gogi does not read or write sbk books; convert the book to one of %s",
			cmp.Or(file, name), strings.Join(Names(), ", "))
	}
	if name == "" {
		return Format{}, fmt.Errorf("the name %s does not tell the format of the book: expected one of %s to be given",
			filepath.Base(file), strings.Join(Names(), ", "))
	}
	return Format{}, fmt.Errorf("there is no format of books %q: expected one of %s", name, strings.Join(Names(), ", "))
}

// HasLines reports whether the format is a text with one opening (moves or a position) in each line.
func (f Format) HasLines() bool { return f.Name == usiName || f.Name == sfenName }

// KeepsPlies reports whether the format can store one position under several move numbers.
func (f Format) KeepsPlies() bool { return f.Name == "db" }

// KeepsDepths reports whether the format stores the depths of moves. YaneuraOu compares them with BookDepthLimit.
func (f Format) KeepsDepths() bool { return f.Name == "db" || f.Name == "ybb" }

// MaxFile is the size of the largest book that gogi reads, in bytes. gogi holds the whole book in memory.
const MaxFile = 2 << 30

// Open reads a book from a file. format is the name of its format; if it is "", the extension of the file
// decides.
func Open(file, format string) (*Book, error) {
	f, err := FormatOf(format, file)
	if err != nil {
		return nil, err
	}
	data, err := disk.ReadFile(file, MaxFile)
	if err != nil {
		return nil, fmt.Errorf("book %s: %w", file, err)
	}
	b, err := f.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("book %s: %w", file, err)
	}
	return b, nil
}

// Parse reads a book from the content of a file.
func (f Format) Parse(data []byte) (*Book, error) {
	b, err := f.read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	b.Format = f.Name
	return b, nil
}

// Write writes a book in this format, with one entry for each position, or for each position and move number if the
// format has KeepsPlies.
func (f Format) Write(w io.Writer, b *Book) error {
	if err := f.write(w, b); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}
