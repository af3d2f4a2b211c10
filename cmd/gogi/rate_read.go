package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"gogi/match"
	"gogi/ratings"
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
		if err = readRun(ctx, g, store, name); err != nil {
			break
		}
	}
	return errors.Join(err, store.Close())
}

func readRun(ctx context.Context, g *ratings.Games, store *results.Store, name string) error {
	info, err := findRun(ctx, store, name)
	if err != nil {
		return err
	}
	var identities []string
	for _, e := range info.Engines {
		identities = append(identities, e.Identity.String())
	}
	g.AddRun(info.Players, identities)
	return store.Games(ctx, info.ID, func(r match.Row) error {
		g.AddGame(r)
		return nil
	})
}
