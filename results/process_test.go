package results_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"gogi/internal/testutil"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/resultstest"
)

func runWriter(path, mode string) error {
	ctx := context.Background()
	s, err := results.Open(ctx, path)
	if err != nil {
		return err
	}
	plan := matchtest.Plan("killed")
	if mode == "put" {
		plan.Pairs = 1 << 40
	}
	run, err := s.Begin(ctx, plan)
	if err != nil {
		return err
	}
	finished, err := run.Finished(ctx)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, "began"); err != nil {
		return err
	}
	if mode == "hold" {
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	}
	template := matchtest.Pair(plan, 0, 60)
	var next atomic.Int64
	var g errgroup.Group
	for range 4 {
		g.Go(func() error {
			for {
				pair := template
				pair.Pair = plan.Pair(int(next.Add(1)) - 1)
				if finished[pair.Pair.ID] {
					continue
				}
				pair.Games = append(pair.Games[:0:0], pair.Games...)
				for i := range pair.Games {
					pair.Games[i].Pair, pair.Games[i].Players = pair.Pair.ID, pair.Pair.Game(i).Players
				}
				if _, err := run.Add(ctx, pair); err != nil {
					return err
				}
				if _, err := fmt.Fprintln(os.Stdout, pair.Pair.ID); err != nil {
					return err
				}
			}
		})
	}
	return g.Wait()
}

// startWriter starts the second process and waits until it has begun the run.
func startWriter(t *testing.T, path, mode string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+path, writerModeEnv+"="+mode)
	cmd.Stderr = os.Stderr
	testutil.Must(cmd.StdinPipe())(t)
	out := testutil.Must(cmd.StdoutPipe())(t)
	testutil.OK(t, cmd.Start())
	lines := bufio.NewScanner(out)
	testutil.Require(t, lines.Scan() && lines.Text() == "began", "the second process said %q", lines.Text())
	return cmd, lines
}

// TestKill: every pair that was acknowledged before a kill -9 is stored, and no pair is incomplete. The writer never
// stops by itself, so it is killed while it writes. The next writer resumes the run.
func TestKill(t *testing.T) {
	path := resultstest.Path(t)
	acknowledged := map[int]bool{}
	rounds := testutil.ByLength(2, 4)
	for round := range rounds {
		cmd, lines := startWriter(t, path, "put")
		enough := 10 + 37*round
		for n := 0; lines.Scan(); n++ {
			id, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatalf("the second process said %q", lines.Text())
			}
			testutil.Check(t, !acknowledged[id], "pair %d was played again", id)
			acknowledged[id] = true
			if n == enough { // the loop also reads the rest of the pipe
				readBeside(t, path)
				testutil.OK(t, cmd.Process.Kill())
			}
		}
		resultstest.Killed(t, cmd.Wait())
		if log, err := os.Stat(path + "-wal"); err != nil || log.Size() == 0 {
			t.Errorf("there is no log as a killed writer leaves it: %v", err)
		}
		readBeside(t, path) // a reader recovers the log, too
		s := resultstest.Open(t, path)
		run := resultstest.Begin(t, s, matchtest.Plan("killed")) // the killed process has lost its lock
		finished := testutil.Must(run.Finished(t.Context()))(t)
		for id := range acknowledged {
			testutil.Check(t, finished[id], "round %d: pair %d was acknowledged and is lost", round, id)
		}
		// Pairs that were stored but not acknowledged are not played again either.
		for id := range finished {
			acknowledged[id] = true
		}
		checkWhole(t, s, run.ID())
		testutil.OK(t, run.Close())
	}
	t.Logf("%d pairs in %d rounds", len(acknowledged), rounds)
}

// readBeside reads the database of a running or killed process, as a report does.
func readBeside(t *testing.T, path string) {
	t.Helper()
	s := testutil.Must(results.OpenExisting(t.Context(), path))(t)
	info := testutil.Must(s.FindRun(t.Context(), "killed"))(t)
	games := resultstest.Games(t, s, info.ID)
	testutil.Require(t, len(games) != 0 && len(games) >= 2*info.Finished && len(games)%2 == 0,
		"%d games in %d pairs or more", len(games), info.Finished)
	testutil.OK(t, testutil.Err(s.Record(t.Context(), info.ID, games[0].Pair, 1)))
	now, err := s.FindRun(t.Context(), "killed")
	testutil.Check(t, err == nil && now.Finished >= info.Finished, "%d pairs, then %d, %v", info.Finished, now.Finished,
		err)
	testutil.OK(t, s.Close())
}

func TestSecondProcessIsRefused(t *testing.T) {
	path := resultstest.Path(t)
	cmd, _ := startWriter(t, path, "hold")
	s := resultstest.Open(t, path)
	_, err := s.Begin(t.Context(), matchtest.Plan("killed"))
	testutil.Check(t, errors.Is(err, results.ErrRunLocked) && strings.Contains(err.Error(), `"killed"`),
		"the run of another process: %v", err)
	changed := matchtest.Plan("killed")
	changed.Pairs = 7
	testutil.Is(t, testutil.Err(s.Begin(t.Context(), changed)), results.ErrRunLocked, "the run of another process")
	if info, err := s.FindRun(t.Context(), "killed"); err != nil || info.Pairs != 100 {
		t.Errorf("who was refused changed the target: %+v, %v", info, err)
	}
	// other runs are free
	matchtest.Put(t, resultstest.Begin(t, s, matchtest.Plan("other")), matchtest.Pair(matchtest.Plan("other"), 0, 10))
	killed := make(chan error, 1)
	time.AfterFunc(300*time.Millisecond, func() { killed <- cmd.Process.Kill() })
	resultstest.Begin(t, s, matchtest.Plan("killed")) // a start waits for a process that ends
	testutil.OK(t, <-killed)
	resultstest.Killed(t, cmd.Wait())
}
