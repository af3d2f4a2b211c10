package labcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/shellwords"
	"gogi/lab/truth/series"
)

// TruthCommand measures how often the figures that gogi prints are true.
type TruthCommand struct {
	Plan    string `arg:"" help:"Plan of the series (TOML)."`
	Results string `placeholder:"FILE" help:"File of the results (default: the plan's name with .jsonl). Series in it are not run again."`
	Gogi    string `default:"gogi" placeholder:"FILE" help:"Program of gogi that plays and reports (default ${default})."`
	Peer    string `name:"fastchess" default:"fastchess" placeholder:"FILE" help:"Program of fastchess, for plans that play with it (default ${default})."`
	Engine  string `placeholder:"CMD" help:"Command of the engine, without its law (default: gogi-lab engine)."`
	Jobs    int    `default:"1" placeholder:"N" help:"Series at a time (default ${default})."`
	Seed    uint64 `placeholder:"N" help:"Seed instead of the plan's."`
	Keep    string `placeholder:"DIR" help:"Existing folder in which the files of all series stay."`
	Show    bool   `help:"Print the table of the stored results; run no series."`
	Failed  string `placeholder:"FILE" help:"If a figure falls short, write a plan that repeats its conditions."`
	SVG     string `name:"svg" placeholder:"FILE" help:"Write a picture of the coverage over the true Elo."`
	JSON    bool   `name:"json" help:"Print one JSON object."`
	Quiet   bool   `short:"q" help:"Print no progress."`
}

// Help returns the text below the usage line of --help.
func (*TruthCommand) Help() string {
	return `gogi-lab plays each series through the command line of gogi, with engines whose results follow a
stated law. It reads what gogi prints, and counts how often each interval, p value, verdict and
warning was true. Run the same command again to resume.

Exit codes: 0 done, 10 a figure falls short by more than chance, or gogi failed,
130 interrupted.`
}

// Run runs the plan and prints the table.
func (c *TruthCommand) Run(ctx context.Context, env *cli.Env) error {
	plan, err := series.Read(c.Plan)
	if err != nil {
		return fail.Usage(err)
	}
	if c.Seed != 0 {
		plan.Seed = c.Seed
	}
	results := c.Results
	if results == "" {
		results = strings.TrimSuffix(c.Plan, ".toml") + ".jsonl"
	}
	if !c.Show {
		if err := c.play(ctx, env, results, plan); err != nil {
			return err
		}
	}
	records, err := series.Load(results)
	if err != nil {
		return err
	}
	counted := series.Count(records)
	if err := c.keep(plan, counted); err != nil {
		return err
	}
	return c.print(env, counted)
}

// keep writes the plan of the conditions that fell short, if one is wanted.
func (c *TruthCommand) keep(plan *series.Plan, counted *series.Counted) error {
	if c.Failed == "" {
		return nil
	}
	failed, err := plan.Failed(counted)
	if err != nil || len(failed.Groups) == 0 {
		return err
	}
	return failed.Write(c.Failed)
}

// play runs the series. After Ctrl-C or SIGTERM it stops the series in play and removes their files.
func (c *TruthCommand) play(ctx context.Context, env *cli.Env, results string, plan *series.Plan) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := c.runner(env, results).Run(ctx, plan)
	if ctx.Err() != nil {
		return &cli.Exit{Code: cli.Interrupted, Err: errors.New("interrupted; run the same command again to resume")}
	}
	return err
}

func (c *TruthCommand) runner(env *cli.Env, results string) *series.Runner {
	engine := c.Engine
	if self, err := os.Executable(); engine == "" && err == nil {
		engine = shellwords.Quote(self) + " engine"
	}
	r := &series.Runner{Gogi: c.Gogi, Peer: c.Peer, Engine: engine, Results: results, Jobs: c.Jobs, Keep: c.Keep}
	if !c.Quiet {
		r.Done = func(stored, all int) {
			if stored%100 == 0 || stored == all {
				_, _ = fmt.Fprintf(env.Err, "%d of %d series\n", stored, all)
			}
		}
	}
	return r
}

func (c *TruthCommand) print(env *cli.Env, counted *series.Counted) error {
	err := c.draw(counted)
	if err != nil {
		return err
	}
	if c.JSON {
		err = format.JSON(env.Out, counted)
	} else {
		err = counted.Text(env.Out)
	}
	if err == nil && (len(counted.Falls()) > 0 || len(counted.Errors) > 0) {
		return &cli.Exit{Code: cli.GateFailed}
	}
	return err
}

// draw writes the picture, if one is wanted.
func (c *TruthCommand) draw(counted *series.Counted) (err error) {
	if c.SVG == "" {
		return nil
	}
	f, err := os.Create(c.SVG)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return counted.Picture(f)
}
