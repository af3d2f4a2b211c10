package packed

import (
	"encoding/csv"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/shogi"
)

// rows returns the rows of a file of testdata, keyed by column. packed_fixtures.csv agrees byte for byte with cshogi
// 1.0.4. reference_positions.csv comes from the same independent encoder, which was written from the published layouts.
func rows(t *testing.T, file string) (all []map[string]string) {
	t.Helper()
	f := testutil.Must(os.Open("testdata/" + file))(t)
	defer f.Close() // only read
	lines, err := csv.NewReader(f).ReadAll()
	testutil.Require(t, err == nil && len(lines) >= 2, "%v %v", len(lines), err)
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		all = append(all, row)
	}
	return all
}

func position(t *testing.T, sfen string) shogi.Position {
	t.Helper()
	return testutil.Must(shogi.ParseSFEN(sfen))(t)
}

func bytesOf(t *testing.T, text string) []byte {
	t.Helper()
	return testutil.Must(hex.DecodeString(strings.ReplaceAll(text, " ", "")))(t)
}

func TestPositions(t *testing.T) {
	t.Parallel()
	for _, row := range append(rows(t, "packed_fixtures.csv"), rows(t, "reference_positions.csv")...) {
		p := position(t, row["sfen"])
		checkPosition(t, p, row["packedsfen_hex"], AppendSfen, ParseSfen)
		checkPosition(t, p, row["hcp_hex"], AppendHCP, ParseHCP)
	}
}

func checkPosition(t *testing.T, p shogi.Position, want string,
	write func([]byte, *shogi.Position) ([]byte, error), read func([]byte, int) (shogi.Position, error),
) {
	t.Helper()
	b, err := write([]byte{7}, &p)
	if err != nil || hex.EncodeToString(b[1:]) != want || b[0] != 7 {
		t.Errorf("%s: %x, %v: expected %s", p.SFEN(), b, err, want)
	}
	back, err := read(bytesOf(t, want), p.Ply())
	if err != nil || back.SFEN() != p.SFEN() {
		t.Errorf("%s comes back as %s, %v", p.SFEN(), back.SFEN(), err)
	}
}

// TestOldHandOrder: older files of YaneuraOu have gold after bishop and rook in each hand. The test puts the hands of
// fixtures into that order.
func TestOldHandOrder(t *testing.T) {
	t.Parallel()
	for _, row := range rows(t, "packed_fixtures.csv") {
		p := position(t, row["sfen"])
		var w bitWords
		l := sfenLayout
		end := l.write(&w, &p)
		off := uint(0)
		for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
			for _, t := range pieceOrder() {
				off += uint(p.Hand(c, t)) * l.hand[c][t].n
			}
		}
		box := uint(0)
		left := setSize()
		for s := range shogi.NoSquare {
			if x := p.PieceAt(s).Type(); x != shogi.King {
				left[x.Base()]--
			}
		}
		for _, t := range pieceOrder() {
			box += uint(left[t]-p.Hand(shogi.Black, t)-p.Hand(shogi.White, t)) * l.box[t].n
		}
		at := end - off - box
		var old bitWords
		for i := range at {
			old.put(i, code{w.peek(i, 1), 1})
		}
		for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
			for x := shogi.Pawn; x <= shogi.Gold; x++ {
				for range p.Hand(c, x) {
					at = old.put(at, l.hand[c][x])
				}
			}
		}
		for i := at; i < end; i++ {
			old.put(i, code{w.peek(i, 1), 1})
		}
		setup, err := l.read(&old)
		if err != nil {
			t.Errorf("%s: %v", row["name"], err)
			continue
		}
		setup.Ply = p.Ply()
		if back, err := setup.Position(); err != nil || back.SFEN() != p.SFEN() {
			t.Errorf("%s comes back as %s, %v", row["name"], back.SFEN(), err)
		}
	}
}

// TestOneKing: a position without one king takes 257 bits and has 81 as the square of that king. The bits were written
// by hand for White's king alone on 1a, with all other pieces in the box. Side: 0. King: 81 (1010001, lowest bit first
// 1000101). King: 0 (0000000). 80 empty squares: 80 zeros. Box: 18 pawns 010, 4 lances 10010, 4 knights 10110, 4
// silvers 11010, 4 golds 11011, 2 bishops 1111010, 2 rooks 1111110. The last zero is cut.
func TestOneKing(t *testing.T) {
	t.Parallel()
	p := position(t, "8k/9/9/9/9/9/9/9/9 b - 1")
	bits := "0" + "1000101" + "0000000" + strings.Repeat("0", 80) + strings.Repeat("010", 18) +
		strings.Repeat("10010", 4) +
		strings.Repeat("10110", 4) + strings.Repeat("11010", 4) + strings.Repeat("11011", 4) + strings.Repeat("1111010", 2) +
		strings.Repeat("1111110", 2)
	testutil.Require(t, len(bits) == 257 && bits[256] == '0', "%v", len(bits))
	var want [32]byte
	for i, b := range bits[:256] {
		if b == '1' {
			want[i/8] |= 1 << (i % 8)
		}
	}
	checkPosition(t, p, hex.EncodeToString(want[:]), AppendSfen, ParseSfen)
	// Mating problems: the defender has the remaining pieces in hand.
	for _, sfen := range []string{
		"7nl/7k1/9/6S1P/9/9/9/9/9 b GP2r2b3g3s3n3l16p 1",
		"4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1",
		"9/9/9/9/9/9/9/9/4K4 w rGb 3",
		"9/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1",
	} {
		p := position(t, sfen)
		for _, l := range []*layout{sfenLayout, hcpLayout} {
			b, err := l.append(nil, &p)
			if err != nil {
				t.Errorf("%s: %v", sfen, err)
				continue
			}
			if back, err := l.parse(b, p.Ply()); err != nil || back.SFEN() != p.SFEN() {
				t.Errorf("%s comes back as %s, %v", sfen, back.SFEN(), err)
			}
		}
	}
}

