//go:build linux

package runner_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/runner"
	"gogi/usi"
	"gogi/usi/process"
	"gogi/usi/transcript"
	"gogi/usi/usitest"
)

// BenchmarkOverhead measures the CPU time of this process and the wall time that the runner needs for a move. In the
// same rounds, a baseline sends the same commands to the same engines and ignores the answers. The engines answer from
// a table. They start before and end after the measured time.
func BenchmarkOverhead(b *testing.B) {
	for _, t := range []table{{slots: 1, infos: 1}, {slots: 2, infos: 1}, {slots: 8, infos: 1}, {slots: 2, infos: 100}} {
		b.Run(fmt.Sprintf("slots=%d/infos=%d", t.slots, t.infos), func(b *testing.B) {
			t.moves = tableGame(b)
			t.command = usitest.Command("-infos", strconv.Itoa(t.infos), "-replay", strings.Join(t.moves, ","))
			for b.Loop() {
				t.compare(b)
			}
		})
	}
}

const (
	overheadPlies  = 120
	overheadPairs  = 24 // over all slots
	overheadRounds = 9
)

// table holds the games of a benchmark.
type table struct {
	slots, infos int
	moves        []string // of each game
	command      []string // of the engines
}

// way is one way to play all games of a table. The function begin starts the engines and returns two functions: play
// plays the games, end stops the engines.
type way struct {
	name  string
	begin func(b *testing.B, t *table) (play, end func())
}

// setting holds the settings of a measured run.
type setting struct {
	pvPlies int
	logged  bool // the run keeps its dialogues, as gogi match does
	clock   bool // the games have a long time control; without it, one node a move
	heard   bool // the move events have a listener
}

// ways returns the measured ways. Each has one feature more than the way before it.
func ways() []way {
	gogi := func(name string, s setting) way {
		return way{name, func(b *testing.B, t *table) (func(), func()) { return beginRunner(b, t, s) }}
	}
	return []way{
		{"pipes", beginPipes}, // the baseline: a goroutine for each slot, without a runner
		gogi("pv0", setting{}),
		gogi("pv12", setting{pvPlies: 12}),
		gogi("logged", setting{pvPlies: 12, logged: true}),
		gogi("clock", setting{pvPlies: 12, logged: true, clock: true}),
		gogi("heard", setting{pvPlies: 12, logged: true, clock: true, heard: true}),
	}
}

// cost is the cost of a move in microseconds.
type cost struct{ cpu, wall float64 }

// compare measures all ways in turn, in several rounds. Each round begins with another way.
func (t *table) compare(b *testing.B) {
	b.Helper()
	list := ways()
	costs := make([][]cost, len(list))
	rounds := overheadRounds
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		for i := range list {
			at := (round + i) % len(list)
			costs[at] = append(costs[at], t.measure(b, list[at]))
		}
	}
	for i, w := range list {
		cpu, wall := quartiles(costs[i], func(c cost) float64 { return c.cpu }),
			quartiles(costs[i], func(c cost) float64 { return c.wall })
		b.Logf("%-6s  CPU %5.1f µs a move (quartiles %5.1f and %5.1f)  wall %6.1f (%6.1f and %6.1f)",
			w.name, cpu[1], cpu[0], cpu[2], wall[1], wall[0], wall[2])
		b.ReportMetric(cpu[1], w.name+"-µs/move")
	}
	b.ReportMetric(0, "ns/op")
}

// quartiles returns the lower quartile, the median and the upper quartile.
func quartiles(costs []cost, of func(cost) float64) (q [3]float64) {
	v := lists.Map(costs, of)
	slices.Sort(v)
	for i := range q {
		q[i] = v[(i+1)*(len(v)-1)/4]
	}
	return q
}

func (t *table) measure(b *testing.B, w way) cost {
	b.Helper()
	play, end := w.begin(b, t)
	defer end()
	runtime.GC() // so that no way pays for the garbage of the way before it
	before, start := cpuTime(b), time.Now()
	play()
	const moves = overheadPlies * overheadPairs * 2
	return cost{(cpuTime(b) - before) / moves, float64(time.Since(start).Microseconds()) / moves}
}

// cpuTime returns the CPU time of this process in microseconds.
func cpuTime(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	testutil.OK(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Sec+u.Stime.Sec)*1e6 + float64(u.Utime.Usec+u.Stime.Usec)
}

