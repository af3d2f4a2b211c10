package tunecmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/configs"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/shellwords"
	"gogi/match/tune"
	"gogi/report/tuning"
	"gogi/results"
)

// InitCommand writes a commented tune file with an engine's parameters.
type InitCommand struct {
	Engine string   `arg:"" help:"Engine command, split as a shell does."`
	File   string   `arg:"" optional:"" default:"-" help:"File to write (default -, which is standard output)."`
	Only   []string `sep:"none" placeholder:"GLOB" help:"Name of a parameter to include (default: all); may be repeated."`
}

// Run performs the handshake with the engine and writes the file.
func (c *InitCommand) Run(ctx context.Context, env *cli.Env) error {
	games := 2
	s := setup{Flags: configs.Flags{Engine: []string{"engine=" + c.Engine}, Games: &games, Nodes: []string{"1"}}}
	return s.guarded(ctx, env, &session.Flags{Quiet: true}, true, s.prepare, func(_ context.Context, p *player) error {
		var text bytes.Buffer
		if err := tuning.Starter(&text, "engine", c.Engine, p.study.declared, c.Only); err != nil {
			return err
		}
		return env.WriteNew(c.File, text.Bytes(), "gogi tune "+shellwords.Quote(c.File)+" --dry-run")
	})
}

// ProbeCommand finds parameters of a tune that do not change the engine's search.
type ProbeCommand struct {
	setup

	Quiet bool `short:"q" help:"Print no progress."`
	JSON  bool `name:"json" help:"Print a JSON list."`
}

// Help returns the text below the usage line of --help.
func (*ProbeCommand) Help() string {
	return `gogi searches twenty positions to a fixed depth or number of nodes, with each parameter at both
of its bounds.

Exit codes: 0 every parameter changes the search, 1 a parameter changes nothing or the
engine fails with it, 2 usage.`
}

// Run prints the effect of each parameter.
func (c *ProbeCommand) Run(ctx context.Context, env *cli.Env) error {
	return c.guarded(ctx, env, &session.Flags{Quiet: c.Quiet}, true, c.prepare,
		func(ctx context.Context, p *player) error {
			if err := p.study.resolve(ctx, nil); err != nil {
				return err
			}
			found, err := tuning.Probe(ctx, p.study.opener.Open, p.study.base, &p.study.tune.Settings)
			if err != nil {
				return err
			}
			bad := 0
			for _, f := range found {
				if f.Dead || len(f.Refused) > 0 {
					bad++
				}
				if !c.JSON {
					fmt.Fprintln(env.Out, f)
				}
			}
			if c.JSON {
				err = format.JSON(env.Out, found)
			}
			if err == nil && bad > 0 {
				err = &cli.Exit{Code: cli.Failed, Err: fmt.Errorf("%s cannot be tuned so", format.NumberOf(bad, "parameter"))}
			}
			return err
		})
}

func (p *player) probe(ctx context.Context) error {
	found, err := tuning.Probe(ctx, p.study.opener.Open, p.study.base, &p.study.tune.Settings)
	if err != nil {
		return err
	}
	for _, f := range found {
		if f.Dead || len(f.Refused) > 0 {
			p.note("warning: %v", f)
		}
	}
	return nil
}

func withAccount(ctx context.Context, run cli.Stored, at int, do func(*results.Store, *tuning.Account) error) error {
	return withTune(ctx, run, func(store *results.Store, info *results.RunInfo) error {
		a, err := tuning.Read(ctx, store, info, at)
		if err != nil {
			return err
		}
		return do(store, a)
	})
}

// withTune opens the database and calls do with the named run, or with the newest run that is a tune.
func withTune(ctx context.Context, run cli.Stored, do func(*results.Store, *results.RunInfo) error) error {
	return run.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		if _, err := tuning.PlanOf(info); err != nil && run.Name == "" {
			var newest error
			if info, newest = newestTune(ctx, store); newest != nil {
				return newest
			}
		}
		return do(store, info)
	})
}

