package sqlitefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"gogi/internal/disk"
)

// logHeader is the size of the log's header in bytes, and frameHeader is the size of a frame's header (4.1).
const (
	logHeader   = 32
	frameHeader = 24
)

// Log is a write-ahead log of SQLite (sqlite.org/fileformat2.html, section 4). It has versions of pages that are
// newer than the pages in the database file.
type Log struct {
	Frames     int   // number of frames that belong to the log according to the log's header
	Damaged    []int // numbers of the damaged frames, from 0; SQLite ignores the first damaged frame and all later ones
	Unreadable bool  // the header itself is damaged: SQLite reads nothing

	file     *os.File
	pageSize int
	places   map[int]int64 // places of the latest committed versions of the pages
}

// ReadLog reads the log at a path. If there is no log, it returns an empty one. ReadLog reports a frame as damaged
// if its checksum is wrong and a commit follows, except for:
//
//   - a frame that was never finished, like the last one after a power cut;
//   - frames that were never committed: if a transaction changes a page twice, SQLite overwrites its
//     frame in place, and corrects the checksums when it commits;
//   - frames that an unfinished transaction left at the end of the log.
func ReadLog(path string) (*Log, error) {
	l := &Log{places: map[int]int64{}}
	file, err := disk.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	l.file = file
	header := make([]byte, logHeader)
	if _, err := io.ReadFull(file, header); atEnd(err) {
		return l, nil // a log that was just started
	} else if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if string(header) == string(make([]byte, logHeader)) {
		return l, nil // a power cut may leave such a log that was just started
	}
	magic := binary.BigEndian.Uint32(header)
	l.pageSize = pageSizeOf(int(binary.BigEndian.Uint32(header[8:]) & 0x1ffff))
	sum := logSum{little: magic&1 == 0}
	sum.add(header[:24])
	l.Unreadable = magic&^1 != 0x377f0682 || l.pageSize == 0 || !sum.is(header[24:])
	if l.Unreadable {
		return l, nil
	}
	published, known := publishedFrames(strings.TrimSuffix(path, "-wal")+"-shm", header)
	if !known {
		published = math.MaxInt
	}
	if err := l.readFrames(header, sum, published); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

// atEnd reports whether an error of io.ReadFull means that the file has ended.
func atEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// Problem describes the damage of the log. It returns "" for an undamaged log.
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

// frame is one frame of the log: a version of a page.
type frame struct {
	page    int
	commits bool // the frame ends a transaction
	sound   bool // its checksum is correct: it continues the checksum of the previous frame
}

// readFrames finds the frames of the log, and the latest version of each page. published is the number of frames
// that the log's index reports as committed.
func (l *Log) readFrames(header []byte, sum logSum, published int) error {
	frames, err := l.follow(header, sum)
	if err != nil {
		return err
	}
	if end := leftovers(frames, published); end >= 0 {
		frames = frames[:end]
	}
	pending := map[int]int64{} // pages of the current transaction
	var suspects []int
	for n, f := range frames {
		if !f.sound {
			suspects = append(suspects, n)
			continue
		}
		l.Frames = n + 1
		pending[f.page] = int64(logHeader) + int64(n)*int64(frameHeader+l.pageSize) + frameHeader
		if f.commits {
			maps.Copy(l.places, pending)
			clear(pending)
			l.Damaged, suspects = append(l.Damaged, suspects...), nil
		}
	}
	return nil
}

// follow reads the frames since the log was last restarted. It calculates each frame's checksum from the stored
// checksum of the previous frame. So a damaged frame does not hide later frames.
func (l *Log) follow(header []byte, sum logSum) (frames []frame, err error) {
	text := make([]byte, frameHeader+l.pageSize)
	for suspects := 0; ; {
		if _, err := io.ReadFull(l.file, text); atEnd(err) {
			return frames, nil
		} else if err != nil {
			return nil, err
		}
		f := frame{page: int(binary.BigEndian.Uint32(text)), commits: binary.BigEndian.Uint32(text[4:]) > 0}
		ours := string(text[8:16]) == string(header[16:24]) // the frame does not belong to an earlier use of the file
		if ours {
			sum.add(text[:8])
			sum.add(text[frameHeader:])
			f.sound = sum.is(text[16:24])
		}
		switch {
		case f.sound && f.commits:
			suspects = 0
		case !f.sound:
			suspects++
			sum.a, sum.b = binary.BigEndian.Uint32(text[16:]), binary.BigEndian.Uint32(text[20:])
		}
		if !ours && suspects > 3 { // bit flips are not so frequent
			return frames, nil
		}
		frames = append(frames, f)
	}
}

// leftovers returns the number of the first frame that belongs to an unfinished transaction, although the last frame
// of a transaction is in the log. It returns -1 if there is none. There are two causes. A process may be killed after
// it wrote the last frame and before it updates the index (2.3.1); the next writer overwrites these frames. A process
// with a too small cache may leave frames with wrong checksums. In both cases the frames follow the frames that the
// index reports as committed, and only one transaction ends between two wrong checksums. If more than one ends there,
// the log was damaged, and SQLite has recovered it since.
func leftovers(frames []frame, published int) int {
	first := slices.IndexFunc(frames, func(f frame) bool { return !f.sound })
	if first < published { // also if no frame is damaged
		return -1
	}
	commits, most := 0, 0
	for _, f := range frames[first:] {
		switch {
		case !f.sound:
			commits = 0
		case f.commits:
			commits++
		}
		most = max(most, commits)
	}
	if most != 1 {
		return -1
	}
	return first
}

// Close closes the file.
func (l *Log) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// logSum is the running checksum over a log (4.2).
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

// The index of a log is described in https://sqlite.org/walformat.html, 2.1. These are its version and the
// size of its header. The file starts with two copies of the header.
const (
	indexVersion = 3007000
	indexHeader  = 48
)

// publishedFrames returns the number of committed frames in the log with this header, according to the index
// next to the log. known is false if there is no index, if the index belongs to another use of the log, or if
// a process was writing it. SQLite writes every transaction to the index before it reports the commit. The
// index still exists after a process was killed.
func publishedFrames(path string, header []byte) (frames int, known bool) {
	file, err := disk.Open(path)
	if err != nil {
		return 0, false
	}
	defer func() { _ = file.Close() }() // the file was only read
	text := make([]byte, 2*indexHeader)
	if _, err := file.ReadAt(text, 0); err != nil || string(text[:indexHeader]) != string(text[indexHeader:]) {
		return 0, false
	}
	native := binary.NativeEndian
	sum := logSum{little: native.Uint16([]byte{1, 0}) == 1}
	sum.add(text[:40])
	sound := sum.a == native.Uint32(text[40:]) && sum.b == native.Uint32(text[44:])
	if !sound || native.Uint32(text) != indexVersion || text[12] == 0 || string(text[32:40]) != string(header[16:24]) {
		return 0, false
	}
	return int(native.Uint32(text[16:])), true
}
