package selfplay

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/runner"
	"gogi/shogi"
	"gogi/usi"
)

// TestBlocks: each game follows the rules, which the helper block checks. Games end by adjudication and by the limit of
// plies. Moves come from the random beginning, from noise and from the player.
func TestBlocks(t *testing.T) {
	t.Parallel()
	g := newPlayer(t)
	kinds := map[string]int{}
	noise, drawn := 0, 0
	for n := range 4 {
		b := testutil.Must(g.block(t, n))(t)
		testutil.Check(t, len(b.Games) == g.Design.Games, "%d games", len(b.Games))
		for i := range b.Games {
			game := &b.Games[i]
			kinds[game.Result]++
			if game.Result == match.ScoreAdjudication.String() &&
				(game.Audited || game.Adjudged != game.Winner || game.At != len(game.Moves)) {
				t.Errorf("%+v", game)
			}
			given := 0
			for j, m := range game.Moves {
				switch {
				case m.Opening && given == j:
					given++
				case m.Opening:
					noise++
				case m.HasScore:
					drawn++
				default:
					t.Errorf("move %d has no score", j+1)
				}
			}
			testutil.Check(t, given >= g.Design.RandomMin, "%d random plies", given)
		}
	}
	testutil.Check(t, kinds[match.ScoreAdjudication.String()] != 0 && kinds[match.MaxPlies.String()] != 0 && noise != 0 &&
		drawn != 0,
		"%v, %d moves of noise, %d of the player", kinds, noise, drawn)
}

// TestBlockRepeats: a block depends only on its number and the settings. Decoding its bytes gives the same block.
func TestBlockRepeats(t *testing.T) {
	t.Parallel()
	g := newPlayer(t)
	encoded := func(number int) []byte {
		b := testutil.Must(g.block(t, number))(t)
		return testutil.Must(b.Encode("d"))(t)
	}
	three := encoded(3)
	testutil.Check(t, bytes.Equal(three, encoded(3)), "two playings of a block differ")
	testutil.Check(t, !bytes.Equal(bytes.SplitN(three, []byte("\n"), 2)[1], bytes.SplitN(encoded(4), []byte("\n"), 2)[1]),
		"two blocks are equal")
	b := testutil.Must(Decode(three, "d", 3))(t)
	again, err := b.Encode("d")
	testutil.Check(t, err == nil && bytes.Equal(again, three), "it does not come back: %v", err)
	g.Plan.Seed++
	testutil.Check(t, !bytes.Equal(three, encoded(3)), "the seed changes nothing")
}

// TestDecodeRefuses: a block other than the requested one is rejected, and so is a block with a changed byte.
func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	b := Block{Number: 3, Games: []Game{{Start: shogiStart, Winner: "draw", Result: "max_plies"}},
		Discarded: map[string]int{}}
	data := testutil.Must(b.Encode("d"))(t)
	for _, tc := range []struct {
		data   []byte
		digest string
		number int
		want   string
	}{
		{data, "e", 3, "it is block 3 of d, expected block 3 of e"},
		{data, "d", 4, "it is block 3 of d, expected block 4 of d"},
		{data[:len(data)-2], "d", 3, "damaged"},
		{data[:bytes.LastIndexByte(data[:len(data)-1], '\n')+1], "d", 3, "damaged"},
		{nil, "d", 3, "damaged"},
	} {
		if _, err := Decode(tc.data, tc.digest, tc.number); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, expected %q", err, tc.want)
		}
	}
	for i := range data[:bytes.LastIndexByte(data[:len(data)-1], '\n')] {
		changed := bytes.Clone(data)
		changed[i] ^= 1
		testutil.Fails(t, testutil.Err(Decode(changed, "d", 3)), "", "a change of byte %d is not seen", i)
	}
}

const shogiStart = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"

// scripted is a player that gives scripted answers.
type scripted struct {
	think  func(r usi.Request) (usi.Reply, error)
	closed *int
}

func (s scripted) NewGame(context.Context, usi.Game) error                   { return nil }
func (s scripted) GameOver(context.Context, usi.Outcome) error               { return nil }
func (s scripted) Close() error                                              { *s.closed++; return nil }
func (s scripted) Think(_ context.Context, r usi.Request) (usi.Reply, error) { return s.think(r) }

// answers returns a player of one game without random moves, which answers with think, and the counter of closed
// processes.
func answers(t *testing.T, think func(r usi.Request) (usi.Reply, error)) (*player, *int) {
	t.Helper()
	closed := 0
	g := newPlayer(t)
	*g.Design = match.Selfplay{Games: 1}
	g.Open = func(context.Context) (runner.Player, error) { return scripted{think, &closed}, nil }
	return g, &closed
}

// shuffles returns answers that move the golds of both players to and fro, which leads to a repetition. Each answer has
// this score for Black.
func shuffles(score int) func(r usi.Request) (usi.Reply, error) {
	return func(r usi.Request) (usi.Reply, error) {
		m, err := shogi.ParseMove([]string{"4i4h", "6a6b", "4h4i", "6b6a"}[len(r.Position.Moves)%4])
		if len(r.Position.Moves)%2 == 1 {
			return reply(m, -score), err
		}
		return reply(m, score), err
	}
}

