package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"gogi/configs"
	"gogi/match"
	"gogi/runner"
	"gogi/sparring"
	"gogi/usi"
	"gogi/usi/process"
)

// errStart marks a program that could not be started at all.
var errStart = errors.New("it cannot be started")

// opener starts engines for a plan: where processes and dialogues meet.
type opener struct {
	plan  *match.Plan
	guard *process.Guard
}

// surroundings is what configs needs to know of this program and this machine.
func surroundings() (configs.Env, error) {
	self, err := os.Executable()
	if err != nil {
		return configs.Env{}, fmt.Errorf("finding this program: %w", err)
	}
	work, err := os.Getwd()
	if err != nil {
		return configs.Env{}, fmt.Errorf("finding the working directory: %w", err)
	}
	return configs.Env{
		Self: self, BuiltinVersion: "gogi sparring " + sparring.Version, NumCPU: runtime.NumCPU(),
		Path: os.Getenv("PATH"), WorkDir: work,
	}, nil
}

// startGuard starts the guard process: this binary with another verb.
func startGuard() (*process.Guard, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program, to start its guard: %w", err)
	}
	return process.StartGuard([]string{self, "guard"})
}

// open starts one player: an engine with its options, or a council of them.
func (o *opener) open(ctx context.Context, p match.Player, cpus []int) (runner.Player, error) {
	if p.Council != nil {
		return o.openCouncil(ctx, p, cpus)
	}
	engine, err := o.greet(ctx, p, cpus)
	if err != nil {
		return nil, err
	}
	automatic, user := configs.Settings(p, o.plan, engine.Greeting().Options)
	if err := engine.Configure(append(automatic, user...)); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return engine, nil
}

// greet starts one engine as far as usiok.
func (o *opener) greet(ctx context.Context, p match.Player, cpus []int) (*usi.Engine, error) {
	spec := process.Spec{Command: p.Command, Dir: p.Dir, Env: p.Env, CPUs: cpus}
	conn, err := o.start(spec)
	if err != nil {
		return nil, fmt.Errorf("engine %s: %w: %w", p.Name, errStart, err)
	}
	return usi.Greet(ctx, conn, usi.Config{
		Name: p.Name, Limits: usi.Limits{Greeting: p.Greeting, Ready: p.Ready},
	})
}

// A process and a remote engine have these parts of a connection; a renamed
// method would otherwise be missed by nobody but the reports.
var (
	_ interface {
		usi.WriteDeadliner
		usi.Waited
		usi.Diagnosed
	} = (*process.Process)(nil)
	_ usi.Losable = (*remoteEngine)(nil)
)

// start starts a process, here or behind ssh.
func (o *opener) start(spec process.Spec) (io.ReadWriteCloser, error) {
	if ssh, ok := parseSSH(spec.Command); ok {
		return startRemote(spec, ssh, o.guard)
	}
	return process.Start(spec, o.guard)
}

// greetAll starts each engine of the plan once, to learn its options.
func (o *opener) greetAll(ctx context.Context) ([]usi.Greeting, error) {
	engines := o.plan.Engines()
	greetings := make([]usi.Greeting, len(engines))
	for i, p := range engines {
		engine, err := o.greet(ctx, p, nil)
		if err != nil {
			return nil, err
		}
		greetings[i] = engine.Greeting()
		if err := engine.Close(); err != nil {
			return nil, err
		}
	}
	return greetings, nil
}
