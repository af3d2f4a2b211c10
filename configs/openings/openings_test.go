package openings_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gogi/configs/openings"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
)

// write makes a file in a new folder and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	testutil.OK(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// lines formats openings as "ID: opening".
func lines(openings []match.Opening) []string {
	return lists.Map(openings, func(o match.Opening) string { return o.ID + ": " + o.String() })
}

const (
	start    = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"
	twoPiece = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"
)

func TestReadOpenings(t *testing.T) {
	text := "\ufeff# comment\r\n\r\n" +
		"startpos moves 7g7f 3c3d # a comment\r\n" +
		"position startpos moves 2g2f 8c8d 2f2e\n" +
		"  sfen " + twoPiece + " w - 1 moves 3a3b\n" +
		"position sfen " + twoPiece + " w - 1 moves 7a7b\n" +
		start + " b - 1\n" +
		twoPiece + " w - 1"
	got, warnings, err := openings.Read(write(t, "book.sfen", text), 0, match.Rules{})
	testutil.Require(t, err == nil && warnings == nil, "%v %v", warnings, err)
	want := []string{
		"1: startpos moves 7g7f 3c3d",
		"2: startpos moves 2g2f 8c8d 2f2e",
		"3: sfen " + twoPiece + " w - 1 moves 3a3b",
		"4: sfen " + twoPiece + " w - 1 moves 7a7b",
		"5: sfen " + start + " b - 1",
		"6: sfen " + twoPiece + " w - 1",
	}
	testutil.Diff(t, want, lines(got))
}

func TestReadOpeningsCutsAndLeavesOut(t *testing.T) {
	text := "startpos moves 7g7f 3c3d 2g2f\n" +
		"startpos moves 2g2f 3c3d 7g7f\n" + // reaches the same position, but only at ply 3
		"startpos moves 7g7f 3c3d 2g2f 8c8d\n" +
		"#\n" +
		"startpos moves 7g7f 3c3d\n" +
		"startpos moves 7g7f 8c8d\n"
	path := write(t, "book.sfen", text)
	got, warnings, err := openings.Read(path, 2, match.Rules{})
	testutil.OK(t, err)
	want := []string{"1: startpos moves 7g7f 3c3d", "2: startpos moves 2g2f 3c3d", "5: startpos moves 7g7f 8c8d"}
	testutil.Diff(t, want, lines(got))
	wantWarning := []string{"openings " + path +
		": 2 of 5 lines lead to the position of an earlier one and are left out (lines 3, 5)"}
	testutil.Diff(t, wantWarning, testutil.Texts(warnings))
}

func TestReadOpeningsEPD(t *testing.T) {
	text := start + " b - 1; id \"even\"\n" + twoPiece + " w - 1 ce 30\n" + "4k4/9/9/9/9/9/9/9/4K4 b G bm G*5b;\n"
	got, _, err := openings.Read(write(t, "book.epd", text), 0, match.Rules{})
	testutil.OK(t, err)
	want := []string{"1: sfen " + start + " b - 1", "2: sfen " + twoPiece + " w - 1", "3: sfen 4k4/9/9/9/9/9/9/9/4K4 b G"}
	testutil.Diff(t, want, lines(got))
}

func TestReadOpeningsUnpacks(t *testing.T) {
	var zipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	for _, f := range [][2]string{
		{"b.sfen", "startpos moves 2g2f\n"},
		{"sub/", ""},
		{"README.txt", "読んでください\n"},
		{"a.sfen", "startpos moves 7g7f\n"},
		{"__MACOSX/a.sfen", "\x00\x01"},
	} {
		w := testutil.Must(z.Create(f[0]))(t)
		testutil.Must(w.Write([]byte(f[1])))(t)
	}
	testutil.OK(t, z.Close())
	got, _, err := openings.Read(write(t, "book.ZIP", zipped.String()), 0, match.Rules{})
	want := []string{"1: startpos moves 7g7f", "2: startpos moves 2g2f"}
	if diff := cmp.Diff(want, lines(got)); diff != "" || err != nil {
		t.Errorf("zip: %v, -want +got\n%s", err, diff)
	}

	var packed bytes.Buffer
	g := gzip.NewWriter(&packed)
	testutil.Must(g.Write([]byte(start + " b - 1 ; x\n")))(t)
	testutil.OK(t, g.Close())
	got, _, err = openings.Read(write(t, "book.epd.gz", packed.String()), 0, match.Rules{})
	if diff := cmp.Diff([]string{"1: sfen " + start + " b - 1"}, lines(got)); diff != "" || err != nil {
		t.Errorf("gz: %v, -want +got\n%s", err, diff)
	}
}

