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
	"gogi/stats"
)

// TestMain runs the tests and removes the programs that they build.
func TestMain(m *testing.M) {
	beServer()
	code := inNamespaces(m)
	if scratch != "" {
		_ = os.RemoveAll(scratch) // a temporary folder
	}
	os.Exit(code)
}

// TestChaos plays a match on a farm while it kills all processes at random. It ends when every pair is stored and each
// kind of fault has happened (I12). The stored games must equal those of one machine, byte for byte, and no promise may
// be broken. CHAOS is the minimum duration of all rounds. CHAOS_SEED repeats the random choices of a run. Without CHAOS
// the test is skipped.
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

// mostRounds is the largest number of rounds in which each kind of fault must happen. The moment of a kill depends on
// the speed of the machine.
const mostRounds = 5

// A round has enough pairs for each kind of disturbance, and for drawn random ones. A pair takes a large part of a
// second.
const (
	roundGames = 320
	roundNodes = 1000
	drawn      = 4
)

// kinds holds the kinds of disturbances. Each happens once in every round.
var kinds = []func(w *world, r *rand.Rand){
	func(w *world, r *rand.Rand) { w.again(fmt.Sprint("w", r.IntN(3))) },
	func(w *world, _ *rand.Rand) { w.killCoordinator(); w.serve() },
	func(w *world, _ *rand.Rand) { // between its result and the message that the result is stored
		if s := w.next(func(s *site.Step) bool { return s.What == "delivery" && s.Worker != twinName }); s != nil {
			w.again(s.Worker)
		}
	},
	func(w *world, _ *rand.Rand) { w.killBetween() },
	func(w *world, r *rand.Rand) { w.stopWorker(fmt.Sprint("w", r.IntN(3))) },
	func(w *world, _ *rand.Rand) { w.thief() },
}

// again kills a worker and starts another process of it.
func (w *world) again(name string) {
	w.killWorker(name)
	w.work(name)
}

// killBetween kills the coordinator between storing a result and acknowledging it. The coordinator traces the
// acknowledgement before it sends it. After the delivery of a result, killBetween lets the coordinator run only for
// microseconds at a time until this trace appears. If the coordinator was too fast, killBetween tries again.
func (w *world) killBetween() {
	for range 5 {
		told := w.tail()
		if told.next(func(s *site.Step) bool { return s.What == "delivery" },
			func() { time.Sleep(200 * time.Microsecond) }) == nil {
			return // all pairs are played, so another round must cover this
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

// oneRound plays a round and returns the kinds of faults that did not happen in it.
func oneRound(t *testing.T, seed uint64) (missing []string) {
	r := rand.New(rand.NewPCG(seed, 0))
	w := newWorld(t, setting{}, "w0", "w1", twinName)
	w.enlist()
	w.issue("w2", "green", keys.Work) // another owner than the test's: audits by both owners detect the forger
	flags := series("chaos", roundGames, roundNodes)
	w.local(flags)
	w.local(series(forgedRun, roundGames, 100))
	w.serve()
	w.submit(flags)
	w.floods()
	w.forges()
	v := w.twin(twinName)
	granted := v.want(3)
	// the same result under two ids, so the server's memory of ids does not hide it
	v.send(v.item("chaos", granted[0], nil))
	v.send(v.item("chaos", granted[0], nil))
	v.send(v.item("chaos", granted[1], func(p *match.PairResult) { p.Pair.Seed++ })) // a forged result with another seed
	for i := range 3 {
		w.work(fmt.Sprint("w", i))
	}
	w.until("w2 is here", func() bool { return w.worker("w2").Here })
	w.run("farm", "worker", "trust", "w2", "owner", "--creds", "boss.creds")
	// The third pair has no result until its lease ends and another worker plays the pair.
	w.until("another plays the pair of the twin", func() bool { return w.hasOther(granted[2]) })
	v.send(v.item("chaos", granted[2], nil))

	todo := r.Perm(len(kinds))
	for range drawn {
		todo = append(todo, r.IntN(len(kinds)))
	}
	for n, i := range todo {
		if kinds[i](w, r); n == 0 {
			w.mirror() // with the pairs stored so far; the mirror continues from there
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

// hasOther reports whether a result of the pair came under a later lease.
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

// TestChaosOfAGate plays a match with an SPRT on a farm of many slots. The verdict must be that of the stored pairs in
// plan order (I5). The farm must grant no pair beyond the window (I7).
func TestChaosOfAGate(t *testing.T) {
	needChaos(t)
	t.Parallel()
	w := newWorld(t, setting{}, "w0", "w1", twinName)
	// The SPRT needs few of the 64 openings, so each of its pairs has its own opening.
	w.serve()
	w.submit(series("gated", 2*gatePairs, 100, "--option", "b.EvalNoise=300", "--sprt", "0,100"))
	v := w.twin(twinName)
	// The lowest pair waits for its lease, so every other grant is beyond the prefix.
	v.want(1)
	w.work("w0")
	w.work("w1")
	w.until("the gate has decided", func() bool {
		return w.told("gated").Verdict == "pass" || w.told("gated").Verdict == "fail"
	})
	told := w.told("gated")
	e := w.judge("gated", func(r *Run) { r.Window, r.Stopped = max(64, gatePairs/10), true })
	if verdict := w.verdict("gated",
		stats.SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}); verdict != told.Verdict {
		t.Errorf("I5: the coordinator says %s, the stored pairs in plan order %s", told.Verdict, verdict)
	}
	t.Logf("beyond %d; %+v", told.Beyond, e)
	testutil.Check(t, e.Again != 0, "the lowest pair was never granted again")
}

// gatePairs is more than any SPRT here needs, and more than the window allows.
const gatePairs = 200

// told returns the coordinator's status of a test.
func (w *world) told(name string) farm.TestStatus {
	w.t.Helper()
	var s farm.TestStatus
	testutil.OK(w.t, json.Unmarshal([]byte(w.run("farm", "show", name, "--json", "--creds", "ann.creds")), &s))
	return s
}
