//go:build unix

package results

import (
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results/file"
	"gogi/results/tables"
	"gogi/shogi"
)

var scaleGames = flag.Int("scale.games", 20_000,
	"games of the run that BenchmarkScan reads; 1000000 takes a minute to make, and a gigabyte")

// BenchmarkScan reads a long run as reports do. For comparison SQLite alone reads the same columns of the same rows on
// one connection. It also prints the CPU time, because other work on the machine does not change it.
func BenchmarkScan(b *testing.B) {
	s, run := begunAt(b, filepath.Join(b.TempDir(), "gogi.db"), scalePlan(*scaleGames/2))
	fillRun(b, s, run)
	rows := func(b *testing.B) {
		n, before := 0, cpuTime(b)
		for b.Loop() {
			testutil.OK(b, s.Games(b.Context(), run.ID(), func(match.Row) error { n++; return nil }))
		}
		perGame(b, n, cpuTime(b)-before)
	}
	b.Run("rows", rows)
	b.Run("SQLite", func(b *testing.B) {
		n, before := 0, cpuTime(b)
		for b.Loop() {
			n += walk(b, s, run.ID())
		}
		perGame(b, n, cpuTime(b)-before)
	})
	before := cpuTime(b)
	testutil.OK(b, Pack(b.Context(), s))
	packing := cpuTime(b) - before
	b.Run("segments", func(b *testing.B) {
		rows(b)
		b.ReportMetric(float64(packing.Nanoseconds())/float64(*scaleGames), "cpu-ns-packing/game")
	})
}

func perGame(b *testing.B, games int, cpu time.Duration) {
	b.Helper()
	if want := b.N * *scaleGames; games != want {
		b.Fatalf("%d games, want %d", games, want)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(games), "ns/game")
	b.ReportMetric(float64(cpu.Nanoseconds())/float64(games), "cpu-ns/game")
}

// cpuTime returns the CPU time of this process.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	testutil.OK(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// walk makes SQLite read every column that a report reads, and counts the games.
func walk(b *testing.B, s *Store, run int64) (n int) {
	b.Helper()
	total := ""
	for _, c := range new(tables.Game).Columns() {
		total += "+ length(" + c.Name + ")"
	}
	var sum sql.NullInt64
	testutil.OK(b, s.read.QueryRowContext(b.Context(), "SELECT count(*), sum(0"+total+")"+fromGames+"WHERE g.run_id = ?",
		run).Scan(&n, &sum))
	return n
}

// scalePlan returns a plan with a thousand openings, like the opening set of a long run.
func scalePlan(pairs int) *match.Plan {
	plan := matchtest.Plan("scale")
	plan.Pairs, plan.Openings = pairs, nil
	start, err := match.Opening{ID: "0", Start: "startpos"}.Position()
	if err != nil {
		panic(err)
	}
	for _, first := range start.LegalMoves(nil) {
		after := start
		after.Apply(first)
		for _, second := range after.LegalMoves(nil) {
			if len(plan.Openings) < 1000 {
				plan.Openings = append(plan.Openings, match.Opening{
					ID: fmt.Sprint(len(plan.Openings) + 1), Start: "startpos", Moves: []shogi.Move{first, second},
				})
			}
		}
	}
	return plan
}

// fillRun stores the pairs of the plan with the writer's own statements, 10,000 in one transaction. The games have a
// few templates, with different results, sums and hashes of moves. Only their records repeat.
func fillRun(b *testing.B, s *Store, run *Run) {
	b.Helper()
	templates := make([]template, len(run.plan.Openings))
	r := rand.New(rand.NewPCG(7, 7))
	for first := 0; first < run.plan.Pairs; first += 10_000 {
		testutil.OK(b, file.InTx(b.Context(), s.write, func(tx *sql.Tx) error {
			statements := run.stmts.in(b.Context(), tx)
			for id := first; id < min(first+10_000, run.plan.Pairs); id++ {
				pair, err := run.template(templates, id)
				if err == nil {
					err = pair.vary(id, r)
				}
				if err == nil {
					_, err = statements.addPair(b.Context(), pair.rows)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

type template struct {
	rows  *pairRows
	games []*tables.Game
}

// template returns the pair that all numbers with the same remainder share. Its opening may be any opening of the plan.
func (r *Run) template(known []template, id int) (p template, err error) {
	at := &known[id%len(known)]
	if at.rows == nil {
		at.rows, at.games, err = r.rowsAndGames(matchtest.Pair(r.plan, id, 12))
	}
	return *at, err
}

// vary changes a template into the pair with the number id.
func (p template) vary(id int, r *rand.Rand) error {
	p.rows.pair.ID, p.rows.pair.Seed = id, r.Uint64()
	for _, g := range p.games {
		g.Pair, g.MovesHash, g.Plies = id, r.Uint64(), 40+r.IntN(200)
		v := []match.Verdict{
			{Outcome: match.BlackWins, Termination: match.Resignation},
			{Outcome: match.WhiteWins, Termination: match.Resignation},
			{Outcome: match.BlackWins, Termination: match.Declaration}, {Outcome: match.Draw, Termination: match.Repetition},
		}[r.IntN(4)]
		g.Outcome, g.Termination, g.Note, g.Points = v.Outcome, v.Termination, v.Note, [2]float64{0.5, 0.5}
		if winner, decided := v.Outcome.Winner(); decided {
			g.Points = [2]float64{}
			g.Points[winner] = 1
		}
		for c := range g.Sides {
			g.Sides[c] = match.Side{
				Plies: g.Plies / 2, Nodes: uint64(r.IntN(3_000_000)), Time: time.Duration(r.IntN(5_000_000)) * time.Microsecond,
				DepthSum: 12 * g.Plies / 2, DepthPlies: g.Plies / 2,
			}
		}
		g.Marked = r.IntN(1000) == 0
		g.Started = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC).Add(time.Duration(id) * time.Second)
		g.Ended = g.Started.Add(time.Minute)
	}
	return p.rows.replace(p.games)
}
