// Package ratings rates the players of the games in files and runs. It also lists reasons to doubt the
// ratings. [NewGames] collects games, and [Rate] returns a [Report]. The models are those of package stats/rating.
package ratings

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report"
	"gogi/stats/rating"
)

// Options has the flags of "gogi rate": the models, and what the report contains.
type Options struct {
	Model      string       `enum:"bt,order,add1,add2,add3,mul1,mul2,mul3,linear,free,free+order,all" default:"all" help:"Model: bt (Bradley-Terry), order (bt with first-player advantage), a model of handicaps, or all (compare the models; even games are rated by bt, games with handicaps by the model with the lowest AIC) (default ${default}). A handicap adds to its receiver's strength (add1, add2, add3), multiplies it (mul1, mul2, mul3), has the same Elo for each step (linear), or has its own Elo (free, free+order)."`
	Draws      string       `enum:"half,davidson,auto" default:"half" help:"Model of draws: half (half a win for both, so that ratings are Elo), davidson (ratings on its own scale) or auto (davidson if even games were drawn and it has an estimate, else half) (default ${default})."`
	Prior      rating.Prior `kong:"-"`
	Confidence float64      `default:"0.95" help:"Confidence level of the intervals (default ${default})."`
	Bootstrap  int          `placeholder:"N" help:"Number of bootstrap simulations for the intervals and the test of the model (default: none for the intervals, and as many as needed for the test)."`
	Seed       uint64       `default:"1" help:"Seed of the simulations (default ${default})."`
	Predict    []Matchup    `kong:"-"`
	Pairwise   bool         `help:"Compare every two players, with p values adjusted by Holm's method."`
	Anchor     *Anchor      `kong:"-"` // the player with a fixed rating. If it is nil, the mean of all ratings is 0.
	Untested   bool         `kong:"-"` // omits the test of the model. This test simulates all games many times.
	Command    string       `kong:"-"` // the command that rates these games, for advice. If it is "", gogi rate.
}

// Rate fits the requested models to the games. It returns an error if the games do not determine ratings, or
// if the options are not possible for these games. It also returns an error if a file uses a name that
// several players of the runs have. The error has advice for the user.
func Rate(games *Games, o Options) (*Report, error) {
	record, err := games.record()
	if err != nil {
		return nil, err
	}
	if planned := games.anchor(); o.Anchor == nil && planned != nil && o.Bootstrap == 0 && record.handicapped() == 0 &&
		record.gamesOf()[planned.Player] > 0 {
		o.Anchor = planned
	}
	if err := errors.Join(checkPlayers(o.Predict, record.gamesOf()), o.checkAnchor(record.gamesOf())); err != nil {
		return nil, err
	}
	r := &Report{
		Version: 2, Games: int(record.table.Played()), Handicapped: record.handicapped(), Evidence: games.evidence(),
		Drawn: record.drawn, Confidence: o.Confidence, Warnings: []Warning{},
	}
	r.warnGames(games)
	o.addSessions(r, games)
	if r.Handicapped > 0 {
		err = o.rateHandicaps(r, record)
	} else {
		err = o.rateEven(r, record)
	}
	if err == nil && !games.numbered {
		r.nameHandicaps()
	}
	if err != nil {
		return nil, err
	}
	r.setElo()
	r.warnCycles(record.table)
	return r, nil
}

// priorAdvice returns the advice for games that do not rate a player.
func (o Options) priorAdvice() i18n.Message {
	return i18n.Of("%s --prior gaussian=300 rates all players together", cmp.Or(o.Command, "gogi rate"))
}

// noRatings returns an error with the reason why there are no ratings, and with advice. handicaps means that the models
// are models of handicaps, which allow no prior.
func (o Options) noRatings(err error, record played, handicaps bool) error {
	advice := o.priorAdvice()
	connection := record.table.Connection()
	if connection.Why == "" {
		if !handicaps && errors.Is(err, rating.ErrNoMaximum) {
			return i18n.Errorf("%s", i18n.Lines([]i18n.Message{
				i18n.Of("no ratings: one side won so many games that they set no limit to its strength (%s)", err),
				advice,
			}))
		}
		return err
	}
	lines := []i18n.Message{i18n.Of("no ratings: %s", i18n.Of(connection.Why))}
	for _, aside := range connection.SetAside {
		lines = append(lines, i18n.Of("%s: %s", aside.Player, apart(aside)))
	}
	if !handicaps && int(record.table.Played()) > 0 {
		lines = append(lines, advice)
	}
	return i18n.Errorf("%s", i18n.Lines(lines))
}