func reply(m shogi.Move, score int) usi.Reply {
	line := usi.Info{HasScore: true, Score: usi.Score{Value: score}, PV: []shogi.Move{m}}
	return usi.Reply{Answer: usi.AnswerMove, Move: m, Lines: []usi.Info{line}, Exact: line}
}

// TestAudit: an audited game continues after the scores would end it, and has its true result.
func TestAudit(t *testing.T) {
	t.Parallel()
	for _, audit := range []float64{0, 1} {
		g, closed := answers(t, shuffles(2000))
		g.Design.Audit = audit
		b, err := g.block(t, 0)
		if err != nil || len(b.Games) != 1 || *closed != 1 {
			t.Fatal(b, err, *closed)
		}
		game := b.Games[0]
		want := Game{Result: "score_adjudication", Winner: "black", Adjudged: "black", At: 6}
		if audit == 1 {
			want = Game{Result: "repetition", Winner: "draw", Adjudged: "black", At: 6, Audited: true}
		}
		plies := map[float64]int{0: 6, 1: 12}[audit]
		if game.Result != want.Result || game.Winner != want.Winner || game.Adjudged != want.Adjudged || game.At != want.At ||
			game.Audited != want.Audited || len(game.Moves) != plies {
			t.Errorf("%+v, expected %+v", game, want)
		}
		s := newStatistics()
		s.game(&game)
		testutil.OK(t, s.complete())
		testutil.Check(t, audit != 1 || s.Audit.Ended == 0 && s.Audit.Games == 1 && s.Audit.Disagreed == 1 &&
			*s.Audit.Rate == 1,
			"%+v", s.Audit)
		testutil.Check(t, audit != 0 || s.Audit.Ended == 1 && s.Audit.Games == 0 && s.Audit.Rate == nil, "%+v", s.Audit)
	}
}

// TestFailures: after a failure of the player, a new process plays the whole block again. After three failures the
// block fails with the player's error. Every process is closed.
func TestFailures(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	searches := 0
	g, closed := answers(t, func(r usi.Request) (usi.Reply, error) {
		if searches++; searches == 3 || searches == 8 {
			return usi.Reply{}, broken
		}
		return shuffles(0)(r)
	})
	b, err := g.block(t, 0)
	if err != nil || *closed != 3 {
		t.Fatalf("%+v, %v, %d closed", b, err, *closed)
	}
	testutil.Check(t, len(b.Games) == 1 && len(b.Games[0].Moves) == 12, "%+v", b.Games)
	g, closed = answers(t, func(usi.Request) (usi.Reply, error) { return usi.Reply{}, broken })
	if _, err := g.block(t, 5); !errors.Is(err, broken) || *closed != 3 {
		t.Error(err, *closed)
	}
	g, _ = answers(t, func(usi.Request) (usi.Reply, error) { return usi.Reply{Stopped: true}, nil })
	testutil.Fails(t, testutil.Err(g.block(t, 0)), "it had to be stopped")
}

// TestDiscarded: a game lost by an illegal answer is not stored as data, but counted.
func TestDiscarded(t *testing.T) {
	t.Parallel()
	for _, r := range []usi.Reply{{Answer: usi.AnswerInvalid, Text: "x"}, reply(shogi.NewMove(0, 1), 0),
		{Answer: usi.AnswerWin}} {
		g, _ := answers(t, func(usi.Request) (usi.Reply, error) { return r, nil })
		b, err := g.block(t, 0)
		testutil.Require(t, err == nil && len(b.Games) == 0, "%v %v", b, err)
		want := match.IllegalMove
		if r.Answer == usi.AnswerWin {
			want = match.FalseDeclaration
		}
		testutil.Check(t, b.Discarded[want.String()] == 1, "%v", b.Discarded)
	}
	g, _ := answers(t, func(usi.Request) (usi.Reply, error) { return usi.Reply{Answer: usi.AnswerResign}, nil })
	b, err := g.block(t, 0)
	testutil.Check(t, err == nil && len(b.Games) == 1 && b.Games[0].Winner == "white" &&
		b.Games[0].Result == "resignation",
		"%+v, %v", b, err)
}

// TestLines: the player gets the number of lines only when it changes.
func TestLines(t *testing.T) {
	t.Parallel()
	g := newPlayer(t)
	*g.Design = match.Selfplay{Games: 2, TemperaturePlies: 3, Temperature: 10, Lines: 5}
	var told []string
	g.Open = func(ctx context.Context) (runner.Player, error) {
		p, err := openBuiltin(ctx)
		return configured{p.(builtinEngine), &told}, err
	}
	testutil.OK(t, testutil.Err(g.block(t, 0)))
	got := strings.Join(told, " ")
	testutil.Check(t, got == "5 think think think 1 5 think think think 1", "%v", got)
	g.Open = func(ctx context.Context) (runner.Player, error) { return scripted{shuffles(0), new(int)}, nil }
	testutil.Fails(t, testutil.Err(g.block(t, 0)), "MultiPV")
}

