package engines

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/players/builtin"
	"gogi/report/review"
	"gogi/report/review/goban"
	"gogi/report/review/gtp"
	"gogi/report/review/sgf"
	"gogi/report/review/sources"
	"gogi/shogi"
	"gogi/usi"
	"gogi/usi/process"
)

// builtin is the built-in engine at a few nodes.
func builtinEngine(t *testing.T) *USI {
	t.Helper()
	e := builtin.New()
	testutil.OK(t, e.Ready(t.Context()))
	return &USI{player: closing{e}, limits: usi.Go{Nodes: 200}}
}

type closing struct{ *builtin.Engine }

func (closing) Close() error { return nil }

// Readings of the built-in engine: its move in the opening is legal, a position without a
// move is mate and is not asked about, and what mates in one is told.
func TestUSI(t *testing.T) {
	t.Parallel()
	e := builtinEngine(t)
	// White's king is mated by the gold: 頭金.
	g := &review.Game{ID: "1", Start: "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", Sides: "B", Moves: []string{"G*5b"}}
	testutil.OK(t, e.Begin(t.Context(), g))
	if r, err := e.Ask(t.Context(), g, 0); err != nil || r.Best != "G*5b" || r.Mate != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := e.Ask(t.Context(), g, 1); err != nil || r.Best != "none" || r.Mate != -1 {
		t.Errorf("%+v, %v", r, err)
	}
	if err := e.Begin(t.Context(), &review.Game{Moves: []string{"9z9z"}}); err == nil {
		t.Error("a move that is none was taken")
	}
}

