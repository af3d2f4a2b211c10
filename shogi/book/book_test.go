package book

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/shogi"
)

func position(t testing.TB, sfen string) shogi.Position {
	t.Helper()
	if sfen == "" {
		return shogi.StartPos()
	}
	return testutil.Must(shogi.ParseSFEN(sfen))(t)
}

func move(t testing.TB, text string) shogi.Move {
	t.Helper()
	return testutil.Must(shogi.ParseMove(text))(t)
}

func formatOf(t testing.TB, name string) Format {
	t.Helper()
	return testutil.Must(FormatOf(name, ""))(t)
}

func parsed(t testing.TB, format, text string) *Book {
	t.Helper()
	return testutil.Must(formatOf(t, format).Parse([]byte(text)))(t)
}

func written(t testing.TB, format string, b *Book) string {
	t.Helper()
	var out bytes.Buffer
	testutil.OK(t, formatOf(t, format).Write(&out, b))
	return out.String()
}

const (
	after7g7f = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -"
	usual     = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -"

	// Written by hand from the layout. The entries are sorted by bytes, so '2' comes before '9'.
	sampleDB = dbHeader + "\nsfen " + after7g7f + " 2\n3c3d none -31 none\nsfen " + usual +
		" 1\n#of the start\n2g2f 8c8d 42 20 123\n#ibisha\n#popular\n7g7f none none none\n"
)

func TestDB(t *testing.T) {
	t.Parallel()
	b := parsed(t, "db", sampleDB)
	want := []Move{
		{Move: move(t, "2g2f"), Ponder: move(t, "8c8d"), Score: 42, HasScore: true, Depth: 20, Count: 123,
			Comment: "ibisha\npopular"},
		{Move: move(t, "7g7f")},
	}
	start := position(t, "")
	e := b.Find(&start)
	testutil.Check(t, e != nil && cmp.Equal(e.Moves, want) && e.Comment == "of the start" && !b.Unsorted, "%+v", e)
	testutil.Equal(t, written(t, "db", b), sampleDB)
	for _, text := range []string{
		"\ufeff" + strings.ReplaceAll(sampleDB, "\n", "\r\n"),
		strings.TrimPrefix(sampleDB, dbHeader+"\n"),
		strings.Replace(sampleDB, "DB2016 1.00", "DB2016 1.01", 1), // which YaneuraOu 9.70 reads
		strings.NewReplacer("#ibisha", "//ibisha", " none none\n", "\n").Replace(sampleDB),
	} {
		testutil.Equal(t, written(t, "db", parsed(t, "db", text)), sampleDB)
	}
}

func TestDBFaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"#YANEURAOU-DB2016 2.00\n":                               "db: line 1: the header is",
		"7g7f none 0 0\n":                                        "db: line 1: \"7g7f none 0 0\" stands before the first position",
		"sfen " + usual + " 1\n7g7f none x 1\n":                  "db: line 2: the score is \"x\"",
		"sfen " + usual + " 1\n7g7f none 1 -1\n":                 "db: line 2: the depth is \"-1\"",
		"sfen " + usual + " 1\n7g7f 3c 1 1\n":                    "db: line 2: the expected answer: ",
		"sfen " + usual + " 1\n\n7j7f none 1 1\n":                "db: line 3: move \"7j7f\", character 2",
		"sfen 9/9 b - 1\n":                                       "db: line 1: SFEN",
		dbHeader + "\nsfen " + usual + "\n#" + spaces(1<<20):     "db: line 3 has more than",
		"sfen " + usual + " 1\n7g7f none 99999999999999 1 1\n":   "db: line 2: the score is",
		"sfen " + usual + " 1\n7g7f none 1 1 2 # a\n2g2f none 1": "",
	} {
		_, err := formatOf(t, "db").Parse([]byte(text))
		testutil.Check(t, (err == nil) == (want == "") && (err == nil || strings.HasPrefix(err.Error(), want)),
			"%v, expected %q", err, want)
	}
}

func spaces(n int) string { return strings.Repeat(" ", n) }

