package configs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gogi/match"
)

// PlanCouncil resolves one council of the file, for what is not a series: the
// plan has it as its only player and no pairs. name may be empty where only one
// council is no member of another. Keys that are about games between players
// need not be there and are not looked at; limits default to none, which is
// self. What runs behind ssh is not asked for its identity.
func (f *File) PlanCouncil(name, baseDir string, env Env) (*match.Plan, []string, error) {
	name, err := f.councilName(name)
	if err != nil {
		return nil, nil, err
	}
	alone := *f
	alone.Engines = slices.Clone(f.Engines)
	for i := range alone.Engines {
		e := &alone.Engines[i]
		if words, err := commandWords(e); err == nil && isRemote(words) && e.Identity == "" {
			e.Identity = "remote: " + strings.Join(words, " ")
		}
	}
	// A series has two players: the built-in engine stands for the other one, who
	// is never started.
	games, opponent := 2, "opponent"
	for f.engine(opponent) >= 0 || f.council(opponent) >= 0 {
		opponent += "_"
	}
	alone.Engines = append(alone.Engines, Engine{Name: opponent, Cmd: builtinWord})
	alone.Games, alone.Players = &games, []string{name, opponent}
	alone.Design, alone.Swap, alone.Gate, alone.ByColour = "", nil, nil, nil
	alone.Ponder = match.PonderOff
	if f.Limits == nil || !f.Limits.search() {
		self, limits := true, or(f.Limits, Limits{})
		limits.Self = &self
		alone.Limits = &limits
	}
	plan, warnings, err := alone.Plan(baseDir, env)
	if err != nil {
		return nil, nil, err
	}
	plan.Players, plan.Pairs = plan.Players[:1], 0
	return plan, warnings, nil
}

// councilName is the council that was asked for, or the only one there is on
// its own.
func (f *File) councilName(name string) (string, error) {
	var all, alone []string
	for _, c := range f.Councils {
		all = append(all, c.Name)
		if !f.memberOfAny(c.Name) {
			alone = append(alone, c.Name)
		}
	}
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
