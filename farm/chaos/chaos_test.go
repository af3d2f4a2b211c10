//go:build unix

package chaos

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/keys"
	"gogi/farm/site"
	"gogi/internal/testutil"
	"gogi/match"
)

// TestMain runs the tests, and removes the programs that they built.
func TestMain(m *testing.M) {
	beServer()
	code := inNamespaces(m)
	if scratch != "" {
		_ = os.RemoveAll(scratch) // it is a folder for what may go
	}
	os.Exit(code)
}

// TestChaos plays a series on a farm whose processes are all killed at random, until every pair is stored and each kind
// of fault has happened (I12). The stored games must equal those of one machine, byte for byte, and no promise may be
// broken. CHAOS is the least number of rounds. CHAOS_SEED repeats the random choices of a run. Without CHAOS the test
// is skipped.
func TestChaos(t *testing.T) {
	needChaos(t)
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("CHAOS_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	lasting := testutil.Must(time.ParseDuration(os.Getenv("CHAOS")))(t)
	t.Logf("CHAOS_SEED=%d", seed)
	missing := []string{"everything"}
	for round, began := uint64(0), time.Now(); len(missing) > 0 || time.Since(began) < lasting; round++ {
		if round == mostRounds && len(missing) > 0 {
			t.Fatalf("I12: in none of %d rounds did all happen; in the last one not: %s", round, strings.Join(missing, "; "))
		}
		ok := t.Run(fmt.Sprint("round ", round), func(t *testing.T) {
			if not := oneRound(t, seed+round); len(missing) > 0 {
				missing = not
			}
		})
		if !ok {
			return
		}
	}
}

// mostRounds are played until each kind of fault has happened in one of them; how fast the
// machine is decides when a kill falls.
const mostRounds = 5

// A round has enough pairs for each kind of disturbance, and as many at random. Each pair takes a good part of a
// second.
const (
	roundGames = 320
	roundNodes = 1000
	drawn      = 4
)

// kinds of disturbances, each once in every round.
var kinds = []func(w *world, r *rand.Rand){
	func(w *world, r *rand.Rand) { w.again(fmt.Sprint("w", r.IntN(3))) },
	func(w *world, _ *rand.Rand) { w.killCoordinator(); w.serve() },
	func(w *world, _ *rand.Rand) { // between what it sent and the word that it is stored
		if s := w.next(func(s *site.Step) bool { return s.What == "delivery" && s.Worker != twinName }); s != nil {
			w.again(s.Worker)
		}
	},
	func(w *world, _ *rand.Rand) { w.killBetween() },
	func(w *world, r *rand.Rand) { w.stopWorker(fmt.Sprint("w", r.IntN(3))) },
	func(w *world, _ *rand.Rand) { w.thief() },
}

// again kills a worker and begins another process of it.
func (w *world) again(name string) {
	w.killWorker(name)
	w.work(name)
}

// killBetween kills the coordinator between storing a result and acknowledging it. The coordinator traces the
// acknowledgement before it sends it. After the delivery of a result, killBetween lets the coordinator run only
// microseconds at a time until this trace appears. If the coordinator was quicker, it tries again.
func (w *world) killBetween() {
	for range 5 {
		told := w.tail()
		if told.next(func(s *site.Step) bool { return s.What == "delivery" }, func() { time.Sleep(200 * time.Microsecond) }) == nil {
			return // everything was played: another round has to show it
		}
		killed := told.next(func(s *site.Step) bool { return s.What == "acked" }, w.creep)
		w.killCoordinator()
		w.serve()
		if killed == nil {
			continue
		}
		boots := 0
		again := w.next(func(s *site.Step) bool {
			if s.What == "boot" {
				boots++
			}
			return s.What == "delivery" && (s.Seq == killed.Seq || boots > 0)
		})
		if again != nil && again.Again && again.Seq <= killed.Seq {
			return
		}
	}
}

const twinName = "twin"

// oneRound says which kinds of faults have not happened in it.
func oneRound(t *testing.T, seed uint64) (missing []string) {
	r := rand.New(rand.NewPCG(seed, 0))
	w := newWorld(t, setting{}, "w0", "w1", twinName)
	w.enlist()
	w.issue("w2", "green", keys.Work) // of another owner than the test's: these two find out who forges
	flags := series("chaos", roundGames, roundNodes)
	w.local(flags)
	w.local(series(forgedRun, roundGames, 100))
	w.serve()
	w.submit(flags)
	w.floods()
	w.forges()
	v := w.twin(twinName)
	granted := v.want(3)
	v.send(v.item("chaos", granted[0], nil)) // the same under two ids: the server's own memory of ids does not hide it
	v.send(v.item("chaos", granted[0], nil))
	v.send(v.item("chaos", granted[1], func(p *match.PairResult) { p.Pair.Seed++ })) // a forgery: that pair is for others
	for i := range 3 {
		w.work(fmt.Sprint("w", i))
	}
	w.until("w2 is here", func() bool { return w.worker("w2").Here })
	w.run("farm", "worker", "trust", "w2", "owner", "--creds", "boss.creds")
	// The third is silent until its lease is over and another has played the pair.
	w.until("another plays the pair of the twin", func() bool { return w.hasOther(granted[2]) })
	v.send(v.item("chaos", granted[2], nil))

	todo := r.Perm(len(kinds))
	for range drawn {
		todo = append(todo, r.IntN(len(kinds)))
	}
	for n, i := range todo {
		if kinds[i](w, r); n == 0 {
			w.mirror() // with what is stored by then; the copy goes on from there
		}
		time.Sleep(time.Duration(r.IntN(500)) * time.Millisecond)
	}
	w.stored("chaos", roundGames/2)
	w.expel("chaos")
	w.stored("chaos", roundGames/2)
	w.mirror()
	evidence := w.judge("chaos", nil)
	t.Logf("seed %d: %+v", seed, evidence)
	w.same("chaos", w.dump("local.db", "chaos"))
	w.copied("chaos")
	return evidence.Missing()
}

// hasOther reports whether a result of a pair has come under another lease.
func (w *world) hasOther(g farm.Grant) bool {
	for _, s := range w.history().Steps {
		for _, l := range s.Leases {
			if s.What == "delivery" && l.Pair == g.Pair && l.Epoch > g.Epoch {
				return true
			}
		}
	}
	return false
}

// TestChaosOfAGate: a match with an SPRT on a farm of many slots. Its verdict is that of the stored pairs in plan order
// (I5), and the farm grants no pair beyond the window (I7).
func TestChaosOfAGate(t *testing.T) {
	needChaos(t)
	t.Parallel()
	w := newWorld(t, setting{}, "w0", "w1", twinName)
	// Few of the 64 openings are needed: each pair that is judged has one of its own.
	w.serve()
	w.submit(series("gated", 2*gatePairs, 100, "--option", "b.EvalNoise=300", "--sprt", "0,100"))
	v := w.twin(twinName)
	// The lowest pair waits for a lease: all that is granted meanwhile is beyond the prefix.
	v.want(1)
	w.work("w0")
	w.work("w1")
	w.until("the gate has decided", func() bool { return w.told("gated").Verdict == "pass" || w.told("gated").Verdict == "fail" })
	told := w.told("gated")
	e := w.judge("gated", func(r *Run) { r.Window, r.Stopped = max(64, gatePairs/10), true })
	if verdict := w.verdict("gated", match.Gate{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.1, Model: match.GateLogistic}); verdict != told.Verdict {
		t.Errorf("I5: the coordinator says %s, the stored pairs in plan order %s", told.Verdict, verdict)
	}
	t.Logf("beyond %d; %+v", told.Beyond, e)
	testutil.Check(t, e.Again != 0, "the lowest pair was never granted again")
}

// gatePairs are more than any gate here needs, and than the window lets be granted.
const gatePairs = 200

// told returns the coordinator's status of a test.
func (w *world) told(name string) farm.TestStatus {
	w.t.Helper()
	var s farm.TestStatus
	testutil.OK(w.t, json.Unmarshal([]byte(w.run("farm", "show", name, "--json", "--creds", "ann.creds")), &s))
	return s
}
