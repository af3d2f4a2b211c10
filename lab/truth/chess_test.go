package truth

import (
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// TestChessMoves compares the moves of a start and of positions counted by hand. There are no moves that the board
// leaves out.
func TestChessMoves(t *testing.T) {
	for fen, want := range map[string]string{
		chessStart:                        "a2a3 a2a4 b1a3 b1c3 b2b3 b2b4 c2c3 c2c4 d2d3 d2d4 e2e3 e2e4 f2f3 f2f4 g1f3 g1h3 g2g3 g2g4 h2h3 h2h4",
		"4k3/8/8/8/8/8/4r3/4K3 w - - 0 1": "e1d1 e1e2 e1f1",
		"k7/8/8/8/8/8/1q6/K7 w - - 0 1":   "a1b2",
		"7k/8/8/8/7q/8/6P1/7K w - - 0 1":  "h1g1",
		"7k/8/8/3p4/4P3/8/8/K7 w - - 0 1": "a1a2 a1b1 a1b2 e4d5 e4e5",
		"7k/8/8/3p4/4P3/8/8/K7 b - - 0 1": "d5d4 d5e4 h8g7 h8g8 h8h7",
		"7k/p7/8/8/8/8/8/K7 b - - 0 1":    "a7a5 a7a6 h8g7 h8g8 h8h7",
	} {
		p, err := parseFEN(fen)
		testutil.OK(t, err)
		testutil.Equal(t, strings.Join(p.legal(), " "), want, fen)
		again, err := parseFEN(p.fen())
		testutil.OK(t, err)
		testutil.Equal(t, again, p)
	}
}

// TestChessProcessesAgree: two UCI engines agree on each result; the loser has a score far below zero.
func TestChessProcessesAgree(t *testing.T) {
	law := &Law{Players: []Player{{Name: "a", Elo: 100}, {Name: "b"}}, Draws: 0.5}
	engines := [2]*Engine{NewEngine(law), NewEngine(law)}
	say := func(side int, line string) string {
		var out strings.Builder
		testutil.OK(t, engines[side].Serve(strings.NewReader(line+"\n"), &out))
		return out.String()
	}
	for side, name := range []string{"a", "b"} {
		testutil.Contains(t, say(side, "uci"), "uciok")
		say(side, "setoption name Player value "+name)
		say(side, "setoption name Seed value 4")
	}
	seen := map[string]int{}
	const games = 400
	for range games {
		say(0, "ucinewgame")
		say(1, "ucinewgame")
		b := newChess()
		keys := map[uint64]int{}
		for ply := 0; ; ply++ {
			answer := say(ply%2, "position startpos moves "+strings.Join(b.text, " ")+"\ngo nodes 1")
			if strings.Contains(answer, "-10000") {
				seen[[]string{"loss", "win"}[ply%2]]++
				break
			}
			move := strings.Fields(answer[strings.Index(answer, "bestmove"):])[1]
			testutil.Require(t, strings.Contains(strings.Join(b.quiet(), " "), move) && ply < 30, "%s", answer)
			b.push(move)
			if keys[b.key()]++; keys[b.key()] == 3 {
				seen["draw"]++
				break
			}
		}
	}
	// The score is .6401, so that 144 games are drawn, 184 won and 72 lost: standard errors 9.6, 10.0 and 7.7.
	testutil.Check(t, seen["win"] > 154 && seen["win"] < 214 && seen["draw"] > 115 && seen["draw"] < 173, "%v", seen)
}
