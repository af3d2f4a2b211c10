// Package ratings rates players by the games of files and runs, and tells what the ratings
// rest on. The models are those of stats/rating.
package ratings

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gogi/internal/format"
	"gogi/internal/usage"
	"gogi/stats"
	"gogi/stats/rating"
)

// EloPerNat turns natural logarithms of strengths into Elo points.
const EloPerNat = 400 / math.Ln10

// Options are how games are to be rated.
type Options struct {
	Model      string // bt, order, add1 to mul3, linear, free, free+order, all
	Draws      string // auto, davidson, rao-kupper, half
	Prior      rating.Prior
	Confidence float64 // of the intervals, between 0 and 1
	Bootstrap  int     // repetitions; 0: none
	Seed       uint64  // of the bootstrap
}

// Rate fits what was asked for to the games.
func Rate(games *Games, o Options) (*Report, error) {
	r := &Report{
		Version: 1, Games: games.sum(rating.Count.Games), Handicapped: games.handicapped(),
		Drawn: games.sum(func(n rating.Count) int { return n.Draws }), Confidence: o.Confidence,
		Warnings: append([]string{}, games.warnings...),
	}
	var err error
	if r.Handicapped > 0 {
		err = o.rateHandicaps(r, games)
	} else {
		err = o.rateEven(r, games)
	}
	if err != nil {
		return nil, err
	}
	r.warnCycles(games.counts)
	return r, nil
}

// noRatings explains why there is no rating, and what one can do about it.
func noRatings(err error, games *Games, handicaps bool) error {
	connection, failed := rating.Connect(games.counts)
	if failed != nil || connection.Why == "" {
		return err
	}
	lines := []string{"no ratings: " + connection.Why}
	for _, aside := range connection.SetAside {
		lines = append(lines, aside.Player+": "+aside.Why)
	}
	if !handicaps && games.sum(rating.Count.Games) > 0 {
		lines = append(lines, "--prior gaussian=300 rates everybody all the same")
	}
	return errors.New(strings.Join(lines, "\n  "))
}

func (o Options) rateEven(r *Report, games *Games) error {
	fits, err := o.fitEven(r, games)
	if err != nil {
		return noRatings(err, games, false)
	}
	for _, f := range fits {
		r.Models = append(r.Models, f.row)
	}
	// With a prior nothing is compared; the larger model is the more careful one.
	chosen := fits[len(fits)-1]
	r.Selected = chosen.name
	r.weigh()
	for _, f := range fits {
		if f.name == r.Selected {
			chosen = f
		}
	}
	if err := o.describeEven(r, chosen.fit); err != nil {
		return err
	}
	r.addAside(chosen.fit.SetAside, games.gamesOf())
	r.setDrawParam(chosen.fit)
	return o.setOrderEffect(r, fits)
}

// fitEven fits the models asked for. Of several, those that the games do not
// determine are left out with a warning.
func (o Options) fitEven(r *Report, games *Games) ([]evenFit, error) {
	names := []string{o.Model}
	switch o.Model {
	case "bt", "order":
	case "all":
		names = []string{"bt", "order"}
	default:
		return nil, usage.Wrap(fmt.Errorf("--model %s: no game has a handicap; expected bt, order or all", o.Model))
	}
	var fits []evenFit
	var failure error
	for _, name := range names {
		f, err := o.fitModel(name, games.counts, rating.Model{Draws: o.drawModel(r), Prior: o.Prior})
		if err != nil {
			failure = fmt.Errorf("model %s: %w", name, err)
			continue
		}
		fits = append(fits, f)
	}
	if len(fits) == 0 {
		return nil, failure
	}
	if failure != nil {
		r.warn("left out: %v", failure)
	}
	return fits, nil
}

func (o Options) fitModel(name string, counts []rating.Count, m rating.Model) (evenFit, error) {
	if name == "order" {
		m.FirstMove = rating.Multiplicative
	}
	fit, err := rating.Rate(counts, m)
	if err != nil {
		return evenFit{}, err
	}
	row, err := newEvenReport(name, fit, o.Confidence)
	return evenFit{name, fit, row}, err
}