func TestReading(t *testing.T) {
	t.Parallel()
	p := shogi.StartPos()
	move := testutil.Must(shogi.ParseMove("7g7f"))(t)
	line := func(s usi.Score) []usi.Info { return []usi.Info{{Score: s, HasScore: true}} }
	for name, c := range map[string]struct {
		reply usi.Reply
		want  review.Reading
		fails bool
	}{
		"centipawns":            {usi.Reply{Answer: usi.AnswerMove, Move: move, Lines: line(usi.Score{Value: 35})}, review.Reading{Best: "7g7f", Value: 35}, false},
		"exact before a bound":  {usi.Reply{Answer: usi.AnswerMove, Move: move, Exact: line(usi.Score{Value: 5})[0], Lines: line(usi.Score{Value: 35, Bound: usi.LowerBound})}, review.Reading{Best: "7g7f", Value: 5}, false},
		"mate":                  {usi.Reply{Answer: usi.AnswerMove, Move: move, Lines: line(usi.Score{Mate: -1, Value: 4})}, review.Reading{Best: "7g7f", Mate: -1}, false},
		"resigns":               {usi.Reply{Answer: usi.AnswerResign}, review.Reading{Best: "resign", Mate: -1}, false},
		"resigns with a score":  {usi.Reply{Answer: usi.AnswerResign, Lines: line(usi.Score{Value: -3000})}, review.Reading{Best: "resign", Value: -3000}, false},
		"declares":              {usi.Reply{Answer: usi.AnswerWin}, review.Reading{Best: "win", Mate: 1}, false},
		"no score":              {usi.Reply{Answer: usi.AnswerMove, Move: move}, review.Reading{}, true},
		"no move":               {usi.Reply{Answer: usi.AnswerInvalid, Text: "(none)"}, review.Reading{}, true},
		"an illegal move":       {usi.Reply{Answer: usi.AnswerMove, Move: shogi.NewMove(0, 1), Lines: line(usi.Score{})}, review.Reading{}, true},
		"stopped without score": {usi.Reply{Answer: usi.AnswerMove, Move: move, Stopped: true}, review.Reading{}, true},
	} {
		got, err := reading(&p, &c.reply)
		if (err != nil) != c.fails || err == nil && got != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestStartOf(t *testing.T) {
	t.Parallel()
	komi, stones, err := startOf("komi 6.5 B D4 W Q16")
	if err != nil || komi != 6.5 || len(stones) != 2 || stones[1].String() != "W Q16" {
		t.Error(komi, stones, err)
	}
	for _, text := range []string{"", "komi", "komi x", "6.5", "komi 6.5 B", "komi 6.5 B Z1"} {
		if _, _, err := startOf(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

// gnugo is Debian's GNU Go. Without it the tests are skipped, unless GOGI_REAL_ENGINES=required, as in CI.
func gnugo(t *testing.T) string {
	t.Helper()
	const program = "/usr/games/gnugo"
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("GOGI_REAL_ENGINES") == "required" {
			t.Fatal(err)
		}
		t.Skipf("GNU Go is not installed (apt-get install gnugo): %v", err)
	}
	return program
}

// started is GNU Go as a player.
func started(t *testing.T, level string) *gtp.Engine {
	t.Helper()
	p := testutil.Must(process.Start(process.Spec{Command: []string{gnugo(t), "--mode", "gtp", "--level", level}}, nil))(t)
	e := testutil.Must(gtp.Greet(t.Context(), "gnugo", p, time.Minute))(t)
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// given is how many moves an opening has.
const given = 4

// opening is a stone in each corner, another one for each number up to 15.
func opening(t *testing.T, number int) (list []sgf.Move) {
	t.Helper()
	for i, names := range [given][2]string{{"Q16", "R16"}, {"D4", "C4"}, {"Q4", "Q3"}, {"D16", "D17"}} {
		p := testutil.Must(goban.ParsePoint(names[number>>i&1]))(t)
		list = append(list, sgf.Move{Move: goban.Move{Colour: []goban.Colour{goban.Black, goban.White}[i%2], Point: p}})
	}
	return list
}

// play lets two engines play some moves from an opening.
func play(t *testing.T, names [2]string, engines [2]*gtp.Engine, number, plies int) *sgf.Game {
	t.Helper()
	ctx := t.Context()
	g := &sgf.Game{Black: names[0], White: names[1], Event: strconv.Itoa(number), Komi: 6.5, First: goban.Black}
	for _, e := range engines {
		testutil.OK(t, e.Clear(ctx, g.Komi))
		testutil.Must(e.Command(ctx, "set_random_seed", "1"))(t)
	}
	g.Moves = opening(t, number)
	for i := range g.Moves {
		testutil.OK(t, errors.Join(engines[0].Play(ctx, g.Moves[i].Move), engines[1].Play(ctx, g.Moves[i].Move)))
	}
	for ply := range plies {
		side := []goban.Colour{goban.Black, goban.White}[ply%2]
		text, err := engines[ply%2].Command(ctx, "genmove", side.String())
		testutil.OK(t, err)
		point, err := goban.ParsePoint(text)
		if err != nil {
			break // it resigns
		}
		m := goban.Move{Colour: side, Point: point}
		testutil.OK(t, engines[1-ply%2].Play(ctx, m))
		g.Moves = append(g.Moves, sgf.Move{Move: m})
	}
	return g
}

// between are so many games of GNU Go at two levels, through SGF and back.
func between(t *testing.T, many int) (games []*review.Game) {
	t.Helper()
	const plies = 4
	fast, slow := started(t, "0"), started(t, "2")
	var text []byte
	for n := range many {
		names, players := [2]string{"level 0", "level 2"}, [2]*gtp.Engine{fast, slow}
		if n%2 == 1 {
			names, players = [2]string{names[1], names[0]}, [2]*gtp.Engine{slow, fast}
		}
		text = sgf.Append(text, play(t, names, players, n/2, plies))
	}
	read, bad := sgf.Parse(text)
	if len(read) != many || len(bad) > 0 {
		t.Fatalf("%d games, %v", len(read), bad)
	}
	for _, s := range read {
		g := sources.FromSGF(s)
		g.Given = given
		games = append(games, g)
	}
	return games
}

// readInto reviews games with so many processes.
func readInto(t *testing.T, path string, games []*review.Game, processes int, level string) {
	t.Helper()
	log, err := review.OpenLog(path, review.Settings{Engine: "gnugo", Unit: review.Points})
	testutil.OK(t, err)
	v := review.Review{Games: games, Processes: processes, Log: log, Open: func(ctx context.Context) (review.Engine, error) {
		return OpenGTP(ctx, []string{gnugo(t), "--mode", "gtp", "--level", level}, nil, time.Minute)
	}}
	done, err := v.Run(t.Context())
	if err = errors.Join(err, log.Close()); err != nil || done.Read != len(games) || len(done.Failed) > 0 {
		t.Fatalf("%+v, %v", done, err)
	}
}

// Four games, or twenty, of GNU Go at two levels are read by GNU Go: every position after the opening, for both
// players, and the same whoever read which game before. Who is stronger does not follow from so few moves.
func TestGNUGo(t *testing.T) {
	t.Parallel()
	many := testutil.ByLength(4, 20)
	games, dir := between(t, many), t.TempDir()
	readInto(t, dir+"/two.jsonl", games, 2, "2")
	readInto(t, dir+"/one.jsonl", games[1:3], 1, "2")
	first := map[string]*review.Reviewed{}
	_, err := review.Read(dir+"/two.jsonl", func(r *review.Reviewed) error {
		first[r.Game.ID] = r
		return nil
	})
	if err != nil || len(first) != many {
		t.Fatalf("%d games, %v", len(first), err)
	}
	_, err = review.Read(dir+"/one.jsonl", func(r *review.Reviewed) error {
		testutil.Same(t, r, first[r.Game.ID], "game %s is read otherwise after other games", r.Game.Event)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	tally, err := review.NewTally(dir+"/two.jsonl", func(review.Settings) (review.Rules, error) {
		return review.GoRules(review.Scale{Name: "any", Unit: review.Points, Width: 10}), nil
	})
	if err != nil || len(tally.Players) != 2 {
		t.Fatalf("%+v, %v", tally, err)
	}
	for _, p := range tally.Players {
		s := review.Total(p.Games).Whole()
		if len(p.Games) != many || s.Moves+s.LeftDecided != many*2 || s.LeftUnreadable > 0 || s.Match == 0 || s.Match == s.Moves {
			t.Errorf("%s: %+v", p.Name, s)
		}
	}
}

// half is a game of GNU Go against GNU Go that plays random moves at half of its turns.
func half(t *testing.T, e *gtp.Engine, number, plies int) *review.Game {
	t.Helper()
	ctx, lots := t.Context(), rand.New(rand.NewPCG(1, uint64(number))) //nolint:gosec // a test
	g := &sgf.Game{Black: "full", White: "half random", Event: strconv.Itoa(number), Komi: 6.5, First: goban.Black}
	if number%2 == 1 {
		g.Black, g.White = g.White, g.Black
	}
	testutil.OK(t, e.Clear(ctx, g.Komi))
	testutil.Must(e.Command(ctx, "set_random_seed", strconv.Itoa(number+1)))(t)
	g.Moves = opening(t, number)
	for i := range g.Moves {
		testutil.OK(t, e.Play(ctx, g.Moves[i].Move))
	}
	for ply := range plies {
		side, name := []goban.Colour{goban.Black, goban.White}[ply%2], [2]string{g.Black, g.White}[ply%2]
		command := "genmove"
		if name == "half random" && lots.IntN(2) == 0 {
			command = "all_legal"
		}
		text, err := e.Command(ctx, command, side.String())
		testutil.OK(t, err)
		words := strings.Fields(text)
		point, err := goban.ParsePoint(words[lots.IntN(len(words))])
		if err != nil {
			break // it resigns
		}
		m := goban.Move{Colour: side, Point: point}
		if command == "all_legal" {
			testutil.OK(t, e.Play(ctx, m))
		}
		g.Moves = append(g.Moves, sgf.Move{Move: m})
	}
	r := sources.FromSGF(g)
	r.Given = given
	return r
}

// GNU Go against GNU Go that plays random moves at half of its turns, read by GNU Go: the
// half-random player makes more bad moves by turns. By moves nobody makes any, because GNU
// Go's estimate favours the side that has just moved. Two games, or ten.
func TestHalfRandom(t *testing.T) {
	t.Parallel()
	e, path := started(t, "0"), t.TempDir()+"/half.jsonl"
	var games []*review.Game
	for n := range testutil.ByLength(2, 10) {
		games = append(games, half(t, e, n, testutil.ByLength(16, 100)))
	}
	readInto(t, path, games, 1, "0")
	for _, change := range []review.Change{review.TurnChange, review.MoveChange} {
		tally, err := review.NewTally(path, func(review.Settings) (review.Rules, error) {
			rules := review.GoRules(review.Scale{Name: "any", Unit: review.Points, Width: 30})
			rules.Change = change
			return rules, nil
		})
		if err != nil || len(tally.Players) != 2 {
			t.Fatalf("%+v, %v", tally, err)
		}
		full, _ := review.Total(tally.Find("full").Games).Whole().Metrics()
		random, _ := review.Total(tally.Find("half random").Games).Whole().Metrics()
		t.Logf("%s: full %+v, half random %+v", change, full, random)
		if change == review.TurnChange && (random.Bad <= full.Bad || random.AvgLoss <= full.AvgLoss) {
			t.Errorf("bad %.1f%% and %.1f%%, loss %.2f and %.2f: expected more of the half-random player", full.Bad, random.Bad, full.AvgLoss, random.AvgLoss)
		}
	}
}

// Nine stones are worth more than any komi: Black leads, and White knows it.
func TestHandicap(t *testing.T) {
	t.Parallel()
	e := testutil.Must(OpenGTP(t.Context(), []string{gnugo(t), "--mode", "gtp", "--level", "0"}, nil, time.Minute))(t)
	t.Cleanup(func() { _ = e.Close() })
	g := &review.Game{ID: "1", Start: "komi 0.5", Sides: "W", Moves: []string{"C6"}}
	for _, p := range strings.Fields("D4 Q16 D16 Q4 D10 Q10 K4 K16 K10") { // GTP version 2, draft 2, section 4.1.1
		g.Start += " B " + p
	}
	testutil.OK(t, e.Begin(t.Context(), g))
	for ply, sign := range []float64{-1, 1} { // White's move, then Black's
		r, err := e.Ask(t.Context(), g, ply)
		if err != nil || r.Value*sign < 20 {
			t.Errorf("after %d moves: %+v, %v", ply, r, err)
		}
	}
	if name, err := e.Name(t.Context()); err != nil || !strings.HasPrefix(name, "GNU Go 3.") {
		t.Errorf("%q, %v", name, err)
	}
}

// What cannot tell a score cannot review.
func TestNoScore(t *testing.T) {
	t.Parallel()
	script := t.TempDir() + "/engine"
	text := "#!/bin/sh\nread a; printf '=1 2\\n\\n'; read a; printf '=2 play\\n\\n'; read a\n"
	testutil.WriteProgram(t, script, text)
	if _, err := OpenGTP(t.Context(), []string{script}, nil, time.Minute); !errors.Is(err, review.ErrStart) || !strings.Contains(err.Error(), "no command estimate_score") {
		t.Error(err)
	}
	if _, err := OpenGTP(t.Context(), []string{script + "s"}, nil, time.Minute); !errors.Is(err, review.ErrStart) {
		t.Error(err)
	}
}
