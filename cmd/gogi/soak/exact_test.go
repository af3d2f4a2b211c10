//go:build linux

package soak

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// bout is one match that the test disturbs until all pairs are played.
type bout struct {
	*world
	name   string // of the match file and the run
	dir    string // contains only the database
	db     string
	random *rand.Rand
	p      *program // the runner at the moment
}

const fillTheDisk = "exact: the disk was full"

// exactDisturbances lists the disturbances that must not change a result. Each function reports whether its disturbance
// has happened, from evidence. If a disturbance ends the runner, the function waits for that end.
var exactDisturbances = map[string]func(*bout) bool{
	"exact: the runner was killed":           (*bout).killRunner,
	"exact: a runner was killed as it began": (*bout).killBeginner,
	"exact: the runner was interrupted, and drained": func(b *bout) bool {
		return b.end("ending after", os.Interrupt)
	},
	"exact: the runner was interrupted twice": func(b *bout) bool {
		return b.end("ending after", os.Interrupt, os.Interrupt)
	},
	"exact: the runner was terminated":                       func(b *bout) bool { return b.end("", syscall.SIGTERM) },
	"exact: the runner stood still":                          (*bout).stopRunner,
	"exact: an engine stood still within its time":           (*bout).stopEngine,
	"exact: the guard was killed":                            (*bout).killGuard,
	"exact: a second runner was refused":                     func(b *bout) bool { return b.refused(b.db) },
	"exact: a second runner was refused behind a symlink":    (*bout).refusedBehindLink,
	"exact: paused and resumed by ctl":                       (*bout).pause,
	"exact: more and fewer slots by ctl":                     (*bout).width,
	"exact: drained by ctl":                                  func(b *bout) bool { return b.ordered("drain") },
	"exact: stopped by ctl":                                  func(b *bout) bool { return b.ordered("stop") },
	"exact: a file of the runner could not grow (ulimit -f)": (*bout).limitFiles,
	fillTheDisk: (*bout).fillDisk,
}

// exactly plays one match after the other, and disturbs each, until its shift is over. It finishes the last match.
func (w *world) exactly(s *shift, reference func(string) string, l *long) {
	random := w.random(1)
	cards := maps.Clone(exactDisturbances)
	if !w.full {
		delete(cards, fillTheDisk)
	}
	deck := newDeck(random, cards)
	for n := 0; s.on(); n++ {
		b := &bout{world: w, name: exactSeries[n%len(exactSeries)].name, dir: filepath.Join(w.disk, fmt.Sprint(n)),
			random: random}
		b.db = filepath.Join(b.dir, "gogi.db")
		if err := os.Mkdir(b.dir, 0o700); err != nil {
			w.t.Error(err)
			return
		}
		l.also(b.db)
		b.play(s, deck)
		l.also("")
		b.judge(reference(b.name))
	}
}

// play starts runners until one of them has played the last pair.
func (b *bout) play(s *shift, deck *deck) {
	for b.t.Context().Err() == nil {
		var err error
		if b.p, err = b.start("match", b.name+".toml", "--db", b.db); err != nil {
			b.t.Error(err)
			return
		}
		for b.playing() && s.on() {
			rest(b.t.Context(), between(b.random, 0, 1500*time.Millisecond))
			card := deck.deal()
			if b.p.isOver() || !exactDisturbances[card](b) {
				deck.again(card)
				continue
			}
			b.happened(card, 1)
		}
		<-b.p.over
		b.alone()
		b.happened("exact: a pair was played again after a standstill", strings.Count(b.p.complaints(), standstill))
		switch code := b.p.ProcessState.ExitCode(); {
		case code == 0:
			return
		case code != 130 && code != -1 && !b.starved():
			b.t.Errorf("%s: exit code %d: %s", b.name, code, b.p.complaints())
			return
		}
	}
}

// standstill is the runner's text about a standstill.
const standstill = "this program stood still"

// starved reports whether the runner ended because it could store nothing more, according to its output.
func (b *bout) starved() bool {
	said := b.p.complaints()
	return strings.Contains(said, "disk is full") || strings.Contains(said, "disk I/O error") ||
		strings.Contains(said, "no space left") || strings.Contains(said, "file too large")
}

// playing waits until games are in play, and reports whether they are.
func (b *bout) playing() bool {
	within(waitLimit, func() bool {
		if b.p.isOver() {
			return true
		}
		conn, err := net.Dial("unix", b.socket())
		if err == nil {
			_ = conn.Close() // no data was sent
		}
		return err == nil
	})
	return !b.p.isOver()
}