// configured records its settings of MultiPV and its searches with more than one line.
type configured struct {
	builtinEngine
	told *[]string
}

func (c configured) Set(s []usi.Setting) error {
	*c.told = append(*c.told, s[0].Value)
	return c.builtinEngine.Set(s)
}

func (c configured) NewGame(ctx context.Context, g usi.Game) error {
	*c.told = append(*c.told, g.Options[0].Value)
	return c.builtinEngine.NewGame(ctx, g)
}

func (c configured) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	if (*c.told)[len(*c.told)-1] != "1" {
		*c.told = append(*c.told, "think")
	}
	return c.builtinEngine.Think(ctx, r)
}

// TestRequests: every search has a deadline and the node limit, which the jitter varies evenly.
func TestRequests(t *testing.T) {
	t.Parallel()
	var asked []usi.Request
	g, _ := answers(t, func(r usi.Request) (usi.Reply, error) {
		asked = append(asked, r)
		return shuffles(0)(r)
	})
	g.Plan.Players[0].Limits.Nodes = 1000
	g.Design.Games, g.Design.NodeJitter = 20, 0.2
	testutil.OK(t, testutil.Err(g.block(t, 0)))
	low, high, sum := uint64(1000), uint64(1000), 0.0
	for _, r := range asked {
		low, high = min(low, r.Go.Nodes), max(high, r.Go.Nodes)
		sum += float64(r.Go.Nodes)
		testutil.Require(t, r.Deadline == match.DefaultStall, "%v", r.Deadline)
	}
	// The 240 limits are uniform from 800 to 1200, so their mean has a standard deviation of 7.5.
	if mean := sum / float64(len(asked)); len(asked) != 240 || low < 800 || low > 815 || high > 1200 || high < 1185 ||
		mean < 965 || mean > 1035 {
		t.Errorf("%d searches of %d to %d nodes, %.0f on average", len(asked), low, high, mean)
	}
}

// TestBeginnings: a random beginning with a score outside the window, or with a finished game, is drawn again and
// counted. If 200 beginnings in a row fail, the block fails.
func TestBeginnings(t *testing.T) {
	t.Parallel()
	first := 0
	g, _ := answers(t, func(r usi.Request) (usi.Reply, error) {
		m := shogi.NewMove(0, 1)
		first++
		if score, ok := map[int]int{1: 301, 2: -301}[first]; ok {
			return reply(m, score), nil
		}
		return usi.Reply{Answer: usi.AnswerResign}, nil
	})
	g.Design.Window, g.Design.RandomMin, g.Design.RandomMax = 300, 1, 3
	b, err := g.block(t, 0)
	testutil.Check(t, err == nil && b.Redrawn == (arbiter.Redrawn{Unequal: 2}) && b.Games[0].Result == "resignation" &&
		first == 3,
		"%+v, %v", b, err)
	g = newPlayer(t)
	g.Plan.Rules.MaxPlies, *g.Design = 5, match.Selfplay{Games: 8, RandomMin: 2, RandomMax: 7}
	if b, err = g.block(t, 0); err != nil || b.Redrawn.Ended == 0 || b.Redrawn.Unequal != 0 {
		t.Errorf("%+v, %v", b, err)
	}
	lengths := map[int]bool{}
	for i := range b.Games {
		n := 0
		for n < len(b.Games[i].Moves) && b.Games[i].Moves[n].Opening {
			n++
		}
		lengths[n] = true
	}
	testutil.Check(t, len(lengths) >= 2, "random plies: %v", lengths)
	g.Design.RandomMin = 6
	testutil.Fails(t, testutil.Err(g.block(t, 0)), "200 beginnings in a row")
}

// TestProcesses: a player has one process for each block, or one for each game with RestartGame. Every process is
// closed.
func TestProcesses(t *testing.T) {
	t.Parallel()
	for restart, want := range map[match.Restart]int{match.RestartNever: 1, match.RestartGame: 5} {
		g, closed := answers(t, shuffles(0))
		g.Design.Games = 5
		g.Plan.Players[0].Restart = restart
		opened, open := 0, g.Open
		g.Open = func(ctx context.Context) (runner.Player, error) { opened++; return open(ctx) }
		if _, err := g.block(t, 0); err != nil || opened != want || *closed != want {
			t.Errorf("%s: %d were opened and %d closed, expected %d: %v", restart, opened, *closed, want, err)
		}
	}
}

// TestFaults: an error about an invalid setting has the setting's key.
func TestFaults(t *testing.T) {
	t.Parallel()
	good := testDesign()
	if f := good.Faults(); f != nil {
		t.Errorf("%v", f)
	}
	bad := match.Selfplay{RandomMin: -1, RandomMax: -2, Window: -1, TemperaturePlies: 1, NoisePlies: -1, Noise: -0.1,
		NodeJitter: 0.95, Audit: 2}
	keys := lists.Map(bad.Faults(), func(f match.SelfplayFault) string { return f.Key })
	got := strings.Join(keys, " ")
	testutil.Check(t, got == "block random_min random_max window noise_plies noise node_jitter audit multipv temperature",
		"%v", got)
}
