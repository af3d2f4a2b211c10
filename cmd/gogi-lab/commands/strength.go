package labcmd

import (
	"errors"
	"fmt"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/lab/review"
	"gogi/lab/strength"
)

type measured struct {
	reviewRules

	File    string `arg:"" optional:"" help:"File that gogi-lab review wrote."`
	Ratings string `placeholder:"FILE" help:"CSV file with columns name and rating; the rating may be a rank from 25k to 8d (default: the ratings in the records)."`
}

func (c *measured) tally() (*review.Tally, strength.Ratings, error) {
	ratings := strength.Ratings{}
	if c.Ratings != "" {
		var err error
		if ratings, err = strength.ReadRatings(c.Ratings); err != nil {
			return nil, nil, err
		}
	}
	t, err := c.reviewRules.tally(c.File)
	return t, ratings, err
}

type tabled struct {
	Table string `placeholder:"FILE" help:"CSV table of players or ranks instead of a review, with the metrics as columns: match, good, bad, avg_good, avg_bad, avg_loss, good1, bad1."`
	Names string `default:"name" placeholder:"COLUMN" help:"With --table: column with the names of the players (default: ${default})."`
	Known string `name:"rating" placeholder:"COLUMN" help:"With --table: column of known ratings."`
	Game  string `enum:",go,shogi" default:"" placeholder:"GAME" help:"With --table: game of the table: go or shogi."`
	From  string `name:"engine" placeholder:"NAME" help:"With --table: name of the engine that evaluated the games of the table."`
}

// source describes where the metrics come from: the settings of the review, or the flags for the table.
func (c *measured) source(t *tabled, tally *review.Tally) (strength.Source, error) {
	if tally != nil {
		return strength.Reviewed(tally.Settings, tally.Rules), nil
	}
	if (t.Game == "") != (t.From == "") {
		return strength.Source{},
			fail.Usage(errors.New("--game and --engine: a table needs both or neither; give the other one"))
	}
	if t.Game == "" {
		return strength.Source{}, nil
	}
	rules := review.Rules{Change: review.MoveChange, Per: review.Per(c.Per)}
	if c.Change == string(review.TurnChange) || c.Change == "auto" && t.Game == strength.Go {
		rules.Change = review.TurnChange
	}
	return strength.Source{Game: t.Game, Engine: t.From, Rules: rules}, nil
}

// subjects returns the players with their metrics: from the table if one is given, and otherwise from the review.
// units converts the metrics of a review to a list of players. empty has the names of the players without metrics.
// tally has the metrics of the review; it is nil for a table.
func subjects(c *measured, t *tabled,
	units func(*review.Tally, strength.Ratings) ([]strength.Subject, []string)) (list []strength.Subject, empty []string,
	tally *review.Tally, err error) {
	if (c.File == "") == (t.Table == "") {
		return nil, nil, nil, fail.Usage(errors.New("expected either the file of a review or --table FILE"))
	}
	if t.Table == "" && t.Game+t.From != "" {
		return nil, nil, nil, fail.Usage(errors.New("--game and --engine: a review names its own; remove them"))
	}
	if t.Table != "" {
		list, err = strength.ReadTable(t.Table, t.Names, t.Known)
		return list, nil, nil, err
	}
	tally, ratings, err := c.tally()
	if err != nil {
		return nil, nil, nil, err
	}
	list, empty = units(tally, ratings)
	return list, empty, tally, nil
}

