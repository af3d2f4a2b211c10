package book

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"gogi/shogi"
	"gogi/shogi/kifu/packed"
)

const (
	ybbMagic  = "YANE-BINBOOK-V1\x00"
	ybbHead   = len(ybbMagic) + 8 + 8 // number of positions, flags
	ybbRecord = packed.PositionSize + 8 + 2 + 2
	ybbDepths = 1      // flag: every move has a depth
	ybbNone   = 0x7fff // no score
	ybbMost   = 32000  // the greatest score; mates have scores near it
)

// readYBB reads a book in the format ybb. The file has a header; the positions (PackedSfen, offset of the
// first move behind the positions, number of the next move, number of moves); and the moves (move, score, and
// depth if the flag is set).
func readYBB(data []byte) (*Book, error) {
	if len(data) < ybbHead || string(data[:len(ybbMagic)]) != ybbMagic {
		return nil, fmt.Errorf("byte 0: the file does not begin as a ybb: expected %q and two numbers", ybbMagic)
	}
	count, flags := binary.LittleEndian.Uint64(data[16:]), binary.LittleEndian.Uint64(data[24:])
	if count > uint64((len(data)-ybbHead)/ybbRecord) {
		return nil, fmt.Errorf("byte 16: the file is said to have %d positions: expected at most %d in %d bytes", count,
			(len(data)-ybbHead)/ybbRecord, len(data))
	}
	if flags&^ybbDepths != 0 {
		return nil, fmt.Errorf("byte 24: the flags are %#x: expected 0 or 1", flags)
	}
	size := 4
	if flags&ybbDepths != 0 {
		size = 6
	}
	b := &Book{}
	area := data[ybbHead+int(count)*ybbRecord:]
	var before []byte
	for i := range int(count) {
		at := ybbHead + i*ybbRecord
		record := data[at : at+ybbRecord]
		b.Unsorted = b.Unsorted || bytes.Compare(before, record[:packed.PositionSize]) >= 0
		before = record[:packed.PositionSize]
		e, err := readYBBEntry(record, area, size)
		if err != nil {
			return nil, fmt.Errorf("byte %d: position %d: %w", at, i+1, err)
		}
		b.Entries = append(b.Entries, e)
	}
	return b, nil
}

func readYBBEntry(record, area []byte, size int) (*Entry, error) {
	offset, n := binary.LittleEndian.Uint64(record[32:]), int(binary.LittleEndian.Uint16(record[42:]))
	ply := int(binary.LittleEndian.Uint16(record[40:]))
	p, err := packed.ParseSfen(record, ply)
	if err != nil {
		return nil, err
	}
	if offset > uint64(len(area)) || n*size > len(area)-int(offset) {
		return nil, fmt.Errorf("its %d moves begin at byte %d of the moves: expected them within %d bytes", n, offset,
			len(area))
	}
	e := &Entry{Position: p, AnyPly: ply == 0}
	for i := range n {
		x := area[int(offset)+i*size:]
		m := Move{Move: shogi.Move(binary.LittleEndian.Uint16(x)), Score: int(int16(binary.LittleEndian.Uint16(x[2:])))}
		if m.HasScore = m.Score != ybbNone; !m.HasScore {
			m.Score = 0
		}
		if size == 6 {
			m.Depth = int(binary.LittleEndian.Uint16(x[4:]))
		}
		e.Moves = append(e.Moves, m)
	}
	return e, nil
}

// writeYBB writes the positions that have moves, sorted by their packed bytes.
func writeYBB(w io.Writer, b *Book) error {
	list, err := keyedBy(b.Merged().Entries, func(e *Entry) ([]byte, error) { return packed.AppendSfen(nil, &e.Position) },
		bytes.Compare)
	if err != nil {
		return err
	}
	depths := slices.ContainsFunc(list, func(e keyed[[]byte]) bool {
		return slices.ContainsFunc(e.Moves, func(m Move) bool { return m.Depth > 0 })
	})
	head := binary.LittleEndian.AppendUint64([]byte(ybbMagic), uint64(len(list)))
	size, flags := 4, uint64(0)
	if depths {
		size, flags = 6, ybbDepths
	}
	head = binary.LittleEndian.AppendUint64(head, flags)
	var area []byte
	for _, e := range list {
		if len(e.Moves) > 1<<16-1 {
			return fmt.Errorf("%s has %d moves: expected at most 65535", e.Position.SFEN(), len(e.Moves))
		}
		head = append(head, e.key...)
		head = binary.LittleEndian.AppendUint64(head, uint64(len(area)))
		head = binary.LittleEndian.AppendUint16(head, uint16(min(e.ply(), 1<<16-1)))
		head = binary.LittleEndian.AppendUint16(head, uint16(len(e.Moves)))
		for _, m := range e.Moves {
			area = appendYBBMove(area, m, size)
		}
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err = w.Write(area)
	return err
}

func appendYBBMove(dst []byte, m Move, size int) []byte {
	score := ybbNone
	if m.HasScore {
		score = max(-ybbMost, min(ybbMost, m.Score))
	}
	dst = binary.LittleEndian.AppendUint16(dst, uint16(m.Move))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(score))
	if size == 6 {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(min(m.Depth, 1<<16-1)))
	}
	return dst
}
