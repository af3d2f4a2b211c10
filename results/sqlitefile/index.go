package sqlitefile

import (
	"encoding/binary"
	"os"
)

// The index of a log (https://sqlite.org/walformat.html, 2.1): its version, and the size
// of its header, of which two copies stand at its beginning.
const (
	indexVersion = 3007000
	indexHeader  = 48
)

// publishedFrames is how many frames of the log with this header the index beside it says
// are committed. It is not known where there is no index, where it belongs to another use
// of the log, or where it was being written. SQLite tells the index of every transaction
// before it calls it committed, and the index outlives a killed process.
func publishedFrames(path string, header []byte) (frames int, known bool) {
	file, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer func() { _ = file.Close() }() // it was read only
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
