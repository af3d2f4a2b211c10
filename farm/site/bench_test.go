//go:build unix

package site_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/farm/site"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results"
	"gogi/runner"
	"gogi/shogi"
	"gogi/usi"
)

// The size of a benchmark's run, of its pairs' games, and of a worker's messages.
const (
	judgedPairs = 512
	judgedPlies = 126
	perMessage  = 8
)

// BenchmarkJudged is the coordinator's CPU time for a pair, whole: two games of 126 plies
// with scores and variations are taken from a stream that is on the disk, signature and
// lease are looked at, every move is replayed, the pair is stored durably and acknowledged.
// The results are in the stream before the coordinator starts, so that no worker's time is
// in it; its own start is. Beside it, in the same run: the same pairs added to a durable
// database alone, eight at a time.
func BenchmarkJudged(b *testing.B) {
	b.Run("farm", func(b *testing.B) {
		for b.Loop() {
			dir := b.TempDir()
			p := fill(b, dir)
			began := cpuTime(b)
			wall := time.Now()
			s := open(b, dir)
			served := serve(b, s)
			for s.Coordinator.Status(b.Context()).Judge.Messages < judgedPairs/perMessage {
				time.Sleep(time.Millisecond) // a benchmark of what others do meanwhile
			}
			spent, took := cpuTime(b)-began, time.Since(wall)
			served()
			if n := stored(b, s, p); n != judgedPairs {
				b.Fatalf("%d pairs are stored", n)
			}
			must(b, s.Close())
			report(b, spent, took)
		}
	})
	b.Run("store", func(b *testing.B) {
		pairs := played(b, walk())
		for b.Loop() {
			store, err := results.Open(b.Context(), filepath.Join(b.TempDir(), "games.db"), results.Durable)
			must(b, err)
			run, err := store.Begin(b.Context(), walk())
			must(b, err)
			began, wall := cpuTime(b), time.Now()
			for i := 0; i < len(pairs); i += perMessage {
				errs := make(chan error, perMessage)
				for _, r := range pairs[i : i+perMessage] {
					go func() {
						_, err := run.Add(b.Context(), r)
						errs <- err
					}()
				}
				for range perMessage {
					must(b, <-errs)
				}
			}
			report(b, cpuTime(b)-began, time.Since(wall))
			must(b, run.Close())
			must(b, store.Close())
		}
	})
}

func report(b *testing.B, cpu, wall time.Duration) {
	b.Helper()
	b.ReportMetric(float64(cpu.Microseconds())/judgedPairs, "cpu-µs/pair")
	b.ReportMetric(float64(wall.Microseconds())/judgedPairs, "wall-µs/pair")
	b.ReportMetric(0, "ns/op")
}

func must(b *testing.B, err error) {
	b.Helper()
	testutil.OK(b, err)
}

// cpuTime is what this process has used.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func open(b *testing.B, dir string) *site.Site {
	b.Helper()
	c := site.Config{Demo: true, Log: slog.New(slog.DiscardHandler)}
	c.Farm.State, c.Farm.Listen, c.Farm.Lease = dir, "127.0.0.1:0", time.Hour
	s, err := site.Open(b.Context(), c)
	must(b, err)
	return s
}

func serve(b *testing.B, s *site.Site) (end func()) {
	b.Helper()
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	return func() {
		b.Helper()
		stop()
		must(b, <-ended)
	}
}

