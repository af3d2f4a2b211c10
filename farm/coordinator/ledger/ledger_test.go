package ledger_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/ledger"
	"gogi/internal/lists"
	"gogi/internal/testutil"
)

// book is a ledger with a clock and the workers w0, w1, …
type book struct {
	t *testing.T
	*ledger.Ledger
	now time.Time
}

func newBook(t *testing.T, pairs, workers int, change func(*ledger.Config)) *book {
	t.Helper()
	c := ledger.Config{
		Pairs: pairs, Finished: func(int) bool { return false }, Epochs: ledger.NewEpochs(1), Lease: lease,
		Now: time.Unix(1_000_000, 0),
	}
	if change != nil {
		change(&c)
	}
	b := &book{t: t, Ledger: ledger.New(c), now: c.Now}
	for i := range workers {
		b.Enter(name(i), "s")
	}
	return b
}

func name(i int) string { return fmt.Sprint("w", i) }

func (b *book) grant(worker, n int) []ledger.Lease { return b.Grant(b.now, name(worker), "s", n) }

func (b *book) wait(d time.Duration) { b.now = b.now.Add(d) }

func (b *book) beat(worker int, held ...ledger.Lease) []ledger.Lease {
	dropped, _ := b.Beat(b.now, name(worker), "s", ledger.Listed{Held: held})
	return dropped
}

func (b *book) wants(what string, got []ledger.Lease, pairs ...int) {
	b.t.Helper()
	ids := pairsOf(got)
	testutil.Require(b.t, slices.Equal(ids, pairs), "%s: pairs %v, expected %v", what, ids, pairs)
}

func pairsOf(leases []ledger.Lease) (pairs []int) {
	return lists.Map(leases, func(l ledger.Lease) int { return l.Pair })
}

// TestLowestFirst: the ledger grants a returned pair before a new pair.
func TestLowestFirst(t *testing.T) {
	t.Parallel()
	b := newBook(t, 10, 2, nil)
	first := b.grant(0, 4)
	b.wants("first", first, 0, 1, 2, 3)
	b.Return(b.now, "w0", first[2], false)
	b.Return(b.now, "w0", first[1], false)
	b.wants("then", b.grant(1, 3), 1, 2, 4)
}

// TestSilence: a lease expires if no heartbeat lists it for the time of a lease. A heartbeat one second before the end
// extends it.
func TestSilence(t *testing.T) {
	t.Parallel()
	b := newBook(t, 10, 2, nil)
	held := b.grant(0, 3)
	for range 5 {
		b.wait(lease - time.Second)
		b.wants("dropped", b.beat(0, held[:2]...))
		b.wants("expired in time", b.Expire(b.now))
		held[2].Pair = 2
		if b.wait(time.Second); len(b.Expire(b.now)) > 0 {
			break // no heartbeat listed the third lease
		}
	}
	s := b.State()
	testutil.Require(t, s.Counts.Expired == 1 && s.Held == 2, "%+v", s)
}

// TestANewProcessFreesWhatItHasNot: leases that a new process of a worker does not list end at its first heartbeat.
// They do not end at its hello, because its outbox may have their results.
func TestANewProcessFreesWhatItHasNot(t *testing.T) {
	t.Parallel()
	b := newBook(t, 10, 2, nil)
	held := b.grant(0, 3)
	b.Enter("w0", "s2")
	b.wants("of an older session", b.beat(0, held...), 0, 1, 2)
	b.wants("before it told", b.grant(1, 1), 3)
	dropped, _ := b.Beat(b.now, "w0", "s2", ledger.Listed{Outbox: held[1:2]})
	testutil.Check(t, len(dropped) == 0, "dropped what is in the outbox: %v", dropped)
	b.wants("after it told", b.grant(1, 3), 0, 2, 4)
	if s := b.State(); s.Counts.Replaced != 2 || b.HeldBy("w0") != 1 {
		t.Errorf("%+v, w0 holds %d", s, b.HeldBy("w0"))
	}
}

