package chaos

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gogi/farm/site"
	"gogi/internal/lists"
	"gogi/internal/testutil"
)

// Each test below is one fault of a farm of real processes, with a proof that the fault happened. At the end the farm
// must have stored the games of one machine, and Judge must find no broken promise.

// The match of these tests has short games, and enough of them for a fault in the middle.
const (
	day      = "day"
	dayGames = 60
)

// daySeries takes longer on two quiet cores than a worker waits before it sends. So when some pairs are stored, others
// are not.
var daySeries = series(day, dayGames, 1200)

// dayDump returns the games that one machine plays, once for all tests.
var dayDump = sync.OnceValues(func() (string, error) {
	gogi, err := program()
	if err != nil {
		return "", err
	}
	db := filepath.Join(scratch, "day.db")
	if out, err := exec.Command(gogi,
		append([]string{"match", "-q", "--db", db}, daySeries...)...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	out, err := exec.Command(gogi, "db", "dump", "--stable", "--db", db, day).Output()
	return string(out), err
})

// play serves a farm with the match daySeries and starts workers.
func (w *world) play(workers ...string) {
	w.t.Helper()
	w.serve()
	w.submit(daySeries)
	for _, name := range workers {
		w.work(name)
	}
}

// ends waits for the end of the match. It judges the history, and compares the stored pairs with those of one machine.
func (w *world) ends() Evidence {
	w.t.Helper()
	w.stored(day, dayGames/2)
	e := w.judge(day, nil)
	local := testutil.Must(dayDump())(w.t)
	w.same(day, local)
	return e
}

// TestChaosOfTheNetwork disconnects a worker for longer than its lease. Packets of both directions are lost, another
// worker gets its pairs, and the worker continues when it is back.
func TestChaosOfTheNetwork(t *testing.T) {
	needChaos(t)
	namespaces(t)
	t.Parallel()
	n := newNetwork(t, 2)
	w := newWorld(t, setting{host: n.host()}, "w0", "w1")
	w.play()
	w.work("w0", n.enter()...)
	if w.next(func(s *site.Step) bool { return s.What == "beat" && len(s.Leases) > 0 }) == nil {
		w.until("the worker beats from its network", func() bool { return w.count("beat", "w0") > 0 })
	}
	n.cut()
	w.work("w1")
	w.until("a pair of the one that is cut off is granted to the other", func() bool { return w.regranted("w0", "w1") })
	to, from := n.heal()
	w.trace.Write(site.Step{What: StepCut, Worker: "w0", Seq: to + from})
	before := w.count("beat", "w0")
	w.until("it is heard of again", func() bool { return w.count("beat", "w0") > before })
	if e := w.ends(); to == 0 || e.CutPackets == 0 || e.Again == 0 {
		t.Errorf("%d packets to the coordinator were dropped, %d from it: %+v", to, from, e)
	}
}

// count returns the number of a worker's steps of a kind.
func (w *world) count(what, worker string) (n int) {
	return lists.Count(w.history().Steps, func(s site.Step) bool { return s.What == what && s.Worker == worker })
}

// regranted reports whether a pair was granted to one worker and later to another.
func (w *world) regranted(from, to string) bool {
	had := map[int]bool{}
	for _, s := range w.history().Steps {
		if s.What != "grant" {
			continue
		}
		for _, l := range s.Leases {
			if s.Worker == to && had[l.Pair] {
				return true
			}
			had[l.Pair] = had[l.Pair] || s.Worker == from
		}
	}
	return false
}

// endsWith waits until a process ends by itself with this code and these words.
func (w *world) endsWith(p *process, name string, code int, words string) {
	w.t.Helper()
	select {
	case <-p.over:
	case <-time.After(waitLimit):
		w.t.Fatalf("%s goes on, expected it to end with %d", name, code)
	}
	text := testutil.Must(os.ReadFile(w.file(name + ".err")))(w.t)
	if got := p.ProcessState.ExitCode(); got != code || !strings.Contains(string(text), words) {
		w.t.Fatalf("%s ended with %d, expected %d and %q", name, got, code, words)
	}
}

// TestChaosOfAFullDatabase fills the volume of the database. The coordinator ends before it acknowledges a result that
// is not stored.
func TestChaosOfAFullDatabase(t *testing.T) {
	fullVolume(t, setting{db: "volume/farm.db"}, "volume", 16<<20, "full")
}

// TestChaosOfAFullJournal fills the volume of the stream. The coordinator ends, because its server would never write
// there again.
func TestChaosOfAFullJournal(t *testing.T) {
	fullVolume(t, setting{extra: "[jetstream]\nmax_bytes = \"8MB\""}, "farm/jetstream", 32<<20,
		"journal can no longer be written")
}

// fullVolume fills a volume of the coordinator, which must end with these words. Workers wait, and no pair is lost once
// the volume has space again.
func fullVolume(t *testing.T, s setting, dir string, bytes int, words string) {
	t.Helper()
	needChaos(t)
	namespaces(t)
	t.Parallel()
	w := newWorld(t, s, "w0", "w1")
	volume(t, w.file(dir), bytes)
	w.play("w0", "w1")
	w.until("pairs are granted, and none can have come back", func() bool { return w.count("grant", "w0") > 0 })
	ballast := fill(t, w.file(dir), 0)
	w.endsWith(w.coordinator, "coordinator", 1, words)
	before := w.finished(day)
	testutil.OK(t, os.Remove(ballast))
	w.serve()
	e := w.ends()
	testutil.Check(t, e.Boots == 2 && before < dayGames/2, "%d were stored when it was full: %+v", before, e)
}

// TestChaosOfAFullOutbox fills the volume of a worker. The worker ends with this reason, and the other worker plays its
// pairs. The first worker plays again once the volume has space.
func TestChaosOfAFullOutbox(t *testing.T) {
	needChaos(t)
	namespaces(t)
	t.Parallel()
	w := newWorld(t, setting{}, "w0", "w1")
	volume(t, w.file("cache-w0"), 8<<20)
	w.play("w0")
	w.until("it has sent something", func() bool { return w.count("delivery", "w0") > 0 })
	ballast := fill(t, w.file("cache-w0"), 0)
	w.endsWith(w.workers["w0"], "w0", 1, "no space left")
	w.work("w1")
	w.until("the other plays what it held", func() bool { return w.regranted("w0", "w1") })
	testutil.OK(t, os.Remove(ballast))
	before := w.count("delivery", "w0")
	w.work("w0")
	w.until("it plays again", func() bool { return w.count("delivery", "w0") > before })
	w.ends()
}

// unjudged kills the coordinator while its journal has results that it could not store, because this test locks the
// database. It returns the number of these messages.
func (w *world) unjudged() (messages int) {
	w.t.Helper()
	db := testutil.Must(sql.Open("sqlite3", "file:"+w.file(w.db)+"?_busy_timeout=20000&_txlock=immediate"))(w.t)
	defer db.Close()
	tx := testutil.Must(db.Begin())(w.t)
	defer func() { _ = tx.Rollback() }() // the transaction changes nothing
	before, since := 0, time.Now()
	w.until("results wait in the journal", func() bool {
		messages = 0
		for _, s := range w.history().Steps {
			switch s.What {
			case "delivery":
				messages++
			case "acked":
				messages = 0
			}
		}
		if messages != before { // the coordinator still acknowledges earlier results
			before, since = messages, time.Now()
		}
		return messages > 0 && time.Since(since) > time.Second
	})
	w.killCoordinator()
	return messages
}

// TestChaosOfALostJournal deletes the journal with results that are not judged, the tests and the count of boots. The
// copy restores the tests, and workers play the lost pairs again.
func TestChaosOfALostJournal(t *testing.T) {
	needChaos(t)
	t.Parallel()
	w := newWorld(t, setting{}, "w0", "w1")
	w.play("w0", "w1")
	w.stored(day, 5)
	lost := w.unjudged()
	testutil.OK(t, os.RemoveAll(w.file("farm/jetstream")))
	w.serve()
	e := w.ends()
	t.Logf("%d messages were lost: %+v", lost, e)
	testutil.Check(t, e.Redeliver == 0, "a message came again out of a journal that was lost: %+v", e)
}

// TestChaosOfADamagedJournal flips a byte in each file of the journal, which has results that are not judged.
func TestChaosOfADamagedJournal(t *testing.T) {
	needChaos(t)
	t.Parallel()
	w := newWorld(t, setting{}, "w0", "w1")
	w.play("w0", "w1")
	w.stored(day, 5)
	waiting := w.unjudged()
	flipped := w.flip("farm/jetstream")
	w.serve()
	e := w.ends()
	t.Logf("%d messages waited, bytes of %d files were flipped: %+v", waiting, flipped, e)
	testutil.Check(t, flipped != 0, "nothing was flipped")
}

// flip changes a byte in the middle of each message file in a folder, and returns the number of files.
func (w *world) flip(dir string) (files int) {
	w.t.Helper()
	err := filepath.Walk(w.file(dir), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() || filepath.Ext(path) != ".blk" || info.Size() == 0 {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			text[len(text)/2] ^= 0x55
			files++
			err = os.WriteFile(path, text, 0o600)
		}
		return err
	})
	testutil.OK(w.t, err)
	return files
}

