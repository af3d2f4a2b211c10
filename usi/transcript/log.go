// Package transcript stores the dialogue between gogi and an engine. A [Log] stores the first and the latest
// lines in memory, with their times, for crash dumps. [Transcripts] write every line to files, one for each
// game, if the user requests them. The package does not parse the lines.
package transcript

import (
	"bytes"
	"encoding/binary"
	"sync"
	"time"
)

// These are the limits of a Log. Ten info lines of 150 bytes and the position of a move have about 3 kB, so a full log
// has the last 80 moves or more. Each engine of each slot has a log, so 64 slots have up to 50 MB of logs.
const (
	KeptLines = 2500      // number of latest lines, in addition to the first chunk
	KeptBytes = 256 << 10 // size of these lines, including a few bytes for each time stamp
	headSize  = 64 << 10  // size of the first chunk; it grows by need, because many dialogues are shorter
	chunkSize = 16 << 10  // size of each other chunk, more for a longer line
	maxLine   = 4 << 10   // largest stored part of one line; a variation of 250 moves has 1.3 kB
)

// Line is one line of a dialogue.
type Line struct {
	At   time.Time // time just before the write, or after the read
	Sent bool      // true: to the engine; false: from the engine
	Text []byte    // unchanged, without its end
	Cut  int       // number of dropped bytes after Text
}

// Excerpt is the content of a Log: the beginning of the dialogue and its latest lines. Lost is the number of
// missing lines between the two. If it is 0, Head and Tail are the whole dialogue.
type Excerpt struct {
	Head, Tail []Line
	Lost       int
}

// Lines returns the lines of Head and then those of Tail, without a mark for the lost lines.
func (e Excerpt) Lines() []Line { return append(append([]Line(nil), e.Head...), e.Tail...) }

// Log stores a part of a dialogue in memory: the first 64 kB, which contain the handshake and the options,
// and the latest lines (KeptLines or KeptBytes, whichever is less). Storing a line only copies its bytes; a
// full Log does not allocate. Log is safe for concurrent use.
type Log struct {
	mu    sync.Mutex
	began time.Time
	// chunks are in order; the first one has the beginning and is never dropped.
	chunks []chunk
	spare  []byte // buffer of the last dropped chunk
	lines  int    // in all chunks except the first
	bytes  int    // in all chunks except the first
	lost   int
}

// chunk holds consecutive lines, each as flags, stamp, number of dropped bytes, length and text.
type chunk struct {
	text  []byte
	lines int
}

// NewLog returns an empty log.
func NewLog() *Log { return &Log{began: time.Now()} }

// Sent stores lines that were sent to the engine. text contains whole lines with their line ends.
func (l *Log) Sent(at time.Time, text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		l.add(at, true, line, 0)
		text = rest
	}
}

// Received stores a line that the engine sent, without its line end. It stores only the beginning of a very
// long line.
func (l *Log) Received(at time.Time, line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := line[:min(len(line), maxLine)]
	l.add(at, false, kept, len(line)-len(kept))
}

func (l *Log) add(at time.Time, sent bool, text []byte, cut int) {
	const most = 1 + 3*binary.MaxVarintLen64
	if n := len(l.chunks); n == 0 || len(l.chunks[n-1].text)+most+len(text) > sizeOf(n-1) {
		l.grow(most + len(text))
	}
	last := len(l.chunks) - 1
	c := &l.chunks[last]
	before := len(c.text)
	var flags byte
	if sent {
		flags = 1
	}
	c.text = append(c.text, flags)
	c.text = binary.AppendVarint(c.text, int64(at.Sub(l.began)))
	c.text = binary.AppendUvarint(c.text, uint64(cut))
	c.text = binary.AppendUvarint(c.text, uint64(len(text)))
	c.text = append(c.text, text...)
	c.lines++
	if last > 0 {
		l.lines++
		l.bytes += len(c.text) - before
	}
}

// sizeOf returns the size of the chunk with this index.
func sizeOf(index int) int {
	if index == 0 {
		return headSize
	}
	return chunkSize
}

// grow starts a new chunk with at least room bytes, and drops the oldest chunks beyond the limits.
func (l *Log) grow(room int) {
	for len(l.chunks) > 2 && (l.lines-l.chunks[1].lines >= KeptLines || l.bytes+chunkSize > KeptBytes) {
		old := l.chunks[1]
		l.lines -= old.lines
		l.bytes -= len(old.text)
		l.lost += old.lines
		l.spare = old.text[:0]
		l.chunks = append(l.chunks[:1], l.chunks[2:]...)
	}
	text := l.spare
	l.spare = nil
	if len(l.chunks) > 0 && cap(text) < max(room, chunkSize) {
		text = make([]byte, 0, max(room, chunkSize))
	}
	l.chunks = append(l.chunks, chunk{text: text})
}

// Excerpt returns a copy of the stored lines.
func (l *Log) Excerpt() Excerpt {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := Excerpt{Lost: l.lost}
	for i, c := range l.chunks {
		if i == 0 {
			e.Head = l.read(nil, c)
			continue
		}
		e.Tail = l.read(e.Tail, c)
	}
	if over := len(e.Tail) - KeptLines; over > 0 {
		e.Tail, e.Lost = e.Tail[over:], e.Lost+over
	}
	return e
}

// read appends the lines that add has stored in a chunk.
func (l *Log) read(lines []Line, c chunk) []Line {
	text := bytes.Clone(c.text)
	for len(text) > 0 {
		sent := text[0] == 1
		text = text[1:]
		at, n := binary.Varint(text)
		text = text[n:]
		cut, n := binary.Uvarint(text)
		text = text[n:]
		size, n := binary.Uvarint(text)
		text = text[n:]
		lines = append(lines, Line{
			At: l.began.Add(time.Duration(at)), Sent: sent, Text: text[:size:size], Cut: int(cut),
		})
		text = text[size:]
	}
	return lines
}
