// Package matchtest makes pairs and rows without engines, as input for tests of a store, a report or a farm.
// [Plan] returns a plan, and [Pair] the result of one of its pairs. A pair depends only on its plan and its
// number.
package matchtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// Games returns the result of a pair whose games the function play returns.
func Games(pair match.Pair, play func(g match.Game) match.Result) match.PairResult {
	r := match.PairResult{Pair: pair}
	for leg := range pair.Legs {
		r.Games = append(r.Games, play(pair.Game(leg)))
	}
	return r
}

// Resigned returns a pair of the plan in which a player with the colour loser resigned at once at a time.
func Resigned(plan *match.Plan, id int, loser shogi.Colour, at time.Time) match.PairResult {
	return Games(plan.Pair(id), func(g match.Game) match.Result {
		r := match.Result{Pair: id, Leg: g.Leg, Players: g.Players, Verdict: match.LossFor(loser, match.Resignation, ""),
			Started: at, Ended: at.Add(time.Second)}
		r.Record = kifu.Record{
			Start: "startpos", Black: plan.Players[g.Players[0]].Name, White: plan.Players[g.Players[1]].Name,
			Result: r.Termination.String(), Winner: r.Outcome.String(),
		}
		r.Sides[0].Plies = 1
		return r
	})
}

// Plan returns the plan of a match between two players, with 100 pairs and a book of two openings.
func Plan(name string) *match.Plan {
	limits := match.Limits{Nodes: 20000, Stall: match.DefaultStall}
	rules := match.RulesProfiles()["denryu"]
	return &match.Plan{
		Run: name,
		Players: []match.Player{
			{
				Name: "A", Command: []string{"/engines/a", "--flag"}, Dir: "/engines", Env: []string{"LANG=C"}, Limits: limits,
				Options:  []match.Option{{Name: "Threads", Value: "1"}, {Name: "USI_Hash", Value: "64"}},
				Identity: match.Identity{Files: []match.FileHash{{Role: "binary", Path: "/engines/a", SHA256: "aa"}}},
				Restart:  match.RestartNever, Greeting: time.Second, Ready: time.Minute,
			},
			{Name: "将棋", Command: []string{"/gogi"}, Builtin: true, Limits: limits, Identity: match.Identity{Fixed: "v1"},
				Restart: match.RestartGame},
		},
		Design: match.Design{Kind: match.DesignMatch, Swap: true}, Seed: 1 << 63, Rules: rules,
		Openings: []match.Opening{
			{ID: "1", Start: "startpos", Moves: []shogi.Move{Move("7g7f"), Move("3c3d")}},
			{ID: "2", Start: "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"},
		},
		Ponder: match.PonderOff, Slowed: match.PolicyCount, Pairs: 100, Concurrency: 2, PVPlies: 12,
	}
}

// Move returns the move of a USI text such as "7g7f". It panics on an error.
func Move(s string) shogi.Move {
	m, err := shogi.ParseMove(s)
	if err != nil {
		panic(err)
	}
	return m
}

// Moves returns the moves of a USI text, separated by spaces.
func Moves(line string) (list []shogi.Move) {
	for text := range strings.FieldsSeq(line) {
		list = append(list, Move(text))
	}
	return list
}

// Opening returns an opening with the ID "7". start is "startpos" or a SFEN, and line has moves in USI.
func Opening(start, line string) match.Opening {
	return match.Opening{ID: "7", Start: start, Moves: Moves(line)}
}

// Pair returns a pair of realistic games. The moves are legal, principal variations often predict the next moves, and
// node counts are near the limit. The games depend only on the ID. plies is the number of plies of each game.
func Pair(plan *match.Plan, id, plies int) match.PairResult {
	r := rand.New(rand.NewPCG(1, uint64(id)))
	return Games(plan.Pair(id), func(g match.Game) match.Result { return playedGame(plan, g, plies, r) })
}

