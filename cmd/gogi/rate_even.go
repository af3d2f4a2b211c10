package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"gogi/internal/format"
	"gogi/internal/usage"
	"gogi/report"
	"gogi/stats"
	"gogi/stats/rating"
)

// evenFit is a model of games without handicaps.
type evenFit struct {
	name string
	fit  *rating.Fit
	row  modelReport
}

func (c *rateCommand) rateEven(r *rateReport, games *gamesRead, prior rating.Prior) error {
	fits, err := c.fitEven(r, games, prior)
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
	if err := c.describeEven(r, chosen.fit); err != nil {
		return err
	}
	r.addAside(chosen.fit.SetAside, games.gamesOf())
	r.setDrawParam(chosen.fit)
	return c.setOrderEffect(r, fits)
}

// fitEven fits the models asked for. Of several, those that the games do not
// determine are left out with a warning.
func (c *rateCommand) fitEven(r *rateReport, games *gamesRead, prior rating.Prior) ([]evenFit, error) {
	names := []string{c.Model}
	switch c.Model {
	case "bt", "order":
	case "all":
		names = []string{"bt", "order"}
	default:
		return nil, usage.Wrap(fmt.Errorf("--model %s: no game has a handicap; expected bt, order or all", c.Model))
	}
	var fits []evenFit
	var failure error
	for _, name := range names {
		f, err := c.fitModel(name, games.counts, rating.Model{Draws: c.drawModel(r), Prior: prior})
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

func (c *rateCommand) fitModel(name string, counts []rating.Count, m rating.Model) (evenFit, error) {
	if name == "order" {
		m.FirstMove = rating.Multiplicative
	}
	fit, err := rating.Rate(counts, m)
	if err != nil {
		return evenFit{}, err
	}
	row, err := newEvenReport(name, fit, c.Confidence)
	return evenFit{name, fit, row}, err
}

// drawModel is that of --draws; without a draw, or with nothing else, there is
// no rate of draws to model.
func (c *rateCommand) drawModel(r *rateReport) rating.Draws {
	switch {
	case c.Draws == "half" || r.Drawn == 0 || c.Draws == "auto" && r.Drawn == r.Games:
		return rating.HalfWin
	case c.Draws == "rao-kupper":
		return rating.RaoKupper
	}
	return rating.Davidson
}

// newEvenReport is a model's row, with what it estimates beside strengths.
func newEvenReport(name string, fit *rating.Fit, confidence float64) (modelReport, error) {
	m := modelReport{Name: name, LogLik: format.Finite(fit.LogLik), K: fit.Parameters, Params: []paramReport{}}
	covariance, err := fit.Covariance()
	if err != nil {
		return m, err
	}
	if fit.Model.FirstMove != rating.NoFirstMove {
		m.Params = append(m.Params, logParam("log_first_move", fit.FirstMove, errorOf(covariance, "first_move"), confidence))
	}
	if fit.Model.Draws != rating.HalfWin {
		m.Params = append(m.Params, logParam("log_draw", fit.Draw, errorOf(covariance, "draw"), confidence))
	}
	if fit.Model.Prior != (rating.Prior{}) {
		m.Why = "a prior pulls the ratings away from the greatest likelihood, by which models are compared"
		return m, nil
	}
	m.criteria(fit.Games)
	return m, nil
}

func errorOf(c rating.Covariance, name string) float64 {
	for i, n := range c.Names {
		if n == name && i >= len(c.Names)-2 { // a player may have that name, too
			return math.Sqrt(c.Matrix[i][i])
		}
	}
	return math.NaN()
}

// quantile is how many standard errors an interval reaches to each side.
func quantile(confidence float64) float64 {
	return distuv.UnitNormal.Quantile((1 + confidence) / 2)
}

// logParam is the logarithm of a factor, whose errors are about normal.
func logParam(name string, factor, se, confidence float64) paramReport {
	value, reach := math.Log(factor), quantile(confidence)*se
	p := paramReport{Name: name, Value: format.Finite(value), SE: format.Finite(se), Lo: format.Finite(value - reach), Hi: format.Finite(value + reach)}
	if p.SE == nil {
		p.Why = "the games do not determine its error"
	}
	return p
}

// profiled is how many players get profile intervals; more would take too long,
// and with so many the simpler ones agree with them.
const profiled = 60

// describeEven gives the players with their intervals, and the goodness of fit.
func (c *rateCommand) describeEven(r *rateReport, fit *rating.Fit) error {
	r.addPlayers(fit.Players)
	intervals, err := c.playerIntervals(fit)
	if err != nil {
		return err
	}
	for i := range fit.Players {
		r.Players[i].setInterval(intervals[i])
		r.Intervals = intervals[i].Method
	}
	r.setGoodness(fit.Goodness(c.Bootstrap, c.Seed))
	r.warnWorst(fit.Residuals())
	return nil
}

func (c *rateCommand) playerIntervals(fit *rating.Fit) ([]stats.Interval, error) {
	switch {
	case c.Bootstrap > 0:
		b, err := fit.Bootstrap(c.Bootstrap, c.Confidence, c.Seed)
		if err != nil {
			return nil, fmt.Errorf("--bootstrap: %w", err)
		}
		return b.Players, nil
	case len(fit.Players) > profiled:
		return waldIntervals(fit, c.Confidence)
	}
	var list []stats.Interval
	for _, p := range fit.Players {
		i, err := fit.Profile(p.Name, c.Confidence)
		if err != nil {
			return nil, fmt.Errorf("interval of %s: %w", p.Name, err)
		}
		list = append(list, i)
	}
	return list, nil
}

func waldIntervals(fit *rating.Fit, confidence float64) ([]stats.Interval, error) {
	errs, err := fit.EloErrors()
	if err != nil {
		return nil, err
	}
	var list []stats.Interval
	for i, p := range fit.Players {
		reach := quantile(confidence) * errs[i]
		list = append(list, stats.Interval{Method: "wald", Level: confidence, Lo: p.Elo - reach, Hi: p.Elo + reach})
	}
	return list, nil
}

// warnWorst names the pairing that is farthest from what the ratings say.
func (r *rateReport) warnWorst(residuals []rating.Residual) {
	if len(residuals) == 0 || !report.Significant(residuals[0].PHolm) {
		return
	}
	w := residuals[0]
	r.warn("%s scored %.1f of %d against %s, where the ratings expect %.1f (p = %s, for all pairings together)", w.A, w.Points, w.Games, w.B, w.Expected, format.PValue(w.PHolm))
}

func (r *rateReport) setDrawParam(fit *rating.Fit) {
	r.DrawParam.Model = string(fit.Model.Draws)
	switch {
	case fit.Model.Draws != rating.HalfWin:
		r.DrawParam.Value = format.Finite(fit.Draw)
	case r.Drawn == 0:
		r.DrawParam.Why = "no game was drawn"
	default:
		r.DrawParam.Why = "a draw counts as half a win"
	}
}

// setOrderEffect reports the first move's worth, also where the model without it
// was selected.
func (c *rateCommand) setOrderEffect(r *rateReport, fits []evenFit) error {
	last := fits[len(fits)-1]
	if last.name != "order" {
		r.OrderEffect.Why = "the model has no first move in it; --model order has"
		return nil
	}
	interval, err := last.fit.ProfileFirstMove(c.Confidence)
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

// newOrderEffect takes logarithms of the factor.
func newOrderEffect(value, lo, hi float64) orderEffect {
	e := orderEffect{Factor: format.Finite(math.Exp(value)), Elo: format.Finite(eloPerNat * value), Lo: format.Finite(eloPerNat * lo), Hi: format.Finite(eloPerNat * hi)}
	if e.Lo == nil || e.Hi == nil {
		e.Why = noBound
	}
	return e
}
