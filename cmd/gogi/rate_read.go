package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
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
	players, anchor, err := entrantsOf(info)
	if err != nil {
		return err
	}
	g.Anchored(anchor)
	run := g.Run(players)
	rep, err := readReport(ctx, store, info.Name, run.Add)
	switch {
	case err != nil:
		return err
	case !rep.Finished:
		g.Unfinished(info.Name)
	case rep.Gate != nil:
		g.Stopped(info.Name, rep.Gate.Design.String())
	}
	if rep.Tournament != nil && rep.Tournament.Design == match.DesignAdaptive {
		g.Paired(info.Name)
	}
	return nil
}

// entrantsOf are a run's players and their anchor ("": none), with what of each decides how it plays: that is
// what the plan's canonical text holds, but for the margin, how long a stall may
// last, restarts, and the name of a profile, whose options are there.
func entrantsOf(info *results.RunInfo) (list []ratings.Entrant, anchor string, err error) {
	plan, err := match.ParseCanonical(info.Plan)
	if err == nil && len(plan.Players) != len(info.Engines) {
		err = errors.New("it has other players than the run")
	}
	if err != nil {
		return nil, "", fmt.Errorf("the plan of run %s: %w", info.Name, err)
	}
	for i, p := range plan.Players {
		e := ratings.Entrant{Name: p.Name}
		add := func(name, value string) { e.Traits = append(e.Traits, ratings.Trait{Name: name, Value: value}) }
		add("limits", p.Limits)
		for _, o := range slices.SortedFunc(slices.Values(p.Options), func(a, b match.Option) int { return cmp.Compare(a.Name, b.Name) }) {
			add(o.Name, o.Value)
		}
		if len(p.Arguments) > 0 {
			add("arguments", strings.Join(p.Arguments, " "))
		}
		if len(p.Env) > 0 {
			add("env", strings.Join(p.Env, " "))
		}
		if p.Council != nil {
			text, err := json.Marshal(p.Council)
			if err != nil {
				return nil, "", err
			}
			add("council", fmt.Sprintf("%x", sha256.Sum256(text))[:8])
		}
		add("identity", info.Engines[i].Identity.String())
		list = append(list, e)
	}
	return list, plan.Anchor, nil
}