// TestGrace: after a restart, for the time of a lease, the ledger grants no pair below the highest pair that may be
// held. It adopts the leases that workers report in that time. Afterwards it grants the other pairs.
func TestGrace(t *testing.T) {
	t.Parallel()
	b := newBook(t, 20, 2, func(c *ledger.Config) {
		c.Finished = func(id int) bool { return id < 3 || id == 7 }
		c.Grace = lease
	})
	b.wants("at once", b.grant(1, 2), 8, 9)
	old := []ledger.Lease{{Pair: 4, Epoch: 5}, {Pair: 12, Epoch: 6}}
	b.wants("dropped", b.beat(0, old...))
	b.wants("beyond what was told", b.grant(1, 1), 13)
	b.wait(lease - 1)
	b.wants("still", b.grant(1, 1), 14)
	b.wait(1)
	b.wants("kept", b.beat(0, old...))
	b.wants("then", b.grant(1, 8), 3, 5, 6, 10, 11, 15, 16, 17)
	s := b.State()
	testutil.Check(t, s.Counts.Adopted == 2, "%+v", s)
}

// TestStoredIsTold: the ledger informs a worker that its finished pair is stored. The worker must drop a stored pair
// that it still plays. The ledger does not grant a stored pair.
func TestStoredIsTold(t *testing.T) {
	t.Parallel()
	b := newBook(t, 4, 2, nil)
	held := b.grant(0, 4)
	b.Stored(b.now, 1)
	b.Stored(b.now, 2)
	dropped, stored := b.Beat(b.now, "w0", "s", ledger.Listed{Held: held[:2], Outbox: held[2:3], Sent: held[3:]})
	testutil.Require(t, reflect.DeepEqual(dropped, held[1:2]) && reflect.DeepEqual(stored, held[2:3]),
		"dropped %v, stored %v", dropped, stored)
	b.Leave(b.now, "w0")
	b.wants("left", b.grant(1, 9), 0, 3)
	testutil.Check(t, b.IsStored(1) && !b.IsStored(0) && !b.IsStored(-1) && !b.IsStored(4), "IsStored")
}

// TestSentKeepsAlive: a sent result keeps its lease while it may be in the stream. The result is lost if the stream is
// read to its end more than a lease later.
func TestSentKeepsAlive(t *testing.T) {
	t.Parallel()
	b := newBook(t, 2, 2, nil)
	held := b.grant(0, 2)
	for range 5 {
		dropped, _ := b.Beat(b.now, "w0", "s", ledger.Listed{Outbox: held[:1], Sent: held[1:]})
		b.wants("dropped", dropped)
		b.wait(lease / 2)
		b.wants("expired", b.Expire(b.now))
	}
	if b.Playing("w0") != 0 || b.HeldBy("w0") != 2 || b.Playing("w9") != 0 {
		t.Errorf("w0 plays %d of %d", b.Playing("w0"), b.HeldBy("w0"))
	}
	b.Drained(b.now)
	dropped, _ := b.Beat(b.now, "w0", "s", ledger.Listed{Outbox: held[:1], Sent: held[1:]})
	b.wants("not in the stream", dropped, 1)
	b.wants("again", b.grant(1, 2), 1)
	b.Leave(b.now, "w0")
	s := b.State()
	testutil.Check(t, s.Counts.Lost == 1 && b.Playing("w0") == 0 && b.Playing("w1") == 1, "%+v", s)
}

// TestSentIsLostAfterALease: a result is lost if the stream was read to its end more than a lease after it was sent.
func TestSentIsLostAfterALease(t *testing.T) {
	t.Parallel()
	for drained, lost := range map[time.Duration][]int{time.Second: nil, lease / 2: nil, lease: nil,
		lease + time.Second: {0}} {
		b := newBook(t, 1, 1, nil)
		held := b.grant(0, 1)
		tell := func() []ledger.Lease {
			dropped, _ := b.Beat(b.now, "w0", "s", ledger.Listed{Sent: held})
			return dropped
		}
		b.wants("sent", tell())
		b.wait(drained)
		b.Drained(b.now)
		b.wants(fmt.Sprintf("read to its end %v later", drained), tell(), lost...)
	}
}

// TestRefusedIsPlayedByOthers: the lease of a rejected result is invalid even if its worker lists it. Another worker
// gets the pair.
func TestRefusedIsPlayedByOthers(t *testing.T) {
	t.Parallel()
	b := newBook(t, 3, 2, nil)
	held := b.grant(0, 2)
	b.Refused(b.now, held[0])
	dropped, _ := b.Beat(b.now, "w0", "s", ledger.Listed{Sent: held})
	b.wants("dropped", dropped, 0)
	b.wants("again", b.grant(1, 1), 0)
}

