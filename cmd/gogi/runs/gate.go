package runscmd

import (
	"context"
	"fmt"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report"
	"gogi/report/stored"
	"gogi/report/text"
	"gogi/results"
)

// GateCommand prints the SPRT decision of a run.
type GateCommand struct {
	cli.Stored
	Gate     string `name:"gate" placeholder:"FILE" help:"File with a [gate] section (default: the SPRT settings of the run)."`
	JSON     bool   `name:"json" help:"Print one JSON object."`
	Markdown string `placeholder:"FILE" help:"Markdown file for the decision; - is standard output."`
}

// Run prints the decision. The exit code is 0, 10 or 11.
func (c *GateCommand) Run(ctx context.Context, env *cli.Env) error {
	var v *report.GateVerdict
	err := c.With(ctx, func(store *results.Store, info *results.RunInfo) (err error) {
		v, err = c.judge(ctx, store, info)
		return err
	})
	if err != nil {
		return err
	}
	if err := c.print(env, v); err != nil {
		return err
	}
	return cli.GateExit(v.Verdict)
}

func (c *GateCommand) print(env *cli.Env, v *report.GateVerdict) error {
	markdown := func() (string, error) { return text.Markdown(v, env.Language), nil }
	switch {
	case c.Markdown != "-":
		if err := cli.WriteForm("--markdown", c.Markdown, nil, markdown); err != nil {
			return err
		}
	case !c.JSON:
		return cli.WriteForm("--markdown", c.Markdown, env.Out, markdown)
	}
	if c.JSON {
		return format.JSON(env.Out, v)
	}
	text.Verdict(env.Out, v, env.Language)
	return nil
}

// judge finds the settings of the SPRT and evaluates the run's pairs in the order of the plan.
func (c *GateCommand) judge(ctx context.Context, store *results.Store, info *results.RunInfo) (*report.GateVerdict,
	error) {
	if err := stored.Proves(info); err != nil {
		return nil, err
	}
	run, err := stored.ReportRun(ctx, store, info)
	if err != nil {
		return nil, err
	}
	if run.Gate, err = c.registration(info.Name, run.Gate); err != nil {
		return nil, err
	}
	g, err := report.New(run)
	if err != nil {
		return nil, err
	}
	if err := store.Pairs(ctx, info.ID, results.Filter{}, g.Add); err != nil {
		return nil, err
	}
	return g.Report().GateVerdict(run.Gate), nil
}

// registration returns the SPRT settings that the decision uses. By default they are r, the settings of the run.
// With --gate they are those of the file, and registration also records how they differ from r.
func (c *GateCommand) registration(name string, r report.Registration) (report.Registration, error) {
	if c.Gate == "" {
		if r.Design.IsZero() {
			return r,
				fail.Usage(fmt.Errorf("run %s has no gate; name a run that was begun with --sprt or a [gate] section, or give --gate FILE", name))
		}
		return r, nil
	}
	file, err := configs.Load(c.Gate)
	if err != nil {
		return r, fail.Usage(err)
	}
	asked, err := file.GateDesign()
	if err != nil {
		return r, fail.Usage(err)
	}
	switch {
	case r.Design.IsZero():
		r.Registered = false
	case asked != r.Design:
		r.Changes = append(r.Changes, i18n.Of("the file asks for %s, the run was begun with %s", asked, r.Design))
	}
	r.Design = asked
	return r, nil
}
