package planning

import (
	"context"
	"fmt"
	"slices"

	"gogi/configs"
	"gogi/configs/advice"
	"gogi/configs/identity"
	"gogi/internal/fail"
	"gogi/players"
	"gogi/usi"
	"gogi/usi/process"
)

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
