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

// commandLine is the grammar: one field for each verb.
type commandLine struct {
	Lang       string                     `enum:"en,ja," default:"" placeholder:"LANGUAGE" help:"Tell results to people in English (en) or Japanese (ja); default: GOGI_LANG, else, on a terminal, the locale (LC_ALL, LC_MESSAGES, LANG). JSON, events and exit codes are the same in all."`
	Match      matchCommand               `cmd:"" help:"Play a series, or finish one that was begun, and print its report."`
	Watch      watchCommand               `cmd:"" help:"Show a run that is being played, in this terminal."`
	Ctl        ctlCommand                 `cmd:"" help:"Tell a run that is being played to pause, go on or end, or to have more or fewer slots or games."`
	Serve      serveCommand               `cmd:"" help:"Show in a browser what is stored, and what is being played."`
	Report     reportCommand              `cmd:"" help:"Print what a run's games prove so far."`
	Tune       tunecmd.Command            `cmd:"" help:"Look for values of an engine's options that play better, and show whether they do."`
	Gate       gateCommand                `cmd:"" help:"Say whether a run passes its gate: exit code 0, 10 or 11 (inconclusive)."`
	Compare    compareCommand             `cmd:"" help:"Say whether a newer version gained more against an opponent than an older one; of more versions, the trend."`
	EloWhere   eloWhereCommand            `cmd:"" help:"Look where the difference between two players comes from: openings, colour, turning point, time, length, end."`
	Rate       statscmd.RateCommand       `cmd:"" help:"Rate the players of files of games, or of runs."`
	Regress    statscmd.RegressCommand    `cmd:"" help:"Explain one column of a table by others: least squares and correlations."`
	Stats      statscmd.Command           `cmd:"" help:"Reckon from counts: intervals, tests, sequential tests, plans, Elo."`
	Games      gamesCommand               `cmd:"" help:"List a run's games, or print one of them in any format of records."`
	Export     recordscmd.ExportCommand   `cmd:"" help:"Write a run's games into files: CSA, KIF, JKF, USI and others, or training data."`
	Import     recordscmd.ImportCommand   `cmd:"" help:"Bring files of games into a database, as a run."`
	Inspect    recordscmd.InspectCommand  `cmd:"" help:"Print what a file of records, training data or a book holds, as JSON lines; say what is illegal."`
	Convert    recordscmd.ConvertCommand  `cmd:"" help:"Turn records or training data of one format into another."`
	Book       recordscmd.BookCommand     `cmd:"" help:"Books and openings: convert, show, check, make, sample."`
	Votes      votescmd.Command           `cmd:"" help:"Tell how the councils of a run voted; draw a game's weights; take votes again by other rules."`
	Init       initCommand                `cmd:"" help:"Write a commented series file to start from."`
	Lint       toolcmd.LintCommand        `cmd:"" help:"Say all that is wrong with a series file, with line numbers, without starting engines: exit code 2 where anything is."`
	Runs       runsCommand                `cmd:"" help:"List the runs of a database."`
	Verify     dbcmd.VerifyCommand        `cmd:"" help:"Replay every move of a run: exit code 0, or 12 where anything differs."`
	Farm       farmcmd.Command            `cmd:"" help:"Play one series on many machines: coordinate, work, hand in, look."`
	DB         dbcmd.Command              `cmd:"" name:"db" help:"Look at the database itself: dump, check, repair, merge, back up."`
	Perft      toolcmd.PerftCommand       `cmd:"" help:"Count the leaves of the tree of legal moves."`
	Engine     enginecmd.EngineCommand    `cmd:"" help:"Speak USI as the built-in engine."`
	Council    enginecmd.CouncilCommand   `cmd:"" help:"Speak USI as a council of engines, for a GUI."`
	Check      enginecmd.CheckCommand     `cmd:"" help:"Examine one engine: what it understands, keeps to and survives."`
	Replay     replayCommand              `cmd:"" help:"Say the lines that led to an engine's failure to it again: exit code 0 (it did not happen), 10 (it did) or 11 (cannot tell)."`
	CSA        enginecmd.CSACommand       `cmd:"" name:"csa" help:"Play at a server of the CSA protocol, such as floodgate."`
	Completion toolcmd.CompletionCommand  `cmd:"" help:"Print what bash, zsh, fish or PowerShell needs to complete command lines."`
	Man        toolcmd.ManCommand         `cmd:"" help:"Write the manual page of a verb, or of all of them."`
	Version    toolcmd.VersionCommand     `cmd:"" help:"Say which build this is."`
	Complete   toolcmd.CompleteCommand    `cmd:"" hidden:"" help:"Say what may come next on a command line, for the scripts of gogi completion."`
	Review     recordscmd.ReviewCommand   `cmd:"" help:"Read games with an engine: how often players moved as it would, and what their other moves cost."`
	Strength   recordscmd.StrengthCommand `cmd:"" help:"Estimate players' ratings from what a review says of their moves."`
	Selfplay   recordscmd.SelfplayCommand `cmd:"" help:"Make training data: a player plays against itself."`
	Guard      enginecmd.GuardCommand     `cmd:"" hidden:"" help:"Kill engines whose runner has died."`
}