func newestTune(ctx context.Context, store *results.Store) (*results.RunInfo, error) {
	runs, err := store.Runs(ctx)
	if err != nil {
		return nil, err
	}
	for i := len(runs) - 1; i >= 0; i-- {
		if _, err := tuning.PlanOf(&runs[i]); err == nil {
			return &runs[i], nil
		}
	}
	return nil, fail.Usage(errors.New("no run of the database is a tune"))
}

// ReportCommand prints the report of a tune.
type ReportCommand struct {
	cli.Stored

	At   *int   `placeholder:"BLOCK" help:"Number of the block (tune step) after which the state is printed (default: the latest)."`
	JSON bool   `name:"json" help:"Print one JSON object."`
	HTML string `name:"html" placeholder:"FILE" help:"HTML file for a page with figures; - is standard output."`
}

// Run prints the report.
func (c *ReportCommand) Run(ctx context.Context, env *cli.Env) error {
	at := tuning.Latest
	if c.At != nil {
		at = *c.At
	}
	if c.At != nil && at < 0 {
		return fail.Usage(fmt.Errorf("--at %d: expected the number of a block, from 0", at))
	}
	return withAccount(ctx, c.Stored, at, func(store *results.Store, a *tuning.Account) error {
		lines := validations(ctx, store, a)
		if c.At != nil {
			lines = nil // a validation tests the final values
		}
		if c.HTML != "" {
			return cli.WriteForm("--html", c.HTML, env.Out, func() (string, error) {
				return tuning.Page(env.Language, a, lines), nil
			})
		}
		if c.JSON {
			return format.JSON(env.Out, tuning.NewResult(a))
		}
		tuning.Print(env.Out, env.Language, a, lines)
		return nil
	})
}

// ExportCommand prints the final values of a tune.
type ExportCommand struct {
	cli.Stored

	As string `default:"options" placeholder:"FORM" help:"Output format: options, toml, params, fishtest, openbench or patch (default ${default})."`
	At string `default:"mean" placeholder:"WHERE" help:"Values to print: mean (the final values), last (the values after the last block), or the number of a block (default ${default})."`
}

// Run prints the tuned values in the format that --as names.
func (c *ExportCommand) Run(ctx context.Context, env *cli.Env) error {
	at := tuning.Latest
	if c.At != "mean" && c.At != "last" {
		n, err := strconv.Atoi(c.At)
		if err != nil || n < 0 {
			return fail.Usage(fmt.Errorf("--at %q: expected mean, last, or the number of a block", c.At))
		}
		at = n
	}
	return withAccount(ctx, c.Stored, at, func(_ *results.Store, a *tuning.Account) error {
		values := tune.Answer(&a.Plan.Settings, &a.Asked)
		if c.At == "last" {
			values = a.Asked.Theta
		}
		return fail.Usage(tuning.Export(env.Out, a, c.As, values))
	})
}

// VerifyCommand recalculates a tune from its pairs.
type VerifyCommand struct {
	cli.Stored
}

// Run prints the differences between the stored tune and its recalculation. The exit code is 12 if there are any.
func (c *VerifyCommand) Run(ctx context.Context, env *cli.Env) error {
	return withAccount(ctx, c.Stored, tuning.Latest, func(_ *results.Store, a *tuning.Account) error {
		if a.Plan.Settings.Retired() {
			return fmt.Errorf("%s: %w", a.Run, tune.ErrRetired)
		}
		for _, d := range a.Differences {
			fmt.Fprintln(env.Out, d)
		}
		if n := len(a.Differences); n > 0 {
			return &cli.Exit{Code: cli.Differs, Err: fmt.Errorf("%s in tune %s", format.NumberOf(n, "difference"), a.Run)}
		}
		fmt.Fprintf(env.Out, "%s: %s, %s: all follow from the results\n", a.Run, format.NumberOf(a.Stored, "pair"),
			format.NumberOf(len(a.Track)-1, "state"))
		return nil
	})
}
