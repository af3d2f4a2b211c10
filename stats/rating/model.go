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

// A Draws is a model of draws.
type Draws string

// The draw models.
const (
	// HalfWin counts a draw as half a win for each player. It has no probability of draws. So it cannot
	// simulate games if some were drawn, and its intervals are then slightly too wide.
	HalfWin Draws = "half_win"
	// Davidson (1970) gives a draw the weight ν√(π_i π_j) next to the π_i and π_j of the two wins.
	Davidson Draws = "davidson"
	// RaoKupper (1967) gives i a win with probability π_i/(π_i + λπ_j), λ ≥ 1. The rest is the probability of
	// a draw.
	RaoKupper Draws = "rao_kupper"
)

// A FirstMove is a model of the value of the first move, which Black has.
type FirstMove string

// The first-move effects.
const (
	NoFirstMove FirstMove = "none"
	// Multiplicative multiplies Black's strength by a factor. That is the same number of Elo points for every
	// player.
	Multiplicative FirstMove = "multiplicative"
	// Additive gives Black a win with probability (π_i + δ)/(π_i + π_j). It has no prior and only the draw
	// model HalfWin. Newton's method fits it.
	Additive FirstMove = "additive"
)

// A Method is an algorithm for the maximum of the likelihood. All have the same result.
type Method string

// The methods.
const (
	// Newton solves each step by conjugate gradients.
	Newton Method = "newton"
	// MM is the minorisation of Hunter (2004), player after player. It needs more steps if the players are
	// sparsely connected.
	MM Method = "mm"
)

// A Prior draws ratings together, so that even a player who lost every game has one. The zero value is no
// prior, for maximum likelihood.
type Prior struct {
	SD           float64 // standard deviation of a Gaussian for each log strength, in natural units (1 is 173.7 Elo); 0 for none
	VirtualDraws float64 // draws, half a win each, between every two players, without a first-move effect
}

func (p Prior) exists() bool { return p.SD > 0 || p.VirtualDraws > 0 }

// A Model is a model that [Rate] fits. The zero value is the plain Bradley–Terry model.
type Model struct {
	Draws     Draws     // "" is HalfWin
	FirstMove FirstMove // "" is NoFirstMove
	Method    Method    // "" is Newton
	Prior     Prior
}

// resolved sets the defaults and rejects unknown values.
func (m Model) resolved() (Model, error) {
	m.Draws = cmp.Or(m.Draws, HalfWin)
	m.FirstMove = cmp.Or(m.FirstMove, NoFirstMove)
	m.Method = cmp.Or(m.Method, Newton)
	switch {
	case !slices.Contains([]Draws{HalfWin, Davidson, RaoKupper}, m.Draws):
		return m, fmt.Errorf("unknown draw model %q", string(m.Draws))
	case !slices.Contains([]FirstMove{NoFirstMove, Multiplicative, Additive}, m.FirstMove):
		return m, fmt.Errorf("unknown first-move effect %q", string(m.FirstMove))
	case !slices.Contains([]Method{Newton, MM}, m.Method):
		return m, fmt.Errorf("unknown method %q", string(m.Method))
	case !isSize(m.Prior.SD) || !isSize(m.Prior.VirtualDraws):
		return m, errors.New("a prior's size is a finite number that is not negative")
	case m.FirstMove == Additive && (m.Draws != HalfWin || m.Prior.exists() || m.Method != Newton):
		return m, errors.New("the additive first-move effect has no prior, no draw model, and no MM algorithm")
	}
	return m, nil
}

func isSize(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }

// A Fit is a fitted model.
type Fit struct {
	Model      Model               // with defaults set
	Players    []crosstable.Player // best first, equals by name
	FirstMove  float64             // factor of Black's strength, or the δ added to it; 1 or 0 without an effect
	Draw       float64             // ν of Davidson, λ of Rao–Kupper; 0 for HalfWin
	LogLik     float64             // natural logarithm, of the games alone: no binomial constants, no prior
	Parameters int                 // number of estimates; the level of strengths does not count
	Games      int                 // between players rated
	Evidence   float64             // sum of the games' weights ([crosstable.Count.Weight])
	Iterations int
	SetAside   []crosstable.Excluded

	table crosstable.Table
	rank  []int // number in table by place in Players
	at    newton.Peak
	inner inner
	errs  *robust          // nil if no games depend on each other
	all   crosstable.Table // with those set aside
}