// tableGame returns a legal game of overheadPlies that does not end earlier.
func tableGame(b *testing.B) []string {
	b.Helper()
	for seed := range uint64(1000) {
		rules := match.RulesProfiles()[match.DefaultRules]
		rules.MaxPlies = overheadPlies + 1
		referee := testutil.Must(arbiter.NewReferee(rules, match.Opening{ID: "1", Start: "startpos"}))(b)
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

// asker sends a text to one engine and waits for the line that begins with a word.
type asker func(text []byte, word string) error

// bare plays the games of all slots with two askers for each slot.
func (t *table) bare(b *testing.B, askers [][2]asker) {
	b.Helper()
	positions := t.positions()
	var slots sync.WaitGroup
	for _, engines := range askers {
		slots.Go(func() {
			for range overheadPairs * 2 / t.slots {
				for _, ask := range engines {
					if err := ask([]byte("isready\n"), "readyok"); err != nil {
						b.Error(err)
						return
					}
				}
				for ply, position := range positions {
					if err := engines[ply%2](position, "bestmove"); err != nil {
						b.Error(err)
						return
					}
				}
			}
		})
	}
	slots.Wait()
}

// positions returns the commands that an engine gets for each move.
func (t *table) positions() (list [][]byte) {
	text := "position startpos"
	for i, m := range t.moves {
		list = append(list, []byte(text+"\ngo nodes 1\n"))
		if i == 0 {
			text += " moves"
		}
		text += " " + m
	}
	return list
}

// askOver sends a text that fits into a pipe, and reads until a line begins with word.
func askOver(p *process.Process, r *bufio.Reader, text []byte, word string) error {
	if _, err := p.Write(text); err != nil {
		return err
	}
	for {
		line, err := r.ReadSlice('\n')
		if err != nil || bytes.HasPrefix(line, []byte(word)) {
			return err
		}
	}
}

// beginPipes starts two engines for each slot, as gogi does, and reads in the goroutine that writes.
func beginPipes(b *testing.B, t *table) (play, end func()) {
	b.Helper()
	var started []*process.Process
	var askers [][2]asker
	for range t.slots {
		var pair [2]asker
		for i := range pair {
			p := startProcess(b, t.command)
			started = append(started, p)
			lines := bufio.NewReader(p)
			pair[i] = func(text []byte, word string) error { return askOver(p, lines, text, word) }
			testutil.OK(b, pair[i]([]byte("usi\n"), "usiok"))
		}
		askers = append(askers, pair)
	}
	return func() { t.bare(b, askers) }, func() { closeAll(b, started) }
}

func startProcess(b *testing.B, command []string) *process.Process {
	b.Helper()
	return testutil.Must(process.Start(process.Spec{Command: command}, nil))(b)
}

// closeAll closes all engines at the same time.
func closeAll[T io.Closer](b *testing.B, list []T) {
	b.Helper()
	var ends sync.WaitGroup
	for _, c := range list {
		ends.Go(func() {
			if err := c.Close(); err != nil {
				b.Error(err)
			}
		})
	}
	ends.Wait()
}

// countSink counts plies and drops the games, because other benchmarks measure the store.
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

// kept is a player that outlives the run. Close puts it back into open.
type kept struct {
	*usi.Engine
	open chan<- kept
}

func (k kept) Close() error { k.open <- k; return nil }

// logTap keeps a dialogue in memory.
type logTap struct{ *transcript.Log }

func (logTap) Game(usi.Game)             {}
func (logTap) Over()                     {}
func (logTap) Failed(usi.Failure) string { return "" }

// beginRunner prepares runs of the runner with players that are already open.
func beginRunner(b *testing.B, t *table, s setting) (play, end func()) {
	b.Helper()
	var engines []*usi.Engine
	open := make(chan kept, 2*t.slots) // never closed; it has room for all players of the slots
	for range 2 * t.slots {
		config := usi.Config{Name: "table"}
		if s.logged {
			config.Tap = logTap{transcript.NewLog()}
		}
		e := testutil.Must(usi.Greet(b.Context(), startProcess(b, t.command), config))(b)
		engines = append(engines, e)
		open <- kept{e, open}
	}
	return func() { t.run(b, open, s) }, func() { closeAll(b, engines) }
}

func (t *table) run(b *testing.B, open <-chan kept, s setting) {
	b.Helper()
	rules := match.RulesProfiles()[match.DefaultRules]
	rules.MaxPlies = overheadPlies
	limits := match.Limits{Nodes: 1, Stall: time.Minute}
	if s.clock {
		limits = match.Limits{Clock: match.TimeControl{Main: time.Hour}, Margin: 100 * time.Millisecond}
	}
	plan := &match.Plan{
		Run: "overhead", Rules: rules, Pairs: overheadPairs, Concurrency: t.slots, PVPlies: s.pvPlies, StartParallel: 64,
		Design: match.Design{Kind: match.DesignMatch, Swap: true}, Openings: []match.Opening{{ID: "1", Start: "startpos"}},
		Players: []match.Player{{Name: "A", Command: t.command, Limits: limits},
			{Name: "B", Command: t.command, Limits: limits}},
	}
	sink := &countSink{}
	events := runner.NewEvents("overhead", true)
	events.Listen(s.heard)
	var consumer sync.WaitGroup
	consumer.Go(func() {
		for range events.Stream() {
		}
	})
	err := runner.Run(b.Context(), runner.Config{
		Plan: plan, Sink: sink, Events: events, Source: runner.NewPlanSource(plan, func(int) bool { return false }),
		Open: func(context.Context, match.Player, []int) (runner.Player, error) { return <-open, nil },
	})
	events.Close()
	consumer.Wait()
	if err != nil || sink.plies != overheadPlies*overheadPairs*2 {
		b.Fatalf("%d plies, %v", sink.plies, err)
	}
}