// untilRevoked lets w1 play pairs of ten seconds until the ledger revokes the leases of w0.
func (b *book) untilRevoked(slow ...ledger.Lease) {
	b.t.Helper()
	for b.State().Counts.Revoked == 0 {
		l := b.grant(1, 1)[0]
		b.wait(10 * time.Second)
		b.wants("told to drop", b.beat(0, slow...))
		b.Stored(b.now, l.Pair)
		b.wants("expired", b.Expire(b.now))
	}
}

// TestAnOldLeaseIsRevokedAndNeverRaced: another worker gets the pair only after its holder dropped it or became silent.
func TestAnOldLeaseIsRevokedAndNeverRaced(t *testing.T) {
	t.Parallel()
	b := newBook(t, 1000, 2, nil)
	slow := b.grant(0, 2)
	b.untilRevoked(slow...)
	s := b.State()
	testutil.Require(t, s.P99 >= 10*time.Second && s.P99 <= 11*time.Second && s.Counts.Revoked == 2 && s.Stored >= 100,
		"%+v", s)
	b.wants("told", b.beat(0, slow...), 0, 1)
	b.wants("not raced", b.grant(1, 1), s.Stored+2)
	b.wants("without 0 and 1", b.beat(0))
	b.wait(lease) // w1 is not in the faster half of two workers and must wait
	b.wants("then", b.grant(1, 2), 0, 1)
}

// TestARevokedLeaseMayFinish: the ledger keeps a revoked lease if its holder finishes the pair before it drops it.
func TestARevokedLeaseMayFinish(t *testing.T) {
	t.Parallel()
	b := newBook(t, 1000, 2, nil)
	slow := b.grant(0, 1)
	b.untilRevoked(slow...)
	for range 3 {
		dropped, _ := b.Beat(b.now, "w0", "s", ledger.Listed{Outbox: slow})
		b.wants("dropped", dropped)
		b.wait(lease / 2)
		b.wants("expired", b.Expire(b.now))
	}
}

// TestGapsGoToTheFast: a returned pair goes to the faster half of the workers. Other workers get it after a third of a
// lease, slow workers after two leases.
func TestGapsGoToTheFast(t *testing.T) {
	t.Parallel()
	b := newBook(t, 1000, 4, nil) // w0 is fast, w1 medium, w2 slow, w3 unknown
	for i, each := range []time.Duration{10, 15, 31} {
		for range 8 {
			l := b.grant(i, 1)[0]
			b.wait(each * time.Second)
			b.Stored(b.now, l.Pair)
		}
	}
	// The median of the p95 is that of w1. Twice this median is less than the p95 of w2, so w2 is slow.
	b.wants("a new one", b.grant(0, 1), 24)
	gone := b.grant(3, 5)
	for _, l := range gone {
		b.Return(b.now, "w3", l, false)
	}
	b.wants("fast", b.grant(0, 1), 25)
	b.wants("middling", b.grant(1, 1), 26)
	b.wants("slow", b.grant(2, 1), 30)
	b.wants("not known", b.grant(3, 1), 31)
	b.wait(lease / 3)
	b.wants("not known, later", b.grant(3, 1), 27)
	b.wants("slow, later", b.grant(2, 1), 32)
	b.wait(2*lease - lease/3 - 1)
	b.wants("slow, much later", b.grant(2, 1), 33)
	b.wait(1)
	b.wants("slow, at last", b.grant(2, 1), 28)
}

// TestWindow: the ledger grants no pair beyond the window, even a returned pair after the window shrank. The window
// moves with the prefix.
func TestWindow(t *testing.T) {
	t.Parallel()
	b := newBook(t, 100, 2, nil)
	b.Window(5)
	held := b.grant(0, 9)
	b.wants("the window", held, 0, 1, 2, 3, 4)
	b.Stored(b.now, 1)
	b.wants("a gap", b.grant(1, 9))
	b.Stored(b.now, 0)
	b.wants("moved", b.grant(1, 9), 5, 6)
	b.Window(2)
	b.Leave(b.now, "w0")
	b.wants("shrunk", b.grant(1, 9), 2, 3)
	s := b.State()
	testutil.Check(t, s.Reach == 5 && s.Window == 2 && s.Prefix == 2, "%+v", s)
	for remaining, want := range map[float64]int{0: 64, 639: 64, 641: 64, 10_000: 1000, 1e9: 4096} {
		testutil.Equal(t, ledger.Window(remaining), want, "%v pairs remain: a window of", remaining)
	}
}

