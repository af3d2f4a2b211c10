package kifu

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/shogi"
)

// withoutDetail returns moves that PackDense does not pass on to Pack.
func withoutDetail(moves []Move) []Move {
	each(moves, func(m *Move) { m.Detail = nil })
	return moves
}

// plausible returns a game of n plies with variations of twelve plies that come true. After each fifth ply the game
// leaves them if surprises is true.
func plausible(n int, surprises bool) []Move {
	line := manyMoves(n + 12)
	moves := make([]Move, n)
	for i := range moves {
		moves[i] = Move{Move: line[i].Move, Score: 30, HasScore: true, Depth: 9, Nodes: 1000, Time: time.Microsecond}
		if i%2 == 1 {
			moves[i].Score = -30
		}
		for _, m := range line[i : i+12] {
			moves[i].PV = append(moves[i].PV, m.Move)
		}
		if surprises && i%5 == 4 {
			line[i+3].Move ^= 1
		}
	}
	return moves
}

func TestPackDense(t *testing.T) {
	for name, moves := range map[string][]Move{
		"arbitrary": withoutDetail(manyMoves(200)), "plausible": plausible(200, true), "none": {},
		"extremes": {{Score: math.MinInt, HasScore: true, Depth: math.MinInt, SelDepth: math.MaxInt, Nodes: math.MaxUint64,
			Time: math.MaxInt64 / 1000 * 1000}, {Score: math.MaxInt, Bound: AtMost, Move: math.MaxUint16},
			{Score: math.MinInt, Bound: AtLeast}, {Score: math.MaxInt, HasScore: true}},
	} {
		packed := testutil.Must(PackDense(moves, 12))(t)
		testutil.Equal(t, packed[0], byte(packDense), "%s: the format", name)
		got := testutil.Must(Unpack(packed))(t)
		testutil.Equal(t, cmp.Diff(moves, got, cmpopts.EquateEmpty()), "", "%s (-packed +got)", name)
	}
	moves := manyMoves(40)
	older, packed := testutil.Must(Pack(moves, 12))(t), testutil.Must(PackDense(moves, 12))(t)
	testutil.Check(t, bytes.Equal(older, packed), "moves with a detail have another form")
}

// TestDenseStaysReadable: testdata/dense.bin is what gogi wrote when schema 11 was new. A decoder in Python, written
// separately, read the same game. Databases have this form, so no change of the coder or of the model may change it.
func TestDenseStaysReadable(t *testing.T) {
	moves := append(plausible(60, true), withoutDetail(manyMoves(20))...)
	for i := range moves[:60] {
		m := &moves[i]
		m.Opening, m.SelDepth, m.Nodes = i < 6, 12+i%3, m.Nodes+uint64(i*i)
		if m.Score *= i * i / 30; i >= 30 { // until then, the two sides agree
			m.Score = 20
		}
		if i%4 == 3 {
			m.PV = nil
		}
		if i%7 == 6 {
			m.HasScore, m.Bound = false, AtLeast
		}
	}
	want := testutil.Must(os.ReadFile("testdata/dense.bin"))(t)
	got := testutil.Must(Unpack(want))(t)
	testutil.Equal(t, cmp.Diff(moves, got, cmpopts.EquateEmpty()), "", "(-expected +read)")
	testutil.Check(t, bytes.Equal(testutil.Must(PackDense(moves, 12))(t), want), "gogi writes another form")
}

// TestPackDenseIsDense: a variation that continues an earlier one takes few bytes. Each ply has one new move, of 16
// arbitrary bits, at the end of its variation.
func TestPackDenseIsDense(t *testing.T) {
	const plies = 1000
	packed := testutil.Must(PackDense(plausible(plies, false), 12))(t)
	testutil.Check(t, len(packed) <= plies*2*5/4, "%d bytes for %d plies", len(packed), plies)
}

