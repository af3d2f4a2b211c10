package binomial

import (
	"errors"
	"fmt"
	"math"
)

// Design is a test of a length fixed beforehand: the exact test of decisive
// games against even chances ([CriticalWins]).
type Design struct {
	Alpha       float64     `json:"alpha"`
	Power       float64     `json:"power"`     // the probability to find the difference
	DrawRate    float64     `json:"draw_rate"` // of all games, in [0, 1)
	Alternative Alternative `json:"alternative"`
}

// Length is how many games a design needs. The power of an exact test is a
// saw-tooth in the number of games: it falls wherever one more win is needed.
type Length struct {
	Decisive     int     `json:"decisive"`      // the first number of decisive games with the power
	CriticalWins int     `json:"critical_wins"` // of Decisive
	Power        float64 `json:"power"`         // exact, at Decisive
	Safe         int     `json:"safe"`          // decisive games from which on it never falls below again
	Games        int     `json:"games"`         // in which Decisive are expected
	SafeGames    int     `json:"safe_games"`    // in which Safe are expected
}

// MaxPlanned bounds the units of a plan, games or pairs: what would take more has
// no plan.
const MaxPlanned = 10_000_000

func (d Design) check() error {
	if err := errors.Join(CheckOpen("alpha", d.Alpha), CheckOpen("power", d.Power), d.Alternative.Check()); err != nil {
		return err
	}
	if !(d.DrawRate >= 0 && d.DrawRate < 1) {
		return fmt.Errorf("draw rate %v is not in [0, 1)", d.DrawRate)
	}
	if d.tail() >= d.Power {
		return fmt.Errorf("power %v is no more than the error rate %v: it takes no games", d.Power, d.tail())
	}
	return nil
}

// tail is the error probability on the side of the difference.
func (d Design) tail() float64 { return d.Alternative.Tail(d.Alpha) }

// games is the number of games in which so many decisive ones are expected.
func (d Design) games(decisive int) int {
	return int(math.Ceil(float64(decisive) / (1 - d.DrawRate) * (1 - 1e-12)))
}

// Length is the number of games that shows a difference of elo (the score of all
// games, draws included) with the power. For [Less] elo is below 0, for
// [Greater] above; for [TwoSided] its sign does not matter, and finding the
// wrong side stronger is no success. It fails for impossible designs, an elo on
// the wrong side or 0, one that the draw rate rules out, and one that takes more
// than ten million decisive games.
func (d Design) Length(elo float64) (Length, error) {
	p, err := d.decisiveRate(elo)
	if err != nil {
		return Length{}, err
	}
	ratio := (ZAbove(d.tail())/2 - ZAbove(d.Power)*math.Sqrt(p*(1-p))) / (p - 0.5)
	// A tooth is about 1/(p-½) games wide, and the last one that dips below the
	// power is among the nearest few.
	normal, reach := ratio*ratio, 10/(p-0.5)+50
	if normal+reach > MaxPlanned {
		return Length{}, errTooClose(elo)
	}
	window := int(reach)
	t := newTooth(max(1, int(normal)-window), p, d.tail())
	for t.n > 1 && t.power >= d.Power { // the normal approximation was far off
		t = newTooth(t.n/2, p, d.tail())
	}
	var l Length
	for end := 0; t.n < end || l.Safe == 0; t.step() {
		switch {
		case t.power < d.Power:
			l.Safe = 0
		case l.Safe == 0:
			l.Safe, end = t.n, t.n+window
			if l.Decisive == 0 {
				l.Decisive, l.CriticalWins, l.Power = t.n, t.k, t.power
			}
		}
	}
	l.Games, l.SafeGames = d.games(l.Decisive), d.games(l.Safe)
	return l, nil
}

// decisiveRate is how often the stronger side wins a decisive game.
func (d Design) decisiveRate(elo float64) (float64, error) {
	if err := errors.Join(d.check(), CheckFinite(elo)); err != nil {
		return 0, err
	}
	if d.Alternative == Less || d.Alternative == TwoSided && elo < 0 {
		elo = -elo
	}
	p := 0.5 + (Expected(elo)-0.5)/(1-d.DrawRate)
	switch {
	case !(elo > 0):
		return 0, errors.New("there is no difference to find on that side")
	case p >= 1:
		return 0, fmt.Errorf("a draw rate of %v leaves no room for a difference of %v Elo", d.DrawRate, elo)
	case p == 0.5:
		return 0, errTooClose(elo)
	}
	return p, nil
}

func errTooClose(elo float64) error {
	return fmt.Errorf("a difference of %v Elo takes more than ten million decisive games", elo)
}

// tooth is the exact test of n games at k critical wins, carried from n to n+1
// by one term of each binomial.
type tooth struct {
	n, k        int
	p, alpha    float64
	size, power float64 // P(X >= k) for even chances, and for p
}

func newTooth(n int, p, alpha float64) *tooth {
	k, ok := CriticalWins(n, alpha, Greater)
	if !ok {
		k = n + 1
	}
	return &tooth{n, k, p, alpha, NewBinomial(n, 0.5).AtLeast(k), NewBinomial(n, p).AtLeast(k)}
}

func (t *tooth) step() {
	t.size += NewBinomial(t.n, 0.5).At(t.k-1) / 2
	t.power += NewBinomial(t.n, t.p).At(t.k-1) * t.p
	t.n++
	for t.k <= t.n && !(Test{P: t.size}).Significant(t.alpha) {
		t.size -= NewBinomial(t.n, 0.5).At(t.k)
		t.power -= NewBinomial(t.n, t.p).At(t.k)
		t.k++
	}
	if t.k > t.n { // not even all: nothing is left but rounding errors
		t.size, t.power = 0, 0
	}
}

// Detectable is the smallest difference, in Elo of the score of all games, that
// a series of so many games finds with the power: below 0 for [Less]. The
// decisive games among them are taken to be as many as expected, rounded down.
// It fails for impossible designs, and where even a clean sweep of the decisive
// games would not be significant or would be expected too seldom.
func (d Design) Detectable(games int) (float64, error) {
	if err := d.check(); err != nil {
		return 0, err
	}
	decisive := int(math.Floor(float64(games) * (1 - d.DrawRate) * (1 + 1e-12)))
	k, ok := CriticalWins(decisive, d.tail(), Greater)
	if !ok {
		return 0, fmt.Errorf("%d games, %d of them decisive, show nothing even if one side wins all", games, decisive)
	}
	p := lowerExact(k, decisive, d.Power)
	elo := Elo(0.5 + (p-0.5)*(1-d.DrawRate))
	if d.Alternative == Less {
		elo = -elo
	}
	return elo, nil
}
