package labcmd

import (
	"errors"
	"fmt"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/lab/orders"
	"gogi/lab/regression"
	"gogi/report/calculator"
	"gogi/report/ratings"
	"gogi/stats/rating/newton"
)

// tableFlags has the flags that name a CSV table and select its rows.
type tableFlags struct {
	Table     string   `arg:"" help:"CSV file with a header."`
	Where     []string `sep:"none" placeholder:"COLUMN>=VALUE" help:"Use only rows with this condition (=, !=, <, <=, >, >=); may be repeated, then all conditions apply."`
	SkipEmpty bool     `help:"Skip empty cells; regress and rmse skip rows with an empty cell (default: an empty cell is an error)."`
	JSON      bool     `name:"json" help:"Print one JSON object."`
}

func (t *tableFlags) where() ([]regression.Condition, error) {
	where, err := regression.ParseConditions(t.Where)
	if err != nil {
		err = fail.Usage(fmt.Errorf("--where %w", err))
	}
	return where, err
}

// RankSumCommand compares the values of two groups of rows of a table by the rank-sum test. With --skip-empty
// it skips empty cells, but not the other cells of their rows.
type RankSumCommand struct {
	tableFlags
	Values []string `required:"" placeholder:"COLUMN" help:"Columns whose values gogi compares between the groups, one column at a time."`
	By     string   `required:"" placeholder:"COLUMN" help:"Column that defines the two groups."`
}

// Run prints the rank-sum test of each column.
func (c *RankSumCommand) Run(env *cli.Env) error {
	where, err := c.where()
	if err != nil {
		return err
	}
	r, err := regression.CompareGroups(c.Table, c.Values, c.By, where, c.SkipEmpty)
	return env.Answer(c.JSON, r, err)
}

// RMSECommand compares predictions with true values.
type RMSECommand struct {
	tableFlags
	Predicted string `required:"" placeholder:"COLUMN" help:"Column of predictions."`
	Actual    string `required:"" placeholder:"COLUMN" help:"Column of true values."`
}

// Run prints the root mean square error.
func (c *RMSECommand) Run(env *cli.Env) error {
	where, err := c.where()
	if err != nil {
		return err
	}
	d, err := regression.Compare(c.Table, c.Predicted, c.Actual, where, c.SkipEmpty)
	return env.Answer(c.JSON, d, err)
}

// OrdersCommand rates players by the orders in which they finished competitions.
type OrdersCommand struct {
	File       string  `arg:"" help:"CSV file with the columns game, player, and rank or points."`
	Confidence float64 `default:"0.95" help:"Confidence level of the intervals (default ${default})."`
	Samples    int     `default:"1000" help:"Number of bootstrap samples of games for the intervals (default ${default})."`
	Seed       uint64  `default:"1" help:"Seed of the samples (default ${default})."`
	JSON       bool    `name:"json" help:"Print one JSON object."`
}

// Run prints each player's share of the points and its strength.
func (c *OrdersCommand) Run(env *cli.Env) error {
	if err := calculator.CheckShare("confidence", c.Confidence); err != nil {
		return fail.Usage(err)
	}
	if c.Samples < 2 || c.Samples > newton.MaxSamples {
		return fail.Usage(fmt.Errorf("--samples %d: expected a number from 2 to %d", c.Samples, newton.MaxSamples))
	}
	list, err := orders.Read(c.File)
	if err != nil {
		return err
	}
	r, err := orders.Rate(list, c.Confidence, c.Samples, c.Seed)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	return env.Answer(c.JSON, r, nil)
}

// AICCommand compares models by log-likelihoods that the user gives.
type AICCommand struct {
	Models []string `arg:"" name:"model" help:"Models to compare, as NAME=LOGLIK,K: log-likelihood and number of estimated parameters (for ratings: players - 1)."`
	Games  int      `placeholder:"N" help:"Number of games, for AICc and BIC."`
	JSON   bool     `name:"json" help:"Print one JSON object."`
}

// Run prints a table with the AIC, AICc and BIC of each model.
func (c *AICCommand) Run(env *cli.Env) error {
	var models []ratings.Model
	wrong := calculator.CheckCount("games", c.Games)
	for _, text := range c.Models {
		m, err := ratings.ParsePrinted(text)
		wrong = errors.Join(wrong, err)
		models = append(models, m)
	}
	if wrong != nil {
		return fail.Usage(wrong)
	}
	r, err := ratings.NewCriteria(models, c.Games)
	return env.Answer(c.JSON, r, err)
}
