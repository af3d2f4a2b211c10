package kifu

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/shogi"
)

// manyMoves returns n arbitrary moves, which use every field of a move.
func manyMoves(n int) []Move {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	moves := make([]Move, n)
	for i := range moves {
		m := &moves[i]
		*m = Move{
			Move: shogi.Move(r.IntN(1 << 16)), Time: time.Duration(r.IntN(1e6)) * time.Microsecond, HasScore: r.IntN(4) > 0,
			Depth:    10 + r.IntN(8),
			SelDepth: 12 + r.IntN(20), Nodes: 20000 + uint64(r.IntN(1500)), Opening: i < 4,
		}
		if m.HasScore {
			m.Score = r.IntN(2001) - 1000
		}
		for range r.IntN(13) {
			m.PV = append(m.PV, shogi.Move(r.IntN(1<<16)))
		}
		if len(m.PV) > 0 && r.IntN(2) == 0 {
			m.PV[0] = m.Move
		}
		if r.IntN(8) == 0 {
			m.Detail = []byte(`{"by":"rule"}`)
		}
	}
	return moves
}

// packers returns the functions that pack games.
func packers() map[string]func([]Move, int) ([]byte, error) {
	return map[string]func([]Move, int) ([]byte, error){"Pack": Pack, "PackDense": PackDense}
}

func TestPackRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		moves := rapid.SliceOf(rapid.Custom(drawMove)).Draw(rt, "moves")
		for name, pack := range packers() {
			packed := testutil.Must(pack(moves, 12))(rt)
			got := testutil.Must(Unpack(packed))(rt)
			testutil.Equal(rt, cmp.Diff(moves, got, cmpopts.EquateEmpty()), "", "%s (-packed +got)", name)
		}
	})
	for _, pack := range packers() {
		testutil.Fails(t, testutil.Err(pack(make([]Move, maxPlies+1), 0)), "", "a game without end was packed")
	}
}

// TestBoundsInPackedGames: a game without a bound has the first format, which an older gogi reads. Its flags of bounds
// are damage, and so is a move with two of them.
func TestBoundsInPackedGames(t *testing.T) {
	packed := func(m ...Move) []byte { return testutil.Must(Pack(m, 0))(t) }
	plain, bound := packed(Move{Move: 5, Score: 5, HasScore: true}),
		packed(Move{Move: 5, Score: -2600, Bound: AtMost}, Move{Move: 5, Score: 7, HasScore: true, Bound: AtLeast})
	testutil.Check(t, plain[0] == 1 && bound[0] == 2, "formats %d and %d", plain[0], bound[0])
	moves := testutil.Must(Unpack(bound))(t)
	testutil.Check(t, moves[0].Bound == AtMost && moves[0].Score == -2600 && moves[1].Bound == NoBound &&
		moves[1].Score == 7, "%+v", moves)
	testutil.Fails(t, new(Move).setFlags(0x40, flagsBounds), "flags 0x40 are unknown", "a flag without a meaning")
	older := bytes.Clone(bound)
	older[0] = 1
	testutil.Fails(t, testutil.Err(Unpack(older)), "flags 0x20 are unknown", "a bound in the first format")
	for _, m := range []Move{{Score: 3, HasScore: true}, {Score: -2600, Bound: AtMost}, {Score: 900, Bound: AtLeast}} {
		m.Move = shogi.NewDrop(shogi.Pawn, shogi.NewSquare(5, 5))
		var again MoveJSON
		testutil.OK(t, json.Unmarshal(testutil.Must(json.Marshal(m.JSON()))(t), &again))
		got := testutil.Must(again.Move())(t)
		testutil.Check(t, got.Bound == m.Bound && got.Score == m.Score && got.HasScore == m.HasScore, "%+v, want %+v", got, m)
	}
}

func drawMove(t *rapid.T) Move {
	moves := rapid.Map(rapid.Uint16(), func(m uint16) shogi.Move { return shogi.Move(m) })
	m := Move{
		Move: moves.Draw(t, "move"), Time: time.Duration(rapid.Int64Range(0, 1<<50).Draw(t, "time")) * time.Microsecond,
		HasScore: rapid.Bool().Draw(t, "has score"), Depth: rapid.Int().Draw(t, "depth"),
		SelDepth: rapid.Int().Draw(t, "seldepth"),
		Nodes:    rapid.Uint64().Draw(t, "nodes"), PV: rapid.SliceOfN(moves, 0, 12).Draw(t, "pv"),
		Detail: rapid.SliceOf(rapid.Byte()).Draw(t, "detail"), Opening: rapid.Bool().Draw(t, "opening"),
		NoTime: rapid.Bool().Draw(t, "untimed"),
	}
	if !m.HasScore {
		m.Bound = rapid.SampledFrom([]Bound{NoBound, AtLeast, AtMost}).Draw(t, "bound")
	}
	if m.HasScore || m.Bound != NoBound {
		m.Score = rapid.Int().Draw(t, "score")
	}
	if len(m.PV) > 0 && rapid.Bool().Draw(t, "own pv") {
		m.PV[0] = m.Move
	}
	return m
}

