package binomial

import (
	"fmt"
	"math"
)

// A Design is a test with a fixed length: the exact test of decisive games against equal chances ([CriticalWins]).
type Design struct {
	Alpha       float64     `json:"alpha"`
	Power       float64     `json:"power"`     // probability to detect the difference
	DrawRate    float64     `json:"draw_rate"` // share of all games, in [0, 1)
	Alternative Alternative `json:"alternative"`
}

// A Length is the number of games that a design needs. The power of an exact test is a saw-tooth in the
// number of games: it falls wherever one more win is needed. The JSON is that of a plan.
type Length struct {
	Decisive     int     `json:"decisive"`      // the first number of decisive games with the power
	CriticalWins int     `json:"critical_wins"` // of Decisive
	Power        float64 `json:"exact_power"`   // at Decisive
	Safe         int     `json:"safe_decisive"` // decisive games from which on the power is always enough
	Games        int     `json:"-"`             // games with Decisive decisive ones on average
	SafeGames    int     `json:"safe_games"`    // games with Safe decisive ones on average
}

// MaxPlanned is the largest number of games or pairs of a plan.
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

// tail returns the error probability on the side of the difference.
func (d Design) tail() float64 { return d.Alternative.Tail(d.Alpha) }

// games returns the number of games with this number of decisive ones on average.
func (d Design) games(decisive int) int {
	return int(math.Ceil(float64(decisive) / (1 - d.DrawRate) * (1 - 1e-12)))
}

// Length returns the number of games that detects a difference of elo with the power. elo is that of the
// score of all games, including draws. It is below 0 for [Less] and above 0 for [Greater]. For [TwoSided] its
// sign does not matter; to find the wrong side stronger is no success. Length returns an error for impossible
// designs, for an elo that is 0 or on the wrong side, for one that the draw rate rules out, and if it takes
// more than ten million decisive games.
func (d Design) Length(elo float64) (Length, error) {
	p, err := d.decisiveRate(elo)
	if err != nil {
		return Length{}, err
	}
	ratio := (ZAbove(d.tail())/2 - ZAbove(d.Power)*math.Sqrt(p*(1-p))) / (p - 0.5)
	// A tooth is about 1/(p-½) games wide. The last one that dips below the power is among the nearest few.
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
		return 0, fmt.Errorf("a draw rate of %v leaves no room for a difference of %v Elo", d.DrawRate, elo)
	case p == 0.5:
		return 0, errTooClose(elo)
	}
	return p, nil
}

func errTooClose(elo float64) error {
	return fmt.Errorf("a difference of %v Elo takes more than ten million decisive games", elo)
}

// A tooth is the exact test of n games at k critical wins. step moves it from n to n+1 by one term of each
// binomial.
type tooth struct {
	n, k        int
	p, alpha    float64
	size, power float64 // P(X >= k) for equal chances, and for p
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

// Detectable returns the smallest difference that a series of this number of games detects with the power, in
// Elo of the score of all games. It is below 0 for [Less]. The number of decisive games is the expected one,
// rounded down. Detectable returns an error for impossible designs, and if even a clean sweep of the decisive
// games would not be significant or too improbable.
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