func TestReadOpeningsErrors(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"book.sfen", "startpos moves 7g7f\nstartpos moves 7g7f 7g7f\n",
			"DIR/book.sfen:2: move 2 (7g7f): 7g7f is illegal: there is no piece on 7g"},
		{"book.sfen", "\nstartpos moves 7g7\n",
			`DIR/book.sfen:2: move 1: move "7g7" has 3 characters: expected a move such as "7g7f", "4e3c+" or "P*3d"`},
		{"book.sfen", "hello\n",
			`DIR/book.sfen:1: SFEN "hello": 1 fields: expected board, side to move, hands and perhaps a move number`},
		{"book.sfen", "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1\n", "DIR/book.sfen:1: the side to move has no legal move"},
		{"book.sfen", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves G*5b\n",
			"DIR/book.sfen:1: the game is over after move 1 (G*5b): checkmate"},
		{"book.sfen", "# nothing\n",
			`openings DIR/book.sfen: there are none: expected lines such as "startpos moves 7g7f 3c3d"`},
		{"book.sfen", "\x7fELF\x02\x01\x01\x00" + strings.Repeat("x", 5000),
			`openings DIR/book.sfen: this is a binary file or UTF-16 text: expected lines such as "startpos moves 7g7f 3c3d"`},
		{"book.pgn", "\ufeff[Event \"x\"]\n\n1. e4 e5 1-0\n",
			`openings DIR/book.pgn: this is a file of games in PGN, which gogi does not read: expected lines such as "startpos moves 7g7f 3c3d"`},
		{"moves.pgn", "\n1. e4 e5 2. Nf3 *\n",
			`openings DIR/moves.pgn: this is a file of games in PGN, which gogi does not read: expected lines such as "startpos moves 7g7f 3c3d"`},
		{"notes.pgn", "; of a tournament\n[Site  \"x\"]\n",
			`openings DIR/notes.pgn: this is a file of games in PGN, which gogi does not read: expected lines such as "startpos moves 7g7f 3c3d"`},
		{"book.sfen", strings.Repeat("x", 5000),
			`DIR/book.sfen:1: SFEN "` + strings.Repeat("x", 200) +
				`": 1 fields: expected board, side to move, hands and perhaps a move number`},
		{"book.zip", "no zip", "openings DIR/book.zip: zip: not a valid zip file"},
		{"book.gz", "no gz", "openings DIR/book.gz: unexpected EOF"},
	} {
		path := write(t, test.name, test.text)
		_, _, err := openings.Read(path, 0, match.Rules{})
		want := strings.ReplaceAll(test.want, "DIR", filepath.Dir(path))
		testutil.Check(t, err != nil && err.Error() == want, "%q:\n got %v\nwant %s", test.text, err, want)
	}
	path := filepath.Join(t.TempDir(), "none.sfen")
	_, _, err := openings.Read(path, 0, match.Rules{})
	if want := "openings " + path + ": no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func FuzzReadOpenings(f *testing.F) {
	for _, seed := range []string{
		"startpos moves 7g7f 3c3d", "sfen " + twoPiece + " w - 1 moves 3a3b", "\ufeffposition startpos #",
		start + " b - 1; id",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"book.sfen", "book.epd"} {
			openings, _, err := openings.Read(write(t, name, text), 2, match.Rules{})
			testutil.Check(t, (len(openings) == 0) != (err == nil), "%q: %v, %v", text, openings, err)
			for _, o := range openings {
				if _, err := arbiter.NewReferee(match.Rules{}, o); err != nil || len(o.Moves) > 2 {
					t.Errorf("%q gave %s: %v", text, o, err)
				}
			}
		}
	})
}

// Several goroutines read a long file in blocks. The result must be the same.
func TestReadOpeningsOfManyBlocks(t *testing.T) {
	moves := strings.Repeat(" 5i5h 5a5b 5h5i 5b5a", 2) // both kings step away and back, twice
	var text strings.Builder
	const n = 8000
	for i := range n { // about ten blocks
		// Lines 7001 to 8000 end in the positions of lines 1 to 1000. All other positions are distinct.
		fmt.Fprintf(&text, "sfen %s b - %d moves%s\n", kings(i%7000), 1+i, moves)
	}
	got, warnings, err := openings.Read(write(t, "book.sfen", text.String()), 0, match.Rules{})
	testutil.OK(t, err)
	if len(got) != 7000 || got[0].ID != "1" || got[6999].ID != "7000" || !strings.Contains(got[6999].Start, kings(6999)) {
		t.Errorf("%d openings, the last %+v", len(got), got[len(got)-1])
	}
	want := "1000 of 8000 lines lead to the position of an earlier one and are left out (lines 7001, 7002, 7003, 7004, 7005, …)"
	testutil.Check(t, len(warnings) == 1 && strings.Contains(warnings[0].String(), want), "%v", warnings)
	for i := range got {
		if want := strconv.Itoa(i + 1); got[i].ID != want {
			t.Fatalf("opening %d has the ID %s", i, got[i].ID)
		}
	}
	// If two distant lines are wrong, the error shows the first one and its number in the file.
	lines := strings.SplitAfter(text.String(), "\n")
	lines[5123], lines[7900] = "startpos moves 7g7e\n", "startpos moves 9z9z\n"
	_, _, err = openings.Read(write(t, "book.sfen", strings.Join(lines, "")), 0, match.Rules{})
	testutil.Fails(t, err, "book.sfen:5124: move 1 (7g7e): ")
}

// kings returns one of many boards on which both kings can step away and back.
func kings(i int) string {
	const empty = "111111111"
	pawns := []byte(strings.Repeat("1", 9*4))
	for bit := range 13 { // each bit of i is a pawn on a square
		if i>>bit&1 == 1 {
			pawns[bit] = "PPPPPPPPPpppp"[bit]
		}
	}
	board := "4k4/" + empty + "/" + empty
	for rank := range 4 {
		board += "/" + string(pawns[9*rank:9*rank+9])
	}
	return board + "/" + empty + "/4K4"
}

func TestReadOpeningsRefusesALongLine(t *testing.T) {
	long := "startpos moves" + strings.Repeat(" 7g7f", 1<<18)
	path := write(t, "book.sfen", "startpos\n\n"+long+"\nstartpos moves 9z9z\n")
	_, _, err := openings.Read(path, 0, match.Rules{})
	want := "openings " + path + ":3: the line has 1310735 bytes: expected at most 1048576"
	testutil.Check(t, err != nil && err.Error() == want, "%v, want %s", err, want)
}
