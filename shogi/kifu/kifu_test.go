package kifu_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

const startSFEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"

// evenBoard is the start of an even game as the CSA standard prints it.
const evenBoard = `P1-KY-KE-GI-KI-OU-KI-GI-KE-KY
P2 * -HI *  *  *  *  * -KA * 
P3-FU-FU-FU-FU-FU-FU-FU-FU-FU
P4 *  *  *  *  *  *  *  *  * 
P5 *  *  *  *  *  *  *  *  * 
P6 *  *  *  *  *  *  *  *  * 
P7+FU+FU+FU+FU+FU+FU+FU+FU+FU
P8 * +KA *  *  *  *  * +HI * 
P9+KY+KE+GI+KI+OU+KI+GI+KE+KY
`

// recordOf reads a USI position: "startpos moves …" or "sfen … moves …".
func recordOf(t *testing.T, line string) kifu.Record {
	t.Helper()
	start, list, _ := strings.Cut(line, " moves")
	r := kifu.Record{Start: strings.TrimPrefix(start, "sfen ")}
	if start == "startpos" {
		r.Start = startSFEN
	}
	for text := range strings.FieldsSeq(list) {
		m := testutil.Must(shogi.ParseMove(text))(t)
		r.Moves = append(r.Moves, kifu.Move{Move: m, Time: time.Second})
	}
	return r
}

// csa is a record's text, which must be one.
func csa(t *testing.T, r kifu.Record) string {
	t.Helper()
	return testutil.Must(r.CSA())(t)
}

func fixture(t *testing.T, name string) string {
	t.Helper()
	text := testutil.Must(os.ReadFile(filepath.Join("testdata", name)))(t)
	return string(text)
}

// essence is what a CSA text says of the game: the board in full, the hands in
// alphabetical order, side, moves and end; no names, times and comments.
func essence(t *testing.T, text string) []string {
	t.Helper()
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "" || strings.HasPrefix(line, "V"):
		case strings.ContainsRune("'N$T", rune(line[0])):
		case strings.HasPrefix(line, "PI"):
			out = append(out, boardWithout(t, line[2:])...)
		case strings.HasPrefix(line, "P+") || strings.HasPrefix(line, "P-"):
			pieces := chunks(line[2:], 4)
			slices.Sort(pieces)
			out = append(out, line[:2]+strings.Join(pieces, ""))
		default:
			out = append(out, line)
		}
	}
	return out
}

// boardWithout is the even start without the pieces that a PI line takes away, such as "11KY22KA".
func boardWithout(t *testing.T, pieces string) []string {
	t.Helper()
	board := strings.Split(strings.TrimSuffix(evenBoard, "\n"), "\n")
	for _, piece := range chunks(pieces, 4) {
		file, rank := int(piece[0]-'0'), int(piece[1]-'0')
		at := 2 + 3*(9-file)
		if got := board[rank-1][at+1 : at+3]; got != piece[2:] {
			t.Fatalf("%s: there stands %s", piece, got)
		}
		board[rank-1] = board[rank-1][:at] + " * " + board[rank-1][at+3:]
	}
	return board
}

func chunks(s string, n int) []string {
	var out []string
	for part := range slices.Chunk([]byte(s), n) {
		out = append(out, string(part))
	}
	return out
}

// The same games as tsshogi writes them.
func TestCSAFixtures(t *testing.T) {
	for name, end := range map[string][2]string{
		"hirate_interrupt":     {"", ""},
		"hirate_long_maxmoves": {"max_plies", "draw"},
		"kyoochi_illegal":      {"illegal_move", "black"},
		"midpos_enteringwin":   {"declaration", "black"},
	} {
		t.Run(name, func(t *testing.T) {
			line := strings.TrimSpace(strings.TrimPrefix(fixture(t, name+".usi"), "position "))
			record := recordOf(t, line)
			record.Result, record.Winner = end[0], end[1]
			testutil.Equal(t, record.USI(), line, "USI")
			testutil.Diff(t, essence(t, fixture(t, name+".v30.csa")), essence(t, csa(t, record)), "tsshogi's and ours differ")
		})
	}
}

