package match_test

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// TestHashes: stores keep these hashes, so that they must never change: SHA-256 of the
// start, a zero byte, and each move's 16 bits, low byte first.
func TestHashes(t *testing.T) {
	m := matchtest.Moves("7g7f")[0]
	sum := sha256.Sum256(append([]byte("startpos\x00"), byte(m), byte(m>>8)))
	testutil.Equal(t, matchtest.Opening("startpos", "7g7f").Hash(), binary.LittleEndian.Uint64(sum[:]), "an opening has the hash")
	p := shogi.StartPos()
	sum = sha256.Sum256(append([]byte(p.SFEN()+"\x00"), byte(m), byte(m>>8)))
	for _, start := range []string{"startpos", p.SFEN()} {
		r := match.Result{Record: kifu.Record{Start: start, Moves: []kifu.Move{{Move: m}}}}
		if got, err := r.MovesHash(); err != nil || got != binary.LittleEndian.Uint64(sum[:]) {
			t.Errorf("a game from %q has the hash %x (%v)", start, got, err)
		}
	}
	if _, err := (&match.Result{Record: kifu.Record{Start: "nowhere"}}).MovesHash(); err == nil {
		t.Error("a game from nowhere has a hash")
	}
}

// TestOpeningHash: the name is no matter, the position and the moves are.
func TestOpeningHash(t *testing.T) {
	o := matchtest.Opening("startpos", "7g7f")
	named, shorter := o, o
	named.ID, shorter.Moves = "another", nil
	if o.Hash() != named.Hash() || o.Hash() == shorter.Hash() {
		t.Errorf("%x, by another name %x, without its move %x", o.Hash(), named.Hash(), shorter.Hash())
	}
}
