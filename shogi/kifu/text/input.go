package text

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"gogi/shogi/kifu"
)

// maxLine is the largest length of a line in bytes. The longest sensible comment or game in one line is far
// shorter.
const maxLine = 4 << 20

// Input reads a text file line by line and converts it to UTF-8. The lines may end as on any system. The text
// may be in UTF-8 (with or without a byte order mark), Shift_JIS, EUC-JP, ISO-2022-JP, or UTF-16 with a byte
// order mark. Input has only one line and two buffers in memory.
type Input struct {
	Name string // name of the file, for errors
	// Warn is called for each game that gogi reads although a part of it is unknown, such as the word for its end.
	// nil ignores the warnings. The record's Note has the warning, too, if it has no other text.
	Warn func(*BadGame)

	r     *bufio.Reader
	lines *bufio.Scanner // of r
	line  []byte         // the last line, without its end; the next line overwrites it
	n     int            // number of the last line, from 1
	sjis  bool           // characters outside ASCII are in Shift_JIS
	back  bool           // next returns the last line again
	ended bool           // there is no further line
}

// window is the size of the buffer, and the length of the text that is used to detect the encoding.
const window = 64 << 10

// NewInput returns an Input that reads from r. name is the name of the file, for errors.
func NewInput(name string, r io.Reader) *Input {
	in := &Input{Name: name, r: bufio.NewReaderSize(r, window)}
	if other := translated(in.r, in.Head()); other != nil {
		in.r = bufio.NewReaderSize(other, window)
	}
	if bytes.HasPrefix(in.Head(), []byte(bom)) {
		_, _ = in.r.Discard(len(bom)) // Head returned these bytes
	} else {
		in.sjis = !utf8.Valid(wholeLines(in.Head()))
	}
	in.lines = bufio.NewScanner(in.r)
	in.lines.Buffer(make([]byte, 0, window), maxLine)
	return in
}

// wholeLines returns the text of Head without an incomplete last line.
func wholeLines(head []byte) []byte {
	if len(head) < window {
		return head
	}
	return head[:bytes.LastIndexByte(head, '\n')+1]
}

// translated returns a reader that converts a text to UTF-8 with lines that end with "\n". It converts UTF-16 with a
// byte order mark, ISO-2022-JP, EUC-JP, and the line ends of old Macintoshes. It returns nil if the text needs no
// conversion.
func translated(text io.Reader, head []byte) io.Reader {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return transform.NewReader(text, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder())
	case bytes.Contains(head, []byte("\x1b$B")), bytes.Contains(head, []byte("\x1b$@")):
		return transform.NewReader(text, japanese.ISO2022JP.NewDecoder())
	case isEUCJP(head):
		return transform.NewReader(text, japanese.EUCJP.NewDecoder())
	case bytes.IndexByte(head, '\r') >= 0 && bytes.IndexByte(head, '\n') < 0:
		return returns{text}
	}
	return nil
}

// returns is a reader for a text whose lines end with "\r" alone. It replaces each "\r" by "\n". This is safe because
// no two-byte character contains these bytes.
type returns struct{ io.Reader }

func (r returns) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	for i := range b[:n] {
		if b[i] == '\r' {
			b[i] = '\n'
		}
	}
	return n, err
}

// isEUCJP reports whether a text is in EUC-JP. A text in Shift_JIS is very rarely valid EUC-JP.
func isEUCJP(head []byte) bool {
	head = wholeLines(head)
	text, err := japanese.EUCJP.NewDecoder().Bytes(head)
	return !utf8.Valid(head) && err == nil && !bytes.ContainsRune(text, utf8.RuneError)
}

// Head returns the beginning of the text that was not read yet, for Detect. The next read returns the same
// text again.
func (in *Input) Head() []byte {
	head, _ := in.r.Peek(window)
	return head
}

// endOfDOS is a byte (Ctrl-Z) that some programs write at the end of a file.
const endOfDOS = "\x1a"

// next returns the next line without its end, or false at the end of the text. The following call overwrites
// the line. After the first line that is not UTF-8, next decodes the text as Shift_JIS.
func (in *Input) next() ([]byte, bool) {
	if in.back {
		in.back = false
		return in.line, true
	}
	if in.ended {
		return nil, false
	}
	in.n++
	if !in.lines.Scan() {
		in.ended = true
		return nil, false
	}
	in.line = bytes.TrimRight(in.lines.Bytes(), "\r"+endOfDOS)
	if in.sjis = in.sjis || !utf8.Valid(in.line); in.sjis {
		in.line = fromShiftJIS(in.line)
	}
	return in.line, true
}

// unread makes next return the last line again.
func (in *Input) unread() { in.back = true }

// end returns the reason why there are no more lines: io.EOF or an error.
func (in *Input) end() error {
	err := in.lines.Err()
	switch {
	case err == nil:
		return io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		err = fmt.Errorf("line %d has more than %d bytes", in.n, maxLine)
	}
	return fmt.Errorf("%s: %w", in.Name, err)
}

// warn reports a doubt about a game that was read, and the line that it is about. It does nothing if doubt is nil.
func (in *Input) warn(game, line int, r *kifu.Record, doubt error) {
	if doubt == nil {
		return
	}
	if r.Note == "" {
		r.Note = doubt.Error()
	}
	if in.Warn != nil {
		in.Warn(&BadGame{File: in.Name, Game: game, Line: line, Err: doubt})
	}
}

// bad returns a BadGame for an error in the last line of a game.
func (in *Input) bad(game int, err error) error {
	return &BadGame{File: in.Name, Game: game, Line: in.n, Err: err}
}