// TestCoder: what a coder writes it reads again, to the last byte, and no text is a beginning of another.
func TestCoder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		values := rapid.SliceOf(rapid.OneOf(rapid.Uint64(), rapid.Uint64Max(9), rapid.Just(uint64(math.MaxUint64)))).
			Draw(rt, "values")
		certain := rapid.Bool().Draw(rt, "certain")
		code := func(c *coder) (got []uint64) {
			var n, signed numbers
			var bit chance
			var tree [8]chance
			for i := range values {
				v := uint64(0)
				if !c.reading {
					v = values[i]
				}
				if certain { // bits that are nearly certain make the interval small
					for range values[i] % 50 {
						c.bit(&bit, 0)
					}
				}
				got = append(got, c.uint(&n, v), uint64(c.int(&signed, int64(v))), c.raw(int(values[i]%65), v),
					uint64(c.tree(tree[:], uint(v%8))), uint64(c.bit(&bit, uint(v&1))))
			}
			return got
		}
		writer := writingCoder(7)
		code(&writer)
		text := writer.written()
		testutil.Equal(rt, text[0], byte(7), "the head")
		var want []uint64
		for _, v := range values {
			want = append(want, v, v, v&(1<<(v%65)-1), v%8, v&1)
		}
		reader := readingCoder(text[1:])
		testutil.Equal(rt, cmp.Diff(want, code(&reader)), "", "(-written +read)")
		testutil.OK(rt, reader.ended())
		longer := readingCoder(append(text[1:], 0))
		code(&longer)
		testutil.Fails(rt, longer.ended(), "too many bytes")
	})
}

// TestChance: a bit takes its share of the text. A thousand bits, of which one in 16 is 1, carry 337 bits.
func TestChance(t *testing.T) {
	c := writingCoder()
	var p chance
	for i := range 1000 {
		c.bit(&p, one(i%16 == 7))
	}
	n := 8 * len(c.written())
	testutil.Check(t, n >= 337 && n <= 337*11/10, "%d bits", n)
}

// sealed returns a text with the format and the checksum of PackDense.
func sealed(text ...byte) []byte {
	b := append([]byte{packDense}, text...)
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// TestUnpackDenseDamaged: Unpack reports every truncation and every damaged byte.
func TestUnpackDenseDamaged(t *testing.T) {
	blob := testutil.Must(PackDense(withoutDetail(manyMoves(40)), 12))(t)
	for i := range blob {
		testutil.Fails(t, testutil.Err(Unpack(blob[:i])), "", "cut to %d bytes: no error", i)
		damaged := bytes.Clone(blob)
		damaged[i] ^= 0x55
		testutil.Fails(t, testutil.Err(Unpack(damaged)), "", "byte %d: no error", i)
	}
	text := blob[1 : len(blob)-4]
	testutil.OK(t, testutil.Err(Unpack(sealed(text...))))
	for cut := range 8 {
		testutil.Fails(t, testutil.Err(Unpack(sealed(text[:len(text)-1-cut]...))), "unexpected EOF")
	}
	testutil.Fails(t, testutil.Err(Unpack(sealed(append(text, 0)...))), "too many bytes")
	for name, write := range map[string]func(*model){
		"40000 plies":     func(m *model) { m.uint(&m.plies, 40000) },
		"flags 0x30":      func(m *model) { m.uint(&m.plies, 1); m.bit(&m.sameFlags[0], 0); m.tree(m.flags[:], 0x30) },
		"a variation of ": func(m *model) { longLine(m, 1<<40) },
	} {
		m := takeModel(writingCoder(packDense))
		write(m)
		for range 64 {
			m.raw(64, 0)
		}
		testutil.Fails(t, testutil.Err(Unpack(sealed(m.written()[1:]...))), name)
	}
}

// longLine writes a game of one ply up to the length of its variation.
func longLine(m *model, length uint64) {
	v := &m.values[0]
	m.uint(&m.plies, 1)
	m.bit(&m.sameFlags[0], 1)
	m.anyMove(&m.moves[0], shogi.NoMove, 5)
	m.int(&v.depth, 0)
	m.int(&v.selDepth, 0)
	m.int(&v.nodes, 0)
	m.uint(&v.time, 0)
	m.uint(&v.length, length)
}

// TestPackDenseLimits: PackDense packs nothing that Unpack rejects, and the wire has no game in this form.
func TestPackDenseLimits(t *testing.T) {
	packed := testutil.Must(PackDense(make([]Move, maxPlies), 0))(t)
	testutil.Equal(t, len(testutil.Must(Unpack(packed))(t)), maxPlies, "plies")
	testutil.Fails(t, testutil.Err(UnpackWithin(packed, unlimited)), "format 3, expected 1 or 2")
	testutil.Fails(t, testutil.Err(Unpack([]byte{packDense + 1, 0, 0, 0, 0})), "format 4, which this gogi does not know")
	testutil.Fails(t, testutil.Err(PackDense([]Move{{PV: make([]shogi.Move, maxLines+1)}}, maxLines+1)), "is too long")
	for length, fits := range map[int]bool{5: true, 6: false} {
		m := takeModel(writingCoder())
		m.lines = maxLines - 5
		_, err := m.ply(0, Move{PV: make([]shogi.Move, length)}, 9)
		testutil.Check(t, (err == nil) == fits, "a variation of %d plies, if five are left: %v", length, err)
	}
}