// StrengthFitCommand fits a model that estimates a player's rating from the metrics of a review, such as the
// share of moves that match the engine's.
type StrengthFitCommand struct {
	measured
	tabled

	Metrics string `default:"match" placeholder:"M,…" help:"Metrics of the model: match, good, bad, avg_good, avg_bad, avg_loss, good1, bad1 (default: ${default}). gogi also prints a model of each metric alone."`
	Of      string `default:"Elo" placeholder:"WORD" help:"Name of the unit of the ratings, for the output (default: ${default})."`
	By      string `enum:"player,rank" default:"player" help:"Grouping of the games: one group for each player, or for each rank in --ratings (default: ${default})."`
	To      string `placeholder:"FILE" help:"File for the model, as TOML; with --table it needs --game and --engine."`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

// Run fits the model, prints how well it fits, and writes it to the file of --to.
func (c *StrengthFitCommand) Run(env *cli.Env) error {
	terms, err := strength.ParseMetrics(c.Metrics)
	if err != nil {
		return fail.Usage(fmt.Errorf("--metrics: %w", err))
	}
	if c.Table != "" && c.Known == "" {
		return fail.Usage(errors.New("a fit needs ratings: expected --rating COLUMN of the table"))
	}
	units := strength.Subjects
	if c.By == "rank" {
		units = strength.Ranks
	}
	if c.Table != "" && (c.By == "rank" || c.To != "" && c.Game == "") {
		return fail.Usage(errors.New("--table: --by rank needs a review, and --to needs the table's --game and --engine; correct the flags"))
	}
	list, empty, tally, err := subjects(&c.measured, &c.tabled, units)
	if err != nil {
		return err
	}
	source, err := c.source(&c.tabled, tally)
	if err != nil {
		return err
	}
	m, err := strength.NewModel(c.Of, terms, list)
	if err != nil {
		return err
	}
	m.SetSource(source)
	if c.To != "" {
		if err := m.Save(c.To); err != nil {
			return err
		}
	}
	return env.AnswerEnglish(c.JSON, strength.NewReport(m, list, empty, tally), nil)
}

// StrengthEstimateCommand estimates the ratings of players with a model that StrengthFitCommand wrote.
type StrengthEstimateCommand struct {
	measured
	tabled

	Model   string   `required:"" placeholder:"FILE" help:"Model from which gogi estimates ratings: a file that gogi-lab review fit wrote."`
	Players []string `name:"player" placeholder:"NAME" help:"Estimate the rating of this player only; may be repeated (default: all players)."`
	Ranks   bool     `help:"Also print ranks of Go, for ratings with 1000 points a rank and 26,500 for 1-dan."`
	JSON    bool     `name:"json" help:"Print one JSON object."`
}

// Run prints the estimates. It warns of players whose metrics are outside the range of the players of the
// fit.
func (c *StrengthEstimateCommand) Run(env *cli.Env) error {
	m, err := strength.ReadModel(c.Model)
	if err != nil {
		return err
	}
	list, empty, tally, err := subjects(&c.measured, &c.tabled, strength.Subjects)
	var source strength.Source
	if err == nil {
		source, err = c.source(&c.tabled, tally)
	}
	warning := ""
	if err == nil {
		warning, err = m.Check(source)
	}
	if err == nil {
		list, empty, err = c.only(list, empty)
	}
	if err != nil {
		return err
	}
	all, err := strength.NewEstimates(m, list, empty, c.Ranks)
	if err != nil {
		return err
	}
	if warning != "" {
		all.Warnings = append(all.Warnings, warning)
	}
	return env.AnswerEnglish(c.JSON, all, nil)
}

func (c *StrengthEstimateCommand) only(list []strength.Subject, empty []string) (kept []strength.Subject, none []string,
	err error) {
	if len(c.Players) == 0 {
		return list, empty, nil
	}
	for _, name := range c.Players {
		found := false
		for i := range list {
			if list[i].Name == name {
				kept, found = append(kept, list[i]), true
			}
		}
		for _, e := range empty {
			if e == name {
				none, found = append(none, e), true
			}
		}
		if !found {
			return nil, nil, fail.Usage(fmt.Errorf("--player %q: there is no such player", name))
		}
	}
	return kept, none, nil
}

// StrengthValidateCommand measures how far ratings that a model estimates are from known ratings.
type StrengthValidateCommand struct {
	measured

	Metrics string `default:"match" placeholder:"M,…" help:"Metrics of the models (default: ${default}). gogi-lab review fit --help lists them."`
	Games   []int  `default:"1,5,20" placeholder:"N,…" help:"Numbers of games per estimate; gogi measures the error for each of these numbers (default: ${default})."`
	Of      string `default:"Elo" placeholder:"WORD" help:"Name of the unit of the ratings, for the output (default: ${default})."`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

// Run prints the errors of the estimates for each number of games in --games.
func (c *StrengthValidateCommand) Run(env *cli.Env) error {
	terms, err := strength.ParseMetrics(c.Metrics)
	if err != nil {
		return fail.Usage(fmt.Errorf("--metrics: %w", err))
	}
	for _, n := range c.Games {
		if n < 1 {
			return fail.Usage(fmt.Errorf("--games %s: expected numbers from 1", strings.Trim(fmt.Sprint(c.Games), "[]")))
		}
	}
	if c.File == "" {
		return fail.Usage(errors.New("expected the file of a review"))
	}
	t, ratings, err := c.tally()
	if err != nil {
		return err
	}
	v, err := strength.Validate(t, ratings, c.Of, terms, c.Games)
	if err != nil {
		return err
	}
	return env.AnswerEnglish(c.JSON, v, nil)
}
