// Package tunecmd implements the commands of the group tune: flags, files and exit codes. [Command] is the
// group. Package match/tune has the algorithms, report/tuning reads the settings of a tune and prints its
// reports, and runner/series plays it.
package tunecmd

// Command groups the commands for tunes.
type Command struct {
	Run      RunCommand      `cmd:"" default:"withargs" help:"Tune, or resume a tune, then validate the result (default)"`
	Init     InitCommand     `cmd:"" help:"Write a commented tune file with an engine's parameters"`
	Probe    ProbeCommand    `cmd:"" help:"Find parameters that do not change the engine's search"`
	Report   ReportCommand   `cmd:"" help:"Print the state and the result of a tune so far"`
	Export   ExportCommand   `cmd:"" help:"Print the result as options, TOML, a patch, …"`
	Validate ValidateCommand `cmd:"" help:"Play the match of the final values against the start"`
	Verify   VerifyCommand   `cmd:"" help:"Recalculate a tune; exit code 12 if a stored value differs"`
}
