package sqlitefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// The sizes of the log's header and of a frame's (4.1).
const (
	logHeader   = 32
	frameHeader = 24
)

// Log is a write-ahead log (4): versions of pages that are newer than the file's.
type Log struct {
	Frames     int   // that belong to the log as its header says
	Damaged    []int // those among them that are not what was written, from 0: SQLite reads none from the first on
	Unreadable bool  // the header itself is damaged: SQLite reads nothing

	file     *os.File
	pageSize int
	places   map[int]int64 // where the latest committed version of a page is
}

// ReadLog reads the log at a path; where there is none it is empty. A frame that was
// never finished, as the last one may be after a power cut, is no damage, nor is what
// was never committed: SQLite overwrites a page that a transaction changes twice where it
// stands, and mends the checksums when it commits. Damage is a frame with a commit behind it.
func ReadLog(path string) (*Log, error) {
	l := &Log{places: map[int]int64{}}
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	l.file = file
	header := make([]byte, logHeader)
	if _, err := io.ReadFull(file, header); err != nil {
		return l, nil //nolint:nilerr // a log that was just begun
	}
	if string(header) == string(make([]byte, logHeader)) {
		return l, nil // as a power cut may leave one that was just begun
	}
	magic := binary.BigEndian.Uint32(header)
	l.pageSize = pageSizeOf(int(binary.BigEndian.Uint32(header[8:]) & 0x1ffff))
	sum := logSum{little: magic&1 == 0}
	sum.add(header[:24])
	l.Unreadable = magic&^1 != 0x377f0682 || l.pageSize == 0 || !sum.is(header[24:])
	if l.Unreadable {
		return l, nil
	}
	return l, l.readFrames(header, sum)
}

// Problem says what is damaged, "" where nothing is.
func (l *Log) Problem() string {
	switch {
	case l == nil:
		return ""
	case l.Unreadable:
		return "the header of the log is damaged"
	case len(l.Damaged) > 0:
		return fmt.Sprintf("the log is damaged at frame %d of %d", l.Damaged[0]+1, l.Frames)
	}
	return ""
}

// readFrames follows the frames. Each one's checksum goes on from that of the frame
// before, as it was written there: so a damaged frame does not hide those behind it.
func (l *Log) readFrames(header []byte, sum logSum) error {
	frame := make([]byte, frameHeader+l.pageSize)
	pending := map[int]int64{} // of the transaction that is being read
	var suspects []int
	for n := 0; ; n++ {
		if _, err := io.ReadFull(l.file, frame); err != nil {
			return nil //nolint:nilerr // the end of what was written
		}
		if string(frame[8:16]) != string(header[16:24]) { // of an earlier use of the file
			suspects = append(suspects, n)
			if len(suspects) > 3 { // no bit flips so often
				return nil
			}
			sum.take(frame[16:24])
			continue
		}
		sum.add(frame[:8])
		sum.add(frame[frameHeader:])
		if !sum.is(frame[16:24]) {
			suspects = append(suspects, n)
			sum.take(frame[16:24])
			continue
		}
		l.Frames = n + 1
		pending[int(binary.BigEndian.Uint32(frame))] = int64(logHeader) + int64(n)*int64(len(frame)) + frameHeader
		if binary.BigEndian.Uint32(frame[4:]) > 0 { // it commits
			for page, at := range pending {
				l.places[page] = at
			}
			clear(pending)
			l.Damaged, suspects = append(l.Damaged, suspects...), nil
		}
	}
}

// Close closes the file.
func (l *Log) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// logSum is the running checksum of a log (4.2).
type logSum struct {
	little bool
	a, b   uint32
}

func (s *logSum) add(text []byte) {
	for ; len(text) >= 8; text = text[8:] {
		x, y := binary.BigEndian.Uint32(text), binary.BigEndian.Uint32(text[4:])
		if s.little {
			x, y = binary.LittleEndian.Uint32(text), binary.LittleEndian.Uint32(text[4:])
		}
		s.a += x + s.b
		s.b += y + s.a
	}
}

func (s *logSum) is(text []byte) bool {
	return s.a == binary.BigEndian.Uint32(text) && s.b == binary.BigEndian.Uint32(text[4:])
}

func (s *logSum) take(text []byte) {
	s.a, s.b = binary.BigEndian.Uint32(text), binary.BigEndian.Uint32(text[4:])
}
