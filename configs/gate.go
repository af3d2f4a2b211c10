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

// without removes the keys that s sets: a flag wins over the file key by key.
func (g *Gate) without(s *match.SPRT) {
	if s == nil {
		return
	}
	if s.Alpha != nil {
		g.Alpha = nil
	}
	if s.Beta != nil {
		g.Beta = nil
	}
	if s.Model != "" {
		g.Model = ""
	}
	if s.Boundary != "" {
		g.Boundary = ""
	}
}

// twice returns the first key that the table and its sprt both set, "" if there is none.
func (g *Gate) twice() string {
	switch {
	case g.Alpha != nil && g.SPRT.Alpha != nil:
		return "alpha"
	case g.Beta != nil && g.SPRT.Beta != nil:
		return "beta"
	case g.Model != "" && g.SPRT.Model != "":
		return "model"
	case g.Boundary != "" && g.SPRT.Boundary != "":
		return "boundary"
	}
	return ""
}
