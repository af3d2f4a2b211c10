package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gogi/stats/binomial"
)

// An Outcome is the result of a game from A's point of view.
type Outcome uint8

// The outcomes. None of them is the zero value, so that a forgotten field is an error and not a result.
const (
	Win Outcome = iota + 1
	Draw
	Loss
)

// A Leg is the result of one game of a pair.
type Leg struct {
	Outcome  Outcome
	AIsBlack bool
	// Points are A's points: 1 for a win, 0 for a loss, and for a draw the points that the rules give, mostly
	// 0.5. The opponent gets 1 minus Points. Points are multiples of 0.001.
	Points float64
}

// A Pair has the results of two games from one opening with colours swapped, in either order. If colours are
// not swapped, it has the result of one game.
type Pair []Leg

// A WDL counts wins, draws and losses from one player's point of view.
type WDL struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

// Games returns the number of games.
func (w WDL) Games() int { return w.Wins + w.Draws + w.Losses }

// Decisive returns the number n of decisive games, and the number k of wins among them.
func (w WDL) Decisive() (k, n int) { return w.Wins, w.Wins + w.Losses }

// Mirror returns the counts from the opponent's point of view.
func (w WDL) Mirror() WDL { return WDL{w.Losses, w.Draws, w.Wins} }

func (w WDL) plus(o WDL) WDL {
	return WDL{w.Wins + o.Wins, w.Draws + o.Draws, w.Losses + o.Losses}
}

func (w WDL) minus(o WDL) WDL {
	return WDL{w.Wins - o.Wins, w.Draws - o.Draws, w.Losses - o.Losses}
}

func (w *WDL) count(o Outcome) {
	switch o {
	case Win:
		w.Wins++
	case Draw:
		w.Draws++
	case Loss:
		w.Losses++
	}
}

// A Pentanomial counts colour-swapped pairs by their two outcomes, from A's point of view. It divides the usual middle
// count, the pairs with one point, into WL and DD. A win and a loss (WL) often means that the opening decided both
// games; two draws (DD) never do.
type Pentanomial struct {
	LL int `json:"ll"`
	LD int `json:"ld"`
	WL int `json:"wl"`
	DD int `json:"dd"`
	WD int `json:"wd"`
	WW int `json:"ww"`
}

// Pairs returns the number of pairs.
func (p Pentanomial) Pairs() int { return p.LL + p.LD + p.WL + p.DD + p.WD + p.WW }

// Mirror returns the counts from the opponent's point of view.
func (p Pentanomial) Mirror() Pentanomial {
	return Pentanomial{LL: p.WW, LD: p.WD, WL: p.WL, DD: p.DD, WD: p.LD, WW: p.LL}
}

func (p Pentanomial) plus(o Pentanomial) Pentanomial {
	return Pentanomial{p.LL + o.LL, p.LD + o.LD, p.WL + o.WL, p.DD + o.DD, p.WD + o.WD, p.WW + o.WW}
}

func (p Pentanomial) minus(o Pentanomial) Pentanomial {
	return Pentanomial{p.LL - o.LL, p.LD - o.LD, p.WL - o.WL, p.DD - o.DD, p.WD - o.WD, p.WW - o.WW}
}

func (p *Pentanomial) count(w WDL) {
	switch w {
	case WDL{Losses: 2}:
		p.LL++
	case WDL{Losses: 1, Draws: 1}:
		p.LD++
	case WDL{Wins: 1, Losses: 1}:
		p.WL++
	case WDL{Draws: 2}:
		p.DD++
	case WDL{Wins: 1, Draws: 1}:
		p.WD++
	case WDL{Wins: 2}:
		p.WW++
	}
}

// A Tally counts finished pairs from A's point of view. The zero value has no pairs. Copies of a Tally are
// independent of each other. The order of the added pairs does not matter.
type Tally struct {
	Black   WDL // A's games as Black
	White   WDL // A's games as White
	Penta   Pentanomial
	Singles int // number of pairs of one game. Penta does not count them.

	paired scores // points of colour-swapped pairs
	single scores // points of pairs of one game
}

// Add counts a finished pair. If the pair is not one or two games with an outcome and matching points, or if
// two games did not swap colours, Add counts nothing and returns an error.
func (t *Tally) Add(p Pair) error {
	points, err := p.points()
	if err != nil {
		return err
	}
	*t = t.clone()
	t.add(p, points)
	return nil
}

// clone returns a copy that add of the original does not change.
func (t Tally) clone() Tally {
	t.paired, t.single = slices.Clone(t.paired), slices.Clone(t.single)
	return t
}

// add counts a valid pair with A's points in thousandths. It may change the copies of t, apart from clones.
func (t *Tally) add(p Pair, points int) {
	var both WDL
	for _, leg := range p {
		both.count(leg.Outcome)
		if leg.AIsBlack {
			t.Black.count(leg.Outcome)
		} else {
			t.White.count(leg.Outcome)
		}
	}
	if len(p) == 1 {
		t.Singles++
		t.single.take(points, 1)
		return
	}
	t.Penta.count(both)
	t.paired.take(points, 1)
}

