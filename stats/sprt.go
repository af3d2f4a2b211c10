package stats

import (
	"errors"
	"fmt"

	"gogi/internal/lists"
)

// An EloModel is the scale of the Elo values that define the hypotheses of a sequential test.
type EloModel string

// The models, as in fishtest.
const (
	ModelLogistic   EloModel = "logistic"   // Elo, from the mean score
	ModelNormalized EloModel = "normalized" // normalised Elo, from the mean score in standard deviations.
	ModelBayesElo   EloModel = "bayeselo"   // BayesElo, converted to Elo with the observed draw rate.
)

// Unit returns the name of the unit: Elo, nElo or BayesElo.
func (m EloModel) Unit() string {
	switch m {
	case ModelNormalized:
		return "nElo"
	case ModelBayesElo:
		return "BayesElo"
	case ModelLogistic:
	}
	return "Elo"
}

// An SPRT is the design of a sequential probability ratio test of H0: Elo0 against H1: Elo1. It is stored in a run
// before its first game. The test stops the match and gives its decision. It changes no game, so the digest of a plan
// does not cover it. The zero value is no test. Alpha is the probability that the test passes (accepts H1) under H0,
// and Beta is the probability that it fails (accepts H0) under H1. Both are approximate, because the log likelihood
// ratio moves in steps.
type SPRT struct {
	Elo0  float64  `json:"elo0"` // the null hypothesis: rating of A minus rating of B
	Elo1  float64  `json:"elo1"` // the alternative, above Elo0
	Alpha float64  `json:"alpha"`
	Beta  float64  `json:"beta"`
	Model EloModel `json:"model"`
	// Boundary is the method of the bounds: ratio, bounded or wald. It is the last key of the JSON, which omits it for
	// ratio, as older runs did.
	Boundary Boundary `json:"boundary,omitempty"`
}

// IsZero reports whether s is the zero value, which is no test.
func (s SPRT) IsZero() bool { return s == SPRT{} }

// String returns a short description: "SPRT [0, 4] logistic, α 0.05, β 0.1".
func (s SPRT) String() string {
	if s.IsZero() {
		return "none"
	}
	text := fmt.Sprintf("SPRT [%g, %g] %s, α %g, β %g", s.Elo0, s.Elo1, s.Model, s.Alpha, s.Beta)
	if s.Boundary != BoundaryRatio {
		text += ", " + s.Boundary.String()
	}
	return text
}

// maxElo is the largest absolute value of a hypothesis. Beyond it scores are too close to 0 and 1.
const maxElo = 1000

// Check returns an error if the design is impossible.
func (s SPRT) Check() error {
	switch {
	case !(s.Elo0 < s.Elo1):
		return fmt.Errorf("elo0 %v is not below elo1 %v", s.Elo0, s.Elo1)
	case s.Elo0 < -maxElo || s.Elo1 > maxElo:
		return fmt.Errorf("elo0 %v or elo1 %v is beyond %d", s.Elo0, s.Elo1, maxElo)
	case !(s.Alpha > 0 && s.Alpha < 0.5 && s.Beta > 0 && s.Beta < 0.5):
		return fmt.Errorf("alpha %v and beta %v are not both between 0 and 0.5", s.Alpha, s.Beta)
	case s.Boundary == BoundaryBounded && min(s.Alpha, s.Beta) < leastBounded:
		return fmt.Errorf("alpha %v or beta %v is below %v, the least that bounded tests are calculated for", s.Alpha, s.Beta,
			leastBounded)
	case s.Boundary == BoundaryBounded && s.Alpha+s.Beta > mostBounded+1e-9:
		return fmt.Errorf("alpha %v plus beta %v is more than %v, the most that bounded tests are calculated for", s.Alpha,
			s.Beta, mostBounded)
	}
	if err := s.Boundary.check(); err != nil {
		return err
	}
	switch s.Model {
	case ModelLogistic, ModelNormalized, ModelBayesElo:
		return nil
	}
	return fmt.Errorf("unknown model %q", string(s.Model))
}

// An Outcomes holds counts by outcome from A's point of view: a [WDL] of independent games (trinomial), or a
// [Pentanomial] of colour-swapped pairs. A draw is half a point, even if the rules gave other points.
type Outcomes interface {
	// cells returns the counts by score, in ascending order of the score.
	cells() []int
	games() WDL
	check() error
}

// Vary reports whether at least two different scores occurred.
func Vary(o Outcomes) bool {
	different := lists.Count(o.cells(), func(n int) bool { return n > 0 })
	return different > 1
}

func (w WDL) cells() []int { return []int{w.Losses, w.Draws, w.Wins} }
func (w WDL) games() WDL   { return w }

func (p Pentanomial) cells() []int { return []int{p.LL, p.LD, p.WL + p.DD, p.WD, p.WW} }

func (p Pentanomial) games() WDL {
	return WDL{Wins: 2*p.WW + p.WD + p.WL, Draws: 2*p.DD + p.WD + p.LD, Losses: 2*p.LL + p.LD + p.WL}
}

func (p Pentanomial) check() error {
	if min(p.LL, p.LD, p.WL, p.DD, p.WD, p.WW) < 0 {
		return fmt.Errorf("negative numbers of pairs are impossible: %+v", p)
	}
	return nil
}

// LLR returns the generalised log likelihood ratio of Elo1 against Elo0. It compares the most likely
// distributions of outcomes under the two hypotheses. As in fishtest's LLRcalc, an outcome that has not
// occurred counts 1/1000. LLR is 0 without games. It returns an error for an impossible design or count.
func (s SPRT) LLR(o Outcomes) (float64, error) {
	if err := errors.Join(s.Check(), o.check()); err != nil {
		return 0, err
	}
	return s.llr(newDistribution(o), o)
}

// llr returns the log likelihood ratio for the distribution d of the outcomes o.
func (s SPRT) llr(d distribution, o Outcomes) (float64, error) {
	if d.seen == 0 {
		return 0, nil
	}
	return d.llr(s.hypotheses(d, o))
}

// A Decision is the decision of a sequential test.
type Decision string

// The decisions.
const (
	Continue Decision = "continue" // the ratio is between the bounds, and more games are needed.
	Pass     Decision = "pass"     // the test accepts H1 (Elo1)
	Fail     Decision = "fail"     // the test accepts H0 (Elo0)
	// the ratio is between the bounds at the maximum number of pairs. This is never a pass.
	Inconclusive Decision = "inconclusive"
)

// A Judgement is the state of a sequential test: its decision, its log likelihood ratio and its bounds.
type Judgement struct {
	Decision Decision `json:"decision"`
	LLR      float64  `json:"llr"`
	Lower    float64  `json:"lower"` // bounds that apply now
	Upper    float64  `json:"upper"`
	// Information is the variance of the ratio ([SPRT.BoundsAt]).
	Information float64 `json:"information"`
	Units       int     `json:"units"`    // number of pairs or games that the decision uses.
	Openings    int     `json:"openings"` // number of the openings of these pairs: the independent units
	Copies      int     `json:"copies"`   // number of these pairs that repeat an earlier pair move for move.
	// finished pairs after an unfinished one or after the stop; the decision does not use them
	Beyond int `json:"beyond"`
}

// Judge returns the state of the test after these counts. Each pair or game must have its own opening.
func (s SPRT) Judge(o Outcomes) (Judgement, error) {
	llr, err := s.LLR(o)
	if err != nil {
		return Judgement{}, err
	}
	d := newDistribution(o)
	return s.decide(llr, s.information(d, o), d.seen), nil
}
