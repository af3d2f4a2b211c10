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
	GateLogistic   GateModel = "logistic"   // Elo, calculated from the mean score
	GateNormalized GateModel = "normalized" // normalised Elo, calculated from the mean score in standard deviations
)

// Unit returns the name of the unit: Elo or nElo.
func (m GateModel) Unit() string {
	if m == GateNormalized {
		return "nElo"
	}
	return "Elo"
}

// GateBoundary is the stopping boundary of a sequential test.
type GateBoundary string

// The boundaries of a sequential test.
const (
	// GateRatio accepts H1 when the likelihood ratio reaches 1/α. It is the zero value, because older runs used it
	// and did not store a boundary.
	GateRatio GateBoundary = ""
	// GateBounded moves the two bounds towards each other with every pair, so that the length of a test is
	// limited.
	GateBounded GateBoundary = "bounded"
)

// leastBounded is the smallest error rate that a test with GateBounded allows, and mostBounded the largest sum of both.
// Package stats has the same limits.
const leastBounded, mostBounded = 0.001, 0.6

// String returns the boundary's name in files and reports: "ratio" or "bounded".
func (b GateBoundary) String() string { return cmp.Or(string(b), "ratio") }

// BoundaryOf returns the boundary with this name. It is the inverse of GateBoundary.String.
func BoundaryOf(name string) GateBoundary {
	return GateBoundary(strings.TrimPrefix(name, GateRatio.String()))
}

// Gate has the settings of a sequential test (SPRT), which are stored in a run before its first game. The
// test stops the match and gives its decision. It changes no game, so the digest does not cover it. The zero
// value is no test.
type Gate struct {
	Elo0  float64   `json:"elo0"` // the null hypothesis: rating of A minus rating of B
	Elo1  float64   `json:"elo1"` // the alternative, above Elo0
	Alpha float64   `json:"alpha"`
	Beta  float64   `json:"beta"`
	Model GateModel `json:"model"`
	// Boundary comes last in the JSON, which omits it for GateRatio. The stored settings of older runs
	// therefore stay equal.
	Boundary GateBoundary `json:"boundary,omitempty"`
}

// The error rates of a sequential test if the user gives none.
const (
	DefaultAlpha = 0.05
	DefaultBeta  = 0.05
)

// IsZero reports whether g is the zero value: no sequential test.
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

// Check returns an error unless g has the settings of a valid sequential test or is the zero value.
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
	case g.Boundary == GateBounded && g.Alpha+g.Beta > mostBounded+1e-9:
		return fmt.Errorf("alpha %g plus beta %g is more than %g, the largest sum of a bounded test", g.Alpha, g.Beta, mostBounded)
	}
	return nil
}
