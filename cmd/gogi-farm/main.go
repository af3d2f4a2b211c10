// Command gogi-farm is the coordinator of a farm. The command gogi farm serve of gogi finds this program and starts it
// with its own arguments. It is a program of its own because of the NATS server in it, which gogi would otherwise load
// for every command.
package main

import (
	"context"
	"fmt"
	"os"

	"gogi/cmd/gogi/cli"
	enginecmd "gogi/cmd/gogi/engines"
	farmcmd "gogi/cmd/gogi/farm"
	"gogi/cmd/gogi/program"
	toolcmd "gogi/cmd/gogi/tools"
	"gogi/internal/version"
)

// commandLine is the grammar of the command line: the part of gogi's grammar that gogi hands over, and the commands
// with which a program of gogi starts itself.
type commandLine struct {
	Lang string `enum:"en,ja," default:"" placeholder:"LANGUAGE" help:"Output language: en or ja (default: GOGI_LANG, then the locale of a terminal)."`

	Farm struct {
		Serve serveCommand `cmd:"" help:"Run the coordinator of a farm"`
	} `cmd:"" menu:"commands" help:"Run the coordinator of a farm: farm serve"`
	Version toolcmd.VersionCommand `cmd:"" menu:"commands" help:"Print the version of gogi-farm"`

	Engine enginecmd.EngineCommand `cmd:"" hidden:"" help:"Run the built-in engine as a USI engine"`
	Guard  enginecmd.GuardCommand  `cmd:"" hidden:"" help:"Kill the engines of a killed gogi-farm"`
}

func main() {
	p := &program.Program{
		Name:    "gogi-farm",
		About:   "gogi-farm is the coordinator of a farm. The command gogi farm serve starts it.",
		Groups:  []program.Group{{Key: "commands", Title: "Commands"}},
		Grammar: commandLine{},
	}
	env := &cli.Env{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	if gogi := os.Getenv(farmcmd.StartedBy); gogi != "" {
		p.Name, env.Program = "gogi", "gogi" // the command that the user typed
		if err := sameVersion(gogi); err != nil {
			os.Exit(env.Fail(err, cli.Failed))
		}
	}
	os.Exit(p.Run(context.Background(), os.Args[1:], env))
}

// sameVersion returns an error if gogi, the version of the program that started this one, is another version. Both
// programs write to the farm's folder, so two versions could disagree about its files. sameVersion also removes the
// environment variable, which no engine needs.
func sameVersion(gogi string) error {
	if err := os.Unsetenv(farmcmd.StartedBy); err != nil {
		return err
	}
	own := version.Own().String()
	if gogi == own {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: its version is %s, and gogi has the version %s; install both programs from the same archive or "+
		"package, or make both with `make build`", self, own, gogi)
}
