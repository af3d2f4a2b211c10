//go:build unix

package selfplay

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/usi"
	"gogi/usi/process"
)

// BenchmarkOverhead measures what self-play costs beside the searches: a block of games of
// fairy-stockfish at 1,000 nodes a move, played and kept, and in turn with that, in the
// same run, the same lines said to the same engine by a loop that does nothing else. Both
// begin with the start of the engine. lost-% is the share of the time that is lost,
// cpu-lost-% is by how much more CPU time this program takes than the loop, as a share of all
// that the loop and its engine take, which a busy machine disturbs less.
func BenchmarkOverhead(b *testing.B) {
	program := "/usr/games/fairy-stockfish"
	if _, err := os.Stat(program); err != nil {
		b.Skip("fairy-stockfish is not installed")
	}
	g := generator(b)
	g.Plan.Rules.MaxPlies = 320
	g.Plan.Players[0].Limits = match.Limits{Nodes: 1000, Stall: match.DefaultStall}
	g.Design.Games, g.Design.Audit = 8, 0
	said := &script{}
	g.Open = func(ctx context.Context) (Player, error) { return openFairy(ctx, program, said) }
	block, err := g.Block(b.Context(), 0)
	testutil.OK(b, err)
	positions := 0
	for i := range block.Games {
		positions += len(block.Games[i].Moves)
	}
	g.Open = func(ctx context.Context) (Player, error) { return openFairy(ctx, program, nil) }
	folder, err := OpenFolder(b.TempDir(), g.Plan, g.Design)
	testutil.OK(b, err)
	var wall, cpu []float64
	rounds := 5
	if testing.Short() {
		rounds = 1
	}
	for b.Loop() {
		for range rounds {
			bare := measure(func() error { return said.replay(program) }, b)
			ours := measure(func() error {
				played, err := g.Block(b.Context(), 0)
				if err == nil {
					err = folder.Put(played)
				}
				return err
			}, b)
			wall = append(wall, 100*(1-bare.wall/ours.wall))
			cpu = append(cpu, 100*(ours.own-bare.own)/(bare.own+bare.engine))
			b.Logf("bare %.2f s, CPU %.3f s and the engine's %.3f s; ours %.2f s, CPU %.3f s and the engine's %.3f s",
				bare.wall, bare.own, bare.engine, ours.wall, ours.own, ours.engine)
		}
	}
	testutil.OK(b, folder.Close())
	slices.Sort(wall)
	slices.Sort(cpu)
	b.ReportMetric(wall[len(wall)/2], "lost-%")
	b.ReportMetric(cpu[len(cpu)/2], "cpu-lost-%")
	b.ReportMetric(float64(positions), "positions")
	b.ReportMetric(0, "ns/op")
}

// openFairy starts the engine; said, where it is not nil, hears what it is told.
func openFairy(ctx context.Context, program string, said *script) (Player, error) {
	conn, err := process.Start(process.Spec{Command: []string{program}, Grace: process.DefaultGrace}, nil)
	if err != nil {
		return nil, err
	}
	config := usi.Config{Name: "fairy"}
	if said != nil {
		config.Tap = said
	}
	e, err := usi.Greet(ctx, conn, config)
	if err != nil {
		return nil, err
	}
	return e, e.Configure([]usi.Setting{{Name: "UCI_Variant", Value: "shogi"}, {Name: "Threads", Value: "1"}, {Name: "USI_Hash", Value: "16"}})
}

// script is what an engine was told, by what was waited for in between.
type script struct {
	mu    sync.Mutex
	parts [][]byte
}

func (s *script) Sent(_ time.Time, text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts = append(s.parts, bytes.Clone(text))
}

func (s *script) Heard(time.Time, []byte)   {}
func (s *script) Game(usi.Game)             {}
func (s *script) Over()                     {}
func (s *script) Failed(usi.Failure) string { return "" }

// answerTo is how the line begins that is waited for after a text; nil: none is.
func answerTo(text []byte) []byte {
	for _, line := range bytes.Split(text, []byte("\n")) {
		switch {
		case bytes.Equal(line, []byte("usi")):
			return []byte("usiok")
		case bytes.Equal(line, []byte("isready")):
			return []byte("readyok")
		case bytes.HasPrefix(line, []byte("go ")):
			return []byte("bestmove")
		}
	}
	return nil
}

// replay says it all to an engine again.
func (s *script) replay(program string) error {
	c := exec.Command(program)
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return err
	}
	lines := bufio.NewReader(out)
	for _, text := range s.parts {
		if bytes.Equal(text, []byte("quit\n")) {
			break
		}
		if _, err := in.Write(text); err != nil {
			return err
		}
		for want := answerTo(text); want != nil; {
			line, err := lines.ReadSlice('\n')
			if err != nil {
				return err
			}
			if bytes.HasPrefix(line, want) {
				break
			}
		}
	}
	if _, err := io.WriteString(in, "quit\n"); err != nil {
		return err
	}
	return c.Wait()
}

// cost is in seconds: of the clock, of this process's CPU time, and of that of the
// processes that it waited for.
type cost struct{ wall, own, engine float64 }

func measure(f func() error, b *testing.B) cost {
	b.Helper()
	own, engine, begun := cpuTime(b, unix.RUSAGE_SELF), cpuTime(b, unix.RUSAGE_CHILDREN), time.Now()
	testutil.OK(b, f())
	return cost{time.Since(begun).Seconds(), cpuTime(b, unix.RUSAGE_SELF) - own, cpuTime(b, unix.RUSAGE_CHILDREN) - engine}
}

func cpuTime(b *testing.B, who int) float64 {
	b.Helper()
	var u unix.Rusage
	testutil.OK(b, unix.Getrusage(who, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
