// Package planning makes the plan of a series from its file and its flags: what gogi match
// plays and gogi farm submit hands in are one plan.
package planning

import (
	"path/filepath"

	"gogi/configs"
	"gogi/configs/advice"
	"gogi/configs/identities"
	"gogi/gate"
	"gogi/match"
	"gogi/players"
	"gogi/usi"
	"gogi/usi/process"
)

// Read reads a series, by its file or by the name of a ready one, and lets the flags win
// over it. "" is no file where engines are named by flags, else the series that is
// played by default. dir is what the file's paths are relative to.
func (s *Flags) Read(name string) (file *configs.File, dir string, err error) {
	switch {
	case name != "":
		file, dir, err = configs.Find(name)
	case len(s.Engine) == 0:
		file, dir, err = configs.Find("default")
	default:
		file = &configs.File{}
		dir, err = filepath.Abs(".")
	}
	if err == nil {
		err = file.Apply(s.asked())
	}
	return file, dir, err
}

// Plan resolves a file whose paths are relative to dir, before any engine is started.
func Plan(file *configs.File, dir string, guard *process.Guard) (*match.Plan, []advice.Warning, error) {
	if err := players.AskIdentities(file, guard); err != nil {
		return nil, nil, err
	}
	here, err := players.Surroundings()
	if err != nil {
		return nil, nil, err
	}
	return file.Plan(dir, here)
}

// Complete completes the opener's plan by what its engines have said, see
// identities.Complete; greetings are in the order of plan.Engines. It refuses options that
// engines do not have, and a gate that cannot decide.
func Complete(o *players.Opener, greetings []usi.Greeting) ([]advice.Warning, error) {
	plan, warnings, err := identities.Complete(o.Plan, greetings)
	if err != nil {
		return nil, err
	}
	o.Plan = plan
	for i, p := range plan.Engines() {
		warnings = append(warnings, identities.Lint(p, plan, greetings[i].Options)...)
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