// A whole text by the standard: http://www2.computer-shogi.org/protocol/record_v3.html
func TestCSA(t *testing.T) {
	r := recordOf(t, "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e 5a6b 4e3d 2b3c")
	r.Black, r.White, r.Event, r.Site = "先手", "Engine B", "run 1", "here"
	r.Started = time.Date(2024, 5, 5, 15, 5, 40, 0, time.UTC)
	r.Result, r.Winner = "resignation", "black"
	score := func(i, score int, nodes uint64, d time.Duration) {
		r.Moves[i].Score, r.Moves[i].HasScore, r.Moves[i].Nodes, r.Moves[i].Time = score, true, nodes, d
	}
	r.Moves[0].Opening, r.Moves[1].Opening = true, true
	score(2, 35, 1234, 6123*time.Millisecond)
	score(3, 50, 99, 0)
	score(4, -20, 1, 59*time.Second+7*time.Millisecond+999*time.Microsecond)
	score(5, -999_998, 2, 3661*time.Second)
	score(6, 999_997, 18446744073709551615, time.Millisecond)
	want := "'CSA encoding=UTF-8\nV3.0\nN+先手\nN-Engine B\n$EVENT:run 1\n$SITE:here\n$START_TIME:2024/05/05 15:05:40\n" +
		evenBoard + `+
+7776FU
-3334FU
+8822UM
T6.123
'** 35 #1234
-3122GI
T0.000
'** -50 #99
+0045KA
T59.007
'** -20 #1
-5162OU
T3661.000
'** 30000 #2
+4534KA
T0.001
'** 30000 #18446744073709551615
-2233GI
T1.000
%TORYO
`
	testutil.Diff(t, want, csa(t, r), "want and got differ")
}

// The piece is the one after the move.
func TestCSAPieces(t *testing.T) {
	const position = "sfen 9/PL2S1B1R/9/2N6/9/9/9/4K4/k8 b RBGSNLP 1 moves "
	for usi, want := range map[string]string{
		"9b9a+": "+9291TO", "8b8a+": "+8281NY", "7d6b+": "+7462NK", "5b4a+": "+5241NG", "3b2a+": "+3221UM", "1b1a+": "+1211RY",
		"5b4a": "+5241GI", "3b4c": "+3243KA", "1b1c": "+1213HI", "5h5g": "+5857OU",
		"P*5e": "+0055FU", "L*5e": "+0055KY", "N*5e": "+0055KE", "S*5e": "+0055GI", "B*5e": "+0055KA", "R*5e": "+0055HI", "G*5e": "+0055KI",
	} {
		testutil.Contains(t, csa(t, recordOf(t, position+usi)), "\n"+want+"\nT1.000\n", "%s is not %s", usi, want)
	}
	text := csa(t, recordOf(t, "sfen k8/9/2+P+L+N+S+B+R1/9/9/9/2+p+l+n+s+b+r1/9/K8 w - 1 moves 7g7h 7c7b"))
	for _, line := range []string{
		"P3 *  * +TO+NY+NK+NG+UM+RY * ", "P7 *  * -TO-NY-NK-NG-UM-RY * ", "-7778TO", "+7372TO",
	} {
		testutil.Contains(t, text, line+"\n", "no line %q", line)
	}
}

// Hands are for both sides, each piece by itself; the side to move follows.
func TestCSAHands(t *testing.T) {
	r := recordOf(t, "sfen 4k4/9/9/9/9/9/9/9/4K4 w R2G3p 7")
	want := []string{
		"P1 *  *  *  * -OU *  *  *  * ", "P9 *  *  *  * +OU *  *  *  * ", "P+00HI00KI00KI", "P-00FU00FU00FU", "-", "%CHUDAN",
	}
	var got []string
	for _, line := range essence(t, csa(t, r)) {
		if line[0] != 'P' || strings.ContainsAny(line, "HKOF") {
			got = append(got, line)
		}
	}
	testutil.Diff(t, want, got, "want and got differ")
}

