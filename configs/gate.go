package configs

import (
	"errors"

	"gogi/match"
)

// GateDesign is the sequential test that a file asks for, with its defaults.
func (f *File) GateDesign() (match.Gate, error) {
	r := resolver{file: f}
	g := r.gate()
	if len(r.errs) > 0 {
		return match.Gate{}, errors.Join(r.errs...)
	}
	if g.IsZero() {
		return match.Gate{}, errors.New(f.name + ": no [gate] section: expected one with sprt = \"0,4\"")
	}
	return g, nil
}
