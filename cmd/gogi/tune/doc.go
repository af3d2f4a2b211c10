// Package tunecmd implements the commands of the group tune: flags, files and exit codes.
// [Command] is the group. Package match/tune has the algorithms, report/tuning resolves a tune
// and reports it, and runner/series plays it.
package tunecmd

import (
	"gogi/cmd/gogi/cli"
)

// Command groups the verbs about tunes.
type Command struct {
	Run      RunCommand      `cmd:"" default:"withargs" help:"Tune, or go on with a tune, then validate what it found; what gogi tune does when no verb follows."`
	Init     InitCommand     `cmd:"" help:"Write a commented tune file with every number that an engine declares."`
	Probe    ProbeCommand    `cmd:"" help:"Search with each parameter at its bounds: does it change anything, does the engine start?"`
	Report   ReportCommand   `cmd:"" help:"Tell what is known of a tune so far."`
	Show     ShowCommand     `cmd:"" help:"Print a tune's state after a block."`
	Export   ExportCommand   `cmd:"" help:"Print what a tune found, as options, TOML, a patch, or a file of another tuner."`
	Validate ValidateCommand `cmd:"" help:"Play the match of what a tune found against its start, or go on with it."`
	Verify   VerifyCommand   `cmd:"" help:"Reckon every state of a tune again from its stored pairs: exit code 0, or 12 where one differs."`
}

// storedTune is what the verbs need that read a tune from a database.
type storedTune struct {
	cli.Stored
}