// Merge adds the pairs of another tally of the same two players.
func (t *Tally) Merge(o Tally) {
	t.Black = t.Black.plus(o.Black)
	t.White = t.White.plus(o.White)
	t.Penta = t.Penta.plus(o.Penta)
	t.Singles += o.Singles
	t.paired = t.paired.plus(o.paired, 1)
	t.single = t.single.plus(o.single, 1)
}

// Without returns the counts without the pairs of o, all of which t must have.
func (t Tally) Without(o Tally) Tally {
	return Tally{
		Black: t.Black.minus(o.Black), White: t.White.minus(o.White), Penta: t.Penta.minus(o.Penta),
		Singles: t.Singles - o.Singles,
		paired:  t.paired.plus(o.paired, -1), single: t.single.plus(o.single, -1),
	}
}

// Mirror returns the counts from B's point of view.
func (t Tally) Mirror() Tally {
	return Tally{
		Black:   t.White.Mirror(),
		White:   t.Black.Mirror(),
		Penta:   t.Penta.Mirror(),
		Singles: t.Singles,
		paired:  t.paired.mirror(2 * milli),
		single:  t.single.mirror(milli),
	}
}

// Total returns the counts of A's games with both colours.
func (t Tally) Total() WDL { return t.Black.plus(t.White) }

// Pairs returns the number of pairs, including those of one game.
func (t Tally) Pairs() int { return t.Penta.Pairs() + t.Singles }

// Points returns A's points, with the points that the rules give for a draw.
func (t Tally) Points() float64 { return float64(t.paired.sum()+t.single.sum()) / milli }

// Score returns A's points per game, in [0, 1]. It returns an error without games.
func (t Tally) Score() (float64, error) {
	games := t.Total().Games()
	if games == 0 {
		return 0, ErrNoGame
	}
	return t.Points() / float64(games), nil
}

// BlackSide returns the counts of all games from Black's point of view, whether A or B was Black.
func (t Tally) BlackSide() WDL { return t.Black.plus(t.White.Mirror()) }

// BlackAdvantage returns the [binomial.ClopperPearson] interval for Black's share of wins in the decisive
// games. The interval is exact only if the games are independent, but the games of a pair share their
// opening. BlackAdvantage returns an error without a decisive game.
func (t Tally) BlackAdvantage(level float64) (binomial.Interval, error) {
	k, n := t.BlackSide().Decisive()
	if n == 0 {
		return binomial.Interval{}, ErrNoDecisive
	}
	return binomial.ClopperPearson(k, n, level)
}

// points returns A's points in the pair, in thousandths.
func (p Pair) points() (int, error) {
	switch {
	case len(p) != 1 && len(p) != 2:
		return 0, fmt.Errorf("a pair has one or two games, not %d", len(p))
	case len(p) == 2 && p[0].AIsBlack == p[1].AIsBlack:
		return 0, errors.New("both games of the pair have the same colours")
	}
	sum := 0
	for _, leg := range p {
		points, err := leg.points()
		if err != nil {
			return 0, err
		}
		sum += points
	}
	return sum, nil
}

func (l Leg) points() (int, error) {
	whole := math.Round(l.Points * milli)
	var fits bool
	switch l.Outcome {
	case Win:
		fits = whole == milli
	case Draw:
		fits = whole >= 0 && whole <= milli
	case Loss:
		fits = whole == 0
	default:
		return 0, errors.New("a game of the pair has no outcome")
	}
	if !fits || math.Abs(l.Points*milli-whole) > 1e-9 {
		return 0, fmt.Errorf("%v points do not fit the outcome of a game", l.Points)
	}
	return int(whole), nil
}

// Counted returns the points and the number of games under a draw rule. It returns an error for a negative
// count and for an unknown rule. It also returns an error if no game counts, such as if all games were drawn
// under [binomial.DrawsDropped].
func (w WDL) Counted(rule binomial.DrawRule) (binomial.Counted, error) {
	if err := w.check(); err != nil {
		return binomial.Counted{}, err
	}
	c := binomial.Counted{Draws: rule}
	switch rule {
	case binomial.DrawsDropped:
		c.Points, c.N = float64(w.Wins), w.Wins+w.Losses
	case binomial.DrawsHalf:
		c.Points, c.N = float64(w.Wins)+float64(w.Draws)/2, w.Games()
	case binomial.DrawsFloored:
		c.Points, c.N = float64(w.Wins+w.Draws/2), w.Games()
	default:
		return binomial.Counted{}, fmt.Errorf("unknown draw rule %q", string(rule))
	}
	switch {
	case w.Games() == 0:
		return binomial.Counted{}, errors.New("no games to judge by")
	case c.N == 0:
		return binomial.Counted{}, ErrNoDecisive
	}
	return c, nil
}

func (w WDL) check() error {
	if w.Wins < 0 || w.Draws < 0 || w.Losses < 0 {
		return fmt.Errorf("%d wins, %d draws, %d losses are impossible", w.Wins, w.Draws, w.Losses)
	}
	return nil
}
