package binomial

import (
	"fmt"
	"math"
)

// A Design is the plan of a match with a fixed number of games. The exact test of the decisive games
// ([CriticalWins]) then decides whether the players are equally strong.
type Design struct {
	Alpha       float64     `json:"alpha"`
	Power       float64     `json:"power"`     // probability to detect the difference
	DrawRate    float64     `json:"draw_rate"` // share of drawn games in all games, in [0, 1)
	Alternative Alternative `json:"alternative"`
}

// A Length is the number of games that a design needs. Its fields with the word safe exist because the power
// of an exact test does not grow evenly with the number of games: it falls whenever the critical number of
// wins grows by one.
type Length struct {
	Decisive     int     `json:"decisive"`      // the smallest number of decisive games that reaches the power.
	CriticalWins int     `json:"critical_wins"` // critical number of wins in Decisive games
	Power        float64 `json:"exact_power"`   // exact power at Decisive games
	Safe         int     `json:"safe_decisive"` // from this number of decisive games on, the test always reaches the power
	Games        int     `json:"-"`             // number of games in which there are Decisive decisive games on average.
	SafeGames    int     `json:"safe_games"`    // number of games in which there are Safe decisive games on average
}

// MaxPlanned is the largest number of games or pairs in a plan.
const MaxPlanned = 10_000_000

func (d Design) check() error {
	if err := CheckPower(d.Alpha, d.Power, d.Alternative); err != nil {
		return err
	}
	if !(d.DrawRate >= 0 && d.DrawRate < 1) {
		return fmt.Errorf("draw rate %v is not in [0, 1)", d.DrawRate)
	}
	return nil
}

// tail returns the error probability on one side: Alpha/2 for a two-sided test, otherwise Alpha.
func (d Design) tail() float64 { return d.Alternative.Tail(d.Alpha) }

// games returns the number of games that contains this number of decisive games on average.
func (d Design) games(decisive int) int {
	return int(math.Ceil(float64(decisive) / (1 - d.DrawRate) * (1 - 1e-12)))
}

// Length returns the number of games with which the design detects a difference of elo with its power. elo is
// the difference that belongs to the score of all games, including draws. It is below 0 for [Less] and above
// 0 for [Greater]. For [TwoSided] its sign does not matter, and a significant result for the weaker side does
// not count as detection.
//
// Length returns an error for an impossible design. It returns an error if elo is 0, has the wrong sign, or
// is impossible at the draw rate. It also returns an error if the test needs more than ten million decisive
// games.
func (d Design) Length(elo float64) (Length, error) {
	p, err := d.decisiveRate(elo)
	if err != nil {
		return Length{}, err
	}
	ratio := (ZAbove(d.tail())/2 - ZAbove(d.Power)*math.Sqrt(p*(1-p))) / (p - 0.5)
	// A tooth is about 1/(p-½) games wide. The last tooth that falls below the power is among the nearest
	// few.
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

// decisiveRate returns the probability that the stronger side wins a decisive game.
func (d Design) decisiveRate(elo float64) (float64, error) {
	if err := d.check(); err != nil {
		return 0, err
	}
	elo, err := d.Alternative.Size(elo)
	if err != nil {
		return 0, err
	}
	p := 0.5 + (Expected(elo)-0.5)/(1-d.DrawRate)
	switch {
	case p >= 1:
		return 0, TooManyDraws(elo, d.DrawRate)
	case p == 0.5:
		return 0, errTooClose(elo)
	}
	return p, nil
}

// MostDraws returns the largest draw rate at a true difference of elo: the weaker player then only draws and loses.
func MostDraws(elo float64) float64 { return 2 * Expected(-math.Abs(elo)) }

// TooManyDraws returns the error for a draw rate above [MostDraws].
func TooManyDraws(elo, drawRate float64) error {
	return fmt.Errorf("at a difference of %g Elo at most %.3g%% of the games can be drawn, not %.3g%%",
		math.Abs(elo), 100*MostDraws(elo), 100*drawRate)
}

func errTooClose(elo float64) error {
	return fmt.Errorf("a difference of %v Elo takes more than ten million decisive games", elo)
}

// A tooth is the exact test of n games with k critical wins. Its name comes from the power, which is a saw-tooth as a
// function of n. The method step changes n to n+1, and calculates only one or two terms of each binomial
// distribution.
type tooth struct {
	n, k        int
	p, alpha    float64
	size, power float64 // P(X >= k) for equal chances, and for the rate p.
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
	if t.k > t.n { // no number of wins is significant: the rest is rounding error
		t.size, t.power = 0, 0
	}
}

// Detectable returns the smallest difference that a match of this number of games detects with the design's
// power. The difference is in Elo, calculated from the score of all games. It is below 0 for [Less]. The
// calculation uses the expected number of decisive games, rounded down. Detectable returns an error for an
// impossible design. It also returns an error if even winning all decisive games would not be significant, or
// if such a result would be too improbable.
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