// grammarFor is the grammar that a command line is read by, and where --lang stands in it.
// Reading all verbs costs more than most verbs do, and a run starts this program again and
// again, as its guard and its engines: where the line begins with a verb, the grammar is of
// that verb alone, unless the verb tells of the others. What is no verb is told by all.
func grammarFor(args []string) (grammar any, lang *string) {
	all := new(commandLine)
	if len(args) == 0 {
		return all, &all.Lang
	}
	of := reflect.TypeFor[commandLine]()
	for i := range of.NumField() {
		field := of.Field(i)
		name := cmp.Or(field.Tag.Get("name"), kebab(field.Name))
		if _, verb := field.Tag.Lookup("cmd"); !verb || name != args[0] || tellsOfAll(field.Type) {
			continue
		}
		one := reflect.New(reflect.StructOf([]reflect.StructField{of.Field(0), field}))
		return one.Interface(), one.Elem().Field(0).Addr().Interface().(*string)
	}
	return all, &all.Lang
}

// tellsOfAll reports whether a verb wants the grammar of all verbs.
func tellsOfAll(command reflect.Type) bool {
	switch command {
	case reflect.TypeFor[toolcmd.CompleteCommand](), reflect.TypeFor[toolcmd.ManCommand]():
		return true
	}
	return false
}

// kebab is the name that a field of the grammar has on the command line: EloWhere, elo-where.
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

// newParser reads a grammar; what is parsed finds ctx and env in it. Help is told, and unwinds.
func newParser(ctx context.Context, grammar any, env *cli.Env) (*kong.Kong, error) {
	return kong.New(grammar,
		kong.Name("gogi"),
		kong.Description("Plays USI shogi engines against each other, alone or as councils that vote, and says what the results prove."),
		kong.Writers(env.Out, env.Err),
		kong.Exit(func(code int) { panic(helpShown{code}) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(env),
	)
}

// helpShown unwinds from kong's help, whose exit function must not return.
type helpShown struct{ code int }

// run is the whole program: it returns the exit code.
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
		_ = errors.Join(out.Close(), errs.Close()) // result remembers what was lost
		switch {
		case bisecting:
			code = bisectCode(env, code)
		case code == cli.Done:
			code = env.Fail(result.Failure(), cli.Failed)
		}
	}()
	grammar, lang := grammarFor(args)
	parser, err := newParser(ctx, grammar, env)
	if err != nil {
		return env.Fail(err, cli.Failed)
	}
	if len(args) == 0 {
		shortHelp(env.Err, parser.Model)
		return cli.Usage
	}
	chosen, err := parser.Parse(args)
	if err != nil {
		bisecting = mayBisect(args)
		return env.Fail(badLine(args, err), cli.Usage)
	}
	env.Tongue = cli.TongueOf(*lang, os.Getenv, cli.OnTerminal(result.Writer))
	return env.Fail(chosen.Run(), cli.Failed)
}
