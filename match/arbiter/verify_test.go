package arbiter_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/match/matchtest"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// TestVerifyTakesWhatWasPlayed: Verify and VerifyGames accept games that were played, with the recorded times.
func TestVerifyTakesWhatWasPlayed(t *testing.T) {
	ends := map[match.Termination]bool{}
	matchtest.Played(t, playedFile, func(t *testing.T, plan *match.Plan, r match.PairResult) {
		t.Helper()
		testutil.OK(t, arbiter.Verify(plan, &r))
		canonical := testutil.Must(match.ParseCanonical(plan.Canonical()))(t)
		stored, err := canonical.Replayable() // a store has the plan without its openings
		testutil.OK(t, err)
		testutil.OK(t, arbiter.VerifyGames(stored, &r))
		for _, g := range r.Games {
			ends[g.Termination] = true
		}
	})
	for _, end := range match.Terminations() {
		// Perpetual check and impasse need special engines, and only imported games have an unknown reason. Other tests cover
		// mate adjudication and games that did not start.
		if rare := end == match.PerpetualCheck || end == match.Impasse || end == match.UnknownReason ||
			end == match.MateAdjudication || end == match.NotStarted; ends[end] == rare {
			t.Errorf("%s was played: %t", end, ends[end])
		}
	}
}

// cutMoves removes the last n moves of a game.
func cutMoves(g *match.Result, n int) {
	g.Record.Moves = g.Record.Moves[:len(g.Record.Moves)-n]
}

// setVerdict sets the verdict of a game and the result in its record.
func setVerdict(g *match.Result, outcome match.Outcome, termination match.Termination) {
	g.Verdict = match.Verdict{Outcome: outcome, Termination: termination}
	g.Record.Result, g.Record.Winner = termination.String(), outcome.String()
}

