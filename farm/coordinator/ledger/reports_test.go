package ledger_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gogi/farm/coordinator/ledger"
	"gogi/internal/testutil"
)

// strangers returns a book whose workers have owners: w0 and w1 belong to the owner of the run, w2 to w5 to mal, and
// the others have an owner each.
func strangers(t *testing.T, pairs, workers int) *book {
	t.Helper()
	return newBook(t, pairs, workers, func(c *ledger.Config) {
		c.Standing = func(worker string) ledger.Standing {
			switch {
			case worker <= name(1):
				return ledger.Standing{Owner: "ann", Decides: true}
			case worker <= name(5):
				return ledger.Standing{Owner: "mal"}
			}
			return ledger.Standing{Owner: "owner of " + worker}
		}
	})
}

// crash lets a worker report a crash, and requires a fate.
func (b *book) crash(worker int, l ledger.Lease, want ledger.Fate) {
	b.t.Helper()
	fate := b.Return(b.now, name(worker), l, true)
	testutil.Check(b.t, fate == want, "w%d reports pair %d: fate %v, expected %v", worker, l.Pair, fate, want)
}

// solo returns the pair that a worker gets to play alone.
func (b *book) solo(worker int, decides bool) (l ledger.Lease, granted bool) {
	l, granted, _ = b.Solo(b.now, name(worker), "s", decides, 0)
	return l, granted
}

// TestStrangersGiveUpNothing: pairs that crash only on workers that the farm does not trust are never given up, however
// many keys and owners report them. A report of a worker that decides ends it.
func TestStrangersGiveUpNothing(t *testing.T) {
	t.Parallel()
	b := strangers(t, 100, 10)
	b.crash(2, b.grant(2, 1)[0], ledger.FateSolo)
	b.wait(10 * lease)
	if _, granted := b.solo(3, false); granted {
		t.Error("another key of the owner gets the pair, although its report would not count")
	}
	b.wait(40 * lease)
	first, granted := b.solo(3, false)
	testutil.Require(t, granted, "no other machine comes, and the owner never gets the pair again")
	b.crash(3, first, ledger.FateSolo)
	for round := range 50 {
		b.wait(3 * lease)
		if round%10 == 9 {
			b.wait(50 * lease) // so that those who reported get the pair again
		}
		for worker := 2; worker < 10; worker++ {
			if l, granted := b.solo(worker, false); granted {
				b.crash(worker, l, ledger.FateSolo)
			}
		}
		testutil.Require(t, len(b.Condemned()) == 0, "round %d: given up %v", round, b.Condemned())
	}
	all := b.Suspicions()
	testutil.Check(t, len(all) == 1 && all[0].Pair == 0 && len(all[0].Workers) >= 5, "%+v", all)
	l, granted := b.solo(0, true)
	testutil.Require(t, granted && l.Pair == 0, "the machine of the owner gets %v, %v", l, granted)
	b.crash(0, l, ledger.FateVoid)
	testutil.Slices(t, b.Condemned(), []int{0})
	testutil.Check(t, slices.Contains(b.Reporters(0), "w0") && slices.Contains(b.Reporters(0), "w2"), "%v", b.Reporters(0))
	testutil.Equal(t, len(b.Suspicions()), 0, "after the decision")
}

