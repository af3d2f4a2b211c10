package configs

import (
	"errors"
	"reflect"

	"gogi/match"
)

// GateDesign returns the sequential test of the file, with the default of each missing key. Without a test it
// returns the zero Gate.
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

// without clears the keys of g that the SPRT s sets. So a flag with the value s replaces exactly the keys that it
// sets.
func (g *Gate) without(s *match.SPRT) {
	for _, key := range or(s, match.SPRT{}).Keys() {
		keyAt(reflect.ValueOf(g).Elem(), key).SetZero()
	}
}

// twice returns the first key that both g and g.SPRT set, or "" if there is none.
func (g *Gate) twice() string {
	for _, key := range g.SPRT.Keys() {
		if !keyAt(reflect.ValueOf(g).Elem(), key).IsZero() {
			return key
		}
	}
	return ""
}