// forgeries returns changes that turn a played pair into one that was not played. A change returns false if it does not
// apply to the pair. other is another pair of the same run.
func forgeries() map[string]func(r, other *match.PairResult) bool {
	return map[string]func(r, other *match.PairResult) bool{
		"outcome flipped": func(r, _ *match.PairResult) bool {
			g := &r.Games[0]
			winner, decided := g.Outcome.Winner()
			setVerdict(g, match.WinFor(winner.Opponent()), g.Termination)
			return decided
		},
		"a note without end": func(r, _ *match.PairResult) bool {
			r.Games[0].Note = strings.Repeat("x", match.MaxWords+1)
			return true
		},
		"a note that is no text": func(r, _ *match.PairResult) bool {
			r.Games[0].Note = "\xff"
			return true
		},
		"a vote of who is no council": func(r, _ *match.PairResult) bool {
			moves := r.Games[0].Record.Moves
			if len(moves) == 0 || len(moves[len(moves)-1].Detail) > 0 {
				return false
			}
			moves[len(moves)-1].Detail = []byte(`{"v":1,"type":"vote","members":["a"]}`)
			return true
		},
		"a vote that is no JSON": func(r, _ *match.PairResult) bool {
			r.Games[0].Record.Final = []byte("{")
			return true
		},
		"an attempt's reason without end": func(r, _ *match.PairResult) bool {
			r.Attempts = append(r.Attempts,
				match.Attempt{Pair: r.Pair.ID, Ended: time.Unix(1, 0), Why: strings.Repeat("x", match.MaxWords+1)})
			return true
		},
		"more ponder hits than moves": func(r, _ *match.PairResult) bool {
			r.Games[0].Sides[0].PonderHits = 1 << 40
			return true
		},
		"a slot below none": func(r, _ *match.PairResult) bool {
			r.Games[0].Slot = -1
			return true
		},
		"a depth without end": func(r, _ *match.PairResult) bool {
			for i := range r.Games[0].Record.Moves {
				if m := &r.Games[0].Record.Moves[i]; !m.Opening {
					m.SelDepth = 1 << 40
					return true
				}
			}
			return false
		},
		"drawn": func(r, _ *match.PairResult) bool {
			g := &r.Games[0]
			_, decided := g.Outcome.Winner()
			setVerdict(g, match.Draw, g.Termination)
			return decided
		},
		"won instead of drawn": func(r, _ *match.PairResult) bool {
			g := &r.Games[0]
			was := g.Outcome
			setVerdict(g, match.BlackWins, g.Termination)
			return was == match.Draw
		},
		"last move cut": func(r, _ *match.PairResult) bool {
			g := &r.Games[0]
			if len(g.Record.Moves) == len(r.Pair.Opening.Moves) {
				return false
			}
			cutMoves(g, 1)
			return true
		},
		"early resignation": func(r, _ *match.PairResult) bool {
			g := &r.Games[0]
			if len(g.Record.Moves) < len(r.Pair.Opening.Moves)+4 {
				return false
			}
			p := positionOf(r.Pair.Opening, g.Record.Moves[:len(g.Record.Moves)-2])
			cutMoves(g, 2)
			setVerdict(g, match.WinFor(p.Side().Opponent()), match.Resignation)
			return true
		},
		"the other pair's games": func(r, other *match.PairResult) bool {
			r.Games = other.Games
			return other.Pair.ID != r.Pair.ID
		},
		"the other pair's games, renumbered": func(r, other *match.PairResult) bool {
			r.Games = other.Games
			for i := range r.Games {
				r.Games[i].Pair = r.Pair.ID
			}
			return r.Pair.Opening.ID != other.Pair.Opening.ID
		},
		"seed": func(r, _ *match.PairResult) bool { r.Pair.Seed++; return true },
		"number": func(r, _ *match.PairResult) bool {
			r.Pair.ID++
			for i := range r.Games {
				r.Games[i].Pair++
			}
			return true
		},
		"below the first": func(r, _ *match.PairResult) bool { r.Pair.ID = -1; return true },
		"opening":         func(r, _ *match.PairResult) bool { r.Pair.Opening.ID += "x"; return true },
		"an attempt at another": func(r, _ *match.PairResult) bool {
			r.Attempts = []match.Attempt{{Pair: r.Pair.ID + 1}}
			return true
		},
		"a leg less":         func(r, _ *match.PairResult) bool { r.Games = r.Games[:len(r.Games)-1]; return true },
		"the legs exchanged": func(r, _ *match.PairResult) bool { slices.Reverse(r.Games); return len(r.Games) == 2 },
		"a leg twice": func(r, _ *match.PairResult) bool {
			if len(r.Games) < 2 {
				return false
			}
			r.Games[1] = r.Games[0]
			return true
		},
		"names exchanged": func(r, _ *match.PairResult) bool {
			record := &r.Games[0].Record
			record.Black, record.White = record.White, record.Black
			return true
		},
		"result of the record": func(r, _ *match.PairResult) bool { r.Games[0].Record.Result = "impasse"; return true },
		"winner of the record": func(r, _ *match.PairResult) bool { r.Games[0].Record.Winner = "nobody"; return true },
		"start": func(r, _ *match.PairResult) bool {
			r.Games[0].Record.Start = "4k4/9/9/9/9/9/9/9/4K4 b G 1"
			return true
		},
		"start that is none": func(r, _ *match.PairResult) bool { r.Games[0].Record.Start = "x"; return true },
		"opening moves forgotten": func(r,
			_ *match.PairResult) bool {
			r.Games[0].Record.Moves = nil
			return len(r.Pair.Opening.Moves) > 0
		},
		"an opening move as its own": func(r, _ *match.PairResult) bool {
			if len(r.Pair.Opening.Moves) == 0 {
				return false
			}
			r.Games[0].Record.Moves[0].Opening = false
			return true
		},
		"an own move as the opening's": func(r, _ *match.PairResult) bool {
			moves := r.Games[0].Record.Moves
			if len(moves) == len(r.Pair.Opening.Moves) {
				return false
			}
			moves[len(moves)-1].Opening = true
			return true
		},
		"an illegal move": func(r, _ *match.PairResult) bool {
			moves := r.Games[0].Record.Moves
			if len(moves) == len(r.Pair.Opening.Moves) {
				return false
			}
			moves[len(moves)-1].Move = shogi.NewMove(shogi.NewSquare(1, 1), shogi.NewSquare(9, 9))
			return true
		},
		"not ended": func(r, _ *match.PairResult) bool {
			setVerdict(&r.Games[0], match.Unfinished, match.NotEnded)
			return true
		},
		"plies": func(r, _ *match.PairResult) bool { r.Games[0].Sides[0].Plies++; return true },
		"nodes": func(r, _ *match.PairResult) bool {
			for c := range r.Games[0].Sides {
				s := &r.Games[0].Sides[c]
				if s.Nodes > 0 {
					s.Nodes = 0
					return true
				}
			}
			return false
		},
		"depths": func(r, _ *match.PairResult) bool { r.Games[0].Sides[1].DepthPlies += 2; return true },
		"a depth": func(r, _ *match.PairResult) bool {
			was := r.Games[0].Sides[0].DepthSum
			r.Games[0].Sides[0].DepthSum = 0
			return was > 0 && r.Games[0].Sides[0].DepthPlies > 1
		},
		"time": func(r, _ *match.PairResult) bool {
			was := r.Games[0].Sides[0].Time
			r.Games[0].Sides[0].Time = 0
			return was > time.Millisecond && len(r.Games[0].Record.Moves) > len(r.Pair.Opening.Moves)+2
		},
		"a negative time": func(r, _ *match.PairResult) bool {
			moves := r.Games[0].Record.Moves
			if len(moves) == len(r.Pair.Opening.Moves) {
				return false
			}
			moves[len(moves)-1].Time = -1
			return true
		},
	}
}

