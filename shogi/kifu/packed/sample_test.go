package packed

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/shogi"
)

func number(t *testing.T, text string) int {
	t.Helper()
	return testutil.Must(strconv.Atoi(text))(t)
}

func fixture(t *testing.T, row map[string]string) Sample {
	t.Helper()
	m, err := shogi.ParseMove(row["move"])
	testutil.OK(t, err)
	s := Sample{Position: position(t, row["sfen"]), Move: m, Score: int16(number(t, row["score"]))}
	if s.Outcome, err = OutcomeOf(row["black_result"]); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSamples(t *testing.T) {
	t.Parallel()
	for _, row := range rows(t, "packed_fixtures.csv") {
		s := fixture(t, row)
		if got := int(NewAperyMove(s.Move)); got != number(t, row["move_apery_u16"]) {
			t.Errorf("%s: Apery's move %d, expected %s", row["name"], got, row["move_apery_u16"])
		}
		if int(s.Move) != number(t, row["move_yane_u16"]) || s.Position.Ply() != number(t, row["ply"]) {
			t.Errorf("%s: move %d, ply %d", row["name"], s.Move, s.Position.Ply())
		}
		psv, err := AppendPSV(nil, &s)
		if err != nil || hex.EncodeToString(psv) != row["psv40_hex"] {
			t.Errorf("%s: %x, %v: expected %s", row["name"], psv, err, row["psv40_hex"])
		}
		hcpe, err := AppendHCPE(nil, &s)
		if err != nil || hex.EncodeToString(hcpe) != row["hcpe38_hex"] {
			t.Errorf("%s: %x, %v: expected %s", row["name"], hcpe, err, row["hcpe38_hex"])
		}
		same(t, s, bytesOf(t, row["psv40_hex"]), ParsePSV)
		s.Position = withPly(t, s.Position, 1)
		same(t, s, bytesOf(t, row["hcpe38_hex"]), ParseHCPE)
		same(t, s, bytesOf(t, row["hcpe38_hex"]), ParseHCPE2)
	}
}

// TestPlyZero: other programs write records with ply 0, which means the first position.
func TestPlyZero(t *testing.T) {
	t.Parallel()
	row := rows(t, "packed_fixtures.csv")[0]
	b := bytesOf(t, row["psv40_hex"])
	b[36], b[37] = 0, 0
	want := fixture(t, row)
	want.Position = withPly(t, want.Position, 1)
	s, err := ParsePSV(b)
	if err != nil || s.Position.SFEN() != want.Position.SFEN() || s.Move != want.Move {
		t.Errorf("%s, %v: %v; want %s", s.Position.SFEN(), s.Move, err, want.Position.SFEN())
	}
}

func withPly(t *testing.T, p shogi.Position, ply int) shogi.Position {
	t.Helper()
	sfen := p.SFEN()
	return position(t, sfen[:strings.LastIndexByte(sfen, ' ')+1]+strconv.Itoa(ply))
}

func same(t *testing.T, want Sample, b []byte, parse func([]byte) (Sample, error)) {
	t.Helper()
	got, err := parse(b)
	if err != nil || got.Position.SFEN() != want.Position.SFEN() || got.Move != want.Move ||
		got.Score != want.Score || got.Outcome != want.Outcome || got.End != want.End {
		t.Errorf("%x is %s %v %d %v %v, %v", b, got.Position.SFEN(), got.Move, got.Score, got.Outcome, got.End, err)
	}
}

// TestHCPE2 has results from the layout in dlshogi's cppshogi.h. In byte 36, bits 0 and 1 have the result, bit 2 a
// repetition, bit 3 a declaration, bit 4 the limit of moves.
func TestHCPE2(t *testing.T) {
	t.Parallel()
	s := fixture(t, rows(t, "packed_fixtures.csv")[0])
	for end, want := range map[End]byte{0: 1, EndRepetition: 5, EndDeclaration: 9, EndMaxPlies: 17} {
		s.End = end
		b, err := AppendHCPE2(nil, &s)
		testutil.Check(t, err == nil && len(b) == 38 && b[36] == want && b[37] == 0, "%v: %x, %v", end, b, err)
		same(t, s, b, ParseHCPE2)
		if _, err := ParseHCPE(b); (err != nil) != (end != 0) {
			t.Errorf("%v as hcpe: %v", end, err)
		}
	}
}

func TestAperyMoves(t *testing.T) {
	t.Parallel()
	for raw := range 1 << 16 {
		m, ok := AperyMove(raw).Move()
		if ok && int(NewAperyMove(m)) != raw {
			t.Fatalf("%#x is %v and comes back as %#x", raw, m, NewAperyMove(m))
		}
		to, from := raw&127, raw>>7&127
		possible := to < 81 && from != to && raw < 1<<15 && (from < 81 || from <= 87 && raw < 1<<14)
		testutil.Require(t, ok == possible, "%#x: %v, expected %v", raw, ok, possible)
	}
}

func TestDamagedSamples(t *testing.T) {
	t.Parallel()
	row := rows(t, "packed_fixtures.csv")[0]
	psv, hcpe := bytesOf(t, row["psv40_hex"]), bytesOf(t, row["hcpe38_hex"])
	bad := bytes.Clone(psv)
	bad[38] = 2
	shut := bytes.Clone(hcpe)
	shut[36] = 3
	for _, c := range []struct {
		format string
		input  []byte
		want   []string
	}{
		{"psv", bytes.Join([][]byte{psv, bad, psv}, nil),
			[]string{"", "byte 78: the result is 2: expected -1, 0 or 1", "", "EOF"}},
		{"psv", append(bytes.Clone(psv), psv[:39]...),
			[]string{"", "byte 79: the input ends after 39 bytes of a sample of psv at byte 40: expected 40", "EOF", "EOF"}},
		{"hcpe", append(bytes.Clone(shut), hcpe...),
			[]string{"byte 36: the result is 3: expected 0 (draw), 1 (Black) or 2 (White)", "", "EOF"}},
		{"hcp", append([]byte{0xfe, 0xff}, hcpe[:30]...),
			[]string{"byte 0: black's king stands on square number 127: expected 0 to 80, or 81 for none", "EOF"}},
	} {
		f := testutil.Must(Find(c.format))(t)
		r := f.Samples(bytes.NewReader(c.input))
		for i, want := range c.want {
			_, _, err := r.Next()
			if err == nil && want == "" {
				continue
			}
			testutil.Check(t, err != nil && err.Error() == want, "%s, sample %d: %v, expected %q", c.format, i, err, want)
		}
	}
	testutil.Fails(t, testutil.Err(Find("psw")), "hcpe3")
}

// failing is a reader that returns err after the bytes of rest.
type failing struct {
	rest io.Reader
	err  error
}

func (f failing) Read(b []byte) (int, error) {
	n, err := f.rest.Read(b)
	if errors.Is(err, io.EOF) {
		err = f.err
	}
	return n, err
}

func TestFailingInput(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	psv := bytesOf(t, rows(t, "packed_fixtures.csv")[0]["psv40_hex"])
	f := testutil.Must(Find("psv"))(t)
	r := f.Samples(failing{bytes.NewReader(append(psv, 1, 2)), broken})
	if _, _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, at, err := r.Next(); !errors.Is(err, broken) || at != 40 || !strings.HasPrefix(err.Error(), "byte 42: ") {
		t.Error(at, err)
	}
	if _, _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

func TestSampleLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := Sample{
			Position: anyPosition(t), Score: rapid.Int16().Draw(t, "score"),
			Outcome: rapid.SampledFrom([]Outcome{Draw, BlackWins, WhiteWins}).Draw(t, "outcome"),
		}
		moves := append(s.Position.LegalMoves(nil), shogi.NoMove)
		s.Move = rapid.SampledFrom(moves).Draw(t, "move")
		for _, f := range Formats() {
			if f.HasGames() {
				continue
			}
			b, err := f.AppendSample(nil, &s)
			testutil.Require(t, err == nil && len(b) == f.Size, "%s: %x, %v", f.Name, b, err)
			got, at, err := f.Samples(bytes.NewReader(b)).Next()
			want := s
			if f.Bare {
				want.Move, want.Score, want.Outcome = 0, 0, 0
			}
			testutil.Require(t, err == nil && at == 0 && got.Move == want.Move && got.Score == want.Score &&
				got.Outcome == want.Outcome,
				"%s: %+v, %v", f.Name, got, err)
			again, err := f.AppendSample(nil, &got)
			if f.Name != "psv" { // only psv stores the move number
				testutil.Require(t, err == nil && bytes.Equal(again, b), "%s: %x and then %x, %v", f.Name, b, again, err)
			} else if got.Position.SFEN() != s.Position.SFEN() {
				t.Fatalf("%s and then %s", s.Position.SFEN(), got.Position.SFEN())
			}
		}
	})
}

func hasKings(p *shogi.Position) bool {
	return p.KingSquare(shogi.Black) != shogi.NoSquare && p.KingSquare(shogi.White) != shogi.NoSquare
}

func FuzzSamples(f *testing.F) {
	b := testutil.Must(hex.DecodeString("58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c00008e0701000100"))(f)
	for i := range Formats() {
		f.Add(uint8(i), b)
	}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		format := Formats()[int(which)%len(Formats())]
		if format.HasGames() {
			return
		}
		r := format.Samples(bytes.NewReader(b))
		for range len(b)/format.Size + 2 {
			s, at, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				var e *Error
				testutil.Require(t, errors.As(err, &e) && e.Offset >= at && e.Offset <= int64(len(b)), "at %d: %v", at, err)
				continue
			}
			_ = s.Legal()
			// ErrCut is allowed if a king is missing: with hands in an unusual order, the bit that was cut off is
			// unknown.
			if _, err := format.AppendSample(nil, &s); err != nil && (!errors.Is(err, ErrCut) || hasKings(&s.Position)) {
				t.Fatalf("%s: %v", s.Position.SFEN(), err)
			}
		}
		t.Fatal("there is no end")
	})
}
