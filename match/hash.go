package match

import (
	"crypto/sha256"
	"encoding/binary"
	"io"

	"gogi/shogi"
)

// Hash returns a hash of the opening's start position and moves. It uses the text of Start, so "startpos" and the
// equivalent SFEN have different hashes. The hash does not cover the ID.
func (o Opening) Hash() uint64 {
	return movesHash(o.Start, len(o.Moves), func(i int) shogi.Move { return o.Moves[i] })
}

// MovesHash returns a hash of the game's start position and all its moves, including the opening's moves. The
// notation of the start position does not change the hash. MovesHash returns an error if it cannot read the
// start position.
func (r *Result) MovesHash() (uint64, error) {
	start, err := Opening{ID: "of the record", Start: r.Record.Start}.Position()
	if err != nil {
		return 0, err
	}
	return movesHash(start.SFEN(), len(r.Record.Moves), func(i int) shogi.Move { return r.Record.Moves[i].Move }), nil
}

// movesHash returns the first 64 bits of a SHA-256 over a start position and n moves. Stores save this hash,
// so its definition never changes.
func movesHash(start string, n int, move func(int) shogi.Move) uint64 {
	h := sha256.New()
	_, _ = io.WriteString(h, start) // a hash never fails
	text := []byte{0}
	for i := range n {
		text = binary.LittleEndian.AppendUint16(text, uint16(move(i)))
	}
	_, _ = h.Write(text)
	return binary.LittleEndian.Uint64(h.Sum(nil))
}
