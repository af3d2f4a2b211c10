package results

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/kifu"
	"gogi/match"
	"gogi/shogi"
)

// TestMain lets the test binary be the second process of some tests.
func TestMain(m *testing.M) {
	if path := os.Getenv(writerEnv); path != "" {
		writerProcess(path, os.Getenv(writerModeEnv))
		return
	}
	m.Run()
}

func testPlan(name string) *match.Plan {
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
			{Name: "将棋", Command: []string{"/gogi"}, Builtin: true, Limits: limits, Identity: match.Identity{Fixed: "v1"}, Restart: match.RestartGame},
		},
		Design: match.Design{Kind: match.DesignMatch, Swap: true}, Seed: 1 << 63, Rules: rules,
		Openings: []match.Opening{
			{ID: "1", Start: "startpos", Moves: []shogi.Move{mustMove("7g7f"), mustMove("3c3d")}},
			{ID: "2", Start: "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"},
		},
		Ponder: match.PonderOff, Slowed: match.PolicyCount, Pairs: 100, Concurrency: 2, PVPlies: 12,
	}
}

func mustMove(s string) shogi.Move {
	m, err := shogi.ParseMove(s)
	if err != nil {
		panic(err)
	}
	return m
}

// playedPair is a pair of plausible games: legal moves, principal variations that
// often come true, node counts near the limit. It depends on the ID alone.
func playedPair(plan *match.Plan, id, plies int) match.PairResult {
	r := rand.New(rand.NewPCG(1, uint64(id)))
	pair := plan.Pair(id)
	result := match.PairResult{Pair: pair}
	for leg := range pair.Legs {
		result.Games = append(result.Games, playedGame(plan, pair.Game(leg), plies, r))
	}
	return result
}

func playedGame(plan *match.Plan, g match.Game, plies int, r *rand.Rand) match.Result {
	started := time.Date(2026, 5, 4, 3, 2, 1, 123456000, time.UTC).Add(time.Duration(g.Pair) * time.Second)
	result := match.Result{
		Pair: g.Pair, Leg: g.Leg, Players: g.Players, Slot: r.IntN(8), Started: started, Ended: started.Add(time.Minute), Marked: r.IntN(5) == 0,
		Verdict: []match.Verdict{
			{Outcome: match.BlackWins, Termination: match.Resignation},
			{Outcome: match.Draw, Termination: match.Repetition},
			{Outcome: match.WhiteWins, Termination: match.Crash, Note: "exit status 1 <&>"},
		}[r.IntN(3)],
		Record: kifu.Record{
			Black: plan.Players[g.Players[0]].Name, White: plan.Players[g.Players[1]].Name, Event: "run", Started: started, Start: g.Opening.Start,
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
			Move: line[0], Score: score[p.Side()], HasScore: true, Depth: depth, SelDepth: depth + r.IntN(12), Nodes: 20000 + uint64(r.IntN(1500)),
			Time: time.Duration(10000+r.IntN(30000)) * time.Microsecond, PV: append([]shogi.Move(nil), line[:min(len(line), 12)]...),
		}
		result.Record.Moves = append(result.Record.Moves, m)
		result.Sides[p.Side()].Add(m, 0)
		p.Apply(m.Move)
		line = line[1:]
	}
}

// extend makes a line of legal moves at least n long, unless it mates before.
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

func testPath(tb testing.TB) string {
	tb.Helper()
	return filepath.Join(tb.TempDir(), "gogi.db")
}

func openTest(tb testing.TB, path string) *Store {
	tb.Helper()
	s, err := Open(tb.Context(), path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func beginTest(tb testing.TB, s *Store, plan *match.Plan) *Run {
	tb.Helper()
	run, err := s.Begin(tb.Context(), plan)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := run.Close(); err != nil {
			tb.Error(err)
		}
	})
	return run
}

func put(tb testing.TB, run *Run, pairs ...match.PairResult) {
	tb.Helper()
	for _, p := range pairs {
		if added, err := run.Add(tb.Context(), p); err != nil || !added {
			tb.Fatalf("pair %d: added %t, %v", p.Pair.ID, added, err)
		}
	}
}

func allGames(tb testing.TB, s *Store, runID int64) []match.Row {
	tb.Helper()
	var games []match.Row
	if err := s.Games(tb.Context(), runID, func(g match.Row) error { games = append(games, g); return nil }); err != nil {
		tb.Fatal(err)
	}
	return games
}

// checkWhole fails unless the database is sound, every pair has all its games and
// every game its moves.
func checkWhole(tb testing.TB, s *Store, runID int64) {
	tb.Helper()
	var verdict string
	if err := s.read.QueryRowContext(tb.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		tb.Errorf("integrity_check: %s %v", verdict, err)
	}
	// One statement sees one moment, whatever is being written.
	var half int
	if err := s.read.QueryRowContext(tb.Context(), `SELECT count(*) FROM pairs p WHERE 2 <>
		(SELECT count(*) FROM games g JOIN records r ON r.game_id = g.id WHERE g.run_id = p.run_id AND g.pair = p.pair)`).Scan(&half); err != nil || half > 0 {
		tb.Errorf("%d pairs are not whole, %v", half, err)
	}
	legs := map[int]int{}
	for _, g := range allGames(tb, s, runID) {
		if g.Leg != legs[g.Pair] {
			tb.Errorf("pair %d: leg %d comes as number %d", g.Pair, g.Leg, legs[g.Pair])
		}
		legs[g.Pair]++
		record, err := s.Record(tb.Context(), runID, g.Pair, g.Leg)
		if err != nil || len(record.Moves) != g.Plies {
			tb.Errorf("pair %d, leg %d: %d plies instead of %d, %v", g.Pair, g.Leg, len(record.Moves), g.Plies, err)
		}
	}
	for pair, n := range legs {
		if n != 2 {
			tb.Errorf("pair %d: %d games", pair, n)
		}
	}
}

// The second process: it opens the database, begins the run "killed" and, in the
// mode "put", stores pair after pair until it is killed, each number on its
// standard output once it is acknowledged. In the mode "hold" it just holds the
// run until its standard input ends.
const (
	writerEnv     = "GOGI_RESULTS_TEST_WRITER"
	writerModeEnv = "GOGI_RESULTS_TEST_MODE"
)

func writerProcess(path, mode string) {
	act := runWriter
	switch {
	case strings.HasPrefix(mode, "read"):
		act = runReader
	case strings.HasPrefix(mode, "upkeep"):
		act = runUpkeep
	}
	if err := act(path, mode); err != nil {
		_, _ = fmt.Fprintln(os.Stdout, "error:", err) // for the first process, if it still lives
	}
}
