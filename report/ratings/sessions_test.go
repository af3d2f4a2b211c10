package ratings

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
)

// sessionsOf adds sessions of three equal players to g. omega is the standard deviation, in Elo, of the shift between
// two players in a session. Each two players play this number of pairs in a session.
func sessionsOf(t *testing.T, g *Games, random *rand.Rand, sessions, pairs int, omega float64, timed bool) {
	t.Helper()
	names, id := []string{"a", "b", "c"}, 0
	for s := range sessions {
		r := runOf(g, names...)
		if timed {
			r.Timed(fmt.Sprint("s", s), match.Key{}, map[string]bool{"a": true, "b": true, "c": true})
		}
		for n, a := range names {
			b := names[(n+1)%3]
			shift := omega * random.NormFloat64()
			p := 1 / (1 + math.Pow(10, -shift/400))
			for range pairs {
				results := ""
				for leg := range 2 {
					results += map[bool]string{true: "B", false: "W"}[(random.Float64() < p) == (leg == 0)]
				}
				id++
				add(t, r, pairOf(id, a, b, "startpos", results))
			}
		}
	}
}

// TestSessionsCoverage: if sessions differ, the intervals contain the true rating in at least 95% of cases. Without the
// sessions they do not.
func TestSessionsCoverage(t *testing.T) {
	t.Parallel()
	repetitions := testutil.ByLength(40, 500)
	held := func(sessions int, omega float64, timed bool) float64 {
		random, n := rand.New(rand.NewPCG(28, uint64(sessions))), 0
		for range repetitions {
			g := NewGames()
			sessionsOf(t, g, random, sessions, 20, omega, timed)
			r := testutil.Must(Rate(g, Options{Model: "bt", Draws: "half", Untested: true}.filled()))(t)
			for _, p := range r.Players {
				if *p.Lo <= 0 && 0 <= *p.Hi {
					n++
				}
			}
		}
		return float64(n) / float64(3*repetitions)
	}
	// The intervals of three players depend on each other; as many repetitions as independent ones are a safe number.
	se := math.Sqrt(.95 * .05 / float64(repetitions))
	for _, sessions := range []int{3, 6} {
		for _, omega := range []float64{0, 50, 100} {
			if !testutil.Long() && (sessions != 3 || omega == 50) {
				continue
			}
			share := held(sessions, omega, true)
			t.Logf("| %v | %d | %.3f |", omega, sessions, share)
			testutil.Check(t, share >= .95-3*se, "ω %v, %d sessions: %v", omega, sessions, share)
		}
	}
	naive := held(3, 100, false)
	t.Logf("without sessions: %.3f", naive)
	testutil.Check(t, naive < .95-3*se, "without sessions: %v", naive)
}

// TestSessions: the report has the differences between three sessions. It warns if it cannot include them.
func TestSessions(t *testing.T) {
	t.Parallel()
	rate := func(sessions int, timed bool, o Options) (*Report, string) {
		g := NewGames()
		sessionsOf(t, g, rand.New(rand.NewPCG(1, 2)), sessions, 30, 60, timed)
		r := mustRate(t, g, o)
		again := mustRate(t, g, o)
		testutil.Equal(t, object(t, again), object(t, r), "the same games again")
		var text strings.Builder
		r.Print(&text, i18n.English)
		return r, text.String()
	}
	warned := func(r *Report) bool { return slices.Contains(r.kinds(), SessionsDiffer) }

	three, text := rate(3, true, Options{})
	testutil.Check(t, !warned(three) && *three.Sessions.Omega > 20 && three.Sessions.Sessions == 3, "%+v", three.Sessions)
	near(t, "degrees of freedom", three.Sessions.Freedom, 6, 0.1)
	testutil.Check(t, strings.Contains(text, "sessions         differ by "), "%s", text)
	exact, text := rate(3, false, Options{})
	testutil.Check(t, exact.Sessions == nil && !warned(exact) && !strings.Contains(text, "sessions"), "%s", text)
	for i := range exact.Players {
		testutil.Check(t, *exact.Players[i].Elo == *three.Players[i].Elo && *exact.Players[i].Hi < *three.Players[i].Hi,
			"%+v, %+v", exact.Players[i], three.Players[i])
	}

	one, _ := rate(1, true, Options{})
	testutil.Check(t, one.Sessions == nil && !warned(one), "one session")
	two, text := rate(2, true, Options{})
	testutil.Check(t, warned(two) && two.Sessions.Omega == nil &&
		strings.Contains(text, "two players met in 2 of them at most"), "%s", text)
	drawn, text := rate(3, true, Options{Bootstrap: 20})
	testutil.Check(t, warned(drawn) && drawn.Sessions.Omega != nil && !strings.Contains(text, "differ by"), "%s", text)
}
