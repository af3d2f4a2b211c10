// Package planning makes a plan from a TOML file and flags. Both gogi match and gogi farm submit call [Plan],
// so that both play the same plan.
package planning

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gogi/configs"
	"gogi/configs/advice"
	"gogi/configs/identity"
	"gogi/internal/fail"
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

// A TuneBase is the match that a tune plays, with its engine's answer to usi.
type TuneBase struct {
	Plan      *match.Plan // its two players are the same engine
	Opener    *players.Opener
	Greetings []usi.Greeting
	Warnings  []advice.Warning
}

// Declared returns the options that the engine declared.
func (b *TuneBase) Declared() []usi.Option { return b.Greetings[0].Options }

// NewTuneBase makes the match of a tune from a file without the tune's own tables, and performs a handshake
// with the engine. Paths in the file are relative to the folder dir.
func NewTuneBase(ctx context.Context, file *configs.File, dir string, guard *process.Guard) (*TuneBase, error) {
	plan, _, err := Plan(file, dir, guard)
	if err == nil && len(plan.Openings) == 0 {
		err = errors.New("no openings")
	}
	if err != nil {
		return nil, fail.Usage(err)
	}
	b := &TuneBase{Opener: &players.Opener{Plan: plan, Guard: guard}}
	if b.Greetings, err = b.Opener.GreetAll(ctx); err != nil {
		return nil, err
	}
	// no warning about equal players: in a tune they must be equal
	if b.Plan, _, err = identity.Complete(plan, b.Greetings); err != nil {
		return nil, fail.Usage(err)
	}
	b.Opener.Plan = b.Plan
	b.Warnings = identity.Lint(b.Plan.Players[0], b.Plan, b.Declared())
	return b, nil
}

// A Selfplay is a plan of self-play, with its engines' answers to usi.
type Selfplay struct {
	*configs.SelfplayPlan

	Opener    *players.Opener // opens the players of Plan
	Greetings []usi.Greeting  // in the order of Plan.Engines
	Warnings  []advice.Warning
}

// ResolveSelfplay makes the plan of a self-play file. Paths in the file are relative to the folder dir. It
// starts no engine; it asks remote hosts for the SHA-256 of their programs. Call Complete next.
func ResolveSelfplay(file *configs.File, dir string, guard *process.Guard) (*Selfplay, error) {
	here, err := surroundings(file, guard)
	if err != nil {
		return nil, err
	}
	plan, warnings, err := file.PlanSelfplay(dir, here)
	if err != nil {
		return nil, fail.Usage(err)
	}
	return &Selfplay{plan, &players.Opener{Plan: plan.Plan, Guard: guard}, nil, warnings}, nil
}

// Complete performs a handshake with each engine and completes the plan. It returns an error for options that an engine
// does not have. If the plan chooses moves at random from several lines, the engine must have the option MultiPV.
func (s *Selfplay) Complete(ctx context.Context) (err error) {
	if s.Greetings, err = s.Opener.GreetAll(ctx); err != nil {
		return err
	}
	plan, warnings, err := identity.Complete(s.Plan, s.Greetings)
	if err != nil {
		return fail.Usage(err)
	}
	lines := func(o usi.Option) bool { return usi.SameOption(o.Name, "MultiPV") }
	if plan.Design.Selfplay.TemperaturePlies > 0 && !slices.ContainsFunc(s.Greetings[0].Options, lines) {
		return fail.Usage(fmt.Errorf("selfplay.temperature_plies: engine %s has no option MultiPV; remove the key, or set it to 0", plan.Players[0].Name))
	}
	s.Plan, s.Opener.Plan = plan, plan
	s.Warnings = append(s.Warnings, warnings...)
	return nil
}