func playedGame(plan *match.Plan, g match.Game, plies int, r *rand.Rand) match.Result {
	started := time.Date(2026, 5, 4, 3, 2, 1, 123456000, time.UTC).Add(time.Duration(g.Pair) * time.Second)
	result := match.Result{
		Pair: g.Pair, Leg: g.Leg, Players: g.Players, Slot: r.IntN(8), Started: started, Ended: started.Add(time.Minute),
		Marked: r.IntN(5) == 0,
		Verdict: []match.Verdict{
			{Outcome: match.BlackWins, Termination: match.Resignation},
			{Outcome: match.Draw, Termination: match.Repetition},
			{Outcome: match.WhiteWins, Termination: match.Crash, Note: "exit status 1 <&>"},
		}[r.IntN(3)],
		Record: kifu.Record{
			Black: plan.Players[g.Players[0]].Name, White: plan.Players[g.Players[1]].Name, Event: "run", Started: started,
			Start: g.Opening.Start,
		},
	}
	result.Record.Result, result.Record.Winner = result.Termination.String(), result.Outcome.String()
	p, err := g.Opening.Position()
	if err != nil {
		panic(err)
	}
	for _, m := range g.Opening.Moves {
		result.Record.Moves = append(result.Record.Moves, kifu.Move{Move: m, Opening: true})
		p.Apply(m)
	}
	playOn(&result, p, plies, r)
	return result
}

func playOn(result *match.Result, p shogi.Position, plies int, r *rand.Rand) {
	var line []shogi.Move
	score := [2]int{20, -20}
	for len(result.Record.Moves) < plies && p.HasLegalMove() {
		if len(line) == 0 || r.IntN(2) == 0 {
			line = line[:0]
		}
		line = extend(p, line, 12+r.IntN(6), r)
		score[p.Side()] += r.IntN(81) - 40
		depth := 10 + r.IntN(8)
		m := kifu.Move{
			Move: line[0], Score: score[p.Side()], HasScore: true, Depth: depth, SelDepth: depth + r.IntN(12),
			Nodes: 20000 + uint64(r.IntN(1500)),
			Time:  time.Duration(10000+r.IntN(30000)) * time.Microsecond,
			PV:    append([]shogi.Move(nil), line[:min(len(line), 12)]...),
		}
		result.Record.Moves = append(result.Record.Moves, m)
		result.Sides[p.Side()].Add(m, 0)
		p.Apply(m.Move)
		line = line[1:]
	}
}

// extend adds legal moves to line until it has n moves, or until mate.
func extend(p shogi.Position, line []shogi.Move, n int, r *rand.Rand) []shogi.Move {
	for _, m := range line {
		p.Apply(m)
	}
	for len(line) < n {
		moves := p.LegalMoves(nil)
		if len(moves) == 0 {
			break
		}
		line = append(line, moves[r.IntN(len(moves))])
		p.Apply(line[len(line)-1])
	}
	return line
}

// PlayedBy returns the provenance of a pair that a farm played. The id selects one of three workers, which
// belong to two owners.
func PlayedBy(id int) match.Provenance {
	p := match.Provenance{Worker: fmt.Sprintf("worker-%d", id%3), Owner: "o", Epoch: math.MaxUint64 - uint64(id),
		Scale: 0.5 + float64(id%2)/2}
	if id%2 == 0 {
		p.Owner, p.Proof = "p", []byte{0, byte(id)}
	}
	return p
}

// Put adds pairs to a store's run. It fails the test if a pair is not new.
func Put(tb testing.TB, run interface {
	Add(ctx context.Context, pair match.PairResult) (added bool, err error)
}, pairs ...match.PairResult,
) {
	tb.Helper()
	for _, p := range pairs {
		if added, err := run.Add(tb.Context(), p); err != nil || !added {
			tb.Fatalf("pair %d: added %t, %v", p.Pair.ID, added, err)
		}
	}
}

