package planning

import (
	"context"
	"errors"

	"gogi/configs"
	"gogi/configs/advice"
	"gogi/configs/identity"
	"gogi/internal/fail"
	"gogi/match"
	"gogi/players"
	"gogi/usi"
	"gogi/usi/process"
)

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
	if b.Plan, _, err = identity.Complete(plan, b.Greetings); err != nil { // no warning about equal players: in a tune they must be equal
		return nil, fail.Usage(err)
	}
	b.Opener.Plan = b.Plan
	b.Warnings = identity.Lint(b.Plan.Players[0], b.Plan, b.Declared())
	return b, nil
}