func positionOf(o match.Opening, moves []kifu.Move) shogi.Position {
	p, err := o.Position()
	if err != nil {
		panic(err)
	}
	for _, m := range moves {
		p.Apply(m.Move)
	}
	return p
}

func TestVerifyRefusesForgeries(t *testing.T) {
	tried := map[string]int{}
	for name, forge := range forgeries() {
		for _, s := range matchtest.AllSeries(t, playedFile) {
			plan := testutil.Must(match.DecodePlan(s.Plan))(t)
			for i := range s.Pairs {
				r, other := decodedPair(t, s.Pairs[i]), decodedPair(t, s.Pairs[(i+1)%len(s.Pairs)])
				if !forge(&r, &other) {
					continue
				}
				tried[name]++
				testutil.Fails(t, arbiter.Verify(plan, &r), "", "%s, pair %d: %s was not noticed", s.Name, i, name)
			}
		}
		testutil.Check(t, tried[name] != 0, "%s was never tried", name)
	}
}

func decodedPair(t *testing.T, text []byte) match.PairResult {
	t.Helper()
	return testutil.Must(match.DecodePair(text, matchtest.PairLimit))(t)
}

// seriesNamed returns the plan and the first pair of a series.
func seriesNamed(t *testing.T, name string) (*match.Plan, match.PairResult) {
	t.Helper()
	for _, s := range matchtest.AllSeries(t, playedFile) {
		if s.Name == name {
			plan := testutil.Must(match.DecodePlan(s.Plan))(t)
			return plan, decodedPair(t, s.Pairs[0])
		}
	}
	t.Fatalf("no series %s", name)
	return nil, match.PairResult{}
}

