package enginecmd

import (
	"fmt"
	"path/filepath"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/configs/advice"
	"gogi/configs/identity"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/match/gate"
	"gogi/players"
)

// checkFile prints the errors of a match file, each with its line, and its warnings. The exit
// code is 2 if the file has errors.
func (c *CheckCommand) checkFile(env *cli.Env) error {
	data, err := configs.ReadFile(c.File)
	if err != nil {
		return err
	}
	here, err := players.Surroundings()
	if err != nil {
		return err
	}
	found := lint(c.File, data, here)
	if c.JSON {
		err = found.writeJSON(env)
	} else {
		found.write(env)
	}
	if n := len(found.problems); err == nil && n > 0 {
		return &cli.Exit{Code: cli.Usage, Err: fmt.Errorf("%s: %s", c.File, format.NumberOf(n, "problem"))}
	}
	return err
}

type findings struct {
	file     string
	plan     *match.Plan // nil if there are problems
	problems []*configs.Problem
	warnings []advice.Warning
}

// lint checks the text of a match file, and whether the SPRT of the file can accept both H0 and H1 with the given
// openings. name is the path of the file, and here describes this machine.
func lint(name string, data []byte, here identity.Env) *findings {
	plan, warnings, err := configs.Inspect(data, name, filepath.Dir(name), here)
	found := &findings{file: name, plan: plan, problems: configs.ProblemsOf(err), warnings: warnings}
	if plan == nil || plan.Pairs == 0 { // a council alone has no SPRT
		return found
	}
	prospect, err := gate.NewProspect(plan)
	if err == nil {
		err = prospect.Check()
	}
	if err != nil {
		found.plan, found.problems = nil, []*configs.Problem{{File: name, Cause: err}}
	} else if w := prospect.Warning(); !w.IsZero() {
		found.warnings = append(found.warnings, advice.Warning{Text: w})
	}
	return found
}

func (f *findings) write(env *cli.Env) {
	for _, p := range f.problems {
		fmt.Fprintf(env.Out, "%s: %s\n", p.At(), i18n.Because(p.Cause).In(env.Language))
	}
	for _, w := range f.warnings {
		fmt.Fprintf(env.Out, "%s: %s\n", f.file, i18n.Say(env.Language, "warning: %s", w.Message()))
	}
	if f.plan != nil && f.plan.Pairs == 0 {
		fmt.Fprintf(env.Out, "%s: %s\n", f.file,
			i18n.Say(env.Language, "the council %s; nothing is wrong that can be known without starting an engine",
				f.plan.Players[0].Name))
	} else if f.plan != nil {
		fmt.Fprintf(env.Out, "%s: %s\n", f.file,
			i18n.Say(env.Language, "%s in %s; nothing is wrong that can be known without starting an engine",
				i18n.Number{N: f.plan.Games(), Noun: "game"}, i18n.Number{N: f.plan.Pairs, Noun: "pair"}))
	}
}

// A Note is a problem or a warning in JSON.
type Note struct {
	// line of the file, counted from 1; only for problems; 0: the problem concerns the whole file
	Line   *int   `json:"line,omitempty"`
	Engine string `json:"engine,omitempty"` // name of the engine that a warning concerns
	Text   string `json:"text"`             // the problem or warning as English text
	Advice string `json:"advice,omitempty"` // what the user can do, as English text
}

// A FileCheck is the JSON object of gogi check for a match file.
type FileCheck struct {
	File     string `json:"file"`     // the checked file
	Problems []Note `json:"problems"` // errors; gogi plays no file that has one
	Warnings []Note `json:"warnings"` // parts of the file that are valid and probably wrong
}

func (f *findings) writeJSON(env *cli.Env) error {
	out := FileCheck{f.file, []Note{}, []Note{}}
	for _, p := range f.problems {
		out.Problems = append(out.Problems, Note{Line: &p.Line, Text: p.Cause.Error()})
	}
	for _, w := range f.warnings {
		out.Warnings = append(out.Warnings, Note{Engine: w.Engine, Text: w.Text.String(), Advice: w.Advice.String()})
	}
	return format.JSON(env.Out, out)
}