// TestOverAndPause: an ended run revokes the pairs in play, accepts finished pairs, and grants nothing. A paused run
// grants nothing and keeps its leases.
func TestOverAndPause(t *testing.T) {
	t.Parallel()
	b := newBook(t, 10, 1, nil)
	held := b.grant(0, 3)
	b.Pause(true)
	b.wants("paused", b.grant(0, 1))
	b.wants("played on", b.beat(0, held...))
	b.Pause(false)
	b.wants("resumed", b.grant(0, 1), 3)
	b.Over(true)
	b.wants("over", b.grant(0, 1))
	dropped, _ := b.Beat(b.now, "w0", "s", ledger.Listed{Held: held[:1], Outbox: held[1:2], Sent: held[2:3]})
	b.wants("dropped", dropped, 0)
}

// TestVoid: the ledger grants a void pair again and ignores earlier leases of it.
func TestVoid(t *testing.T) {
	t.Parallel()
	b := newBook(t, 10, 2, nil)
	held := b.grant(0, 3)
	for id := range 3 {
		b.Stored(b.now, id)
	}
	b.Void(b.now, 1)
	b.Void(b.now, 1)
	b.Void(b.now, 5) // was never stored
	if s := b.State(); s.Prefix != 1 || s.Stored != 2 || b.Take(1) != 1 || b.Take(5) != 0 {
		t.Fatalf("%+v, take %d", s, b.Take(1))
	}
	dropped, _ := b.Beat(b.now, "w0", "s", ledger.Listed{Sent: held[1:2]})
	b.wants("of the take before", dropped, 1)
	again := b.grant(1, 2)
	b.wants("again", again, 1, 3)
	testutil.Check(t, again[0].Take == 1 && again[1].Take == 0, "takes %+v", again)
}

// TestAPairThatKillsWorkers: after three lost leases a pair is played alone. After two more lost workers the ledger
// gives it up. The other pairs are stored.
func TestAPairThatKillsWorkers(t *testing.T) {
	t.Parallel()
	b := newBook(t, 6, 4, nil)
	killed := 0
	for round := 0; len(b.Condemned()) == 0; round++ {
		if round > 200 {
			t.Fatalf("pair 2 is never given up: %+v", b.State())
		}
		worker := round % 4
		b.wait(lease)
		b.Expire(b.now)
		l, granted, wait := b.Solo(b.now, name(worker), "s", worker == 3, 0)
		held := []ledger.Lease{l}
		if !granted {
			testutil.Require(t, !wait, "w%d has nothing and is told to wait", worker)
			held = b.grant(worker, 2)
		}
		if slices.ContainsFunc(held, func(l ledger.Lease) bool { return l.Pair == 2 }) {
			killed++
			continue // the worker stops and loses all its leases
		}
		for _, l := range held {
			b.Stored(b.now, l.Pair)
		}
	}
	testutil.Check(t, killed == 5, "%d workers died: expected 3 and 2", killed)
	s := b.State()
	testutil.Check(t, s.Stored == 5 && s.Condemned == 1 && slices.Equal(b.Condemned(), []int{2}), "%+v", s)
	b.wants("given up", b.grant(0, 9))
	b.Forgive(b.now)
	b.wants("forgiven", b.grant(0, 9), 2)
}

