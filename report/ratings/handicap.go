package ratings

import (
	"slices"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report"
	"gogi/shogi"
	"gogi/stats/rating"
)

// modelName describes a model: the model, its name on the command line, and the conditions on which the
// result of a game depends.
type modelName struct {
	name  string
	model rating.HandicapModel
	words string
}

// HandicapModelNames returns all models of games with handicaps, with their names on the command line. The
// simplest model comes first.
func HandicapModelNames() []modelName {
	return []modelName{
		{"bt", rating.NoEffect, i18n.Phrase("strength alone")},
		{"order", rating.FirstMoveOnly, i18n.Phrase("strength and the first move")},
		{"add1", rating.Additive1, i18n.Phrase("a handicap adds strength, a heavier one no less")},
		{"add2", rating.Additive2, i18n.Phrase("a handicap adds strength, on a straight line")},
		{"add3", rating.Additive3, i18n.Phrase("a handicap adds strength, the same for each step")},
		{"mul1", rating.Multiplicative1, i18n.Phrase("a handicap multiplies strength, a heavier one no less")},
		{"mul2", rating.Multiplicative2, i18n.Phrase("a handicap multiplies strength, on a straight line")},
		{"mul3", rating.Multiplicative3, i18n.Phrase("a handicap multiplies strength, the same for each step")},
		{"linear", rating.LogLinear, i18n.Phrase("a handicap gives the same Elo for each step")},
		{"free", rating.LogFree, i18n.Phrase("each handicap has its own Elo")},
		{"free+order", rating.LogFreeFirst, i18n.Phrase("each handicap and the first move give Elo of their own")},
	}
}

// shortModel returns the name of a model on the command line.
func shortModel(m rating.HandicapModel) string {
	for _, n := range HandicapModelNames() {
		if n.model == m {
			return n.name
		}
	}
	return string(m)
}

// ModelWords describes a model of games in a few words: the factors that decide the result of a game. It
// returns an unknown name unchanged.
func ModelWords(name string) string {
	for _, n := range HandicapModelNames() {
		if n.name == name {
			return n.words
		}
	}
	return name
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

// noted returns a model's remark as a Message. It returns the zero Message for an empty remark.
func noted(remark string) i18n.Message {
	if remark == "" {
		return i18n.Message{}
	}
	return i18n.Verbatim(remark)
}

func newHandicapParam(p rating.Param) Param {
	name := p.Name
	if name == "first_move" {
		name = "log_first_move" // the name in the model of even games
	}
	row := Param{Name: name, Value: format.Finite(p.Value), Bounds: report.NewBounds(p.Interval), Why: noted(p.Note)}
	switch {
	case p.SE > 0:
		row.SE = format.Finite(p.SE)
	case row.Why.IsZero():
		row.Why = i18n.Of("the games give it no standard error")
	}
	if row.Open() && row.Why.IsZero() {
		row.Why = noBound(row.Bounds)
	}
	return row
}

func (o Options) describeHandicaps(r *Report, f *rating.HandicapFit) {
	r.DrawParam = drawParam{Model: string(rating.HalfWin), Why: i18n.Of("a draw counts as half a win")}
	if r.Drawn == 0 {
		r.DrawParam.Why = i18n.Of("no game was drawn")
	}
	if r.OrderEffect.Elo == nil && r.OrderEffect.Why.IsZero() {
		r.OrderEffect.Why = i18n.Of("the model has no first move in it; --model order has")
	}
	r.addPlayers(f.Players)
	r.addWorths(f)
	for i := range f.Players {
		p := &r.Players[i]
		interval, err := f.Profile(p.Name, o.Confidence)
		switch {
		case err == nil:
			p.setInterval(interval)
			r.Intervals = interval.Method
		case p.Why.IsZero():
			p.Why = i18n.Because(err)
		}
	}
	for _, m := range o.Predict {
		q, err := f.Predict(m.A, m.B, m.Handicap, o.Confidence)
		r.Predictions = append(r.Predictions, newPrediction(m, q, err))
	}
	g, err := f.Goodness(o.replay(r))
	r.setGoodness(g, err)
	r.Goodness.Model = shortModel(f.Model)
	if err == nil {
		r.warnModel(g, nil)
	}
}

// setFirstMove sets the report's value of the first move in even games.
func (r *Report) setFirstMove(f *rating.HandicapFit) {
	if len(f.Params) > 0 {
		p := f.Params[0]
		r.OrderEffect = newOrderEffect(p.Value, p.Interval.Lo, p.Interval.Hi)
		r.OrderEffect.P = format.Finite(f.Against.P)
	}
}

// nameHandicaps sets the names of the handicaps if all of them are handicaps of shogi.
func (r *Report) nameHandicaps() {
	known := shogi.Handicaps()
	for i := range r.Handicaps {
		if h := &r.Handicaps[i]; h.Handicap > 0 && h.Handicap <= len(known) {
			h.Name = known[h.Handicap-1].Name
		}
	}
}

func (r *Report) addWorths(f *rating.HandicapFit) {
	additive := []rating.HandicapModel{rating.Additive1, rating.Additive2, rating.Additive3}
	for _, s := range f.Steps {
		w := handicapWorth{Step: s, Value: format.Finite(s.Value), Elo: format.Finite(s.Elo)}
		if s.Handicap > 0 && slices.Contains(additive, f.Model) {
			w.Elo, w.Why = nil, i18n.Of("it is worth more to the weak than to the strong")
		}
		r.Handicaps = append(r.Handicaps, w)
	}
}
