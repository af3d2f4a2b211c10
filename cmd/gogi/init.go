package main

import (
	"fmt"
	"path/filepath"
	"reflect"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/internal/fail"
	"gogi/internal/shellwords"
)

type initCommand struct {
	File string `arg:"" optional:"" default:"match.toml" help:"File to write (default match.toml); - is standard output."`

	configs.Flags
}

// Run writes the match file and prints the command that plays it. It does not change an existing file.
func (c *initCommand) Run(env *cli.Env) error {
	text, council, err := c.text()
	if err != nil {
		return fail.Usage(err)
	}
	next := "gogi match " + shellwords.Quote(c.File) + " --dry-run"
	if council {
		next = fmt.Sprintf("gogi check %s, and gogi council %[1]s, which a GUI starts as an engine", shellwords.Quote(c.File))
	}
	return env.WriteNew(c.File, text, next)
}

// text returns the text of the match file. Without flags it is the commented starter file. With flags it is
// the match that gogi match plays with these flags. council means that the file is for gogi council.
func (c *initCommand) text() (text []byte, council bool, err error) {
	if reflect.ValueOf(c.Flags).IsZero() {
		return configs.Template(), false, nil
	}
	if filepath.Dir(filepath.Clean(c.File)) != "." {
		return nil, false,
			fmt.Errorf("%s: paths in flags are relative to this folder, those in a file to the file's: expected a file in this folder", c.File)
	}
	file, _, err := c.Read("")
	if err != nil {
		return nil, false, err
	}
	text, err = file.Text()
	return text, file.CouncilAlone(), err
}