// TestSoloIsAlone: a worker finishes its other pairs before it plays a pair alone, and gets no other pair with it. For
// a while the ledger prefers a trusted machine and avoids the machine of the crash.
func TestSoloIsAlone(t *testing.T) {
	t.Parallel()
	b := newBook(t, 10, 3, nil)
	held := b.grant(0, 2)
	fate := b.Return(b.now, "w0", held[0], true)
	testutil.Require(t, fate == ledger.FateSolo, "fate %v", fate)
	solo := func(worker int, trusted bool, holding int) (granted, wait bool) {
		_, granted, wait = b.Solo(b.now, name(worker), "s", trusted, holding)
		return granted, wait
	}
	if granted, wait := solo(1, false, 0); granted || wait {
		t.Error("a stranger's machine gets it at once")
	}
	if granted, wait := solo(0, true, 1); granted || wait {
		t.Error("where it crashed it is tried again at once")
	}
	if granted, wait := solo(2, true, 3); granted || !wait {
		t.Error("a worker is not emptied for it")
	}
	b.wants("others", b.grant(1, 1), 2)
	if granted, _ := solo(1, true, 0); granted {
		t.Error("two workers are emptied for it")
	}
	if granted, _ := solo(2, true, 0); !granted {
		t.Error("it is not granted to the empty one")
	}
	if _, wait := solo(2, true, 1); !wait {
		t.Error("whoever plays it gets others beside it")
	}
	b.Stored(b.now, 0)
	if granted, wait := solo(2, true, 0); granted || wait {
		t.Error("it is stored, and is granted again")
	}
	b.wait(4 * lease)
	b.Expire(b.now)
	b.wants("on", b.grant(2, 2), 1, 2)
	b.Void(b.now, 0)
	b.wants("what was known against it is forgotten", b.grant(2, 1), 0)
}

// TestApart: a worker that must not play a pair gets the next ones, also the returned ones above it. Others get the
// pair, alone as well.
func TestApart(t *testing.T) {
	t.Parallel()
	b := newBook(t, 10, 3, func(c *ledger.Config) {
		c.Apart = func(_ time.Time, worker string, pair int) bool { return worker == "w0" && pair <= 1 }
	})
	first := b.grant(0, 3)
	b.wants("the first of w0", first, 2, 3, 4)
	b.Return(b.now, "w0", first[1], false)
	b.wants("a returned one", b.grant(0, 1), 3)
	others := b.grant(1, 3)
	b.wants("others", others, 0, 1, 5)
	b.Return(b.now, "w1", others[0], false)
	b.wants("the next of w0", b.grant(0, 1), 6)

	b.Return(b.now, "w1", others[1], true)
	b.wait(4 * lease)
	if _, granted, wait := b.Solo(b.now, "w0", "s", true, 0); granted || wait {
		t.Error("w0 plays pair 1 alone")
	}
	l, granted, _ := b.Solo(b.now, "w2", "s", true, 0)
	testutil.Check(t, granted && l.Pair == 1, "w2 does not play pair 1 alone: %+v", l)
	b.wants("the returned pair", b.grant(1, 1), 0)
}

// TestFreeFor: a pair that one worker must not play is free for others only, wherever the ledger has it.
func TestFreeFor(t *testing.T) {
	t.Parallel()
	free := func(b *book, what string, w0 bool) {
		t.Helper()
		freeFor := ledger.FreeFor(b.Ledger, b.now, "w0")
		testutil.Check(t, b.Free() && ledger.FreeFor(b.Ledger, b.now, "w1"), "%s is not free", what)
		testutil.Check(t, freeFor == w0 && ledger.OnlyForOthers(b.Ledger, b.now, "w0") == !w0, "%s is free for w0: %t",
			what, freeFor)
	}
	apart := map[int]bool{2: true}
	config := func(c *ledger.Config) {
		c.Apart = func(_ time.Time, worker string, pair int) bool { return worker == "w0" && apart[pair] }
	}
	b := newBook(t, 3, 2, config)
	free(b, "one of three pairs", true)
	held := b.grant(1, 2)
	free(b, "the next pair", false)
	b.Return(b.now, "w1", held[0], false)
	free(b, "a returned pair", true)
	held = append(b.grant(1, 2), held[1])
	testutil.Check(t, !b.Free() && !ledger.FreeFor(b.Ledger, b.now, "w1"), "a pair is free although all are held")
	for _, l := range held {
		b.Stored(b.now, l.Pair)
	}
	b.Void(b.now, 2)
	free(b, "a void pair", false)
	b.Void(b.now, 1)
	free(b, "another void pair", true)
	b.Window(1) // from pair 1 on
	apart = map[int]bool{1: true}
	free(b, "the pair of the window", false)
	apart = nil
	b.Pause(true)
	testutil.Check(t, !ledger.FreeFor(b.Ledger, b.now, "w0"), "a pair of a paused run is free")

	b = newBook(t, 4, 2, func(c *ledger.Config) {
		config(c)
		c.Finished = func(pair int) bool { return pair == 3 }
		c.Grace = lease
	})
	apart = map[int]bool{0: true, 1: true}
	b.wants("in the grace time", b.grant(1, 1))
	b.wait(2 * lease)
	free(b, "a pair that was skipped after a restart", true)
	apart[2] = true
	free(b, "a skipped pair", false)
}

