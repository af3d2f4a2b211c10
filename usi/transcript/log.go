// Package transcript stores the dialogue between gogi and an engine. A [Log] keeps the first
// and the latest lines in memory, as bytes with their time stamps, for crash dumps.
// [Transcripts] write every line to one file for each game if the user asks for them. The
// package knows nothing of USI except lines.
package transcript

import (
	"bytes"
	"encoding/binary"
	"sync"
	"time"
)

// What a Log keeps at most. A game of 300 moves with ten info lines of 150 bytes
// each is 3,300 lines and some 800 kB, of which the positions are a third.
const (
	KeptLines = 10_000  // the latest, beside those of the beginning
	KeptBytes = 2 << 20 // of these lines, with a few bytes of each for its stamp
	chunkSize = 64 << 10
	maxHeard  = 4 << 10 // of one line of the engine; a variation of 250 moves has 1.3 kB
)

// Line is one line of a dialogue.
type Line struct {
	At   time.Time // when it was about to be written, or had been read
	Sent bool      // to the engine; else it came from it
	Text []byte    // as it was, without its end
	Cut  int       // bytes behind Text that were not kept
}

// Excerpt is what a Log has kept: the beginning of the dialogue, and its latest
// lines. Lost is how many lines are missing between the two; 0: Head and Tail are
// the whole dialogue.
type Excerpt struct {
	Head, Tail []Line
	Lost       int
}

// Lines are Head and Tail.
func (e Excerpt) Lines() []Line { return append(append([]Line(nil), e.Head...), e.Tail...) }

// Log keeps the first 64 kB of a dialogue, where the engine is greeted and gets its
// options, and of what follows the latest KeptLines or KeptBytes, whichever is
// less. A line costs a copy of its bytes and nothing else; nothing is allocated
// once the log is full. It is safe for concurrent use.
type Log struct {
	mu    sync.Mutex
	began time.Time
	// chunks are in order; the first is the beginning, and is never dropped.
	chunks []chunk
	spare  []byte // of the chunk that was dropped last
	lines  int    // in all chunks but the first
	bytes  int    // in all chunks but the first
	lost   int
}

// chunk is some lines one behind the other, each as flags, stamp, the bytes that
// were cut, its length and its text.
type chunk struct {
	text  []byte
	lines int
}

// NewLog is an empty log.
func NewLog() *Log { return &Log{began: time.Now()} }

// Sent keeps whole lines that are sent, with their ends.
func (l *Log) Sent(at time.Time, text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		l.add(at, true, line, 0)
		text = rest
	}
}

// Heard keeps a line that came, without its end; of a very long one the beginning.
func (l *Log) Heard(at time.Time, line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := line[:min(len(line), maxHeard)]
	l.add(at, false, kept, len(line)-len(kept))
}

func (l *Log) add(at time.Time, sent bool, text []byte, cut int) {
	const most = 1 + 3*binary.MaxVarintLen64
	if n := len(l.chunks); n == 0 || len(l.chunks[n-1].text)+most+len(text) > chunkSize {
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
	c.text = binary.AppendUvarint(c.text, uint64(cut))       //nolint:gosec // a length
	c.text = binary.AppendUvarint(c.text, uint64(len(text))) //nolint:gosec // a length
	c.text = append(c.text, text...)
	c.lines++
	if last > 0 {
		l.lines++
		l.bytes += len(c.text) - before
	}
}

// grow begins a chunk with room for a line, and drops the oldest where that is too much.
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
	if cap(text) < max(room, chunkSize) {
		text = make([]byte, 0, max(room, chunkSize))
	}
	l.chunks = append(l.chunks, chunk{text: text})
}

// Excerpt is a copy of what is kept.
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

// read appends the lines of a chunk, which add has written.
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
			At: l.began.Add(time.Duration(at)), Sent: sent, Text: text[:size:size], Cut: int(cut), //nolint:gosec // a length that add wrote
		})
		text = text[size:]
	}
	return lines
}