// TestCutBitsAreRefused: the last bit decides the owner of the rook, and is cut off. One of the two positions is
// rejected, so that no position is read as another.
func TestCutBitsAreRefused(t *testing.T) {
	t.Parallel()
	const others = "2R2B4G4S4N4L18P"
	black := position(t, "4k4/9/9/9/9/9/9/9/9 b "+others+" 1")
	white := position(t, "4k4/9/9/9/9/9/9/9/9 b R2B4G4S4N4L18Pr 1")
	for _, l := range []*layout{sfenLayout, hcpLayout} {
		testutil.OK(t, testutil.Err(l.append(nil, &black)))
		b, err := l.append([]byte{1}, &white)
		testutil.Check(t, errors.Is(err, ErrCut) && slices.Equal(b, []byte{1}), "%v, %v", b, err)
	}
}

func TestDamagedPositions(t *testing.T) {
	t.Parallel()
	start := bytesOf(t, rows(t, "packed_fixtures.csv")[0]["packedsfen_hex"])
	damaged := func(i int, b byte) []byte {
		x := slices.Clone(start)
		x[i] = b
		return x
	}
	for want, b := range map[string][]byte{
		"byte 31: the PackedSfen has 31 bytes: expected 32":                                  start[:31],
		"byte 0: black's king stands on square number 126: expected 0 to 80, or 81 for none": damaged(0, 0xfc),
		"byte 1: both kings stand on 5i: expected different squares": append([]byte{0x58, 0x2c},
			start[2:]...),
		"byte 0: the PackedSfen is of no position: black is to move but already attacks the whi": mateless(t),
		// After 15 bits, 79 empty squares and 18 pawns of 3 bits, the next piece begins at bit 148.
		"byte 18: there is one pawn more than a set has: expected 18": append(slices.Clone(start[:2]), make([]byte, 30)...),
	} {
		_, err := ParseSfen(b, 1)
		var e *Error
		testutil.Check(t, err != nil && strings.HasPrefix(err.Error(), want) && errors.As(err, &e), "%v\nexpected %s", err,
			want)
	}
}

// mateless returns an invalid position, in which Black is to move and Black's rook attacks White's king. The first bit
// is the side to move.
func mateless(t *testing.T) []byte {
	t.Helper()
	p := position(t, "4k4/9/4R4/9/9/9/9/9/3K5 w - 1")
	b := testutil.Must(AppendSfen(nil, &p))(t)
	b[0] &^= 1
	return b
}

// anyPosition draws a position that random legal moves reach.
func anyPosition(t *rapid.T) shogi.Position {
	starts := []string{"lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"}
	for _, h := range shogi.Handicaps() {
		starts = append(starts, h.SFEN)
	}
	p := testutil.Must(shogi.ParseSFEN(rapid.SampledFrom(starts).Draw(t, "start")))(t)
	for range rapid.IntRange(0, 150).Draw(t, "plies") {
		moves := p.LegalMoves(nil)
		if len(moves) == 0 {
			break
		}
		p.Apply(rapid.SampledFrom(moves).Draw(t, "move"))
	}
	return p
}

func TestPositionLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyPosition(t)
		for _, l := range []*layout{sfenLayout, hcpLayout} {
			b, err := l.append(nil, &p)
			if err != nil || len(b) != PositionSize {
				t.Fatalf("%s: %d bytes, %v", p.SFEN(), len(b), err)
			}
			if back, err := l.parse(b, p.Ply()); err != nil || back.SFEN() != p.SFEN() {
				t.Fatalf("%s comes back as %s, %v", p.SFEN(), back.SFEN(), err)
			}
		}
	})
}

// FuzzPositions: each position that can be parsed from any bytes is encoded to bytes that give the same position.
func FuzzPositions(f *testing.F) {
	for _, text := range []string{"58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c",
		"482c00003ca0ffab803ebee006bef55f159a2af0028050c62163ac755e49526a"} {
		b := testutil.Must(hex.DecodeString(text))(f)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, l := range []*layout{sfenLayout, hcpLayout} {
			p, err := l.parse(b, 1)
			if err != nil {
				var e *Error
				testutil.Require(t, errors.As(err, &e) && e.Offset >= 0 && e.Offset <= PositionSize, "%v", err)
				continue
			}
			again, err := l.append(nil, &p)
			testutil.OK(t, err, "%x is %s", b, p.SFEN())
			if back, err := l.parse(again, 1); err != nil || back.SFEN() != p.SFEN() {
				t.Fatalf("%x: %s and then %s, %v", b, p.SFEN(), back.SFEN(), err)
			}
		}
	})
}

func BenchmarkPSV(b *testing.B) {
	var samples []Sample
	p := shogi.StartPos()
	for i := range 200 {
		moves := p.LegalMoves(nil)
		m := moves[i*31%len(moves)]
		samples = append(samples, Sample{Position: p, Move: m, Score: 12, Outcome: BlackWins})
		if p.Apply(m); !p.HasLegalMove() {
			break
		}
	}
	var buffer [psvSize]byte
	b.Run("encode", func(b *testing.B) {
		n := 0
		for b.Loop() {
			testutil.Must(AppendPSV(buffer[:0], &samples[n%len(samples)]))(b)
			n++
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "positions/s")
	})
	b.Run("decode", func(b *testing.B) {
		n := 0
		for b.Loop() {
			testutil.Must(ParsePSV(buffer[:]))(b)
			n++
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "positions/s")
	})
}
