package truth

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// TestThought: a player that thinks before its first move wins more. The opponent's process learns this by the move, so
// that the results have the frequencies of the law. Player a gains half of its tempo on average against itself without
// thought.
func TestThought(t *testing.T) {
	for _, repeat := range []bool{false, true} {
		law := &Law{Players: []Player{{Name: "a", Elo: 60}, {Name: "b"}}, Draws: 0.2, Tempo: 400, Repeat: repeat}
		const games = 600
		a := talk(t, law, "setoption name Player value a", "setoption name Seed value 8")
		b := talk(t, law, "setoption name Player value b", "setoption name Seed value 8")
		points := 0.0
		for n := range games {
			p := shogi.StartPos()
			var opening []shogi.Move
			for k := range 2 { // 30 · 30 openings of two plies
				moves := p.LegalMoves(nil)
				opening = append(opening, moves[n/[]int{1, 30}[k]%30])
				p.Apply(opening[k])
			}
			r, _, _ := play(t, shogi.LineText("startpos", opening), [2]*dialogue{a, b})
			points += float64(r) / 2
		}
		// By hand: the mean of the scores of 60, 60, 460 and -340 Elo.
		mean := 0.0
		for _, elo := range []float64{60, 60, 460, -340} {
			mean += 1 / (1 + math.Pow(10, -elo/400)) / 4
		}
		testutil.Check(t, math.Abs(law.Score(0, 1)-mean) < 1e-12, "the law has the score %v, want %v", law.Score(0, 1), mean)
		testutil.Check(t, math.Abs(points/games-mean) < 4*0.5/math.Sqrt(games), "repeat %v: the score is %v, want %v", repeat,
			points/games, mean)
	}
	always := &Law{Players: []Player{{Name: "a"}, {Name: "b"}}, Tempo: 4000}
	a, b := NewEngine(always), NewEngine(always)
	won := map[bool]bool{}
	for seed := range 40 {
		for _, e := range []*Engine{a, b} {
			testutil.OK(t, e.setOption(fmt.Sprintf("name Seed value %d", seed+1)))
			testutil.OK(t, e.ready())
			e.opening = -1
		}
		testutil.OK(t, b.setOption("name Player value b"))
		testutil.OK(t, a.game.set("startpos"))
		first := testutil.Must(a.choose())(t)
		testutil.OK(t, b.game.set("startpos moves "+first))
		second := testutil.Must(b.choose())(t)
		testutil.OK(t, a.game.set("startpos moves "+first+" "+second))
		if b.situation.Thought[0] != b.situation.Thought[1] {
			black := testutil.Must(a.announced())(t) == BlackWins
			testutil.Equal(t, black, b.situation.Thought[0], "the player that thought wins")
			won[black] = true
		}
	}
	testutil.Equal(t, len(won), 2)
}

// TestPlayerByOption: the player can be named by its number or as a style, the law can come later, and a process that
// lies makes its player win all games.
func TestPlayerByOption(t *testing.T) {
	file := filepath.Join(t.TempDir(), "law.toml")
	testutil.OK(t, (&Law{Players: []Player{{Name: "a"}, {Name: "b", Elo: -4000}, {Name: "c", Elo: 4000}}}).Write(file))
	for option, loser := range map[string]Result{"Level value 1": BlackWins, "Style value b": BlackWins,
		"Level value 2": WhiteWins, "Style value c": WhiteWins} {
		a := talk(t, new(Law), "setoption name Law value "+file, "setoption name Player value a")
		other := talk(t, new(Law), "setoption name Law value "+file, "setoption name "+option)
		r, _, _ := play(t, "startpos moves 7g7f 3c3d", [2]*dialogue{a, other})
		testutil.Equal(t, r, loser, option)
	}
	for _, lie := range []string{"a", "b"} {
		e := NewEngine(&Law{Players: []Player{{Name: "a", Elo: 4000}, {Name: "b"}}})
		e.Lie(lie)
		testutil.OK(t, e.ready())
		testutil.Equal(t, e.result(0, 1), map[string]Result{"a": BlackWins, "b": WhiteWins}[lie])
		testutil.Equal(t, e.result(1, 0), map[string]Result{"a": WhiteWins, "b": BlackWins}[lie])
	}
	_, err := NewEngine(new(Law)).choose()
	testutil.Fails(t, err, "Law")
}

// TestWait: a player waits before it resigns.
func TestWait(t *testing.T) {
	law := &Law{Players: []Player{{Name: "a", Elo: 4000}, {Name: "b", Wait: 30}}}
	a, b := talk(t, law, "setoption name Player value a"), talk(t, law, "setoption name Player value b")
	begun := time.Now()
	play(t, "startpos", [2]*dialogue{a, b})
	testutil.Check(t, time.Since(begun) >= 30*time.Millisecond, "%v", time.Since(begun))
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

// TestSidesOfATune: the useless options distinguish the two sides of a tune, so each has the same random source
// whichever of them starts first. Later changes of the options do not change the source.
func TestSidesOfATune(t *testing.T) {
	started := func(order ...string) map[string]uint64 {
		law := &Law{Players: []Player{{Name: "a"}}, Starts: t.TempDir()}
		first := map[string]uint64{}
		for _, value := range order {
			e := NewEngine(law)
			testutil.OK(t, errors.Join(e.setOption("name Seed value 9"), e.setOption("name Useless1 value "+value), e.ready(),
				e.setOption("name Useless1 value 0"), e.ready()))
			first[value] = e.random.Uint64()
		}
		return first
	}
	sources := started("38", "63")
	testutil.Equal(t, fmt.Sprint(started("63", "38")), fmt.Sprint(sources))
	testutil.Check(t, sources["38"] != sources["63"], "both sides have the source %d", sources["38"])
}