// drawModel is that of --draws; without a draw, or with nothing else, there is
// no rate of draws to model.
func (o Options) drawModel(r *Report) rating.Draws {
	switch {
	case o.Draws == "half" || r.Drawn == 0 || o.Draws == "auto" && r.Drawn == r.Games:
		return rating.HalfWin
	case o.Draws == "rao-kupper":
		return rating.RaoKupper
	}
	return rating.Davidson
}

// describeEven gives the players with their intervals, and the goodness of fit.
func (o Options) describeEven(r *Report, fit *rating.Fit) error {
	r.addPlayers(fit.Players)
	intervals, err := o.playerIntervals(fit)
	if err != nil {
		return err
	}
	for i := range fit.Players {
		r.Players[i].setInterval(intervals[i])
		r.Intervals = intervals[i].Method
	}
	r.setGoodness(fit.Goodness(o.Bootstrap, o.Seed))
	r.warnWorst(fit.Residuals())
	return nil
}

func (o Options) playerIntervals(fit *rating.Fit) ([]stats.Interval, error) {
	switch {
	case o.Bootstrap > 0:
		b, err := fit.Bootstrap(o.Bootstrap, o.Confidence, o.Seed)
		if err != nil {
			return nil, fmt.Errorf("--bootstrap: %w", err)
		}
		return b.Players, nil
	case len(fit.Players) > profiled:
		return waldIntervals(fit, o.Confidence)
	}
	var list []stats.Interval
	for _, p := range fit.Players {
		i, err := fit.Profile(p.Name, o.Confidence)
		if err != nil {
			return nil, fmt.Errorf("interval of %s: %w", p.Name, err)
		}
		list = append(list, i)
	}
	return list, nil
}

// setOrderEffect reports the first move's worth, also where the model without it
// was selected.
func (o Options) setOrderEffect(r *Report, fits []evenFit) error {
	last := fits[len(fits)-1]
	if last.name != "order" {
		r.OrderEffect.Why = "the model has no first move in it; --model order has"
		return nil
	}
	interval, err := last.fit.ProfileFirstMove(o.Confidence)
	if err != nil {
		return err
	}
	r.OrderEffect = newOrderEffect(math.Log(last.fit.FirstMove), math.Log(interval.Lo), math.Log(interval.Hi))
	if len(fits) < 2 {
		r.OrderEffect.Why = "p: without the model bt there is nothing to test against; --model all has it"
		return nil
	}
	test, err := rating.LikelihoodRatio(fits[0].fit, last.fit)
	if err != nil {
		r.OrderEffect.Why = "p: " + err.Error()
		return nil
	}
	r.OrderEffect.P = format.Finite(test.P)
	return nil
}

func (o Options) rateHandicaps(r *Report, games *Games) error {
	switch {
	case o.Prior != (rating.Prior{}):
		return usage.Wrap(errors.New("--prior: the models of handicaps have none; leave it out, or rate even games only"))
	case o.Draws != "auto" && o.Draws != "half":
		return usage.Wrap(fmt.Errorf("--draws %s: the models of handicaps count a draw as half a win; expected half", o.Draws))
	}
	comparison, err := o.fitHandicaps(r, games)
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
			r.setGoodness(f.Goodness(o.Bootstrap, o.Seed))
		}
	}
	return nil
}

// fitHandicaps fits the models asked for. Of all, those that the games do not
// determine are left out with a warning.
func (o Options) fitHandicaps(r *Report, games *Games) (*rating.HandicapComparison, error) {
	var models []rating.HandicapModel
	for _, n := range HandicapModelNames() {
		if o.Model == "all" || o.Model == n.name {
			models = append(models, n.model)
		}
	}
	comparison, err := rating.CompareHandicaps(games.counts, o.Confidence, models...)
	if err == nil || len(models) == 1 {
		return comparison, err
	}
	var possible []rating.HandicapModel
	for _, m := range models {
		if _, why := rating.CompareHandicaps(games.counts, o.Confidence, m); why != nil {
			r.warn("left out: %s", modelsInShort(why.Error()))
			continue
		}
		possible = append(possible, m)
	}
	if len(possible) == 0 {
		r.Warnings = nil
		return nil, err
	}
	return rating.CompareHandicaps(games.counts, o.Confidence, possible...)
}
