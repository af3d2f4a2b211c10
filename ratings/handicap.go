package ratings

import (
	"slices"
	"strings"

	"gogi/internal/format"
	"gogi/stats/rating"
)

// handicapModelName is a handicap model as the command line spells it.
type handicapModelName struct {
	name  string
	model rating.HandicapModel
}

func HandicapModelNames() []handicapModelName {
	return []handicapModelName{
		{"bt", rating.NoEffect},
		{"order", rating.FirstMoveOnly},
		{"add1", rating.Additive1},
		{"add2", rating.Additive2},
		{"add3", rating.Additive3},
		{"mul1", rating.Multiplicative1},
		{"mul2", rating.Multiplicative2},
		{"mul3", rating.Multiplicative3},
		{"linear", rating.LogLinear},
		{"free", rating.LogFree},
		{"free+order", rating.LogFreeFirst},
	}
}

// shortModel is the command line's name of a model.
func shortModel(m rating.HandicapModel) string {
	for _, n := range HandicapModelNames() {
		if n.model == m {
			return n.name
		}
	}
	return string(m)
}

// modelsInShort spells the models in a text as the command line does.
func modelsInShort(text string) string {
	var pairs []string
	names := HandicapModelNames()
	for i := len(names) - 1; i >= 0; i-- { // log_free_first before log_free
		if names[i].model != rating.NoEffect {
			pairs = append(pairs, string(names[i].model), names[i].name)
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// addComparisonWarnings leaves out those of close models, which weigh gives in
// one sentence.
func (r *Report) addComparisonWarnings(warnings []string) {
	for _, w := range warnings {
		if !strings.HasPrefix(w, "the games do not choose between") {
			r.Warnings = append(r.Warnings, modelsInShort(w))
		}
	}
}

func newHandicapReport(f *rating.HandicapFit) Model {
	m := Model{
		Name: shortModel(f.Model), LogLik: format.Finite(f.LogLik), K: f.Parameters, Params: []Param{},
		AIC: format.Finite(f.AIC), BIC: format.Finite(f.BIC), Notes: f.Notes,
	}
	m.setAICc(f.AICc)
	for _, p := range f.Params {
		m.Params = append(m.Params, newHandicapParam(p))
	}
	return m
}

func newHandicapParam(p rating.Param) Param {
	name := p.Name
	if name == "first_move" {
		name = "log_first_move" // as the model of even games has it
	}
	row := Param{Name: name, Value: format.Finite(p.Value), Lo: format.Finite(p.Interval.Lo), Hi: format.Finite(p.Interval.Hi), Why: p.Note}
	switch {
	case p.SE > 0:
		row.SE = format.Finite(p.SE)
	case row.Why == "":
		row.Why = "the games give it no standard error"
	}
	if (row.Lo == nil || row.Hi == nil) && row.Why == "" {
		row.Why = noBound
	}
	return row
}

// describeHandicaps gives the players and handicaps of the best model.
func (r *Report) describeHandicaps(c *rating.HandicapComparison, games *Games) {
	r.DrawParam = drawParam{Model: string(rating.HalfWin), Why: "a draw counts as half a win"}
	if r.Drawn == 0 {
		r.DrawParam.Why = "no game was drawn"
	}
	r.OrderEffect.Why = "the model has no first move in it; --model order has"
	for _, f := range c.Fits {
		if f.Model == rating.FirstMoveOnly && len(f.Params) > 0 {
			p := f.Params[0]
			r.OrderEffect = newOrderEffect(p.Value, p.Interval.Lo, p.Interval.Hi)
			r.OrderEffect.P = format.Finite(f.Against.P)
		}
		if f.Model == c.Best {
			r.addPlayers(f.Players)
			r.addWorths(f)
		}
	}
	for i := range r.Players {
		if p := &r.Players[i]; p.Why == "" {
			p.Why = "models of handicaps give intervals to their parameters only"
		}
	}
	r.addAside(c.SetAside, games.gamesOf())
}

func (r *Report) addWorths(f *rating.HandicapFit) {
	additive := []rating.HandicapModel{rating.Additive1, rating.Additive2, rating.Additive3}
	for _, s := range f.Steps {
		w := handicapWorth{Handicap: s.Handicap, Games: s.Games, Points: s.Points, Value: format.Finite(s.Value), Elo: format.Finite(s.Elo)}
		if s.Handicap > 0 && slices.Contains(additive, f.Model) {
			w.Elo, w.Why = nil, "it is worth more to the weak than to the strong"
		}
		r.Handicaps = append(r.Handicaps, w)
	}
}
