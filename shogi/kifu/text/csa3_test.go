package text

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

const startSFEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"

// evenBoard is the start position of an even game in the form of the CSA standard.
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

// csa3 returns the CSA3 text of a record.
func csa3(t *testing.T, r kifu.Record) string {
	t.Helper()
	return string(testutil.Must(AppendCSA3(nil, &r))(t))
}

// TestCSA3 compares a whole text with the standard: http://www2.computer-shogi.org/protocol/record_v3.html
func TestCSA3(t *testing.T) {
	r := recordOf(t, "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e 5a6b 4e3d 2b3c")
	r.Black, r.White, r.Event, r.Site = "先手", "Engine B", "run 1", "here"
	r.Started = time.Date(2024, 5, 5, 15, 5, 40, 0, time.UTC)
	r.Result, r.Winner = "resignation", "white" // Black is to move
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
	testutil.Diff(t, want, csa3(t, r), "want and got differ")
}

// TestCSA3Pieces: the piece in a move is the piece after the move, that is after a promotion.
func TestCSA3Pieces(t *testing.T) {
	const position = "sfen 9/PL2S1B1R/9/2N6/9/9/9/4K4/k8 b RBGSNLP 1 moves "
	for usi, want := range map[string]string{
		"9b9a+": "+9291TO", "8b8a+": "+8281NY", "7d6b+": "+7462NK", "5b4a+": "+5241NG", "3b2a+": "+3221UM",
		"1b1a+": "+1211RY",
		"5b4a":  "+5241GI", "3b4c": "+3243KA", "1b1c": "+1213HI", "5h5g": "+5857OU",
		"P*5e": "+0055FU", "L*5e": "+0055KY", "N*5e": "+0055KE", "S*5e": "+0055GI", "B*5e": "+0055KA", "R*5e": "+0055HI",
		"G*5e": "+0055KI",
	} {
		testutil.Contains(t, csa3(t, recordOf(t, position+usi)), "\n"+want+"\nT1.000\n", "%s is not %s", usi, want)
	}
	text := csa3(t, recordOf(t, "sfen k8/9/2+P+L+N+S+B+R1/9/9/9/2+p+l+n+s+b+r1/9/K8 w - 1 moves 7g7h 7c7b"))
	for _, line := range []string{
		"P3 *  * +TO+NY+NK+NG+UM+RY * ", "P7 *  * -TO-NY-NK-NG-UM-RY * ", "-7778TO", "+7372TO",
	} {
		testutil.Contains(t, text, line+"\n", "no line %q", line)
	}
}

// TestCSA3Hands: each hand has its own line with every single piece. The side to move follows.
func TestCSA3Hands(t *testing.T) {
	text := csa3(t, recordOf(t, "sfen 4k4/9/9/9/9/9/9/9/4K4 w R2G3p 7"))
	testutil.Contains(t, text, "P9 *  *  *  * +OU *  *  *  * \nP+00HI00KI00KI\nP-00FU00FU00FU\n-\n%CHUDAN\n")
}

// TestCSA3Ends: each result has its end. After one move White is to move, so White resigns, is mated or declares.
func TestCSA3Ends(t *testing.T) {
	for _, test := range []struct {
		result, winner string
		want           string
	}{
		{"", "", "%CHUDAN\n"},
		{"checkmate", "black", "%TSUMI\n"},
		{"resignation", "black", "%TORYO\n"},
		{"time_forfeit", "black", "%TIME_UP\n"},
		{"stall", "black", "'*stall winner=black\n%TIME_UP\n"},
		{"illegal_move", "black", "%ILLEGAL_MOVE\n"},
		{"illegal_move", "white", "%+ILLEGAL_ACTION\n"}, // by Black
		{"resignation", "white", "'*resignation winner=white\n%CHUDAN\n"},
		{"false_declaration", "black", "'*false_declaration winner=black\n%ILLEGAL_MOVE\n"},
		{"repetition", "draw", "%SENNICHITE\n"},
		{"perpetual_check", "white", "'*perpetual_check winner=white\n%+ILLEGAL_ACTION\n"}, // by Black
		{"perpetual_check", "black", "'*perpetual_check winner=black\n%-ILLEGAL_ACTION\n"}, // by White
		{"declaration", "white", "%KACHI\n"},
		{"declaration", "black", "'*declaration winner=black\n%CHUDAN\n"}, // the try rule
		{"max_plies", "draw", "%MAX_MOVES\n"},
		{"impasse", "draw", "%HIKIWAKE\n"},
		{"max_plies", "", "%MAX_MOVES\n"}, // a server ended the game without a result
		{"disconnected", "", "'*disconnected winner=\n%CHUDAN\n"},
		{"score_adjudication", "white", "'*score_adjudication winner=white\n%CHUDAN\n"},
		{"score_adjudication", "draw", "'*score_adjudication winner=draw\n%CHUDAN\n"},
		{"crash", "black", "'*crash winner=black\n%CHUDAN\n"},
		{"new\n%TORYO", "black", "'*new %TORYO winner=black\n%CHUDAN\n"},
	} {
		r := recordOf(t, "startpos moves 7g7f")
		r.Result, r.Winner = test.result, test.winner
		_, got, _ := strings.Cut(csa3(t, r), "+7776FU\nT1.000\n")
		testutil.Equal(t, got, test.want, "%s, winner %s", test.result, test.winner)
	}
}

// TestCSAHeadersAreOneLine: no character in a name begins a new line, for any reader's line ends.
func TestCSAHeadersAreOneLine(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029",
		"\x00"} {
		r := recordOf(t, "startpos")
		r.Black, r.White, r.Event, r.Site = "a"+end+"%TORYO", "b"+end+"-", "c"+end+"PI", "d"+end+"N+e"
		text := csa3(t, r)
		header, _, _ := strings.Cut(text, "P1")
		blank := strings.Repeat(" ", len([]rune(end)))
		want := "'CSA encoding=UTF-8\nV3.0\nN+a" + blank + "%TORYO\nN-b" + blank + "-\n$EVENT:c" + blank + "PI\n$SITE:d" +
			blank + "N+e\n"
		testutil.Equal(t, header, want, "%q", end)
	}
}

// TestLawHeadersDoNotChangeTheGame: for any names, the text has the same game.
func TestLawHeadersDoNotChangeTheGame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := recordOf(t, "startpos moves 7g7f 3c3d")
		r.Black, r.White = rapid.String().Draw(rt, "black"), rapid.String().Draw(rt, "white")
		r.Event, r.Site = rapid.String().Draw(rt, "event"), rapid.String().Draw(rt, "site")
		for _, format := range []string{"csa", "csa3"} {
			f := testutil.Must(Find(Text(), format))(rt)
			back := one(t, format, string(testutil.Must(f.Append(nil, &r))(rt)))
			testutil.Equal(rt, back.USI()+back.Result, r.USI(), "%s", format)
		}
	})
}

func TestUSI(t *testing.T) {
	const twoPiece = "sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
	for _, line := range []string{
		"startpos", "startpos moves 7g7f", "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e",
		twoPiece, twoPiece + " moves 3a3b 7g7f",
		// the move number belongs to the start position
		"sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 3 moves 7g7f",
	} {
		r := recordOf(t, line)
		testutil.Equal(t, r.USI(), line)
		_, list, _ := strings.Cut(line, " moves ")
		testutil.Equal(t, strings.Join(r.USIMoves(), " "), list, "moves")
	}
}
