package stats

import (
	"errors"
	"fmt"
	"math"

	"gogi/stats/binomial"
)

// Operating is how a sequential test behaves at one true strength.
type Operating struct {
	Method     string  `json:"method"` // bernoulli_exact, brownian
	Pass       float64 `json:"pass"`
	Fail       float64 `json:"fail"`
	Unfinished float64 `json:"unfinished"` // probability of neither within the maximum
	Games      float64 `json:"games"`      // expected number, decisive ones for bernoulli_exact
}

// Conditions are what the length of a test depends on besides strength.
type Conditions struct {
	DrawRate float64 `json:"draw_rate"` // in [0, 1)
	// RMSBias is the root mean square advantage that openings give, in Elo: as
	// each is played with both colours, it takes variance out of pairs.
	RMSBias float64 `json:"rms_bias"`
	// Correlation is that of A's scores in the two games of a pair, in (-1, 1]:
	// below 0 where openings favour a colour, above where they suit an engine.
	Correlation float64 `json:"correlation"`
}

// variance is that of a game's score in a colour-swapped pair.
func (c Conditions) variance() (float64, error) {
	if !(c.DrawRate >= 0 && c.DrawRate < 1) {
		return 0, fmt.Errorf("draw rate %v is not in [0, 1)", c.DrawRate)
	}
	if !(c.Correlation > -1 && c.Correlation <= 1) {
		return 0, fmt.Errorf("a correlation of %v between the games of a pair is not in (-1, 1]", c.Correlation)
	}
	bias := binomial.Expected(c.RMSBias) - 0.5
	v := (1-c.DrawRate)/4*(1+c.Correlation) - bias*bias
	if !(v > 0) {
		return 0, fmt.Errorf("openings with a bias of %v Elo leave no room for a draw rate of %v", c.RMSBias, c.DrawRate)
	}
	return v, nil
}

// Expect is the probability to pass and the expected number of games (not
// pairs) where the true difference is elo (logistic), with the log likelihood
// ratio taken for a Brownian motion, as fishtest's calculator does. There is no
// maximum: Unfinished is 0. Steps have a size, so that real tests take a few
// percent more: [SPRT.Course] counts that in. It fails for an impossible design
// or conditions, for bounds that are not constant, and an elo that is not finite.
func (s SPRT) Expect(elo float64, c Conditions) (Operating, error) {
	variance, err := c.variance()
	if err = errors.Join(s.Check(), err, binomial.CheckFinite(elo)); err != nil {
		return Operating{}, err
	}
	if s.Boundary == BoundaryBounded {
		return Operating{}, errors.New("the expected length of a bounded test has no formula")
	}
	loss := (1 - c.DrawRate) / 2 // between equals
	sigma, draw := math.Sqrt(variance), 400*math.Log10((1-loss)/loss)
	s0, s1 := s.Model.score(s.Elo0, sigma, draw), s.Model.score(s.Elo1, sigma, draw)
	if !(s0 < s1) {
		return Operating{}, errors.New("the hypotheses promise scores that cannot be told apart")
	}
	pass, time := s.passage((2*binomial.Expected(elo) - s0 - s1) / (s1 - s0))
	return Operating{Method: "brownian", Pass: pass, Fail: 1 - pass, Games: time * variance / ((s1 - s0) * (s1 - s0))}, nil
}

// passage is the probability that a Brownian motion of drift h/2 and variance 1
// reaches the upper bound first, and its expected time to either.
func (s SPRT) passage(h float64) (pass, time float64) {
	lower, upper := s.Bounds()
	if math.Abs(h*(upper-lower)) < 1e-6 {
		return -lower / (upper - lower), -lower * upper
	}
	if h > 0 {
		pass = math.Expm1(h*lower) / math.Expm1(h*(lower-upper))
	} else {
		pass = math.Exp(h*upper) * math.Expm1(-h*lower) / math.Expm1(h*(upper-lower))
	}
	return pass, 2 / h * (upper*pass + lower*(1-pass))
}

// steps are what a decisive game adds to the log likelihood ratio of two rates
// of winning it.
type steps struct{ win, loss float64 }

