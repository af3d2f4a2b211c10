package match_test

import (
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/stats"
)

// tunePlan returns storedPlan as a tune.
func tunePlan(t *testing.T) *match.Plan {
	t.Helper()
	p := *storedPlan(t)
	p.Design = match.Design{Kind: match.DesignMatch, Swap: true}
	p.Gate, p.Players = stats.SPRT{}, p.Players[:2]
	p.Tune = `{"pairs": 10}`
	return &p
}

// TestPairOptions: the options of a player follow it to the other colour. A plan that is no tune owns no pair with
// options.
func TestPairOptions(t *testing.T) {
	plan := tunePlan(t)
	pair := plan.Pair(3)
	a, b := []match.Option{{Name: "X", Value: "1"}}, []match.Option{{Name: "X", Value: "2"}}
	pair.Options = [2][]match.Option{a, b}
	for leg, want := range []string{"1", "2"} {
		testutil.Equal(t, pair.Game(leg).Options[0][0].Value, want, "leg %d: Black", leg)
	}
	other := pair
	other.Options[1] = a
	testutil.Check(t, !pair.Equal(other), "pairs with other options are equal")
	testutil.OK(t, plan.Owns(pair))
	plan.Tune = ""
	testutil.Check(t, plan.Owns(pair) != nil, "a plan that is no tune owns a pair with options")
}

// TestEncodePairWithoutOptions: a pair without options keeps version 2, because workers of older versions read it.
func TestEncodePairWithoutOptions(t *testing.T) {
	r := filledPair()
	r.Pair.Options = [2][]match.Option{}
	for i := range r.Games {
		r.Games[i].Questions = match.Questions{}
	}
	if text := encodePair(t, r); text[0] != 2 {
		t.Errorf("version %d, want 2", text[0])
	}
	r.Pair.Options[1] = []match.Option{{Name: "X", Value: "1"}}
	if text := encodePair(t, r); text[0] != 3 {
		t.Errorf("version %d, want 3", text[0])
	}
	r.Games[1].Questions.Failed = 1
	if text := encodePair(t, r); text[0] != 4 {
		t.Errorf("version %d, want 4", text[0])
	}
}

func TestCheckTune(t *testing.T) {
	for want, spoil := range map[string]func(p *match.Plan){
		"":                func(*match.Plan) {},
		"no JSON":         func(p *match.Plan) { p.Tune = "{" },
		"colours swapped": func(p *match.Plan) { p.Design.Swap = false },
		"no sequential test": func(p *match.Plan) {
			p.Gate = stats.SPRT{Elo1: 4, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
		},
		"of one engine": func(p *match.Plan) {
			p.Players = append([]match.Player{{Name: "C", Council: &match.Council{}}}, p.Players[0])
		},
	} {
		p := tunePlan(t)
		spoil(p)
		err := p.Check()
		testutil.Check(t, (want != "" || err == nil) && (want == "" || err != nil && strings.Contains(err.Error(), want)),
			"%q: %v", want, err)
		_ = p.Digest() // Digest accepts any text
	}
}