// The end of each result. After one move White is to move, so that White is
// who resigned, was mated, or declares.
func TestCSAEnds(t *testing.T) {
	for _, test := range []struct {
		result, winner string
		want           string
	}{
		{"", "", "%CHUDAN\n"},
		{"checkmate", "black", "%TSUMI\n"},
		{"resignation", "black", "%TORYO\n"},
		{"time_forfeit", "black", "%TIME_UP\n"},
		{"stall", "black", "'*stall winner=black\n%TIME_UP\n"},
		{"illegal_move", "black", "'*illegal_move winner=black\n%ILLEGAL_MOVE\n"},
		{"false_declaration", "black", "'*false_declaration winner=black\n%ILLEGAL_MOVE\n"},
		{"repetition", "draw", "%SENNICHITE\n"},
		{"perpetual_check", "white", "'*perpetual_check winner=white\n%+ILLEGAL_ACTION\n"}, // Black's
		{"perpetual_check", "black", "'*perpetual_check winner=black\n%-ILLEGAL_ACTION\n"}, // White's
		{"declaration", "white", "%KACHI\n"},
		{"declaration", "black", "'*declaration winner=black\n%CHUDAN\n"}, // the try rule
		{"max_plies", "draw", "%MAX_MOVES\n"},
		{"impasse", "draw", "%HIKIWAKE\n"},
		{"score_adjudication", "white", "'*score_adjudication winner=white\n%CHUDAN\n"},
		{"score_adjudication", "draw", "'*score_adjudication winner=draw\n%CHUDAN\n"},
		{"crash", "black", "'*crash winner=black\n%CHUDAN\n"},
		{"new\n%TORYO", "black", "'*new %TORYO winner=black\n%CHUDAN\n"},
	} {
		r := recordOf(t, "startpos moves 7g7f")
		r.Result, r.Winner = test.result, test.winner
		_, got, _ := strings.Cut(csa(t, r), "+7776FU\nT1.000\n")
		testutil.Equal(t, got, test.want, "%s, winner %s", test.result, test.winner)
	}
}

// Nothing in a name can become a line of its own, for any idea of a line.
func TestCSAHeadersAreOneLine(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029", "\x00"} {
		r := recordOf(t, "startpos")
		r.Black, r.White, r.Event, r.Site = "a"+end+"%TORYO", "b"+end+"-", "c"+end+"PI", "d"+end+"N+e"
		text := csa(t, r)
		header, _, _ := strings.Cut(text, "P1")
		blank := strings.Repeat(" ", len([]rune(end)))
		want := "'CSA encoding=UTF-8\nV3.0\nN+a" + blank + "%TORYO\nN-b" + blank + "-\n$EVENT:c" + blank + "PI\n$SITE:d" + blank + "N+e\n"
		testutil.Equal(t, header, want, "%q", end)
	}
}

// Whatever the names are, the text says the same game.
func TestLawHeadersDoNotChangeTheGame(t *testing.T) {
	plain := essence(t, csa(t, recordOf(t, "startpos moves 7g7f 3c3d")))
	rapid.Check(t, func(rt *rapid.T) {
		r := recordOf(t, "startpos moves 7g7f 3c3d")
		r.Black, r.White = rapid.String().Draw(rt, "black"), rapid.String().Draw(rt, "white")
		r.Event, r.Site = rapid.String().Draw(rt, "event"), rapid.String().Draw(rt, "site")
		testutil.Diff(rt, plain, essence(t, csa(t, r)))
	})
}

func TestCSAWithoutHeaders(t *testing.T) {
	r := recordOf(t, "startpos")
	if got, want := csa(t, r), "'CSA encoding=UTF-8\nV3.0\n"+evenBoard+"+\n%CHUDAN\n"; got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

func TestCSAErrors(t *testing.T) {
	position := shogi.StartPos()
	reason := func(line string) string {
		r := recordOf(t, "startpos moves "+line)
		p := position
		for _, m := range r.Moves[:len(r.Moves)-1] {
			p.Apply(m.Move)
		}
		return p.CheckLegal(r.Moves[len(r.Moves)-1].Move).Error()
	}
	_, bad := shogi.ParseSFEN("9/9 b - 1")
	for _, test := range []struct{ record, want string }{
		{"startpos moves 7g7e", "kifu: move 1 (7g7e): " + reason("7g7e")},
		{"startpos moves 7g7f 2g2f 3c3d", "kifu: move 2 (2g2f): " + reason("7g7f 2g2f")},
		{"startpos moves 7g7f 3c3d P*5e", "kifu: move 3 (P*5e): " + reason("7g7f 3c3d P*5e")},
		{"sfen 9/9 b - 1", "kifu: start position: " + bad.Error()},
	} {
		r := recordOf(t, test.record)
		text, err := r.CSA()
		if err == nil || err.Error() != test.want || text != "" {
			t.Errorf("%s: %q, %v; want %s", test.record, text, err, test.want)
		}
	}
}

func TestUSI(t *testing.T) {
	const twoPiece = "sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
	for _, line := range []string{
		"startpos", "startpos moves 7g7f", "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e",
		twoPiece, twoPiece + " moves 3a3b 7g7f",
		"sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 3 moves 7g7f", // another number is another start
	} {
		r := recordOf(t, line)
		testutil.Equal(t, r.USI(), line)
		_, list, _ := strings.Cut(line, " moves ")
		testutil.Equal(t, strings.Join(r.USIMoves(), " "), list, "moves")
	}
}
