package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"gogi/cmd/gogi/cli"
	dbcmd "gogi/cmd/gogi/db"
	enginecmd "gogi/cmd/gogi/engines"
	farmcmd "gogi/cmd/gogi/farm"
	recordscmd "gogi/cmd/gogi/records"
	runscmd "gogi/cmd/gogi/runs"
	statscmd "gogi/cmd/gogi/stats"
	toolcmd "gogi/cmd/gogi/tools"
	tunecmd "gogi/cmd/gogi/tune"
	votescmd "gogi/cmd/gogi/votes"
	"gogi/internal/sanitize"
	"os"
	"reflect"
	"runtime/debug"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"
)

// commandLine is the grammar of gogi's command line, with one field for each command. The tag "menu" is the
// heading of the command on the one-screen help. Only gogi help -a lists a command without this tag.
type commandLine struct {
	Lang string `enum:"en,ja," default:"" placeholder:"LANGUAGE" help:"Output language: en or ja (default: GOGI_LANG, then the locale of a terminal)."`

	Match    matchCommand               `cmd:"" menu:"play" help:"Play a match or tournament, or resume it"`
	Tune     tunecmd.Command            `cmd:"" menu:"play" help:"Tune engine options (SPSA and others)"`
	Selfplay recordscmd.SelfplayCommand `cmd:"" menu:"play" help:"Generate training data by self-play"`
	Farm     farmcmd.Command            `cmd:"" menu:"play" help:"Play one test on many machines"`
	CSA      enginecmd.CSACommand       `cmd:"" menu:"play" name:"csa" help:"Play on a CSA server, such as floodgate"`

	Report runscmd.ReportCommand `cmd:"" menu:"look" help:"Print the result of a run"`
	Games  runscmd.GamesCommand  `cmd:"" menu:"look" help:"List the games of a run, or print one"`
	Watch  runscmd.WatchCommand  `cmd:"" menu:"look" help:"Watch a running match in this terminal"`
	Serve  runscmd.ServeCommand  `cmd:"" menu:"look" help:"Show stored and running matches in a browser"`
	Runs   runscmd.RunsCommand   `cmd:"" menu:"look" help:"List the runs of a database"`

	Gate    runscmd.GateCommand    `cmd:"" menu:"decide" help:"Print the SPRT decision of a run; exit code 0, 10 or 11"`
	Compare runscmd.CompareCommand `cmd:"" menu:"decide" help:"Compare runs, or show where an Elo difference comes from"`
	Hunt    huntCommand            `cmd:"" menu:"decide" help:"Find the version that lost Elo"`
	Ladder  ladderCommand          `cmd:"" menu:"decide" help:"Rate all versions of an engine"`
	Rate    runscmd.RateCommand    `cmd:"" menu:"decide" help:"Calculate ratings from runs or game records"`
	Stats   statscmd.Command       `cmd:"" menu:"decide" help:"Calculate intervals, SPRT states, numbers of games and Elo"`

	Check   enginecmd.CheckCommand   `cmd:"" menu:"engines" help:"Check an engine, a match file or a crash dump"`
	Council enginecmd.CouncilCommand `cmd:"" menu:"engines" help:"Run engines that vote as one USI engine"`
	Votes   votescmd.Command         `cmd:"" menu:"engines" help:"Show how councils voted, and repeat their votes"`

	Export  recordscmd.ExportCommand  `cmd:"" menu:"data" help:"Export games as CSA, KIF, USI, … or training data"`
	Import  recordscmd.ImportCommand  `cmd:"" menu:"data" help:"Import game records into a database"`
	Convert recordscmd.ConvertCommand `cmd:"" menu:"data" help:"Convert or print records, training data and books"`
	Book    recordscmd.BookCommand    `cmd:"" menu:"data" help:"Make, check, convert and sample opening books"`
	DB      dbcmd.Command             `cmd:"" menu:"data" name:"db" help:"Check, repair, merge and back up databases"`

	Init       initCommand               `cmd:"" menu:"setup" help:"Write a commented match file"`
	Completion toolcmd.CompletionCommand `cmd:"" menu:"setup" help:"Print the completion script of a shell"`

	Ctl     runscmd.CtlCommand       `cmd:"" help:"Pause, resume, stop or resize a running match"`
	Review  recordscmd.ReviewCommand `cmd:"" help:"Rate players by an engine's evaluation of their moves"`
	Dev     toolcmd.DevCommand       `cmd:"" help:"Count legal moves (perft); run the built-in engine"`
	Version toolcmd.VersionCommand   `cmd:"" help:"Print the version of gogi"`

	Complete toolcmd.CompleteCommand `cmd:"" hidden:"" help:"Print completions, for the scripts of gogi completion"`
	Engine   enginecmd.EngineCommand `cmd:"" hidden:"" help:"Run the built-in engine as a USI engine"`
	Guard    enginecmd.GuardCommand  `cmd:"" hidden:"" help:"Kill the engines of a killed gogi"`
}