// fill makes a farm with a test that runs, and puts its results into the stream.
func fill(b *testing.B, dir string) *match.Plan {
	b.Helper()
	p := walk()
	s := open(b, dir)
	served := serve(b, s)
	text, err := match.EncodePlan(p)
	must(b, err)
	ask(b, s, "submit", keys.Submit, farm.Submission{Plan: text})
	ask(b, s, "approve", keys.Approve, farm.Order{Run: p.Run})
	served()
	creds, err := s.Issue("w", "w", []keys.Right{keys.Work}, time.Time{}, s.Bus.URL(), s.CA)
	must(b, err)
	sign, err := creds.Sign()
	must(b, err)
	way, err := nats.Dial(creds)
	must(b, err)
	pairs := played(b, p)
	for i := 0; i < len(pairs); i += perMessage {
		batch := farm.Batch{Worker: "w", Session: "s"}
		for _, r := range pairs[i : i+perMessage] {
			pair, err := match.EncodePair(r)
			must(b, err)
			lease := farm.Held{Run: p.Digest(), Pair: r.Pair.ID, Epoch: farm.Epoch(1<<32 + r.Pair.ID)} //nolint:gosec // small
			lease.Token = s.Secret.Token("w", lease)
			batch.Items = append(batch.Items, farm.Item{Lease: lease, Pair: pair})
		}
		body, err := farm.Seal(&batch, sign)
		must(b, err)
		must(b, way.Publish(b.Context(), farm.SubjectResults+"w.0", fmt.Sprint(i), body))
	}
	must(b, way.Close())
	must(b, s.Close())
	return p
}

func ask(b *testing.B, s *site.Site, verb string, right keys.Right, in any) {
	b.Helper()
	creds, err := s.Issue(verb, verb, []keys.Right{right}, time.Time{}, s.Bus.URL(), s.CA)
	must(b, err)
	way, err := nats.Dial(creds)
	must(b, err)
	must(b, way.Request(b.Context(), farm.SubjectAdmin+verb+"."+verb, in, new(any)))
	must(b, way.Close())
}

func stored(b *testing.B, s *site.Site, p *match.Plan) int {
	b.Helper()
	info, err := s.Store.FindRun(b.Context(), p.Run)
	must(b, err)
	finished, err := s.Store.Finished(b.Context(), info.ID)
	must(b, err)
	return len(finished)
}

// walk is a plan of players who walk about for 126 plies.
func walk() *match.Plan {
	p := plan()
	p.Run, p.Pairs = "walk", judgedPairs
	for i := range p.Players {
		p.Players[i].Builtin, p.Players[i].Command = true, nil
	}
	return p
}

func played(b *testing.B, p *match.Plan) (list []match.PairResult) {
	b.Helper()
	all := kept{}
	must(b, runner.Run(b.Context(), runner.Config{
		Plan: p, Source: runner.NewPlanSource(p, func(int) bool { return false }), Sink: all, Concurrency: 1,
		Open: func(context.Context, match.Player, []int) (runner.Player, error) { return &walker{}, nil },
	}))
	for id := range p.Pairs {
		list = append(list, all[id])
	}
	return list
}

type kept map[int]match.PairResult

func (k kept) Put(_ context.Context, _ runner.Lease, r match.PairResult) (bool, error) {
	k[r.Pair.ID] = r
	return true, nil
}

func (kept) PutAttempt(context.Context, runner.Lease, match.Attempt) error { return nil }

// walker plays the moves that its seed chooses, with a score and a variation each.
type walker struct{ seed uint64 }

func (w *walker) NewGame(_ context.Context, g usi.Game) error {
	w.seed = g.Seed
	return nil
}

func (w *walker) Think(_ context.Context, r usi.Request) (usi.Reply, error) {
	at := shogi.StartPos()
	for _, m := range r.Position.Moves {
		at.Apply(m)
	}
	ply := len(r.Position.Moves)
	if ply >= judgedPlies {
		return usi.Reply{Answer: usi.AnswerResign, Text: "resign"}, nil
	}
	moves := at.LegalMoves(nil)
	if len(moves) == 0 {
		return usi.Reply{}, io.ErrUnexpectedEOF
	}
	w.seed = w.seed*6364136223846793005 + 1442695040888963407 // Knuth's MMIX
	m := moves[(w.seed>>33)%uint64(len(moves))]
	info := usi.Info{Depth: 8, Nodes: w.seed >> 48, PV: moves[:min(8, len(moves))]}
	info.PV[0] = m
	return usi.Reply{Answer: usi.AnswerMove, Move: m, Lines: []usi.Info{info}, Exact: info, Nodes: info.Nodes, Elapsed: time.Duration(w.seed >> 44)}, nil
}

func (*walker) GameOver(context.Context, usi.Outcome) error { return nil }
func (*walker) Close() error                                { return nil }