// TestYBB has bytes that were written by hand from the layout of 04-ybb.md. The head is the magic, one position and no
// depths. The position is the PackedSfen of the start position, a fixture that agrees with cshogi. Its moves begin at
// offset 0, its move number is 1, and it has two moves. The moves are 2g2f (0x078e) with -25, and 7g7f (0x1e3b) without
// a score.
func TestYBB(t *testing.T) {
	t.Parallel()
	const packedStart = "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c"
	head := hex.EncodeToString([]byte("YANE-BINBOOK-V1\x00")) + "0100000000000000"
	plain := head + "0000000000000000" + packedStart + "0000000000000000" + "0100" + "0200" + "8e07e7ff" + "3b1eff7f"
	deep := head + "0100000000000000" + packedStart + "0000000000000000" + "0100" + "0200" + "8e07e7ff1e00" +
		"3b1eff7f0000"
	for text, want := range map[string]*Book{
		plain: parsed(t, "db", "sfen "+usual+" 1\n2g2f none -25 none\n7g7f none none none\n"),
		deep:  parsed(t, "db", "sfen "+usual+" 1\n2g2f none -25 30\n7g7f none none none\n"),
	} {
		data := testutil.Must(hex.DecodeString(text))(t)
		got := written(t, "ybb", want)
		testutil.Check(t, got == string(data), "%x\nexpected\n%s", got, text)
		testutil.Equal(t, written(t, "db", parsed(t, "ybb", string(data))), written(t, "db", want))
		for cut := range data {
			testutil.Fails(t, testutil.Err(formatOf(t, "ybb").Parse(data[:cut])), "", "%d bytes are a book", cut)
		}
	}
}

// TestTwister compares the 10,000th number of the generator with the C++ standard ([rand.predef]).
func TestTwister(t *testing.T) {
	t.Parallel()
	r := newTwister()
	for range 9999 {
		r.uint64()
	}
	testutil.Equal(t, r.uint64(), 9981545732273789042)
}

// TestAperyKey: the key depends on the board, the side to move and the hand of this side. Two positions that differ
// only in the other hand have the same key.
func TestAperyKey(t *testing.T) {
	t.Parallel()
	keys := map[uint64]string{}
	for _, sfen := range []string{
		"4k4/9/9/9/9/9/9/9/4K4 b - 1", "4k4/9/9/9/9/9/9/9/4K4 w - 1", "4k4/9/9/9/9/9/9/9/4K4 b P 1",
		"4k4/9/9/9/9/9/9/9/4K4 b 2P 1",
		"4k4/9/9/9/9/9/9/9/4K4 b G 1", "4k4/9/9/9/9/9/9/9/4K4 b B 1", "4k4/9/9/9/9/9/9/9/4K4 w p 1",
		"3k5/9/9/9/9/9/9/9/4K4 b - 1",
	} {
		p := position(t, sfen)
		other := keys[aperyKey(&p)]
		testutil.Check(t, other == "", "%s and %s have one key", sfen, other)
		keys[aperyKey(&p)] = sfen
	}
	a, b := position(t, "4k4/9/9/9/9/9/9/9/4K4 b P 1"), position(t, "4k4/9/9/9/9/9/9/9/4K4 b Pg 1")
	testutil.Equal(t, aperyKey(&a), aperyKey(&b), "the other hand counts")
	// The definition combines the pieces on the board and seven empty hands.
	r := newTwister()
	var all []uint64
	for range 31*81 + 7*19 + 1 {
		all = append(all, r.uint64())
	}
	// The numbers of the kings are 8 and 24, their squares are 5i (44) and 5a (36).
	want := all[8*81+44] ^ all[24*81+36] ^ all[len(all)-1]
	for hand := range 7 {
		want ^= all[31*81+19*hand]
	}
	if p := position(t, "4k4/9/9/9/9/9/9/9/4K4 w - 1"); aperyKey(&p) != want {
		t.Errorf("%#x, expected %#x", aperyKey(&p), want)
	}
	// The gold is the fifth piece in hand, before bishop and rook.
	for i, held := range []string{"p", "l", "n", "s", "g", "b", "r"} {
		p := position(t, "4k4/9/9/9/9/9/9/9/4K4 w "+held+" 1")
		testutil.Equal(t, want^all[31*81+19*i]^all[31*81+19*i+1], aperyKey(&p), "%s", held)
	}
}

