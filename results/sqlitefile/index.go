package sqlitefile

import (
	"encoding/binary"
	"os"
)

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
	file, err := os.Open(path)
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