func (b *bout) socket() string { return b.db + "." + b.name + ".sock" }

// alone asserts that all processes of a runner end with it.
func (b *bout) alone() {
	within(waitLimit, func() bool { return len(b.p.family()) == 0 })
	for _, pid := range b.p.family() {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // it may just have ended
		b.t.Errorf("%s: the runner has ended, and process %d is left: %q", b.name, pid, line)
	}
}

// ends waits until the runner ends. If it does not end, ends kills it and returns false.
func (b *bout) ends() bool {
	if within(waitLimit, b.p.isOver) {
		return true
	}
	b.t.Errorf("%s: the runner did not end", b.name)
	_ = b.p.Process.Kill() // so that the test can continue
	<-b.p.over
	return false
}

// killRunner kills the runner with SIGKILL.
func (b *bout) killRunner() bool {
	if b.p.Process.Kill() != nil || !b.ends() {
		return false
	}
	status, ok := b.p.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// killBeginner kills a runner, and then the next runner at its start.
func (b *bout) killBeginner() bool {
	if !b.killRunner() {
		return false
	}
	b.alone()
	var err error
	if b.p, err = b.start("match", b.name+".toml", "--db", b.db); err != nil {
		b.t.Error(err)
		return false
	}
	rest(b.t.Context(), between(b.random, 0, 500*time.Millisecond))
	return b.killRunner()
}

// end sends signals. It reports whether the runner ended with unplayed pairs and printed this.
func (b *bout) end(words string, signals ...os.Signal) bool {
	for i, s := range signals {
		if i > 0 && !within(waitLimit, func() bool { return b.p.isOver() || strings.Contains(b.p.complaints(), words) }) {
			return false
		}
		if b.p.Process.Signal(s) != nil {
			break // it has ended
		}
	}
	return b.ends() && b.p.ProcessState.ExitCode() == 130 && strings.Contains(b.p.complaints(), words) &&
		strings.Contains(b.p.complaints(), "interrupted with ")
}

func (b *bout) stopRunner() bool {
	return suspend(b.p.Process.Pid, between(b.random, 1200*time.Millisecond, 2500*time.Millisecond))
}

// stopEngine stops an engine for less than its time for a move.
func (b *bout) stopEngine() bool {
	engines := b.p.with("SOAK_ROLE=engine")
	return len(engines) > 0 && suspend(engines[b.random.IntN(len(engines))],
		between(b.random, 50*time.Millisecond, 500*time.Millisecond))
}

// killGuard kills the guard. The runner starts another guard and reports it: immediately or, if the killed guard was
// new, after a while.
func (b *bout) killGuard() bool {
	guards, before := b.p.called("guard"), b.newGuards()
	return len(guards) == 1 && kill(guards[0]) &&
		within(waitLimit, func() bool { return b.p.isOver() || b.newGuards() > before }) && !b.p.isOver()
}

// newGuards returns how often the runner has reported another guard.
func (b *bout) newGuards() int {
	said := b.p.complaints()
	return strings.Count(said, "another took its place") + strings.Count(said, "the guard process works again")
}

// refused starts a second runner on the same run, and reports whether gogi rejects it. If the first runner has just
// played the last pair, the second runner may start, but it must play nothing.
func (b *bout) refused(db string) bool {
	out, complaints, code := b.run("match", b.name+".toml", "--db", db)
	if code == 1 && strings.Contains(complaints, "being played by another process") {
		return true
	}
	if played := strings.Contains(complaints, " games in "); code != 0 || played || !within(waitLimit, b.p.isOver) {
		b.t.Errorf("%s: a second runner was not refused: exit code %d: %s%s", b.name, code, out, complaints)
	}
	return false
}

func (b *bout) refusedBehindLink() bool {
	elsewhere, err := os.MkdirTemp(b.temp, "elsewhere-")
	if err != nil {
		b.t.Error(err)
		return false
	}
	link := filepath.Join(elsewhere, "other.db")
	err = os.Symlink(b.db, link)
	refused := err == nil && b.refused(link)
	b.holdsOnly(elsewhere, "other.db")
	if err := errors.Join(err, os.RemoveAll(elsewhere)); err != nil {
		b.t.Error(err)
	}
	return refused
}

// order runs gogi ctl, and reports whether the run accepted the order.
func (b *bout) order(words ...string) bool {
	_, complaints, code := b.run(append(append([]string{"ctl", b.name}, words...), "--db", b.db)...)
	ending := func(excuse string) bool { return strings.Contains(complaints, excuse) }
	if code != 0 && !b.p.isOver() && !slices.ContainsFunc(endings, ending) {
		b.t.Errorf("%s: ctl %v: exit code %d: %s", b.name, words, code, complaints)
	}
	return code == 0
}

// endings are the errors of ctl for a run that is just ending.
var endings = []string{"no process on this machine", "the run is not being played", "waiting for the run's answer"}

// pause pauses the run, checks that a new follower sees this, and resumes the run.
func (b *bout) pause() bool {
	if !b.order("pause") {
		return false
	}
	paused := strings.Contains(b.state(), `"paused"`)
	rest(b.t.Context(), between(b.random, 0, time.Second))
	return b.order("resume") && paused
}

// state returns the first event that the run sends to a follower.
func (b *bout) state() string {
	conn, err := net.Dial("unix", b.socket())
	if err != nil {
		return ""
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(waitLimit))
	if _, err := io.WriteString(conn, `{"follow":true}`+"\n"); err != nil {
		return ""
	}
	var state json.RawMessage
	_ = json.NewDecoder(bufio.NewReader(conn)).Decode(&state) // on an error the state is ""
	return string(state)
}

func (b *bout) width() bool {
	return b.order("concurrency", fmt.Sprint(3+b.random.IntN(2))) && b.order("concurrency", "1") &&
		b.order("concurrency", "2")
}

// ordered ends the runner with gogi ctl.
func (b *bout) ordered(verb string) bool {
	return b.order(verb) && b.ends() && b.p.ProcessState.ExitCode() == 130 &&
		strings.Contains(b.p.complaints(), "ended by an order with ")
}

// limitFiles limits the size of the runner's files, so that writes fail with EFBIG.
func (b *bout) limitFiles() bool {
	if unix.Prlimit(b.p.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 8192, Max: 8192}, nil) != nil {
		return false
	}
	return b.ends() && b.p.ProcessState.ExitCode() > 0 && b.starved()
}

