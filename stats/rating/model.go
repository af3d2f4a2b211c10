package rating

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gogi/stats/rating/crosstable"
	"gogi/stats/rating/newton"
)

// A Draws is the name of a model of drawn games.
type Draws string

// The draw models.
const (
	// HalfWin counts a draw as half a win for each player, so ratings are in Elo of the expected score. The
	// draws themselves enter only the simulation of games, the predictions, and with Model.DrawErrors the
	// intervals.
	HalfWin Draws = "half_win"
	// Davidson (1970) gives a draw the weight ν√(π_i π_j). π_i and π_j are the strengths of the players; they
	// are also the weights of their wins. Ratings are log odds of a win against a loss, and not Elo.
	Davidson Draws = "davidson"
)

// A FirstMove is the name of a model of the advantage of the first move, which Black has.
type FirstMove string

// The first-move effects.
const (
	NoFirstMove FirstMove = "none"
	// Multiplicative multiplies Black's strength by a factor. This adds the same number of Elo points for
	// every player.
	Multiplicative FirstMove = "multiplicative"
)

// A Prior pulls ratings towards each other, so that even a player who lost every game has a rating. With the
// zero value, which means no prior, the fit maximises the likelihood.
type Prior struct {
	SD           float64 // standard deviation of a Gaussian prior of each log strength (1 is 173.7 Elo); 0: no such prior
	VirtualDraws float64 // number of added draws, half a win each, between every two players, without a first-move effect
}

func (p Prior) exists() bool { return p.SD > 0 || p.VirtualDraws > 0 }

// A Model holds the options of a Bradley–Terry model: how draws and the first move count, and the prior. The
// zero value is the plain Bradley–Terry model.
type Model struct {
	Draws     Draws     // "" is HalfWin
	FirstMove FirstMove // "" is NoFirstMove
	Prior     Prior
	Sessions  *Sessions // nil: sessions do not differ
	// DrawErrors has an effect with HalfWin if games were drawn. Standard errors and intervals then follow from the
	// observed results (Huber 1967; White 1982). Otherwise they count each two draws as a win and a loss,
	// which vary more, so they are too wide.
	DrawErrors bool
}

// A Scale is the meaning of the ratings of a fit. On each scale a difference of 400 points means odds of ten to one.
type Scale string

// The scales.
const (
	// ScaleElo is Elo: the odds are those of the expected score of a game, over both colours.
	ScaleElo Scale = "elo"
	// ScaleOrder has the odds of the expected score of a game in which the first move is worth nothing.
	ScaleOrder Scale = "order"
	// ScaleDavidson has the odds of a win against a loss, in a game in which the first move is worth nothing.
	ScaleDavidson Scale = "davidson"
)

// Scale returns the scale of the ratings, their intervals and their differences ([Fit].Players, [Fit.Profile],
// [Fit.Wald], [Fit.ProfileDifference], [Fit.Pairwise], [Fit.Bootstrap]). [Fit.PairwiseElo] is in Elo on every scale.
func (f *Fit) Scale() Scale {
	switch {
	case f.Model.Draws == Davidson:
		return ScaleDavidson
	case f.Model.FirstMove == Multiplicative:
		return ScaleOrder
	}
	return ScaleElo
}

// Scale returns the scale of the ratings and their intervals.
func (f *HandicapFit) Scale() Scale {
	if f.Model == FirstMoveOnly || f.Model == LogFreeFirst {
		return ScaleOrder
	}
	return ScaleElo
}

// Sessions describes games that were played in several sessions, each of which shifts the difference of two players.
// The estimates do not depend on it, but their variances and intervals include the shifts. It has no effect on games of
// which none is in a cluster ([crosstable.Count.Cluster]).
type Sessions struct {
	Shifts  []Shift
	Freedom float64 // degrees of freedom of the estimate of the shifts. Intervals are by Student's t.
}

// A Shift is the variance of the points of A against B that the shifts of their sessions cause, with the weights of the
// games.
type Shift struct {
	A, B     string
	Variance float64
}

// resolved returns the model with its defaults set. It returns an error for unknown values.
func (m Model) resolved() (Model, error) {
	m.Draws = cmp.Or(m.Draws, HalfWin)
	m.FirstMove = cmp.Or(m.FirstMove, NoFirstMove)
	switch {
	case !slices.Contains([]Draws{HalfWin, Davidson}, m.Draws):
		return m, fmt.Errorf("unknown draw model %q", string(m.Draws))
	case !slices.Contains([]FirstMove{NoFirstMove, Multiplicative}, m.FirstMove):
		return m, fmt.Errorf("unknown first-move effect %q", string(m.FirstMove))
	case !isSize(m.Prior.SD) || !isSize(m.Prior.VirtualDraws):
		return m, errors.New("a prior's size is a finite number that is not negative")
	}
	return m, nil
}

