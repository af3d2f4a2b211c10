package match

import (
	"cmp"
	"fmt"
	"strings"
)

// GateModel is the unit of the hypotheses of a sequential test.
type GateModel string

// The models of a sequential test, as in fishtest.
const (
	GateLogistic   GateModel = "logistic"   // Elo, by the mean score
	GateNormalized GateModel = "normalized" // normalised Elo, by the mean in standard deviations
)

// GateBoundary is the stopping boundary of a sequential test.
type GateBoundary string

// The boundaries of a sequential test.
const (
	// GateRatio passes when the likelihood ratio reaches 1/α. It is the zero value, because old runs that
	// name no boundary were played with it.
	GateRatio GateBoundary = ""
	// GateBounded draws the bounds together with every pair, so that no test is long.
	GateBounded GateBoundary = "bounded"
)

// leastBounded bounds the error rates of bounded tests, as package stats does.
const leastBounded = 0.001

// String returns the name as files and reports have it.
func (b GateBoundary) String() string { return cmp.Or(string(b), "ratio") }

// BoundaryOf is the inverse of String.
func BoundaryOf(name string) GateBoundary {
	return GateBoundary(strings.TrimPrefix(name, GateRatio.String()))
}

// Gate is the design of a sequential test, written into a run before its first game. It stops the series
// and gives its verdict; it changes no game, so the digest does not cover it. The zero value is no gate.
type Gate struct {
	Elo0  float64   `json:"elo0"` // the null hypothesis, A's rating less B's
	Elo1  float64   `json:"elo1"` // the alternative, above Elo0
	Alpha float64   `json:"alpha"`
	Beta  float64   `json:"beta"`
	Model GateModel `json:"model"`
	// Boundary comes last in the JSON, which omits it for the ratio: the log of settings of older runs
	// must stay equal.
	Boundary GateBoundary `json:"boundary,omitempty"`
}

// The default error rates of every sequential test that names none.
const (
	DefaultAlpha = 0.05
	DefaultBeta  = 0.05
)

// IsZero reports whether there is no gate.
func (g Gate) IsZero() bool { return g == Gate{} }

// String returns a short description: "SPRT [0, 4] logistic, α 0.05, β 0.1".
func (g Gate) String() string {
	if g.IsZero() {
		return "none"
	}
	text := fmt.Sprintf("SPRT [%g, %g] %s, α %g, β %g", g.Elo0, g.Elo1, g.Model, g.Alpha, g.Beta)
	if g.Boundary != GateRatio {
		text += ", " + g.Boundary.String()
	}
	return text
}

// Check returns why the gate cannot be tested, or nil.
func (g Gate) Check() error {
	switch {
	case g.IsZero():
		return nil
	case !(g.Elo0 < g.Elo1):
		return fmt.Errorf("elo0 %g is not below elo1 %g", g.Elo0, g.Elo1)
	case g.Elo0 < -1000 || g.Elo1 > 1000:
		return fmt.Errorf("elo0 %g or elo1 %g is beyond 1000", g.Elo0, g.Elo1)
	case !(g.Alpha > 0 && g.Alpha < 0.5 && g.Beta > 0 && g.Beta < 0.5):
		return fmt.Errorf("alpha %g and beta %g: expected both between 0 and 0.5", g.Alpha, g.Beta)
	case g.Model != GateLogistic && g.Model != GateNormalized:
		return fmt.Errorf("model %q is not one of %s, %s", g.Model, GateLogistic, GateNormalized)
	case g.Boundary != GateRatio && g.Boundary != GateBounded:
		return fmt.Errorf("boundary %q is not one of %s, %s", string(g.Boundary), GateRatio, GateBounded)
	case g.Boundary == GateBounded && min(g.Alpha, g.Beta) < leastBounded:
		return fmt.Errorf("alpha %g or beta %g is below %g, the least of a bounded test", g.Alpha, g.Beta, leastBounded)
	}
	return nil
}
