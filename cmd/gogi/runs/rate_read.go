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
