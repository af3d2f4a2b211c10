//go:build linux

package soak

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"gogi/internal/testutil"
)

// rough is the match whose engines the test kills: alone, behind a wrapper with another child, and as members of a
// council.
const rough = `
games = 150
concurrency = 2
design = "round_robin"
players = ["solid", "wrapped", "trio"]
limits = {nodes = 10, stall = "1s"}
rules = {name = "default", max_plies = 60}
[[engine]]
name = "solid"
command = [FAKE, "-think", "3ms"]
env = ["SOAK_ROLE=solid"]
[[engine]]
name = "wrapped"
command = ["sh", "-c", "sleep 10000 & \"$0\" \"$@\"; exit 0", FAKE, "-think", "3ms"]
env = ["SOAK_ROLE=wrapped"]
[[engine]]
name = "one"
command = [FAKE, "-think", "1ms"]
env = ["SOAK_ROLE=member"]
[[engine]]
name = "two"
command = [FAKE, "-moves", "first", "-think", "1ms"]
env = ["SOAK_ROLE=member"]
[[engine]]
name = "three"
command = [FAKE, "-think", "1ms"]
env = ["SOAK_ROLE=member"]
[[council]]
name = "trio"
rule = "majority"
members = ["one", "two", "three"]
restarts = 1000
`

const roughGames = 150

// roughDisturbances lists the disturbances that may lose games.
var roughDisturbances = map[string]func(*bout) bool{
	"rough: an engine was killed":                func(b *bout) bool { return b.killOne(b.p.with("SOAK_ROLE=solid")) },
	"rough: an engine's wrapper was killed":      func(b *bout) bool { return b.killOne(b.wrappers()) },
	"rough: a member of a council was killed":    func(b *bout) bool { return b.killOne(b.p.with("SOAK_ROLE=member")) },
	"rough: an engine stood still for too long":  (*bout).hangEngine,
	"rough: the runner stood still with engines": (*bout).stopRunner,
}

// roughly plays the match rough repeatedly until its shift is over.
func (w *world) roughly(s *shift) {
	w.write("rough", rough)
	random := w.random(2)
	deck := newDeck(random, roughDisturbances)
	for n := 0; s.on(); n++ {
		b := &bout{world: w, name: "rough", dir: filepath.Join(w.rough, fmt.Sprint(n)), random: random}
		b.db = filepath.Join(b.dir, "gogi.db")
		if err := os.Mkdir(b.dir, 0o700); err != nil {
			w.t.Error(err)
			return
		}
		if !b.playRough(s, deck) {
			return
		}
		b.explain()
	}
}

// playRough starts runners until one of them has played the last pair, and reports whether one has. A runner gives up
// if the test kills the engines of a pair repeatedly before the first move. This happens if they need a long time to
// start.
func (b *bout) playRough(s *shift, deck *deck) bool {
	for b.t.Context().Err() == nil {
		var err error
		if b.p, err = b.start("match", "rough.toml", "--db", b.db, "-q"); err != nil {
			b.t.Error(err)
			return false
		}
		for b.playing() && s.on() {
			rest(b.t.Context(), between(b.random, 200*time.Millisecond, 2*time.Second))
			card := deck.deal()
			if b.p.isOver() || !roughDisturbances[card](b) {
				deck.again(card)
				continue
			}
			b.happened(card, 1)
		}
		<-b.p.over
		b.alone()
		switch code := b.p.ProcessState.ExitCode(); {
		case code == 0:
			return true
		case !strings.Contains(b.p.complaints(), "could not be played"):
			b.t.Errorf("rough: exit code %d: %s", code, b.p.complaints())
			return false
		}
	}
	return false
}

// killOne kills a random process of a list.
func (b *bout) killOne(pids []int) bool {
	return len(pids) > 0 && kill(pids[b.random.IntN(len(pids))])
}

// wrappers returns the shells that started engines.
func (b *bout) wrappers() (pids []int) {
	for _, pid := range b.p.called("-c") {
		if name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); err == nil &&
			strings.TrimSpace(string(name)) != "gogi" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// hangEngine stops an engine until gogi kills it, or for 4 seconds.
func (b *bout) hangEngine() bool {
	engines := b.p.with("SOAK_ROLE=solid")
	if len(engines) == 0 {
		return false
	}
	pid := engines[b.random.IntN(len(engines))]
	if syscall.Kill(pid, syscall.SIGSTOP) != nil {
		return false
	}
	stood := within(waitLimit, func() bool { return stopped(pid) || gone(pid) }) && stopped(pid)
	enough := time.Now().Add(4 * time.Second)
	within(waitLimit, func() bool { return gone(pid) || time.Now().After(enough) })
	_ = syscall.Kill(pid, syscall.SIGCONT) // if it still exists
	return stood
}

// fair has the endings without a fault of an engine, and faulty those with one.
var (
	fair   = []string{"max_plies", "checkmate", "resignation", "repetition", "perpetual_check", "declaration", "impasse"}
	faulty = []string{"crash", "stall"}
)

// explain checks that all games are stored. A game that an engine lost by its fault must have a reason. Such an engine
// must also have a crash dump, and gogi must replay one of them.
func (b *bout) explain() {
	games := b.whole(b.db)
	testutil.Check(b.t, len(games) == roughGames, "rough: %d games are stored", len(games))
	losses, bundles := map[string]int{}, b.bundles()
	for _, g := range games {
		switch {
		case strings.Contains(strings.Join(fair, " "), g.Termination):
		case !strings.Contains(strings.Join(faulty, " "), g.Termination) || g.Note == "" || g.loser() == "":
			b.t.Errorf("rough: game %d.%d ended by %s (%q), lost by %q", g.Pair, g.Leg, g.Termination, g.Note, g.loser())
		default:
			b.happened("rough: a game was lost by a "+g.Termination, 1)
			losses[g.loser()]++
		}
	}
	for _, player := range []string{"solid", "wrapped"} {
		if kept := strings.Count(strings.Join(bundles, "\n"), "/"+player+"-"); kept < min(losses[player], 1) {
			b.t.Errorf("rough: %s lost %d games by its failures, and %d bundles tell of it: %v", player, losses[player], kept,
				bundles)
		}
	}
	if len(bundles) > 0 {
		path := bundles[b.random.IntN(len(bundles))]
		switch out, complaints, code := b.run("check", "--replay", path); code {
		case 0, 10, 11:
			b.happened("rough: a bundle was said to its engine again", 1)
		default:
			b.t.Errorf("replay %s: exit code %d: %s%s", path, code, out, complaints)
		}
	}
	b.holdsOnly(b.dir, "gogi.db", "gogi.db-lock", "gogi.db-faults")
	b.holdsOnly(filepath.Join(b.dir, "gogi.db-faults"), "rough")
	testutil.OK(b.t, os.RemoveAll(b.dir))
	b.happened("rough: a series ended with every loss explained", 1)
}

// bundles returns the crash dumps of the run.
func (b *bout) bundles() []string {
	list, _ := filepath.Glob(filepath.Join(b.db+"-faults", "rough", "*")) // the pattern is valid
	for _, path := range list {
		testutil.Equal(b.t, filepath.Ext(path), ".jsonl", "a file is left: %s", path)
	}
	return list
}
