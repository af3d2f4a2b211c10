package runscmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/report/ratings"
	"gogi/report/stored"
	"gogi/results"
	"gogi/stats/binomial"
	"gogi/stats/rating"
	"gogi/stats/rating/newton"
)

// RateCommand rates the players of game files, or of runs.
type RateCommand struct {
	Sources []string `arg:"" optional:"" name:"games" help:"Game files (*.csv), or names of runs (default: the newest)."`
	cli.Database
	ratings.Options
	Prior   string   `default:"none" placeholder:"KIND=N" help:"Prior of the ratings: gaussian=ELO (standard deviation), draws=N (virtual draws between every two players) or none."`
	Predict []string `sep:"none" placeholder:"A,B[,HANDICAP]" help:"Predict the result of A against B. A has Black, or receives HANDICAP (a number, or a name such as two-piece); may be repeated."`
	Anchor  string   `placeholder:"NAME[=ELO]" help:"Player with a fixed rating: ELO, or 0 without ELO (default: the mean of the ratings is 0)."`
	JSON    bool     `name:"json" help:"Print one JSON object."`
}

// Run prints the ratings.
func (c *RateCommand) Run(ctx context.Context, env *cli.Env) error {
	r, _, err := c.Rate(ctx)
	return env.Answer(c.JSON, r, err)
}

// Rate returns the ratings and the games that they come from.
func (c *RateCommand) Rate(ctx context.Context) (*ratings.Report, *ratings.Games, error) {
	if err := c.parse(); err != nil {
		return nil, nil, fail.Usage(err)
	}
	games, err := readGames(ctx, c.Sources, c.Database)
	if err != nil {
		return nil, nil, err
	}
	c.Command = stored.RateCommand(c.DB, c.Sources)
	r, err := ratings.Rate(games, c.Options)
	return r, games, err
}

// parse checks the flags, and parses --prior, --anchor and --predict.
func (c *RateCommand) parse() (err error) {
	if c.Options.Prior, err = parsePrior(c.Prior); err == nil {
		err = c.check()
	}
	var wrong error
	c.Options.Anchor, wrong = ratings.ParseAnchor(c.Anchor)
	err = errors.Join(err, wrong)
	for _, text := range c.Predict {
		m, wrong := ratings.ParseMatchup(text)
		err = errors.Join(err, wrong)
		c.Options.Predict = append(c.Options.Predict, m)
	}
	return err
}

func (c *RateCommand) check() error {
	switch {
	case !(c.Confidence > 0 && c.Confidence < 1):
		return fmt.Errorf("--confidence %g: expected a number between 0 and 1, such as 0.95", c.Confidence)
	case c.Bootstrap < 0 || c.Bootstrap == 1 || c.Bootstrap > newton.MaxSamples:
		return fmt.Errorf("--bootstrap %d: expected a number from 2 to %d, such as 1000", c.Bootstrap, newton.MaxSamples)
	}
	return nil
}

func parsePrior(text string) (rating.Prior, error) {
	kind, number, _ := strings.Cut(text, "=")
	if kind == "none" && number == "" {
		return rating.Prior{}, nil
	}
	v, err := strconv.ParseFloat(number, 64)
	if err == nil && v > 0 && v <= 1e6 {
		switch kind {
		case "gaussian":
			return rating.Prior{SD: v / binomial.EloPerNat}, nil
		case "draws":
			return rating.Prior{VirtualDraws: v}, nil
		}
	}
	return rating.Prior{},
		fmt.Errorf("--prior %s: expected none, gaussian=ELO such as gaussian=300, or draws=N such as draws=1", text)
}

// readGames reads the sources of the command line: game files, and runs of a database.
func readGames(ctx context.Context, sources []string, db cli.Database) (*ratings.Games, error) {
	g := ratings.NewGames()
	var runs []string
	for _, source := range sources {
		isFile, err := isGamesFile(source)
		switch {
		case err != nil:
			return nil, err
		case isFile:
			if err := g.ReadFile(source); err != nil {
				return nil, err
			}
		default:
			runs = append(runs, source)
		}
	}
	if len(sources) == 0 {
		runs = []string{""} // the newest run
	}
	if len(runs) > 0 {
		if err := readRuns(ctx, g, runs, db); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// isGamesFile reports whether a source is a file, not the name of a run.
func isGamesFile(source string) (bool, error) {
	if strings.HasSuffix(strings.ToLower(source), ".csv") {
		return true, nil
	}
	info, err := os.Stat(source)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && !info.IsDir(), err
}

func readRuns(ctx context.Context, g *ratings.Games, names []string, db cli.Database) error {
	opened := false
	err := db.Read(ctx, func(store *results.Store) error {
		opened = true
		var infos []results.RunInfo
		for _, name := range names {
			info, err := cli.FindRun(ctx, store, name)
			if err != nil {
				return err
			}
			infos = append(infos, *info)
		}
		_, err := stored.Rate(ctx, store, infos, g)
		return err
	})
	if !opened {
		err = fmt.Errorf("%w (a file of games is named *.csv)", err)
	}
	return err
}
