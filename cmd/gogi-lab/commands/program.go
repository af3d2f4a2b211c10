// Package labcmd implements the commands of gogi-lab: flags, files and exit codes. [Program] describes the program. The
// packages of lab do the calculation and print its text.
package labcmd

import (
	enginecmd "gogi/cmd/gogi/engines"
	"gogi/cmd/gogi/program"
	toolcmd "gogi/cmd/gogi/tools"
)

// commandLine is the grammar of gogi-lab's command line, with one field for each command.
type commandLine struct {
	Lang string `enum:"en,ja," default:"" placeholder:"LANGUAGE" help:"Output language: en or ja (default: GOGI_LANG, then the locale of a terminal)."`

	Stats  StatsCommand  `cmd:"" menu:"numbers" help:"Calculate regressions, rank sums, coverage, …"`
	Rate   RateCommand   `cmd:"" menu:"numbers" help:"Rate players as gogi rate does, and show the MM algorithm"`
	Review ReviewCommand `cmd:"" menu:"games" help:"Rate players by an engine's evaluation of their moves"`
	Truth  TruthCommand  `cmd:"" menu:"truth" help:"Measure how often the figures of gogi are true"`

	Completion toolcmd.CompletionCommand `cmd:"" menu:"setup" help:"Print the completion script of a shell"`
	Version    toolcmd.VersionCommand    `cmd:"" menu:"setup" help:"Print the version of gogi-lab"`

	Complete toolcmd.CompleteCommand `cmd:"" hidden:"" grammar:"all" help:"Print completions, for the scripts of gogi-lab completion"`
	Engine   EngineCommand           `cmd:"" hidden:"" help:"Run a USI engine whose results follow a law"`
	Guard    enginecmd.GuardCommand  `cmd:"" hidden:"" help:"Kill the engines of a killed gogi-lab"`
}

// Program returns the description of gogi-lab.
func Program() *program.Program {
	return &program.Program{
		Name:  "gogi-lab",
		About: "gogi-lab calculates statistics for papers and research, which gogi does not need to judge matches.",
		Groups: []program.Group{{Key: "numbers", Title: "Numbers"}, {Key: "games", Title: "Game records"},
			{Key: "truth", Title: "Checks of gogi"}, {Key: "setup", Title: "Setup"}},
		Grammar: commandLine{},
	}
}
