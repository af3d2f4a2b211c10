//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results"
)

// stopFor is the duration of each suspension.
const stopFor = 1500 * time.Millisecond

// TestASuspendedRunnerStoresNothingOfIt suspends gogi several times while it plays games in eight slots. gogi stores no
// game that was in play at such a time. It plays every pair again that was cut, and reports each cut.
func TestASuspendedRunnerStoresNothingOfIt(t *testing.T) {
	t.Parallel()
	s := &folder{dir: t.TempDir()}
	s.tag = filepath.Base(filepath.Dir(s.dir)) + "-suspended"
	played := testutil.ByLength(32, 64)
	text := fmt.Sprintf(seriesFile, played, 8, byoyomi, `"fakeengine", "-think", "20ms"`, s.tag, s.tag)
	testutil.OK(t, os.WriteFile(filepath.Join(s.dir, "series.toml"), []byte(text), 0o600))
	cmd := exec.CommandContext(t.Context(), "gogi", "match", "series.toml", "--json")
	var said bytes.Buffer
	cmd.Dir, cmd.Stderr = s.dir, &said
	out := testutil.Must(cmd.StdoutPipe())(t)
	testutil.OK(t, cmd.Start())
	events := json.NewDecoder(bufio.NewReader(out))
	var stops [][2]time.Time
	signals := slices.Repeat([]syscall.Signal{syscall.SIGSTOP, syscall.SIGTSTP}, testutil.ByLength(1, 2))
	for _, sig := range signals {
		awaitEvents(t, events, match.EventGame, 6)
		stops = append(stops, suspend(t, cmd.Process, sig))
	}
	unplayed := awaitEvents(t, events, match.EventDone, 1)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	if n := strings.Count(said.String(), "\nstopped: "); n != len(signals)/2 ||
		strings.Count(said.String(), "\ngoing on after ") != n {
		t.Errorf("%d stops were announced, want those by SIGTSTP: %s", n, said.String())
	}
	testutil.Check(t, unplayed != 0, "no event told that a pair was cut")
	s.noneLeft(t)
	games := 0
	for _, row := range s.rows(t) {
		games++
		for _, stop := range stops {
			testutil.Check(t, !row.Started.Before(stop[0]) || !row.Ended.After(stop[1]),
				"game %d.%d, ended by %s (%s), was in play while the program was suspended", row.Pair, row.Leg, row.Termination,
				row.Note)
		}
	}
	testutil.Check(t, games == played, "%d games are stored", games)
}

// awaitEvents reads until n events of a type have come. It returns how many events report a pair that a standstill cut.
func awaitEvents(t *testing.T, events *json.Decoder, of match.EventType, n int) (cut int) {
	t.Helper()
	for n > 0 {
		var e match.Event
		testutil.OK(t, events.Decode(&e))
		if e.Type == of {
			n--
		}
		if e.Kind == match.KindUnplayed && strings.Contains(e.Note, "stood still") {
			cut++
		}
	}
	return cut
}

// suspend stops a process for a while. It returns the first and the last time at which the process was stopped.
func suspend(t *testing.T, p *os.Process, sig syscall.Signal) (stop [2]time.Time) {
	t.Helper()
	testutil.OK(t, p.Signal(sig))
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for asked := time.Now(); stop[0].IsZero() || time.Since(stop[0]) < stopFor; <-tick.C {
		stopped := isStopped(t, p.Pid)
		switch {
		case stopped && stop[0].IsZero():
			stop[0] = time.Now()
		case !stopped && !stop[0].IsZero():
			t.Fatalf("went on after %v without SIGCONT", time.Since(stop[0]))
		case !stopped && time.Since(asked) > time.Minute:
			t.Fatalf("%v did not stop it", sig)
		}
	}
	stop[1] = time.Now()
	testutil.OK(t, p.Signal(syscall.SIGCONT))
	return stop
}

// isStopped reports whether all threads of a process are stopped.
func isStopped(t *testing.T, pid int) bool {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	testutil.Require(t, err == nil && len(files) != 0, "%d threads, %v", len(files), err)
	for _, file := range files {
		status, err := os.ReadFile(file)
		if err == nil && !bytes.Contains(status, []byte("\nState:\tT")) {
			return false
		}
	}
	return true
}

// rows returns the stored games from the database.
func (s *folder) rows(t *testing.T) (rows []match.Row) {
	t.Helper()
	ctx := context.Background()
	store := testutil.Must(results.OpenExisting(ctx, filepath.Join(s.dir, "gogi.db")))(t)
	defer store.Close()
	info, err := store.DefaultRun(ctx, "")
	testutil.OK(t, err)
	err = store.Games(ctx, info.ID, func(r match.Row) error { rows = append(rows, r); return nil })
	testutil.OK(t, err)
	return rows
}