// TestApery: a book with the moves of one side does not have the positions of the other side, but can be read.
func TestApery(t *testing.T) {
	t.Parallel()
	b := &Book{}
	p := position(t, "")
	for _, text := range []string{"7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"} {
		m := move(t, text)
		if p.Side() == shogi.Black {
			b.Entries = append(b.Entries, &Entry{Position: p, Moves: []Move{{Move: m, Count: 9, Score: -7, HasScore: true}}})
		}
		p.Apply(m)
	}
	data := written(t, "apery", b)
	back := parsed(t, "apery", data)
	testutil.Require(t, len(data) == 3*16 && len(back.Entries) == 3 && back.Lost == 0 && !back.Unsorted,
		"%d bytes, %+v", len(data), back)
	for _, e := range b.Entries {
		if got := back.Find(&e.Position); got == nil || !cmp.Equal(got.Moves, e.Moves) {
			t.Errorf("%s: %+v", e.Position.SFEN(), got)
		}
	}
	testutil.Equal(t, written(t, "apery", back), data, "the book comes back as another")
	// The reversed entries are out of order, and an entry with an unknown key is lost.
	back = parsed(t, "apery", data[32:]+data[16:32]+data[:16]+"12345678"+data[8:16])
	testutil.Check(t, back.Unsorted && back.Lost == 1 && len(back.Entries) == 3, "%+v", back)
	for _, bad := range []string{data[:15], data[:8] + "\xff\xff" + data[10:16]} {
		testutil.Fails(t, testutil.Err(formatOf(t, "apery").Parse([]byte(bad))), "byte")
	}
}

func keysOf(b *Book) map[string]int {
	keys := map[string]int{}
	for _, e := range b.Entries {
		keys[Key(&e.Position)] += len(e.Moves)
	}
	return keys
}

