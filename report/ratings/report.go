package ratings

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report"
	"gogi/stats/binomial"
	"gogi/stats/rating"
	"gogi/stats/rating/crosstable"
)

// Report is the result that "gogi rate --json" prints. A number that does not exist is null, with a "why"
// next to it.
type Report struct {
	Version     int      `json:"version"` // 2: warnings have a kind
	Games       int      `json:"games"`
	Rated       int      `json:"games_rated"`    // games between rated players. The likelihood is based on them.
	Handicapped int      `json:"handicap_games"` // number of games with a handicap
	Drawn       int      `json:"drawn_games"`    // number of drawn games
	Evidence    Evidence `json:"evidence"`
	Confidence  float64  `json:"confidence"`
	Intervals   string   `json:"intervals,omitempty"` // the method of the players' intervals.
	// player with a fixed rating. Without it the mean of all ratings is 0.
	Anchor      *Anchor      `json:"anchor,omitempty"`
	Scale       rating.Scale `json:"scale"` // of the players' ratings and their intervals
	Players     []Player     `json:"players"`
	OrderEffect orderEffect  `json:"order_effect"`
	DrawParam   drawParam    `json:"draw_param"` // how the model counts draws
	// nil: the games with a time limit are from one session at most
	Sessions  *Sessions       `json:"sessions,omitempty"`
	Handicaps []handicapWorth `json:"handicaps,omitempty"` // estimates of the selected model
	Selection
	Goodness    goodnessOfRating `json:"goodness"` // fit of the model with the lowest AIC
	Predictions []Prediction     `json:"predictions,omitempty"`
	// comparisons of every two players, if Options.Pairwise is set.
	Comparisons []Comparison `json:"comparisons,omitempty"`
	Warnings    []Warning    `json:"warnings"`

	// More prints further tables after the comparisons; nil: none.
	More func(w io.Writer, in i18n.Language) `json:"-"`
}

// Selection holds all models that were fitted to the games, and the name of the selected model. The ratings
// come from the selected model.
type Selection struct {
	Models   []Model `json:"models"`
	Selected string  `json:"selected"` // name of the selected model
}

// Estimate is a player's strength by the fitted model, also as a rating in Elo. Both numbers are nil for a
// player without a finite rating.
type Estimate struct {
	Name     string   `json:"name"`
	Strength *float64 `json:"strength"` // the sum of all strengths is 50 times the number of rated players.
	// relative to the anchor, or with a mean of 0. A difference is the Elo of the expected score.
	Elo *float64 `json:"elo"`
}

// NewEstimate returns an Estimate. Numbers that are not finite become nil.
func NewEstimate(name string, strength, elo float64) Estimate {
	return Estimate{name, format.Finite(strength), format.Finite(elo)}
}

// Player is one player's rating, or the reason why the player has no rating. Elo is nil if Report.Scale is another
// scale.
type Player struct {
	Estimate
	Rating        *float64 `json:"rating"` // on Report.Scale, relative to the anchor, or with a mean of 0
	report.Bounds          // ends of the interval of Rating
	// games against rated players. For a player without a rating they are all games.
	Games  int          `json:"games"`
	Points *float64     `json:"points"`
	Why    i18n.Message `json:"why,omitzero"`
}

// orderEffect is the effect of the first move.
type orderEffect struct {
	Factor            *float64 `json:"factor"` // factor of Black's strength
	report.Difference          // P is that of the likelihood-ratio test
}

type drawParam struct {
	Model string       `json:"model"` // half_win or davidson
	Value *float64     `json:"value"` // the parameter ν of davidson
	Why   i18n.Message `json:"why,omitzero"`
}

// handicapWorth is the effect of a handicap on its receiver's strength.
type handicapWorth struct {
	rating.Step
	Name  string       `json:"name,omitempty"` // set if all handicaps are handicaps of shogi
	Value *float64     `json:"value"`          // worth of the step by the model's own scale
	Elo   *float64     `json:"elo"`
	Why   i18n.Message `json:"why,omitzero"`
}