// grammarFor returns the grammar for a command line, and a pointer to the value of --lang in this grammar. If
// the line begins with a command, this is the grammar of that command alone. Building the grammar of all
// commands takes longer than most commands run, and gogi starts itself often, as its guard and its built-in
// engine. Help and shell completion need the grammar of all commands.
func grammarFor(args []string) (grammar any, lang *string) {
	all := new(commandLine)
	if len(args) == 0 {
		return all, &all.Lang
	}
	of := reflect.TypeFor[commandLine]()
	for i := range of.NumField() {
		field := of.Field(i)
		name := cmp.Or(field.Tag.Get("name"), kebab(field.Name))
		if _, verb := field.Tag.Lookup("cmd"); !verb || name != args[0] || field.Type == reflect.TypeFor[toolcmd.CompleteCommand]() {
			continue
		}
		one := reflect.New(reflect.StructOf([]reflect.StructField{of.Field(0), field}))
		return one.Interface(), one.Elem().Field(0).Addr().Interface().(*string)
	}
	return all, &all.Lang
}

// kebab converts the name of a grammar field to its name on the command line, such as EloWhere to elo-where.
func kebab(field string) string {
	var name strings.Builder
	for i, r := range field {
		if i > 0 && unicode.IsUpper(r) {
			name.WriteByte('-')
		}
		name.WriteRune(unicode.ToLower(r))
	}
	return name.String()
}

// newParser returns the parser of a grammar. It passes ctx and env to the Run methods of commands. After
// printing help, it panics with helpShown.
func newParser(ctx context.Context, grammar any, env *cli.Env, how helpHow) (*kong.Kong, error) {
	return kong.New(grammar, append(statscmd.Mappers(),
		kong.Name("gogi"),
		kong.Description(about),
		kong.Writers(env.Out, env.Err),
		kong.Exit(func(code int) { panic(helpShown{code}) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Help(how.print),
		kong.ExplicitGroups(flagGroups),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(env),
	)...)
}

// commandOf returns the command line up to the last command that the parser recognised, such as "gogi stats plan".
func commandOf(err error) string {
	var bad *kong.ParseError
	if !errors.As(err, &bad) || bad.Context.Selected() == nil {
		return "gogi"
	}
	return bad.Context.Selected().FullPath()
}

// helpShown is the value of the panic that ends kong's help. kong's exit function must not return, so it
// panics.
type helpShown struct{ code int }

// run runs the program and returns its exit code.
func run(ctx context.Context, args []string, env *cli.Env) (code int) {
	bisecting := bisects(args)
	result := &cli.ResultWriter{Writer: env.Out}
	out, errs := sanitize.NewWriter(result), sanitize.NewWriter(env.Err)
	env = &cli.Env{In: env.In, Out: out, Err: errs}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case helpShown:
			code = r.code
		default:
			if !bisecting {
				panic(r)
			}
			fmt.Fprintf(env.Err, "gogi: panic: %v\n\n%s", r, debug.Stack())
			env.Judged = false
		}
		_ = errors.Join(out.Close(), errs.Close()) // result returns the errors
		switch {
		case bisecting:
			code = bisectCode(env, code)
		case code == cli.Done:
			code = env.Fail(result.Failure(), cli.Failed)
		}
	}()
	args, how := helpAsked(args)
	grammar, lang := grammarFor(args)
	parser, err := newParser(ctx, grammar, env, how)
	if err != nil {
		return env.Fail(err, cli.Failed)
	}
	if len(args) == 0 {
		_ = oneScreen(env.Err, parser.Model) // the exit code reports the usage error
		return cli.Usage
	}
	chosen, err := parser.Parse(args)
	if err != nil {
		bisecting = mayBisect(args)
		return env.Fail(badLine(args, err), cli.Usage)
	}
	env.Language = cli.LanguageOf(*lang, os.Getenv, cli.OnTerminal(result.Writer))
	return env.Fail(chosen.Run(), cli.Failed)
}