// TestFreeForABarredWorker: a worker that gets no pairs has none that is free.
func TestFreeForABarredWorker(t *testing.T) {
	t.Parallel()
	b := newBook(t, 20, 2, func(c *ledger.Config) {
		c.Standing = func(worker string) ledger.Standing {
			return ledger.Standing{Owner: worker, Decides: worker == "w1"}
		}
	})
	for _, l := range b.grant(0, 9) {
		b.Return(b.now, "w0", l, true)
	}
	testutil.Equal(t, len(b.grant(0, 1)), 0, "pairs that w0 gets")
	testutil.Check(t, !ledger.FreeFor(b.Ledger, b.now, "w0") && ledger.FreeFor(b.Ledger, b.now, "w1"),
		"pairs are free for a worker that gets none")
}

// TestAStoredPairIsNotPlayedAlone: the late result of a pair that waits to be played alone ends the wait.
func TestAStoredPairIsNotPlayedAlone(t *testing.T) {
	t.Parallel()
	b := newBook(t, 3, 2, nil)
	held := b.grant(0, 2)
	for _, l := range held {
		fate := b.Return(b.now, "w0", l, true)
		testutil.Require(t, fate == ledger.FateSolo, "pair %d: fate %v", l.Pair, fate)
	}
	b.Stored(b.now, 0)
	s := b.State()
	testutil.Check(t, s.Solo == 1, "%d pairs wait to be played alone, want pair 1 only", s.Solo)
	if l, granted, _ := b.Solo(b.now, "w1", "s", true, 0); !granted || l.Pair != 1 {
		t.Errorf("granted %v: %+v, want pair 1", granted, l)
	}
}

// TestWhatIsFinishedKillsNobody: the ledger neither revokes a finished pair nor plays it alone. Its age and the number
// of its lost leases do not matter.
func TestWhatIsFinishedKillsNobody(t *testing.T) {
	t.Parallel()
	b := newBook(t, 1000, 2, nil)
	for range 5 {
		held := b.grant(0, 1)
		b.Beat(b.now, "w0", "s", ledger.Listed{Outbox: held})
		b.wait(2 * lease)
		b.wants("expired", b.Expire(b.now), 0)
	}
	waits := b.grant(0, 1)
	b.wants("as if nothing were", waits, 0)
	for range 200 {
		l := b.grant(1, 1)[0]
		b.wait(10 * time.Second)
		b.Beat(b.now, "w0", "s", ledger.Listed{Outbox: waits})
		b.Stored(b.now, l.Pair)
		b.Expire(b.now)
	}
	s := b.State()
	testutil.Check(t, s.Counts.Revoked == 0 && s.Solo == 0, "%+v", s)
}

// TestTheLowestIsPlayedAloneFirst: the lowest pair is played alone first. Otherwise a pair beyond the window blocks the
// run for ever.
func TestTheLowestIsPlayedAloneFirst(t *testing.T) {
	t.Parallel()
	b := newBook(t, 3, 2, nil)
	held := b.grant(0, 2)
	b.Return(b.now, "w0", held[1], true)
	b.Return(b.now, "w0", held[0], true)
	b.Window(1)
	if l, granted, _ := b.Solo(b.now, "w1", "s", true, 0); !granted || l.Pair != 0 {
		t.Errorf("granted %v: %v", granted, l)
	}
	b.Stored(b.now, 0)
	if l, granted, _ := b.Solo(b.now, "w1", "s", true, 0); !granted || l.Pair != 1 {
		t.Errorf("then granted %v: %v", granted, l)
	}
}