// TestOneOwnerIsOneVoice: with four keys, an owner makes no more pairs wait than with one, and its next reports change
// nothing. When another machine has played the pairs, no worker of the owner gets or keeps a pair.
func TestOneOwnerIsOneVoice(t *testing.T) {
	t.Parallel()
	b := strangers(t, 1000, 8)
	var held [][]ledger.Lease
	for worker := 2; worker <= 5; worker++ {
		held = append(held, b.grant(worker, 10))
	}
	kept := b.grant(3, 1)[0]
	for i, leases := range held {
		for _, l := range leases {
			want := ledger.FateAgain
			if i == 0 && l.Pair < 4 {
				want = ledger.FateSolo
			}
			b.crash(2+i, l, want)
		}
	}
	testutil.Equal(t, b.State().Solo, 4, "pairs that wait to be played alone")
	b.wants("no pair while four reports wait", b.grant(2, 5))
	if l, granted := b.solo(5, false); granted {
		t.Errorf("another key of the owner gets pair %d", l.Pair)
	}

	for pair := range 4 {
		owners, _ := b.Distrusted()
		testutil.Equal(t, len(owners), 0, "distrusted after %d pairs", pair)
		l, granted := b.solo(0, true)
		testutil.Require(t, granted && l.Pair == pair, "%v, %v", l, granted)
		b.Stored(b.now, pair)
	}
	owners, pairs := b.Distrusted()
	testutil.Slices(t, owners, []string{"mal"})
	testutil.Slices(t, pairs["mal"], []int{0, 1, 2, 3})
	b.wants("no pair for a distrusted owner", b.grant(4, 5))
	dropped, _ := b.Beat(b.now, "w3", "s", ledger.Listed{Held: []ledger.Lease{kept}})
	testutil.Check(t, slices.Equal(dropped, []ledger.Lease{kept}), "it keeps %+v", kept)
	another := b.grant(6, 2)
	b.wants("another owner", another, 4, 5)
	b.crash(6, another[0], ledger.FateSolo)
	b.wait(3 * lease)
	if l, granted := b.solo(5, false); granted {
		t.Errorf("a distrusted owner plays pair %d alone", l.Pair)
	}
	testutil.Equal(t, b.State().Condemned, 0, "given up")
}

// TestOwnResultsRefuteNothing: an owner that plays the pairs itself that it had reported stays trusted: the engine may
// have crashed by chance.
func TestOwnResultsRefuteNothing(t *testing.T) {
	t.Parallel()
	b := strangers(t, 1000, 8)
	for _, l := range b.grant(2, 4) {
		b.crash(2, l, ledger.FateSolo)
	}
	for range 3 {
		b.wait(50 * lease)
		l, granted := b.solo(3, false)
		testutil.Check(t, !granted, "pair %d is granted while four reports wait", l.Pair)
	}
	for range 4 {
		l, granted := b.solo(0, true)
		testutil.Require(t, granted, "the owner of the run gets nothing")
		b.crash(0, l, ledger.FateVoid)
	}
	b.Forgive(b.now)
	for range 4 {
		for _, l := range b.grant(2, 1) {
			b.crash(2, l, ledger.FateSolo)
		}
		b.wait(50 * lease)
		l, granted := b.solo(3, false)
		testutil.Require(t, granted, "another key of the owner gets nothing")
		b.Stored(b.now, l.Pair)
	}
	owners, _ := b.Distrusted()
	testutil.Equal(t, len(owners), 0, "distrusted")
}

// TestHonestReports: an owner whose engine crashes now and then keeps its pairs, because it also plays most of them.
func TestHonestReports(t *testing.T) {
	t.Parallel()
	b := strangers(t, 1000, 8)
	for round := range 20 {
		for range 5 { // one crash in six
			l := b.grant(2, 1)[0]
			b.Stored(b.now, l.Pair)
		}
		b.crash(2, b.grant(2, 1)[0], ledger.FateSolo)
		l, granted := b.solo(0, true)
		testutil.Require(t, granted, "round %d", round)
		b.Stored(b.now, l.Pair)
	}
	owners, _ := b.Distrusted()
	testutil.Check(t, len(owners) == 0 && len(b.grant(2, 1)) == 1, "distrusted %v", owners)
}

// TestLossesOfOneOwner: workers of one owner that disappear with a pair make it suspect later than those of three
// owners do. The machines of the run's owner count one by one, as before.
func TestLossesOfOneOwner(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		workers []int
		losses  int
	}{
		"one owner":    {[]int{2, 3, 4, 5}, 6},
		"three owners": {[]int{2, 6, 7}, 3},
		"own machines": {[]int{0, 1}, 3},
	} {
		b, losses := strangers(t, 10, 8), 0
		for ; b.State().Solo == 0; losses++ {
			testutil.Require(t, losses < 10, "%s: the pair is never suspect", name)
			b.wants(name, b.grant(row.workers[losses%len(row.workers)], 1), 0)
			b.wait(2 * lease)
			b.Expire(b.now)
		}
		testutil.Equal(t, losses, row.losses, name)
	}
}