// An inner is a problem whose value is a likelihood of games between players.
type inner interface {
	newton.Problem
	logLik(x []float64) float64
	expected(x []float64) [][3]float64 // probabilities of win, draw and loss of each cell's Black
	information(x []float64) matrix
	part(cells []crosstable.Cell) inner // the likelihood of these cells alone, without a prior
	gradient(x []float64) []float64     // of logLik, in x
	shiftFree() bool                    // a common shift of log strengths changes nothing
	estimated() int
}

// Rate fits a model to even games. Without a prior it first sets aside the players whose rating the games do
// not determine ([crosstable.Table.Connection]), with their games. With a prior it rates every player who
// played. Rate returns an error, with the reason, if there are no unique ratings, and if the likelihood of a
// first-move effect or draw parameter has no maximum. It also returns an error for handicap games
// ([CompareHandicapTable]) and for impossible counts or models.
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

// RateTable is [Rate] of a table, which several models may share.
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

func rate(all crosstable.Table, m Model) (*Fit, error) {
	f, err := fit(all, m)
	if f != nil {
		f.all = all
	}
	return f, err
}

func fit(t crosstable.Table, m Model) (*Fit, error) {
	t, aside, err := rateable(t, m)
	if err != nil {
		return nil, err
	}
	if m.FirstMove == Additive {
		return rateAdditive(t, m, aside)
	}
	l := newLadder(t, m)
	at, err := l.maximum(m.Method)
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

func (l *ladder) maximum(by Method) (newton.Peak, error) {
	if by == MM {
		return l.minorise()
	}
	return newton.Climb(l, l.headStart(), nil)
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
	return errors.New("the likelihood has no maximum: it rises for ever as these move apart: " + strings.Join(what, ", "))
}

// rateable returns the table of the players that the model can rate.
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
	case m.FirstMove != NoFirstMove && !m.Prior.exists() && following(t, func(*crosstable.Cell) float64 { return 1 }) > confounded:
		return t, aside, errors.New("who had Black is a function of who played: the games cannot tell the first-move effect from the ratings")
	case m.FirstMove != NoFirstMove && draws == 0 && whiteWins == 0:
		return t, aside, errors.New("every game was won by Black: the first-move effect has no estimate")
	case m.FirstMove != NoFirstMove && draws == 0 && blackWins == 0:
		return t, aside, errors.New("every game was won by White: the first-move effect has no estimate")
	}
	return t, aside, nil
}

// newFit returns a fit without the terms other than strengths.
func newFit(t crosstable.Table, m Model, l inner, at newton.Peak, aside []crosstable.Excluded) *Fit {
	f := &Fit{
		Model:      m,
		LogLik:     at.Value,
		Parameters: l.estimated(),
		Games:      int(t.Played()),
		Evidence:   t.Games(),
		Iterations: at.Iterations,
		SetAside:   aside,
		table:      t,
		at:         at,
		inner:      l,
	}
	if m.Prior.exists() {
		f.LogLik = l.logLik(at.X)
	}
	f.Players, f.rank = crosstable.Ranking(t, at.X)
	f.errs = newRobust(t, l, at.X)
	return f
}

// number returns a player's number in the table.
func (f *Fit) number(player string) (int, error) { return numberIn(f.table, f.SetAside, player) }

// numberIn returns a player's number in a table, or an error with the reason why the player has none.
func numberIn(t crosstable.Table, aside []crosstable.Excluded, player string) (int, error) {
	i, ok := slices.BinarySearch(t.Names, player)
	if ok {
		return i, nil
	}
	for _, a := range aside {
		if a.Player == player {
			return 0, fmt.Errorf("%s has no rating: %s", player, a.Why)
		}
	}
	return 0, fmt.Errorf("%s has no rating: played no game", player)
}
