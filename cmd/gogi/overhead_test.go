//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gogi/match"
	"gogi/match/arbiter"
	"gogi/runner"
	"gogi/usi"
	"gogi/usi/process"
)

// BenchmarkOverhead measures what the runner costs a move: its own CPU time,
// beside that of a bare ping-pong of the same bytes with the same engines in
// the same run, five times in turn. The engines answer from a table. Once somebody
// listens to the moves, and once nobody does.
func BenchmarkOverhead(b *testing.B) {
	for _, concurrency := range []int{2, 8} {
		for _, infos := range []int{1, 100} {
			for _, heard := range []bool{true, false} {
				b.Run(fmt.Sprintf("slots=%d/infos=%d/heard=%v", concurrency, infos, heard), func(b *testing.B) {
					for b.Loop() {
						compareOverhead(b, concurrency, infos, heard)
					}
				})
			}
		}
	}
}

const (
	overheadPlies   = 120
	overheadPairs   = 24
	overheadRepeats = 5
)

func compareOverhead(b *testing.B, concurrency, infos int, heard bool) {
	b.Helper()
	moves := tableGame(b)
	program, err := exec.LookPath("fakeengine")
	if err != nil {
		b.Fatal(err)
	}
	command := []string{program, "-infos", strconv.Itoa(infos), "-replay", strings.Join(moves, ",")}
	var above, runnerCPU, bareCPU, ratio []float64
	for range overheadRepeats {
		bare := measure(b, func() { pingPong(b, command, concurrency, moves) })
		ours := measure(b, func() { runTable(b, command, concurrency, heard) })
		n := float64(overheadPlies * overheadPairs * 2)
		above = append(above, (ours.cpu-bare.cpu)/n)
		runnerCPU = append(runnerCPU, ours.cpu/n)
		bareCPU = append(bareCPU, bare.cpu/n)
		ratio = append(ratio, ours.wall/bare.wall)
	}
	b.ReportMetric(median(above), "µs-above/move")
	b.ReportMetric(median(runnerCPU), "µs-runner/move")
	b.ReportMetric(median(bareCPU), "µs-bare/move")
	b.ReportMetric(median(ratio), "wall-ratio")
	b.ReportMetric(0, "ns/op")
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// cost is in microseconds, cpu of this process alone.
type cost struct{ cpu, wall float64 }

func measure(b *testing.B, f func()) cost {
	b.Helper()
	before, start := cpuTime(b), time.Now()
	f()
	return cost{cpuTime(b) - before, float64(time.Since(start).Microseconds())}
}

func cpuTime(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Sec+u.Stime.Sec)*1e6 + float64(u.Utime.Usec+u.Stime.Usec)
}

// tableGame is a legal game of overheadPlies that does not end before.
func tableGame(b *testing.B) []string {
	b.Helper()
	for seed := range uint64(1000) {
		rules := match.RulesProfiles()[match.DefaultRules]
		rules.MaxPlies = overheadPlies + 1
		referee, err := arbiter.NewReferee(rules, match.Opening{ID: "1", Start: "startpos"})
		if err != nil {
			b.Fatal(err)
		}
		var moves []string
		for len(moves) < overheadPlies {
			p := referee.Position()
			legal := p.LegalMoves(nil)
			m := legal[(p.Key()^seed*0x9e3779b97f4a7c15)%uint64(len(legal))]
			if referee.Play(m).Over() {
				break
			}
			moves = append(moves, m.String())
		}
		if len(moves) == overheadPlies {
			return moves
		}
	}
	b.Fatal("no game of that length")
	return nil
}

// pingPong sends the same positions to the same number of engines and waits for
// the bestmoves, with nothing else.
func pingPong(b *testing.B, command []string, concurrency int, moves []string) {
	b.Helper()
	var positions []string
	text := "position startpos"
	for i, m := range moves {
		positions = append(positions, text+"\ngo nodes 1\n")
		if i == 0 {
			text += " moves"
		}
		text += " " + m
	}
	var slots sync.WaitGroup
	for range concurrency {
		slots.Go(func() {
			var engines [2]*process.Process
			var lines [2]*bufio.Reader
			for i := range engines {
				p, err := process.Start(process.Spec{Command: command}, nil)
				if err != nil {
					b.Error(err)
					return
				}
				defer p.Close()
				engines[i], lines[i] = p, bufio.NewReader(p)
				ask(b, p, lines[i], "usi\n", "usiok")
			}
			for range overheadPairs * 2 / concurrency {
				for i, e := range engines {
					ask(b, e, lines[i], "isready\n", "readyok")
				}
				for ply, position := range positions {
					ask(b, engines[ply%2], lines[ply%2], position, "bestmove")
				}
			}
		})
	}
	slots.Wait()
}

func ask(b *testing.B, w io.Writer, r *bufio.Reader, text, word string) {
	b.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		b.Error(err)
		return
	}
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			b.Error(err)
			return
		}
		if strings.HasPrefix(string(line[:min(len(line), len(word))]), word) {
			return
		}
	}
}

// countSink counts games and drops them: the store is measured elsewhere.
type countSink struct {
	mu    sync.Mutex
	plies int
}

func (c *countSink) Put(_ context.Context, _ runner.Lease, r match.PairResult) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range r.Games {
		c.plies += len(g.Record.Moves)
	}
	return true, nil
}

func (c *countSink) PutAttempt(context.Context, runner.Lease, match.Attempt) error { return nil }

func runTable(b *testing.B, command []string, concurrency int, heard bool) {
	b.Helper()
	rules := match.RulesProfiles()[match.DefaultRules]
	rules.MaxPlies = overheadPlies
	limits := match.Limits{Nodes: 1, Stall: time.Minute}
	plan := &match.Plan{
		Run: "overhead", Rules: rules, Pairs: overheadPairs, Concurrency: concurrency, PVPlies: 12, StartParallel: 64,
		Design: match.Design{Kind: match.DesignMatch, Swap: true}, Openings: []match.Opening{{ID: "1", Start: "startpos"}},
		Players: []match.Player{{Name: "A", Command: command, Limits: limits}, {Name: "B", Command: command, Limits: limits}},
	}
	sink := &countSink{}
	events := runner.NewEvents("overhead", true)
	events.Listen(heard)
	var consumer sync.WaitGroup
	consumer.Go(func() {
		for range events.Stream() {
		}
	})
	err := runner.Run(b.Context(), runner.Config{
		Plan: plan, Sink: sink, Events: events, Source: runner.NewPlanSource(plan, func(int) bool { return false }),
		Open: func(ctx context.Context, p match.Player, _ []int) (runner.Player, error) {
			proc, err := process.Start(process.Spec{Command: p.Command}, nil)
			if err != nil {
				return nil, err
			}
			return usi.Greet(ctx, proc, usi.Config{Name: p.Name})
		},
	})
	events.Close()
	consumer.Wait()
	if err != nil || sink.plies != overheadPlies*overheadPairs*2 {
		b.Fatalf("%d plies, %v", sink.plies, err)
	}
}