// TestChaosOfARestore deletes everything except a backup. Workers play later results again. The farm uses no number of
// a grant twice, and workers with results of the old farm continue.
func TestChaosOfARestore(t *testing.T) {
	needChaos(t)
	t.Parallel()
	w := newWorld(t, setting{}, "w0", "w1")
	w.play("w0")
	w.stored(day, 4)
	w.run("farm", "backup", "backups", "--state", "farm", "--db", w.db)
	files, err := filepath.Glob(w.file("backups/*.tar"))
	testutil.Require(t, err == nil && len(files) == 1, "%v, %v", files, err)
	saved := w.finished(day)
	w.work("w1")
	w.stored(day, saved+10)
	w.killCoordinator()
	before := w.finished(day)
	for _, name := range []string{"farm", "farm.db"} {
		testutil.OK(t, os.RemoveAll(w.file(name)))
	}
	w.run("farm", "restore", files[0], "--state", "farm")
	w.db = "farm/farm.db"
	w.settings("farm", "")
	got := w.finished(day)
	testutil.Check(t, got < before, "the backup has %d pairs, and %d were stored when all was lost", got, before)
	w.serve()
	e := w.ends()
	testutil.Check(t, e.Boots == 2 && e.Again != 0, "nothing was played again: %+v", e)
}