// TestCrashesOfTwoMachinesCondemn: engine crashes on two machines condemn a pair, even if the workers survive.
func TestCrashesOfTwoMachinesCondemn(t *testing.T) {
	t.Parallel()
	b := newBook(t, 3, 2, nil)
	b.Return(b.now, "w0", b.grant(0, 1)[0], true)
	l, granted, _ := b.Solo(b.now, "w1", "s", true, 0)
	if !granted || b.Return(b.now, "w1", l, true) != ledger.FateVoid {
		t.Fatalf("granted %v, %+v", granted, b.State())
	}
	// On one machine the ledger gives up the pair after six crashes.
	tries := 0
	for b.Condemn(b.now, 0); ; tries++ {
		b.wait(5 * lease)
		l, granted, _ := b.Solo(b.now, "w0", "s", false, 0)
		if !granted {
			l = b.grant(0, 1)[0]
		}
		if b.Return(b.now, "w0", l, true) == ledger.FateVoid {
			break
		}
	}
	if tries != 5 || !slices.Equal(b.Condemned(), []int{0, 1}) {
		t.Errorf("%d tries, given up %v", tries+1, b.Condemned())
	}
}

// TestLostLeasesNeedBoundedMemory: workers of one owner lose 100,000 leases of 10 pairs, by results that do not come,
// by refused results, also of later leases of pairs that they have again, by returns and by silence. The ledger has a
// bounded number of entries, and treats late results as before.
func TestLostLeasesNeedBoundedMemory(t *testing.T) {
	t.Parallel()
	b := newBook(t, 10, 2, func(c *ledger.Config) {
		c.Standing = func(worker string) ledger.Standing { return ledger.Standing{Owner: "mal", Decides: worker == "w1"} }
	})
	size, ways := 0, 4
	for n, lost := 0, 0; lost < 100_000; n++ {
		held := b.grant(0, 9)
		if l, granted, _ := b.Solo(b.now, "w1", "s", true, 0); granted { // a pair that silence has made suspect
			b.Stored(b.now, l.Pair)
			b.Void(b.now, l.Pair)
		}
		switch n % (ways + 1) {
		case 0:
			b.Beat(b.now, "w0", "s", ledger.Listed{Sent: held})
			b.wait(2 * lease)
			b.Drained(b.now)
			dropped, _ := b.Beat(b.now, "w0", "s", ledger.Listed{Sent: held})
			testutil.Require(t, len(dropped) == len(held), "round %d: %d of %d results did not come, and %d leases ended", n,
				len(held), len(held), len(dropped))
		case 1:
			for _, l := range held {
				b.Refused(b.now, l)
			}
		case 2:
			for _, l := range held {
				b.Return(b.now, "w0", l, false)
			}
		case 3:
			b.adopts(held)
		default:
			b.wait(2 * lease)
			b.Expire(b.now)
		}
		b.wait(5 * lease)
		if lost += len(held); lost > 1000 && size == 0 {
			size = b.Size()
		}
	}
	testutil.Check(t, size > 0 && b.Size() <= size+20, "%d entries after 1,000 leases, and %d after 100,000", size,
		b.Size())
	b.Expire(b.now)

	// Late results: of a lease that is lost, of one that is refused, and of a stored pair.
	b.wait(10 * lease)
	lost, refused := ledger.Lease{}, ledger.Lease{}
	for _, l := range b.grant(0, 2) {
		lost, refused = refused, l
	}
	b.Beat(b.now, "w0", "s", ledger.Listed{Sent: []ledger.Lease{lost}})
	b.wait(2 * lease)
	b.Drained(b.now)
	b.wants("a result did not come", b.sent(0, lost), lost.Pair)
	b.Refused(b.now, refused)
	b.wants("a lost lease", b.beat(0, lost), lost.Pair)
	b.wants("a lost lease in the outbox", b.outbox(0, lost))
	b.wants("a refused lease in the outbox", b.outbox(0, refused), refused.Pair)
	b.Stored(b.now, lost.Pair)
	dropped, stored := b.Beat(b.now, "w0", "s", ledger.Listed{Outbox: []ledger.Lease{lost}})
	testutil.Check(t, len(dropped) == 0 && len(stored) == 1, "dropped %v, stored %v", dropped, stored)
	b.Void(b.now, lost.Pair)
	b.wants("of the take before", b.outbox(0, lost), lost.Pair)
	again := b.grant(1, 9)
	testutil.Check(t, slices.Contains(pairsOf(again), lost.Pair) && slices.Contains(pairsOf(again), refused.Pair),
		"granted again: %v", again)
	b.wants("the next leases of these pairs", b.beat(1, again...))

	for pair := range 10 {
		b.Stored(b.now, pair)
		b.Refused(b.now, ledger.Lease{Pair: pair, Epoch: lost.Epoch}) // its result was late, and wrong
	}
	b.wait(10 * lease)
	b.Expire(b.now)
	b.Free() // it removes the gaps of stored pairs
	testutil.Equal(t, b.Size(), 3, "entries after the end: two workers, and the owner who does not decide")
}

