package builtin

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

const (
	middlegame = "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1"
	opening    = "startpos moves 7g7f 3c3d 2g2f 8c8d"
)

func TestReplyDependsOnlyOnTheRequest(t *testing.T) {
	for _, options := range []string{"", "Seed=3 EvalNoise=20", "MultiPV=3"} {
		for _, g := range []usi.Go{{Nodes: 3000}, {Depth: 4}} {
			first := think(t, engine(t, options), opening, g)
			busy := engine(t, options)
			think(t, busy, middlegame, usi.Go{Nodes: 5000})
			think(t, busy, opening, usi.Go{Nodes: 20_000})
			testutil.OK(t, busy.NewGame(t.Context(), usi.Game{Seed: 99}))
			think(t, busy, opening+" 2f2e", usi.Go{MoveTime: 20 * time.Millisecond})
			for range 2 {
				if got := think(t, busy, opening, g); fingerprint(got) != fingerprint(first) {
					t.Errorf("%q %v: %s, but on a fresh engine %s", options, g, fingerprint(got), fingerprint(first))
				}
			}
		}
	}
}

// fingerprint returns all of a reply except the times.
func fingerprint(r usi.Reply) string {
	var b strings.Builder
	fmt.Fprint(&b, r.Move, r.Ponder, r.Nodes)
	for _, l := range r.Lines {
		fmt.Fprint(&b, " ", l.Depth, l.SelDepth, l.Score, l.HashFull, l.PV)
	}
	return b.String()
}

func TestOptionsChangeTheReply(t *testing.T) {
	plain := fingerprint(think(t, New(), middlegame, usi.Go{Nodes: 2000}))
	for _, options := range []string{"Seed=1", "EvalNoise=10", "Seed=1 EvalNoise=10", "MultiPV=2"} {
		testutil.Check(t, fingerprint(think(t, engine(t, options), middlegame, usi.Go{Nodes: 2000})) != plain,
			"%s changed nothing", options)
	}
	e := engine(t, "EvalNoise=10 Seed=2")
	think(t, e, middlegame, usi.Go{Nodes: 10})
	for _, s := range []usi.Setting{{Name: "EvalNoise", Value: "0"}, {Name: "Seed", Value: "0"}} {
		testutil.OK(t, e.SetOption(s))
	}
	testutil.Equal(t, fingerprint(think(t, e, middlegame, usi.Go{Nodes: 2000})), plain, "after noise was switched off")
}

func TestBadOptionsAreRefused(t *testing.T) {
	for _, s := range []usi.Setting{
		{Name: "Contempt", Value: "1"},
		{Name: "USI_Hash", Value: "0"},
		{Name: "USI_Hash", Value: "5000"},
		{Name: "MultiPV", Value: "many"},
		{Name: "EvalNoise", Value: "1001"},
		{Name: "EnteringKingRule", Value: "CSARule28"},
		{Name: "USI_Ponder", Value: "maybe"},
	} {
		e := New()
		testutil.Fails(t, e.SetOption(s), "", "%v was accepted", s)
		testutil.Equal(t, e.settings, defaults(), "%v changed something", s)
	}
}

func TestNodeLimitIsExact(t *testing.T) {
	e := New()
	for _, position := range []string{opening, middlegame} {
		for _, n := range []uint64{1, 2, 3, 10, 97, 256, 1000, 12_345} {
			r := think(t, e, position, usi.Go{Nodes: n})
			testutil.Check(t, r.Nodes == n && r.Answer == usi.AnswerMove && len(r.Lines) == 1 && r.Lines[0].Nodes == n &&
				!r.Stopped,
				"%d nodes: %+v", n, r)
			testutil.Check(t, r.Lines[0].PV[0] == r.Move, "%d nodes: move %v, line %v", n, r.Move, r.Lines[0].PV)
		}
	}
}

func TestDepthLimit(t *testing.T) {
	for depth := 1; depth <= 5; depth++ {
		r := think(t, New(), opening, usi.Go{Depth: depth})
		testutil.Check(t, r.Best().Depth == depth && r.Best().SelDepth >= depth && (r.Ponder != shogi.NoMove || depth <= 1),
			"depth %d: %+v", depth, r)
	}
}

func TestSearchMoves(t *testing.T) {
	only := []shogi.Move{shogi.NewMove(shogi.NewSquare(1, 7), shogi.NewSquare(1, 6)),
		shogi.NewMove(shogi.NewSquare(9, 7), shogi.NewSquare(9, 6))}
	r := think(t, engine(t, "MultiPV=10"), "startpos", usi.Go{Nodes: 2000, SearchMoves: only})
	testutil.Check(t, len(r.Lines) == 2 && slices.Contains(only, r.Lines[0].PV[0]) &&
		slices.Contains(only, r.Lines[1].PV[0]),
		"searchmoves %v: lines %v", only, r.Lines)
	illegal := []shogi.Move{shogi.NewDrop(shogi.Gold, shogi.NewSquare(5, 5))}
	if r := think(t, New(), "startpos", usi.Go{Nodes: 50, SearchMoves: illegal}); r.Answer != usi.AnswerMove {
		t.Errorf("illegal searchmoves: %+v", r)
	}
	// The search accepts a move that it would not consider itself.
	needless := []shogi.Move{shogi.NewMove(shogi.NewSquare(8, 8), shogi.NewSquare(2, 2))}
	if r := think(t, New(), "startpos moves 7g7f 3c3d", usi.Go{Nodes: 50, SearchMoves: needless}); r.Move != needless[0] {
		t.Errorf("searchmoves %v: %+v", needless, r)
	}
}

