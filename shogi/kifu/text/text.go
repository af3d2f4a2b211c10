// Package text reads and writes whole records as text: CSA in the dialect of floodgate and in
// version 3, KIF, KI2, JKF, lines of USI, and JSON lines. Each [Format] is a value; [Text]
// lists them, [OfFile] and [Detect] choose one, [NewInput] decodes a file. docs/formats.md has
// the layouts, their sources, and the losses of each format.
package text

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"golang.org/x/text/encoding/japanese"

	"gogi/shogi/kifu"
)

// Format is one way to write records down.
type Format struct {
	Name string // as flags spell it
	Ext  string // of files, with the dot; the first of those that files of the format have
	Text bool   // it may be written in Shift_JIS as well
	// Between stands between two games of one file; "" where games follow each other.
	Between string
	// Append adds a game to what is written. It fails for what the format cannot say: an
	// illegal move, or a start that is none.
	Append func(dst []byte, r *kifu.Record) ([]byte, error)
	// Read begins to read games; nil where the format holds too little to be read.
	Read func(in *Input) Reader
}

// Reader gives one game after the other: io.EOF after the last one, a *BadGame for one
// that cannot be read, after which the next call goes on behind it, and any other error
// where nothing more can be read. A record is the caller's to keep.
type Reader interface {
	Next() (*kifu.Record, error)
}

// BadGame is a game of a file that cannot be read.
type BadGame struct {
	File string // as it was opened
	Game int    // the how-manieth of the file, from 1
	Line int    // where reading failed, from 1
	Err  error  // what was wrong, and what was expected
}

// Error names the place.
func (e *BadGame) Error() string {
	return fmt.Sprintf("%s: game %d, line %d: %v", e.File, e.Game, e.Line, e.Err)
}

// Unwrap gives the reason alone.
func (e *BadGame) Unwrap() error { return e.Err }

// Text are the formats of this package.
func Text() []Format {
	return []Format{
		{Name: "csa", Ext: ".csa", Text: true, Between: "/\n", Append: AppendCSA, Read: readCSA},
		{Name: "csa3", Ext: ".csa", Text: true, Between: "/\n", Append: whole((*kifu.Record).CSA), Read: readCSA},
		{Name: "kif", Ext: ".kifu", Text: true, Between: "\n", Append: whole((*kifu.Record).KIF), Read: readKIF},
		{Name: "ki2", Ext: ".ki2", Text: true, Between: "\n", Append: AppendKI2, Read: readKIF},
		{Name: "jkf", Ext: ".jkf", Append: AppendJKF, Read: readJKF},
		{Name: "usi", Ext: ".usi", Append: AppendUSI, Read: readUSI},
		{Name: "sfen", Ext: ".sfen", Append: AppendSFEN, Read: readUSI},
		{Name: "jsonl", Ext: ".jsonl", Append: AppendJSON, Read: readJSON},
	}
}

// whole makes an Append of a method that gives a record's text.
func whole(text func(*kifu.Record) (string, error)) func([]byte, *kifu.Record) ([]byte, error) {
	return func(dst []byte, r *kifu.Record) ([]byte, error) {
		s, err := text(r)
		return append(dst, s...), err
	}
}

// Find is the format of that name among some; the error lists their names.
func Find(list []Format, name string) (Format, error) {
	var names []string
	for _, f := range list {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("no format is called %q: expected one of %s", name, strings.Join(names, ", "))
}

// OfFile is the format that a file's name says, by its ending without regard to case; ok
// is false where it says none. Endings that more than one program uses are all known.
func OfFile(list []Format, name string) (f Format, ok bool) {
	ext := strings.ToLower(path.Ext(name))
	switch ext {
	case ".kif":
		ext = ".kifu"
	case ".ki2u":
		ext = ".ki2"
	case ".json":
		ext = ".jkf"
	}
	for _, f := range list {
		if f.Ext == ext {
			return f, true
		}
	}
	return Format{}, false
}

// ShiftJIS makes the text of one game one in Shift_JIS as Windows has it (CP932), which is
// what programs expect in files named *.kif, and makes it say so. Characters that it lacks
// become "?", and lost says how many.
func ShiftJIS(text []byte) (out []byte, lost int) {
	for _, said := range [][2]string{{"'CSA encoding=UTF-8\n", "'CSA encoding=SHIFT_JIS\n"}, {"encoding=UTF-8\n", "encoding=Shift_JIS\n"}} {
		text = bytes.Replace(text, []byte(said[0]), []byte(said[1]), 1)
	}
	encoder := japanese.ShiftJIS.NewEncoder()
	out, err := encoder.Bytes(text)
	if err == nil {
		return out, 0
	}
	out = nil
	for _, c := range string(text) {
		piece, err := encoder.Bytes([]byte(string(c)))
		if err != nil {
			lost++
			piece = []byte("?")
		}
		out = append(out, piece...)
	}
	return out, lost
}

// Detect is the format that the beginning of a text is in; ok is false where it is in
// none that this package knows.
func Detect(head []byte) (name string, ok bool) {
	head = bytes.TrimPrefix(head, []byte(bom))
	if isList(head) {
		return "jkf", true
	}
	for line := range bytes.Lines(head) {
		text := strings.TrimSpace(string(decoded(line)))
		switch {
		case text == "":
			continue
		case strings.HasPrefix(text, "{") && strings.Contains(text, `"gogi_record"`):
			return "jsonl", true
		case strings.HasPrefix(text, "{"):
			return "jkf", true
		case strings.HasPrefix(text, "position ") || strings.HasPrefix(text, "startpos") || strings.HasPrefix(text, "sfen "):
			return "usi", true
		case strings.ContainsAny(text[:1], "'VN$P%+-") && !strings.HasPrefix(text, "+--"):
			return "csa", true
		case strings.ContainsRune(text, '：') || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "*") || strings.HasPrefix(text, "手数"), strings.ContainsAny(text, "▲△☗☖"):
			return "kif", true
		}
		return "", false
	}
	return "", false
}

// bom is the byte order mark in UTF-8.
const bom = "\xef\xbb\xbf"

// decoded is a line in UTF-8, whichever of the two encodings it is in.
func decoded(line []byte) []byte {
	if validText(line) {
		return line
	}
	return fromShiftJIS(line)
}

// fromShiftJIS never fails: what is no character becomes U+FFFD.
func fromShiftJIS(line []byte) []byte {
	out, err := japanese.ShiftJIS.NewDecoder().Bytes(line)
	if err != nil {
		return bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	return out
}
