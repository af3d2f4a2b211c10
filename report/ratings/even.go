package ratings

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report"
	"gogi/stats/binomial"
	"gogi/stats/rating"
)

// evenFit is a fitted model of games without handicaps.
type evenFit struct {
	name string
	fit  *rating.Fit
	row  Model
}

// newEvenReport returns the report's row of a model, with all of the model's estimates except the strengths.
func newEvenReport(name string, fit *rating.Fit, confidence float64) (Model, error) {
	m := Model{Name: name, LogLik: format.Finite(fit.LogLik), K: fit.Parameters, Params: []Param{}}
	errs, err := fit.TermErrors()
	if err != nil {
		return m, err
	}
	if fit.Model.FirstMove != rating.NoFirstMove {
		m.Params = append(m.Params, logParam("log_first_move", fit.FirstMove, errorOf(errs, "first_move"), confidence))
	}
	if fit.Model.Draws != rating.HalfWin {
		m.Params = append(m.Params, logParam("log_draw", fit.Draw, errorOf(errs, "draw"), confidence))
	}
	if fit.Model.Prior != (rating.Prior{}) {
		m.Why = i18n.Of("a prior pulls the ratings away from the greatest likelihood, by which models are compared")
		return m, nil
	}
	m.criteria(fit.Evidence)
	return m, nil
}

// errorOf returns the standard error of a term, or NaN if the games do not determine the term.
func errorOf(errs map[string]float64, name string) float64 {
	if se, estimated := errs[name]; estimated {
		return se
	}
	return math.NaN()
}

// logParam returns the estimate of a factor's logarithm. The logarithm's error is approximately normal,
// unlike the factor's.
func logParam(name string, factor, se, confidence float64) Param {
	value, reach := math.Log(factor), distuv.UnitNormal.Quantile((1+confidence)/2)*se
	p := Param{Name: name, Value: format.Finite(value), SE: format.Finite(se),
		Bounds: report.NewBounds(binomial.Interval{Lo: value - reach, Hi: value + reach})}
	if p.SE == nil {
		p.Why = i18n.Of("the games do not determine its error")
	}
	return p
}

// profiled is the largest number of players for profile-likelihood intervals. With more players these
// intervals take too long, and the simpler intervals agree with them.
const profiled = 60

func (r *Report) setDrawParam(fit *rating.Fit) {
	r.DrawParam.Model = string(fit.Model.Draws)
	switch {
	case fit.Model.Draws != rating.HalfWin:
		r.DrawParam.Value = format.Finite(fit.Draw)
	case r.Drawn == 0:
		r.DrawParam.Why = i18n.Of("no game was drawn")
	default:
		r.DrawParam.Why = i18n.Of("a draw counts as half a win")
		if share, ok := fit.DrawnBetweenEquals(); ok {
			r.DrawParam.Why = i18n.Of("a draw counts as half a win; between equals %s are drawn", format.Percent(share))
		}
	}
}

// newOrderEffect returns the effect of the first move. value, lo and hi are logarithms of the factor on Black's
// strength.
func newOrderEffect(value, lo, hi float64) orderEffect {
	e := orderEffect{Factor: format.Finite(math.Exp(value))}
	e.Elo = format.Finite(binomial.EloPerNat * value)
	if e.Bounds = report.NewBounds(binomial.Interval{Lo: binomial.EloPerNat * lo, Hi: binomial.EloPerNat * hi}); e.Open() {
		e.Why = noBound(e.Bounds)
	}
	return e
}
