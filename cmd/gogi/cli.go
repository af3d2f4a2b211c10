package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/alecthomas/kong"

	"gogi/internal/foreign"
	"gogi/internal/usage"
)

// The exit codes, as the README lists them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitUnplayed    = 3 // the run ended with pairs unplayed
	exitInterrupted = 130
)

// environment is what a verb has of the world around it.
type environment struct {
	in  io.Reader
	out io.Writer // the result
	err io.Writer // progress and errors
}

// commandLine is the grammar: one field for each verb.
type commandLine struct {
	Match        matchCommand        `cmd:"" help:"Play a series, or finish one that was begun, and print its report."`
	Report       reportCommand       `cmd:"" help:"Print what a run's games prove so far."`
	Gate         gateCommand         `cmd:"" help:"Say whether a run passes its gate: exit code 0, 10 or 11 (inconclusive)."`
	Rate         rateCommand         `cmd:"" help:"Rate the players of files of games, or of runs."`
	Regress      regressCommand      `cmd:"" help:"Explain one column of a table by others: least squares and correlations."`
	Stats        statsCommand        `cmd:"" help:"Reckon from counts: intervals, tests, sequential tests, plans, Elo."`
	Games        gamesCommand        `cmd:"" help:"List a run's games, or print one of them as USI or CSA."`
	Votes        votesCommand        `cmd:"" help:"Tell how the councils of a run voted; draw a game's weights; take votes again by other rules."`
	Init         initCommand         `cmd:"" help:"Write a commented series file to start from."`
	Runs         runsCommand         `cmd:"" help:"List the runs of a database."`
	DB           dbCommand           `cmd:"" name:"db" help:"Look at the database itself."`
	Perft        perftCommand        `cmd:"" help:"Count the leaves of the tree of legal moves."`
	Engine       engineCommand       `cmd:"" help:"Speak USI as the built-in engine."`
	Council      councilCommand      `cmd:"" help:"Speak USI as a council of engines, for a GUI."`
	Disagreement disagreementCommand `cmd:"" help:"Measure how often the members of a council disagree."`
	Check        checkCommand        `cmd:"" help:"Examine one engine: what it understands, keeps to and survives."`
	CSA          csaCommand          `cmd:"" name:"csa" help:"Play at a server of the CSA protocol, such as floodgate."`
	Guard        guardCommand        `cmd:"" hidden:"" help:"Kill engines whose runner has died."`
}

// exitError ends the program with a code of its own; err may be nil.
type exitError struct {
	code int
	err  error
}

// Error is the text of the cause, or the code where there is none.
func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

// Unwrap is the cause.
func (e *exitError) Unwrap() error { return e.err }

// helpShown unwinds from kong's help, whose exit function must not return.
type helpShown struct{ code int }

// run is the whole program: it returns the exit code.
func run(ctx context.Context, args []string, env *environment) (code int) {
	defer func() {
		if r := recover(); r != nil {
			shown, ok := r.(helpShown)
			if !ok {
				panic(r)
			}
			code = shown.code
		}
	}()
	var grammar commandLine
	parser, err := kong.New(&grammar,
		kong.Name("gogi"),
		kong.Description("Plays USI shogi engines against each other, alone or as councils that vote, and says what the results prove."),
		kong.Writers(env.out, env.err),
		kong.Exit(func(code int) { panic(helpShown{code}) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(env),
	)
	if err != nil {
		return env.fail(err, exitFailed)
	}
	verb, err := parser.Parse(args)
	if err != nil {
		return env.fail(fmt.Errorf("%w (see gogi --help)", err), exitUsage)
	}
	return env.fail(verb.Run(), exitFailed)
}

// fail prints an error, if there is one, and turns it into an exit code.
func (env *environment) fail(err error, code int) int {
	if err == nil {
		return exitDone
	}
	exit, ok := errors.AsType[*exitError](err)
	switch {
	case ok:
		code = exit.code
	case errors.Is(err, errInterrupted):
		code = exitInterrupted
	case usage.Is(err):
		code = exitUsage
	}
	if !ok || exit.err != nil {
		fmt.Fprintf(env.err, "gogi: %s\n", foreign.PrintableLines(err.Error()))
	}
	return code
}
