package labcmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/lab/regression"
)

// RegressCommand fits linear regressions of columns of a table on other columns.
type RegressCommand struct {
	tableFlags
	Y []string `name:"y" required:"" placeholder:"COLUMN,…" help:"Dependent columns, such as a rating; gogi fits each by itself."`
	X []string `name:"x" required:"" sep:"none" placeholder:"COLUMN,…" help:"Independent columns of one regression; repeat the flag for further regressions."`
}

// Run prints the coefficients and the fit of each regression.
func (c *RegressCommand) Run(env *cli.Env) error {
	q, err := c.query()
	if err != nil {
		return fail.Usage(err)
	}
	r, err := regression.Regress(c.Table, q)
	return env.AnswerEnglish(c.JSON, r, err)
}

func (c *RegressCommand) query() (regression.Query, error) {
	q := regression.Query{Y: c.Y, SkipEmpty: c.SkipEmpty}
	for _, text := range c.X {
		set := strings.Split(text, ",")
		if err := c.checkSet(set); err != nil {
			return q, err
		}
		q.X = append(q.X, set)
	}
	var err error
	q.Where, err = c.where()
	return q, err
}

func (c *RegressCommand) checkSet(set []string) error {
	for i, x := range set {
		set[i] = strings.TrimSpace(x)
		same := func(o string) bool { return strings.EqualFold(o, set[i]) }
		switch {
		case set[i] == "":
			return errors.New("--x: expected the names of columns, separated by commas")
		case slices.ContainsFunc(c.Y, same):
			return fmt.Errorf("--x %s: a column does not explain itself", set[i])
		case slices.ContainsFunc(set[:i], same):
			return fmt.Errorf("--x %s: the column is named twice", set[i])
		}
	}
	return nil
}