// TestVerifySays: an error of Verify names the problem. Some errors depend on the limits of the players.
func TestVerifySays(t *testing.T) {
	tests := []struct {
		series string
		forge  func(p *match.Plan, g *match.Result)
		want   string // "": Verify accepts the game
	}{
		{"crashes", func(*match.Plan, *match.Result) {}, ""},
		{"crashes", func(_ *match.Plan, g *match.Result) { setVerdict(g, g.Outcome, match.TimeForfeit) },
			"ended by time_forfeit, under the limits nodes 400"},
		{"late", func(_ *match.Plan, g *match.Result) { setVerdict(g, g.Outcome, match.Stall) },
			"ended by stall, under the limits movetime 5ms"},
		{"crashes", func(_ *match.Plan, g *match.Result) { setVerdict(g, g.Outcome, match.Checkmate) },
			"its last move does not end it by checkmate"},
		{"crashes", func(_ *match.Plan, g *match.Result) { setVerdict(g, g.Outcome, "adjourned") },
			"its last move does not end it by adjourned"},
		{"cannot declare", func(_ *match.Plan, g *match.Result) { setVerdict(g, match.WhiteWins, match.Declaration) },
			"ended by false_declaration (black), not by declaration (white)"},
		{"repeats", func(p *match.Plan, _ *match.Result) { p.Rules.MaxPlies = 10 },
			"the game went on after its end by max_plies"},
		{"adjudicated", func(p *match.Plan, _ *match.Result) { p.Adjudication = match.Adjudication{} },
			"its last move does not end it by score_adjudication"},
		{"nodes", func(p *match.Plan, _ *match.Result) {
			p.Adjudication = match.Adjudication{ResignScore: 1, ResignMoves: 1, OneSided: true}
		}, "went on after its end by score_adjudication"},
		{"late", func(_ *match.Plan, g *match.Result) { g.Record.Moves[6].Time = time.Second },
			"over its limit, and the game went on"},
		{"declares", func(p *match.Plan, _ *match.Result) { p.Rules.Declaration = shogi.NoEnteringKing },
			"ended by false_declaration (white), not by declaration (black)"},
	}
	for _, test := range tests {
		plan, r := seriesNamed(t, test.series)
		test.forge(plan, &r.Games[0])
		err := arbiter.Verify(plan, &r)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.series, err, test.want)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	s := matchtest.AllSeries(b, playedFile)[0]
	plan := testutil.Must(match.DecodePlan(s.Plan))(b)
	r := testutil.Must(match.DecodePair(s.Pairs[0], matchtest.PairLimit))(b)
	for b.Loop() {
		testutil.OK(b, arbiter.Verify(plan, &r))
	}
}

// mend sets the sums of a game's sides to those of its moves and of one answer that is no move. A careful forger would
// do the same.
func mend(opening match.Opening, g *match.Result) {
	first := positionOf(opening, nil)
	side := first.Side()
	g.Sides = [2]match.Side{}
	for i, m := range g.Record.Moves {
		if i >= len(opening.Moves) {
			g.Sides[side].Add(m, 0)
		}
		side = side.Opponent()
	}
	g.Sides[side].Plies++
}

// TestVerifyIsNotSufficient: Verify cannot find some forgeries. Exchanged moves often give another legal game,
// and an invented resignation always does. Only playing the pair again would find them.
func TestVerifyIsNotSufficient(t *testing.T) {
	for _, test := range []struct {
		name             string
		forge            func(r *match.PairResult) bool
		someSeen, allTkn bool // Verify rejects some but not all; Verify accepts all
	}{
		{"two moves transposed", func(r *match.PairResult) bool {
			g := &r.Games[0]
			n := len(r.Pair.Opening.Moves)
			if len(g.Record.Moves) < n+8 {
				return false
			}
			moves := g.Record.Moves
			moves[n].Move, moves[n+2].Move = moves[n+2].Move, moves[n].Move
			return moves[n].Move != moves[n+2].Move
		}, true, false},
		{"early resignation, sums mended", func(r *match.PairResult) bool {
			g := &r.Games[0]
			if len(g.Record.Moves) < len(r.Pair.Opening.Moves)+4 {
				return false
			}
			p := positionOf(r.Pair.Opening, g.Record.Moves[:len(g.Record.Moves)-2])
			cutMoves(g, 2)
			setVerdict(g, match.WinFor(p.Side().Opponent()), match.Resignation)
			mend(r.Pair.Opening, g)
			return true
		}, false, true},
	} {
		tried, refused := 0, 0
		matchtest.Played(t, playedFile, func(_ *testing.T, plan *match.Plan, r match.PairResult) {
			if !test.forge(&r) {
				return
			}
			tried++
			if arbiter.Verify(plan, &r) != nil {
				refused++
			}
		})
		t.Logf("%s: %d of %d refused", test.name, refused, tried)
		testutil.Check(t, tried >= 10 && (!test.allTkn || refused <= 0) &&
			(!test.someSeen || refused != 0 && refused != tried),
			"%s: %d of %d refused", test.name, refused, tried)
	}
}

