package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/report"
	"gogi/report/stored"
)

// realEngines skips the test if Debian's fairy-stockfish and gpsshogi are not installed.
func realEngines(t *testing.T) {
	t.Helper()
	for _, program := range []string{"fairy-stockfish", "gpsusi"} {
		testutil.Installed(t, "GOGI_REAL_ENGINES", program, "fairy-stockfish gpsshogi")
	}
}

// playReal plays a match file and returns its report and games.
func playReal(t *testing.T, text string) (*report.Report, []stored.Game) {
	t.Helper()
	s := &folder{dir: t.TempDir()}
	testutil.OK(t, os.WriteFile(filepath.Join(s.dir, "series.toml"), []byte(text), 0o600))
	if _, errs, code := s.gogi(t, "match", "series.toml"); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	out, errs, _ := s.gogi(t, "report", "--json")
	var r report.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	return &r, s.gameRows(t)
}

const realFSF = `
[[engine]]
name = "fsf"
cmd = "fairy-stockfish"
options = {Threads = 1, Hash = 16}
`

const realGPS = `
[[engine]]
name = "gps"
command = ["gpsusi", "-N", "1", "--node-count-hard-limit", "2000"]
options = {BookDepth = 0}
greeting_timeout = "10m" # it reads for seconds of a CPU first, of which there may be a small share
`

func TestRealEnginesByNodes(t *testing.T) {
	t.Parallel()
	realEngines(t)
	// gpsusi needs seconds of CPU time to start, and a second for some thousand nodes. Only the long test plays it.
	count, plies, nodes, other := 2, 20, "200", strings.NewReplacer("fsf", "other", "16", "32").Replace(realFSF)
	if testutil.Long() {
		count, plies, nodes, other = 4, 80, "2000", realGPS+"limits = {self = true}\n"
	}
	series := fmt.Sprintf("games = %d\nconcurrency = 2\nrules = {max_plies = %d}\nlimits = {nodes = %s}\n", count, plies,
		nodes)
	r, games := playReal(t, series+realFSF+other)
	testutil.Check(t, r.Finished && r.Games == count && len(r.Faults) == 0,
		"finished %v, %d games, faults %v", r.Finished, r.Games, r.Faults)
	for _, g := range games {
		switch g.Termination {
		case "checkmate", "resignation", "repetition", "perpetual_check", "max_plies", "declaration":
		default:
			t.Errorf("game %d.%d ended by %s: %s", g.Pair, g.Leg, g.Termination, g.Note)
		}
		testutil.Check(t, g.Plies >= 10, "game %d.%d has %d plies", g.Pair, g.Leg, g.Plies)
	}
	for _, p := range r.Players {
		testutil.Check(t, p.Depth != nil && p.NodesPerMove != nil && *p.NodesPerMove >= 100 &&
			strings.HasPrefix(p.Identity, "sha256:"),
			"%s: depth %v, nodes a move %v, identity %s", p.Name, p.Depth, p.NodesPerMove, p.Identity)
	}
}

func TestRealEnginesOnTheClock(t *testing.T) {
	testutil.OnlyLong(t, "TestRealEnginesByNodes plays the same engines, and the clock is that of other engines' games")
	realEngines(t)
	// gpsusi counts whole seconds. It exceeded byoyomi 1 s by up to 215 ms.
	r, games := playReal(t, `
games = 2
concurrency = 1
limits = {byoyomi = "1s", margin = "900ms"}
openings = {plies = 4}
rules = {max_plies = 16} # four of the opening; each of the others takes the second that it has
`+realFSF+realGPS)
	testutil.Check(t, len(r.Faults) == 0 && r.Games == 2, "%d games, faults %v", r.Games, r.Faults)
	for _, g := range games {
		testutil.Check(t, g.BlackMS != 0 && g.WhiteMS != 0, "game %d.%d: %v ms and %v ms", g.Pair, g.Leg, g.BlackMS,
			g.WhiteMS)
	}
}

// crasher is an engine that aborts at its first search.
const crasher = `#!/bin/sh
while read -r word rest; do
	case $word in
	usi) echo usiok ;;
	isready) echo readyok ;;
	go) echo "crasher: no search" >&2; kill -ABRT $$ ;;
	quit) exit ;;
	esac
done
`

// TestRealCrash: an engine that aborts loses its games against a real engine, and the notes have the signal and the end
// of stderr.
func TestRealCrash(t *testing.T) {
	t.Parallel()
	testutil.OnlyLong(t, "TestFaultsInPlay has engines that crash so")
	realEngines(t)
	program := filepath.Join(t.TempDir(), "crasher")
	testutil.WriteProgram(t, program, crasher)
	r, games := playReal(t, "games = 2\nconcurrency = 1\nlimits = {nodes = 500}\n"+realFSF+
		"\n[[engine]]\nname = \"crasher\"\ncmd = \""+program+"\"\n")
	testutil.Check(t, len(r.Faults) == 1 && r.Faults[0].Player == "crasher" && r.Faults[0].Kind == "crash" &&
		r.Faults[0].Count == 2,
		"faults %+v", r.Faults)
	for _, g := range games {
		testutil.Check(t, strings.Contains(g.Note, "killed by signal 6 (aborted); stderr: crasher: no search"), "note %q",
			g.Note)
	}
}