// Model is the result of one model that was fitted to the games.
type Model struct {
	Name   string       `json:"name"`
	LogLik *float64     `json:"loglik"`
	K      int          `json:"k"` // number of estimated parameters
	Params []Param      `json:"params"`
	AIC    *float64     `json:"aic"`    // Akaike information criterion
	AICc   *float64     `json:"aicc"`   // Akaike information criterion, corrected for few games
	BIC    *float64     `json:"bic"`    // Bayesian information criterion
	Weight *float64     `json:"weight"` // Akaike weight
	Why    i18n.Message `json:"why,omitzero"`
	Notes  []string     `json:"notes,omitempty"` // remarks on the fit
}

// Param is an estimated parameter of a model other than the players' strengths, such as the value of the
// first move.
type Param struct {
	Name  string   `json:"name"`
	Value *float64 `json:"value"` // estimate of the parameter
	SE    *float64 `json:"se"`
	report.Bounds
	Why i18n.Message `json:"why,omitzero"`
}

// goodnessOfRating has tests whether the results of the pairings agree with the model.
type goodnessOfRating struct {
	Model    string   `json:"model"`                 // name of the model
	Deviance *float64 `json:"deviance"`              // deviance of the model
	DF       *int     `json:"df"`                    // degrees of freedom
	PAgain   *float64 `json:"p_bootstrap,omitempty"` // p value by simulation
	// p value by simulation, for the pairing farthest from the model's expectation.
	PWorst  *float64     `json:"p_worst,omitempty"`
	Samples int          `json:"samples,omitempty"` // number of simulations of all games
	Why     i18n.Message `json:"why,omitzero"`
}

// apart returns the reason why gogi calculates no rating for a player.
func apart(a crosstable.Excluded) i18n.Message {
	games := strconv.FormatFloat(a.Games, 'f', 0, 64)
	switch {
	case a.Kind == crosstable.LostAll && a.Later:
		return i18n.Of("lost all games (%s) against players not set aside before", games)
	case a.Kind == crosstable.LostAll:
		return i18n.Of("lost all games (%s)", games)
	case a.Kind == crosstable.WonAll && a.Later:
		return i18n.Of("won all games (%s) against players not set aside before", games)
	case a.Kind == crosstable.WonAll:
		return i18n.Of("won all games (%s)", games)
	case a.Later:
		return i18n.Of("played no game against players not set aside before")
	}
	return i18n.Of("played no game")
}

// noBound returns the reason why an end of an interval is missing.
func noBound(b report.Bounds) i18n.Message {
	switch {
	case b.Lo != nil:
		return i18n.Of("the games set no upper bound")
	case b.Hi != nil:
		return i18n.Of("the games set no lower bound")
	}
	return i18n.Of("the games set no bound")
}

// setInterval sets a player's interval, or the reason why it is missing.
func (p *Player) setInterval(i binomial.Interval) {
	if p.Bounds = report.NewBounds(i); p.Open() {
		p.Why = noBound(p.Bounds)
	}
}

// addPlayers adds the players of a model to the report, best first.
func (r *Report) addPlayers(players []crosstable.Player) {
	for _, p := range players {
		row := Player{
			Estimate: Estimate{Name: p.Name, Strength: format.Finite(p.Strength)}, Rating: format.Finite(p.Elo),
			Games: p.Games, Points: format.Finite(p.Points),
		}
		if row.Rating == nil {
			row.Why = i18n.Of("the likelihood only rises to a limit: no finite rating")
		}
		r.Players = append(r.Players, row)
	}
}

// addAside adds the players without a rating to the report. games has the number of games of each player.
func (r *Report) addAside(aside []crosstable.Excluded, games map[string]int) {
	for _, a := range aside {
		r.Players = append(r.Players, Player{Estimate: Estimate{Name: a.Player}, Games: games[a.Player], Why: apart(a)})
	}
}

// setElo sets the players' Elo if the ratings are Elo, and otherwise the reason why they are not.
func (r *Report) setElo() {
	for i := range r.Players {
		p := &r.Players[i]
		switch {
		case p.Rating == nil:
		case r.Scale == rating.ScaleElo:
			p.Elo = new(*p.Rating)
		case p.Why.IsZero():
			p.Why = i18n.Of("ratings of this model are not Elo")
		}
	}
}

// choose selects the model with the lowest AIC, and warns if other models are close to it.
func (r *Report) choose() {
	if best := r.weigh(); best != nil {
		r.Selected = best.Name
		r.warnClose(*best.AIC)
	}
}