// Closing returns its argument opened, and closes opened at the end of the test. If err is not nil, the test fails.
func Closing[C io.Closer](tb testing.TB, opened C, err error) C {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := opened.Close(); err != nil {
			tb.Error(err)
		}
	})
	return opened
}

// PairLimit is a limit for match.DecodePair, in bytes. It is large enough for every pair of a Series.
const PairLimit = 1 << 20

// Series is a stored match of the built-in engine, with players that fail, resign or repeat positions. It is
// stored in the first version of the formats. It is never written again, because tests check that every later
// version can read it.
type Series struct {
	Name   string          `json:"name"`
	Digest string          `json:"digest"`
	Plan   json.RawMessage `json:"plan"`
	Pairs  [][]byte        `json:"pairs"`
}

// AllSeries returns the matches in match/testdata/played.json. path is the path of this file.
func AllSeries(tb testing.TB, path string) (list []Series) {
	tb.Helper()
	testutil.OK(tb, json.Unmarshal(testutil.Must(os.ReadFile(path))(tb), &list))
	return list
}

// Played reads the file at path. It calls the function see for each pair of each Series in the file.
func Played(t *testing.T, path string, see func(t *testing.T, plan *match.Plan, r match.PairResult)) {
	t.Helper()
	for _, s := range AllSeries(t, path) {
		t.Run(s.Name, func(t *testing.T) {
			plan, err := match.DecodePlan(s.Plan)
			if err != nil || plan.Digest() != s.Digest {
				t.Fatalf("the plan's digest is not %s: %v", s.Digest, err)
			}
			for _, text := range s.Pairs {
				see(t, plan, testutil.Must(match.DecodePair(text, PairLimit))(t))
			}
		})
	}
}

// Run is a short description of a finished run. It has a text such as "WL" for each pair: the results of the
// two games from the view of the first player.
type Run struct {
	Players []string
	Pairs   []string
	Planned int  // planned number of pairs; 0: the number of pairs in the run
	Fault   bool // the loser of each game crashed
	Repeat  int  // size of the groups of consecutive pairs that share one opening and have the same games; 0: 1
	Varied  bool // the pairs of one opening have different games, in spite of Repeat
	Slowed  int  // number of pairs, from the first, in which the machine delayed a move
}

// Rows returns the rows of each pair, in the order of the pairs and of their games.
func (o Run) Rows() [][]match.Row {
	var all [][]match.Row
	for pair, text := range o.Pairs {
		var rows []match.Row
		for leg, result := range text {
			rows = append(rows, o.Row(pair, leg, result))
		}
		all = append(all, rows)
	}
	return all
}

// Row returns one game of a pair: W, D or L from the first player's side.
func (o Run) Row(pair, leg int, result rune) match.Row {
	a, b := o.Players[0], o.Players[1]
	if n := len(o.Players); n > 2 { // everybody against everybody
		a, b = o.Players[pair%n], o.Players[(pair+1)%n]
		if pair%n == n-1 {
			a, b = b, a
		}
	}
	same := pair / max(1, o.Repeat)
	game := same
	if o.Varied {
		game = pair
	}
	r := match.Row{
		Pair: pair, Leg: leg, PairA: a, PairB: b, Black: a, White: b, Outcome: match.Draw, Termination: match.Repetition,
		Points: [2]float64{0.5, 0.5}, Plies: 30 + 7*pair%200, MovesHash: uint64(2*game + leg), OpeningID: "1",
		OpeningHash: uint64(same),
		Marked:      pair < o.Slowed,
		LastSFEN:    "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2",
	}
	colour := shogi.Black
	if leg == 1 {
		r.Black, r.White, colour = b, a, shogi.White
	}
	if result == 'L' {
		colour = colour.Opponent()
	}
	if result != 'D' {
		r.Outcome, r.Termination, r.Points = match.WinFor(colour), match.Checkmate, [2]float64{}
		r.Points[colour] = 1
	}
	if o.Fault && result == 'L' {
		r.Termination, r.Note = match.Crash, "exit status 7"
	}
	return r
}
