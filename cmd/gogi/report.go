package main

import (
	"context"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report/stored"
	"gogi/report/text"
	"gogi/results"
	"gogi/runner/crash"
)

// reportCommand prints a report.
type reportCommand struct {
	cli.Stored
	JSON bool   `name:"json" xor:"form" help:"One JSON object."`
	HTML string `name:"html" xor:"form" placeholder:"FILE" help:"One page with charts and diagrams, into a file that needs nothing else; - is the standard output."`
	Text bool   `name:"text" xor:"form" help:"A short block to paste into a pull request."`
}

// Run prints the report of a run, finished or not.
func (c *reportCommand) Run(ctx context.Context, env *cli.Env) error {
	return c.With(ctx, func(store *results.Store, info *results.RunInfo) error {
		switch {
		case c.HTML != "":
			return cli.WriteForm("--html", c.HTML, env.Out, func() (string, error) { return pageOf(ctx, store, info, env.Tongue) })
		case c.Text:
			return c.printBlock(ctx, env, store, info)
		}
		r, err := stored.Report(ctx, store, info.Name)
		if err != nil {
			return err
		}
		r.Bundles = crash.List(crash.Dir(c.DB, info.Name))
		if c.JSON {
			return format.JSON(env.Out, r)
		}
		text.Print(env.Out, r, env.Tongue)
		return nil
	})
}

func (c *reportCommand) printBlock(ctx context.Context, env *cli.Env, store *results.Store, info *results.RunInfo) error {
	r, err := stored.Report(ctx, store, info.Name)
	if err != nil {
		return err
	}
	about, err := stored.About(info)
	if err != nil {
		return err
	}
	return text.Block(env.Out, r, about, env.Tongue)
}

// pageOf is a run's page as HTML in a tongue, with where the difference comes from.
func pageOf(ctx context.Context, store *results.Store, info *results.RunInfo, in i18n.Language) (string, error) {
	shown, err := stored.Shown(ctx, store, info)
	if err != nil {
		return "", err
	}
	where, err := stored.Effects(ctx, store, info, shown.Report)
	if err != nil {
		return "", err
	}
	section, err := where.HTML(in)
	if err != nil {
		return "", err
	}
	shown.More = append(shown.More, section)
	var html strings.Builder
	err = shown.Write(&html, in)
	return html.String(), err
}