// TestReportsEnd: a forgiven pair and a pair that was given up do not count as waiting reports of an owner.
func TestReportsEnd(t *testing.T) {
	t.Parallel()
	b := strangers(t, 1000, 8)
	for round := range 3 {
		for i := range 4 {
			l := b.grant(2, 1)
			testutil.Require(t, len(l) == 1, "round %d: no pair after %d reports", round, i)
			b.crash(2, l[0], ledger.FateSolo)
		}
		testutil.Equal(t, len(b.grant(2, 1)), 0, fmt.Sprint("round ", round))
		for range 4 {
			l, granted := b.solo(0, true)
			testutil.Require(t, granted, "round %d", round)
			b.crash(0, l, ledger.FateVoid)
		}
		b.now = b.now.Add(time.Second)
	}
	owners, _ := b.Distrusted()
	testutil.Check(t, len(owners) == 0 && b.State().Condemned == 12, "%v, %+v", owners, b.State())
}

// TestAFullStreamIsNoDelay: an honest worker cannot send its pairs while the stream is full, and tries again some time
// after the coordinator has read it. It loses no pair then.
func TestAFullStreamIsNoDelay(t *testing.T) {
	t.Parallel()
	b := strangers(t, 2, 10)
	kept := b.grant(2, 2)
	beat := func() {
		_, _ = b.Beat(b.now, name(2), "s", ledger.Listed{Outbox: kept})
		b.wants("expired", b.Expire(b.now))
		b.wait(lease / 2)
	}
	for range 20 { // ten leases
		beat()
	}
	for range 6 { // a worker waits for a minute at most
		b.Drained(b.now)
		beat()
	}
	testutil.Equal(t, b.State().Counts.Lost, 0, "pairs that are lost before the worker tries again")
	for range 10 {
		b.Drained(b.now)
		beat()
	}
	testutil.Check(t, b.State().Counts.Lost > 0, "the worker keeps its pairs for ever")
}

// TestKeptPairsDelayARun: a stranger that finishes pairs and does not send them loses them after 90 seconds (more than
// four leases of 20 seconds) if the run has no other pair to grant and the stream was read to its end. Then no key of
// its owner gets a pair for 30 leases.
func TestKeptPairsDelayARun(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		pairs   int // of the run; the stranger keeps two
		drained bool
		leases  int // until it loses them
	}{
		"the run waits": {2, true, 6}, "other pairs are free": {9, true, 31}, "the stream may be full": {2, false, 31},
	} {
		b := strangers(t, c.pairs, 10)
		kept, leases := b.grant(2, 2), 0
		for ; b.State().Counts.Lost == 0; leases++ {
			testutil.Require(t, leases < 50, "%s: the stranger keeps its pairs for ever", what)
			_, _ = b.Beat(b.now, name(2), "s", ledger.Listed{Outbox: kept})
			b.wants("expired", b.Expire(b.now))
			for range 2 {
				b.wait(lease / 2)
				if c.drained {
					b.Drained(b.now)
				}
				_, _ = b.Beat(b.now, name(2), "s", ledger.Listed{Outbox: kept})
			}
		}
		testutil.Equal(t, leases, c.leases, "%s: leases until the pairs are lost", what)
		if c.leases < 30 {
			b.wants("another key of the owner", b.grant(3, 1))
			b.wait(lease) // for a short time only the faster half of the workers may get a lost pair
			b.wants("another owner", b.grant(7, 2), 0, 1)
			b.Leave(b.now, name(7))
			b.wait(31 * lease)
		}
		testutil.Check(t, len(b.grant(3, 1)) == 1, "%s: the owner gets no pair any more", what)
	}
}
