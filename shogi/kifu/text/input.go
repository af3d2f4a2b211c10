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

// maxLine is the largest length of a line in bytes. It is far more than any comment or one-line game needs.
const maxLine = 4 << 20

// Input reads a text line by line. The text may be in UTF-8 (with or without a byte order mark), Shift_JIS,
// EUC-JP, ISO-2022-JP or UTF-16 with a byte order mark. It may have any line ends. Input holds one line and a
// buffer in memory.
type Input struct {
	Name string // name of the file, for errors

	r    *bufio.Reader
	line []byte // the last line, without its end; the next line overwrites it
	n    int    // number of the last line, from 1
	long []byte // buffer for a line that is longer than the read buffer
	sjis bool   // characters outside ASCII are in Shift_JIS
	back bool   // next returns the last line again
	err  error  // why there is no further line
	// ascii is the number of buffered, unread bytes that are known to be ASCII, so that most lines need
	// no check of their own.
	ascii int
}

// window is the size of the buffer, and the length of the text that is used to detect the encoding.
const window = 64 << 10

// NewInput returns an Input that reads from r. name is the name of the file, for errors.
func NewInput(name string, r io.Reader) *Input {
	in := &Input{Name: name, r: bufio.NewReaderSize(r, window)}
	head, _ := in.r.Peek(window) // a short text is read as a whole
	if other := translated(in.r, head); other != nil {
		in.r = bufio.NewReaderSize(other, window)
		head, _ = in.r.Peek(window)
	}
	if bytes.HasPrefix(head, []byte(bom)) {
		_, _ = in.r.Discard(len(bom)) // Peek has returned these bytes
		return in
	}
	if len(head) == window { // the last character may be cut
		head = head[:window-utf8.UTFMax]
	}
	in.sjis = !validPrefix(head)
	return in
}

// translated returns a reader that converts a text to UTF-8 with usual line ends. It converts UTF-16 with a
// byte order mark, ISO-2022-JP, EUC-JP, and the line ends of old Macintoshes. It returns nil for a text that
// needs no conversion.
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

// returns is a reader for a text whose lines end with "\r" alone. It replaces "\r" by "\n". No two-byte
// character contains these bytes.
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

// Head returns the beginning of the unread text, for Detect. It does not consume the text.
func (in *Input) Head() []byte {
	head, _ := in.r.Peek(window)
	return head
}

// validPrefix reports whether a text is valid UTF-8, except that its last character may be incomplete.
func validPrefix(text []byte) bool {
	for i := 0; i < utf8.UTFMax && i < len(text); i++ {
		if utf8.Valid(text[:len(text)-i]) {
			return true
		}
	}
	return utf8.Valid(text)
}

// next returns the next line without its end, or false at the end of the text. The following call overwrites
// the line.
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

// plain reports whether the line that was just read is ASCII.
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

// decoded returns a line in UTF-8. From the first line that is not UTF-8 on, it decodes the text as
// Shift_JIS.
func (in *Input) decoded(line []byte) []byte {
	in.sjis = in.sjis || !utf8.Valid(line)
	if in.sjis {
		return fromShiftJIS(line)
	}
	return line
}

// endOfDOS is a byte (Ctrl-Z) that some programs write at the end of a file.
const endOfDOS = 0x1a

// withoutEnd returns the line without its line end.
func withoutEnd(line []byte) []byte {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r' || line[len(line)-1] == endOfDOS) {
		line = line[:len(line)-1]
	}
	return line
}

// asciiPrefix returns the number of bytes at the beginning of a text that are ASCII. It checks eight bytes at
// a time.
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

// unread makes next return the last line again.
func (in *Input) unread() { in.back = true }

// end returns why there are no more lines: io.EOF or an error.
func (in *Input) end() error {
	if in.err == nil || errors.Is(in.err, io.EOF) {
		return io.EOF
	}
	return fmt.Errorf("%s: %w", in.Name, in.err)
}

// bad returns a BadGame for an error of a game in the last line.
func (in *Input) bad(game int, err error) error {
	return &BadGame{File: in.Name, Game: game, Line: in.n, Err: err}
}
