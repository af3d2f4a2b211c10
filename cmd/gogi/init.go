package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"gogi/configs"
	"gogi/internal/usage"
	"gogi/internal/verb"
)

// initCommand writes a series file to start from.
type initCommand struct {
	File string `arg:"" optional:"" default:"match.toml" help:"Where to (default match.toml)."`
}

// Run writes the file and says what to do with it; a file that exists stays.
func (c *initCommand) Run(env *verb.Env) error {
	file, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // a file to be read and edited
	if errors.Is(err, fs.ErrExist) {
		return usage.Wrap(fmt.Errorf("%s exists already; it is left as it is", c.File))
	}
	if err != nil {
		return err
	}
	_, err = file.Write(configs.Template())
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "wrote %s; edit it, then: gogi match %s --dry-run\n", c.File, c.File)
	return nil
}
