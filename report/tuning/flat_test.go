package tuning

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gogi/internal/testutil"
	"gogi/match/gate"
	"gogi/match/tune"
	"gogi/match/tune/tunetest"
	"gogi/stats"
)

// pairOf returns the two games of a pair with W − L = score, from −2 to 2.
func pairOf(score float64) stats.Play {
	outcomes := [5][2]stats.Outcome{{stats.Loss, stats.Loss}, {stats.Draw, stats.Loss}, {stats.Draw, stats.Draw},
		{stats.Win, stats.Draw}, {stats.Win, stats.Win}}
	var p stats.Play
	for leg, o := range outcomes[int(score)+2] {
		points := map[stats.Outcome]float64{stats.Win: 1, stats.Draw: 0.5, stats.Loss: 0}[o]
		p.Pair = append(p.Pair, stats.Leg{AIsBlack: leg == 0, Outcome: o, Points: points})
	}
	return p
}

// passes reports whether a candidate that is stronger by elo passes its j-th validation.
func passes(t *testing.T, v *tune.Validation, j int, elo float64, random *rand.Rand) bool {
	t.Helper()
	g := testutil.Must(gate.New(v.Gate(j), v.Pairs))(t)
	for id := range v.Pairs {
		testutil.OK(t, g.Add(id, pairOf(tunetest.Pair(random, elo))))
		if id%25 == 24 && g.State().Decided() {
			break
		}
	}
	return g.State().Judgement.Decision == stats.Pass
}

// answerOf tunes three parameters without any effect and returns the final values.
func answerOf(t *testing.T, seed uint64, pairs int, random *rand.Rand) []float64 {
	t.Helper()
	s := tune.Defaults(tune.SPSA, pairs)
	s.Seed = seed
	for i := range 3 {
		s.Params = append(s.Params, tune.Param{Name: fmt.Sprint("P", i), Kind: tune.Float, Min: -2, Max: 2})
	}
	path := testutil.Must(tune.NewPath(s))(t)
	for n := range pairs {
		if _, _, err := path.Add(n, tunetest.Pair(random, 0), false); err != nil {
			t.Fatal(err)
		}
	}
	st := path.State()
	return tune.Answer(&s, &st)
}

// TestNothingPasses: without anything to gain, a tune moves, but no more than α of the tunes pass a validation, though
// each has three candidates. With the error rate α, 12 of 100 occur in 1 of 200 cases, and 33 of 400 in 1 of 500. A
// candidate that is stronger passes.
func TestNothingPasses(t *testing.T) {
	t.Parallel()
	pairs, tunes, many := 320, testutil.ByLength(100, 400), testutil.ByLength(12, 33)
	if testutil.Figures() {
		pairs = 10000
	}
	v := &tune.Validation{Elo1: 40, Alpha: 0.05, Beta: 0.1, Pairs: 300, Openings: tune.FreshOpenings}
	passed, moved := 0, 0
	for i := range uint64(tunes) {
		random := rand.New(rand.NewPCG(i, 4))
		for _, x := range answerOf(t, i, pairs, random) {
			if x != 0 {
				moved++
				break
			}
		}
		for j := 1; j <= 3; j++ {
			if passes(t, v, j, 0, random) {
				passed++
				break
			}
		}
	}
	testutil.Check(t, passed <= many && moved >= tunes-tunes/40, "%d of %d pass, %d have moved", passed, tunes, moved)
	good := 0
	for i := range uint64(20) {
		if passes(t, v, 1, 80, rand.New(rand.NewPCG(i, 5))) {
			good++
		}
	}
	testutil.Check(t, good >= 17, "of 20 that are 80 Elo stronger %d pass", good)
}

// TestSeveralValidations: validations run in the order of the file, but a validation with shorter games runs first.
func TestSeveralValidations(t *testing.T) {
	plan := base(64)
	w := wish(t, `
[[param]]
name = "LMR_Div"
[[tune.validate]]
sprt = [0, 2]
limits = "60+0.6"
[[tune.validate]]
sprt = [1, 5]
limits = "10+0.1"
`)
	p, _, err := w.Resolve(plan, declared())
	testutil.OK(t, err)
	all := p.Validations()
	testutil.Check(t, len(all) == 2 && all[0].Elo0 == 1 && all[1].Elo1 == 2 && all[0].Seed != all[1].Seed, "%+v", all)
	text, err := p.Text()
	if err == nil {
		p, err = tune.ParsePlan(text)
	}
	testutil.OK(t, err)
	c := candidateOf(p)
	for which, want := range []string{"t-validation-1", "t-validation-1-2"} {
		v := Validation(plan, p, which, c)
		testutil.Check(t, v.Run == want && v.Gate.Alpha == p.Validations()[which].Alpha/2 &&
			v.Players[0].Limits == *all[which].Limits,
			"%s: %+v", v.Run, v.Gate)
	}
	w.From, w.Starts = "before", c.Point
	if p, _, err = w.Resolve(plan, declared()); err != nil || p.From != "before" || p.Settings.Params[0].Start != 555 {
		t.Errorf("%+v, %v", p, err)
	}
}
