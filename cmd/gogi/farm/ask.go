package farmcmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/configs/advice"
	"gogi/configs/openings"
	"gogi/farm"
	"gogi/farm/nats"
	"gogi/farm/worker"
	"gogi/internal/fail"
	"gogi/match"
	"gogi/players"
	"gogi/players/planning"
	"gogi/usi/process"
)

// MakePlan reads the match file called name and applies the flags to it. It performs the handshakes with the
// engines, and returns the plan with complete identities of the engines.
func MakePlan(ctx context.Context, flags *configs.Flags, name string, guard *process.Guard) (*match.Plan,
	[]advice.Warning, error) {
	file, dir, err := flags.Read(name)
	if err != nil {
		return nil, nil, fail.Usage(err)
	}
	return planOf(ctx, file, dir, guard)
}

// planOf does the same as MakePlan for a file that is already read.
func planOf(ctx context.Context, file *configs.File, dir string, guard *process.Guard) (*match.Plan, []advice.Warning,
	error) {
	file.DefaultOpenings(openings.BuiltinFew)
	plan, warnings, err := planning.Plan(file, dir, guard)
	if err != nil {
		return nil, nil, fail.Usage(err)
	}
	o := &players.Opener{Plan: plan, Guard: guard}
	greetings, err := o.GreetAll(ctx)
	if err != nil {
		return nil, nil, err
	}
	more, err := planning.Complete(o, greetings)
	return o.Plan, append(warnings, more...), fail.Usage(err)
}

// answerIn is the longest wait for an answer of the coordinator.
const answerIn = 30 * time.Second

// Request sends a request to the coordinator and decodes the answer into out. name is the name of the sender's key,
// word the kind of request, such as "show", and in its content. If Request cannot reach the coordinator, it tries
// again for the time answerIn.
func Request(ctx context.Context, t farm.Transport, name, word string, in, out any) error {
	silent := fmt.Errorf("the coordinator has not answered in %v; check that gogi farm serve runs, and the address in the credentials", answerIn)
	ctx, cancel := context.WithTimeoutCause(ctx, answerIn, silent)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := t.Request(ctx, farm.SubjectAdmin+name+"."+word, in, out)
		switch refusal, refused := errors.AsType[*farm.Refusal](err); {
		case refused:
			return &cli.Exit{Code: worker.ExitRefused, Err: refusal}
		case errors.Is(context.Cause(ctx), silent):
			return &cli.Exit{Code: worker.ExitUnreachable, Err: silent}
		case !errors.Is(err, farm.ErrAway):
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return &cli.Exit{Code: worker.ExitUnreachable, Err: context.Cause(ctx)}
		}
	}
}

// ask reads the credentials, connects to the coordinator and sends a request. word is the kind of request, such as
// "show". ask decodes the answer into out.
func (o *owner) ask(ctx context.Context, word string, in, out any) error {
	return o.with(func(t farm.Transport, name string) error { return Request(ctx, t, name, word, in, out) })
}

// with connects to the coordinator with the credentials and calls f.
func (o *owner) with(f func(t farm.Transport, name string) error) error {
	creds, err := o.read()
	if err != nil {
		return noCreds(err)
	}
	t, err := nats.Dial(creds)
	if err != nil {
		return err
	}
	return errors.Join(f(t, creds.Name), t.Close())
}

// noCreds returns the error for credentials that cannot be read.
func noCreds(err error) error {
	return fail.Usage(fmt.Errorf("%w (see gogi farm login, or --creds)", err))
}
