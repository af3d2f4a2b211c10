package runscmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"gogi/cmd/gogi/cli"
	"gogi/report/ratings"
	"gogi/report/stored"
	"gogi/results"
)

// readGames reads what the command line names: files of games, and runs of a
// database.
func readGames(ctx context.Context, sources []string, db string) (*ratings.Games, error) {
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
		runs = []string{""} // the newest
	}
	if len(runs) > 0 {
		if err := readRuns(ctx, g, runs, db); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// isGamesFile tells a file from the name of a run.
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

func readRuns(ctx context.Context, g *ratings.Games, names []string, db string) error {
	store, err := results.OpenExisting(ctx, db)
	if err != nil {
		return fmt.Errorf("%w (a file of games is named *.csv)", err)
	}
	for _, name := range names {
		info, wrong := cli.FindRun(ctx, store, name)
		if err = wrong; err == nil {
			err = stored.Rate(ctx, store, info, g)
		}
		if err != nil {
			break
		}
	}
	return errors.Join(err, store.Close())
}
