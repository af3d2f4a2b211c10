package configs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gogi/configs/advice"
	"gogi/configs/identity"
	"gogi/configs/openings"
	"gogi/match"
)

// PlanPlayer resolves one player of the file, an engine or a council, for a use other than a match. The
// plan has it as its only player, without a design, pairs or clocks by colour. PlanPlayer ignores keys
// about games between players. The player needs limits as in a match. Paths, warnings and errors are as
// for Plan.
func (f *File) PlanPlayer(name, baseDir string, env identity.Env) (*match.Plan, []advice.Warning, error) {
	alone := *f
	alone.Players = []string{name}
	if alone.Openings == nil { // most callers play none: the small set is read quickly
		alone.Openings = &Openings{File: openings.BuiltinNamed}
	}
	r := alone.resolver(baseDir, env)
	p := r.common()
	p.Players = r.players()
	p.Openings = r.openings(p.Rules)
	if len(r.errs) > 0 {
		return nil, nil, errors.Join(r.errs...)
	}
	return p, r.warnings, nil
}

// PlanCouncil is PlanPlayer for one council of the file. name may be empty if only one council is not a
// member of another. It never ponders. Limits default to none, which is self. It does not ask engines
// behind ssh for their identity.
func (f *File) PlanCouncil(name, baseDir string, env identity.Env) (*match.Plan, []advice.Warning, error) {
	name, err := f.councilName(name)
	if err != nil {
		return nil, nil, err
	}
	alone := *f
	alone.Engines = slices.Clone(f.Engines)
	alone.takeRemoteAsKnown(func(command string) string { return "remote: " + command })
	alone.Ponder = match.PonderOff
	if f.Limits == nil || !f.Limits.search() {
		self, limits := true, or(f.Limits, Limits{})
		limits.Self = &self
		alone.Limits = &limits
	}
	return alone.PlanPlayer(name, baseDir, env)
}

// councilName returns the council that was asked for, or the only one there is on its own.
func (f *File) councilName(name string) (string, error) {
	all := f.names()[len(f.Engines):]
	alone := slices.DeleteFunc(slices.Clone(all), f.memberOfAny)
	switch {
	case len(all) == 0:
		return "", fmt.Errorf("%s: there is no council in it: expected a [[council]] with a rule and members", f.title())
	case name == "" && len(alone) == 1:
		return alone[0], nil
	case name == "" && len(alone) == 0:
		return "", errors.New("every council is a member of another one: expected the name of one of " + strings.Join(all, ", "))
	case name == "":
		return "", errors.New("there are several councils: expected the name of one of " + strings.Join(alone, ", "))
	case !slices.Contains(all, name):
		return "", fmt.Errorf("there is no council %q: expected one of %s", name, strings.Join(all, ", "))
	}
	return name, nil
}
