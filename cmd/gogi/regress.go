package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gogi/internal/format"
	"gogi/internal/usage"
	"gogi/regression"
)

// regressCommand explains a column of a table by other columns.
type regressCommand struct {
	Table     string   `arg:"" help:"A CSV file with a header."`
	Y         string   `name:"y" required:"" placeholder:"COLUMN" help:"What is explained, such as a rating."`
	X         []string `name:"x" required:"" placeholder:"COLUMN,…" help:"What explains it."`
	SkipEmpty bool     `help:"Leave out rows with an empty cell, instead of refusing them."`
	JSON      bool     `name:"json" help:"One JSON object."`
}

// Run prints the regression.
func (c *regressCommand) Run(env *environment) error {
	if err := c.check(); err != nil {
		return usage.Wrap(err)
	}
	t, err := regression.Read(c.Table, c.Y, c.X, c.SkipEmpty)
	if err != nil {
		return err
	}
	r, err := regression.New(t)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Table, err)
	}
	if c.JSON {
		return format.JSON(env.out, r)
	}
	r.Print(env.out)
	return nil
}

func (c *regressCommand) check() error {
	for i, x := range c.X {
		switch {
		case x == "":
			return errors.New("--x: expected the names of columns, separated by commas")
		case strings.EqualFold(x, c.Y):
			return fmt.Errorf("--x %s: a column does not explain itself", x)
		case slices.ContainsFunc(c.X[:i], func(o string) bool { return strings.EqualFold(o, x) }):
			return fmt.Errorf("--x %s: the column is named twice", x)
		}
	}
	return nil
}