// TestVerifyScaled: a game of a slow machine is checked against the machine's scaled clocks, if the plan allows
// this scale.
func TestVerifyScaled(t *testing.T) {
	for _, test := range []struct {
		scale    float64
		allowed  float64
		overtime time.Duration // more time than the plan's own clock gives a move
		want     string
	}{
		{0, 4, 0, ""},
		{1, 4, 0, ""},
		{2, 4, 0, ""},
		{2, 4, 4 * ms, ""},
		{0, 4, 4 * ms, "over its limit"},
		{1, 4, 4 * ms, "over its limit"},
		{2, 4, 6 * ms, "over its limit"},
		{5, 4, 0, "the plan allows 0.25 to 4"},
		{2, 0, 0, "the plan has no scaling"},
	} {
		plan, r := seriesNamed(t, "movetime")
		if test.allowed > 0 {
			plan.Scaling = match.Scaling{Engine: "e", NPS: 1, Least: 0.25, Most: test.allowed}
		}
		r.Played.Scale = test.scale
		g := &r.Games[0]
		limits := plan.LimitsOf(g.Players[0], 0)
		testutil.Require(t, limits.MoveTime == 5*ms, "the series has %v", limits)
		if test.overtime > 0 {
			ply := len(r.Pair.Opening.Moves)
			more := limits.MoveTime + limits.Margin + test.overtime - g.Record.Moves[ply].Time
			g.Record.Moves[ply].Time += more
			g.Sides[ply%2].Time += more
		}
		err := arbiter.Verify(plan, &r)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: %v", test, err)
		}
		canonical := testutil.Must(match.ParseCanonical(plan.Canonical()))(t)
		stored, err := canonical.Replayable()
		testutil.Check(t, err == nil && stored.Scaling == plan.Scaling, "%+v, %v", stored.Scaling, err)
	}
}

// TestVerifyNotStarted: a game that did not start counts only in tunes, and has no moves.
func TestVerifyNotStarted(t *testing.T) {
	plan := twoPlayers(t)
	plan.Tune = `{"pairs": 10}`
	pair := plan.Pair(0)
	pair.Options = [2][]match.Option{{{Name: "X", Value: "99"}}, {{Name: "X", Value: "1"}}}
	r := match.Forfeited(plan, pair, [2]bool{true, false}, "it says no", 7)
	testutil.OK(t, arbiter.Verify(plan, &r))
	for leg, want := range []match.Outcome{match.WhiteWins, match.BlackWins} {
		testutil.Check(t, r.Games[leg].Outcome == want && r.Games[leg].Termination == match.NotStarted,
			"leg %d: %v", leg, r.Games[leg].Verdict)
	}
	both := match.Forfeited(plan, pair, [2]bool{true, true}, "", 7)
	testutil.Equal(t, both.Games[0].Outcome, match.Draw, "neither starts: %v", both.Games[0].Verdict)
	other := *plan
	other.Tune = ""
	pair.Options = [2][]match.Option{}
	r.Pair = pair
	testutil.Fails(t, arbiter.Verify(&other, &r), "only a game of a tune", "in no tune")
}

// TestVerifyGames: VerifyGames checks the players and the games of a pair, but not its place in the plan.
func TestVerifyGames(t *testing.T) {
	r := match.PairResult{Pair: match.Pair{Players: [2]int{0, 2}, Legs: 2}}
	plan := &match.Plan{Players: make([]match.Player, 2)}
	testutil.Fails(t, arbiter.VerifyGames(plan, &r), "", "a player too many")
	r.Pair.Players[1] = 1
	testutil.Fails(t, arbiter.VerifyGames(plan, &r), "", "no games")
}
