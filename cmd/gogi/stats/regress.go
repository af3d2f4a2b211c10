package statscmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/report/regression"
)

// RegressCommand explains columns of a table by other columns.
type RegressCommand struct {
	tableFlags
	Y          []string `name:"y" required:"" placeholder:"COLUMN,…" help:"Dependent columns, such as a rating; gogi fits each by itself."`
	X          []string `name:"x" required:"" sep:"none" placeholder:"COLUMN,…" help:"Independent columns of one regression; repeat the flag for further regressions."`
	Apply      string   `placeholder:"FILE" help:"CSV file with new rows, for which gogi predicts the dependent columns."`
	Confidence float64  `default:"0.95" help:"Confidence level of the intervals of new rows (default ${default}) [--apply]."`
}

// Run prints the regressions.
func (c *RegressCommand) Run(env *cli.Env) error {
	q, err := c.query()
	if err != nil {
		return fail.Usage(err)
	}
	r, err := regression.Regress(c.Table, q, c.Apply)
	return env.AnswerEnglish(c.JSON, r, err)
}

func (c *RegressCommand) query() (regression.Query, error) {
	q := regression.Query{Y: c.Y, SkipEmpty: c.SkipEmpty, Level: c.Confidence}
	if !(c.Confidence > 0 && c.Confidence < 1) {
		return q, fmt.Errorf("--confidence %g: expected a number between 0 and 1, such as 0.95", c.Confidence)
	}
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
