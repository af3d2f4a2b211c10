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

// PlanPlayer returns a plan with one player of the file, an engine or a council, for uses other than a match.
// The plan has no design, no pairs and no clocks by colour. PlanPlayer ignores keys about games between
// players. The player needs limits, as in a match. For baseDir, the warnings and the errors, see Plan.
func (f *File) PlanPlayer(name, baseDir string, env identity.Env) (*match.Plan, []advice.Warning, error) {
	alone := *f
	alone.Players = []string{name}
	if alone.Openings == nil { // most callers use no openings, and gogi reads the small set quickly
		alone.Openings = &Openings{File: openings.BuiltinNamed}
	}
	r := alone.resolver(baseDir, env)
	p := r.common()
	p.Players = r.players()
	p.Openings = r.openings(p.Rules)
	r.checkDevices(p)
	if len(r.errs) > 0 {
		return nil, nil, errors.Join(r.errs...)
	}
	return p, r.warnings, nil
}

// PlanCouncil returns a plan with one council of the file, like PlanPlayer. name may be empty if the file has
// exactly one council that is not a member of another council. The council does not ponder. By default it has
// no search limits (self = true). PlanCouncil does not connect to engines behind ssh to get their identity.
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

// councilName returns name if the file has a council with this name. If name is empty, it returns the only
// council that is not a member of another council.
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