// TestUnpackWithin: UnpackWithin uses hardly more memory than its limit, also if the text unpacks to much more.
func TestUnpackWithin(t *testing.T) {
	bomb := packed(make([]byte, maxRaw-1)...)
	plies := packed(append([]byte{0xff, 0xff, 0x01}, make([]byte, maxPlies*9)...)...) // 32767 plies in some 300 bytes
	const slack = 200_000                                                             // for the decompressor
	for name, text := range map[string][]byte{"bytes": bomb, "plies": plies} {
		for _, limit := range []int{-1, 0, 1000, 1 << 20} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := UnpackWithin(text, limit)
			runtime.ReadMemStats(&after)
			testutil.Check(t, err != nil, "%s within %d bytes: no error", name, limit)
			spent := int64(after.TotalAlloc - before.TotalAlloc)
			testutil.Check(t, spent <= int64(max(0, limit))*3/2+slack, "%s within %d bytes: took %d", name, limit, spent)
		}
	}
	moves := manyMoves(300)
	text := testutil.Must(Pack(moves, 12))(t)
	for limit := 0; ; limit += 1000 {
		if got, err := UnpackWithin(text, limit); err == nil {
			testutil.Check(t, limit >= 300*plyCost && limit <= 1<<18 && len(got) == 300, "%d plies within %d bytes", len(got),
				limit)
			break
		}
	}
	size := int(reflect.TypeFor[Move]().Size())
	testutil.Check(t, plyCost >= size+2*8+1, "a ply takes %d bytes, not %d", size+2*8+1, plyCost)
}

func TestPackPV(t *testing.T) {
	moves := []Move{{Move: 5, PV: []shogi.Move{5, 6, 7}}, {Move: 6, PV: []shogi.Move{7, 8, 9}}, {Move: 7}}
	for cut, want := range [][2][]shogi.Move{{nil, nil}, {{5}, {7}}, {{5, 6}, {7, 8}}, {{5, 6, 7}, {7, 8, 9}},
		{{5, 6, 7}, {7, 8, 9}}} {
		blob := testutil.Must(Pack(moves, cut))(t)
		got, err := Unpack(blob)
		testutil.Check(t, err == nil && cmp.Equal(want, [2][]shogi.Move{got[0].PV, got[1].PV}), "cut to %d: %v, %v", cut, got,
			err)
	}
}

// TestUnpackDamaged: Unpack reports every truncation and every damaged byte, except in the level in zlib's header.
func TestUnpackDamaged(t *testing.T) {
	blob := testutil.Must(Pack(manyMoves(40), 12))(t)
	for i := range blob {
		testutil.Fails(t, testutil.Err(Unpack(blob[:i])), "", "cut to %d bytes: no error", i)
		damaged := bytes.Clone(blob)
		damaged[i] ^= 0x55
		if _, err := Unpack(damaged); err == nil && i != 2 { // byte 2 only names the level in zlib's header
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
		"unknown version":   append([]byte{packDense + 1}, packed(0)[1:]...),
		"too much unpacked": packed(make([]byte, maxRaw+1)...),
	}
	for name, blob := range tests {
		if moves, err := Unpack(blob); err == nil {
			t.Errorf("%s: %d moves", name, len(moves))
		}
	}
	if moves, err := Unpack(packed(1, 5, 0, 0, 0, 0, 0, 0, 0, 0)); err != nil || len(moves) != 1 || moves[0].Move != 5 {
		t.Errorf("the sound one: %v, %v", moves, err)
	}
}

func packed(raw ...byte) []byte {
	out := bytes.NewBuffer([]byte{packVersion})
	w := zlib.NewWriter(out)
	_, _ = w.Write(raw) // into memory
	_ = w.Close()
	return out.Bytes()
}

// FuzzUnpack: moves that Unpack returns survive Pack and Unpack. The fuzzer cannot make valid checksums of zlib, so the
// input is also used as the text before compression, and as the text of a coder.
func FuzzUnpack(f *testing.F) {
	for id := range 3 {
		blob := testutil.Must(Pack(manyMoves(20*id), 12))(f)
		f.Add(blob)
		f.Add(appendColumns(nil, manyMoves(20*id), 12))
		dense := testutil.Must(PackDense(withoutDetail(manyMoves(20*id)), 12))(f)
		f.Add(dense)
		f.Add(dense[1 : len(dense)-4])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, blob := range [][]byte{text, packed(text...), sealed(text...)} {
			moves, err := Unpack(blob)
			if err != nil {
				continue
			}
			for _, pack := range packers() {
				packed, err := pack(moves, math.MaxInt)
				if err != nil {
					continue // the limits of both forms differ at games that no match has
				}
				got, err := Unpack(packed)
				if err != nil || !cmp.Equal(moves, got, cmpopts.EquateEmpty()) {
					t.Errorf("%v\n%s", err, cmp.Diff(moves, got))
				}
			}
		}
	})
}

// TestVariationsApart: a move that is appended to one principal variation does not change the next one.
func TestVariationsApart(t *testing.T) {
	moves := []Move{{Move: 1, PV: []shogi.Move{2, 3}}, {Move: 4, PV: []shogi.Move{5, 6}}}
	got := testutil.Must(Unpack(testutil.Must(Pack(moves, 2))(t)))(t)
	_ = append(got[0].PV, 7)
	testutil.Check(t, reflect.DeepEqual(got[1].PV, moves[1].PV), "%v", got[1].PV)
}

// TestLengthsBeyondTheEnd: lengths of principal variations that are too large are an error, also if their sum is small
// because it overflows.
func TestLengthsBeyondTheEnd(t *testing.T) {
	for _, lengths := range [][2]uint64{{1, 1}, {1, math.MaxUint64}, {math.MaxUint64, 1}} {
		text := binary.AppendUvarint(binary.AppendUvarint(nil, lengths[0]), lengths[1])
		d := decoder{rest: append(text, 0, 0, 0), room: new([]uint64)}
		d.pvs(make([]Move, 2), make([]byte, 2))
		testutil.Check(t, errors.Is(d.err, io.ErrUnexpectedEOF), "%d: %v", lengths, d.err)
	}
}
