package main

import (
	"fmt"
	"path/filepath"
	"reflect"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/internal/fail"
)

type initCommand struct {
	File string `arg:"" optional:"" default:"match.toml" help:"File to write (default match.toml)."`

	configs.Flags
}

// Run writes the match file and prints the command that plays it. It does not change an existing file.
func (c *initCommand) Run(env *cli.Env) error {
	text, err := c.text()
	if err != nil {
		return fail.Usage(err)
	}
	return env.WriteNew(c.File, text, "gogi match")
}

// text returns the text of the match file. Without flags it is the commented starter file. With flags it is
// the match that gogi match plays with these flags.
func (c *initCommand) text() ([]byte, error) {
	if reflect.ValueOf(c.Flags).IsZero() {
		return configs.Template(), nil
	}
	if filepath.Dir(filepath.Clean(c.File)) != "." {
		return nil, fmt.Errorf("%s: paths in flags are relative to this folder, those in a file to the file's: expected a file in this folder", c.File)
	}
	file, _, err := c.Read("")
	if err != nil {
		return nil, err
	}
	return file.Text()
}