func TestMultiPVLinesAreDistinctAndOrdered(t *testing.T) {
	for _, position := range []string{opening, middlegame} {
		best := think(t, New(), position, usi.Go{Depth: 3})
		r := think(t, engine(t, "MultiPV=6"), position, usi.Go{Depth: 3})
		if len(r.Lines) != 6 || r.Lines[0].Score != best.Best().Score {
			t.Errorf("%s: %v, want 6 lines from %v", position, r.Lines, best.Best().Score)
		}
		seen := map[shogi.Move]bool{}
		for i, l := range r.Lines {
			testutil.Check(t, l.MultiPV == i+1 && l.HasScore && l.Depth == 3 && !seen[l.PV[0]], "%s: line %d is %v", position,
				i+1, l)
			testutil.Check(t, i <= 0 || l.Score.Number() <= r.Lines[i-1].Score.Number(),
				"%s: line %d is better than the one before", position, i+1)
			seen[l.PV[0]] = true
		}
	}
	if r := think(t, engine(t, "MultiPV=100"), "sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1", usi.Go{Depth: 2}); len(r.Lines) != 5 {
		t.Errorf("%d lines of 5 legal moves", len(r.Lines))
	}
}

// clock gives the engine a clock that advances by step at each reading.
func clock(e *Engine, step time.Duration) {
	t := time.Unix(0, 0)
	e.now = func() time.Time {
		t = t.Add(step)
		return t
	}
}

func TestTimeLimitsAreKept(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		text  string
		limit time.Duration
	}{
		{"go movetime 100", 100 * ms},
		{"go movetime 10", 10 * ms},
		{"go btime 0 wtime 0 byoyomi 100", 100 * ms},
		{"go btime 1000 wtime 60000 byoyomi 100", 1100 * ms},
		{"go btime 300 wtime 60000 binc 200 winc 0", 500 * ms},
		{"go btime 200 wtime 60000 binc 0 winc 0", 200 * ms},
		{"go mate 200", 200 * ms},
	} {
		g := testutil.Must(usi.ParseGo(c.text))(t)
		e := New()
		clock(e, ms)
		r := think(t, e, opening, g)
		if r.Elapsed >= c.limit || r.Elapsed < c.limit/25 || r.Stopped || r.Best().Depth == 0 {
			t.Errorf("%s: %v used, depth %d, stopped %v", c.text, r.Elapsed, r.Best().Depth, r.Stopped)
		}
	}
}

func TestNoTimeLeft(t *testing.T) {
	e := New()
	clock(e, time.Millisecond)
	for _, g := range []usi.Go{{Clock: true}, {UseByoyomi: true}, {Clock: true, UseInc: true}} {
		r := think(t, e, opening, g)
		testutil.Check(t, r.Answer == usi.AnswerMove && r.Nodes <= 256, "%v: %+v", g, r)
	}
}

func TestDeadlineStops(t *testing.T) {
	e := New()
	clock(e, time.Millisecond)
	r, err := e.Think(t.Context(), usi.Request{
		Position: usi.Position{Start: "startpos"}, Go: usi.Go{Infinite: true}, Deadline: 100 * time.Millisecond,
	})
	testutil.Check(t, err == nil && r.Stopped && r.Elapsed <= 100*time.Millisecond, "%v, stopped %v, %v", r.Elapsed,
		r.Stopped, err)
}

func TestBudget(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	for _, c := range []struct {
		g        usi.Go
		side     shogi.Colour
		deadline time.Duration
		want     budget
	}{
		{g: usi.Go{}},
		{g: usi.Go{Nodes: 5}},
		{g: usi.Go{Infinite: true, MoveTime: s}},
		{g: usi.Go{MoveTime: s}, want: budget{soft: 485 * ms, hard: 970 * ms}},
		{g: usi.Go{MoveTime: 40 * ms}, want: budget{soft: 15 * ms, hard: 30 * ms}},
		{g: usi.Go{Clock: true, BTime: 12 * s, WTime: 24 * s, UseByoyomi: true, Byoyomi: s},
			want: budget{soft: s, hard: 2 * s}},
		{g: usi.Go{Clock: true, BTime: 12 * s, WTime: 24 * s, UseInc: true, WInc: s}, side: shogi.White,
			want: budget{soft: 3 * s / 2, hard: 3 * s}},
		{g: usi.Go{Clock: true, UseInc: true, BInc: s}, want: budget{soft: 485 * ms, hard: 970 * ms}},
		{g: usi.Go{Nodes: 5}, deadline: s, want: budget{hard: 970 * ms, cut: true}},
		{g: usi.Go{MoveTime: s}, deadline: 2 * s, want: budget{soft: 485 * ms, hard: 970 * ms}},
	} {
		testutil.Equal(t, allot(c.g, c.side, c.deadline, 30*ms), c.want, "%v, deadline %v", c.g, c.deadline)
	}
}

func TestContextStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var at uint64
	r, err := New().Think(ctx, usi.Request{
		Position: usi.Position{Start: "startpos"}, Go: usi.Go{Infinite: true},
		OnInfo: func(i usi.Info) {
			if i.Depth == 5 && at == 0 {
				at = i.Nodes
				cancel()
			}
		},
	})
	testutil.Check(t, err == nil && r.Stopped && r.Answer == usi.AnswerMove && r.Nodes <= at+256,
		"cancelled at %d nodes: %+v, %v", at, r, err)
	r, err = New().Think(ctx, usi.Request{Position: usi.Position{Start: "startpos"}})
	testutil.Check(t, err == nil && r.Stopped && r.Answer == usi.AnswerMove && r.Nodes == 0,
		"cancelled before the search: %+v, %v", r, err)
}

func TestInfosGrowAndEndWithTheReply(t *testing.T) {
	var infos []usi.Info
	r, err := New().Think(t.Context(), usi.Request{
		Position: usi.Position{Start: "startpos"}, Go: usi.Go{Nodes: 20_000},
		OnInfo: func(i usi.Info) { infos = append(infos, i) },
	})
	testutil.Require(t, err == nil && len(infos) >= 4 && len(infos) <= 20, "%d infos, %v", len(infos), err)
	for i := 1; i < len(infos); i++ {
		testutil.Check(t, infos[i].Depth >= infos[i-1].Depth && infos[i].Nodes >= infos[i-1].Nodes,
			"info %v after %v", infos[i], infos[i-1])
	}
	if last := infos[len(infos)-1]; last.String() != r.Best().String() || last.PV[0] != r.Move || last.Nodes != r.Nodes {
		t.Errorf("last info %v, reply %+v", last, r)
	}
}

func TestIllegalHistoryIsAnError(t *testing.T) {
	for _, p := range []usi.Position{
		{Start: "startpos", Moves: []shogi.Move{shogi.NewDrop(shogi.Rook, shogi.NewSquare(5, 5))}},
		{Start: "sfen nonsense"},
		{},
	} {
		testutil.Fails(t, testutil.Err(New().Think(t.Context(), usi.Request{Position: p})), "", "%v was accepted", p)
	}
}

func TestHashForgets(t *testing.T) {
	var h hashTable
	h.resize(1)
	const key = 1 << 40
	remembers := func(alone bool) bool {
		h.newSearch(alone)
		return h.find(key) != nil
	}
	testutil.Check(t, !remembers(false), "an empty table knows something")
	h.store(key, 5, 100, 3, 0, exact)
	testutil.Check(t, remembers(false) && !remembers(true), "a search should know this game's entries, and alone none")
	h.newGame()
	testutil.Check(t, !remembers(false), "the last game's entries are known")
	h.store(key, 5, 100, 3, 0, exact)
	h.search = 1<<16 - 2
	testutil.Check(t, !remembers(true) && h.find(0) == nil && h.search == 1, "entries are known after the numbers ran out")
}

func TestHashKeepsMateDistance(t *testing.T) {
	var h hashTable
	h.resize(1)
	h.newSearch(true)
	for _, score := range []int{mateScore - 7, 7 - mateScore, 300, ruleWin} {
		h.store(1, 0, score, 9, 4, exact)
		testutil.Equal(t, fromRoot(int(h.find(1).score), 4), score, "came back")
	}
	h.store(2, 0, mateScore-7, 9, 4, exact) // three plies from the position itself
	testutil.Equal(t, fromRoot(int(h.find(2).score), 0), mateScore-3, "at the root the mate")
}

// TestTunableWeights: a tunable engine with default weights evaluates as any other engine. Each weight changes the
// evaluation.
func TestTunableWeights(t *testing.T) {
	e := NewTunable()
	if n := len(New().Options()); len(e.Options()) != n+len(weightKnobs()) || len(weightKnobs()) != 16 {
		t.Fatalf("%d options beside %d", len(e.Options()), n)
	}
	for _, k := range weightKnobs() {
		testutil.OK(t, e.SetOption(usi.Setting{Name: k.name, Value: strconv.Itoa(k.value)}))
	}
	testutil.Equal(t, *e.settings.weights.of(), *handMade(), "the defaults are not the hand-made weights")
	for _, k := range weightKnobs() {
		e := NewTunable()
		e.build()
		testutil.OK(t, e.SetOption(usi.Setting{Name: k.name, Value: strconv.Itoa(k.max)}))
		testutil.Check(t, *e.settings.weights.of() != *handMade(), "%s changes nothing", k.name)
		before := e.search.tables
		if e.build(); e.search.tables == before {
			t.Errorf("%s: the tables are not built anew", k.name)
		}
	}
	testutil.Fails(t, New().SetOption(usi.Setting{Name: "Attack", Value: "0"}), "Attack", "an engine that is not tunable")
}