func (s SPRT) steps() (steps, error) {
	if err := s.Check(); err != nil {
		return steps{}, err
	}
	if s.Model != ModelLogistic {
		return steps{}, errors.New("the exact test of decisive games has logistic hypotheses")
	}
	p0, p1 := binomial.Expected(s.Elo0), binomial.Expected(s.Elo1)
	return steps{math.Log(p1 / p0), math.Log((1 - p1) / (1 - p0))}, nil
}

// DecisiveLLR is the exact log likelihood ratio of the games that were not
// drawn, where a hypothesis says how often A wins one: no distribution is
// estimated, but the hypotheses are about decisive games alone. It is 0 without
// one. It fails for impossible counts or designs, and models that are not
// logistic.
func (s SPRT) DecisiveLLR(w WDL) (float64, error) {
	step, err := s.steps()
	if err = errors.Join(err, w.check()); err != nil {
		return 0, err
	}
	return float64(w.Wins)*step.win + float64(w.Losses)*step.loss, nil
}

// decisiveInformation is that of so many decisive games, which vary as much as
// halfway between the hypotheses.
func (s SPRT) decisiveInformation(games int) float64 {
	p0, p1 := binomial.Expected(s.Elo0), binomial.Expected(s.Elo1)
	middle := (p0 + p1) / 2
	return float64(games) * (p1 - p0) * (p1 - p0) / (middle * (1 - middle))
}

// JudgeDecisive is the state of the exact test after these games.
func (s SPRT) JudgeDecisive(w WDL) (Judgement, error) {
	llr, err := s.DecisiveLLR(w)
	if err != nil {
		return Judgement{}, err
	}
	s.Overshoot = false
	n := w.Wins + w.Losses
	return s.decide(llr, s.decisiveInformation(n), n, overshoot{}), nil
}

// maxExactWork bounds the additions of an exact characteristic: about a second.
const maxExactWork = 1 << 29

// Exact is how the test of [SPRT.DecisiveLLR] behaves, looked at after every
// decisive game and given up after limit, where the true difference is elo: by
// the distribution of the wins of the tests that still run, game by game. No
// approximation is in it; it shows how far from alpha and beta the steps of the
// ratio take the real error rates. It fails as that does, for limit < 1, an elo
// that is not finite, and where the hypotheses are so close that it would take
// too long ([SPRT.Expect] is good there).
func (s SPRT) Exact(elo float64, limit int) (Operating, error) {
	step, err := s.steps()
	if err = errors.Join(err, binomial.CheckFinite(elo)); err != nil {
		return Operating{}, err
	}
	lower, upper := s.Bounds()
	width := (upper-lower)/(step.win-step.loss) + 1
	if limit < 1 || float64(limit)*width > maxExactWork {
		return Operating{}, fmt.Errorf("a maximum of %d games is none, or takes too long to enumerate", limit)
	}
	r := running{step: step, lower: lower, upper: upper, p: binomial.Expected(elo), probs: []float64{1}}
	result := Operating{Method: "bernoulli_exact", Unfinished: 1}
	for game := 1; game <= limit && result.Unfinished > 1e-15; game++ {
		r.lower, r.upper = s.BoundsAt(s.decisiveInformation(game))
		pass, fail := r.play()
		result.Pass += pass
		result.Fail += fail
		result.Games += float64(game) * (pass + fail)
		result.Unfinished = r.left()
	}
	result.Games += float64(limit) * result.Unfinished
	return result, nil
}

// running is the tests that are undecided, by their wins: probs[i] is the
// probability of first+i of them.
type running struct {
	step         steps
	lower, upper float64
	p            float64
	games, first int
	probs        []float64
}

// play adds a game, and takes out those that it decides.
func (r *running) play() (pass, fail float64) {
	r.games++
	next := make([]float64, len(r.probs)+1)
	for i, p := range r.probs {
		next[i] += p * (1 - r.p)
		next[i+1] += p * r.p
	}
	llr := func(i int) float64 {
		wins := r.first + i
		return float64(wins)*r.step.win + float64(r.games-wins)*r.step.loss
	}
	for len(next) > 0 && llr(len(next)-1) >= r.upper {
		pass += next[len(next)-1]
		next = next[:len(next)-1]
	}
	for len(next) > 0 && llr(0) <= r.lower {
		fail += next[0]
		next = next[1:]
		r.first++
	}
	r.probs = next
	return pass, fail
}

func (r *running) left() float64 {
	sum := 0.0
	for _, p := range r.probs {
		sum += p
	}
	return sum
}
