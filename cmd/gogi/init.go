package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"gogi/cmd/gogi/cli"
	"gogi/configs"
	"gogi/internal/fail"
)

// initCommand writes a series file to start from.
type initCommand struct {
	File string `arg:"" optional:"" default:"match.toml" help:"File to write (default match.toml)."`

	configs.Flags
}

// Run writes the file and says what to do with it; a file that exists stays.
func (c *initCommand) Run(env *cli.Env) error {
	text, err := c.text()
	if err != nil {
		return fail.Usage(err)
	}
	file, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // a file to be read and edited
	if errors.Is(err, fs.ErrExist) {
		return fail.Usage(fmt.Errorf("%s exists already; it is left as it is", c.File))
	}
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "wrote %s; edit it, then: gogi match %s --dry-run\n", c.File, c.File)
	return nil
}

// text is the starter file, or the series that gogi match would play with the same flags.
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