func isSize(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }

// A Fit is a model fitted to games: the ratings of the players, and the estimated effects of draws and of the
// first move.
type Fit struct {
	Model   Model               // the model, with defaults set.
	Players []crosstable.Player // best first. Players with equal ratings are ordered by name.
	// factor of Black's strength, or the δ that is added to it. Without an effect it is 1 or 0.
	FirstMove  float64
	Draw       float64 // ν of Davidson. It is 0 for HalfWin.
	LogLik     float64 // natural logarithm of the likelihood of the games, without binomial constants and prior.
	Parameters int     // number of estimated parameters, without the common level of strengths
	Games      int     // number of games between rated players
	Evidence   float64 // sum of the games' weights ([crosstable.Count.Weight])
	Iterations int

	fitted
	rank []int // number in table of each player in Players
}

// A fitted has the games of a fit and their likelihood, with the maximum.
type fitted struct {
	SetAside []crosstable.Excluded

	table crosstable.Table // the rated players
	at    newton.Peak
	inner inner
	draws Draws
	known [][3]float64 // the result of probabilities, or nil
	errs  *robust      // nil if the information of the model is enough for the standard errors
}

// probabilities returns, for each cell, the probabilities that Black wins, draws and loses.
func (f *fitted) probabilities() [][3]float64 {
	if f.known != nil {
		return f.known
	}
	p := f.inner.expected(f.at.X)
	if f.halves() {
		nu := drawParameter(p, f.table.Cells)
		for n := range p {
			p[n] = withDraws(p[n], nu)
		}
	}
	return p
}

// independent returns the covariance of the estimates for independent games.
func (f *fitted) independent() (matrix, error) {
	if f.errs != nil {
		return f.errs.inverse, nil
	}
	return inverseOf(f.inner.information(f.at.X), len(f.table.Names), f.inner.shiftFree())
}

// An inner is the log-likelihood of games between players, as a Problem to maximise.
type inner interface {
	newton.Problem
	logLik(x []float64) float64
	expected(x []float64) [][3]float64 // probabilities of win, draw and loss of each cell's Black.
	information(x []float64) matrix
	part(cells []crosstable.Cell) inner // the likelihood of these cells alone, without a prior.
	gradient(x []float64) []float64     // gradient of logLik at x
	shiftFree() bool                    // reports whether a common shift of log strengths changes nothing
	prior(x []float64) matrix           // part of the information at x that is from the prior; nil without one
	estimated() int                     // number of estimated parameters
}

// Rate fits a model to even games. Without a prior it first excludes the players whose rating cannot be
// determined ([crosstable.Table.Connection]), with their games. With a prior it rates every player who
// played. Rate returns an error with the reason if there are no unique ratings. It returns an error if the
// likelihood has no maximum in the first-move effect or the draw parameter. It also returns an error for
// handicap games ([CompareHandicapTable]) and for impossible counts or models.
func Rate(counts []crosstable.Count, m Model) (*Fit, error) {
	if _, err := m.resolved(); err != nil {
		return nil, err
	}
	t, err := crosstable.New(counts)
	if err != nil {
		return nil, err
	}
	return RateTable(t, m)
}

// RateTable fits a model to a table as [Rate] does. Several models may share the table.
func RateTable(t crosstable.Table, m Model) (*Fit, error) {
	m, err := m.resolved()
	if err != nil {
		return nil, err
	}
	for i := range t.Cells {
		if c := &t.Cells[i]; c.Handicap > 0 {
			return nil, fmt.Errorf("%s against %s was a handicap game", t.Names[c.Black], t.Names[c.White])
		}
	}
	return rate(t, m)
}

func rate(t crosstable.Table, m Model) (*Fit, error) {
	t, aside, err := rateable(t, m)
	if err != nil {
		return nil, err
	}
	l := newLadder(t, m)
	at, err := newton.Climb(l, l.headStart(), nil)
	if err != nil {
		return nil, err
	}
	if len(at.Drifting) > 0 {
		return nil, l.whyDrifting(t, at)
	}
	f := newFit(t, m, l, at, aside)
	first, draw := l.terms(at.X)
	f.FirstMove = math.Exp(first)
	if m.Draws != HalfWin {
		f.Draw = math.Exp(draw)
	}
	return f, nil
}

func (l *ladder) whyDrifting(t crosstable.Table, at newton.Peak) error {
	var what []string
	for _, i := range at.Drifting {
		switch i {
		case l.first:
			what = append(what, "the first-move effect")
		case l.draw:
			what = append(what, "the draw parameter")
		default:
			what = append(what, t.Names[i])
		}
	}
	return fmt.Errorf("%w: it rises for ever as these move apart: %s", ErrNoMaximum, strings.Join(what, ", "))
}

