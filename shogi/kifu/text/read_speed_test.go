//go:build unix

package text

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"syscall"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// BenchmarkReadCSA reads games of 115 plies with times, scores and variations, like those in the yearly archives of
// floodgate. The metric games/cpu-s is for one core.
func BenchmarkReadCSA(b *testing.B) {
	for name, pv := range map[string]int{"plain": 0, "variations": 8} {
		b.Run(name, func(b *testing.B) {
			text := bytes.Repeat(append(benchmarkGame(b, pv), "/\n"...), 100)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			games, began := 0, cpuTime(b)
			for b.Loop() {
				r := readCSA(NewInput("file", bytes.NewReader(text)))
				for {
					record, err := r.Next()
					if errors.Is(err, io.EOF) {
						break
					}
					if err != nil || len(record.Moves) != 115 {
						b.Fatal(err)
					}
					games++
				}
			}
			b.ReportMetric(float64(games)/(cpuTime(b)-began).Seconds(), "games/cpu-s")
		})
	}
}

// cpuTime returns the CPU time of this process, which does not depend on the load of the machine.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	testutil.OK(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// benchmarkGame returns always the same legal game.
func benchmarkGame(b *testing.B, pv int) []byte {
	b.Helper()
	p := shogi.StartPos()
	r := &kifu.Record{Black: "A", White: "B", Start: p.SFEN(), Result: kifu.EndResignation, Winner: "black"}
	walk := func(p *shogi.Position, i int) shogi.Move {
		moves := p.LegalMoves(nil)
		slices.Sort(moves)
		m := moves[(i*7919)%len(moves)]
		p.Apply(m)
		return m
	}
	for i := range 115 {
		m := kifu.Move{Move: walk(&p, i), Time: time.Duration(i) * time.Second, HasScore: true, Score: i}
		line := p
		m.PV = []shogi.Move{m.Move}
		for j := range pv {
			if line.HasLegalMove() {
				m.PV = append(m.PV, walk(&line, j))
			}
		}
		r.Moves = append(r.Moves, m)
	}
	return testutil.Must(AppendCSA(nil, r))(b)
}