func (o Options) rateEven(r *Report, record played) error {
	fits, err := o.fitEven(r, record)
	if err != nil {
		return o.noRatings(err, record, false)
	}
	for _, f := range fits {
		r.Models = append(r.Models, f.row)
	}
	// The ratings are those of bt, whatever the AIC, because only they are Elo of the score over both colours. The test of
	// the model is that of the best model, because an effect of the first move does not make these ratings wrong.
	chosen, tested := fits[0], fits[0]
	if best := r.weigh(); best != nil {
		tested = fits[slices.IndexFunc(fits, func(f evenFit) bool { return f.name == best.Name })]
	}
	r.Selected, r.Scale, r.Rated = chosen.name, chosen.fit.Scale(), chosen.fit.Games
	if err := o.describeEven(r, chosen.fit); err != nil {
		return err
	}
	o.testEven(r, tested)
	r.addAside(chosen.fit.SetAside, record.gamesOf())
	r.setDrawParam(chosen.fit)
	if err := o.setOrderEffect(r, fits); err != nil {
		return err
	}
	if p := r.OrderEffect.P; p != nil && r.Selected == "bt" && report.Significant(*p) && !record.table.EvenColours() {
		r.warn(ColoursUneven,
			i18n.Of("some players had one colour against each other more often than the other, and the first move has an effect (p = %s), which the ratings include; --model order separates it", format.PValue(*p)))
	}
	return nil
}

// fitEven fits the requested models. If there are several, it skips those that the games do not determine,
// with a warning.
func (o Options) fitEven(r *Report, record played) ([]evenFit, error) {
	names := []string{o.Model}
	switch o.Model {
	case "bt", "order":
	case "all":
		names = []string{"bt", "order"}
	default:
		return nil, fail.Usage(fmt.Errorf("--model %s: no game has a handicap; expected bt, order or all", o.Model))
	}
	model := rating.Model{Draws: o.drawModel(r), Prior: o.Prior, Sessions: r.Sessions.inModel(), DrawErrors: true}
	fits, failure := o.fitModels(names, record, model)
	if len(fits) == 0 && o.Draws == "auto" && model.Draws == rating.Davidson {
		model.Draws = rating.HalfWin
		why := failure
		if fits, failure = o.fitModels(names, record, model); len(fits) > 0 {
			r.warn(DrawsFallBack, i18n.Of("a draw counts as half a win, because davidson has no estimate: %s",
				i18n.Because(why)))
		}
	}
	if len(fits) == 0 {
		return nil, failure
	}
	if failure != nil {
		r.warn(LeftOut, i18n.Of("left out: %s", i18n.Because(failure)))
	}
	return fits, nil
}

// fitModels fits several models. The error is the reason why the first of those without an estimate has none.
func (o Options) fitModels(names []string, record played, m rating.Model) (fits []evenFit, failure error) {
	for _, name := range names {
		f, err := o.fitModel(name, record, m)
		switch {
		case err == nil:
			fits = append(fits, f)
		case failure == nil:
			failure = fmt.Errorf("model %s: %w", name, o.advised(err, name, record, m))
		}
	}
	return fits, failure
}

// advised returns err, the reason why a model of draws has no estimate. If the option --draws half gives an
// estimate, the returned error recommends it.
func (o Options) advised(err error, model string, record played, m rating.Model) error {
	if m.Draws == rating.HalfWin || o.Draws == "auto" {
		return err
	}
	if _, half := o.fitModel(model, record, rating.Model{Draws: rating.HalfWin, Prior: o.Prior}); half != nil {
		return err
	}
	return fmt.Errorf("%w; --draws half, where a draw is half a win, has an estimate", err)
}

