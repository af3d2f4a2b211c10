package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
)

// simulations returns the number of simulated matches. few shows a broken rule, and a short test plays a quarter of it.
// many gives the figures of the documentation.
func simulations(few, many int) int {
	if testutil.Figures() {
		return many
	}
	return testutil.ByLength((few+3)/4, few)
}

// A replay plays a pair of one opening. It returns the deviation from an even score, from -2 to 2, and hashes of the
// games.
type replay func(r *rand.Rand) (deviation int, games [2]uint64)

// condition draws an opening. The expected score over openings is even.
type condition struct {
	name string
	open func(r *rand.Rand) replay
}

// evenDeviation draws the deviation of a pair between equals. As in the real match M1, half of the pairs are split, and
// few games are drawn.
func evenDeviation(r *rand.Rand) int {
	switch u := r.Float64(); {
	case u < .24:
		return -2
	case u < .26:
		return -1
	case u < .74:
		return 0
	case u < .76:
		return 1
	}
	return 2
}

// deterministic players always repeat the pair of an opening.
var deterministic = condition{"deterministic", func(r *rand.Rand) replay {
	d := evenDeviation(r)
	return func(*rand.Rand) (int, [2]uint64) { return d, [2]uint64{1, 2} }
}}

// late players never repeat a game. A pair has the result of its opening with the probability share, so two pairs have
// the correlation share².
func late(share float64) condition {
	return condition{fmt.Sprintf("late %.1f", share), func(r *rand.Rand) replay {
		d := evenDeviation(r)
		return func(r *rand.Rand) (int, [2]uint64) {
			games := [2]uint64{r.Uint64(), r.Uint64()}
			if r.Float64() < share {
				return d, games
			}
			return evenDeviation(r), games
		}
	}}
}

// leaky players leave their earlier game with the probability leak at each ply. After that, the earlier winner still
// wins with a probability equal to the share of the game that is over; otherwise the result is random. A wins in pliesA
// plies, and B in pliesB. The frequency of A's wins makes the expected score even.
func leaky(leak float64, pliesA, pliesB int) condition {
	keepA, keepB := kept(leak, pliesA), kept(leak, pliesB)
	winsA := keepB / (keepA + keepB)
	return condition{fmt.Sprintf("leaky %g, %d and %d plies", leak, pliesA, pliesB), func(r *rand.Rand) replay {
		var wins [2]bool
		for leg := range wins {
			wins[leg] = r.Float64() < winsA
		}
		return func(r *rand.Rand) (int, [2]uint64) {
			deviation, games := 0, [2]uint64{1, 2}
			for leg, win := range wins {
				plies := pliesB
				if win {
					plies = pliesA
				}
				left := int(math.Log(r.Float64()) / math.Log1p(-leak)) // the ply at which the players leave the game
				if left < plies {
					games[leg] = r.Uint64()
					if r.Float64() >= float64(left)/float64(plies) {
						win = r.IntN(2) == 0
					}
				}
				if win {
					deviation++
				} else {
					deviation--
				}
			}
			return deviation, games
		}
	}}
}

// kept returns the probability that a leaky player's game still has its winner, not counting chance.
func kept(leak float64, plies int) float64 {
	sum, alive := 0.0, 1.0
	for ply := range plies {
		sum += alive * leak * float64(ply) / float64(plies)
		alive *= 1 - leak
	}
	return sum + alive
}

func conditions() []condition {
	// The lengths come from matches of built-in engines (45 to 320 plies) and of fairy-stockfish (37 to 171). The leak of
	// fairy-stockfish is 0.004 per ply.
	return []condition{
		deterministic, late(0), late(0.3), late(0.6), late(0.9),
		leaky(0.004, 110, 110), leaky(0.004, 40, 170), leaky(0.02, 40, 170),
	}
}

// A rule is a way to count observations in a sequential test.
type rule string

const (
	everyPair   rule = "every pair"
	noCopies    rule = "copies aside"
	perOpenings rule = "openings"
)

var deviationPairs = map[int]Pair{
	-2: {leg(Loss, true), leg(Loss, false)}, -1: {leg(Loss, true), leg(Draw, false)},
	0: {leg(Win, true), leg(Loss, false)},
	1: {leg(Win, true), leg(Draw, false)}, 2: {leg(Win, true), leg(Win, false)},
}

// deciding plays pairs from this number of openings until the test decides.
func deciding(t *testing.T, r *rand.Rand, s SPRT, c condition, openings, pairs int, counts rule) Judgement {
	t.Helper()
	p := testutil.Must(NewPrefix(s, pairs))(t)
	replays := make([]replay, openings)
	for i := range replays {
		replays[i] = c.open(r)
	}
	seen, next := map[[3]uint64]bool{}, 0
	for id := 0; id < pairs && p.Judgement().Decision == Continue; id++ {
		at := id % openings
		deviation, games := replays[at](r)
		play := Play{Pair: deviationPairs[deviation], Opening: strconv.Itoa(at), Games: games[:]}
		key := [3]uint64{uint64(at), games[0], games[1]}
		if counts == noCopies && seen[key] {
			continue
		}
		seen[key] = true
		if counts != perOpenings {
			play.Opening = ""
		}
		testutil.OK(t, p.AddPlay(next, play))
		next++
	}
	return p.Judgement()
}

func falsePasses(t *testing.T, s SPRT, c condition, openings, pairs, series int, counts rule) int {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(openings), 11))
	passes := 0
	for range series {
		if deciding(t, r, s, c, openings, pairs, counts).Decision == Pass {
			passes++
		}
	}
	return passes
}

