//go:build linux

package soak

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"gogi/internal/testutil"
	"gogi/usi/usitest"
)

// scripted lists the faults that engines play by their script, at positions that a match always reaches.
var scripted = []string{
	"engine: exit@go", "engine: illegal@go", "engine: hang@go", "engine: twice@go", "engine: garbage@go",
}

// No disturbance may change the results of these matches. Faults are bound to positions, so that equal games have equal
// faults. The time is much longer than an engine waits for a CPU on a busy machine, and a hang uses it up.
const (
	plain = `
games = 40
concurrency = 2
limits = {byoyomi = "1500ms", margin = "3500ms"}
rules = {name = "default", max_plies = 60}
[[engine]]
name = "faulty"
command = [FAKE, "-think", "1ms", "-mark", "MARK", "-script", "exit@go/150,illegal@go/160,hang@go/400,twice@go/9,garbage@go/31"]
env = ["SOAK_ROLE=engine"]
[[engine]]
name = "good"
command = [FAKE, "-think", "1ms"]
env = ["SOAK_ROLE=engine"]
`
	ponder = `
games = 40
concurrency = 2
ponder = "standard"
limits = {byoyomi = "1500ms", margin = "3500ms"}
rules = {name = "default", max_plies = 60}
[[engine]]
name = "first"
command = [FAKE, "-think", "1ms", "-moves", "first"]
env = ["SOAK_ROLE=engine"]
[[engine]]
name = "key"
command = [FAKE, "-think", "1ms"]
env = ["SOAK_ROLE=engine"]
`
	council = `
games = 40
concurrency = 2
players = ["three", "key"]
limits = {nodes = 60, stall = "30s"}
rules = {name = "default", max_plies = 60}
[[engine]]
name = "one"
cmd = "builtin"
[[engine]]
name = "two"
cmd = "builtin"
options = {Seed = 2}
[[engine]]
name = "fake"
command = [FAKE]
[[engine]]
name = "key"
command = [FAKE, "-think", "1ms"]
env = ["SOAK_ROLE=engine"]
[[council]]
name = "three"
rule = "optimistic"
members = ["one", "two", "fake"]
`
)

// shortGames is the number of games in a short match.
const shortGames = 40

// exactSeries lists the matches that exactly plays in turn.
var exactSeries = []struct{ name, text string }{{"plain", plain}, {"ponder", ponder}, {"council", council}}

// write writes a match file into the working directory.
func (w *world) write(name, text string) {
	fake := usitest.Command()
	quoted := make([]string, len(fake))
	for i, word := range fake {
		quoted[i] = fmt.Sprintf("%q", word)
	}
	text = strings.NewReplacer("FAKE", strings.Join(quoted, ", "), "MARK", w.faults).Replace(text)
	testutil.OK(w.t, os.WriteFile(filepath.Join(w.dir, name+".toml"), []byte(text), 0o600))
}

// references returns a function for the stable dumps of the matches. It plays each match once without a disturbance, at
// the first call.
func (w *world) references() (dump func(name string) string) {
	dumps := map[string]func() string{}
	for _, s := range exactSeries {
		w.write(s.name, s.text)
		dumps[s.name] = sync.OnceValue(func() string {
			db := filepath.Join(w.temp, s.name+".db")
			if _, complaints, code := w.run("match", s.name+".toml", "--db", db, "-q"); code != 0 {
				w.t.Errorf("%s, undisturbed: exit code %d: %s", s.name, code, complaints)
			}
			text := w.dump(db, "--stable")
			if err := os.RemoveAll(db + "-faults"); err != nil {
				w.t.Error(err)
			}
			for _, suffix := range []string{"", "-lock"} {
				if err := os.Remove(db + suffix); err != nil {
					w.t.Error(err)
				}
			}
			return text
		})
	}
	return func(name string) string { return dumps[name]() }
}

// dump returns the stored data of the only run in a database.
func (w *world) dump(db string, how ...string) string {
	out, complaints, code := w.run(append([]string{"db", "dump", "--db", db}, how...)...)
	testutil.Check(w.t, code == 0, "dumping %s: exit code %d: %s", db, code, complaints)
	return out
}

// game is a stored game in the list of gogi games.
type game struct {
	Termination, Note, Outcome, Black, White string
	Pair, Leg                                int
}

// loser returns the player that lost the game, or "".
func (g game) loser() string { return map[string]string{"black": g.White, "white": g.Black}[g.Outcome] }

// whole asserts that every pair of a match is stored once, from the first to the last, and that the database is sound.
// It returns the games.
func (w *world) whole(db string) []game {
	var list struct{ Games []game }
	out, complaints, code := w.run("games", "--db", db, "--json")
	err := json.Unmarshal([]byte(out), &list)
	testutil.Check(w.t, err == nil && code == 0, "games of %s: exit code %d, %v: %s", db, code, err, complaints)
	seen := map[[2]int]int{}
	for _, g := range list.Games {
		seen[[2]int{g.Pair, g.Leg}]++
	}
	for n := range list.Games {
		if at := [2]int{n / 2, n % 2}; seen[at] != 1 {
			w.t.Errorf("%s: game %d.%d is stored %d times", db, at[0], at[1], seen[at])
		}
	}
	if out, complaints, code := w.run("db", "check", "--db", db, "--replay"); code != 0 {
		w.t.Errorf("%s: check: exit code %d: %s%s", db, code, out, complaints)
	}
	return list.Games
}

// countFaults counts the faults that the engines have recorded so far.
func (w *world) countFaults() {
	text, err := os.ReadFile(w.faults)
	testutil.Check(w.t, err == nil || errors.Is(err, fs.ErrNotExist), "%v", err)
	so := map[string]int{}
	for line := range bytes.Lines(text) {
		if what, _, ok := bytes.Cut(line, []byte(" pid ")); ok {
			so["engine: "+string(what)]++
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.Copy(w.tally, so)
}