// fillDisk fills the file system of the database, and reports whether the runner ended because of this.
func (b *bout) fillDisk() bool {
	ballast := filepath.Join(b.disk, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		b.t.Error(err)
		return false
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	full := errors.Is(err, unix.ENOSPC)
	ended := full && b.ends() && b.p.ProcessState.ExitCode() > 0 && b.starved()
	if err := errors.Join(f.Close(), os.Remove(ballast)); err != nil {
		b.t.Error(err)
	}
	return ended
}

// judge compares the stored games with those of an undisturbed run, and removes the bout's folder.
func (b *bout) judge(want string) {
	if games := b.whole(b.db); len(games) != shortGames {
		b.t.Errorf("%s: %d games are stored", b.db, len(games))
	}
	b.countFaults()
	// unless its pair was cut again
	b.happened("exact: a standstill is on record", strings.Count(b.dump(b.db), standstill))
	if got := b.dump(b.db, "--stable"); got != want {
		b.t.Errorf("%s: the stable dump differs from that of an undisturbed run: %s; it is kept in %s", b.db,
			firstDifference(got, want), b.keep())
	} else {
		b.happened("exact: "+b.name+" ended as if nobody had disturbed it", 1)
	}
	b.holdsOnly(b.dir, "gogi.db", "gogi.db-lock", "gogi.db-faults")
	b.holdsOnly(filepath.Join(b.dir, "gogi.db-faults"), b.name)
	if err := os.RemoveAll(b.dir); err != nil {
		b.t.Error(err)
	}
}

// keep copies the bout's folder to a folder that outlives the test. The crash dumps in it help to explain a game that
// differs.
func (b *bout) keep() string {
	kept, err := os.MkdirTemp("", "gogi-soak-")
	if err == nil {
		err = os.CopyFS(filepath.Join(kept, "bout"), os.DirFS(b.dir))
	}
	if err != nil {
		b.t.Errorf("keeping %s: %v", b.dir, err)
	}
	return kept
}

// firstDifference returns the first line that differs, from the first byte that differs.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			at := 0
			for at < min(len(a[i]), len(b[i])) && a[i][at] == b[i][at] {
				at++
			}
			head := a[i][:min(len(a[i]), 200)]
			return fmt.Sprintf("line %d (%s), from byte %d: %.200s, want %.200s", i+1, head, at, a[i][at:], b[i][at:])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}