func (o Options) fitModel(name string, record played, m rating.Model) (evenFit, error) {
	if name == "order" {
		m.FirstMove = rating.Multiplicative
	}
	fit, err := rating.RateTable(record.table, m)
	if err != nil {
		return evenFit{}, err
	}
	row, err := newEvenReport(name, fit, o.Confidence)
	return evenFit{name, fit, row}, err
}

// drawModel returns the model of draws that --draws requests. If no game was drawn, it returns HalfWin. With --draws
// auto it also returns HalfWin if all games were drawn, because then there is no draw rate to estimate.
func (o Options) drawModel(r *Report) rating.Draws {
	if o.Draws == "half" || r.Drawn == 0 || o.Draws == "auto" && r.Drawn == r.Games {
		return rating.HalfWin
	}
	return rating.Davidson
}

// describeEven adds the players with their intervals, predictions and comparisons to the report.
func (o Options) describeEven(r *Report, fit *rating.Fit) error {
	r.addPlayers(fit.Players)
	intervals, err := o.intervals(fit)
	if err != nil {
		return err
	}
	for i := range fit.Players {
		r.Players[i].setInterval(intervals[i])
		r.Intervals = cmp.Or(intervals[i].Method, r.Intervals)
	}
	if o.Anchor != nil {
		r.fix(*o.Anchor)
	}
	for _, m := range o.Predict {
		q, err := fit.Predict(m.A, m.B, o.Confidence)
		if m.Handicap > 0 {
			err = fmt.Errorf("no game was played with a handicap: the ratings do not say what %d is worth", m.Handicap)
		}
		r.Predictions = append(r.Predictions, newPrediction(m, q, err))
	}
	if o.Pairwise {
		list, err := fit.PairwiseElo(o.Confidence)
		if err != nil {
			return fmt.Errorf("--pairwise: %w", err)
		}
		r.addComparisons(list)
	}
	return nil
}

// testEven adds the goodness of fit of a model to the report.
func (o Options) testEven(r *Report, f evenFit) {
	g, err := f.fit.Goodness(o.replay(r))
	r.setGoodness(g, err)
	r.Goodness.Model = f.name
	if err == nil && g.Samples > 0 {
		r.warnModel(g, f.fit.Residuals())
	}
}

// These are the default limits of the bootstrap. They allow enough samples to decide whether the p value is below 5%.
const (
	replaySamples = 499
	replayExceed  = 25
	replayGames   = 200_000 // with more games gogi simulates fewer samples.
	replayPlayers = 150     // with more players gogi simulates no samples, because each takes too long.
)

// replay returns the settings of the simulation of all games that tests the model.
func (o Options) replay(r *Report) rating.Replay {
	switch {
	case o.Bootstrap > 0:
		return rating.Replay{Samples: o.Bootstrap, Seed: o.Seed}
	case o.Untested || len(r.Players) > replayPlayers:
		return rating.Replay{}
	case r.Games > replayGames:
		return rating.Replay{Samples: replaySamples / 5, Seed: o.Seed, Exceed: replayExceed / 5}
	}
	return rating.Replay{Samples: replaySamples, Seed: o.Seed, Exceed: replayExceed}
}

// setOrderEffect sets the effect of the first move in the report, even if the selected model does not have it.
func (o Options) setOrderEffect(r *Report, fits []evenFit) error {
	last := fits[len(fits)-1]
	if last.name != "order" {
		r.OrderEffect.Why = i18n.Of("the model has no first move in it; --model order has")
		return nil
	}
	if err := o.estimateOrder(r, last.fit); err != nil {
		return err
	}
	if len(fits) < 2 {
		r.OrderEffect.Why = i18n.Of("p: without the model bt there is nothing to test against; --model all has it")
		return nil
	}
	test, err := rating.LikelihoodRatio(fits[0].fit, last.fit)
	if err != nil {
		r.OrderEffect.Why = i18n.Of("p: %s", i18n.Because(err))
		return nil
	}
	r.OrderEffect.P = format.Finite(test.P)
	return nil
}

