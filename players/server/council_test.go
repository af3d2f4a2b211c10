package server

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/usi"
)

// TestCouncilIgnoresABrokenCache: the council ignores an unreadable cache and writes it again.
func TestCouncilIgnoresABrokenCache(t *testing.T) {
	t.Parallel()
	g := loadKnown(t, fakes("", "-log LOG"))
	g.say("usi")
	g.until("usiok")
	g.quit()
	if linesWith(g.said, "option name E1_USI_Hash") != 1 || g.file("m1.log") != "" {
		t.Errorf("the member was asked although it was known: %q", g.file("m1.log"))
	}
	files, err := filepath.Glob(filepath.Join(g.dir, "cache", "*.json"))
	testutil.Require(t, err == nil && len(files) == 1, "%d files of the cache: %v", len(files), err)
	whole := testutil.Must(os.ReadFile(files[0]))(t)
	for _, broken := range []string{"", "null", "{", string(whole[:len(whole)/2]),
		strings.Replace(string(whole), `"version":1`, `"version":9`, 1)} {
		testutil.OK(t, os.WriteFile(files[0], []byte(broken), 0o600))
		g.start()
		g.ready()
		g.quit()
		if again, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(again, whole) {
			t.Errorf("after the cache %q it is %q (%v)", broken, again, err)
		}
	}
}

// TestCouncilChangesItsRule: a changed rule takes effect at the next isready, in the same processes.
func TestCouncilChangesItsRule(t *testing.T) {
	t.Parallel()
	g := loadKnown(t, fakes(`rule = {name = "adoption", reward = "voters"}`, "-replay 7g7f -infos 2 -log LOG",
		"-replay 2g2f", "-replay 2g2f"), Config{Log: "votes"})
	g.ready("setoption name Rule value adoption", "setoption name RuleKeys value reward=voters")
	g.say("position startpos", "go nodes 1")
	g.until("bestmove 2g2f")
	g.say("setoption name Rule value optimistic", "go nodes 1")
	g.until("bestmove 2g2f")
	g.say("isready")
	g.until("readyok")
	g.say("go nodes 1")
	g.until("bestmove 7g7f")
	g.say("setoption name RuleKeys value reward=nobody", "setoption name Rule value adoption", "isready")
	g.until(`info string error: options Rule and RuleKeys: rule adoption: reward = "nobody"`)
	g.say("setoption name RuleKeys value reward=top", "setoption name TieBreak value loudest")
	g.until(`info string error: option TieBreak: there is no tie-break "loudest"`)
	g.say("setoption name TieBreak value member", "isready")
	g.until("readyok")
	g.say("go nodes 1")
	g.until("bestmove 2g2f")
	g.quit()
	var rules []string
	for _, v := range g.votes("votes") {
		rules = append(rules, v.Rule)
	}
	testutil.Slices(t, []string{"adoption:reward=voters", "adoption:reward=voters", "optimistic", "adoption"}, rules,
		"rules")
	n := strings.Count(g.file("m1.log"), "usi\n")
	testutil.Check(t, n == 1, "the member was started %d times", n)
}

// TestCouncilOfCouncils: engines of councils within councils have options with two numbers.
func TestCouncilOfCouncils(t *testing.T) {
	t.Parallel()
	text := fakes("", "-replay 7g7f -log LOG", "-replay 2g2f -log LOG") +
		"[[council]]\nname = \"top\"\nrule = \"majority\"\nmembers = [\"m1\", \"C\"]\n"
	g := loadKnown(t, text)
	g.ready("setoption name E2_1_USI_Hash value 7", "setoption name E1_USI_Hash value 9")
	g.say("position startpos", "go btime 60000 wtime 60000 byoyomi 10000")
	g.until("bestmove")
	g.quit()
	testutil.Check(t, linesWith(g.said, "id name gogi council top") == 1 &&
		linesWith(g.said, "option name E2_2_USI_Hash ") == 1,
		"%q", g.said)
	log := g.file("m1.log")
	for _, want := range []string{"setoption name USI_Hash value 7\n", "setoption name USI_Hash value 9\n",
		"byoyomi 9700\n"} {
		testutil.Contains(t, log, want, "without")
	}
}

// TestRealCouncil plays a short game of two real engines that vote.
func TestRealCouncil(t *testing.T) {
	t.Parallel()
	testutil.OnlyLong(t, "gpsusi takes seconds of a CPU to start; the other tests have engines that answer as it does")
	realEngines(t)
	g := loadKnown(t, `
[[engine]]
name = "fsf"
cmd = "fairy-stockfish"
options = {Threads = 1, Hash = 16}
env = ["GOGI_TEST_TAG=TAG"]
[[engine]]
name = "gps"
command = ["gpsusi", "-N", "1", "--node-count-hard-limit", "500"]
options = {BookDepth = 0}
greeting_timeout = "10m"
env = ["GOGI_TEST_TAG=TAG"]
[[council]]
name = "C"
rule = "optimistic"
members = ["fsf", "gps"]
`, Config{Log: "votes"})
	g.ready("setoption name USI_Hash value 64", "setoption name USI_Ponder value false")
	testutil.Check(t, linesWith(g.said, "option name E1_") != 0 && linesWith(g.said, "option name E2_") != 0,
		"no members' options: %q", g.said)
	for _, line := range g.said {
		shogiHomeOption(t, line)
	}
	position := "position startpos moves"
	const plies = 2
	for range plies {
		g.say(strings.TrimSuffix(position, " moves"), "go btime 0 wtime 0 byoyomi 2500")
		if !strings.Contains(position, "moves ") {
			legal(t, "position startpos", last(g.until("bestmove")))
		} else {
			legal(t, position, last(g.until("bestmove")))
		}
		position += " " + usi.ParseBestmove(last(g.said)).Move.String()
	}
	g.say("gameover win")
	g.quit()
	votes := g.votes("votes")
	voted := [2]int{}
	for _, v := range votes {
		for i, b := range v.Ballots {
			if b.Kind == "move" {
				voted[i]++
			}
		}
	}
	testutil.Check(t, len(votes) == plies && min(voted[0], voted[1]) >= plies/2, "%d decisions, %v ballots", len(votes),
		voted)
}

// realEngines skips the test if Debian's fairy-stockfish and gpsshogi are not installed.
func realEngines(t *testing.T) {
	t.Helper()
	for _, program := range []string{"fairy-stockfish", "gpsusi"} {
		testutil.Installed(t, "GOGI_REAL_ENGINES", program, "fairy-stockfish gpsshogi")
	}
}
