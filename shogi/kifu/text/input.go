package text

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// maxLine is the longest line that is read: far beyond any comment or game in one line.
const maxLine = 4 << 20

// Input reads a text line by line. The text is in UTF-8 with or without a byte order mark, Shift_JIS,
// EUC-JP, ISO-2022-JP or UTF-16 with its mark, with any line ends. It holds one line and a buffer.
type Input struct {
	Name string // of the file, for errors

	r    *bufio.Reader
	line []byte // the latest, without its end; it is overwritten by the next one
	n    int    // its number, from 1
	long []byte // a line that is longer than the buffer
	sjis bool   // text that is not ASCII is in Shift_JIS
	back bool   // the latest line is to come again
	err  error  // why there is no further line
	// ascii is the number of buffered, unread bytes that are known to be ASCII, so that most lines need
	// no check of their own.
	ascii int
}

// window is the length of the text that is checked for its encoding, and the buffer's size.
const window = 64 << 10

// NewInput begins to read a text.
func NewInput(name string, r io.Reader) *Input {
	in := &Input{Name: name, r: bufio.NewReaderSize(r, window)}
	head, _ := in.r.Peek(window) // a short one is whole
	if other := translated(in.r, head); other != nil {
		in.r = bufio.NewReaderSize(other, window)
		head, _ = in.r.Peek(window)
	}
	if bytes.HasPrefix(head, []byte(bom)) {
		_, _ = in.r.Discard(len(bom)) // it was seen
		return in
	}
	if len(head) == window { // the last character may be cut
		head = head[:window-utf8.UTFMax]
	}
	in.sjis = !validPrefix(head)
	return in
}

// translated returns a reader that converts a text to UTF-8, or converts its line ends. It converts
// UTF-16 with its mark, ISO-2022-JP, EUC-JP, and the line ends of old Macintoshes. It is nil for a text
// that needs no conversion.
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

// returns is a text whose lines end with "\r" alone, with "\n" in its place, which no
// character of two bytes has as a part.
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

// isEUCJP reports whether a text is in EUC-JP. All bytes that are not ASCII come in pairs from A1 to FE,
// which is very rare in Shift_JIS, or as half-width kana after 8E. A text in UTF-8 is not EUC-JP.
func isEUCJP(head []byte) bool {
	if validPrefix(head) {
		return false
	}
	for i := asciiPrefix(head); i < len(head); i++ {
		switch c := head[i]; {
		case c < utf8.RuneSelf:
			continue
		case i+1 == len(head): // cut
		case c == 0x8e && head[i+1] >= 0xa1 && head[i+1] <= 0xdf, c >= 0xa1 && c <= 0xfe && head[i+1] >= 0xa1 && head[i+1] <= 0xfe:
			i++
		default:
			return false
		}
	}
	return true
}

// Head returns the beginning of the unread text, for Detect.
func (in *Input) Head() []byte {
	head, _ := in.r.Peek(window)
	return head
}

// validPrefix takes a text that may be cut within its last character.
func validPrefix(text []byte) bool {
	for i := 0; i < utf8.UTFMax && i < len(text); i++ {
		if utf8.Valid(text[:len(text)-i]) {
			return true
		}
	}
	return utf8.Valid(text)
}

// next returns the next line without its end; false at the end of the text. The line is
// overwritten by the next call.
func (in *Input) next() ([]byte, bool) {
	if in.back {
		in.back = false
		return in.line, true
	}
	if in.err != nil {
		return nil, false
	}
	line, err := in.r.ReadSlice('\n')
	if err != nil {
		if errors.Is(err, bufio.ErrBufferFull) {
			line, err = in.longLine(line)
		}
		if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
			in.n++
			in.err = err
			return nil, false
		}
	}
	in.n++
	ascii := in.plain(line)
	if line = withoutEnd(line); !ascii {
		line = in.decoded(line)
	}
	in.line = line
	return line, true
}

// plain reports whether a line that was just read is ASCII.
func (in *Input) plain(line []byte) bool {
	if len(line) <= in.ascii {
		in.ascii -= len(line)
		return true
	}
	in.ascii = 0
	if asciiPrefix(line) < len(line) {
		return false
	}
	ahead, _ := in.r.Peek(in.r.Buffered()) // buffered bytes are available
	in.ascii = asciiPrefix(ahead)
	return true
}

// decoded returns a line in UTF-8. From the first line that is not UTF-8 on, it reads the text as Shift_JIS.
func (in *Input) decoded(line []byte) []byte {
	in.sjis = in.sjis || !utf8.Valid(line)
	if in.sjis {
		return fromShiftJIS(line)
	}
	return line
}

// endOfDOS is how some programs end a file.
const endOfDOS = 0x1a

// withoutEnd cuts the end of a line off.
func withoutEnd(line []byte) []byte {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r' || line[len(line)-1] == endOfDOS) {
		line = line[:len(line)-1]
	}
	return line
}

// asciiPrefix returns how many bytes at the beginning of a text are ASCII, eight at a time.
func asciiPrefix(text []byte) int {
	const high = 0x8080808080808080
	n := 0
	for ; len(text)-n >= 8; n += 8 {
		if binary.LittleEndian.Uint64(text[n:])&high != 0 {
			break
		}
	}
	for ; n < len(text) && text[n] < utf8.RuneSelf; n++ {
	}
	return n
}

func (in *Input) longLine(begun []byte) ([]byte, error) {
	in.long = append(in.long[:0], begun...)
	for {
		more, err := in.r.ReadSlice('\n')
		in.long = append(in.long, more...)
		if len(in.long) > maxLine {
			return nil, fmt.Errorf("line %d has more than %d bytes", in.n+1, maxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return in.long, err
		}
	}
}

// unread makes the latest line come again.
func (in *Input) unread() { in.back = true }

// end returns the end of the reading: io.EOF, or the error.
func (in *Input) end() error {
	if in.err == nil || errors.Is(in.err, io.EOF) {
		return io.EOF
	}
	return fmt.Errorf("%s: %w", in.Name, in.err)
}

// bad is an error of a game at the latest line.
func (in *Input) bad(game int, err error) error {
	return &BadGame{File: in.Name, Game: game, Line: in.n, Err: err}
}
