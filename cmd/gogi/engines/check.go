package enginecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/players"
	"gogi/players/check"
	"gogi/usi/process"
)

// CheckCommand checks an engine, a match file or a crash dump.
type CheckCommand struct {
	Engine []string `arg:"" optional:"" help:"Engine command, builtin (gogi's own engine), or a match file that ends in .toml. gogi splits a single argument into words as a shell does. It uses several arguments as the program and its arguments."`

	File string `name:"file" placeholder:"FILE" help:"Check this match file instead of an engine; a name that ends in .toml needs no --file."`

	Option  []string `sep:"none" placeholder:"NAME=VALUE" help:"Option of the engine; may be repeated."`
	Profile string   `placeholder:"NAME" help:"Preset option values for a family of engines. The only preset is yaneuraou."`
	Dir     string   `placeholder:"DIR" help:"Working folder of the engine (default: the folder of the program)."`

	GreetingTimeout time.Duration `default:"1m" placeholder:"DUR" help:"Maximum wait for usiok (default ${default})."`
	ReadyTimeout    time.Duration `default:"10m" placeholder:"DUR" help:"Maximum wait for readyok (default ${default})."`

	QuitTimeout time.Duration `default:"2s" placeholder:"DUR" help:"Wait for the end of the process after quit, as in a match (default ${default}); the check itself waits three times as long."`

	Quick bool `help:"Skip the slow checks."`
	JSON  bool `name:"json" help:"Print one JSON object."`

	replayFlags
}

// Help returns the text below the usage line of --help.
func (*CheckCommand) Help() string {
	return `Examples:

	gogi check ./engine            handshake, time, ponder, … of an engine
	gogi check match.toml          errors of a match file, with line numbers
	gogi check --replay DUMP       repeat the failure of a crash dump

Exit codes: 0 passed, 1 an item failed, 2 a match file has errors. With --replay: 0 the failure did not happen, 10 it happened, 11 undecided.`
}

// Run checks an engine, a match file or a crash dump, depending on the flags.
func (c *CheckCommand) Run(ctx context.Context, env *cli.Env) error {
	if c.File == "" && c.Bundle == "" && len(c.Engine) == 1 && isMatchFile(c.Engine[0]) {
		c.File, c.Engine = c.Engine[0], nil
	}
	asked := lists.Count([]bool{len(c.Engine) > 0, c.File != "", c.Bundle != ""}, func(given bool) bool { return given })
	if asked != 1 {
		return fail.Usage(errors.New("gogi check: expected one of an engine, a match file and --replay DUMP"))
	}
	if c.Bundle == "" && (c.With != "" || c.Times != 1 || c.Fast || c.LastGame || c.Exit != "default") {
		return fail.Usage(errors.New("--engine, --times, --fast, --last-game and --exit: they belong to --replay; add --replay DUMP"))
	}
	switch {
	case c.Bundle != "":
		return c.replayBundle(ctx, env)
	case c.File != "":
		return c.checkFile(env)
	}
	return c.checkEngine(ctx, env)
}

// isMatchFile reports whether the only argument of gogi check names a match file. A command such as "gogi
// council FILE.toml" also ends in .toml. isMatchFile recognises such a command by its blanks, if no file has
// this name.
func isMatchFile(argument string) bool {
	if !strings.HasSuffix(argument, ".toml") {
		return false
	}
	_, err := os.Stat(argument)
	return err == nil || !strings.ContainsAny(argument, " \t")
}

// checkEngine prints a verdict for each item. The exit code is 1 if an item fails.
func (c *CheckCommand) checkEngine(ctx context.Context, env *cli.Env) error {
	plan, err := c.plan()
	if err != nil {
		return fail.Usage(err)
	}
	return cli.WithGuard(ctx, env, func(ctx context.Context, guard *process.Guard, _ *cli.Interrupts) error {
		return c.examine(ctx, env, &players.Opener{Plan: plan, Guard: guard})
	})
}

// plan returns a plan of the engine with a byoyomi of one second.
func (c *CheckCommand) plan() (*match.Plan, error) {
	e := configs.Engine{
		Name: "under check", Dir: c.Dir, Profile: c.Profile,
		GreetingTimeout: &c.GreetingTimeout, ReadyTimeout: &c.ReadyTimeout, QuitTimeout: &c.QuitTimeout,
		Identity: configs.ByHand{Text: "unknown"}, // gogi stores nothing, so it does not have to hash the files
	}
	if len(c.Engine) == 1 {
		e.Cmd = c.Engine[0]
	} else {
		e.Command = c.Engine
	}
	return cli.PlanEngine("check", e, c.Option, configs.Limits{Clock: configs.Clock{Byoyomi: new(time.Second)}})
}

func (c *CheckCommand) examine(ctx context.Context, env *cli.Env, o *players.Opener) error {
	began := time.Now()
	command := strings.Join(c.Engine, " ")
	text, options := newCheckText(env.Out, env.Language), check.Options{Quick: c.Quick}
	if !c.JSON {
		text.title(command)
		options.Found = text.add
	}
	sheet, err := check.Engine(ctx, o, o.Plan.Players[0], options)
	switch {
	case ctx.Err() != nil:
		return &cli.Exit{Code: cli.Interrupted, Err: err}
	case err != nil:
		return err
	}
	sheet.Engine = command
	if c.JSON {
		err = format.JSON(env.Out, sheet)
	} else {
		text.summary(sheet, time.Since(began))
	}
	if err == nil && sheet.Count(check.Fail) > 0 {
		return &cli.Exit{Code: cli.Failed}
	}
	return err
}

// checkText prints each finding as soon as the examination has it. It ignores write errors.
type checkText struct {
	w     io.Writer
	in    i18n.Language
	width int // width of the column of names
}

func newCheckText(w io.Writer, in i18n.Language) *checkText {
	c := &checkText{w: w, in: in}
	for _, name := range check.Checks() {
		c.width = max(c.width, format.Width(check.Title(name).In(in)))
	}
	return c
}

const checkDetailWidth = 96

func (c *checkText) title(engine string) {
	title := sanitize.Printable(engine, 100)
	fmt.Fprintf(c.w, "%s\n%s\n\n", title, strings.Repeat("═", format.Width(title)))
}

func (c *checkText) add(f check.Finding) {
	head := f.Verdict.Message().In(c.in) + "   " + format.Pad(check.Title(f.Check).In(c.in), c.width) + "   "
	for _, line := range format.Lines(f.In(c.in), checkDetailWidth) {
		fmt.Fprintf(c.w, "%s%s\n", head, line)
		head = strings.Repeat(" ", format.Width(head))
	}
	for _, line := range format.Lines(f.ConsequenceIn(c.in), checkDetailWidth) {
		fmt.Fprintf(c.w, "%s%s\n", head, line)
	}
}

func (c *checkText) summary(s *check.Examination, took time.Duration) {
	fmt.Fprintf(c.w, "\n%s\n", i18n.Say(c.in, "%d passed, %d with warnings, %d failed, in %s",
		s.Count(check.Pass), s.Count(check.Warn), s.Count(check.Fail), format.Span(took)))
	if s.Stuck != "" {
		fmt.Fprintln(c.w, i18n.Say(c.in, "Without %s nothing else can be checked.", s.Stuck))
	}
}
