package enginecmd

import (
	"encoding/json"
	"errors"
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

// findings is what is to be said of a file.
type findings struct {
	file     string
	plan     *match.Plan // nil where there are problems
	problems []*configs.Problem
	warnings []advice.Warning
}

// lint looks at the file, and at what its gate can decide.
func lint(name string, data []byte, here identity.Env) *findings {
	plan, warnings, err := configs.Inspect(data, name, filepath.Dir(name), here)
	found := &findings{file: name, plan: plan, problems: configs.ProblemsOf(err), warnings: warnings}
	if plan == nil {
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
		fmt.Fprintf(env.Out, "%s: %s\n", f.file, i18n.Say(env.Language, "warning: %s", w.Said()))
	}
	if f.plan != nil {
		fmt.Fprintf(env.Out, "%s: %s\n", f.file, i18n.Say(env.Language, "%s in %s; nothing is wrong that can be known without starting an engine",
			i18n.Number{N: f.plan.Games(), Noun: "game"}, i18n.Number{N: f.plan.Pairs, Noun: "pair"}))
	}
}

// told is the JSON form of findings; lines count from 1, 0 is nowhere in particular.
type told struct {
	File     string        `json:"file"`
	Problems []toldProblem `json:"problems"`
	Warnings []toldWarning `json:"warnings"`
}

type toldProblem struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

type toldWarning struct {
	Engine string `json:"engine,omitempty"`
	Text   string `json:"text"`
	Advice string `json:"advice,omitempty"`
}

func (f *findings) writeJSON(env *cli.Env) error {
	out := told{File: f.file, Problems: []toldProblem{}, Warnings: []toldWarning{}}
	for _, p := range f.problems {
		out.Problems = append(out.Problems, toldProblem{p.Line, p.Cause.Error()})
	}
	for _, w := range f.warnings {
		out.Warnings = append(out.Warnings, toldWarning{w.Engine, w.Text.String(), w.Advice.String()})
	}
	text, err := json.MarshalIndent(out, "", "  ")
	_, failed := fmt.Fprintln(env.Out, string(text))
	return errors.Join(err, failed)
}
