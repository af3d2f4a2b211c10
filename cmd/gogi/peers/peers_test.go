//go:build linux

package peers

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gogi/internal/testutil"
)

// engineWord is the first argument of this program as an engine. The others are the file of a game and the number of
// info lines for each move.
const engineWord = "instant-engine"

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == engineWord {
		text, err := os.ReadFile(os.Args[2])
		infos, wrong := strconv.Atoi(os.Args[3])
		if err = errors.Join(err, wrong); err == nil {
			err = play(os.Stdin, os.Stdout, strings.Fields(string(text)), infos)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// variation is the largest number of plies in the variation of an info line.
const variation = 20

// play is an engine for USI and UCI that plays the moves of a game at once, with some info lines for each move. It
// resigns at the end of the game.
func play(in io.Reader, out io.Writer, game []string, infos int) error {
	ply := 0
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		answer := ""
		switch {
		case len(words) == 0:
		case words[0] == "usi" || words[0] == "uci":
			answer = "id name instant\nid author gogi\n" + words[0] + "ok\n"
		case words[0] == "isready":
			answer = "readyok\n"
		case words[0] == "position":
			ply = 0
			if i := slices.Index(words, "moves"); i >= 0 {
				ply = len(words) - i - 1
			}
		case words[0] == "go":
			rest := append(slices.Clone(game[min(ply, len(game)):]), "resign")
			pv := strings.Join(rest[:min(variation, max(1, len(rest)-1))], " ")
			for i := range infos {
				answer += fmt.Sprintf("info depth %d score cp %d nodes %d time %d pv %s\n", i+1, 35-i, 1733*(i+1), i+1, pv)
			}
			answer += "bestmove " + rest[0] + "\n"
		case words[0] == "quit":
			return nil
		}
		if _, err := io.WriteString(out, answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

// TestPlay: the engine plays the moves of its game in order, whatever the protocol, and resigns at the end.
func TestPlay(t *testing.T) {
	var out strings.Builder
	in := "usi\nisready\nposition startpos\ngo nodes 1\nposition startpos moves 7g7f\ngo\nposition startpos moves 7g7f 3c3d\ngo\nquit\nusi\n"
	testutil.OK(t, play(strings.NewReader(in), &out, []string{"7g7f", "3c3d"}, 1))
	var moves []string
	for line := range strings.Lines(out.String()) {
		if move, ok := strings.CutPrefix(line, "bestmove "); ok {
			moves = append(moves, strings.TrimSpace(move))
		}
	}
	testutil.Slices(t, moves, []string{"7g7f", "3c3d", "resign"})
	testutil.Check(t, strings.Contains(out.String(),
		"usiok\nreadyok\ninfo depth 1 score cp 35 nodes 1733 time 1 pv 7g7f 3c3d\n"), "%s", out.String())
	testutil.Equal(t, strings.Count(out.String(), "usiok"), 1, "lines after quit")
}

const (
	games = 400
	infos = 5
)

// runner is a program that plays a match.
type runner struct {
	name string
	game string                                              // the file of the game that its engines play
	args func(engine []string, concurrency int) (_ []string) // the command line
}

// gogiAs returns the runner for a gogi program.
func gogiAs(name, path string) runner {
	return runner{name, "shogi.game", func(engine []string, concurrency int) []string {
		command := strings.Join(engine, " ")
		return []string{
			path, "match", "--quiet", "--new", "--db", "peers.db", "--openings", "start.sfen", "--engine", "A=" + command,
			"--engine", "B=" + command,
			"--nodes", "1", "--games", strconv.Itoa(games), "--concurrency", strconv.Itoa(concurrency),
		}
	}}
}

func fastchess(path string) runner {
	return runner{"fastchess", "chess.game", func(engine []string, concurrency int) []string {
		args := []string{path}
		for _, name := range []string{"A", "B"} {
			args = append(args, "-engine", "cmd="+engine[0], "name="+name, "args="+strings.Join(engine[1:], " "))
		}
		return append(args, "-each", "nodes=1", "tc=inf", "-rounds", strconv.Itoa(games/2), "-games", "2", "-repeat",
			"-concurrency", strconv.Itoa(concurrency), "-openings", "file=start.epd", "format=epd")
	}}
}

// BenchmarkPeers measures the CPU time of runners for a move of an engine that answers at once. The engines' own time
// does not count. The runners play in turn. They are the gogi of these sources, another gogi if GOGI_BASE names its
// program, and fastchess if it is on the PATH. fastchess plays chess with the same engine program.
func BenchmarkPeers(b *testing.B) {
	if testing.Short() {
		b.Skip("plays thousands of games")
	}
	dir := b.TempDir()
	gogi := filepath.Join(dir, "gogi")
	built, err := exec.CommandContext(b.Context(), "go", "build", "-ldflags=-s -w", "-o", gogi,
		"gogi/cmd/gogi").CombinedOutput()
	testutil.OK(b, err, string(built))
	testutil.OK(b, os.WriteFile(filepath.Join(dir, "start.sfen"), []byte("startpos\n"), 0o600))
	testutil.OK(b, os.WriteFile(filepath.Join(dir, "start.epd"),
		[]byte("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"), 0o600))
	runners := []runner{gogiAs("gogi", gogi)}
	if base := os.Getenv("GOGI_BASE"); base != "" {
		runners = append(runners, gogiAs("base", testutil.Must(filepath.Abs(base))(b)))
	}
	if path, err := exec.LookPath("fastchess"); err == nil {
		runners = append(runners, fastchess(path))
	}
	for _, concurrency := range []int{1, 2} {
		b.Run(fmt.Sprintf("slots=%d", concurrency), func(b *testing.B) {
			costs := map[string][]float64{}
			for b.Loop() {
				for _, r := range runners {
					costs[r.name] = append(costs[r.name], r.cost(b, dir, concurrency))
				}
			}
			for name, list := range costs {
				slices.Sort(list)
				b.ReportMetric(list[len(list)/2], name+"-µs/move")
				b.Logf("%-9s CPU of the runner for a move: median %.1f µs, quartiles %.1f and %.1f, %d rounds",
					name, list[len(list)/2], list[len(list)/4], list[3*len(list)/4], len(list))
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// cost plays a match and returns the runner's CPU time for a move in microseconds.
func (r runner) cost(b *testing.B, dir string, concurrency int) float64 {
	b.Helper()
	file := testutil.Must(filepath.Abs(filepath.Join("testdata", r.game)))(b)
	plies := len(strings.Fields(string(testutil.Must(os.ReadFile(file))(b))))
	args := r.args([]string{testutil.Must(os.Executable())(b), engineWord, file, strconv.Itoa(infos)}, concurrency)
	cmd := exec.CommandContext(b.Context(), args[0], args[1:]...)
	cmd.Dir = dir
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	testutil.OK(b, cmd.Start())
	// An ended process keeps its own CPU time, without that of its children, until Wait.
	testutil.OK(b, unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil))
	cpu := ownCPU(b, cmd.Process.Pid)
	testutil.OK(b, cmd.Wait(), said.String())
	return cpu / float64(games*(plies+1))
}

// ownCPU returns the CPU time that a process has used, in microseconds: the fields 14 and 15 of its stat file, in
// hundredths of a second (proc_pid_stat(5)).
func ownCPU(b *testing.B, pid int) float64 {
	b.Helper()
	text := string(testutil.Must(os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)))(b))
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	user, system := testutil.Must(strconv.Atoi(fields[11]))(b), testutil.Must(strconv.Atoi(fields[12]))(b)
	return float64(user+system) * 1e4
}
