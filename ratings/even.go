package ratings

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"gogi/internal/format"
	"gogi/report"
	"gogi/stats"
	"gogi/stats/rating"
)

// evenFit is a model of games without handicaps.
type evenFit struct {
	name string
	fit  *rating.Fit
	row  Model
}

// newEvenReport is a model's row, with what it estimates beside strengths.
func newEvenReport(name string, fit *rating.Fit, confidence float64) (Model, error) {
	m := Model{Name: name, LogLik: format.Finite(fit.LogLik), K: fit.Parameters, Params: []Param{}}
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
func logParam(name string, factor, se, confidence float64) Param {
	value, reach := math.Log(factor), quantile(confidence)*se
	p := Param{Name: name, Value: format.Finite(value), SE: format.Finite(se), Lo: format.Finite(value - reach), Hi: format.Finite(value + reach)}
	if p.SE == nil {
		p.Why = "the games do not determine its error"
	}
	return p
}

// profiled is how many players get profile intervals; more would take too long,
// and with so many the simpler ones agree with them.
const profiled = 60

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
func (r *Report) warnWorst(residuals []rating.Residual) {
	if len(residuals) == 0 || !report.Significant(residuals[0].PHolm) {
		return
	}
	w := residuals[0]
	r.warn("%s scored %.1f of %d against %s, where the ratings expect %.1f (p = %s, for all pairings together)", w.A, w.Points, w.Games, w.B, w.Expected, format.PValue(w.PHolm))
}

func (r *Report) setDrawParam(fit *rating.Fit) {
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

// newOrderEffect takes logarithms of the factor.
func newOrderEffect(value, lo, hi float64) orderEffect {
	e := orderEffect{Factor: format.Finite(math.Exp(value)), Elo: format.Finite(EloPerNat * value), Lo: format.Finite(EloPerNat * lo), Hi: format.Finite(EloPerNat * hi)}
	if e.Lo == nil || e.Hi == nil {
		e.Why = noBound
	}
	return e
}
