package truth

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
)

// A dialogue is one engine behind pipes, as its own process would be.
type dialogue struct {
	in  io.Writer
	out *bufio.Scanner
}

func talk(t *testing.T, law *Law, options ...string) *dialogue {
	t.Helper()
	ours, theirs := io.Pipe()
	answers, words := io.Pipe()
	go func() {
		_ = words.CloseWithError(NewEngine(law).Serve(ours, words))
	}()
	t.Cleanup(func() { _ = theirs.Close(); _ = answers.Close() })
	d := &dialogue{in: theirs, out: bufio.NewScanner(answers)}
	d.say("usi")
	d.until(t, "usiok")
	for _, o := range options {
		d.say(o)
	}
	d.say("isready")
	d.until(t, "readyok")
	return d
}

func (d *dialogue) say(line string) { _, _ = io.WriteString(d.in, line+"\n") }

func (d *dialogue) until(t *testing.T, word string) string {
	t.Helper()
	for d.out.Scan() {
		line := d.out.Text()
		if strings.HasPrefix(line, "info string") {
			t.Fatal(line)
		}
		if strings.HasPrefix(line, word) {
			return strings.TrimSpace(strings.TrimPrefix(line, word))
		}
	}
	t.Fatalf("no %s", word)
	return ""
}

// play plays a game and returns its result by the rules, the length, and the line of moves.
func play(t *testing.T, opening string, players [2]*dialogue) (Result, int, string) {
	t.Helper()
	_, first, moves, err := shogi.ReadLine(opening)
	testutil.OK(t, err)
	game := shogi.NewHistory(first)
	for _, m := range moves {
		game.Push(m)
	}
	for _, p := range players {
		p.say("usinewgame")
	}
	for range 100 {
		side := game.Position().Side()
		players[side].say("position " + shogi.LineText("startpos", game.Moves()))
		players[side].say("go nodes 1")
		answer := strings.Fields(players[side].until(t, "bestmove"))[0]
		if answer == "resign" {
			return [2]Result{WhiteWins, BlackWins}[side], game.MoveCount(), shogi.LineText("startpos", game.Moves())
		}
		m := testutil.Must(shogi.ParseMove(answer))(t)
		testutil.OK(t, game.Position().CheckLegal(m))
		game.Push(m)
		testutil.Require(t, game.Position().HasLegalMove(), "%s is mate", answer)
		switch game.Repetition() {
		case shogi.RepetitionDraw:
			return Drawn, game.MoveCount(), shogi.LineText("startpos", game.Moves())
		case shogi.RepetitionNone:
		default:
			t.Fatal("a perpetual check")
		}
	}
	t.Fatal("the game does not end")
	return 0, 0, ""
}

var someOpenings = []string{
	"startpos", "startpos moves 7g7f 3c3d", "startpos moves 2g2f 8c8d 2f2e 8d8e", "startpos moves 7g7f 3c3d 8h2b+ 3a2b",
	"startpos moves 7g7f 8c8d 7i6h 3c3d 6g6f 7a6b 5g5f 5c5d 3i4h 3a4b",
}

// TestProcessesAgreeAndFollowTheLaw: pairs of engines, each with its own state, end each game by the rules, and the
// results have the frequencies of the law.
func TestProcessesAgreeAndFollowTheLaw(t *testing.T) {
	law := &Law{Players: []Player{{Name: "a", Elo: 120}, {Name: "b"}, {Name: "c", Elo: -50}}, Draws: 0.4, Black: 40}
	const games = 500
	engine := map[int]*dialogue{}
	for i, p := range law.Players {
		engine[i] = talk(t, law, "setoption name Player value "+p.Name, "setoption name Seed value 11")
	}
	chi, freedom := 0.0, 0
	for _, pairing := range [][2]int{{0, 1}, {1, 0}, {2, 0}, {1, 2}} {
		var seen [3]int
		for n := range games {
			r, length, _ := play(t, someOpenings[n%len(someOpenings)], [2]*dialogue{engine[pairing[0]], engine[pairing[1]]})
			seen[r]++
			testutil.Check(t, length <= 10+14, "%d plies", length)
		}
		elo := law.Players[pairing[0]].Elo - law.Players[pairing[1]].Elo + 40
		s := 1 / (1 + math.Exp(-elo*math.Ln10/400))
		draw := 0.4 * (1 - math.Abs(2*s-1))
		for r, p := range []float64{1 - s - draw/2, draw, s - draw/2} {
			want := games * p
			chi += (float64(seen[r]) - want) * (float64(seen[r]) - want) / want
		}
		freedom += 2
	}
	testutil.Check(t, chi < 28, "chi-square %.1f of %d degrees of freedom; the 0.05%% quantile is 28", chi, freedom)
}

// TestRepeatedGames: with repeat, a game from the same opening is the same game, in other processes too; without it, it
// is not.
func TestRepeatedGames(t *testing.T) {
	for _, repeat := range []bool{true, false} {
		law := &Law{Players: []Player{{Name: "a"}, {Name: "b"}}, Draws: 0.4, Repeat: repeat}
		var lines [2]string
		for i := range lines {
			a := talk(t, law, "setoption name Player value a", fmt.Sprintf("setoption name Seed value %d", 5))
			b := talk(t, law, "setoption name Player value b", fmt.Sprintf("setoption name Seed value %d", 5))
			if i == 1 {
				play(t, "startpos moves 2g2f 3c3d", [2]*dialogue{b, a})
			}
			for _, opening := range someOpenings {
				_, _, line := play(t, opening, [2]*dialogue{a, b})
				lines[i] += line + "\n"
			}
		}
		testutil.Equal(t, lines[0] == lines[1], repeat)
	}
}

// TestErrorsOfAPosition: an opponent that does not play by the law, and a position that is no position, are named.
func TestErrorsOfAPosition(t *testing.T) {
	law := &Law{Players: []Player{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}, {Name: "f"}}}
	for lines, want := range map[string]string{
		"setoption name Player value z":                 `the law has no player "z"`,
		"setoption name Seed value x":                   "expected a whole number",
		"position startpos moves 7g7e":                  "illegal",
		"position sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1\ngo": "quiet moves",
	} {
		var out strings.Builder
		testutil.OK(t, NewEngine(law).Serve(strings.NewReader(lines+"\nquit\n"), &out))
		testutil.Contains(t, out.String(), want, lines)
	}
}

// TestStarts: a restarted process draws other results if the law has a folder of marks, and the same ones without.
func TestStarts(t *testing.T) {
	for _, folder := range []string{"", t.TempDir()} {
		law := &Law{Players: []Player{{Name: "a"}, {Name: "b"}}, Starts: folder}
		var first [2]uint64
		for i := range first {
			e := NewEngine(law)
			testutil.OK(t, e.setOption("name Seed value 9"))
			testutil.OK(t, e.ready())
			first[i] = e.random.Uint64()
		}
		testutil.Equal(t, first[0] == first[1], folder == "")
	}
}