// weigh calculates the models' Akaike weights, and returns the model with the lowest AIC. It returns nil if the models
// cannot be compared.
func (r *Report) weigh() (best *Model) {
	aics := make([]float64, len(r.Models))
	for i, m := range r.Models {
		if m.AIC == nil {
			return nil
		}
		aics[i] = *m.AIC
	}
	weights, err := rating.AkaikeWeights(aics)
	if err != nil {
		return nil
	}
	for i := range r.Models {
		r.Models[i].Weight = format.Finite(weights[i])
		if best == nil || aics[i] < *best.AIC {
			best = &r.Models[i]
		}
	}
	return best
}

// setGoodness sets the report's goodness of fit of the selected model, or the reason why it is missing.
func (r *Report) setGoodness(g rating.Goodness, err error) {
	if err != nil {
		r.Goodness.Why = i18n.Because(err)
		return
	}
	r.Goodness = goodnessOfRating{Deviance: format.Finite(g.Deviance), DF: &g.DF}
	if g.DF <= 0 {
		r.Goodness.Why = i18n.Of("there are as many parameters as rates to explain")
	}
	if g.Samples > 0 {
		r.Goodness.PAgain, r.Goodness.PWorst, r.Goodness.Samples = format.Finite(g.Bootstrap), format.Finite(g.Worst),
			g.Samples
	}
}

// criteria sets the model's AIC, BIC and AICc from its log-likelihood and the number of games.
func (m *Model) criteria(games float64) {
	aic, aicc, bic := rating.Criteria(*m.LogLik, m.K, games)
	m.AIC, m.BIC = format.Finite(aic), format.Finite(bic)
	m.setAICc(aicc)
}

// setAICc sets the AICc. If v is infinite, there are too few games, and setAICc sets this reason instead.
func (m *Model) setAICc(v float64) {
	m.AICc, m.Why = format.Finite(v), i18n.Message{}
	if m.AICc == nil {
		m.Why = i18n.Of("aicc: too few games for so many parameters")
	}
}

// Criteria compares models by AIC and BIC, calculated from published log-likelihoods instead of games.
type Criteria struct {
	Version int `json:"version"`
	Games   int `json:"games,omitempty"` // 0: unknown, so no AICc and no BIC
	Selection
	Warnings []Warning `json:"warnings"`
}

// ParsePrinted reads the published figures of a model from text of the form NAME=LOGLIK,K. LOGLIK is the
// log-likelihood. K is the number of estimated parameters; they include the strengths of all players except
// one.
func ParsePrinted(text string) (Model, error) {
	name, numbers, found := strings.Cut(text, "=")
	loglik, count, both := strings.Cut(numbers, ",")
	l, errL := strconv.ParseFloat(strings.TrimSpace(loglik), 64)
	k, errK := strconv.Atoi(strings.TrimSpace(count))
	if !found || !both || name == "" || errL != nil || errK != nil || k < 0 || format.Finite(l) == nil {
		return Model{}, fmt.Errorf("%s: expected NAME=LOGLIK,K such as mul3=-69.00,14", format.Quoted(text))
	}
	return Model{Name: name, LogLik: &l, K: k, Params: []Param{}}, nil
}

// NewCriteria calculates the AIC and the Akaike weights of the models. If games, the number of games, is not
// 0, it also calculates AICc and BIC. It returns an error if models is empty.
func NewCriteria(models []Model, games int) (*Criteria, error) {
	if len(models) == 0 {
		return nil, errors.New("no model to compare")
	}
	r := &Report{Selection: Selection{Models: models}, Warnings: []Warning{}}
	for i := range r.Models {
		m := &r.Models[i]
		m.criteria(float64(games))
		if games == 0 {
			m.AICc, m.BIC, m.Why = nil, nil, i18n.Of("aicc and bic depend on the number of games (--games)")
		}
	}
	r.choose()
	return &Criteria{Version: 1, Games: games, Selection: r.Selection, Warnings: r.Warnings}, nil
}

// Print writes the criteria as a table for a terminal.
func (c *Criteria) Print(w io.Writer, in i18n.Language) {
	r := &Report{Selection: c.Selection, Warnings: c.Warnings}
	r.printModels(w, in)
	r.printRemarks(w, in)
}
