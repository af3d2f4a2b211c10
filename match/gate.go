package match

import (
	"fmt"

	"gogi/stats"
)

// The error rates of a sequential test if the user gives none.
const (
	DefaultAlpha = 0.05
	DefaultBeta  = 0.05
)

// DefaultGate returns a sequential test with the default error rates, model and boundary.
func DefaultGate() stats.SPRT {
	return stats.SPRT{Alpha: DefaultAlpha, Beta: DefaultBeta, Model: stats.ModelLogistic}
}

// CheckGate returns an error unless a match can use the sequential test s, or s is the zero value, which is no test.
// Package stats also has models and boundaries of other programs.
func CheckGate(s stats.SPRT) error {
	if s.IsZero() {
		return nil
	}
	if err := s.Check(); err != nil {
		return err
	}

	if s.Model != stats.ModelLogistic && s.Model != stats.ModelNormalized {
		return fmt.Errorf("model %q is not one of %s, %s", s.Model, stats.ModelLogistic, stats.ModelNormalized)
	}
	if s.Boundary == stats.BoundaryWald {
		return fmt.Errorf("boundary %q is not one of %s, %s", s.Boundary, stats.BoundaryRatio, stats.BoundaryBounded)
	}
	return nil
}
