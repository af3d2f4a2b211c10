package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gogi/internal/format"
	"gogi/internal/usage"
	"gogi/stats/rating"
)

// handicapModelName is a handicap model as the command line spells it.
type handicapModelName struct {
	name  string
	model rating.HandicapModel
}

func handicapModelNames() []handicapModelName {
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
	for _, n := range handicapModelNames() {
		if n.model == m {
			return n.name
		}
	}
	return string(m)
}

func (c *rateCommand) rateHandicaps(r *rateReport, games *gamesRead, prior rating.Prior) error {
	switch {
	case prior != (rating.Prior{}):
		return usage.Wrap(errors.New("--prior: the models of handicaps have none; leave it out, or rate even games only"))
	case c.Draws != "auto" && c.Draws != "half":
		return usage.Wrap(fmt.Errorf("--draws %s: the models of handicaps count a draw as half a win; expected half", c.Draws))
	}
	comparison, err := c.fitHandicaps(r, games)
	if err != nil {
		return noRatings(err, games, true)
	}
	for _, f := range comparison.Fits {
		r.Models = append(r.Models, newHandicapReport(f))
	}
	r.Selected = shortModel(comparison.Best)
	r.weigh()
	r.addComparisonWarnings(comparison.Warnings)
	r.describeHandicaps(comparison, games)
	for _, f := range comparison.Fits {
		if f.Model == comparison.Best {
			r.setGoodness(f.Goodness(c.Bootstrap, c.Seed))
		}
	}
	return nil
}

// fitHandicaps fits the models asked for. Of all, those that the games do not
// determine are left out with a warning.
func (c *rateCommand) fitHandicaps(r *rateReport, games *gamesRead) (*rating.HandicapComparison, error) {
	var models []rating.HandicapModel
	for _, n := range handicapModelNames() {
		if c.Model == "all" || c.Model == n.name {
			models = append(models, n.model)
		}
	}
	comparison, err := rating.CompareHandicaps(games.counts, c.Confidence, models...)
	if err == nil || len(models) == 1 {
		return comparison, err
	}
	var possible []rating.HandicapModel
	for _, m := range models {
		if _, why := rating.CompareHandicaps(games.counts, c.Confidence, m); why != nil {
			r.warn("left out: %s", modelsInShort(why.Error()))
			continue
		}
		possible = append(possible, m)
	}
	if len(possible) == 0 {
		r.Warnings = nil
		return nil, err
	}
	return rating.CompareHandicaps(games.counts, c.Confidence, possible...)
}

// modelsInShort spells the models in a text as the command line does.
func modelsInShort(text string) string {
	var pairs []string
	names := handicapModelNames()
	for i := len(names) - 1; i >= 0; i-- { // log_free_first before log_free
		if names[i].model != rating.NoEffect {
			pairs = append(pairs, string(names[i].model), names[i].name)
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// addComparisonWarnings leaves out those of close models, which weigh gives in
// one sentence.
func (r *rateReport) addComparisonWarnings(warnings []string) {
	for _, w := range warnings {
		if !strings.HasPrefix(w, "the games do not choose between") {
			r.Warnings = append(r.Warnings, modelsInShort(w))
		}
	}
}

func newHandicapReport(f *rating.HandicapFit) modelReport {
	m := modelReport{
		Name: shortModel(f.Model), LogLik: format.Finite(f.LogLik), K: f.Parameters, Params: []paramReport{},
		AIC: format.Finite(f.AIC), BIC: format.Finite(f.BIC), Notes: f.Notes,
	}
	m.setAICc(f.AICc)
	for _, p := range f.Params {
		m.Params = append(m.Params, newHandicapParam(p))
	}
	return m
}

func newHandicapParam(p rating.Param) paramReport {
	name := p.Name
	if name == "first_move" {
		name = "log_first_move" // as the model of even games has it
	}
	row := paramReport{Name: name, Value: format.Finite(p.Value), Lo: format.Finite(p.Interval.Lo), Hi: format.Finite(p.Interval.Hi), Why: p.Note}
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
func (r *rateReport) describeHandicaps(c *rating.HandicapComparison, games *gamesRead) {
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

func (r *rateReport) addWorths(f *rating.HandicapFit) {
	additive := []rating.HandicapModel{rating.Additive1, rating.Additive2, rating.Additive3}
	for _, s := range f.Steps {
		w := handicapWorth{Handicap: s.Handicap, Games: s.Games, Points: s.Points, Value: format.Finite(s.Value), Elo: format.Finite(s.Elo)}
		if s.Handicap > 0 && slices.Contains(additive, f.Model) {
			w.Elo, w.Why = nil, "it is worth more to the weak than to the strong"
		}
		r.Handicaps = append(r.Handicaps, w)
	}
}
