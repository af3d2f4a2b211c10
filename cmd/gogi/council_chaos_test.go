//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gogi/ensemble/voting"
	"gogi/internal/testutil"
	"gogi/results"
)

var chaosGames = flag.Int("chaos.games", 0, "how many games the council plays whose members are killed; 0: four")

// chaosOfFakes is chaosSeries with fake engines, for short tests. gpsusi needs seconds of CPU time for each start.
const chaosOfFakes = `
games = GAMES
concurrency = 2
players = ["council", "other"]
limits = {nodes = 500}
rules = {max_plies = 60}
[[engine]]
name = "other"
cmd = "fakeengine"
[[engine]]
name = "first"
cmd = "fakeengine -think 40ms"
env = {GOGI_TEST_TAG = "@TAG@"}
[[engine]]
name = "second"
cmd = "fakeengine -think 40ms -moves first"
env = {GOGI_TEST_TAG = "@TAG@"}
[[council]]
name = "council"
rule = "majority"
members = ["first", "second"]
restarts = 1000
`

const chaosSeries = `
games = GAMES
concurrency = 2
players = ["council", "fsf"]
limits = {nodes = 500}
rules = {max_plies = 60}
[[engine]]
name = "fsf"
cmd = "fairy-stockfish"
options = {Threads = 1, Hash = 16}
[[engine]]
name = "first"
cmd = "fairy-stockfish"
options = {Threads = 1, Hash = 16}
env = {GOGI_TEST_TAG = "@TAG@"}
[[engine]]
name = "gps"
command = ["gpsusi", "-N", "1", "--node-count-hard-limit", "500"]
options = {BookDepth = 0}
greeting_timeout = "10m"
limits = {self = true}
env = {GOGI_TEST_TAG = "@TAG@"}
[[council]]
name = "council"
rule = "evaluation"
members = ["first", "gps"]
restarts = 1000
shadow = ["optimistic"]
`

// TestCouncilSurvivesItsMembers kills random members of a council while it plays. No game is lost by that, and every
// vote is recorded. With -long the members are real engines.
func TestCouncilSurvivesItsMembers(t *testing.T) {
	t.Parallel()
	series, games, every := chaosOfFakes, 4, 100*time.Millisecond
	if testutil.Long() {
		realEngines(t)
		series, every = chaosSeries, 700*time.Millisecond
	}
	if *chaosGames > 0 {
		games = *chaosGames
	}
	s := &folder{dir: t.TempDir(), tag: "chaos-" + strconv.Itoa(os.Getpid())}
	text := strings.NewReplacer("GAMES", strconv.Itoa(games), "@TAG@", s.tag).Replace(series)
	testutil.OK(t, os.WriteFile(filepath.Join(s.dir, "series.toml"), []byte(text), 0o600))
	var errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "gogi", "match", "series.toml", "--quiet")
	cmd.Dir, cmd.Stderr = s.dir, &errs
	testutil.OK(t, cmd.Start())
	ctx, stop := context.WithCancel(t.Context())
	killed := make(chan int) // one number, which killAtRandom sends when it stops
	go func() { killed <- killAtRandom(ctx, t, s.tag, every) }()
	err := cmd.Wait()
	stop()
	kills := <-killed
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	dead, decisions := s.votes(t)
	t.Logf("%d members were killed in %d games; %d of %d decisions were made without a member", kills, games, dead,
		decisions)
	testutil.Check(t, kills >= max(1, games/3) && dead != 0,
		"only %d members were killed, %d decisions lacked one: the test shows little", kills, dead)
	out, _, _ := s.gogi(t, "report")
	testutil.Check(t, strings.Contains(out, " of the votes of council lacked a member"),
		"the report does not say that votes lacked a member: %s", out)
	rows := s.gameRows(t)
	testutil.Check(t, len(rows) == games, "%d games are stored", len(rows))
	for _, g := range rows {
		switch g.Termination {
		case "checkmate", "resignation", "repetition", "perpetual_check", "max_plies", "declaration", "impasse":
		default:
			t.Errorf("game %d.%d ended by %s: %s", g.Pair, g.Leg, g.Termination, g.Note)
		}
	}
	s.noneLeft(t)
}

// killAtRandom kills a random tagged process in intervals of about the given length, until ctx ends. It returns the
// number of kills.
func killAtRandom(ctx context.Context, t *testing.T, tag string, every time.Duration) int {
	t.Helper()
	kills := 0
	random := rand.New(rand.NewPCG(1, 2))
	for {
		select {
		case <-ctx.Done():
			return kills
		case <-time.After(every/2 + time.Duration(random.Int64N(int64(every)))):
		}
		list := testutil.Tagged(t, tag)
		if len(list) < 3 {
			continue // the engines are still starting, or the run is over
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(list[random.IntN(len(list))])))
		if err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
			kills++
		}
	}
}

// votes reads every vote record of the run. It returns the number of decisions, and how many lack the ballot of a dead
// member.
func (s *folder) votes(t *testing.T) (dead, decisions int) {
	t.Helper()
	store := testutil.Must(results.OpenExisting(t.Context(), filepath.Join(s.dir, "gogi.db")))(t)
	defer store.Close()
	info := testutil.Must(store.DefaultRun(t.Context(), ""))(t)
	for _, g := range s.gameRows(t) {
		record := testutil.Must(store.Record(t.Context(), info.ID, g.Pair, g.Leg))(t)
		for i, m := range record.Moves {
			if m.Opening || (i%2 == 0) != (g.Black == "council") {
				continue
			}
			var r voting.Record
			if err := json.Unmarshal(m.Detail, &r); err != nil || len(r.Ballots) == 0 && r.By == voting.ByRule {
				t.Fatalf("game %d.%d, ply %d: %v: %s", g.Pair, g.Leg, i+1, err, m.Detail)
			}
			decisions++
			for _, b := range r.Ballots {
				if b.Kind == voting.KindDead {
					dead++
					break
				}
			}
		}
	}
	return dead, decisions
}
