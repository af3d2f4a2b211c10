// Package text reads and writes game records in text formats: CSA in floodgate's dialect and in version 3,
// KIF, KI2, JKF, lines of USI, and JSON lines. [Text] lists the formats, [OfFile] and [Detect] find the
// format of a file, and [NewInput] decodes the characters of a file. docs/formats.md describes each format,
// its source, and the data that it cannot store.
package text

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"

	"gogi/internal/lists"
	"gogi/shogi/kifu"
)

// Format is a text format of game records.
type Format struct {
	Name string // name for command-line flags
	Ext  string // extension of files, with the dot
	Text bool   // files may also be in Shift_JIS
	// Between is the text between two games in one file; "" if nothing separates them.
	Between string
	// Append adds a game to dst. It returns an error for a game that the format cannot represent, such as one
	// with an illegal move or an invalid start.
	Append func(dst []byte, r *kifu.Record) ([]byte, error)
	// Read returns a Reader of the games in a file. It is nil if gogi cannot read the format.
	Read func(in *Input) Reader
}

// Reader reads the games of a file one by one. Next returns io.EOF after the last game, and a *BadGame for a
// game that it cannot read; the next call then continues with the next game. After any other error the Reader
// cannot continue. The caller owns each record.
type Reader interface {
	Next() (*kifu.Record, error)
}

// BadGame is the error for a game of a file that cannot be read.
type BadGame struct {
	File string // name of the file
	Game int    // number of the game in the file, from 1
	Line int    // line of the error, from 1
	Err  error  // the error, with the expected text
}

// Error returns the name of the file, the number of the game, the line and the reason.
func (e *BadGame) Error() string {
	return fmt.Sprintf("%s: game %d, line %d: %v", e.File, e.Game, e.Line, e.Err)
}

// Unwrap returns the reason without the file, game and line.
func (e *BadGame) Unwrap() error { return e.Err }

// Text returns all formats of this package.
func Text() []Format {
	return []Format{
		{Name: "csa", Ext: ".csa", Text: true, Between: "/\n", Append: AppendCSA, Read: readCSA},
		{Name: "csa3", Ext: ".csa", Text: true, Between: "/\n", Append: AppendCSA3, Read: readCSA},
		{Name: "kif", Ext: ".kifu", Text: true, Between: "\n", Append: AppendKIF, Read: readKIF},
		{Name: "ki2", Ext: ".ki2", Text: true, Between: "\n", Append: AppendKI2, Read: readKIF},
		{Name: "jkf", Ext: ".jkf", Append: AppendJKF, Read: readJKF},
		{Name: "usi", Ext: ".usi", Append: AppendUSI, Read: readUSI},
		{Name: "sfen", Ext: ".sfen", Append: AppendSFEN, Read: readUSI},
		{Name: "jsonl", Ext: ".jsonl", Append: AppendJSON, Read: readJSON},
	}
}

// Find returns the format with a name from a list. If the list has no such format, the error has all names of
// the list.
func Find(list []Format, name string) (Format, error) {
	f, ok := lists.Find(list, func(f Format) bool { return f.Name == name })
	if !ok {
		return f, fmt.Errorf("no format is called %q: expected one of %s", name, strings.Join(Names(list), ", "))
	}
	return f, nil
}

// Names returns the names of the formats in a list.
func Names(list []Format) []string { return lists.Map(list, func(f Format) string { return f.Name }) }

// Encoded returns the names of the formats whose files may also be in Shift_JIS.
func Encoded() []string { return Names(lists.Filter(Text(), func(f Format) bool { return f.Text })) }

// OfFile returns the format in a list for the extension of a file name. It ignores upper and lower case, and
// it also recognises .kif, .ki2u and .json. ok is false for an unknown extension.
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
	return lists.Find(list, func(f Format) bool { return f.Ext == ext })
}

// ShiftJIS converts the text of one game to Windows' Shift_JIS (CP932), which programs expect in *.kif files.
// It also changes the line that names the encoding. It replaces characters that Shift_JIS does not have by
// "?" and returns their number as lost.
func ShiftJIS(text []byte) (out []byte, lost int) {
	for _, encodings := range [][2]string{{"'CSA encoding=UTF-8\n", "'CSA encoding=SHIFT_JIS\n"},
		{"encoding=UTF-8\n", "encoding=Shift_JIS\n"}} {
		text = bytes.Replace(text, []byte(encodings[0]), []byte(encodings[1]), 1)
	}
	text = []byte(cp932.Replace(string(text)))
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

// cp932 replaces characters by those that Windows uses for the same bytes of Shift_JIS. JIS X 0208 has each of them
// once, but its tables for Unicode differ.
var cp932 = strings.NewReplacer("〜", "～", "−", "－", "‖", "∥", "—", "―", "¢", "￠", "£", "￡", "¬", "￢")

// Detect finds the format of a text from its beginning, head, and returns the name of the format. ok is false
// for an unknown format.
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
		case strings.ContainsRune(text, '：') || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "*") ||
			strings.HasPrefix(text, "手数"), strings.ContainsAny(text, "▲△☗☖"):
			return "kif", true
		}
		return "", false
	}
	return "", false
}

// bom is the byte order mark in UTF-8.
const bom = "\xef\xbb\xbf"

// decoded returns a line in UTF-8. The line may be in UTF-8 or Shift_JIS.
func decoded(line []byte) []byte {
	if utf8.Valid(line) {
		return line
	}
	return fromShiftJIS(line)
}

// fromShiftJIS converts a line from Shift_JIS to UTF-8. It replaces invalid bytes by U+FFFD.
func fromShiftJIS(line []byte) []byte {
	out, err := japanese.ShiftJIS.NewDecoder().Bytes(line)
	if err != nil {
		return bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	return out
}