// ErrNoMaximum is the error for games whose likelihood has no maximum, because some players won too many of their
// games. A prior gives it a maximum.
var ErrNoMaximum = errors.New("the likelihood has no maximum")

// rateable returns the table of the players that the model can rate, and the excluded players.
func rateable(t crosstable.Table, m Model) (crosstable.Table, []crosstable.Excluded, error) {
	var aside []crosstable.Excluded
	if m.Prior.exists() {
		if t, aside = t.Active(); len(t.Cells) == 0 {
			return t, aside, errors.New("no game")
		}
	} else {
		var err error
		if t, aside, err = t.Rated(); err != nil {
			return t, aside, err
		}
	}
	blackWins := t.Sum(func(c *crosstable.Cell) float64 { return c.Wins })
	whiteWins := t.Sum(func(c *crosstable.Cell) float64 { return c.Losses })
	switch draws := t.Draws(); {
	case m.Draws != HalfWin && blackWins+whiteWins == 0:
		return t, aside, errors.New("every game was drawn: the draw parameter has no estimate")
	case m.FirstMove != NoFirstMove && !m.Prior.exists() &&
		following(t, func(*crosstable.Cell) float64 { return 1 }) > confounded:
		return t, aside,
			errors.New("who had Black is a function of who played: the games cannot tell the first-move effect from the ratings")
	case m.FirstMove != NoFirstMove && draws == 0 && whiteWins == 0:
		return t, aside, errors.New("every game was won by Black: the first-move effect has no estimate")
	case m.FirstMove != NoFirstMove && draws == 0 && blackWins == 0:
		return t, aside, errors.New("every game was won by White: the first-move effect has no estimate")
	case m.FirstMove == Multiplicative && m.Draws == HalfWin && !m.Prior.exists() && (rises(t, 1) || rises(t, -1)):
		return t, aside, fmt.Errorf("%w: it rises for ever as the first-move effect and the strengths change together",
			ErrNoMaximum)
	}
	return t, aside, nil
}

// newFit returns a fit at a maximum. It does not set the terms other than strengths.
func newFit(t crosstable.Table, m Model, l inner, at newton.Peak, aside []crosstable.Excluded) *Fit {
	f := &Fit{
		Model:      m,
		LogLik:     at.Value,
		Parameters: l.estimated(),
		Games:      int(t.Played()),
		Evidence:   t.Games(),
		Iterations: at.Iterations,
		fitted:     fitted{SetAside: aside, table: t, at: at, inner: l, draws: m.Draws, errs: newRobust(t, l, at.X, m)},
	}
	if m.Prior.exists() {
		f.LogLik = l.logLik(at.X)
	}
	f.Players, f.rank = crosstable.Ranking(t, at.X)
	return f
}

// number returns a player's number in the table. If the player is not in the table, it returns an error with the
// reason.
func (f *fitted) number(player string) (int, error) {
	i, ok := slices.BinarySearch(f.table.Names, player)
	if ok {
		return i, nil
	}
	for _, a := range f.SetAside {
		if a.Player == player {
			return 0, fmt.Errorf("%s has no rating: %s", player, a.Why)
		}
	}
	return 0, fmt.Errorf("%s has no rating: played no game", player)
}

// numbers returns the numbers of two players.
func (f *fitted) numbers(a, b string) (i, j int, err error) {
	if i, err = f.number(a); err == nil {
		j, err = f.number(b)
	}
	return i, j, err
}

// rises reports whether the likelihood rises for ever if the logarithm of the first-move effect moves in the direction
// by, 1 or -1, and draws count as half a win. It does so if the log strengths d can move so that no result that
// occurred becomes less likely: d(Black) + by >= d(White) for each game in which Black scored, and the reverse if White
// scored. rises looks for such a d by the method of Bellman and Ford for systems of difference constraints. There is
// none if the constraints have a cycle that lowers d for ever.
func rises(t crosstable.Table, by float64) bool {
	d := make([]float64, len(t.Names))
	lowest := -float64(len(d)) // a path without a cycle is shorter
	for settled := false; !settled; {
		settled = true
		lower := func(player int32, to float64) {
			if to < d[player] {
				d[player], settled = to, false
			}
		}
		for i := range t.Cells {
			c := &t.Cells[i]
			if c.Wins+c.Draws > 0 {
				lower(c.White, d[c.Black]+by)
			}
			if c.Losses+c.Draws > 0 {
				lower(c.Black, d[c.White]-by)
			}
			if min(d[c.Black], d[c.White]) < lowest {
				return false
			}
		}
	}
	return true
}
