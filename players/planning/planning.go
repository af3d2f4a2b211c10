// Package planning makes a plan from a TOML file and flags. Both gogi match and gogi farm submit call [Plan],
// so that both play the same plan.
package planning

import (
	"gogi/configs"
	"gogi/configs/advice"
	"gogi/configs/identity"
	"gogi/match"
	"gogi/match/gate"
	"gogi/players"
	"gogi/usi"
	"gogi/usi/process"
)

// Plan makes the plan of a match file. Paths in the file are relative to the folder dir. Plan starts no
// engine of this machine; it asks remote hosts for the SHA-256 of their programs.
func Plan(file *configs.File, dir string, guard *process.Guard) (*match.Plan, []advice.Warning, error) {
	here, err := surroundings(file, guard)
	if err != nil {
		return nil, nil, err
	}
	return file.Plan(dir, here)
}

// surroundings returns the facts about this machine, and gets the missing identities of a file's remote engines.
func surroundings(file *configs.File, guard *process.Guard) (identity.Env, error) {
	if err := players.AskIdentities(file, guard); err != nil {
		return identity.Env{}, err
	}
	return players.Surroundings()
}

// Complete adds the engines' answers to usi, the greetings, to the opener's plan; see identity.Complete. The
// greetings are in the order of plan.Engines. Complete returns an error for an option that an engine does not
// have, and for an SPRT that cannot reach a decision.
func Complete(o *players.Opener, greetings []usi.Greeting) ([]advice.Warning, error) {
	plan, warnings, err := identity.Complete(o.Plan, greetings)
	if err != nil {
		return nil, err
	}
	o.Plan = plan
	for i, p := range plan.Engines() {
		warnings = append(warnings, identity.Lint(p, plan, greetings[i].Options)...)
	}
	prospect, err := gate.NewProspect(plan)
	if err == nil {
		err = prospect.Check()
	}
	if err != nil {
		return nil, err
	}
	if w := prospect.Warning(); !w.IsZero() {
		warnings = append(warnings, advice.Warning{Text: w})
	}
	return warnings, nil
}