// TestChaosOfARevokedKey revokes a worker's key while the worker plays. The worker ends with code 4. Its earlier
// results count, and no later ones (I9).
func TestChaosOfARevokedKey(t *testing.T) {
	needChaos(t)
	t.Parallel()
	w := newWorld(t, setting{}, "w0", "w1")
	w.play("w0")
	w.until("it has sent something", func() bool { return w.count("delivery", "w0") > 0 })
	w.run("farm", "key", "revoke", "w0", "--why", "lost", "--state", "farm")
	w.endsWith(w.workers["w0"], "w0", 4, "")
	w.trace.Write(site.Step{What: StepRevoked, Worker: "w0"})
	w.work("w0")
	w.endsWith(w.workers["w0"], "w0", 4, "")
	w.work("w1")
	e := w.ends()
	by := 0
	for _, p := range w.run1(day).Stored {
		if p.Worker == "w0" {
			by++
		}
	}
	testutil.Check(t, e.Revoked != 0 && by != 0, "%d pairs of it count: %+v", by, e)
}

// TestChaosOfShares requires that one of two waiting tests gets three times the other's share of a thousand grants
// (I8).
func TestChaosOfShares(t *testing.T) {
	needChaos(t)
	t.Parallel()
	w := newWorld(t, setting{}, twinName)
	w.serve()
	w.submit(series("big", 4000, 100))
	w.submit(series("small", 4000, 200))
	w.run("farm", "set", "big", "--share", "3", "--creds", "boss.creds")
	w.run("farm", "set", "small", "--share", "1", "--creds", "boss.creds")
	v := w.twin(twinName)
	for all := 0; all < 1100; all += 8 {
		v.back(v.want(8))
	}
	w.coordinator.end(os.Interrupt)
	wrong, err := Shares(w.history(),
		[]Share{{Run: w.run1("big").Digest, Part: 3}, {Run: w.run1("small").Digest, Part: 1}})
	testutil.Check(t, err == nil && len(wrong) == 0, "%v %q", err, wrong)
}