// adopts lets leases of finished pairs of w0 expire. Then w1 gets the pairs and is silent, too, and w0 has them again.
// The results of w1 that are refused afterwards do not end the leases of w0.
func (b *book) adopts(held []ledger.Lease) {
	b.t.Helper()
	silent := func(worker int, leases []ledger.Lease) {
		b.Beat(b.now, name(worker), "s", ledger.Listed{Outbox: leases})
		b.wait(2 * lease)
		b.Expire(b.now)
	}
	silent(0, held)
	later := b.grant(1, 9)
	silent(1, later)
	for range 2 {
		dropped, _ := b.Beat(b.now, "w0", "s", ledger.Listed{Outbox: held})
		b.wants("leases that w0 has again", dropped)
		for _, l := range later {
			b.Refused(b.now, l)
		}
	}
	for _, l := range held {
		testutil.Require(b.t, b.Holds("w0", l.Pair), "w0 does not have pair %d again", l.Pair)
		b.Return(b.now, "w0", l, false)
	}
}

// TestAnExpiredLeaseIsHeldAgain: a worker has its expired lease again, after a later lease of the pair has expired,
// too. The rejected result of the later lease does not end it, nor a second expiry. Its own rejected result ends it.
func TestAnExpiredLeaseIsHeldAgain(t *testing.T) {
	t.Parallel()
	b := newBook(t, 1, 2, nil)
	expires := func(worker int) ledger.Lease {
		l := b.grant(worker, 1)[0]
		b.wait(2 * lease)
		b.Expire(b.now)
		return l
	}
	first, second := expires(0), expires(1)
	b.wants("the first lease", b.beat(0, first))
	b.Refused(b.now, second)
	b.wants("after the rejected result of the second", b.beat(0, first))
	b.wants("the second lease", b.beat(1, second), 0)
	testutil.Check(t, b.Holds("w0", 0), "w0 does not have the pair")

	b.outbox(0, first)
	b.wait(2 * lease)
	b.Expire(b.now)
	b.wants("after another expiry", b.outbox(0, first))
	testutil.Check(t, b.Holds("w0", 0), "w0 does not have the pair again")
	b.Refused(b.now, first)
	b.wants("after its own rejected result", b.outbox(0, first), 0)
	testutil.Equal(t, b.Held(), 0, "leases")
}

// sent and outbox send a heartbeat that lists one lease, and return the leases that the worker must drop.
func (b *book) sent(worker int, l ledger.Lease) []ledger.Lease {
	dropped, _ := b.Beat(b.now, name(worker), "s", ledger.Listed{Sent: []ledger.Lease{l}})
	return dropped
}

func (b *book) outbox(worker int, l ledger.Lease) []ledger.Lease {
	dropped, _ := b.Beat(b.now, name(worker), "s", ledger.Listed{Outbox: []ledger.Lease{l}})
	return dropped
}

// TestEpochs: an epoch contains the number of its boot. A boot without epochs left grants nothing.
func TestEpochs(t *testing.T) {
	t.Parallel()
	e := ledger.NewEpochs(3)
	b := newBook(t, 5, 1, func(c *ledger.Config) { c.Epochs = e })
	got := b.grant(0, 2)
	if got[0].Epoch != farm.Epoch(3<<32|1) || got[1].Epoch != farm.Epoch(3<<32|2) || e.Left() != 1<<32-3 {
		t.Errorf("%+v, %d left", got, e.Left())
	}
	spent := ledger.NewEpochs(7)
	spent.Spend(1<<32 - 2)
	last := newBook(t, 5, 1, func(c *ledger.Config) { c.Epochs = spent })
	if got := last.grant(0, 3); len(got) != 1 || got[0].Epoch>>32 != 7 {
		t.Errorf("of the last epoch %+v", got)
	}
}
