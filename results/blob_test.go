package results

import (
	"bytes"
	"compress/zlib"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gogi/kifu"
	"gogi/shogi"
)

func TestPackPV(t *testing.T) {
	var p packer
	moves := []kifu.Move{{Move: 5, PV: []shogi.Move{5, 6, 7}}, {Move: 6, PV: []shogi.Move{7, 8, 9}}, {Move: 7}}
	for cut, want := range [][2][]shogi.Move{{nil, nil}, {{5}, {7}}, {{5, 6}, {7, 8}}, {{5, 6, 7}, {7, 8, 9}}, {{5, 6, 7}, {7, 8, 9}}} {
		blob, err := p.pack(moves, cut)
		if err != nil {
			t.Fatal(err)
		}
		got, err := unpack(blob)
		if err != nil || !cmp.Equal(want, [2][]shogi.Move{got[0].PV, got[1].PV}) {
			t.Errorf("cut to %d: %v, %v", cut, got, err)
		}
	}
}

// Any single damaged byte and any truncation is noticed.
func TestUnpackDamaged(t *testing.T) {
	var p packer
	blob, err := p.pack(playedPair(testPlan("r"), 0, 40).Games[0].Record.Moves, 12)
	if err != nil {
		t.Fatal(err)
	}
	for i := range blob {
		if _, err := unpack(blob[:i]); err == nil {
			t.Errorf("cut to %d bytes: no error", i)
		}
		damaged := bytes.Clone(blob)
		damaged[i] ^= 0x55
		if _, err := unpack(damaged); err == nil && i != 2 { // zlib's header may name another level
			t.Errorf("byte %d: no error", i)
		}
	}
}

func TestUnpackRefuses(t *testing.T) {
	tests := map[string][]byte{
		"nothing":           {},
		"too many plies":    packed(0xff, 0xff, 0xff, 0xff, 0x0f),
		"more than it has":  packed(200, 1),
		"unknown flag":      packed(1, 5, 0, 0x80, 0, 0, 0, 0, 0, 0),
		"something behind":  packed(0, 0),
		"long PV":           packed(1, 5, 0, 0, 0, 0, 0, 0, 0xff, 0x7f, 0),
		"long detail":       packed(1, 5, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x7f),
		"unknown version":   append([]byte{blobVersion + 1}, packed(0)[1:]...),
		"too much unpacked": packed(make([]byte, maxRaw+1)...),
	}
	for name, blob := range tests {
		if moves, err := unpack(blob); err == nil {
			t.Errorf("%s: %d moves", name, len(moves))
		}
	}
	if moves, err := unpack(packed(1, 5, 0, 0, 0, 0, 0, 0, 0, 0)); err != nil || len(moves) != 1 || moves[0].Move != 5 {
		t.Errorf("the sound one: %v, %v", moves, err)
	}
}

func packed(raw ...byte) []byte {
	out := bytes.NewBuffer([]byte{blobVersion})
	w := zlib.NewWriter(out)
	_, _ = w.Write(raw) // into memory
	_ = w.Close()
	return out.Bytes()
}

// What unpacks packs and unpacks again to the same. The input is also tried as
// the text before compression, which zlib's checksum would hide from the fuzzer.
func FuzzUnpack(f *testing.F) {
	var p packer
	for id := range 3 {
		blob, err := p.pack(playedPair(testPlan("r"), id, 20*id).Games[0].Record.Moves, 12)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(blob)
		f.Add(appendColumns(nil, playedPair(testPlan("r"), id, 20*id).Games[0].Record.Moves, 12))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, blob := range [][]byte{text, packed(text...)} {
			moves, err := unpack(blob)
			if err != nil {
				continue
			}
			again, err := p.pack(moves, len(text)*1000)
			if err != nil {
				t.Fatal(err)
			}
			got, err := unpack(again)
			if err != nil || !cmp.Equal(moves, got, cmpopts.EquateEmpty()) {
				t.Errorf("%v\n%s", err, cmp.Diff(moves, got))
			}
		}
	})
}