// estimateOrder sets the estimate of the first move's effect.
func (o Options) estimateOrder(r *Report, fit *rating.Fit) error {
	if fit.Scale() == rating.ScaleDavidson { // the factor is no Elo: it changes the odds of a win against a loss
		q, err := fit.PredictEquals(o.Confidence)
		if err != nil {
			return err
		}
		logit := func(score float64) float64 { return math.Log(score / (1 - score)) }
		r.OrderEffect = newOrderEffect(logit(q.Score), logit(q.Interval.Lo), logit(q.Interval.Hi))
		r.OrderEffect.Factor = format.Finite(fit.FirstMove)
		return nil
	}
	interval, err := fit.ProfileFirstMove(o.Confidence)
	if err != nil {
		return err
	}
	r.OrderEffect = newOrderEffect(math.Log(fit.FirstMove), math.Log(interval.Lo), math.Log(interval.Hi))
	return nil
}

func (o Options) rateHandicaps(r *Report, record played) error {
	switch {
	case o.Prior != (rating.Prior{}):
		return fail.Usage(errors.New("--prior: the models of handicaps have none; leave it out, or rate even games only"))
	case o.Draws != "auto" && o.Draws != "half":
		return fail.Usage(fmt.Errorf("--draws %s: the models of handicaps count a draw as half a win; --draws half says so",
			o.Draws))
	case o.Anchor != nil:
		return fail.Usage(errors.New("--anchor: the models of handicaps have none; leave it out, or rate even games only"))
	case o.Pairwise:
		return fail.Usage(errors.New("--pairwise: the models of handicaps compare no players in pairs; leave it out, or rate even games only"))
	}
	comparison, err := o.fitHandicaps(r, record)
	if err != nil {
		return o.noRatings(err, record, true)
	}
	if o.Model == "all" && confounded(comparison.Warnings) {
		return errors.New("no ratings: who received which handicap is a function of who played, so the games cannot tell its worth from the ratings" +
			"\n  even games between the same players, or the handicap the other way round, would" +
			"\n  --model bt rates as if the handicap were worth nothing")
	}
	for _, f := range comparison.Fits {
		r.Models = append(r.Models, newHandicapReport(f))
	}
	r.Selected, r.Rated = shortModel(comparison.Best), comparison.Games
	r.choose()
	r.warnComparison(comparison.Warnings)
	for _, f := range comparison.Fits {
		if f.Model == rating.FirstMoveOnly {
			r.setFirstMove(f)
		}
		if f.Model == comparison.Best {
			r.Scale = f.Scale()
			o.describeHandicaps(r, f)
			r.addAside(comparison.SetAside, record.gamesOf())
		}
	}
	return nil
}

func confounded(warnings []rating.Warning) bool {
	return slices.ContainsFunc(warnings, func(w rating.Warning) bool { return w.Kind == rating.HandicapIsGap })
}

// fitHandicaps fits the requested models. With "all" it skips those that the games do not determine, with a
// warning.
func (o Options) fitHandicaps(r *Report, record played) (*rating.HandicapComparison, error) {
	var models []rating.HandicapModel
	for _, n := range HandicapModelNames() {
		if o.Model == "all" || o.Model == n.name {
			models = append(models, n.model)
		}
	}
	comparison, err := rating.CompareHandicapTable(record.table, o.Confidence, models...)
	var failed *rating.ModelError
	if err == nil || !errors.As(err, &failed) {
		return comparison, err
	}
	if len(models) == 1 {
		return nil, inShort(failed)
	}
	var possible []rating.HandicapModel
	for _, m := range models {
		if _, why := rating.CompareHandicapTable(record.table, o.Confidence, m); errors.As(why, &failed) {
			r.warn(LeftOut, i18n.Of("left out: %s", i18n.Because(inShort(failed))))
			continue
		}
		possible = append(possible, m)
	}
	if len(possible) == 0 {
		return nil, inShort(failed)
	}
	return rating.CompareHandicapTable(record.table, o.Confidence, possible...)
}

// inShort returns the error with the model's name on the command line.
func inShort(e *rating.ModelError) error {
	return fmt.Errorf("model %s: %w", shortModel(e.Model), e.Err)
}