// exceeds reports whether k of n is too many for the probability p: k or more are less likely than one in a thousand.
func exceeds(k, n int, p float64) bool {
	test, err := binomial.Exact(k, n, p, binomial.Greater)
	return err == nil && test.P < 0.001
}

var gateDesign = SPRT{Elo0: 0, Elo1: 60, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: BoundaryRatio}

// TestSimulatedGates requires that at most α of the SPRTs between equals pass, for all kinds of repeated games.
// Openings are the units. Counted pair by pair, and in part without copies, more of them pass.
func TestSimulatedGates(t *testing.T) {
	n, pairs, all := simulations(60, 2000), 200, []condition{deterministic, late(0.3), late(0.9), leaky(0.02, 40, 170)}
	if testutil.Figures() {
		pairs, all = 600, conditions()
	}
	for _, c := range all {
		for _, openings := range []int{2, 10, 24, 50, 100} {
			passes := falsePasses(t, gateDesign, c, openings, pairs, n, perOpenings)
			testutil.Check(t, !exceeds(passes, n, gateDesign.Alpha),
				"%s, %d openings: %d of %d gates between equals pass", c.name, openings, passes, n)
			if testutil.Figures() {
				every, aside := falsePasses(t, gateDesign, c, openings, pairs, n/4, everyPair),
					falsePasses(t, gateDesign, c, openings, pairs, n/4, noCopies)
				t.Logf("%-28s %3d openings: every pair %.3f, copies aside %.3f, openings %.4f", c.name, openings,
					float64(every)/float64(n/4), float64(aside)/float64(n/4), float64(passes)/float64(n))
			}
		}
	}
}

// TestSimulatedGatesByOtherRules shows the error that the rule prevents: for [0,30], more than α = 0.05 of the SPRTs
// pass.
func TestSimulatedGatesByOtherRules(t *testing.T) {
	s, n := gateDesign, max(30, simulations(60, 2000)) // with fewer SPRTs, too few pass
	s.Elo1 = 30
	for _, c := range []struct {
		condition
		openings int
		counts   rule
	}{{deterministic, 2, everyPair}, {deterministic, 10, everyPair}, {deterministic, 24, everyPair},
		{late(0.9), 10, noCopies}, {leaky(0.004, 110, 110), 10, noCopies}} {
		passes := falsePasses(t, s, c.condition, c.openings, 400, n, c.counts)
		t.Logf("%s, %d openings, %s: %.3f pass", c.name, c.openings, c.counts, float64(passes)/float64(n))
		testutil.Check(t, exceeds(passes, n, s.Alpha),
			"%s, %d openings, %s: only %d of %d pass, so that the simulation shows nothing", c.name, c.openings, c.counts,
			passes, n)
	}
}

// TestSimulatedGatesHavePower requires that reused openings delay an SPRT but do not prevent its decision.
func TestSimulatedGatesHavePower(t *testing.T) {
	n := simulations(60, 2000)
	stronger := condition{"stronger", func(*rand.Rand) replay {
		return func(r *rand.Rand) (int, [2]uint64) {
			d := evenDeviation(r)
			if d <= 0 && r.Float64() < 0.3 { // about 70 Elo
				d += 2
			}
			return min(2, d), [2]uint64{r.Uint64(), r.Uint64()}
		}
	}}
	passes := falsePasses(t, gateDesign, stronger, 50, 600, n, perOpenings)
	t.Logf("%d of %d pass", passes, n)
	test, _ := binomial.Exact(passes, n, 1-gateDesign.Beta, binomial.Less)
	testutil.Check(t, test.P >= 0.001, "of %d gates of the stronger, %d pass", n, passes)
}

// TestSimulatedSignFlip requires that at most 5% of matches between equals are significant, for any number of openings.
// Reports and bisections use this test.
func TestSimulatedSignFlip(t *testing.T) {
	n, pairs := simulations(200, 20_000), 150
	for _, c := range conditions() {
		for _, openings := range []int{2, 10, 24, 50, 100} {
			r := rand.New(rand.NewPCG(uint64(openings), 13))
			found := map[binomial.Alternative]int{}
			for range n {
				s := simulated(t, r, c, openings, pairs)
				for _, alt := range []binomial.Alternative{binomial.Less, binomial.TwoSided} {
					test := testutil.Must(s.SignFlip(alt))(t)
					if test.Significant(0.05) {
						found[alt]++
					}
				}
			}
			if testutil.Figures() {
				t.Logf("%-28s %3d openings: one-sided %.4f, two-sided %.4f", c.name, openings,
					float64(found[binomial.Less])/float64(n), float64(found[binomial.TwoSided])/float64(n))
			}
			for alt, k := range found {
				testutil.Check(t, !exceeds(k, n, 0.05),
					"%s, %d openings, %s: %d of %d series between equals are significant", c.name, openings, alt, k, n)
			}
		}
	}
}

func simulated(t *testing.T, r *rand.Rand, c condition, openings, pairs int) *Series {
	t.Helper()
	replays := make([]replay, openings)
	for i := range replays {
		replays[i] = c.open(r)
	}
	var s Series
	for id := range pairs {
		deviation, games := replays[id%openings](r)
		testutil.Must(s.Add(Play{Pair: deviationPairs[deviation], Opening: strconv.Itoa(id % openings), Games: games[:]}))(t)
	}
	return &s
}