func TestLines(t *testing.T) {
	t.Parallel()
	const text = "startpos moves 7g7f 3c3d 2g2f\nposition startpos moves 7g7f 8c8d # a remark\n\nsfen 4k4/9/9/9/9/9/9/9/4K4 b - 1\nstartpos moves 2g2f 3c3d 7g7f 8c8d\n"
	b := parsed(t, "usi", text)
	start := position(t, "")
	if e := b.Find(&start); e == nil ||
		!cmp.Equal(e.Moves, []Move{{Move: move(t, "7g7f"), Count: 2}, {Move: move(t, "2g2f"), Count: 1}}) {
		t.Errorf("%+v", e)
	}
	// Each move is written once. The third line ends where it transposes into the first line.
	const want = "startpos moves 7g7f 3c3d 2g2f 8c8d\nstartpos moves 7g7f 8c8d\nstartpos moves 2g2f 3c3d 7g7f\nsfen 4k4/9/9/9/9/9/9/9/4K4 b - 1\n"
	testutil.Equal(t, written(t, "usi", b), want)
	if back := parsed(t, "usi", want); !cmp.Equal(keysOf(back), keysOf(b)) {
		t.Errorf("%v\nexpected\n%v", keysOf(back), keysOf(b))
	}
	var out bytes.Buffer
	n, err := ConvertLines(&out, strings.NewReader(text), "sfen")
	if err != nil || n != 4 || !strings.HasPrefix(out.String(),
		"sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P4P1/PP1PPPP1P/1B5R1/LNSGKGSNL w - 4\n") {
		t.Errorf("%d, %v\n%s", n, err, out.String())
	}
	out.Reset()
	if n, err := ConvertLines(&out, strings.NewReader("position startpos moves 7g7f\n"), "usi"); err != nil || n != 1 ||
		out.String() != "startpos moves 7g7f\n" {
		t.Errorf("%d, %v\n%s", n, err, out.String())
	}
	for bad, want := range map[string]string{
		"startpos moves 7g7f 7g7f": "line 1: move 2: 7g7f is illegal", "\nx": "line 2: ",
	} {
		if _, err := formatOf(t, "usi").Parse([]byte(bad)); err == nil || !strings.HasPrefix(err.Error(), "usi: "+want) {
			t.Errorf("%v, expected %q", err, want)
		}
		if _, err := ConvertLines(&out, strings.NewReader(bad), "usi"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	start := position(t, "")
	other := position(t, after7g7f+" 2")
	random := rand.New(rand.NewPCG(1, 2))
	for text, want := range map[string]string{
		"7g7f none 0 1 0\n2g2f none 90 1 1\n":                  "2g2f",      // by count
		"7g7f none 0 1\n2g2f none 90 1\n9g9f none 90 1\n":      "2g2f 9g9f", // by score
		"7g7f none none none\n2g2f none none none\n":           "7g7f 2g2f",
		"7i7f none 9 1 99\n2g2f none 1 1 1\n6g6f none 1 1 2\n": "2g2f 6g6f", // Choose never draws an illegal move
		"7i7f none 9 1\n": "none",
	} {
		b := parsed(t, "db", "sfen "+usual+" 1\n"+text)
		drawn := map[string]int{}
		for range 300 {
			drawn[b.Choose(&start, random).String()]++
		}
		for _, w := range strings.Fields(want) {
			testutil.Check(t, drawn[w] != 0, "%s is never drawn: %v", w, drawn)
			delete(drawn, w)
		}
		testutil.Check(t, len(drawn) == 0 && b.Choose(&other, random) == shogi.NoMove, "%v were drawn, expected %s", drawn,
			want)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "user_book1.db")
	testutil.OK(t, os.WriteFile(file, []byte(sampleDB), 0o600))
	b, err := Open(file, "")
	testutil.Check(t, err == nil && b.Format == "db" && len(b.Entries) == 2, "%+v, %v", b, err)
	for _, c := range [][3]string{
		{file, "usi", "line 3: "}, {file, "dbx", "expected one of db, ybb"}, {file + ".x", "", "does not tell the format"},
		{"/nonexistent/x.db", "", "no such file"},
	} {
		testutil.Fails(t, testutil.Err(Open(c[0], c[1])), c[2])
	}
}

// anyBook draws a book with the positions of random games from the start position. Moves of the book lead to each
// position.
func anyBook(t *rapid.T) *Book {
	b := &Book{}
	for range rapid.IntRange(1, 5).Draw(t, "games") {
		p := shogi.StartPos()
		for range rapid.IntRange(1, 12).Draw(t, "plies") {
			moves := p.LegalMoves(nil)
			m := Move{
				Move: moves[rapid.IntRange(0, min(3, len(moves)-1)).Draw(t, "move")], HasScore: true,
				Score: rapid.IntRange(-3000, 3000).Draw(t, "score"),
				Depth: rapid.IntRange(0, 40).Draw(t, "depth"), Count: rapid.IntRange(1, 9).Draw(t, "count"),
			}
			e := b.Find(&p)
			if e == nil {
				e = &Entry{Position: p}
				b.Entries, b.index = append(b.Entries, e), nil
			}
			e.add(m)
			p.Apply(m.Move)
		}
	}
	return b
}

// TestLaws: each format reads its own files as the same book, and no conversion loses moves.
func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		b := anyBook(rt)
		for _, f := range Formats() {
			if f.Name == sfenName {
				continue
			}
			text := written(t, f.Name, b)
			back := parsed(t, f.Name, text)
			testutil.Require(rt, cmp.Equal(keysOf(back), keysOf(b)) && !back.Unsorted && back.Lost == 0,
				"%s: %v\nexpected\n%v", f.Name, keysOf(back), keysOf(b))
			if again := written(t, f.Name, back); again != text && f.Name != usiName {
				rt.Fatalf("%s: %q\nand then\n%q", f.Name, text, again)
			}
		}
		// db stores all fields of these books.
		if back := parsed(t, "db", written(t, "db", b)); written(t, "ybb", back) != written(t, "ybb", b) ||
			written(t, "apery", back) != written(t, "apery", b) {
			rt.Fatal("a db loses something")
		}
	})
}

func FuzzBooks(f *testing.F) {
	start := shogi.StartPos()
	seed := &Book{Entries: []*Entry{{Position: start,
		Moves: []Move{{Move: shogi.NewMove(60, 59), Count: 2, HasScore: true, Score: 9}}}}}
	for i, format := range Formats() {
		f.Add(uint8(i), []byte(written(f, format.Name, seed)))
	}
	f.Add(uint8(0), []byte(sampleDB))
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		format := Formats()[int(which)%len(Formats())]
		b, err := format.Parse(data)
		if err != nil {
			return
		}
		legal := allLegal(b)
		for _, other := range Formats() {
			var out bytes.Buffer
			if err := other.Write(&out, b); err != nil {
				testutil.Require(t, !legal || other.Name == "ybb", "%s: %v", other.Name, err)
				continue
			}
			if _, err := other.Parse(out.Bytes()); err != nil && legal {
				t.Fatalf("%s writes what it does not read: %v\n%q", other.Name, err, out.Bytes())
			}
		}
	})
}

func allLegal(b *Book) bool {
	for _, e := range b.Entries {
		for _, m := range e.Moves {
			if e.Position.CheckLegal(m.Move) != nil {
				return false
			}
		}
	}
	return true
}
